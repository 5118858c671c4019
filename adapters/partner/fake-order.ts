// The scenarios of orders at the fake partner: the request determines the id of an order, and the
// id determines its stages and their times. Pure functions; fake.ts has the clock, the messages and
// the port.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { formatInstant } from '../../core/domain/instant.js';
import { formatAmount, formatRate, type Money, money, type Rate } from '../../core/domain/money.js';
import type { PayinInstructions } from '../../core/domain/payin-instructions.js';
import type { PayinReport, PayoutReport } from '../../core/domain/report-check.js';
import type { Mode } from '../../core/domain/tenant.js';
import { assert } from '../../core/errors.js';
import type { PartnerReports } from '../../core/ports/partner.js';
import { instructionsOf } from './fake-instructions.js';
import { priceAt } from './fake-quote.js';
import { digestOf, makeRef, type RefField, readRef } from './fake-ref.js';

/** Test values that cause failures: the end of an amount, or a first or legal name. */
export const magicValues = {
  '.55': { effect: 'arrives_short', means: 'the pay-in arrives 1.00 short and stays open' },
  '.66': { effect: 'payin_fails', means: 'the pay-in fails and no money arrives' },
  '.77': { effect: 'payout_fails', means: 'the payout fails, and its money is not returned' },
  '.88': {
    effect: 'payout_returns',
    means: 'the payout fails; its money is returned after the delay',
  },
  Fail: { effect: 'is_rejected', means: 'the party is rejected' },
} as const satisfies Readonly<Record<string, { readonly effect: string; readonly means: string }>>;

export type OrderKind = keyof PartnerReports;

/** The report of an order from `atMs` on; the first stage starts with the order. */
export interface Stage<K extends OrderKind> {
  readonly atMs: number;
  readonly report: PartnerReports[K];
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
}

export interface Order {
  /** As in the request. */
  readonly reference: string;
  readonly partnerRef: string;
}

/** The order and stages of one kind. */
export interface OrderScenario<K extends OrderKind> {
  readonly kind: K;
  /** The order of a request, or its refusal. */
  readonly order: (mode: Mode, request: string) => Order | Refusal;
  /** Null if the id is not an order of this kind and mode. */
  readonly stages: (mode: Mode, partnerRef: string, delayMs: number) => Stages<K> | null;
  /** What the buyer must do to pay; the same for the same order. */
  readonly instructions?: (mode: Mode, partnerRef: string) => PayinInstructions;
}

export type Stages<K extends OrderKind> = readonly [Stage<K>, ...Stage<K>[]];

/** An unassigned ISPB, so that these ids are not mistaken for real ones. */
const ISPB = '99999999';
const SHORT_BY_MINOR = 100n;

const head = {
  mode: z.enum(['test', 'live']),
  reference: z.string().min(1),
  preparedAtMs: z.int().nonnegative(),
};
const positive = z.string().regex(/^[1-9][0-9]{0,15}$/);
const amount = {
  amountMinor: positive.transform((text) => BigInt(text)),
  currency: z.string().regex(/^[A-Z]{3}$/),
};

/** The request of each kind: JSON of these fields and the kind. */
const requests = {
  receiver: z.object({
    ...head,
    role: z.enum(['seller', 'buyer']),
    entityType: z.enum(['individual', 'business']),
    firstName: z.string().nullish(),
    legalName: z.string().nullish(),
  }),
  payin: z.object({ ...head, quoteRef: z.string(), payerEmail: z.string() }),
  payout: z.object({
    ...head,
    ...amount,
    destination: z.string(),
    rateScaled: positive.transform((text) => BigInt(text)),
  }),
  refund: z.object({ ...head, ...amount, payinRef: z.string() }),
} as const;

type Requests = typeof requests;

export function writeRequest<K extends OrderKind>(kind: K, fields: z.input<Requests[K]>): string {
  return JSON.stringify({ ...fields, kind });
}

