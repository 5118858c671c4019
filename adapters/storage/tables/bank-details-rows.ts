// Bank details that were given to buyers, and their accounts: columns and SQL.
import type { BankAccount, BankDetails } from '../../../core/domain/payments/bank-record.js';
import { tenant, text, time } from '../columns.js';
import { defineTable } from '../table.js';
import type { TxPart } from '../unit-of-work.js';

const named = {
  ...tenant,
  paymentId: text('payment_id').key(),
  checkCode: text('check_code').key(),
  shortId: text('short_id').fixed(),
  buyerId: text('buyer_id').fixed(),
  payeeName: text.null('payee_name').fixed(),
  issuedAtMs: time('issued_at').fixed(),
} as const;

const details = defineTable<BankDetails>('bank_details', {
  ...named,
  record: text('record').fixed(),
  signature: text('signature').fixed(),
  keyId: text('key_id').fixed(),
});

type AccountRow = BankAccount & Pick<BankDetails, keyof typeof named>;

const accounts = defineTable<AccountRow>('bank_detail_accounts', {
  ...named,
  accountHash: text('account_hash').key(),
  numberHash: text('number_hash').fixed(),
});

export const bankDetailsPart: TxPart<'bankDetails'> = {
  insert(unit, given, ofAccounts) {
    unit.stage(details.insert(given));
    for (const account of ofAccounts) unit.stage(accounts.insert({ ...given, ...account }));
  },
  ofPayment: (unit, { orgId, mode }, paymentId) =>
    unit.all(
      details,
      'where org_id = $1 and mode = $2 and payment_id = $3 order by issued_at, check_code',
      [orgId, mode, paymentId],
    ),
  byCode: (unit, shortId, checkCode) =>
    unit.first(
      details,
      'where short_id = $1 and check_code = $2 order by short_id, check_code limit 1',
      [shortId, checkCode],
    ),
  byShortId: (unit, shortId, limit) =>
    unit.all(details, 'where short_id = $1 order by short_id, check_code limit $2', [
      shortId,
      limit,
    ]),
  async byNumber(unit, numberHash, shortId) {
    const { name } = accounts;
    const sql = [
      `select org_id, mode, payment_id, check_code, issued_at from ${name}`,
      'where number_hash = $1 and short_id = $2 order by issued_at desc limit 1',
    ].join(' ');
    const [row] = await unit.rows(name, sql, [numberHash, shortId]);
    if (row === undefined) return null;
    const { orgId, mode, paymentId, checkCode, issuedAtMs } = named;
    return {
      orgId: orgId.read(row),
      mode: mode.read(row),
      paymentId: paymentId.read(row),
      checkCode: checkCode.read(row),
      issuedAtMs: issuedAtMs.read(row),
    };
  },
  async paidBefore(unit, { orgId, mode, buyerId, payeeName, paymentId }, accountHash) {
    const { name } = accounts;
    const isPaid = [
      '(select covered_at from payments where payments.org_id = $1 and payments.mode = $2',
      `and payments.id = ${name}.payment_id) is not null`,
    ].join(' ');
    const sql = [
      `select payment_id, issued_at from ${name} where org_id = $1 and mode = $2`,
      'and buyer_id = $3 and account_hash = $4 and payment_id <> $5 and payee_name = $6',
      `and ${isPaid} order by issued_at desc limit 1`,
    ].join(' ');
    const params = [orgId, mode, buyerId, accountHash, paymentId, payeeName];
    const [row] = await unit.rows(name, sql, params);
    if (row === undefined) return null;
    const { paymentId: id, issuedAtMs } = named;
    return { paymentId: id.read(row), issuedAtMs: issuedAtMs.read(row) };
  },
};
