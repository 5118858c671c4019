// createPonte with a settlement partner that its user wrote against the port.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../core/domain/instant.js';
import { money } from '../../core/domain/money.js';
import type {
  OrderApi,
  PartnerAnswer,
  PayinOrder,
  PayoutOrder,
  ReceiverOrder,
  RefundOrder,
  SettlementPartner,
} from '../../core/ports/partner.js';
import { createPonte, type PartnerSetup } from '../../host/embed.js';

function done<T>(value: T): PartnerAnswer<T> {
  return { outcome: 'done', value };
}

/** Takes every order; one that is read is done. Orders are in memory, by their reference. */
class Bank {
  readonly orders = new Map<string, PayinOrder | PayoutOrder | RefundOrder | ReceiverOrder>();

  api<Order extends { readonly reference: string }, Report>(
    kind: string,
    report: (order: Order) => Report,
  ): OrderApi<Order, Report> {
    const prepared = new Map<string, Order>();
    const accepted = (reference: string) => ({
      partnerRef: `bank_${kind}_${reference}`,
      ...(kind === 'payin' && { instructions: '{"account":"1"}' }),
      ...(kind === 'receiver' && { report: { status: 'approved' as const, reason: null } }),
    });
    return {
      prepare: async (order) => {
        prepared.set(order.reference, order);
        return done(order.reference);
      },
      start: async (reference) => {
        this.orders.set(`${kind} ${reference}`, prepared.get(reference) as never);
        return done(accepted(reference));
      },
      find: async (reference) =>
        done(this.orders.has(`${kind} ${reference}`) ? accepted(reference) : null),
      read: async (partnerRef) => {
        const order = prepared.get(partnerRef.slice(`bank_${kind}_`.length));
        if (order === undefined) return { outcome: 'refused', code: 'absent', message: 'absent' };
        return done(report(order));
      },
    };
  }

  partner({ clock }: PartnerSetup): SettlementPartner {
    const brl = (amountMinor: bigint) => money(amountMinor * 5n, 'BRL');
    return {
      name: 'bank',
      currencies: ['USD'],
      callTimeoutMs: 5_000,
      effectWithinMs: 60_000,
      notes: { signatureHeader: 'Bank-Signature', testValues: [] },
      requirements: () => [],
      startTos: async ({ redirectUrl }) => done({ url: redirectUrl }),
      receiver: this.api('receiver', () => ({ status: 'approved' as const, reason: null })),
      payin: this.api('payin', ({ quote }: PayinOrder) => ({
        ...{ status: 'completed' as const, transactionHash: null, reason: null },
        receivedMinor: quote.source.amountMinor,
      })),
      payout: this.api('payout', ({ amount }: PayoutOrder) => ({
        ...{ status: 'completed' as const, fxRate: '5', endToEndId: 'E1', reason: null },
        ...{ settled: brl(amount.amountMinor), fees: money(0n, amount.currency) },
      })),
      refund: this.api('refund', ({ amount }: RefundOrder) => ({
        ...{ status: 'completed' as const, amount, reason: null },
      })),
      registerPixDestination: async ({ key }) => done({ destinationRef: `pix_${key}` }),
      provisionRails: async ({ key }) => done({ virtualAccountRef: `account_${key}` }),
      quote: async ({ source }) =>
        done({
          ...{ partnerQuoteId: 'quote', source, fees: money(0n, source.currency), rate: '5' },
          ...{ target: brl(source.amountMinor), rateKind: 'indicative', lockedUntilMs: null },
          expiresAtMs: clock.nowMs() + MINUTE_MS,
        }),
      findOrder: async () => done(null),
      readInbound: () => null,
    };
  }
}

test('a partner written against the port settles a payment', async () => {
  const bank = new Bank();
  const ponte = await createPonte({ partner: (setup) => bank.partner(setup) });
  const buyer = { email: 'ana@buyer.example' };
  const { id } = await ponte.post('/v1/payment-intents', {
    externalId: 'one',
    amount: '250.00',
    buyer,
  });
  await ponte.post(`/v1/test-helpers/payments/${id}/advance`, {});
  await ponte.advanceTime(5 * MINUTE_MS);
  const payment = await ponte.get(`/v1/payments/${id}`);
  assert.deepEqual([payment['status'], payment['fxRateAtSettlement']], ['settled', '5']);
  const kinds = [...bank.orders.keys()].map((order) => order.split(' ')[0]);
  assert.deepEqual(kinds, ['receiver', 'receiver', 'payin', 'payout']);
  await ponte.close();
});