const receiverScenario: OrderScenario<'receiver'> = {
  kind: 'receiver',
  order(mode, request) {
    const read = readRequest(mode, 'receiver', request);
    if (read === null) return unreadable;
    const names = [read.firstName, read.legalName];
    const rejected = names.some((name) => effectOf(name ?? '') === 'is_rejected');
    const decision = rejected ? 'rejected' : 'approved';
    const immediately = read.role === 'seller' && read.entityType === 'business';
    const when = immediately ? 'at_once' : 'later';
    const fields = [when, decision, read.preparedAtMs, digestOf(request)];
    return placed(mode, 'receiver', read.reference, fields);
  },
  stages(mode, partnerRef, delayMs) {
    const fields = readRef(mode, 'receiver', partnerRef);
    if (fields === null) return null;
    const [when = '', decision = '', preparedAt = ''] = fields;
    const atMs = whole(preparedAt);
    const decided =
      decision === 'approved'
        ? ({ status: 'approved', reason: null } as const)
        : ({ status: 'rejected', reason: 'rejected by the sandbox: the name is Fail' } as const);
    if (when === 'at_once') return [{ atMs, report: decided }];
    return [
      { atMs, report: { status: 'verifying', reason: null } },
      { atMs: atMs + delayMs, report: decided },
    ];
  },
};

const payinScenario: OrderScenario<'payin'> = {
  kind: 'payin',
  order(mode, request) {
    const read = readRequest(mode, 'payin', request);
    if (read === null) return unreadable;
    const quote = readRef(mode, 'quote', read.quoteRef);
    if (quote === null) return notFound('quote');
    const [currency = '', amountMinor = '', , expiresAt = ''] = quote;
    if (read.preparedAtMs >= whole(expiresAt)) {
      return { code: 'quote_expired', message: 'The quote has expired.' };
    }
    const fields = [currency, amountMinor, read.preparedAtMs, digestOf(request)];
    return placed(mode, 'payin', read.reference, fields);
  },
  stages(mode, partnerRef, delayMs) {
    const payin = readPayin(mode, partnerRef);
    if (payin === null) return null;
    const { preparedAtMs, amountMinor } = payin;
    const open = {
      status: 'open',
      receivedMinor: 0n,
      transactionHash: null,
      reason: null,
    } as const;
    return [
      { atMs: preparedAtMs, report: open },
      { atMs: preparedAtMs + delayMs, report: payinEnd(partnerRef, amountMinor, open) },
    ];
  },
  instructions: payinInstructions,
};

const payoutScenario: OrderScenario<'payout'> = {
  kind: 'payout',
  order(mode, request) {
    const read = readRequest(mode, 'payout', request);
    if (read === null) return unreadable;
    if (readRef(mode, 'pix', read.destination) === null) return notFound('destination');
    const { currency, amountMinor, rateScaled, preparedAtMs } = read;
    if (priceAt(money(amountMinor, currency), { rateScaled }) === null) return amountTooSmall;
    const fields = [currency, amountMinor, rateScaled, preparedAtMs, digestOf(request)];
    return placed(mode, 'payout', read.reference, fields);
  },
  stages(mode, partnerRef, delayMs) {
    const fields = readRef(mode, 'payout', partnerRef);
    if (fields === null) return null;
    const [currency = '', amountText = '', rateText = '', preparedAt = ''] = fields;
    const source = money(BigInt(amountText), currency);
    const atMs = whole(preparedAt);
    const first: Stage<'payout'> = { atMs, report: unpaid('open', null) };
    const effect = effectOf(ending(source.amountMinor));
    if (effect !== 'payout_fails' && effect !== 'payout_returns') {
      const paidAtMs = atMs + delayMs;
      const report = paid(partnerRef, source, { rateScaled: BigInt(rateText) }, paidAtMs);
      return [first, { atMs: paidAtMs, report }];
    }
    const failed = unpaid(
      'failed',
      `the sandbox fails payouts that end in ${ending(source.amountMinor)}`,
    );
    const second: Stage<'payout'> = { atMs: atMs + delayMs, report: failed };
    if (effect === 'payout_fails') return [first, second];
    const returned = unpaid('returned', failed.reason);
    return [first, second, { atMs: atMs + 2 * delayMs, report: returned }];
  },
};

