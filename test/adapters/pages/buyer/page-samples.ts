// Every page of the hosted buyer's page with realistic facts: what the tests render and the
// gallery takes pictures of.

import { renderPage } from '../../../../adapters/pages/buyer/render.js';
import type { ScreenContent } from '../../../../adapters/pages/hosted/layout.js';
import { renderContent } from '../../../../adapters/pages/hosted/layout.js';
import { noKyc, type Page, type PageView } from '../../../../adapters/pages/hosted/page-view.js';
import type { Scene } from '../../../../adapters/pages/hosted/scene.js';
import { limits } from '../../../../adapters/pages/kit/limited.js';
import type { Locale } from '../../../../core/domain/base/locale.js';
import { money } from '../../../../core/domain/base/money.js';
import { type Screen, screens } from '../../../../core/domain/hosted/hosted-screen.js';
import type {
  ColleagueApproval,
  ColleagueApprovalState,
} from '../../../../core/domain/payments/colleague-approval.js';
import { railsFrom } from '../../../../core/domain/payments/payin-instructions.js';
import type { PaymentStatus } from '../../../../core/domain/payments/payment.js';
import type { ConsolidatedOffer } from '../../../../core/usecases/hosted/consolidated-payments.js';
import { aBarePayment, aQuote } from '../../../support/samples/domain-samples.js';
import { partsPage } from '../kit/parts-page.js';
import {
  at,
  branded,
  check,
  instructions,
  NOW_MS,
  onScreen,
  payment,
  paymentOnScreen,
  quote,
  received,
  sepa,
  signedOut,
  transferMembers,
  viewOf,
} from './page-facts.js';

const untilMs = at('2026-11-17T15:58:00Z');
const sentAtMs = at('2026-11-17T15:28:00Z');

export interface Sample {
  readonly name: string;
  readonly view: PageView;
  /** In place of what `view.page` names. */
  readonly content?: (scene: Scene) => ScreenContent;
}

const corrections = [
  'Marcus Hale’s passport: the lower edge is cut off.',
  'Proof of ownership is missing.',
];
const usedLink = {
  name: 'link_ended',
  cause: 'used',
  atMs: at('2026-11-16T16:05:00Z'),
  maskedEmail: 'd•••@harborpine.example',
} as const;
const unknownLink = { ...usedLink, cause: 'unknown', atMs: null, maskedEmail: null } as const;
const stateOf = (status: PaymentStatus) => ({ ...payment, status });

const accessSamples: readonly Sample[] = [
  { name: 'ask', view: viewOf({ name: 'ask' }, signedOut) },
  {
    name: 'ask-over',
    view: viewOf({ name: 'ask' }, { ...signedOut, payment: stateOf('settled') }),
  },
  { name: 'ask-signed-out', view: viewOf({ name: 'ask' }, { ...signedOut, notice: 'signed_out' }) },
  { name: 'ask-unsaved', view: viewOf({ name: 'ask' }, { ...signedOut, notice: 'unsaved' }) },
  ...limits.map((limit) => ({
    name: limit,
    view: viewOf({ name: 'sent' }, { ...signedOut, limited: { limit, untilMs, sentAtMs } }),
  })),
  { name: 'sent', view: viewOf({ name: 'sent' }, signedOut) },
  {
    name: 'sent-code-wrong',
    view: viewOf({ name: 'sent' }, { ...signedOut, notice: 'code_wrong' }),
  },
  {
    name: 'enter',
    view: viewOf(
      { name: 'enter', email: 'dana@harborpine.example', auto: false, asksCode: false },
      signedOut,
    ),
  },
  ...(['enter-code', 'enter-code-wrong'] as const).map((name) => ({
    name,
    view: viewOf(
      { name: 'enter', email: 'd•••@harborpine.example', auto: false, asksCode: true },
      { ...signedOut, notice: name === 'enter-code' ? null : 'code_wrong' },
    ),
  })),
  { name: 'link-used', view: viewOf(usedLink, signedOut) },
  { name: 'link-over', view: viewOf({ ...usedLink, cause: 'over' }, signedOut) },
  { name: 'link-unknown', view: viewOf(unknownLink, signedOut) },
];

