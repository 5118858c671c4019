// What the simulated BlindPay stores, in the shapes of its answers, and the states that its objects
// pass on a development instance. Amounts are minor units.
import { createHash } from 'node:crypto';
import { MINUTE_MS } from '../../../core/domain/base/instant.js';

export const QUOTE_LIFE_MS = 5 * MINUTE_MS;
/** What a business of the standard tier may receive, in cents. */
export const LIMITS_LEFT = { daily: 10_000_000, monthly: 25_000_000 };
export type LimitsLeft = { readonly [K in 'payin' | 'payout']?: typeof LIMITS_LEFT };
/** Of any fee of the instance's owner. */
export const PARTNER_FEE_MINOR = 250;
/** Taken from each pay-in. */
export const PAYIN_FEE_MINOR = 100;
/** BRL per unit, times 10,000, its spread included. */
export const RATE_TIMES_10000 = 53_460;
/** Quoted amounts that change an outcome. */
export const FAILS_MINOR = 66_600;
export const RETURNS_MINOR = 77_700;

export type Fields = Record<string, unknown>;
export type Tracking = { step: string } & Fields;

export interface Customer extends Fields {
  readonly id: string;
  kyc_status: string;
}
export interface Owned extends Fields {
  readonly id: string;
  readonly customer_id: string;
}
export interface Quote extends Fields {
  readonly id: string;
  readonly customer_id: string;
  readonly expires_at: number;
  readonly sender_amount: number;
  readonly receiver_amount: number;
  used: boolean;
}
export interface Transaction extends Fields {
  readonly id: string;
  readonly customer_id: string;
  status: string;
  tracking_transaction: Tracking;
  tracking_payment: Tracking;
  tracking_complete: Tracking;
}

/** A transfer into a virtual account that nobody ordered. */
export interface Deposit {
  readonly virtualAccountId: string;
  readonly amountMinor: number;
  readonly sender?: { readonly name?: string; readonly bank?: string };
  /** What the payer wrote. */
  readonly description?: string;
  readonly trace?: string;
  /** Each pay-in has a quote in the OpenAPI description, so a deposit has one of BlindPay's own. */
  readonly isQuoted?: boolean;
}

export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  /** None: all. */
  readonly events: readonly string[];
  readonly secret: string;
}

/** One change of an object, and the message that it fires; null: none. */
export interface Step {
  readonly afterMs: number;
  readonly change: () => void;
  readonly event: string | null;
}

/** Of a pay-in, as the vendor's own mock plays it (blindpay-cli 2a6b5b2); 30 s, as in the guide. */
export function payinSteps(payin: Transaction, amountMinor: number, hash: string): readonly Step[] {
  const first = { afterMs: 10_000, event: 'payin.update' };
  if (amountMinor === FAILS_MINOR || amountMinor === RETURNS_MINOR) {
    const status = amountMinor === FAILS_MINOR ? 'failed' : 'refunded';
    const change = () => {
      payin.status = status;
      const { tracking_transaction: transfer } = payin;
      payin.tracking_transaction = { ...transfer, step: 'completed', status: 'failed' };
    };
    return [{ ...first, afterMs: 30_000, change }];
  }
  return [
    {
      ...first,
      change: () => {
        payin.tracking_payment = { step: 'completed' };
      },
    },
    {
      afterMs: 20_000,
      event: null,
      change: () => {
        payin.tracking_transaction = { ...payin.tracking_transaction, step: 'completed' };
      },
    },
    {
      afterMs: 30_000,
      event: 'payin.complete',
      change: () => {
        payin.status = 'completed';
        payin.tracking_complete = { step: 'completed', transaction_hash: hash };
      },
    },
  ];
}

