// Messages of the partner without a report: the command is read, and what is read counts.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HOUR_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import type { PartnerNotice, PartnerReports } from '../../../../core/ports/partner.js';
import { receivePartnerMessage } from '../../../../core/usecases/commands/partner-inbox.js';
import { changePartner } from '../../../support/partners/changed-partner.js';
import { type Scene, scene, silent } from '../../../support/scenes/command-scene.js';

type Says = { -readonly [K in 'payin' | 'payout']: PartnerReports[K] };

const open = { status: 'open', reason: null } as const;
const unpaid = { settled: null, fxRate: null, fees: null, endToEndId: null } as const;
const received = {
  status: 'completed',
  received: money(10_000n, 'USD'),
  transactionHash: '0xabc',
  reason: null,
} as const;
const paid = {
  status: 'completed',
  reason: null,
  fxRate: '5.4',
  endToEndId: 'E1',
  settled: { amountMinor: 53_460n, currency: 'BRL' },
  fees: { amountMinor: 100n, currency: 'USD' },
} as const;

/** The partner accepts the commands of a payment and sends no message but those of the test. */
async function desk(t: TestContext): Promise<{ readonly at: Scene; readonly says: Says }> {
  const at = await scene(t);
  const says: Says = {
    payin: { ...open, received: money(0n, 'USD'), transactionHash: null },
    payout: { ...open, ...unpaid },
  };
  Object.assign(at.made.partner, silent);
  changePartner(at.made.partner, {
    payin: { read: async () => ({ outcome: 'done', value: says.payin }) },
    payout: { read: async () => ({ outcome: 'done', value: says.payout }) },
  });
  while ((await at.commands('payin'))[0]?.state !== 'done') await at.pass(1);
  return { at, says };
}

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
  says.payin = received;
  assert.equal(await take(at, await noticeOf(at, 'payin')), null);
  assert.equal((await at.command('payin')).end, 'open');
  await at.made.settle();
  assert.equal((await at.command('payin')).end, 'completed');
});

test('a message without a report reads a command again whose end was final', async (t) => {
  const { at, says } = await desk(t);
  await at.report('payin', received);
  await at.pass(1);
  await at.report('payout', paid);
  await at.pass(1, HOUR_MS);
  assert.equal((await at.command('payout')).dueAtMs, null);
  says.payout = { ...open, ...unpaid, status: 'returned' };
  assert.equal(await take(at, await noticeOf(at, 'payout')), null);
  await at.made.settle();
  assert.equal((await at.command('payout')).end, 'returned');
  await at.booksAreRight();
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