const stateSamples: readonly Sample[] = screens.map((screen) => ({
  name: screen.replaceAll('_', '-'),
  // The script leaves it at once, except where no price came.
  view: onScreen(screen, screen === 'price_ask' ? { notice: 'quote_unavailable' } : {}),
}));

const locked = {
  ...quote,
  rateKind: 'locked' as const,
  lockedUntilMs: at('2026-11-20T12:00:00Z'),
};
const onTest = {
  mode: 'test',
  simulate: [
    { group: 'money', event: 'money_arrives' },
    { group: 'money', event: 'money_short' },
    { group: 'money', event: 'money_fails' },
    { group: 'payout', event: 'payout_fails' },
    { group: 'payout', event: 'payout_returns' },
  ],
} as const;

const replaced = (screen: Screen) => ({
  payment: {
    ...payment,
    ...paymentOnScreen[screen],
    check: { ...check, replacedAtMs: at('2026-11-16T09:30:00Z') },
  },
});

const undecided = { name: 'approval', typed: '', isRefused: false } as const;
const enterAsApprover = {
  name: 'enter',
  email: 'ines@harborpine.example',
  auto: false,
  asksCode: false,
} as const;

function approvalIn(state: ColleagueApprovalState): ColleagueApproval {
  return {
    state,
    email: 'ines@harborpine.example',
    askedAtMs: at('2026-11-17T15:30:00Z'),
    decidedAtMs: state === 'asked' ? null : at('2026-11-17T15:50:00Z'),
    reason: state === 'declined' ? 'The lot is not ours: ask for a corrected invoice.' : null,
  };
}

/** A page of the approver, whom the buyer asked. */
function toApprover(
  page: Page,
  state: ColleagueApprovalState,
  status: PaymentStatus = 'fx_quoted',
): PageView {
  const colleagueApproval = approvalIn(state);
  const askedBy = 'dana@harborpine.example';
  return viewOf(page, {
    viewer: { email: colleagueApproval.email, sessionEndsAtMs: NOW_MS + 3_600_000 },
    payment: { ...payment, status, colleagueApproval, isForApprover: true, askedBy },
  });
}

const buyerPayments = (['settled', 'cancelled', 'on_ramp_pending'] as const).map(
  (status, position) =>
    aBarePayment({
      id: `inv_${position}`,
      status,
      amount: payment.amount,
      number: `RN-2026-041${position}`,
      purchaseOrder: position === 0 ? 'PO-4711' : null,
      payeeName: payment.payee,
      createdAtMs: at('2026-11-17T15:42:00Z'),
      dueDate: position === 1 ? null : payment.dueDate,
    }),
);

const openPayments = buyerPayments.slice(1).map((one, position) => ({
  ...one,
  status: 'on_ramp_pending' as const,
  dueDate: `2026-12-0${position + 1}`,
}));
const offer: ConsolidatedOffer = {
  payments: openPayments.map((one, position) => ({
    payment: one,
    missing: one.amount,
    quote: position === 0 ? aQuote(quote) : null,
  })),
  total: { ...payment.amount, amountMinor: 2n * payment.amount.amountMinor },
};

