// Every page: the rows of their files, in one table.
import { kycPages } from './kyc/kyc-pages.js';
import { mailboxPages } from './mailbox-pages.js';
import type { PageRoute } from './page-route.js';
import { paymentPages } from './payment-pages.js';
import { servicePages } from './service-pages.js';

export const pageRoutes: readonly PageRoute[] = [
  ...paymentPages,
  ...kycPages,
  ...servicePages,
  ...mailboxPages,
];
