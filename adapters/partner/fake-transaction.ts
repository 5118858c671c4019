// The scenarios of transactions at the fake partner: the request determines the id of a
// transaction, and the id determines its stages and their times. Pure functions; fake.ts has the
// clock, the messages and the port.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { formatInstant } from '../../core/domain/base/instant.js';
import {
  formatAmount,
  formatRate,
  type Money,
  money,
  type Rate,
  subtract,
} from '../../core/domain/base/money.js';
import type { Mode } from '../../core/domain/base/tenant.js';
import type { Payer } from '../../core/domain/commands/payer.js';
import { QUOTE_EXPIRED } from '../../core/domain/commands/quote.js';
import type { PayinReport, PayoutReport } from '../../core/domain/commands/report-check.js';
import type { PayinInstructions } from '../../core/domain/payments/payin-instructions.js';
import type { SimulatedOutcome } from '../../core/domain/payments/simulated-event.js';
import { assert } from '../../core/errors.js';
import type { CollectInput, PartnerReports } from '../../core/ports/partner.js';
import { instructionsOf } from './fake-instructions.js';
import { amountTooSmall, priceAt } from './fake-quote.js';
import { makeRef, type RefField, readRef } from './fake-ref.js';
import { decisions, effectOf, ending, withLimit } from './fake-values.js';

export type TransactionKind = keyof PartnerReports;

/** The report of a transaction from `atMs` on; the first stage starts with the transaction. */
export interface FakeStage<K extends TransactionKind> {
  readonly atMs: number;
  readonly report: PartnerReports[K];
}

export interface FakeRefusal {
  readonly code: string;
  readonly message: string;
}

export interface Transaction {
  /** As in the request. */
  readonly reference: string;
  readonly partnerRef: string;
}

export interface TransactionScenario<K extends TransactionKind> {
  readonly kind: K;
  readonly transaction: (mode: Mode, request: string) => Transaction | FakeRefusal;
  /** Null if the id is not a transaction of this kind and mode. */
  readonly stages: (mode: Mode, partnerRef: string, delayMs: number) => Stages<K> | null;
  /** The report of an outcome that a person chose. */
  readonly chosen: (
    mode: Mode,
    partnerRef: string,
    outcome: OutcomeOf<K>,
  ) => PartnerReports[K] | null;
  /** What the buyer must do to pay; the same for the same order. */
  readonly instructions?: (mode: Mode, partnerRef: string) => PayinInstructions;
}

export type OutcomeOf<K extends TransactionKind> = Extract<SimulatedOutcome, { readonly kind: K }>;

export type Stages<K extends TransactionKind> = readonly [FakeStage<K>, ...FakeStage<K>[]];

/** An unassigned ISPB, so that these ids are not mistaken for real ones. */
const ISPB = '99999999';
const SHORT_BY_MINOR = 100n;
const OTHER_PAYER = 'Other Payer Holdings Ltd';
/** A line of a SWIFT message. */
const PRINTED_MAX = 35;

const head = {
  mode: z.enum(['test', 'live']),
  reference: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  preparedAtMs: z.int().nonnegative(),
};
const positive = z.string().regex(/^[1-9][0-9]{0,15}$/);
const amount = {
  amountMinor: positive.transform((text) => BigInt(text)),
  currency: z.string().regex(/^[A-Z]{3}$/),
};

/** The request of each kind: JSON of these fields and the kind. */
const requests = {
  party: z.object({
    ...head,
    role: z.enum(['seller', 'buyer']),
    entityType: z.enum(['individual', 'business']),
    firstName: z.string().nullish(),
    legalName: z.string().nullish(),
    previousRef: z.string().nullish(),
  }),
  payin: z.object({
    ...head,
    quoteRef: z.string(),
    payerEmail: z.string(),
    /** The money arrives when the buyer is simulated. */
    waits: z.boolean(),
  }),
  payout: z.object({
    ...head,
    ...amount,
    destination: z.string(),
    rateScaled: positive.transform((text) => BigInt(text)),
  }),
  refund: z.object({
    ...head,
    ...amount,
    payinRef: z.string(),
    /** What the pay-in had received. */
    receivedMinor: z
      .string()
      .regex(/^[0-9]{1,16}$/)
      .transform((text) => BigInt(text)),
  }),
} as const;

type Requests = typeof requests;

export function writeRequest<K extends TransactionKind>(
  kind: K,
  fields: z.input<Requests[K]>,
): string {
  return JSON.stringify({ ...fields, kind });
}