const variantSamples: readonly Sample[] = [
  { name: 'kyc-facts', view: onScreen('kyc_form', { kyc: { ...noKyc, asksFacts: true } }) },
  {
    name: 'price-changed',
    view: onScreen('price', {
      page: {
        name: 'price_changed',
        shown: { ...quote, rate: '5.4021', target: money(6_708_110n, 'BRL') },
      },
    }),
  },
  {
    name: 'price-locked',
    view: onScreen('price', { payment: { ...payment, status: 'fx_quoted', quote: locked } }),
  },
  {
    name: 'bank-details-sepa',
    view: onScreen('bank_details', {
      payment: {
        ...payment,
        ...paymentOnScreen.bank_details,
        amount: sepa.amount,
        instructions: sepa,
      },
    }),
  },
  ...(
    [
      ['price-limit-payment', { period: 'payment', left: money(1_000_000n, 'USD'), untilMs: null }],
      ['price-limit-unknown', { period: 'unknown', left: null, untilMs: null }],
      [
        'price-limit-month',
        { period: 'month', left: money(0n, 'USD'), untilMs: at('2026-12-01T00:00:00Z') },
      ],
    ] as const
  ).map(([name, limit]) => ({
    name,
    view: onScreen('price_limit', { payment: { ...payment, status: 'buyer_kyc_approved', limit } }),
  })),
  {
    name: 'bank-details-abroad',
    view: onScreen('bank_details', {
      payment: {
        ...payment,
        ...paymentOnScreen.bank_details,
        instructions: { ...instructions, rails: railsFrom(instructions, 'DE') },
      },
    }),
  },
  { name: 'bank-details-test', view: onScreen('bank_details', onTest) },
  ...(['bank_details', 'held', 'arrived', 'on_the_way', 'kyc_verifying'] as const).map(
    (screen) => ({
      name: `late-${screen.replaceAll('_', '-')}`,
      view: onScreen(screen, { payment: { ...payment, ...paymentOnScreen[screen], isLate: true } }),
    }),
  ),
  {
    name: 'needs-review-answer',
    view: onScreen('needs_review', {
      payment: {
        ...payment,
        ...paymentOnScreen.needs_review,
        answerByMs: at('2026-11-24T16:20:00Z'),
      },
    }),
  },
  { name: 'bank-details-stale', view: onScreen('bank_details', { notice: 'out_of_date' }) },
  {
    name: 'bank-details-known',
    view: onScreen('bank_details', {
      payment: {
        ...payment,
        ...paymentOnScreen.bank_details,
        check: { ...check, history: { sameAsPaidAtMs: at('2026-06-03T10:00:00Z') } },
      },
    }),
  },
  { name: 'bank-details-replaced', view: onScreen('bank_details', replaced('bank_details')) },
  { name: 'short-replaced', view: onScreen('short', replaced('short')) },
  {
    name: 'instructions-replaced',
    view: onScreen('bank_details', {
      ...replaced('bank_details'),
      page: { name: 'instructions' },
    }),
  },
  ...[null, 'https://pay.rotanorte.example/r/public_1/colleague?token=token'].map((url) => ({
    name: url === null ? 'share' : 'share-made',
    view: onScreen('bank_details', {
      page: {
        name: 'share',
        url,
        links: [
          {
            id: 'a'.repeat(64),
            createdAtMs: at('2026-11-20T10:00:00Z'),
            openedAtMs: url === null ? at('2026-11-21T10:00:00Z') : null,
            endsAtMs: at('2026-12-04T10:00:00Z'),
          },
        ],
      },
    }),
  })),
  ...(['asked', 'approved', 'declined'] as const).map((state) => ({
    name: `price-${state}`,
    view: onScreen('price', {
      payment: { ...payment, ...paymentOnScreen.price, colleagueApproval: approvalIn(state) },
    }),
  })),
  ...([null, 'own'] as const).map((problem) => ({
    name: problem === null ? 'ask-approver' : 'ask-approver-refused',
    view: onScreen('price', {
      page: {
        name: 'ask_approver',
        typed: problem === null ? '' : 'dana@harborpine.example',
        problem,
      },
    }),
  })),
  { name: 'approval', view: toApprover(undecided, 'asked') },
  { name: 'approval-refused', view: toApprover({ ...undecided, isRefused: true }, 'asked') },
  { name: 'approval-approved', view: toApprover(undecided, 'approved') },
  { name: 'approval-declined', view: toApprover(undecided, 'declined') },
  { name: 'approval-over', view: toApprover(undecided, 'asked', 'cancelled') },
  ...([undecided, { name: 'sent' }, enterAsApprover] as const).map((page) => ({
    name: `approver-${page.name}`,
    view: { ...toApprover(page, 'asked'), ...signedOut },
  })),
  ...[false, true].map((isRefused) => ({
    name: isRefused ? 'question-refused' : 'question',
    view: onScreen('bank_details', {
      page: { name: 'question', key: 'frm_0', typed: '', isRefused },
    }),
  })),
  { name: 'take-back', view: onScreen('short', { page: { name: 'take_back' } }) },
  {
    name: 'kyc-corrections-two',
    view: onScreen('kyc_corrections', {
      kyc: { ...viewOf({ name: 'ask' }).kyc, corrections, correctByMs: at('2026-11-24T12:00:00Z') },
    }),
  },
  {
    name: 'expired-with-money',
    view: onScreen('refund_coming', {
      payment: {
        ...payment,
        ...paymentOnScreen.refund_coming,
        status: 'expired',
        money: { ...received, refundOwedMinor: 1_000_000n, refundedMinor: 248_000n },
      },
    }),
  },
  ...(['needs_review', 'arrived', 'on_the_way'] as const).map((screen) => ({
    name: `settled-${screen.replaceAll('_', '-')}`,
    view: onScreen(screen, {
      payment: {
        ...payment,
        ...paymentOnScreen.paid,
        isPayoutBack: screen === 'needs_review',
      },
    }),
  })),
  { name: 'instructions', view: onScreen('bank_details', { page: { name: 'instructions' } }) },
  {
    name: 'remittance',
    view: onScreen('bank_details', {
      payment: { ...payment, ...paymentOnScreen.bank_details, members: transferMembers },
      page: { name: 'remittance' },
    }),
  },
  {
    name: 'colleague',
    view: onScreen('bank_details', {
      ...signedOut,
      path: '/r/4kDq8vJm2XzL0aPw9sTe1g/colleague',
      page: { name: 'instructions' },
    }),
  },
  {
    name: 'payments',
    view: onScreen('bank_details', {
      page: {
        name: 'payments',
        period: { year: 2026, month: null },
        payments: buyerPayments,
        settlements: new Map(),
        taxIdsLast4: new Map(),
        choices: new Set(),
        isAll: false,
        rest: true,
      },
    }),
  },
  {
    name: 'payments-choose',
    view: onScreen('bank_details', {
      page: {
        name: 'payments',
        period: { year: 2026, month: null },
        payments: openPayments,
        settlements: new Map(),
        taxIdsLast4: new Map(),
        choices: new Set(openPayments.map(({ id }) => id)),
        isAll: false,
        rest: false,
      },
    }),
  },
  { name: 'together', view: onScreen('bank_details', { page: { name: 'together', offer } }) },
  {
    name: 'together-details',
    view: onScreen('bank_details', {
      payment: {
        ...payment,
        ...paymentOnScreen.bank_details,
        together: offer.payments.map((one) => ({ payment: one.payment, missing: one.missing })),
      },
    }),
  },
  {
    name: 'payments-none',
    view: onScreen('bank_details', {
      page: {
        name: 'payments',
        period: { year: 2025, month: 11 },
        payments: [],
        settlements: new Map(),
        taxIdsLast4: new Map(),
        choices: new Set(),
        isAll: false,
        rest: false,
      },
    }),
  },
  { name: 'receipt', view: onScreen('paid', { page: { name: 'receipt' } }) },
  {
    name: 'receipt-approved',
    view: onScreen('paid', {
      page: { name: 'receipt' },
      payment: { ...payment, ...paymentOnScreen.paid, colleagueApproval: approvalIn('approved') },
    }),
  },
  {
    name: 'receipt-together',
    view: onScreen('paid', {
      page: { name: 'receipt' },
      payment: {
        ...payment,
        ...paymentOnScreen.paid,
        sharedTransfers: [{ amount: money(3_744_000n, 'USD'), others: openPayments }],
      },
    }),
  },
];

