// Messages of the partner are counted by their result, under names that no message chooses.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import type { InboundMessage } from '../../../../core/ports/partner.js';
import {
  receivePartnerMessage,
  runInbox,
} from '../../../../core/usecases/commands/partner-inbox.js';
import { notedMetrics } from '../../../support/noted-metrics.js';
import { changedPartner } from '../../../support/partners/changed-partner.js';
import { world } from '../../../support/scenes/test-world.js';

async function desk(t: TestContext, read: InboundMessage | null) {
  const made = await world(t, { payins: 'wait' });
  const metrics = notedMetrics();
  const partner = changedPartner(made.partner, { readInbound: () => read });
  const deps = { ...made.deps, metrics, partners: { test: partner, live: null } };
  const message = { partner: 'fake', mode: 'test', headers: {}, body: new Uint8Array() } as const;
  return { made, deps, metrics, receive: () => receivePartnerMessage(deps, message) };
}

test('a message of an unknown event is acknowledged and counted, a repeat is not', async (t) => {
  const at = await desk(t, { messageId: 'msg_1', facts: [] });
  await at.receive();
  await at.receive();
  assert.deepEqual(at.metrics.recorded, ['fake test without_effect']);
});

test('a message that is not genuine is refused and counted', async (t) => {
  const at = await desk(t, null);
  await assert.rejects(at.receive(), { code: 'InvalidSignature' });
  assert.deepEqual(at.metrics.recorded, ['fake test not_genuine']);
});

test('a message about a command that is not known is counted when it comes and when it is given up', async (t) => {
  const notice = { kind: 'payin', reference: null, partnerRef: 'pi_x', report: null } as const;
  const at = await desk(t, { messageId: 'msg_1', facts: [notice] });
  await at.receive();
  assert.deepEqual(at.metrics.recorded, ['fake test unmatched']);
  for (let tries = 0; tries < 20; tries += 1) {
    at.made.advanceClock(DAY_MS);
    await runInbox(at.deps, at.deps.clock.nowMs(), 10);
  }
  assert.deepEqual(at.metrics.recorded, ['fake test unmatched', 'fake test given_up']);
});

test('a message is applied and counted', async (t) => {
  const facts: InboundMessage['facts'][number][] = [];
  const at = await desk(t, { messageId: 'msg_1', facts });
  const tenant = await at.made.newTenant();
  const id = await at.made.newPayment(tenant);
  await at.made.play(tenant, id, 'on_ramp_pending');
  const commands = await at.deps.store.run((tx) => tx.commands.ofPayment(tenant, id));
  const { partnerRef } = commands[0] ?? assert.fail('a pay-in');
  facts.push({ kind: 'payin', reference: null, partnerRef: partnerRef ?? '', report: null });
  await at.receive();
  assert.deepEqual(at.metrics.recorded, ['fake test applied']);
});
