// Payments of all organizations, found by an id or a check code, and the page of one.

import { modes } from '../../../core/domain/base/tenant.js';
import { situationOf, situations } from '../../../core/domain/payments/situation.js';
import {
  findForOperator,
  payerIn,
  readPaymentCase,
} from '../../../core/usecases/money-desk/payment-case.js';
import { Amount, Foreign } from '../kit/components.js';
import { idIn } from '../kit/pages/declared-pages.js';
import { idCursor, pageOf, search, select } from '../kit/pages/list-page.js';
import { Books, Known, MoneyRoute, WhatHappened, WhoPaysWhom } from './case-parts.js';
import { format, operatorPages, PAYMENT_SEARCH } from './console-layout.js';
import { Decisions } from './desk-item-pages.js';
import { OPERATOR_PAGE } from './service-list-pages.js';

const LENGTH_MAX = 200;

export const paymentPages = [
  operatorPages.list({
    path: '/payments',
    access: null,
    filters: { q: search(LENGTH_MAX), org: search(LENGTH_MAX), mode: select(modes) },
    cursor: idCursor('(?:pi|inv)'),
    async read({ deps }, _, { given, before }) {
      const found = await findForOperator(deps, {
        q: given.q,
        orgId: given.org,
        mode: given.mode,
        beforeId: before,
        limit: OPERATOR_PAGE + 1,
      });
      const [only] = found;
      if (given.q !== null && only !== undefined && found.length === 1) {
        return { to: `/payments/${only.payment.id}` };
      }
      return pageOf(found, OPERATOR_PAGE, ({ payment }) => payment.id);
    },
    show: ({ view }) => ({
      title: 'Payments',
      lede: 'Of all organizations, newest first.',
      place: 'payments',
      label: 'Payments',
      start: null,
      labels: {
        q: PAYMENT_SEARCH,
        org: 'Organization id',
        mode: 'Mode',
      },
      words: {
        filters: 'Search',
        filter: 'Search',
        any: 'All',
        clear: 'All payments',
        empty: 'No payments',
        emptyText: 'There is none yet.',
        noMatch: 'No payment is found',
        noMatchText: 'An external id is found within its organization. Give both.',
      },
      columns: ({ column, named }) => [
        named('Payment', ({ payment }) => (
          <>
            <a href={`${view.path}/payments/${payment.id}`}>
              <Foreign text={payment.number ?? payment.externalId ?? payment.id} />
            </a>
            <span class="sub">
              {format.short(payment.createdAtMs)}, {payment.mode}
            </span>
          </>
        )),
        column('Amount', 'num', ({ payment }) => format.money(payment.amount)),
        column('Status', ({ payment }) => payment.status),
        column('Buyer', 'only-l', ({ payment }) => <Foreign text={payerIn(payment)} />),
        column('Organization', 'only-l', ({ organization }) => <Foreign text={organization} />),
      ],
    }),
  }),
  operatorPages.view({
    path: '/payments/{paymentId}',
    access: null,
    load: ({ deps }, call) => readPaymentCase(deps, idIn(call, 'paymentId')),
    show: ({ view: { path } }, found) => ({
      title: `${format.money(found.payment.amount)}, ${found.payment.id}`,
      heading: <Amount money={found.payment.amount} />,
      lede: <WhoPaysWhom found={found} />,
      place: 'payments',
      mode: found.payment.mode,
      crumbs: (
        <>
          <a href={`${path}/payments`}>Payments</a> / <span class="code">{found.payment.id}</span>
        </>
      ),
      body: (
        <>
          <p>{situations[situationOf(found)].says}</p>
          <MoneyRoute found={found} />
          <div class="cols">
            <div class="stack">
              <Books found={found} />
              <WhatHappened found={found} />
            </div>
            <div class="stack">
              <Known found={found} />
              <Decisions decisions={found.decisions} />
            </div>
          </div>
        </>
      ),
    }),
  }),
];
