// Quotes and pay-ins. A pay-in quote fixes what arrives in the wallet; the rate to BRL is
// indicative, because a payout quote lives for five minutes and a bank transfer takes days.
import { z } from 'zod';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import {
  divide,
  formatAmount,
  formatRate,
  type Money,
  money,
} from '../../../core/domain/base/money.js';
import type { Payer } from '../../../core/domain/commands/payer.js';
import { QUOTE_EXPIRED } from '../../../core/domain/commands/quote.js';
import type { PayinReport } from '../../../core/domain/commands/report-check.js';
import type { AmountLimit } from '../../../core/domain/payments/amount-limit.js';
import type {
  InstructionField,
  RailInstructions,
  TransferMethod,
} from '../../../core/domain/payments/payin-instructions.js';
import type {
  AcceptedCommand,
  CommandCalls,
  PartnerAnswer,
  PayinInput,
  QuoteAnswer,
  SettlementPartner,
} from '../../../core/ports/partner.js';
import {
  type BlindPayContext,
  CURRENCY,
  done,
  endOf,
  idText,
  joinIds,
  later,
  notFound,
  notPrepared,
  otherAnswered,
  otherRead,
  readObject,
  readRequest,
  refused,
  splitIds,
  told,
  transactionEnds,
  unreadable,
  withoutEffect,
} from './blindpay-context.js';
import { blockedIfPassing } from './customers.js';
import { isVirtualAccount, readDestination } from './destinations.js';
import type { LimitBook } from './limits.js';

/** Smaller values of `expires_at` are in seconds: its example and its text differ. */
const SECONDS_BELOW = 1e12;
/** The smallest pay-in. The largest one is a limit of the customer. */
const RANGE_FROM_MINOR = 1_000n;
const RATE_SCALE = 10n ** 8n;
/** Longer than any quote lives. */
const QUOTE_LIFE_MAX_MS = HOUR_MS;
/** How long before the end of its quote a pay-in is looked for: the days in between are few. */
const SEARCH_BEFORE_MS = 2 * DAY_MS;
const CLOCKS_DIFFER_MS = MINUTE_MS;
/** How long a transfer in the USA takes: up to five business days. */
const BANK_DAYS = { from: 0, to: 5 };

const minor = z.int().nonnegative();

/** The last moment that a date can have. */
const EXPIRY_MAX_MS = 8.64e15;
export const expiry = z.number().nonnegative().max(EXPIRY_MAX_MS);

const quoteShape = z.object({
  id: idText,
  expires_at: expiry,
  sender_amount: minor,
  receiver_amount: minor,
});
const fxShape = z.object({ result_amount: minor });

const numbersShape = z.object({ routing_number: z.string(), account_number: z.string() }).nullish();
const partyShape = z
  .object({
    name: z.string().nullish(),
    address_line_1: z.string().nullish(),
    address_line_2: z.string().nullish(),
  })
  .nullish();
const bankDetailsShape = z.object({
  routing_number: z.string().nullish(),
  account_number: z.string().nullish(),
  account_type: z.string().nullish(),
  swift_bic_code: z.string().nullish(),
  swift_account_number: z.string().nullish(),
  ach: numbersShape,
  wire: numbersShape,
  rtp: numbersShape,
  beneficiary: partyShape,
  receiving_bank: partyShape,
});
type BankDetails = z.output<typeof bankDetailsShape>;

/** In place of codes on a development instance, which has no payer. */
const PLACEHOLDER = '<development>';

const tracking = { transaction_hash: told, provider_error_reason: told };
const transferShape = z.object({
  ...tracking,
  sender_name: told,
  sender_bank_name: told,
  trace_number: told,
  transaction_reference: told,
  description: told,
});
export const payinShape = z.object({
  id: idText,
  status: z.string(),
  sender_amount: minor.nullish(),
  receiver_amount: minor.nullish(),
  currency: z.string().nullish(),
  payin_quote_id: z.string().nullish(),
  memo_code: told,
  token: told,
  network: told,
  address: told,
  created_at: told,
  tracking_transaction: transferShape.nullish().catch(null),
  tracking_complete: z.object(tracking).nullish().catch(null),
});
export type Payin = z.output<typeof payinShape>;

/** With what the buyer needs to pay. */
const orderedShape = payinShape.extend({ blindpay_bank_details: bankDetailsShape.nullish() });