/** A failed payout has `tokens_refunded` while its status is `failed`: the mock's trap. */
export function payoutSteps(payout: Transaction, amountMinor: number, atMs: number) {
  const collected: Step = {
    afterMs: 2_000,
    event: 'payout.update',
    change: () => {
      const transaction_hash = `0x${hexOf(payout.id)}`;
      payout.tracking_transaction = { step: 'completed', status: 'found', transaction_hash };
    },
  };
  if (amountMinor === FAILS_MINOR) {
    const change = () => {
      payout.status = 'failed';
      payout.tracking_payment = { step: 'completed', provider_error_reason: 'invalid_key' };
      payout.tracking_complete = { step: 'completed', status: 'tokens_refunded' };
    };
    return [collected, { afterMs: 6_000, event: 'payout.update', change }];
  }
  if (amountMinor === RETURNS_MINOR) {
    const change = () => {
      payout.status = 'refunded';
      payout.tracking_complete = { step: 'completed', status: 'tokens_refunded' };
    };
    return [collected, { afterMs: 6_000, event: 'payout.complete', change }];
  }
  const change = () => {
    payout.status = 'completed';
    payout.tracking_payment = { step: 'completed', end_to_end_id: endToEndId(payout.id, atMs) };
    payout.tracking_complete = { step: 'completed', status: 'paid' };
  };
  return [collected, { afterMs: 6_000, event: 'payout.complete', change }];
}

/** E, ISPB, yyyyMMddHHmm in UTC, 11 characters. */
function endToEndId(id: string, atMs: number): string {
  const minute = new Date(atMs).toISOString().replaceAll(/[-T:]/g, '').slice(0, 12);
  return `E12345678${minute}${hexOf(id).slice(0, 11)}`;
}

export function hexOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** 15 characters. */
export function newId(prefix: string, count: number): string {
  return `${prefix}_${`${count}`.padStart(14 - prefix.length, '0')}`;
}

const development = { routing_number: '110000000', account_number: '123456789012' };

export const bankDetails = {
  ...development,
  account_type: 'Business checking',
  swift_bic_code: 'CHASUS33',
  ach: development,
  wire: { ...development, routing_number: '110000001' },
  rtp: { ...development, routing_number: '110000002' },
  beneficiary: {
    name: 'BlindPay, Inc.',
    address_line_1: '8 The Green, #19364',
    address_line_2: 'Dover, DE 19901',
  },
  receiving_bank: {
    name: 'JPMorgan Chase',
    address_line_1: '270 Park Ave',
    address_line_2: 'New York, NY, 10017-2070',
  },
} as const;

/** Of a virtual account on a development instance: its account number is made from its id. */
export function bankDetailsOf(virtualAccountId: string) {
  const digits = BigInt(`0x${hexOf(virtualAccountId).slice(0, 12)}`) % 10n ** 12n;
  const own = { ...development, account_number: `${digits}`.padStart(12, '0') };
  return { ...bankDetails, ...own, ach: own, wire: own, rtp: own };
}

/** What the bank says about a deposit; the fiat leg is complete when its pay-in is created. */
function transferOf({ sender, description, trace }: Deposit): Tracking {
  return {
    step: 'completed',
    status: 'completed',
    provider_name: 'jpmorgan',
    sender_name: sender?.name ?? null,
    sender_bank_name: sender?.bank ?? null,
    trace_number: trace ?? null,
    transaction_reference: null,
    description: description ?? null,
  };
}

/** Below 100 USD the fee is invoiced, else it is deducted: the guide on virtual accounts. */
function depositFees(amountMinor: number) {
  const isInvoiced = amountMinor < 10_000;
  return {
    receiver_amount: isInvoiced ? amountMinor : amountMinor - PAYIN_FEE_MINOR,
    billing_fee_amount: isInvoiced ? PAYIN_FEE_MINOR : null,
    transaction_fee_amount: isInvoiced ? null : PAYIN_FEE_MINOR,
  };
}

/** The pay-in of a deposit, without its ids. */
export function depositedPayin(given: Deposit, customerId: string) {
  return {
    customer_id: customerId,
    status: 'processing',
    payment_method: 'ach',
    sender_amount: given.amountMinor,
    ...depositFees(given.amountMinor),
    pix_code: null,
    memo_code: null,
    clabe: null,
    blindpay_bank_details: bankDetailsOf(given.virtualAccountId),
    ...newTracking(),
    tracking_transaction: transferOf(given),
  };
}

export function newTracking() {
  return {
    tracking_transaction: { step: 'processing' },
    tracking_payment: { step: 'processing' },
    tracking_complete: { step: 'processing' },
  };
}

/** CPF, CNPJ, phone, e-mail, random key. */
export const pixKeyForms = [
  /^[0-9]{11}$/,
  /^[0-9]{14}$/,
  /^\+55[0-9]{10,11}$/,
  /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
] as const;