const bare = { ...signedOut, payment: null, organization: null } as const;
const verifying = { publicId: '4kDq8vJm2XzL0aPw9sTe1g', value: '7KQ4-M2XD' };
const verify = (answer: Extract<Page, { name: 'verify' }>['answer'], asked = verifying) =>
  viewOf({ name: 'verify', asked, answer }, { ...bare, path: '/verify' });

const serviceSamples: readonly Sample[] = [
  {
    name: 'verify',
    view: viewOf(
      { name: 'verify', asked: null, answer: { name: 'none' } },
      { ...bare, path: '/verify' },
    ),
  },
  {
    name: 'verify-ours',
    view: verify({ name: 'ours', givenAtMs: check.issuedAtMs, isOver: false }),
  },
  { name: 'verify-never', view: verify({ name: 'never' }) },
  { name: 'verify-empty', view: verify({ name: 'incomplete' }, { publicId: '', value: '' }) },
  ...(['held', 'stopped', 'effective'] as const).map((state) => ({
    name: `change-${state}`,
    view: viewOf({ name: 'stop_change', code: 'dst_1.0a', state, isRefused: false }, bare),
  })),
  {
    name: 'change-refused',
    view: viewOf({ name: 'stop_change', code: 'dst_1.0a', state: 'held', isRefused: true }, bare),
  },
  { name: 'not-found', view: viewOf({ name: 'not_found' }, bare) },
  { name: 'too-many', view: viewOf({ name: 'problem', problem: 'too_many', untilMs }, bare) },
  {
    name: 'out-of-order',
    view: viewOf({ name: 'problem', problem: 'out_of_order', untilMs: null }, bare),
  },
  ...(['form', 'verifying', 'approved', 'rejected'] as const).map((state) => ({
    name: `kyc-alone-${state}`,
    view: viewOf({ name: 'kyc', state }, { payment: null, path: '/kyc/9dKq2vJm8XzL0aPw4sTe1g' }),
  })),
];

