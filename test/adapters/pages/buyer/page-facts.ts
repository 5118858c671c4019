// One invoice, with what it has at each point of its life, as the routes would collect it.
import type {
  MoneyView,
  Page,
  PagePayment,
  PageView,
  QuoteView,
  SettlementView,
} from '../../../../adapters/pages/hosted/page-view.js';
import { assetPaths } from '../../../../adapters/pages/kit/assets.js';
import { money } from '../../../../core/domain/base/money.js';
import type { Screen } from '../../../../core/domain/hosted/hosted-screen.js';
import type { PayinInstructions } from '../../../../core/domain/payments/payin-instructions.js';
import { aBarePayment } from '../../../support/samples/domain-samples.js';

export const at = (text: string) => Date.parse(text);
export const NOW_MS = at('2026-11-17T15:55:19Z');

export const noMoney: MoneyView = {
  receivedMinor: 0n,
  heldMinor: 0n,
  refundOwedMinor: 0n,
  refundOrderedMinor: 0n,
  refundedMinor: 0n,
  receivedAtMs: null,
  refundOrderedAtMs: null,
  refundedAtMs: null,
};

export const received: MoneyView = {
  ...noMoney,
  receivedMinor: 1_248_000n,
  heldMinor: 1_248_000n,
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

/** The account alone identifies the payer. */
export const sepa: PayinInstructions = {
  rails: [
    {
      rail: 'sepa',
      fields: [
        { name: 'beneficiary', value: 'Pontal Settlement Europe S.A.' },
        { name: 'iban', value: 'LU280019400644750000' },
        { name: 'bic', value: 'BCEELULLXXX' },
        { name: 'bank', value: 'Banque de l’Alzette' },
      ],
      arrivesWithinDays: { from: 1, to: 1 },
    },
  ],
  amount: money(1_248_000n, 'EUR'),
  reference: 'RN 48120937',
  referenceRequired: false,
  holder: 'partner',
  payByMs: null,
};

const settlement: SettlementView = {
  settled: money(6_604_673n, 'BRL'),
  fees: money(6_240n, 'USD'),
  fxRate: '5.3188',
  endToEndId: 'E00000000202611231432a7Kq4M2xD91',
  settledAtMs: at('2026-11-23T14:32:00Z'),
  transactionHash: '0x6f1c9a04e27b58d3b1ce70a94f5d2286b3e9d07c41aa55820c97de13b86f4a25',
};

export const payment: PagePayment = {
  id: 'inv_01kb9w1vf04xj2m8q7t5h3c6rn',
  status: 'awaiting_buyer',
  amount: money(1_248_000n, 'USD'),
  number: 'RN-2026-0418',
  externalId: 'order-88123',
  dueDate: '2026-11-30',
  returnUrl: 'https://shop.rotanorte.example/orders/88123?paid=1',
  version: 7,
  links: {
    page: 'https://pay.rotanorte.example/r/4kDq8vJm2XzL0aPw9sTe1g',
    verify: 'https://pay.rotanorte.example/verify',
  },
  shortId: 'Q4T2-9XBM',
  payee: 'Café Serra Azul Exportadora Ltda',
  payeeTaxIdLast4: '0195',
  payeeTaxId: null,
  payer: 'Harbor & Pine Roasters, Inc.',
  senderNames: ['Harbor Group Treasury LLC'],
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
    taxes: [{ description: 'ICMS, export exempt (0%)', amount: '0.00' }],
  },
  money: noMoney,
  quote: null,
  limit: null,
  colleagueApproval: null,
  isForApprover: false,
  askedBy: null,
  purpose: 'goods',
  purchaseOrder: 'PO-4711',
  buyerReference: 'Cost center 300',
  hasVendorPapers: true,
  attachment: { fileName: 'RN-2026-0431.pdf', sizeBytes: 84_212 },
  instructions: null,
  together: [],
  members: [],
  sharedTransfers: [],
  payWithinDays: 7,
  openPayments: 5,
  check: null,
  settlement: null,
  isLate: false,
  isPayoutBack: false,
  answerByMs: null,
  endedAtMs: null,
};

