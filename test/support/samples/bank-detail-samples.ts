// Bank details and an account in them, for tests of the store.
import type { BankAccount, BankDetails } from '../../../core/domain/payments/bank-record.js';
import { T0, tenant } from './domain-samples.js';

export function someBankDetails(fields: Partial<BankDetails> = {}): BankDetails {
  return {
    ...tenant,
    paymentId: 'pi_1',
    checkCode: '7KQ4-M2XD',
    shortId: 'WXYZ-0123',
    buyerId: 'byr_1',
    payeeName: 'Ana Ltda · São Paulo',
    record: '{"v":1}',
    signature: 'a..b',
    keyId: 'skey_1',
    issuedAtMs: T0,
    ...fields,
  };
}

export const someAccount: BankAccount = { accountHash: 'a', numberHash: 'n' };