const partyScenario: TransactionScenario<'party'> = {
  kind: 'party',
  transaction(mode, request) {
    const read = readRequest(mode, 'party', request);
    if (read === null) return unreadable;
    const { role, entityType, firstName, legalName, previousRef, preparedAtMs } = read;
    const effects = [firstName, legalName].map((name) => effectOf(name ?? ''));
    const isBuyer = role === 'buyer';
    const decision = effects.includes('is_rejected')
      ? 'rejected'
      : isBuyer && effects.includes('is_corrected')
        ? 'corrected'
        : effects.includes('is_asked') && previousRef == null
          ? 'asked'
          : 'approved';
    const undecided = isBuyer && effects.includes('is_undecided') ? 'never' : 'later';
    const when = role === 'seller' && entityType === 'business' ? 'at_once' : undecided;
    return placed(mode, 'party', read.reference, [when, decision, preparedAtMs]);
  },
  stages(mode, partnerRef, delayMs) {
    const fields = readRef(mode, 'party', partnerRef);
    if (fields === null) return null;
    const [when = '', decision = '', preparedAt = ''] = fields;
    const atMs = whole(preparedAt);
    const decided = decisions[decision as keyof typeof decisions];
    const report = withLimit(decided, atMs);
    if (when === 'at_once') return [{ atMs, report }];
    const first = { atMs, report: { status: 'verifying', reason: null } } as const;
    return when === 'never' ? [first] : [first, { atMs: atMs + delayMs, report }];
  },
  chosen: (_mode, _partnerRef, { status, reason, corrections }) =>
    corrections.length === 0 ? { status, reason } : { status, reason, corrections },
};

const payinScenario: TransactionScenario<'payin'> = {
  kind: 'payin',
  transaction(mode, request) {
    const read = readRequest(mode, 'payin', request);
    if (read === null) return unreadable;
    const quote = readRef(mode, 'quote', read.quoteRef);
    if (quote === null) return notFound('quote');
    const [currency = '', amountMinor = '', , expiresAt = ''] = quote;
    if (read.preparedAtMs >= whole(expiresAt)) {
      return { code: QUOTE_EXPIRED, message: 'The quote has expired.' };
    }
    const when = read.waits ? 'waits' : 'arrives';
    return placed(mode, 'payin', read.reference, [when, currency, amountMinor, read.preparedAtMs]);
  },
  stages(mode, partnerRef, delayMs) {
    const payin = readPayin(mode, partnerRef);
    if (payin === null) return null;
    const first = {
      atMs: payin.preparedAtMs,
      report: payinReport(payin, partnerRef, nothingArrived),
    };
    if (payin.when === 'waits') return [first];
    if (payin.when === 'arrived') {
      const { amountMinor: receivedMinor, preparedAtMs: atMs } = payin;
      const whole = { ...nothingArrived, status: 'completed', receivedMinor } as const;
      return [{ atMs, report: payinReport(payin, partnerRef, whole) }];
    }
    const end = payinReport(payin, partnerRef, transferOf(payin.amountMinor));
    return [first, { atMs: payin.preparedAtMs + delayMs, report: end }];
  },
  chosen(mode, partnerRef, outcome) {
    const payin = readPayin(mode, partnerRef);
    assert(payin !== null, 'an outcome is chosen for a pay-in that is there');
    return payinReport(payin, partnerRef, outcome);
  },
  instructions: payinInstructions,
};

const payoutScenario: TransactionScenario<'payout'> = {
  kind: 'payout',
  transaction(mode, request) {
    const read = readRequest(mode, 'payout', request);
    if (read === null) return unreadable;
    if (readRef(mode, 'pix', read.destination) === null) return notFound('destination');
    const { currency, amountMinor, rateScaled, preparedAtMs } = read;
    if (priceAt(money(amountMinor, currency), { rateScaled }) === null) return amountTooSmall;
    return placed(mode, 'payout', read.reference, [
      currency,
      amountMinor,
      rateScaled,
      preparedAtMs,
    ]);
  },
  stages(mode, partnerRef, delayMs) {
    const payout = readPayout(mode, partnerRef);
    if (payout === null) return null;
    const { source, rate, atMs } = payout;
    const first: FakeStage<'payout'> = { atMs, report: unpaid('open', null) };
    const effect = effectOf(ending(source.amountMinor));
    if (effect !== 'payout_fails' && effect !== 'payout_returns') {
      const paidAtMs = atMs + delayMs;
      const report = paid(partnerRef, source, rate, paidAtMs);
      return [first, { atMs: paidAtMs, report }];
    }
    const failed = unpaid(
      'failed',
      `the sandbox fails payouts that end in ${ending(source.amountMinor)}`,
    );
    const second: FakeStage<'payout'> = { atMs: atMs + delayMs, report: failed };
    if (effect === 'payout_fails') return [first, second];
    const returned = unpaid('returned', failed.reason);
    return [first, second, { atMs: atMs + 2 * delayMs, report: returned }];
  },
  chosen(mode, partnerRef, { status, reason }) {
    if (status !== 'completed') return unpaid(status, reason);
    const payout = readPayout(mode, partnerRef);
    return payout && paid(partnerRef, payout.source, payout.rate, payout.atMs);
  },
};

