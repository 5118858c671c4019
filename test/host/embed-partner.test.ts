// createPonte with a settlement partner that its user wrote against the port.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../core/domain/base/instant.js';
import { createPonte } from '../../host/embed.js';
import { type BankPartner, createBankPartner } from '../examples/bank-partner.js';

test('a partner written against the port settles a payment', async () => {
  let bank: BankPartner | null = null;
  const ponte = await createPonte({
    partner: (setup) => {
      bank = createBankPartner(setup);
      return bank;
    },
  });
  const order = { externalId: 'one', amount: '250.00', buyer: { email: 'ana@buyer.example' } };
  const { id } = await ponte.post('/v1/payment-intents', order);
  await ponte.post(`/v1/test-helpers/payments/${id}/advance`, {});
  await ponte.advanceTime(5 * MINUTE_MS);
  const payment = await ponte.get(`/v1/payments/${id}`);
  assert.deepEqual([payment['status'], payment['fxRateAtSettlement']], ['settled', '5']);
  const kinds = (bank as BankPartner | null)?.started.map((started) => started.split(' ')[0]);
  assert.deepEqual(kinds, ['party', 'party', 'payin', 'payout']);
  await ponte.close();
});

test('a partner with currencies without two decimals is refused before anything is stored', async () => {
  const partner = (setup: Parameters<typeof createBankPartner>[0]) => ({
    ...createBankPartner(setup),
    currencies: ['USD', 'JPY', 'EUR', 'KWD'],
  });
  await assert.rejects(createPonte({ partner }), /two decimals.*: JPY, KWD/);
});
