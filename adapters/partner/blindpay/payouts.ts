// Payouts. A payout needs a quote of the moment, which lives for five minutes and is used once.
// BlindPay stores no reference of ours with a payout but keeps the description of its quote, so
// that names the command: `<reference> <amount> <currency>`, then the purpose in words.
//
// No second payout: a command has a chain of numbered quotes. Each has its number in its key, so a
// repeat returns the same quote, and the next one is requested only after the expiry of the one
// before. So no two quotes of a command are alive at a time.
import { z } from 'zod';
import { MINUTE_MS } from '../../../core/domain/base/instant.js';
import { formatAmount, money, parseAmount } from '../../../core/domain/base/money.js';
import type { PayoutReport } from '../../../core/domain/commands/report-check.js';
import { purposes } from '../../../core/domain/payments/purpose.js';
import type {
  AcceptedCommand,
  CommandCalls,
  PartnerAnswer,
  PayoutInput,
} from '../../../core/ports/partner.js';
import { OPERATION_MS } from './blindpay-client.js';
import {
  type BlindPayContext,
  CURRENCY,
  done,
  endOf,
  isId,
  later,
  notFound,
  readRequest,
  refused,
  transactionEnds,
  unreadable,
  withoutEffect,
} from './blindpay-context.js';
import { readDestination, walletAddress } from './destinations.js';
import { expiryMs, rateOf, readPayin } from './payins.js';

/** How long a quote lives, as BlindPay documents it. */
export const QUOTE_LIFE_MS = 5 * MINUTE_MS;
/** Quotes that one call passes over, in case no quote is ever alive by our clock. */
const QUOTES_PASSED_MAX = 20;
/** The clock of BlindPay may be behind ours. */
const CLOCK_SLACK_MS = MINUTE_MS;

/** Refusals that pass: the money stays in the wallet, and the payout is sent again. */
const passing: ReadonlySet<string> = new Set([
  'BANK_ACCOUNTS_NOT_APPROVED',
  'COMPLIANCE_RFI_IN_PROGRESS',
  'CUSTOMERS_KYC_NOT_APPROVED',
  'LIMITS_VOLUME_EXCEEDED',
  'QUOTES_EXPIRED',
  'QUOTES_INVALID_STATE',
  'QUOTES_NOT_FOUND',
  'TOS_NOT_ACCEPTED',
]);

export const payoutShape = z.object({
  id: z.string(),
  status: z.string(),
  description: z.string().nullish(),
  sender_amount: z.int().nonnegative().nullish(),
  receiver_amount: z.int().nonnegative().nullish(),
  currency: z.string().nullish(),
  created_at: z.string().nullish(),
  tracking_payment: z
    .object({
      end_to_end_id: z.string().nullish(),
      provider_error_reason: z.string().nullish(),
    })
    .nullish(),
});
export type Payout = z.output<typeof payoutShape>;

const quoteShape = z.object({ id: z.string(), expires_at: z.number() });

const requestShape = z.object({
  reference: z.string(),
  preparedAtMs: z.number(),
  customerId: z.string(),
  bankAccountId: z.string(),
  address: z.string(),
  tokenMinor: z.int().positive(),
  description: z.string(),
  network: z.string(),
  token: z.string(),
});
type Request = z.output<typeof requestShape>;

/** The current number of each reference; without it, the chain is followed from its start. */
type QuoteNumbers = Map<string, number>;

export function payoutsApi(desk: BlindPayContext): CommandCalls<PayoutInput, PayoutReport> {
  const numbers: QuoteNumbers = new Map();
  return {
    prepare: (input) => prepare(desk, input),
    async start(request) {
      const fields = readRequest('payout', requestShape, request);
      return fields === null ? unreadable : start(desk, numbers, fields);
    },
    async find(request) {
      const fields = readRequest('payout', requestShape, request);
      return fields === null ? done(null) : findPayout(desk, fields);
    },
    async read(partnerRef) {
      if (!isId(partnerRef)) return notFound;
      const path = `/instances/:instance/payouts/${partnerRef}`;
      const answer = await desk.client.get(path, payoutShape);
      return answer.outcome === 'done' ? payoutReport(desk, answer.value) : answer;
    },
  };
}

