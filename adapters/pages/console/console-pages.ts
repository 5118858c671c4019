// Every page of the operator's console: the rows of their files, in one table.
import type { PageRoute } from '../kit/page-route.js';
import { consoleSignInPages } from './console-sign-in.js';
import { deskItemPages } from './desk-item-pages.js';
import { deskListPages } from './desk-list-pages.js';
import { fxPages } from './fx-pages.js';
import { healthPages } from './health-pages.js';
import { paymentPages } from './payment-pages.js';
import { proposalPages } from './proposal-pages.js';
import { serviceListPages } from './service-list-pages.js';
import { waitingPages } from './waiting-pages.js';

export const consolePages: readonly PageRoute[] = [
  ...consoleSignInPages,
  ...deskListPages,
  ...deskItemPages,
  ...paymentPages,
  ...proposalPages,
  ...waitingPages,
  ...healthPages,
  ...fxPages,
  ...serviceListPages,
];