const requestShape = z.object({
  reference: z.string(),
  customerId: z.string(),
  quoteId: z.string(),
  // Requests of earlier versions lack these.
  payerReference: z.string().nullish(),
  amountMinor: z.int().nullish(),
  quotedUntilMs: z.int().nullish(),
});
type PayinRequest = z.output<typeof requestShape>;

export function expiryMs(expiresAt: number): number {
  return Math.floor(expiresAt < SECONDS_BELOW ? expiresAt * 1_000 : expiresAt);
}

/** BRL per unit, of these amounts. */
export function rateOf(targetMinor: bigint, sourceMinor: bigint): string {
  return formatRate({ rateScaled: divide(targetMinor * RATE_SCALE, sourceMinor, 'half-even') });
}

export async function requestQuote(
  desk: BlindPayContext,
  limits: LimitBook,
  { source, destination }: Parameters<SettlementPartner['quote']>[0],
): Promise<QuoteAnswer> {
  const { client, route } = desk;
  const to = readDestination(destination);
  if (to === null) return notFound;
  if (source.currency !== CURRENCY) {
    return refused('currency_not_supported', `Buyers can pay in ${CURRENCY}.`);
  }
  const exceeded = await limits.exceeded(to.customerId, source.amountMinor);
  if (exceeded.outcome !== 'done') return exceeded;
  if (exceeded.value !== null) return { outcome: 'over_limit', limit: exceeded.value };
  const payin = await client.post({
    path: '/instances/:instance/payin-quotes',
    body: JSON.stringify({
      wallet_id: to.walletId,
      currency_type: 'sender',
      cover_fees: false,
      request_amount: Number(source.amountMinor),
      payment_method: route.paymentMethod,
      token: route.token,
      // The quote brings less by this fee, so its fees contain it.
      ...(route.partnerFeeId ? { partner_fee_id: route.partnerFeeId } : {}),
    }),
    key: null,
    shape: quoteShape,
  });
  if (payin.outcome === 'refused' && source.amountMinor >= RANGE_FROM_MINOR) {
    const limit = await refusedLimit(limits, to.customerId, payin.code);
    if (limit !== null) return { outcome: 'over_limit', limit };
  }
  if (payin.outcome !== 'done') {
    return withoutEffect(await blockedIfPassing(desk, to.customerId, payin));
  }
  const { id, expires_at, sender_amount, receiver_amount } = payin.value;
  const fx = await client.post({
    path: '/instances/:instance/quotes/fx',
    body: JSON.stringify({
      from: route.token,
      to: 'BRL',
      request_amount: receiver_amount,
      currency_type: 'sender',
    }),
    key: null,
    shape: fxShape,
  });
  if (fx.outcome !== 'done') return withoutEffect(fx);
  const [arrives, target] = [BigInt(receiver_amount), BigInt(fx.value.result_amount)];
  const isUsable = BigInt(sender_amount) === source.amountMinor && arrives <= source.amountMinor;
  if (!isUsable || arrives === 0n || target === 0n) return later('the quote is of other amounts');
  return done({
    partnerQuoteId: joinIds([to.customerId, id]),
    source,
    fees: money(source.amountMinor - arrives, source.currency),
    rate: rateOf(target, arrives),
    target: money(target, 'BRL'),
    rateKind: 'indicative',
    lockedUntilMs: null,
    expiresAtMs: expiryMs(expires_at),
  });
}

/** The limit that a quote was refused for; null for another refusal. */
async function refusedLimit(
  limits: LimitBook,
  customerId: string,
  code: string,
): Promise<AmountLimit | null> {
  if (code === 'LIMITS_AMOUNT_OUT_OF_RANGE') return limits.ofTransaction(customerId);
  if (code === 'LIMITS_VOLUME_EXCEEDED') return { period: 'unknown', left: null, untilMs: null };
  return null;
}