/** Names that have no Latin letters, an apostrophe, and no end. */
const foreign = [
  ['cyrillic', 'ООО «Северный кофейный дом „Заря“»', 'Кофе зелёный, лот 26/311'],
  ['chinese', '深圳市海港松木咖啡进出口贸易有限责任公司', '生咖啡豆，批次 26/311'],
  ['arabic', 'شركة الميناء والصنوبر لاستيراد البن المحدودة', 'بن أخضر، الدفعة 26/311'],
  ['long', `Companhia Exportadora ${'de Cafés Especiais '.repeat(6)}Ltda`, 'x'.repeat(300)],
  ['apostrophe', "L'Oréal d'Été & O'Neill <Cafés>", 'A "quoted" title'],
] as const;

const foreignSamples: readonly Sample[] = foreign.map(([name, payee, title]) => ({
  name: `name-${name}`,
  view: onScreen('arrived', {
    payment: {
      ...payment,
      ...paymentOnScreen.arrived,
      payee,
      payer: payee,
      display: { ...payment.display, title },
    },
  }),
}));

/** With a logo and an accent color. */
export const brandedSamples: readonly Sample[] = [
  { name: 'branded', view: branded(onScreen('bank_details', { mode: 'test' })) },
  { name: 'branded-parts', view: branded(onScreen('kyc_form')), content: partsPage },
];

export const samples: readonly Sample[] = [
  ...accessSamples,
  ...stateSamples,
  ...variantSamples,
  ...serviceSamples,
  ...foreignSamples,
  { name: 'parts', view: onScreen('kyc_form'), content: partsPage },
  ...brandedSamples,
];

/** Left at once, where scripts run. */
export const leaving: readonly Sample[] = [
  {
    name: 'enter-auto',
    view: viewOf(
      { name: 'enter', email: 'dana@harborpine.example', auto: true, asksCode: false },
      signedOut,
    ),
  },
  { name: 'price-ask-auto', view: onScreen('price_ask') },
];

export function htmlOf({ view, content }: Sample, locale: Locale): string {
  const own = { ...view, locale };
  return content === undefined ? renderPage(own) : renderContent(own, content);
}
