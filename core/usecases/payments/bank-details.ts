// Bank details that were given to buyers: stored and signed with the instructions of the pay-in,
// compared with those of earlier payments, and verified for people who were sent some.
//
// The check code is 40 bits of the record's hash, and the payment has it too, so a read of the
// payment joins nothing. Changed details get their own record, and a buyer that signed in by mail
// is mailed. `/verify` does not look up a number alone: the answer would tell anybody which
// accounts this service gives, and when it gave them.
import { type Mode, type Tenant, tenantOf } from '../../domain/base/tenant.js';
import {
  accountsIn,
  type BankDetails,
  bankDetailsRecord,
  checkCodeOf,
  numberHashOf,
  readCode,
  shortIdOf,
} from '../../domain/payments/bank-record.js';
import type { Payment } from '../../domain/payments/payment.js';
import { signRecord } from '../../domain/service/service-key.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { takeVerifySlot } from '../service/rate-limits.js';
import { currentKeyIn } from '../service/service-keys.js';

/** `same`: the latest payment of the buyer to the payee that was paid to one of these accounts. */
export type AccountHistory =
  | {
      readonly kind: 'same';
      readonly paymentId: string;
      readonly atMs: number;
      readonly payee: string;
    }
  | { readonly kind: 'new' };

/** As people type them. */
export interface VerifyQuestion {
  /**
   * A short id, or the address of the page. Without it, anybody could find out which accounts are
   * this service's, and when they were given.
   */
  readonly publicId: string;
  /** A check code or an account number. */
  readonly value: string;
}

export type VerifyAnswer =
  | {
      readonly kind: 'given';
      readonly atMs: number;
      readonly mode: Mode;
      /** The payment awaits no money at these details any more. */
      readonly isOver: boolean;
    }
  | { readonly kind: 'unknown' };

/** Stages the signed record of a payment whose check code has changed. */
export async function stageBankDetails(
  { deps, tx, nowMs }: { readonly deps: Deps; readonly tx: Tx; readonly nowMs: number },
  was: Payment,
  payment: Payment,
): Promise<void> {
  const { payinInstructions, bankDetailsCode: checkCode, buyerId, payeeName } = payment;
  if (checkCode === was.bankDetailsCode || checkCode === null) return;
  assert(payinInstructions !== null, 'a check code is of instructions');
  const record = bankDetailsRecord(payment, payinInstructions, nowMs);
  assert(checkCodeOf(record) === checkCode, 'the code is of the record');
  const key = await currentKeyIn(deps, tx, 'record');
  const details: BankDetails = Object.freeze({
    ...tenantOf(payment),
    paymentId: payment.id,
    checkCode,
    shortId: shortIdOf(payment.publicId),
    buyerId,
    payeeName,
    record,
    signature: signRecord(key, record),
    keyId: key.id,
    issuedAtMs: nowMs,
  });
  tx.bankDetails.insert(details, accountsIn(payinInstructions));
}

/**
 * Null before the payment has instructions. `replacedAtMs`: when the details were given that these
 * replace. NotFound.
 */
export async function readBankDetails(deps: Deps, tenant: Tenant, paymentId: string) {
  return deps.store.run(async (tx) => {
    const [payment, given] = await Promise.all([
      tx.payments.get(tenant, paymentId),
      tx.bankDetails.ofPayment(tenant, paymentId),
    ]);
    if (payment === null) throw new PonteError('NotFound');
    const at = given.findIndex(({ checkCode }) => checkCode === payment.bankDetailsCode);
    const details = given[at];
    if (details === undefined || payment.payinInstructions === null) return null;
    const { checkCode, shortId, issuedAtMs } = details;
    const replacedAtMs = given[at - 1]?.issuedAtMs ?? null;
    const history = await historyOf(tx, details, payment);
    return { checkCode, shortId, issuedAtMs, replacedAtMs, history };
  });
}

async function historyOf(
  tx: Tx,
  details: BankDetails,
  { payinInstructions }: Payment,
): Promise<AccountHistory> {
  const { payeeName } = details;
  if (payinInstructions === null || payeeName === null) return { kind: 'new' };
  const found = await Promise.all(
    accountsIn(payinInstructions).map(({ accountHash }) =>
      tx.bankDetails.paidBefore(details, accountHash),
    ),
  );
  const [latest] = found
    .filter((earlier) => earlier !== null)
    .toSorted((one, other) => other.issuedAtMs - one.issuedAtMs);
  if (latest === undefined) return { kind: 'new' };
  return { kind: 'same', paymentId: latest.paymentId, atMs: latest.issuedAtMs, payee: payeeName };
}

/**
 * Whether the page gave these details, and when; nothing else. `client` is an IP address, null
 * inside the process. RateLimitExceeded.
 */
export async function verifyBankDetails(
  deps: Deps,
  { publicId, value }: VerifyQuestion,
  client: string | null,
): Promise<VerifyAnswer> {
  const shortId = typedPage(publicId);
  if (client !== null) await takeVerifySlot(deps, { client, page: shortId });
  const code = readCode(value);
  const numberHash = numberHashOf(value);
  const found = await deps.store.run((tx) =>
    Promise.all([
      code === null ? null : tx.bankDetails.byCode(shortId, code),
      numberHash === null ? null : tx.bankDetails.byNumber(numberHash, shortId),
    ]),
  );
  const [given] = found.filter((one) => one !== null);
  if (given === undefined) return { kind: 'unknown' };
  const { issuedAtMs: atMs, mode, paymentId, checkCode } = given;
  const payment = await deps.store.run((tx) => tx.payments.get(tenantOf(given), paymentId));
  const awaits = payment?.status === 'on_ramp_pending' && payment.coveredAtMs === null;
  const isOver = !awaits || payment.bankDetailsCode !== checkCode;
  return { kind: 'given', atMs, mode, isOver };
}

/** The short id that was typed, or the one of a page whose address was given. */
function typedPage(text: string): string {
  const [address = ''] = text.trim().split(/[?#]/, 1);
  const last = address.slice(address.lastIndexOf('/') + 1);
  return readCode(last) ?? shortIdOf(last);
}
