// Every page for buyers and members: the rows of their files, in one table.
import { approvalPages } from './buyer/colleagues/approval-pages.js';
import { kycPages } from './buyer/kyc-pages.js';
import { paymentPages } from './buyer/payment-pages.js';
import { servicePages } from './buyer/service-pages.js';
import { dashboardPages } from './dashboard/dashboard-pages.js';
import { mailboxPages } from './dev/mailbox-pages.js';
import { logoPages } from './kit/files/logo-file.js';
import type { PageRoute } from './kit/page-route.js';
import { proofPages } from './proof/proof-pages.js';
import { onboardingPages } from './seller/onboarding-pages.js';

export const pageRoutes: readonly PageRoute[] = [
  ...paymentPages,
  ...approvalPages,
  ...kycPages,
  ...onboardingPages,
  ...proofPages,
  ...servicePages,
  ...logoPages,
  ...dashboardPages,
  ...mailboxPages,
];
