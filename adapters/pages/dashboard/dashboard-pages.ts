// Every page of the dashboard: the rows of their files, in one table.
import type { PageRoute } from '../kit/page-route.js';
import { deliveryPages } from './developer/delivery-pages.js';
import { eventPages } from './developer/event-pages.js';
import { keyPages } from './developer/key-pages.js';
import { subscriptionListPages } from './developer/subscription-list-pages.js';
import { subscriptionPages } from './developer/subscription-pages.js';
import { entrancePages } from './entrance-pages.js';
import { homePages } from './home-pages.js';
import { paymentDetailPages } from './payment-detail-pages.js';
import { paymentListPages } from './payment-list-pages.js';

export const dashboardPages: readonly PageRoute[] = [
  ...entrancePages,
  ...homePages,
  ...paymentListPages,
  ...paymentDetailPages,
  ...subscriptionListPages,
  ...subscriptionPages,
  ...deliveryPages,
  ...eventPages,
  ...keyPages,
];
