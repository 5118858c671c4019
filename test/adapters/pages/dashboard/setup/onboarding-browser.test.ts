// A new organization from its owner's link to production, without scripts. The nightly run walks
// with scripts too.
import { testOnboarding } from './onboarding-walk.js';

testOnboarding('without scripts');
