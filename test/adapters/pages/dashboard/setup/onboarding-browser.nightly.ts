// A new organization from its owner's link to production, with scripts.
import { testOnboarding } from './onboarding-walk.js';

testOnboarding('with scripts');
