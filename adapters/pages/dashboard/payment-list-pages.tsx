// The lists of payments and of invoices, newest first. Filters are in the address, so that a
// bookmark, a second tab and the back button keep them.
import type { ShownView } from '../../../core/domain/payments/change.js';
import type { PaymentOrigin } from '../../../core/domain/payments/payment.js';
import { findNamed } from '../../../core/usecases/payments/payment-search.js';
import { ButtonLink } from '../kit/components.js';
import type { MemberRule, PageRoute } from '../kit/page-route.js';
import { PAGE_SIZE } from '../kit/pages/declared-pages.js';
import { idCursor, listPath, pageOf } from '../kit/pages/list-page.js';
import { liveOf } from './change-pages.js';
import { type DashboardScene, may } from './dashboard-scene.js';
import { actorOf, anyRole, memberPages, tenantOfCall } from './member-pages.js';
import {
  chipsOf,
  invoiceFilters,
  isInDueOrder,
  type PaymentFilters,
  paymentFilters,
  readPage,
  stateNames,
} from './payment-filters.js';
import { columnsOf, linesOf, NewInvoice } from './payment-parts.js';

export const paymentListPages = [
  paymentList('payments', { scope: anyRole, proof: 'session' }, null),
  paymentList('invoices', { scope: 'invoices:read', proof: 'session' }, 'invoice'),
];

function paymentList(
  place: 'payments' | 'invoices',
  access: MemberRule,
  origin: Extract<PaymentOrigin, 'invoice'> | null,
): PageRoute {
  return memberPages.list({
    path: `/${place}`,
    access,
    filters: origin === null ? paymentFilters : invoiceFilters,
    cursor: idCursor('(?:pi|inv)'),
    live: (context, call) => liveOf(context, call, null),
    async read({ deps }, call, { given, before, after }) {
      const { q } = given;
      const named = q === null ? null : await findNamed(deps, tenantOfCall(call), q);
      if (named !== null) return { to: `/payments/${named}` };
      const asked = { beforeId: before, afterId: after, limit: PAGE_SIZE + 1 };
      const found = await readPage(deps, actorOf(call), { ...given, origin }, asked);
      return pageOf(found, PAGE_SIZE, ({ payment }) => payment.id, { before, after });
    },
    show(scene, { rows }, { given }) {
      // With one of these two, the latest settlement is first.
      const isSettled = given.settledFrom !== null || given.settledTo !== null;
      const isDue = isInDueOrder(given);
      const { texts } = scene;
      const words = texts.payments;
      const title = origin === null ? texts.places.payments : texts.places.invoices;
      const choices = stateNames(scene);
      return {
        title,
        place,
        label: title,
        words: { ...words, ...(origin === null ? texts.home : texts.invoice), any: words.all },
        labels: { ...words, q: words.search, status: words.views },
        choice: (value) => choices[value] ?? value,
        chips: chipsOf(scene, given),
        note: isDue ? words.keepDue : isSettled ? words.keepSettled : words.keep,
        actions: listActions(scene, { origin, ...given }, rows),
        start: may(scene.view, 'invoices:write') ? <NewInvoice /> : null,
        // Invoices have their due day, and names need the room.
        columns: columnsOf(
          scene,
          place,
          origin === 'invoice' ? null : isSettled ? 'settled' : 'created',
        ),
        lines: isDue ? {} : linesOf(scene, isSettled),
      };
    },
  });
}

/** Export, import and a new invoice, by what the member may do. */
function listActions(
  { texts, view }: DashboardScene,
  filters: PaymentFilters,
  rows: readonly ShownView[],
) {
  const mayMake = may(view, 'invoices:write');
  return [
    may(view, 'payments:export') && rows.length > 0 ? (
      <ButtonLink href={listPath(`${view.path}/payments/export`, filters)} icon="download">
        {texts.payments.export}
      </ButtonLink>
    ) : null,
    filters.origin !== null && mayMake
      ? [
          rows.some(({ payment }) => payment.status === 'approved') ? (
            <ButtonLink to="invoices/invite" text={texts.invitations.heading} />
          ) : null,
          <ButtonLink to="invoices/import">{texts.invoiceImport.open}</ButtonLink>,
        ]
      : null,
    mayMake ? <NewInvoice /> : null,
  ];
}
