// Messages of the partner without a report: the command is read, and what is read counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../../../core/domain/base/instant.js';
import type { PartnerNotice } from '../../../../core/ports/partner.js';
import { receivePartnerMessage } from '../../../../core/usecases/commands/partner-inbox.js';
import { changePartner } from '../../../support/partners/changed-partner.js';
import { desk, open, paid, payin } from '../../../support/scenes/command-desk.js';
import type { Scene } from '../../../support/scenes/command-scene.js';

/** When the message is due again; null once it was applied. */
async function take(
  { made: { deps, partner } }: Scene,
  notice: Omit<PartnerNotice, 'report'>,
): Promise<number | null | undefined> {
  const facts = [{ ...notice, report: null }];
  Object.assign(partner, { readInbound: () => ({ messageId: 'msg_1', facts }) });
  const message = { partner: 'fake', mode: 'test', headers: {}, body: new Uint8Array() } as const;
  await receivePartnerMessage(deps, message);
  return (await deps.store.run((tx) => tx.inbox.get('fake', 'test', 'msg_1')))?.dueAtMs;
}

async function noticeOf(at: Scene, kind: 'payin' | 'payout') {
  const { partnerRef } = await at.command(kind);
  return { kind, partnerRef: partnerRef ?? '', reference: null };
}

test('a message without a report has its command read, and what is read counts', async (t) => {
  const { at, says } = await desk(t);
  says.payin = payin;
  assert.equal(await take(at, await noticeOf(at, 'payin')), null);
  assert.equal((await at.command('payin')).end, 'open');
  await at.made.settle();
  assert.equal((await at.command('payin')).end, 'completed');
});

test('a message without a report reads a command again whose end was final', async (t) => {
  const { at, says } = await desk(t);
  await at.report('payin', payin);
  await at.pass(1);
  await at.report('payout', paid);
  await at.pass(1, HOUR_MS);
  assert.equal((await at.command('payout')).dueAtMs, null);
  says.payout = { ...open, status: 'returned' };
  assert.equal(await take(at, await noticeOf(at, 'payout')), null);
  await at.made.settle();
  assert.equal((await at.command('payout')).end, 'returned');
});

test('a message without a report waits while its command is not accepted', async (t) => {
  const { at } = await desk(t);
  const { made, tenant } = at;
  changePartner(made.partner, {
    payin: { start: async () => ({ outcome: 'later', reason: 'busy' }) },
  });
  const id = await at.another();
  await made.play(tenant, id, 'on_ramp_pending');
  const commands = await made.deps.store.run((tx) => tx.commands.ofPayment(tenant, id));
  const reference = commands[0]?.reference ?? assert.fail('the pay-in is ordered');
  const dueAtMs = await take(at, { kind: 'payin', partnerRef: 'pi_1', reference });
  assert.notEqual(dueAtMs ?? null, null);
});