/** Among all payouts, by our reference alone. */
export function findByReference(desk: BlindPayContext, reference: string) {
  return desk.client.search('/instances/:instance/payouts', payoutShape, ({ id, description }) =>
    describedCommand(description).reference === reference ? { partnerRef: id } : null,
  );
}

async function prepare(
  desk: BlindPayContext,
  { reference, amount, destination, payinRefs, purpose = null }: PayoutInput,
): Promise<PartnerAnswer<string>> {
  const to = readDestination(destination);
  if (to === null) return notFound;
  if (amount.currency !== CURRENCY) {
    return refused('currency_not_supported', `Payouts are of ${CURRENCY}.`);
  }
  const tokens = await tokensFor(desk, amount.amountMinor, payinRefs);
  if (tokens.outcome !== 'done') return tokens;
  const address = await walletAddress(desk, to);
  if (address.outcome !== 'done') return address;
  const { network, token } = desk.route;
  const request: Request & { readonly kind: 'payout' } = {
    kind: 'payout',
    reference,
    preparedAtMs: desk.nowMs(),
    customerId: to.customerId,
    bankAccountId: to.bankAccountId,
    address: address.value,
    tokenMinor: tokens.value,
    description: [
      reference,
      formatAmount(amount.amountMinor),
      amount.currency,
      ...(purpose === null ? [] : [purposes[purpose]]),
    ].join(' '),
    network,
    token,
  };
  return done(JSON.stringify(request));
}

/** What the pay-ins brought to the wallet for this amount; a surplus stays there. */
async function tokensFor(
  desk: BlindPayContext,
  amountMinor: bigint,
  payinRefs: readonly string[],
): Promise<PartnerAnswer<number>> {
  let [sentMinor, arrivedMinor] = [0n, 0n];
  for (const ref of payinRefs) {
    const payin = await readPayin(desk, ref);
    if (payin.outcome !== 'done') return payin;
    const { sender_amount: sent, receiver_amount: arrived } = payin.value;
    if (!sent || !arrived) return later('a pay-in has no amounts');
    sentMinor += BigInt(sent);
    arrivedMinor += BigInt(arrived);
  }
  if (sentMinor < amountMinor) return refused('payin_missing', 'The pay-ins do not cover this.');
  return done(Number((arrivedMinor * amountMinor) / sentMinor));
}

async function start(
  desk: BlindPayContext,
  numbers: QuoteNumbers,
  fields: Request,
): Promise<PartnerAnswer<AcceptedCommand>> {
  const startedAtMs = desk.nowMs();
  const found = await findPayout(desk, fields);
  if (found.outcome !== 'done') return withoutEffect(found);
  if (found.value !== null) return done(found.value);
  const quote = await currentQuote(desk, numbers, fields, startedAtMs + OPERATION_MS);
  if (quote.outcome !== 'done') return withoutEffect(unlessPassing(quote));
  const { address, reference } = fields;
  const { id, key } = quote.value;
  const payout = await desk.client.post({
    path: '/instances/:instance/payouts/evm',
    body: JSON.stringify({ quote_id: id, sender_wallet_address: address }),
    key: `${key}.payout`,
    shape: payoutShape,
  });
  if (payout.outcome !== 'done') return unlessPassing(payout);
  numbers.delete(reference);
  return done({ partnerRef: payout.value.id });
}

