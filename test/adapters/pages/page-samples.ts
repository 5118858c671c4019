// Every page of the hosted buyer's page with realistic facts: what the tests render and the
// gallery takes pictures of. Each sample is one invoice at another point of its life.

import { assetPaths } from '../../../adapters/pages/assets.js';
import type { ScreenContent } from '../../../adapters/pages/layout.js';
import type {
  MoneyView,
  Page,
  PageView,
  PaymentView,
  QuoteView,
  SettlementView,
} from '../../../adapters/pages/page-view.js';
import { renderContent, renderPage } from '../../../adapters/pages/render.js';
import type { Scene } from '../../../adapters/pages/scene.js';
import { type Screen, screens } from '../../../core/domain/hosted-screen.js';
import type { Locale } from '../../../core/domain/locale.js';
import { money } from '../../../core/domain/money.js';
import type { PayinInstructions } from '../../../core/domain/payin-instructions.js';
import type { PaymentStatus } from '../../../core/domain/payment.js';
import { partsPage } from './parts-page.js';

export interface Sample {
  readonly name: string;
  readonly view: PageView;
  /** In place of what `view.page` names. */
  readonly content?: (scene: Scene) => ScreenContent;
}

const at = (text: string) => Date.parse(text);
const NOW_MS = at('2026-11-17T15:55:19Z');

export const noMoney: MoneyView = {
  receivedMinor: 0n,
  refundOwedMinor: 0n,
  refundOrderedMinor: 0n,
  refundedMinor: 0n,
  receivedAtMs: null,
  refundOrderedAtMs: null,
  refundedAtMs: null,
};

const received: MoneyView = {
  ...noMoney,
  receivedMinor: 1_248_000n,
  receivedAtMs: at('2026-11-19T09:11:00Z'),
};

export const quote: QuoteView = {
  id: 'qt_01kb9w3h7m',
  partnerQuoteId: 'partner-quote',
  source: money(1_248_000n, 'USD'),
  fees: money(6_240n, 'USD'),
  rate: '5.3321',
  target: money(6_621_188n, 'BRL'),
  rateKind: 'indicative',
  lockedUntilMs: null,
  expiresAtMs: NOW_MS + 581_000,
};

const usAccount = [
  { name: 'beneficiary', value: 'Pontal Settlement Inc.' },
  { name: 'accountNumber', value: '831000424471' },
  { name: 'routingNumber', value: '110000613' },
  { name: 'accountType', value: 'Checking' },
  { name: 'bank', value: 'Halden Trust Bank, N.A.' },
  { name: 'bankAddress', value: '200 Harbor Street, Wilmington, DE 19801, US' },
  { name: 'beneficiaryAddress', value: '410 Mill Road, Dover, DE 19901, US' },
] as const;

export const instructions: PayinInstructions = {
  rails: [
    { rail: 'ach', fields: usAccount, arrivesWithinDays: { from: 1, to: 5 } },
    { rail: 'wire', fields: usAccount, arrivesWithinDays: { from: 1, to: 2 } },
    {
      rail: 'swift',
      fields: [
        { name: 'beneficiary', value: 'Pontal Settlement Inc.' },
        { name: 'accountNumber', value: '831000424471' },
        { name: 'bic', value: 'HLDNUS3WXXX' },
        { name: 'bank', value: 'Halden Trust Bank, N.A.' },
      ],
      arrivesWithinDays: { from: 2, to: 5 },
    },
  ],
  amount: money(1_248_000n, 'USD'),
  reference: '48120937',
  referenceRequired: true,
  holder: 'partner',
  payByMs: at('2026-12-01T23:59:00Z'),
};

const settlement: SettlementView = {
  settled: money(6_604_673n, 'BRL'),
  fees: money(6_240n, 'USD'),
  fxRate: '5.3188',
  endToEndId: 'E00000000202611231432a7Kq4M2xD91',
  settledAtMs: at('2026-11-23T14:32:00Z'),
  transactionHash: '0x6f1c9a04e27b58d3b1ce70a94f5d2286b3e9d07c41aa55820c97de13b86f4a25',
};

