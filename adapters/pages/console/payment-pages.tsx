// Payments of all organizations, found by an id or a check code, and the page of one.
import { modes } from '../../../core/domain/base/tenant.js';
import { situationOf, situations } from '../../../core/domain/payments/situation.js';
import {
  findForOperator,
  payerIn,
  readPaymentCase,
} from '../../../core/usecases/money-desk/payment-case.js';
import { walletOfPayment } from '../../../core/usecases/money-desk/wallet-balances.js';
import { Amount, Badge, Foreign } from '../kit/components.js';
import { idIn } from '../kit/pages/declared-pages.js';
import { idCursor, pageOf, search, select } from '../kit/pages/list-page.js';
import { statusTexts } from '../letters/situation-texts.js';
import {
  ASK_WALLET,
  Books,
  Known,
  MoneyRoute,
  OrganizationLink,
  WhatHappened,
  WhoPaysWhom,
} from './case-parts.js';
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
      const { q, org: orgId, mode } = given;
      const page = { beforeId: before, limit: OPERATOR_PAGE + 1 };
      const found = await findForOperator(deps, { q, orgId, mode, ...page });
      const [only] = found;
      if (q !== null && only !== undefined && found.length === 1) {
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
      labels: { q: PAYMENT_SEARCH, org: 'Organization id', mode: 'Mode' },
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
      folds: true,
      columns: ({ column, named }) => [
        named('Payment', ({ payment }) => [
          <a href={`${view.path}/payments/${payment.id}`}>
            <Foreign text={payment.number ?? payment.externalId ?? payment.id} />
          </a>,
          <span class="sub">
            {format.short(payment.createdAtMs)}, {payment.mode}
          </span>,
        ]),
        column('Amount', 'num main', ({ payment }) => format.money(payment.amount)),
        column('Status', ({ payment: { status } }) => (
          <Badge look={status} text={statusTexts.en[status]} />
        )),
        column('Buyer', ({ payment }) => <Foreign text={payerIn(payment)} />),
        column('Organization', ({ organization, payment }) => (
          <OrganizationLink id={payment.orgId} name={organization} />
        )),
      ],
    }),
  }),
  operatorPages.view({
    path: '/payments/{paymentId}',
    access: null,
    async load({ deps }, call) {
      const found = await readPaymentCase(deps, idIn(call, 'paymentId'));
      const asks = call.query.has(ASK_WALLET);
      return { found, wallet: await walletOfPayment(deps, found.payment, asks) };
    },
    show: ({ view: { path } }, { found, wallet }) => ({
      title: `${format.money(found.payment.amount)}, ${found.payment.id}`,
      heading: <Amount money={found.payment.amount} />,
      lede: <WhoPaysWhom found={found} />,
      place: 'payments',
      mode: found.payment.mode,
      crumbs: [
        <a href={`${path}/payments`}>Payments</a>,
        <span class="code">{found.payment.id}</span>,
      ],
      body: [
        <p>{situations[situationOf(found)].says}</p>,
        <MoneyRoute found={found} />,
        <div class="cols">
          <div class="stack">
            <Books found={found} wallet={wallet} />
            <WhatHappened found={found} />
          </div>
          <div class="stack">
            <Known found={found} />
            <Decisions decisions={found.decisions} />
          </div>
        </div>,
      ],
    }),
  }),
];
