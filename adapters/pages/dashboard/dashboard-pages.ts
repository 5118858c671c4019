// Every page of the dashboard: the rows of their files, in one table.
import type { PageRoute } from '../kit/page-route.js';
import { accountingPages } from './accounting/accounting-pages.js';
import { accountingGuidePages } from './accounting/guide-pages.js';
import { proofMonthPages } from './accounting/proof-month-pages.js';
import { changePages } from './change-pages.js';
import { deliveryPages } from './developer/delivery-pages.js';
import { eventPages } from './developer/event-pages.js';
import { keyPages } from './developer/key-pages.js';
import { subscriptionListPages } from './developer/subscription-list-pages.js';
import { subscriptionPages } from './developer/subscription-pages.js';
import { homePages } from './home/home-pages.js';
import { invitationPages } from './invoices/invitation-pages.js';
import { invoiceFormPages } from './invoices/invoice-form-pages.js';
import { invoiceImportPages } from './invoices/invoice-import-pages.js';
import { passkeyPages } from './passkeys/passkey-pages.js';
import { paymentDetailPages } from './payment-detail-pages.js';
import { paymentExportPages } from './payment-export-pages.js';
import { paymentListPages } from './payment-list-pages.js';
import { paymentProofPages } from './payment-proof-pages.js';
import { sellerPages } from './seller-pages.js';
import { activityPages } from './setup/activity-pages.js';
import { gettingStartedPages } from './setup/getting-started-pages.js';
import { kybPages } from './setup/kyb-pages.js';
import { pixPages } from './setup/pix-pages.js';
import { productionPages } from './setup/production-pages.js';
import { settingsPages } from './setup/settings-pages.js';
import { teamPages } from './setup/team-pages.js';
import { signInPages } from './sign-in-pages.js';
import { vendorPaperPages } from './vendor-paper-pages.js';

export const dashboardPages: readonly PageRoute[] = [
  ...signInPages,
  ...passkeyPages,
  ...homePages,
  ...changePages,
  ...paymentListPages,
  ...paymentExportPages,
  ...paymentDetailPages,
  ...paymentProofPages,
  ...invoiceFormPages,
  ...invoiceImportPages,
  ...invitationPages,
  ...sellerPages,
  ...accountingPages,
  ...proofMonthPages,
  ...accountingGuidePages,
  ...subscriptionListPages,
  ...subscriptionPages,
  ...deliveryPages,
  ...eventPages,
  ...keyPages,
  ...gettingStartedPages,
  ...kybPages,
  ...pixPages,
  ...productionPages,
  ...teamPages,
  ...activityPages,
  ...settingsPages,
  ...vendorPaperPages,
];