const refundScenario: TransactionScenario<'refund'> = {
  kind: 'refund',
  transaction(mode, request) {
    const read = readRequest(mode, 'refund', request);
    if (read === null) return unreadable;
    const payin = readPayin(mode, read.payinRef);
    if (payin === null) return notFound('pay-in');
    // The final amount counts: a refusal is permanent, and the current amount depends on the delay.
    const stages = payinScenario.stages(mode, read.payinRef, 0);
    const finalMinor = stages?.at(-1)?.report.received.amountMinor ?? 0n;
    const isCovered = read.amountMinor <= finalMinor || read.amountMinor <= read.receivedMinor;
    if (read.currency !== payin.currency || !isCovered) {
      return {
        code: 'refund_exceeds_payin',
        message: 'The refund exceeds the pay-in.',
      };
    }
    const { currency, amountMinor, preparedAtMs } = read;
    return placed(mode, 'refund', read.reference, [currency, amountMinor, preparedAtMs]);
  },
  stages(mode, partnerRef, delayMs) {
    const refund = readRefund(mode, partnerRef);
    if (refund === null) return null;
    const { amount, atMs } = refund;
    return [
      { atMs, report: { status: 'open', amount, reason: null } },
      { atMs: atMs + delayMs, report: { status: 'completed', amount, reason: null } },
    ];
  },
  chosen(mode, partnerRef, { status, reason }) {
    const refund = readRefund(mode, partnerRef);
    return refund && { status, amount: refund.amount, reason };
  },
};

export const scenarios = {
  party: partyScenario,
  payin: payinScenario,
  payout: payoutScenario,
  refund: refundScenario,
} as const satisfies { readonly [K in TransactionKind]: TransactionScenario<K> };

export function notFound(what: string): FakeRefusal {
  return { code: 'not_found', message: `There is no such ${what}.` };
}

export const unreadable: FakeRefusal = {
  code: 'request_invalid',
  message: 'This partner has not prepared the request.',
};

const ownShape = z.object({ kind: z.string(), mode: z.string() });