/** The one quote of the chain that is alive. */
async function currentQuote(
  desk: BlindPayContext,
  numbers: QuoteNumbers,
  fields: Request,
  untilMs: number,
): Promise<PartnerAnswer<{ readonly id: string; readonly key: string }>> {
  const { reference } = fields;
  const first = numbers.get(reference) ?? 0;
  for (let number = first; number < first + QUOTES_PASSED_MAX; number += 1) {
    numbers.set(reference, number);
    const key = `${reference}.${number}`;
    const quote = await desk.client.post({
      path: '/instances/:instance/quotes',
      body: quoteBody(fields),
      key: `${key}.quote`,
      shape: quoteShape,
    });
    // A refusal makes no quote, and BlindPay may repeat it under its key.
    if (quote.outcome === 'refused') numbers.set(reference, number + 1);
    if (quote.outcome !== 'done') return quote;
    const nowMs = desk.nowMs();
    // After a pause another call may be under way, and this quote be younger than the call.
    if (nowMs > untilMs) return later('the call took too long');
    const expiresAtMs = expiryMs(quote.value.expires_at);
    if (nowMs < expiresAtMs) return done({ id: quote.value.id, key });
    if (nowMs < expiresAtMs + CLOCK_SLACK_MS) return later('the quote has just expired');
  }
  return later('the quotes of the payout have expired');
}

function quoteBody({ bankAccountId, tokenMinor, network, token, description }: Request): string {
  return JSON.stringify({
    bank_account_id: bankAccountId,
    currency_type: 'sender',
    cover_fees: false,
    request_amount: tokenMinor,
    network,
    token,
    description,
  });
}

function unlessPassing<T>(answer: PartnerAnswer<T>): PartnerAnswer<T> {
  if (answer.outcome !== 'refused' || !passing.has(answer.code)) return answer;
  return later(`${answer.code}: ${answer.message}`);
}

/** `later` if a payout without a description may be this one: that is no proof of absence. */
async function findPayout(
  { client }: BlindPayContext,
  fields: Request,
): Promise<PartnerAnswer<AcceptedCommand | null>> {
  let isDoubtful = false;
  const path = `/instances/:instance/payouts?customer_id=${fields.customerId}`;
  const found = await client.search(path, payoutShape, (payout) => {
    if (describedCommand(payout.description).reference === fields.reference)
      return { partnerRef: payout.id };
    if (!payout.description && isLike(payout, fields)) isDoubtful = true;
    return null;
  });
  if (found.outcome !== 'done' || found.value !== null || !isDoubtful) return found;
  return later('a payout without a description may be this one');
}

function isLike(
  { created_at: createdAt, sender_amount: amount }: Payout,
  fields: Request,
): boolean {
  const atMs = createdAt ? Date.parse(createdAt) : Number.NaN;
  if (atMs < fields.preparedAtMs - CLOCK_SLACK_MS) return false;
  return amount === null || amount === undefined || amount === fields.tokenMinor;
}

/** What `prepare` wrote into the description; another text has no amount. */
export function describedCommand(description: string | null | undefined) {
  const [reference = null, amount = ''] = description?.split(' ') ?? [];
  return { reference, amountMinor: parseAmount(amount) };
}

export function payoutReport(desk: BlindPayContext, payout: Payout): PartnerAnswer<PayoutReport> {
  const status = endOf(desk, transactionEnds, {
    what: 'payout',
    status: payout.status,
    open: 'open',
  });
  const why = payout.tracking_payment?.provider_error_reason;
  if (status !== 'completed') {
    const reason = status === 'open' ? null : `BlindPay: ${why ?? payout.status}`;
    const none = { settled: null, fxRate: null, fees: null, endToEndId: null };
    return done({ status, ...none, reason, held: payout.status === 'on_hold' });
  }
  const [sent, arrived] = [payout.sender_amount ?? 0, payout.receiver_amount ?? 0];
  if (sent === 0 || arrived === 0) return later('the payout has no amounts');
  // Without our description the fees of the pay-in are not known here.
  const ordered = describedCommand(payout.description).amountMinor ?? BigInt(sent);
  return done({
    status,
    settled: money(BigInt(arrived), payout.currency ?? 'BRL'),
    fxRate: rateOf(BigInt(arrived), BigInt(sent)),
    fees: money(ordered - BigInt(sent), CURRENCY),
    endToEndId: payout.tracking_payment?.end_to_end_id ?? null,
    reason: null,
  });
}
