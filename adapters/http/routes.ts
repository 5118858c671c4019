// Joins the rows of all resources: every path that the service answers, who may call it, what it
// takes and returns. The pipeline, the description, the client and the tests read these rows and
// nothing else. Every row states its access; public is spelled 'none'.
import { docsRoutes } from './docs/docs-routes.js';
import type { Route } from './protocol/route-row.js';
import { accountRoutes } from './resources/account-routes.js';
import { auditRoutes } from './resources/audit-routes.js';
import { buyerKycRoutes } from './resources/buyer-kyc-routes.js';
import { documentRoutes } from './resources/document-routes.js';
import { feedRoutes } from './resources/feed-routes.js';
import { idempotencyKeyRoutes } from './resources/idempotency-key-routes.js';
import { invoiceRoutes } from './resources/invoice-routes.js';
import { keyRoutes } from './resources/key-routes.js';
import { paymentListRoutes } from './resources/payment-list-routes.js';
import { paymentRoutes } from './resources/payment-routes.js';
import { proofRoutes } from './resources/proof-routes.js';
import { quoteRoutes } from './resources/quote-routes.js';
import { serviceRoutes } from './resources/service-routes.js';
import { sessionRoutes } from './resources/session-routes.js';
import { settlementEntryRoutes } from './resources/settlement-entry-routes.js';
import { timelineRoutes } from './resources/timeline-routes.js';
import { vendorPaperRoutes } from './resources/vendor-paper-routes.js';
import { webhookRoutes } from './resources/webhook-routes.js';

export const routes: readonly Route[] = [
  // /v1/payment-intents, /v1/payments, /v1/test-helpers
  ...paymentRoutes,
  // GET /v1/payments
  ...paymentListRoutes,
  // /v1/payments/{id}/timeline
  ...timelineRoutes,
  // /v1/payments/{id}/proof
  ...proofRoutes,
  // /v1/quotes
  ...quoteRoutes,
  // /v1/settlement-entries
  ...settlementEntryRoutes,
  // /v1/idempotency-keys
  ...idempotencyKeyRoutes,
  // /v1/invoices
  ...invoiceRoutes,
  // /v1/connected-accounts, /v1/accounts
  ...accountRoutes,
  ...vendorPaperRoutes,
  // /v1/buyer-kyc
  ...buyerKycRoutes,
  // /v1/documents
  ...documentRoutes,
  // /v1/webhook-subscriptions
  ...webhookRoutes,
  // /v1/events
  ...feedRoutes,
  // /v1/api-keys
  ...keyRoutes,
  // /v1/auth, /v1/onboarding
  ...sessionRoutes,
  // /v1/audit
  ...auditRoutes,
  // /v1/partner-webhooks, /healthz, /readyz, /.well-known
  ...serviceRoutes,
  // /docs, /docs-json
  ...docsRoutes,
];
