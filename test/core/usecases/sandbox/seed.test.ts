// What a seeded database holds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { addMember } from '../../../../core/usecases/access/members.js';
import { requireApproval } from '../../../../core/usecases/parties/organizations.js';
import { readView } from '../../../../core/usecases/payments/payment-store.js';
import { SEEDED_MS, seedPayments } from '../../../../core/usecases/sandbox/seed.js';
import { createPonte } from '../../../../host/embed.js';

async function seeded(): Promise<Readonly<Record<string, number>>> {
  const ponte = await createPonte();
  try {
    const { deps, tenant, advanceTime: pass } = ponte;
    const { orgId } = tenant;
    await requireApproval(deps, orgId, true);
    const { id: memberId } = await addMember(deps, { orgId, email: 'a@b.co', role: 'finance' });
    const startedAtMs = ponte.nowMs();
    assert.equal(await seedPayments(deps, { tenant, memberId, pass }), 50);
    assert.ok(ponte.nowMs() - startedAtMs < SEEDED_MS);
    const filter = { status: null, orgId, beforeId: null, limit: 51 };
    const payments: readonly Payment[] = await deps.store.run((tx) => tx.payments.list(filter));
    const views = await Promise.all(payments.map(({ id }) => readView(deps, tenant, id)));
    const states = views.map(({ payment, funds }) =>
      [payment.status, funds.position, funds.refund].join(' '),
    );
    return Object.fromEntries(
      states.toSorted().map((state) => [state, states.filter((one) => one === state).length]),
    );
  } finally {
    await ponte.close();
  }
}

test('fifty payments are seeded, in every state that lasts', async () => {
  assert.deepEqual(await seeded(), {
    'approved none none': 1,
    'awaiting_approval none none': 2,
    'awaiting_buyer none none': 2,
    'buyer_kyc_approved none none': 1,
    'buyer_kyc_pending none none': 4,
    'cancelled none none': 2,
    'cancelled returned_to_buyer refunded': 1,
    'expired none none': 2,
    'failed needs_review none': 1,
    'failed none none': 4,
    'failed returned_to_buyer refunded': 1,
    'fx_quoted none none': 1,
    'on_ramp_pending expected none': 2,
    'on_ramp_pending received none': 2,
    'settled paid none': 23,
    'settled paid refunded': 1,
  });
});