const refundScenario: OrderScenario<'refund'> = {
  kind: 'refund',
  order(mode, request) {
    const read = readRequest(mode, 'refund', request);
    if (read === null) return unreadable;
    const payin = readPayin(mode, read.payinRef);
    if (payin === null) return notFound('pay-in');
    // The final amount counts: a refusal is permanent, and the current amount depends on the delay.
    const stages = payinScenario.stages(mode, read.payinRef, 0);
    const receivedMinor = stages?.at(-1)?.report.receivedMinor ?? 0n;
    if (read.currency !== payin.currency || read.amountMinor > receivedMinor) {
      return {
        code: 'refund_exceeds_payin',
        message: 'The refund exceeds the pay-in.',
      };
    }
    const fields = [read.currency, read.amountMinor, read.preparedAtMs, digestOf(request)];
    return placed(mode, 'refund', read.reference, fields);
  },
  stages(mode, partnerRef, delayMs) {
    const fields = readRef(mode, 'refund', partnerRef);
    if (fields === null) return null;
    const [currency = '', amountText = '', preparedAt = ''] = fields;
    const amount = money(BigInt(amountText), currency);
    const atMs = whole(preparedAt);
    return [
      { atMs, report: { status: 'open', amount, reason: null } },
      { atMs: atMs + delayMs, report: { status: 'completed', amount, reason: null } },
    ];
  },
};

export const scenarios = {
  receiver: receiverScenario,
  payin: payinScenario,
  payout: payoutScenario,
  refund: refundScenario,
} as const satisfies { readonly [K in OrderKind]: OrderScenario<K> };

export function notFound(what: string): Refusal {
  return { code: 'not_found', message: `There is no such ${what}.` };
}

export const amountTooSmall: Refusal = {
  code: 'amount_too_small',
  message: 'The amount does not cover the fees.',
};

const unreadable: Refusal = {
  code: 'request_invalid',
  message: 'This partner has not prepared the request.',
};

type Effect = (typeof magicValues)[keyof typeof magicValues]['effect'];

function effectOf(text: string): Effect | null {
  const known = Object.entries(magicValues).find(([value]) => value === text);
  return known === undefined ? null : known[1].effect;
}

/** The point and the two decimals of an amount. */
function ending(amountMinor: bigint): string {
  return formatAmount(amountMinor).slice(-3);
}

function readRequest<K extends OrderKind>(
  mode: Mode,
  kind: K,
  text: string,
): z.output<Requests[K]> | null {
  const json = parsedJson(text);
  const ours = z.object({ kind: z.literal(kind), mode: z.literal(mode) }).safeParse(json);
  const read = requests[kind].safeParse(json);
  // TypeScript does not narrow the schema to this kind.
  return ours.success && read.success ? (read.data as z.output<Requests[K]>) : null;
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
  kind: OrderKind,
  reference: string,
  fields: readonly RefField[],
): Order {
  return { reference, partnerRef: makeRef(mode, kind, fields) };
}

function readPayin(mode: Mode, partnerRef: string) {
  const fields = readRef(mode, 'payin', partnerRef);
  if (fields === null) return null;
  const [currency = '', amountMinor = '', preparedAt = ''] = fields;
  return { currency, amountMinor: BigInt(amountMinor), preparedAtMs: whole(preparedAt) };
}

function payinEnd(partnerRef: string, amountMinor: bigint, open: PayinReport): PayinReport {
  const text = ending(amountMinor);
  switch (effectOf(text)) {
    case 'payin_fails':
      return { ...open, status: 'failed', reason: `the sandbox fails pay-ins that end in ${text}` };
    case 'arrives_short': {
      const shortMinor = amountMinor - SHORT_BY_MINOR;
      return { ...open, receivedMinor: shortMinor > 0n ? shortMinor : 0n };
    }
    default: {
      const transactionHash = `0x${sha256(partnerRef)}`;
      return { ...open, status: 'completed', receivedMinor: amountMinor, transactionHash };
    }
  }
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
    reason: null,
  };
}

function whole(text: string): number {
  return Number.parseInt(text, 10);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
