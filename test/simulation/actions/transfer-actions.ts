// Transfers for several payments: buyers accept the prices of some of their payments together, and
// their banks send money, all of it or not, once or more often.
import { tenantOf } from '../../../core/domain/base/tenant.js';
import { isConsolidatable } from '../../../core/domain/payments/payment-transitions.js';
import { payConsolidated } from '../../../core/usecases/hosted/consolidated-payments.js';
import type { ObservedPayment } from '../invariants/observed-payment.js';
import type { Acts, Pointless, World } from '../world/world.js';

type TransferAction = 'consolidate' | 'transfer';

export const transferActs: Acts<TransferAction> = {
  consolidate: (world, host) => {
    const group = world.random.pick(groupsOf(world));
    const count = world.random.between(2, group.length);
    const chosen = group.slice(0, count).map(({ payment }) => payment);
    const [first] = chosen;
    if (first === undefined) return;
    const accepted = chosen.map(({ id: paymentId, quoteId }) => ({ paymentId, quoteId }));
    const ids = chosen.map(({ id }) => id).join(' ');
    const pay = async () => {
      const payment = await payConsolidated(host.deps, first.publicId, accepted, 'en');
      world.count('paid together');
      return payment;
    };
    host.begin(`pay together ${ids}`, pay, {
      by: tenantOf(first),
      refused: ({ code }) => world.count(`paying together refused: ${code}`),
    });
  },
  transfer: (world) => {
    const { random } = world;
    const partner = random.pick(payable(world));
    const collection = random.pick(partner.collections);
    const { amountMinor } = collection.amount;
    const parts = [amountMinor / 2n + 1n, amountMinor / 3n + 1n, amountMinor + 77n];
    partner.transfer(collection, random.chance(0.6) ? amountMinor : random.pick(parts));
    world.count('transfer for several payments');
  },
};

export const transfersPointless: Pointless = {
  consolidate: (world) => groupsOf(world).length === 0,
  transfer: (world) => payable(world).length === 0,
};

function payable({ partners }: World) {
  return Object.values(partners).filter(({ collections }) => collections.length > 0);
}

/** Payments of one buyer to one payee that one transfer may pay. */
function groupsOf({ observed }: World): readonly (readonly ObservedPayment[])[] {
  const able = [...observed.payments.values()].filter(
    (found) => isConsolidatable(found) && found.payment.status !== 'buyer_kyc_approved',
  );
  const groups = Object.groupBy(able, ({ payment }) =>
    [
      payment.orgId,
      payment.mode,
      payment.buyerId,
      payment.sellerExternalId,
      payment.amount.currency,
    ].join(' '),
  );
  return Object.values(groups).flatMap((group = []) => (group.length > 1 ? [group] : []));
}
