// Joins the rows of all resources: every path that the service answers, who may call it, what it
// takes and returns. The pipeline, the description, the client and the tests read these rows and
// nothing else. Every row states its access; public is spelled 'none'.
import { accountRoutes } from './account-routes.js';
import { buyerKycRoutes } from './buyer-kyc-routes.js';
import { docsRoutes } from './docs-routes.js';
import { documentRoutes } from './document-routes.js';
import { feedRoutes } from './feed-routes.js';
import { invoiceRoutes } from './invoice-routes.js';
import { keyRoutes } from './key-routes.js';
import { paymentListRoutes } from './payment-list-routes.js';
import { paymentRoutes } from './payment-routes.js';
import type { Route } from './route-row.js';
import { serviceRoutes } from './service-routes.js';
import { sessionRoutes } from './session-routes.js';
import { timelineRoutes } from './timeline-routes.js';
import { webhookRoutes } from './webhook-routes.js';

export const routes: readonly Route[] = [
  // /v1/payment-intents, /v1/payments, /v1/test-helpers
  ...paymentRoutes,
  // GET /v1/payments
  ...paymentListRoutes,
  // /v1/payments/{id}/timeline
  ...timelineRoutes,
  // /v1/invoices
  ...invoiceRoutes,
  // /v1/connected-accounts, /v1/accounts
  ...accountRoutes,
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
  // /v1/partner-webhooks, /healthz, /readyz, /.well-known
  ...serviceRoutes,
  // /docs, /docs-json
  ...docsRoutes,
];
