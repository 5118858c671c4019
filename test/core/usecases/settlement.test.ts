import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandKind, PartnerCommand } from '../../../core/domain/partner-command.js';
import type { Tenant } from '../../../core/domain/tenant.js';
import type { PartnerFact } from '../../../core/ports.js';
import { commandRunner } from '../../../core/usecases/commands.js';
import { cancelPayment, createPayment, readPayment } from '../../../core/usecases/payments.js';
import { advancePayment } from '../../../core/usecases/sandbox.js';
import { applyFact } from '../../../core/usecases/settlement.js';
import { type World, world } from '../../support/small-world.js';

/** A payment of 100.55 USD: the fake partner receives 1.00 less and waits for the rest. */
async function cameShort(made: World): Promise<{ tenant: Tenant; id: string }> {
  const tenant: Tenant = { orgId: await made.organization(), mode: 'test' };
  const { payment } = await createPayment(made.deps, tenant, {
    origin: 'payment_intent',
    idempotencyKey: null,
    externalId: null,
    amount: { amountMinor: 10_055n, currency: 'USD' },
    buyer: { email: 'buyer@example.com', name: null, country: null, phone: null },
    sellerExternalId: null,
    returnUrl: null,
    display: null,
    metadata: '{}',
    expiresAtMs: null,
  });
  await advancePayment(made.deps, tenant, payment.id, null);
  for (let look = 0; look < 8; look += 1) {
    await made.settle();
    made.advanceClock(1_000);
  }
  return { tenant, id: payment.id };
}

async function commandOf(
  made: World,
  tenant: Tenant,
  id: string,
  kind: CommandKind,
): Promise<PartnerCommand> {
  const commands = await made.deps.store.run((tx) => tx.commands.ofPayment(tenant, id));
  const found = commands.find((command) => command.kind === kind);
  assert.ok(found !== undefined && found.partnerRef !== null, kind);
  return found;
}

function factOf(command: PartnerCommand) {
  return { reference: command.id, partnerRef: command.partnerRef ?? '' };
}

test('a pay-in that is completed short is asked about until it is topped up', async () => {
  const made = await world();
  const { tenant, id } = await cameShort(made);
  const payin = await commandOf(made, tenant, id, 'payin');
  const tell = (receivedMinor: bigint) => {
    const told = { status: 'completed', transactionHash: '0xabc', reason: null } as const;
    const fact: PartnerFact = {
      ...factOf(payin),
      kind: 'payin',
      report: { ...told, receivedMinor },
    };
    return applyFact(made.deps, payin.id, fact);
  };
  await tell(9_955n);
  const short = await commandOf(made, tenant, id, 'payin');
  assert.deepEqual([short.state, short.end], ['done', 'open']);
  assert.notEqual(short.dueAtMs, null);
  assert.equal((await readPayment(made.deps, tenant, id)).payment.status, 'on_ramp_pending');
  await tell(10_055n);
  const full = await commandOf(made, tenant, id, 'payin');
  assert.deepEqual([full.end, full.dueAtMs], ['completed', null]);
  assert.equal((await readPayment(made.deps, tenant, id)).payment.status, 'on_chain_confirmed');
  await made.close();
});

test('a refund reported otherwise than it had ended changes no money and is shown', async () => {
  const made = await world();
  const { tenant, id } = await cameShort(made);
  await cancelPayment(made.deps, tenant, id, 'order withdrawn');
  await made.settle();
  made.advanceClock(5_000);
  await made.settle();
  const refund = await commandOf(made, tenant, id, 'refund');
  const { funds } = await readPayment(made.deps, tenant, id);
  assert.deepEqual(
    [refund.end, funds.refund, funds.refundedMinor],
    ['completed', 'refunded', 9_955n],
  );
  const tell = (status: 'completed' | 'failed') => {
    const report = { status, reason: null };
    return applyFact(made.deps, refund.id, { ...factOf(refund), kind: 'refund', report });
  };
  const alerts = () => made.log.filter(({ message }) => message === 'alert').length;
  const before = alerts();
  await tell('completed');
  assert.equal(alerts(), before, 'the same end told twice is no news');
  await tell('failed');
  assert.equal(alerts(), before + 1);
  assert.deepEqual((await readPayment(made.deps, tenant, id)).funds, funds);
  await made.close();
});

test('a refund that fails after its pay-in came back leaves nothing for an operator', async () => {
  const made = await world();
  const { tenant, id } = await cameShort(made);
  await cancelPayment(made.deps, tenant, id, 'order withdrawn');
  const runner = commandRunner(made.deps);
  await runner.runOnce(made.deps.clock.nowMs(), 9);
  await runner.idle();
  const payin = await commandOf(made, tenant, id, 'payin');
  const refund = await commandOf(made, tenant, id, 'refund');
  assert.deepEqual([refund.state, refund.end], ['done', 'open']);
  const back = { status: 'returned', receivedMinor: 9_955n, transactionHash: null } as const;
  await applyFact(made.deps, payin.id, {
    ...factOf(payin),
    ...{ kind: 'payin', report: { ...back, reason: null } },
  });
  await applyFact(made.deps, refund.id, {
    ...factOf(refund),
    ...{ kind: 'refund', report: { status: 'failed', reason: 'nothing is left' } },
  });
  const { funds } = await readPayment(made.deps, tenant, id);
  assert.deepEqual([funds.refund, funds.refundedMinor], ['refunded', 9_955n]);
  assert.equal((await commandOf(made, tenant, id, 'refund')).state, 'void');
  const stuck = await made.deps.store.run((tx) => tx.commands.list({ stuck: true, limit: 9 }));
  assert.deepEqual(stuck, []);
  await made.close();
});

test('the pay-in of a payment that ended is asked about ever more rarely', async () => {
  const made = await world();
  const { tenant, id } = await cameShort(made);
  await cancelPayment(made.deps, tenant, id, 'order withdrawn');
  const hourMs = 3_600_000;
  const waitMs = async () => {
    await made.settle();
    const { dueAtMs } = await commandOf(made, tenant, id, 'payin');
    return (dueAtMs ?? 0) - made.deps.clock.nowMs();
  };
  made.advanceClock(hourMs);
  const later = await waitMs();
  made.advanceClock(48 * hourMs);
  assert.deepEqual([later, await waitMs()], [hourMs, 24 * hourMs]);
  await made.close();
});