function readRequest<K extends TransactionKind>(
  mode: Mode,
  kind: K,
  text: string,
): z.output<Requests[K]> | null {
  const json = parsedJson(text);
  const own = ownShape.safeParse(json).data;
  const read = requests[kind].safeParse(json);
  // TypeScript does not narrow the schema to this kind.
  return own?.kind === kind && own.mode === mode && read.success
    ? (read.data as z.output<Requests[K]>)
    : null;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function payinInstructions(mode: Mode, partnerRef: string): PayinInstructions {
  const payin = readPayin(mode, partnerRef);
  assert(payin !== null, 'instructions are for a pay-in');
  const { amountMinor, currency, preparedAtMs } = payin;
  return instructionsOf({ partnerRef, amount: money(amountMinor, currency), preparedAtMs });
}

function placed(
  mode: Mode,
  kind: TransactionKind,
  reference: string,
  fields: readonly RefField[],
): Transaction {
  return { reference, partnerRef: makeRef(mode, kind, [...fields, reference]) };
}

/** Ours, of a transaction of this kind; null for any other text. */
export function referenceIn(mode: Mode, kind: TransactionKind, partnerRef: string): string | null {
  return readRef(mode, kind, partnerRef)?.at(-1) ?? null;
}

export function readPayin(mode: Mode, partnerRef: string) {
  const fields = readRef(mode, 'payin', partnerRef);
  if (fields === null) return null;
  const [when = '', currency = '', amountMinor = '', preparedAt = '', payee = ''] = fields;
  return {
    /** `arrived`: the whole amount is received from the start, and its end is no test value. */
    when,
    currency,
    amountMinor: BigInt(amountMinor),
    preparedAtMs: whole(preparedAt),
    /** The party of a transfer that no pay-in ordered; its payer writes the reference. */
    payee: payee === '' ? null : payee,
  };
}

/** The id of a transfer that no pay-in ordered. */
export function transferRef(
  mode: Mode,
  { partyRef, amount: { currency, amountMinor }, reference }: CollectInput,
  { when, atMs }: { readonly when: 'arrives' | 'arrived'; readonly atMs: number },
): string {
  return makeRef(mode, 'payin', [when, currency, amountMinor, atMs, partyRef, reference]);
}

export function readPayout(mode: Mode, partnerRef: string) {
  const fields = readRef(mode, 'payout', partnerRef);
  if (fields === null) return null;
  const [currency = '', amountMinor = '', rateText = '', preparedAt = ''] = fields;
  const source = money(BigInt(amountMinor), currency);
  return { source, rate: { rateScaled: BigInt(rateText) }, atMs: whole(preparedAt) };
}

function readRefund(mode: Mode, partnerRef: string) {
  const fields = readRef(mode, 'refund', partnerRef);
  if (fields === null) return null;
  const [currency = '', amountMinor = '', preparedAt = ''] = fields;
  return { amount: money(BigInt(amountMinor), currency), atMs: whole(preparedAt) };
}

/** What arrives if the buyer pays; null if the pay-in does not wait for the buyer. */
export function awaitedTransfer(mode: Mode, partnerRef: string): OutcomeOf<'payin'> | null {
  const payin = readPayin(mode, partnerRef);
  return payin?.when === 'waits' ? transferOf(payin.amountMinor) : null;
}

const nothingArrived = { kind: 'payin', status: 'open', receivedMinor: 0n, reason: null } as const;

/** What arrives of an amount; its end may be a test value. */
function transferOf(amountMinor: bigint): OutcomeOf<'payin'> {
  const text = ending(amountMinor);
  switch (effectOf(text)) {
    case 'payin_fails': {
      const reason = `the sandbox fails pay-ins that end in ${text}`;
      return { ...nothingArrived, status: 'failed', reason };
    }
    case 'arrives_short': {
      const shortMinor = amountMinor - SHORT_BY_MINOR;
      return { ...nothingArrived, receivedMinor: shortMinor > 0n ? shortMinor : 0n };
    }
    default: {
      const arrived = {
        ...nothingArrived,
        status: 'completed',
        receivedMinor: amountMinor,
      } as const;
      return effectOf(text) === 'arrives_from_other' ? { ...arrived, isFromOther: true } : arrived;
    }
  }
}

function payinReport(
  { currency }: Pick<Money, 'currency'>,
  partnerRef: string,
  { status, receivedMinor, reason, isFromOther = false }: OutcomeOf<'payin'>,
): PayinReport {
  const received = money(receivedMinor, currency);
  const payer = isFromOther ? { payer: payerNamed(OTHER_PAYER) } : {};
  if (status !== 'completed') return { status, received, transactionHash: null, ...payer, reason };
  const asset = fakeAsset(partnerRef, { from: 'bank', to: 'payee' }, received);
  const { transactionHash } = asset;
  return { status, received, transactionHash, asset, ...payer, reason };
}

/** As banks print a name: in capitals, cut. */
export function payerNamed(name: string): Payer {
  const printed = name.toUpperCase().slice(0, PRINTED_MAX).trim();
  return { name: printed, bank: 'Sandbox Bank', texts: [], trace: null };
}

function unpaid(status: 'open' | 'failed' | 'returned', reason: string | null): PayoutReport {
  return { status, settled: null, fxRate: null, fees: null, endToEndId: null, reason };
}

function paid(partnerRef: string, source: Money, rate: Rate, atMs: number): PayoutReport {
  const price = priceAt(source, rate);
  assert(price !== null, 'a payout that was ordered covers its fees');
  // The end-to-end id of BACEN: E, ISPB, yyyyMMddHHmm in UTC, 11 characters.
  const minute = formatInstant(atMs).replaceAll(/[-T:]/g, '').slice(0, 12);
  return {
    status: 'completed',
    settled: price.target,
    fxRate: formatRate(rate),
    fees: price.fees,
    endToEndId: `E${ISPB}${minute}${sha256(partnerRef).slice(0, 11)}`,
    asset: fakeAsset(partnerRef, { from: 'payee', to: 'desk' }, subtract(source, price.fees)),
    reason: null,
  };
}

/** A token is worth a unit of the currency that the buyer pays: `USDC`, `EURC`, `GBPC`. */
function fakeAsset(
  partnerRef: string,
  { from, to }: Readonly<Record<'from' | 'to', string>>,
  { amountMinor, currency }: Money,
) {
  return {
    token: `${currency}C`,
    network: 'sandbox',
    quantity: formatAmount(amountMinor),
    transactionHash: `0x${sha256(partnerRef)}`,
    fromWallet: fakeWallet(from),
    toWallet: fakeWallet(to),
  };
}

function fakeWallet(name: string): string {
  return `0x${sha256(`wallet of the ${name}`).slice(0, 40)}`;
}

function whole(text: string): number {
  return Number.parseInt(text, 10);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