export const payment: PaymentView = {
  id: 'inv_01kb9w1vf04xj2m8q7t5h3c6rn',
  status: 'awaiting_buyer',
  amount: money(1_248_000n, 'USD'),
  number: 'RN-2026-0418',
  externalId: 'order-88123',
  dueDate: '2026-11-30',
  returnUrl: 'https://shop.rotanorte.example/orders/88123?paid=1',
  version: 7,
  payee: 'Café Serra Azul Exportadora Ltda',
  payeeTaxIdLast4: '0195',
  payer: 'Harbor & Pine Roasters, Inc.',
  partner: 'Pontal Settlement Inc.',
  display: {
    title: 'Green coffee, lot 26/311',
    notes: 'Delivered FOB Santos. Samples were approved on 2 November.',
    lineItems: [
      {
        description: 'Green coffee, natural, 60 kg bag',
        quantity: '120',
        unitPrice: '100.00',
        subtotal: '12,000.00',
      },
      {
        description: 'Phytosanitary certificate',
        quantity: '1',
        unitPrice: '480.00',
        subtotal: '480.00',
      },
    ],
  },
  money: noMoney,
  quote: null,
  instructions: null,
  check: null,
  settlement: null,
  endedAtMs: null,
  expiresAtMs: null,
};

export function viewOf(page: Page, changes: Partial<PageView> = {}): PageView {
  return {
    locale: 'en',
    root: '',
    path: '/r/4kDq8vJm2XzL0aPw9sTe1g',
    assets: assetPaths(''),
    nowMs: NOW_MS,
    mode: 'live',
    csrf: 'c29tZS10b2tlbi1vZi10aGUtc2Vzc2lvbg',
    viewer: { email: 'dana@harborpine.example', sessionEndsAtMs: NOW_MS + 3_600_000 },
    organization: {
      name: 'Rota Norte',
      supportEmail: 'help@rotanorte.example',
      supportPhone: '+55 11 5550-0142',
      website: 'https://rotanorte.example',
    },
    payment,
    kyc: {
      started: false,
      submittedAtMs: at('2026-11-17T15:42:00Z'),
      usualHours: 2,
      corrections: [],
      correctByMs: null,
    },
    version: '1.0',
    notice: null,
    simulate: null,
    page,
    ...changes,
  };
}

const signedOut = { viewer: null, csrf: null } as const;
const check = {
  code: '7KQ4-M2XD',
  issuedAtMs: at('2026-11-17T15:58:00Z'),
  history: 'new_account',
} as const;
const ordered = { quote, instructions, check } as const;
const ended = at('2026-11-20T16:20:00Z');