export function payinsApi(desk: BlindPayContext): CommandCalls<PayinInput, PayinReport> {
  const { client } = desk;
  return {
    async prepare({ reference, quote, payerReference }) {
      const ids = splitIds(quote.partnerQuoteId, ['customerId', 'quoteId']);
      if (ids === null) return notFound;
      // An expired quote is no proof: a restored command may have been sent before.
      const amountMinor = Number(quote.source.amountMinor);
      const known = { payerReference, amountMinor, quotedUntilMs: quote.expiresAtMs };
      return done(JSON.stringify({ kind: 'payin', reference, ...ids, ...known }));
    },
    async start(request) {
      const fields = readRequest('payin', requestShape, request);
      if (fields === null) return unreadable;
      const path = '/instances/:instance/payins/evm';
      const body = JSON.stringify({ payin_quote_id: fields.quoteId });
      // A quote is used once. After a restore the reference is the same, and the quote is another.
      const key = `${fields.reference}.${fields.quoteId}`;
      const answer = await client.post({ path, body, key, shape: orderedShape });
      if (answer.outcome === 'done') {
        if (isOfAnother(answer.value, fields)) return otherAnswered;
        return done(await accepted(desk, fields, answer.value));
      }
      const isOver = answer.outcome === 'refused' && quoteOver.has(answer.code);
      return isOver ? quoteExpired : blockedIfPassing(desk, fields.customerId, answer);
    },
    async find(request) {
      const fields = readRequest('payin', requestShape, request);
      if (fields === null) return notPrepared;
      const id = await findPayin(desk, fields);
      if (id.outcome !== 'done') return id;
      if (id.value === null) return done(null);
      // The list may leave the bank details out.
      const whole = await readObject(desk, 'payins', id.value, orderedShape);
      return whole.outcome === 'done' ? done(await accepted(desk, fields, whole.value)) : whole;
    },
    async read(partnerRef, request) {
      const answer = await readPayin(desk, partnerRef);
      if (answer.outcome !== 'done') return answer;
      const fields = request && readRequest('payin', requestShape, request());
      return isOfAnother(answer.value, fields) ? otherRead : payinReport(desk, answer.value);
    },
  };
}

/** Without a quote it is at least of another time; its amount is what arrived. */
function isOfAnother(payin: Payin, fields?: PayinRequest | null): boolean {
  if (!fields) return false;
  const { payin_quote_id: quoteId } = payin;
  return quoteId ? quoteId !== fields.quoteId : !isLike({ ...payin, sender_amount: null }, fields);
}

/** The buyer needs another quote, which is refused in words if a limit was reached since. */
const quoteOver: ReadonlySet<string> = new Set([
  'QUOTES_EXPIRED',
  'LIMITS_AMOUNT_OUT_OF_RANGE',
  'LIMITS_VOLUME_EXCEEDED',
]);
const quoteExpired = refused(QUOTE_EXPIRED, 'The quote has expired.');

export function readPayin(desk: BlindPayContext, id: string): Promise<PartnerAnswer<Payin>> {
  return readObject(desk, 'payins', id, payinShape);
}

async function findPayin(
  { client }: BlindPayContext,
  fields: PayinRequest,
): Promise<PartnerAnswer<string | null>> {
  let isDoubtful = false;
  const path = `/instances/:instance/payins?customer_id=${fields.customerId}`;
  const visit = (payin: Payin) => {
    if (!payin.payin_quote_id && isLike(payin, fields)) isDoubtful = true;
    return payin.payin_quote_id === fields.quoteId ? payin.id : null;
  };
  // A pay-in is younger than its quote; both times are BlindPay's.
  const { quotedUntilMs } = fields;
  const sinceMs = quotedUntilMs ? quotedUntilMs - SEARCH_BEFORE_MS : null;
  const found = await client.search(path, payinShape, visit, { sinceMs });
  if (found.outcome !== 'done' || found.value !== null || !isDoubtful) return found;
  return later('a pay-in without a quote may be this one');
}

/** Deposits have no quote of ours: of another amount or time, they are not this command. */
function isLike({ sender_amount: amount, created_at: createdAt }: Payin, fields: PayinRequest) {
  const { amountMinor, quotedUntilMs } = fields;
  if (amount && amountMinor && amount !== amountMinor) return false;
  const atMs = Date.parse(createdAt ?? '');
  if (!quotedUntilMs || !Number.isFinite(atMs)) return true;
  return atMs > quotedUntilMs - QUOTE_LIFE_MAX_MS && atMs < quotedUntilMs + CLOCKS_DIFFER_MS;
}

