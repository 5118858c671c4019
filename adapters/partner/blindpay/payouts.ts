// Payouts. A payout needs a quote of the moment, which lives for five minutes and is used once.
// BlindPay stores no reference of ours with a payout but keeps the description of its quote, so
// that names the command: `<reference> <amount> <currency>`, then the purpose in words.
//
// No second payout: a command has a chain of numbered quotes. Each has its number in its key, so a
// repeat returns the same quote, and the next one is requested only after the expiry of the one
// before. So no two quotes of a command are alive at a time. No clock of ours proves an expiry: it
// is judged by the `Date` of the answer that has the quote, and the life of a quote must also have
// gone by on the monotonic clock.
import { z } from 'zod';
import { DAY_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import { formatAmount, money, parseAmount } from '../../../core/domain/base/money.js';
import type { Asset } from '../../../core/domain/commands/asset.js';
import type { PayoutReport } from '../../../core/domain/commands/report-check.js';
import { purposes } from '../../../core/domain/payments/purpose.js';
import type {
  AcceptedCommand,
  CommandCalls,
  PartnerAnswer,
  PayoutInput,
} from '../../../core/ports/partner.js';
import { faults } from './answer-codes.js';
import { OPERATION_MS } from './blindpay-client.js';
import {
  type BlindPayContext,
  CURRENCY,
  done,
  endOf,
  idText,
  later,
  notFound,
  notPrepared,
  otherAnswered,
  otherRead,
  readObject,
  readRequest,
  refused,
  told,
  transactionEnds,
  unreadable,
  withoutEffect,
} from './blindpay-context.js';
import { readDestination, walletAddress } from './destinations.js';
import { expiry, expiryMs, rateOf, readPayin } from './payins.js';

/** How long a quote lives, as BlindPay documents it. */
export const QUOTE_LIFE_MS = 5 * MINUTE_MS;
/** Fees of pay-ins that are no error, also where they are more than half. Flat fees are below. */
const FEES_MAX_MINOR = 5_000n;
/** Requests for a quote in one try, in case no quote is ever alive. */
const QUOTE_CALLS_MAX = 20;
/** Two clocks of BlindPay may differ. */
const CLOCK_SLACK_MS = MINUTE_MS;
/** A payout is looked for from this long before its command could exist: a clock may be wrong. */
const SEARCH_BEFORE_MS = DAY_MS;

export const payoutShape = z.object({
  id: idText,
  status: z.string(),
  description: z.string().nullish(),
  sender_amount: z.int().nonnegative().nullish(),
  receiver_amount: z.int().nonnegative().nullish(),
  currency: z.string().nullish(),
  token: told,
  network: told,
  sender_wallet_address: told,
  tracking_transaction: z.object({ transaction_hash: told }).nullish().catch(null),
  created_at: told,
  tracking_payment: z
    .object({ end_to_end_id: told, provider_error_reason: told })
    .nullish()
    .catch(null),
});
export type Payout = z.output<typeof payoutShape>;

const quoteShape = z.object({ id: idText, expires_at: expiry });

const requestShape = z.object({
  reference: z.string(),
  /** No payout under the reference is older. */
  sinceMs: z.number().nullable(),
  customerId: z.string(),
  bankAccountId: z.string(),
  address: z.string(),
  tokenMinor: z.int().positive(),
  description: z.string(),
  network: z.string(),
  token: z.string(),
});
type Request = z.output<typeof requestShape>;

/** Where the chain of a command is. A process that starts follows it from its start. */
interface Chain {
  number: number;
  wasAlive: boolean;
  /** Until then, by the monotonic clock, a quote of the chain may be alive. */
  mayLiveUntilMs: number;
}
type Chains = Map<string, Chain>;

export function payoutsApi(desk: BlindPayContext): CommandCalls<PayoutInput, PayoutReport> {
  const chains: Chains = new Map();
  return {
    prepare: (input) => prepare(desk, input),
    async start(request) {
      const fields = readRequest('payout', requestShape, request);
      return fields === null ? unreadable : start(desk, chains, fields);
    },
    async find(request) {
      const fields = readRequest('payout', requestShape, request);
      return fields === null ? notPrepared : findPayout(desk, fields);
    },
    async read(partnerRef, request) {
      const answer = await readObject(desk, 'payouts', partnerRef, payoutShape);
      if (answer.outcome !== 'done') return answer;
      const fields = request && readRequest('payout', requestShape, request());
      return isOfAnother(answer.value, fields) ? otherRead : payoutReport(desk, answer.value);
    },
  };
}

async function prepare(
  desk: BlindPayContext,
  { reference, amount, destination, payinRefs, purpose = null, sinceMs = null }: PayoutInput,
): Promise<PartnerAnswer<string>> {
  const to = readDestination(destination);
  if (to === null) return notFound;
  if (amount.currency !== CURRENCY) {
    return refused('currency_not_supported', `Payouts are of ${CURRENCY}.`);
  }
  const funding = await fundingOf(desk, amount.amountMinor, payinRefs);
  if (funding.outcome !== 'done') return funding;
  const { tokenMinor, arrivedAtMs } = funding.value;
  const address = await walletAddress(desk, to);
  if (address.outcome !== 'done') return untilMended(address);
  const { network, token } = desk.route;
  const request: Request & { readonly kind: 'payout' } = {
    kind: 'payout',
    reference,
    sinceMs: sinceMs === null ? null : Math.min(sinceMs, arrivedAtMs ?? sinceMs),
    customerId: to.customerId,
    bankAccountId: to.bankAccountId,
    address: address.value,
    tokenMinor,
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

/**
 * What the pay-ins brought to the wallet for this amount, and when the first one was made; a
 * surplus stays there. A token is worth a dollar, so more tokens than dollars are an error of
 * BlindPay, and would be those of another payment.
 */
async function fundingOf(
  desk: BlindPayContext,
  amountMinor: bigint,
  payinRefs: readonly string[],
): Promise<PartnerAnswer<{ readonly tokenMinor: number; readonly arrivedAtMs: number | null }>> {
  let [sentMinor, arrivedMinor] = [0n, 0n];
  const madeAtMs: number[] = [];
  for (const ref of payinRefs) {
    const payin = await readPayin(desk, ref);
    if (payin.outcome !== 'done') return untilMended(payin);
    const { sender_amount: sent, receiver_amount: arrived, created_at: madeAt } = payin.value;
    if (!sent || !arrived) return later('a pay-in has no amounts');
    if (arrived > sent) return later(`the pay-in ${ref} brought more than was sent`);
    sentMinor += BigInt(sent);
    arrivedMinor += BigInt(arrived);
    if (madeAt) madeAtMs.push(Date.parse(madeAt));
  }
  if (sentMinor < amountMinor) return refused('payin_missing', 'The pay-ins do not cover this.');
  const feesMaxMinor = sentMinor / 2n > FEES_MAX_MINOR ? sentMinor / 2n : FEES_MAX_MINOR;
  if (sentMinor - arrivedMinor > feesMaxMinor) {
    const reason = `of ${sentMinor} minor units only ${arrivedMinor} arrived`;
    return { outcome: 'later', reason, code: 'tokens_missing' };
  }
  const tokenMinor = Number((arrivedMinor * amountMinor) / sentMinor);
  if (tokenMinor === 0) return later('the pay-ins brought nothing to pay out');
  const firstMs = madeAtMs.length === 0 ? Number.NaN : Math.min(...madeAtMs);
  return done({ tokenMinor, arrivedAtMs: Number.isFinite(firstMs) ? firstMs : null });
}

async function start(
  desk: BlindPayContext,
  chains: Chains,
  fields: Request,
): Promise<PartnerAnswer<AcceptedCommand>> {
  const untilMs = desk.steadyMs() + OPERATION_MS;
  const found = await findPayout(desk, fields);
  if (found.outcome !== 'done') return withoutEffect(found);
  if (found.value !== null) return done(found.value);
  const quote = await currentQuote(desk, chains, fields, untilMs);
  if (quote.outcome !== 'done') return withoutEffect(untilMended(quote));
  const { address, reference } = fields;
  const { id, key } = quote.value;
  const payout = await desk.client.post({
    path: '/instances/:instance/payouts/evm',
    body: JSON.stringify({ quote_id: id, sender_wallet_address: address }),
    key: `${key}.payout`,
    shape: payoutShape,
  });
  if (payout.outcome !== 'done') return untilMended(payout);
  if (isOfAnother(payout.value, fields)) return otherAnswered;
  chains.delete(reference);
  return done({ partnerRef: payout.value.id });
}

/** The one quote of the chain that is alive; `untilMs` is of the monotonic clock. */
async function currentQuote(
  desk: BlindPayContext,
  chains: Chains,
  fields: Request,
  untilMs: number,
): Promise<PartnerAnswer<{ readonly id: string; readonly key: string }>> {
  const { reference } = fields;
  const lifeMs = QUOTE_LIFE_MS + CLOCK_SLACK_MS;
  // Another process may have requested a quote just now.
  const mayLiveUntilMs = desk.steadyMs() + lifeMs;
  const chain = chains.get(reference) ?? { number: 0, wasAlive: false, mayLiveUntilMs };
  chains.set(reference, chain);
  for (let calls = 0; calls < QUOTE_CALLS_MAX; calls += 1) {
    const key = `${reference}.${chain.number}`;
    const quote = await desk.client.post({
      path: '/instances/:instance/quotes',
      body: quoteBody(fields),
      key: `${key}.quote`,
      shape: quoteShape,
    });
    // Such an answer makes no quote, and BlindPay may repeat it under its key.
    if (quote.outcome === 'refused' || quote.outcome === 'later') chain.number += 1;
    if (quote.outcome !== 'done') return quote;
    const steadyMs = desk.steadyMs();
    // After a pause another call may be under way, and this quote be younger than the call.
    if (steadyMs > untilMs) return later('the call took too long');
    const leftMs = expiryMs(quote.value.expires_at) - (quote.atMs ?? desk.nowMs());
    if (leftMs > 0) {
      if (!chain.wasAlive) chain.mayLiveUntilMs = steadyMs + lifeMs;
      chain.wasAlive = true;
      return done({ id: quote.value.id, key });
    }
    const isOver = leftMs <= -CLOCK_SLACK_MS && steadyMs >= chain.mayLiveUntilMs;
    if (!isOver) return later('a quote of the payout may be alive');
    chain.number += 1;
    chain.wasAlive = false;
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

/**
 * The money is here, so only a request that must be another one is refused. Anything else is mended
 * by somebody, or passes: the payout is tried again, also after a code that is not listed.
 */
function untilMended<T>(answer: PartnerAnswer<T>): PartnerAnswer<T> {
  if (answer.outcome !== 'refused') return answer;
  const { code, message } = answer;
  const fault = faults.get(code);
  if (fault === 'request') return answer;
  const reason = `${code}: ${message}`;
  return fault === 'quote' ? later(reason) : { outcome: 'later', reason, code };
}

/** `later` if a payout without a description may be this one: that is no proof of absence. */
async function findPayout(
  { client }: BlindPayContext,
  fields: Request,
): Promise<PartnerAnswer<AcceptedCommand | null>> {
  let isDoubtful = false;
  const path = `/instances/:instance/payouts?customer_id=${fields.customerId}`;
  const visit = (payout: Payout) => {
    if (describedCommand(payout.description).reference === fields.reference)
      return { partnerRef: payout.id };
    if (!payout.description && isLike(payout, fields)) isDoubtful = true;
    return null;
  };
  const sinceMs = fields.sinceMs === null ? null : fields.sinceMs - SEARCH_BEFORE_MS;
  const found = await client.search(path, payoutShape, visit, { sinceMs });
  if (found.outcome !== 'done' || found.value !== null || !isDoubtful) return found;
  return later('a payout without a description may be this one');
}

function isLike(
  { created_at: createdAt, sender_amount: amount }: Payout,
  fields: Request,
): boolean {
  const atMs = createdAt ? Date.parse(createdAt) : Number.NaN;
  if (fields.sinceMs !== null && atMs < fields.sinceMs) return false;
  return amount === null || amount === undefined || amount === fields.tokenMinor;
}

/** Without a description it is at least of another amount or time. */
function isOfAnother(payout: Payout, fields?: Request | null): boolean {
  if (!fields) return false;
  const { description } = payout;
  if (!description) return !isLike(payout, fields);
  return describedCommand(description).reference !== fields.reference;
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
    asset: collectedAsset(payout, BigInt(sent)),
    reason: null,
  });
}

/** The tokens that BlindPay collects from the payee's wallet. A list may leave them out. */
function collectedAsset(payout: Payout, sentMinor: bigint): Asset | null {
  const { token, network = null, sender_wallet_address: fromWallet = null } = payout;
  if (!token) return null;
  return {
    token,
    network,
    quantity: formatAmount(sentMinor),
    transactionHash: payout.tracking_transaction?.transaction_hash ?? null,
    fromWallet,
    toWallet: null,
  };
}