/** What a payment has, where it shows the screen. */
export const paymentOnScreen: Readonly<Record<Screen, Partial<PaymentView>>> = {
  kyc_form: { status: 'buyer_kyc_pending' },
  kyc_verifying: { status: 'buyer_kyc_pending' },
  kyc_corrections: { status: 'buyer_kyc_pending' },
  price_ask: { status: 'buyer_kyc_approved' },
  price: { status: 'fx_quoted', quote },
  price_over: { status: 'fx_quoted', quote: { ...quote, expiresAtMs: NOW_MS - 60_000 } },
  preparing: { status: 'on_ramp_pending', quote },
  bank_details: { status: 'on_ramp_pending', ...ordered },
  short: {
    status: 'on_ramp_pending',
    ...ordered,
    money: { ...received, receivedMinor: 1_246_000n },
  },
  arrived: {
    status: 'on_chain_confirmed',
    ...ordered,
    money: { ...received, receivedMinor: 1_250_000n, refundOwedMinor: 2_000n },
  },
  on_the_way: { status: 'offramp_pending', ...ordered, money: received },
  paid: {
    status: 'settled',
    ...ordered,
    money: received,
    settlement,
    endedAtMs: settlement.settledAtMs,
  },
  kyc_rejected: { status: 'failed', endedAtMs: ended },
  failed: { status: 'failed', ...ordered, endedAtMs: ended },
  under_review: { status: 'failed', ...ordered, money: received, endedAtMs: ended },
  refund_coming: {
    status: 'cancelled',
    ...ordered,
    endedAtMs: ended,
    money: { ...received, refundOrderedMinor: 1_248_000n, refundOrderedAtMs: ended },
  },
  refunded: {
    status: 'cancelled',
    ...ordered,
    endedAtMs: ended,
    money: {
      ...received,
      refundedMinor: 1_248_000n,
      refundOrderedAtMs: ended,
      refundedAtMs: at('2026-11-24T08:00:00Z'),
    },
  },
  refund_review: {
    status: 'expired',
    ...ordered,
    endedAtMs: ended,
    money: { ...received, refundOwedMinor: 1_248_000n },
  },
  cancelled: { status: 'cancelled', ...ordered, endedAtMs: ended },
  expired: { status: 'expired', ...ordered, endedAtMs: ended },
};

function onScreen(screen: Screen, changes: Partial<PageView> = {}): PageView {
  const own = { ...payment, ...paymentOnScreen[screen] };
  return viewOf({ name: 'payment', screen }, { payment: own, ...changes });
}

const corrections = [
  'Marcus Hale’s passport: the lower edge is cut off.',
  'Proof of ownership is missing.',
];
const usedLink = {
  name: 'link_over',
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
  { name: 'sent', view: viewOf({ name: 'sent' }, signedOut) },
  {
    name: 'sent-code-wrong',
    view: viewOf({ name: 'sent' }, { ...signedOut, notice: 'code_wrong' }),
  },
  {
    name: 'enter',
    view: viewOf({ name: 'enter', email: 'dana@harborpine.example', auto: false }, signedOut),
  },
  { name: 'link-used', view: viewOf(usedLink, signedOut) },
  { name: 'link-over', view: viewOf({ ...usedLink, cause: 'over' }, signedOut) },
  { name: 'link-unknown', view: viewOf(unknownLink, signedOut) },
];

const stateSamples: readonly Sample[] = screens.map((screen) => ({
  name: screen.replaceAll('_', '-'),
  view: onScreen(screen),
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

const variantSamples: readonly Sample[] = [
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
  { name: 'bank-details-test', view: onScreen('bank_details', onTest) },
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
  { name: 'instructions', view: onScreen('bank_details', { page: { name: 'instructions' } }) },
  { name: 'receipt', view: onScreen('paid', { page: { name: 'receipt' } }) },
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
  { name: 'verify-ours', view: verify({ name: 'ours', givenAtMs: check.issuedAtMs }) },
  { name: 'verify-never', view: verify({ name: 'never' }) },
  { name: 'verify-empty', view: verify({ name: 'incomplete' }, { publicId: '', value: '' }) },
  { name: 'not-found', view: viewOf({ name: 'not_found' }, bare) },
  { name: 'too-many', view: viewOf({ name: 'problem', problem: 'too_many' }, bare) },
  { name: 'out-of-order', view: viewOf({ name: 'problem', problem: 'out_of_order' }, bare) },
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

export const samples: readonly Sample[] = [
  ...accessSamples,
  ...stateSamples,
  ...variantSamples,
  ...serviceSamples,
  ...foreignSamples,
  { name: 'parts', view: onScreen('kyc_form'), content: partsPage },
];

/** Leaves at once, where scripts run. */
export const leaving: Sample = {
  name: 'enter-auto',
  view: viewOf({ name: 'enter', email: 'dana@harborpine.example', auto: true }, signedOut),
};

export function htmlOf({ view, content }: Sample, locale: Locale): string {
  const own = { ...view, locale };
  return content === undefined ? renderPage(own) : renderContent(own, content);
}