export function viewOf(page: Page, changes: Partial<PageView> = {}): PageView {
  return {
    locale: 'en',
    hasDecimalPoint: false,
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
      id: 'org_1',
      supportPhone: '+55 11 5550-0142',
      website: 'https://rotanorte.example',
      accentColor: null,
      logo: null,
      timeZone: 'America/Sao_Paulo',
    },
    legal: {
      privacyUrl: 'https://rotanorte.example/privacy',
      termsUrl: 'https://rotanorte.example/terms',
    },
    payment,
    kyc: {
      asksFacts: false,
      started: false,
      submittedAtMs: at('2026-11-17T15:42:00Z'),
      usualHours: 2,
      corrections: [],
      correctByMs: null,
    },
    version: '1.0',
    notice: null,
    limited: null,
    mailbox: null,
    simulate: null,
    page,
    ...changes,
  };
}

/** Where the server of samples has the logo of those with a brand. */
export const logoOfSamples = '/assets/logos/org_1/abababababababab';

/** With the faintest color that is taken. */
export function branded(view: PageView): PageView {
  const { organization } = view;
  if (organization === null) return view;
  return {
    ...view,
    organization: { ...organization, accentColor: '#c84300', logo: logoOfSamples },
  };
}

export const signedOut = { viewer: null, csrf: null } as const;
export const check = {
  code: '7KQ4-M2XD',
  issuedAtMs: at('2026-11-17T15:58:00Z'),
  replacedAtMs: null,
  history: 'new_account',
} as const;
const ordered = { quote, instructions, check } as const;
const ended = at('2026-11-20T16:20:00Z');

/** What a payment has, where it shows the screen. */
export const paymentOnScreen: Readonly<Record<Screen, Partial<PagePayment>>> = {
  kyc_form: { status: 'buyer_kyc_pending' },
  kyc_verifying: { status: 'buyer_kyc_pending' },
  kyc_corrections: { status: 'buyer_kyc_pending' },
  price_ask: { status: 'buyer_kyc_approved' },
  price: { status: 'fx_quoted', quote },
  price_expired: { status: 'fx_quoted', quote: { ...quote, expiresAtMs: NOW_MS - 60_000 } },
  price_limit: {
    status: 'buyer_kyc_approved',
    limit: { period: 'day', left: money(400_000n, 'USD'), untilMs: at('2026-11-18T00:00:00Z') },
  },
  preparing: { status: 'on_ramp_pending', quote },
  bank_details: { status: 'on_ramp_pending', ...ordered },
  held: { status: 'on_ramp_pending', ...ordered },
  short: {
    status: 'on_ramp_pending',
    ...ordered,
    money: { ...received, receivedMinor: 1_246_000n, heldMinor: 1_246_000n },
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
  unapproved: { status: 'on_chain_confirmed', ...ordered, money: received },
  kyc_rejected: { status: 'failed', endedAtMs: ended },
  failed: { status: 'failed', ...ordered, endedAtMs: ended },
  needs_review: { status: 'failed', ...ordered, money: received, endedAtMs: ended },
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

export function onScreen(screen: Screen, changes: Partial<PageView> = {}): PageView {
  const own = { ...payment, ...paymentOnScreen[screen] };
  return viewOf({ name: 'payment', screen }, { payment: own, ...changes });
}

/** Payments of one transfer, with what long ones have. */
export const transferMembers = (['settled', 'on_ramp_pending'] as const).map(
  (status, position) => ({
    payment: aBarePayment({
      id: `inv_${position}`,
      status,
      amount: payment.amount,
      number: `RN-2026-041${position}`,
      purchaseOrder: position === 0 ? 'PO-4711' : null,
      dueDate: position === 0 ? null : payment.dueDate,
    }),
    arrived: status === 'settled' ? payment.amount : { ...payment.amount, amountMinor: 100n },
  }),
);