export function payinReport(desk: BlindPayContext, payin: Payin): PartnerAnswer<PayinReport> {
  const { tracking_transaction: transaction, tracking_complete: complete } = payin;
  const status = endOf(desk, transactionEnds, {
    what: 'pay-in',
    status: payin.status,
    open: 'open',
  });
  const { token, network = null, address = null, receiver_amount: arrived } = payin;
  const amount = payin.sender_amount ?? null;
  if (status === 'completed' && amount === null) return later('the pay-in has no amount');
  const isPaid = status === 'completed' && amount !== null;
  const why = transaction?.provider_error_reason ?? complete?.provider_error_reason;
  const isOver = status === 'failed' || status === 'returned';
  const transactionHash = complete?.transaction_hash ?? transaction?.transaction_hash ?? null;
  return done({
    status,
    received: money(isPaid ? BigInt(amount) : 0n, payin.currency ?? CURRENCY),
    transactionHash,
    // A list may leave it out.
    asset:
      isPaid && token
        ? {
            token,
            network,
            quantity: arrived ? formatAmount(BigInt(arrived)) : null,
            transactionHash,
            fromWallet: null,
            toWallet: address,
          }
        : null,
    payer: payerOf(payin),
    reason: isOver ? `BlindPay: ${why ?? payin.status}` : null,
    held: payin.status === 'on_hold',
  });
}

/** What the bank says about the payer; null: nothing. */
export function payerOf({ tracking_transaction: transfer, memo_code: memo }: Payin): Payer | null {
  const said = (text: string | null | undefined) =>
    text?.trim() && text !== PLACEHOLDER ? text : null;
  const texts = [memo, transfer?.transaction_reference, transfer?.description].flatMap(
    (text) => said(text) ?? [],
  );
  const payer = {
    name: said(transfer?.sender_name),
    bank: said(transfer?.sender_bank_name),
    texts,
    trace: said(transfer?.trace_number),
  };
  const isKnown = payer.name ?? payer.bank ?? payer.trace ?? texts[0];
  return isKnown === undefined ? null : payer;
}

async function accepted(
  desk: BlindPayContext,
  fields: PayinRequest,
  payin: z.output<typeof orderedShape>,
): Promise<AcceptedCommand> {
  const { blindpay_bank_details: details, sender_amount: amount } = payin;
  const { id: partnerRef, memo_code: memo } = payin;
  const rails = railsOf(details ?? {}).toSorted(
    (left, right) =>
      Number(right.rail === desk.route.paymentMethod) -
      Number(left.rail === desk.route.paymentMethod),
  );
  if (!amount || rails.length === 0) return { partnerRef };
  const shown = rails.flatMap(({ fields }) => fields.map(({ value }) => value));
  const isOwn = await isVirtualAccount(desk, fields.customerId, shown);
  const reference = (isOwn ? fields.payerReference : memo) || null;
  const referenceRequired = !isOwn && reference !== null;
  // With a memo code, the account is one of BlindPay for all customers.
  const holder = referenceRequired ? 'partner' : 'payee';
  const given = { reference, referenceRequired, holder } as const;
  return { partnerRef, instructions: { rails, amount: paid(amount), ...given, payByMs: null } };
}

function paid(amountMinor: number): Money {
  return money(BigInt(amountMinor), CURRENCY);
}

function railsOf(details: BankDetails): readonly RailInstructions[] {
  const usual = { routing_number: details.routing_number, account_number: details.account_number };
  const wanted = ['ach', 'wire', 'rtp'] as const;
  const isSplit = wanted.some((rail) => details[rail]);
  return wanted.flatMap((rail) => {
    // Without numbers of each rail, those of the account are for transfers in the USA.
    const numbers = isSplit || rail === 'rtp' ? details[rail] : usual;
    if (!numbers?.routing_number || !numbers.account_number) return [];
    const fields: readonly (readonly [InstructionField, string | null | undefined])[] = [
      ['beneficiary', details.beneficiary?.name],
      ['accountNumber', numbers.account_number],
      ['routingNumber', numbers.routing_number],
      ['accountType', details.account_type],
      ['bank', details.receiving_bank?.name],
      ['bankAddress', addressOf(details.receiving_bank)],
      ['beneficiaryAddress', addressOf(details.beneficiary)],
    ];
    return [
      { rail: rail satisfies TransferMethod, fields: given(fields), arrivesWithinDays: BANK_DAYS },
    ];
  });
}

function given(fields: readonly (readonly [InstructionField, string | null | undefined])[]) {
  return fields.flatMap(([name, value]) => (value?.trim() ? [{ name, value }] : []));
}

function addressOf(party: BankDetails['beneficiary']): string {
  return [party?.address_line_1, party?.address_line_2].filter(Boolean).join(', ');
}
