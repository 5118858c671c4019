import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeOutbox, readFact, writeFact } from '../../../adapters/partner/fake-outbox.js';
import { money } from '../../../core/domain/base/money.js';
import type { PartnerFact } from '../../../core/ports/partner.js';

const secret = `whsec_${Buffer.alloc(24, 5).toString('base64')}`;

function opened(taken: () => boolean = () => true) {
  const tried: string[] = [];
  let queued = 0;
  const outbox = createFakeOutbox({
    secret,
    deliver: async ({ headers }) => {
      tried.push(headers['svix-id'] ?? '');
      if (!taken()) throw new Error('not taken');
    },
    onQueued: () => {
      queued += 1;
    },
  });
  return { outbox, tried, queued: () => queued };
}

function fact(partnerRef: string): PartnerFact {
  const amount = { amountMinor: 100n, currency: 'USD' };
  const report = { status: 'completed', amount, reason: null } as const;
  return { kind: 'refund', reference: 'cmd_1', partnerRef, report };
}

test('messages are sent when due, oldest first, at most as many as asked for', async () => {
  const { outbox, tried, queued } = opened();
  for (const [id, dueAtMs] of [
    ['c', 30],
    ['a', 10],
    ['b', 20],
    ['d', 30],
  ] as const) {
    outbox.put(id, fact(id), dueAtMs);
  }
  assert.equal(queued(), 4);
  assert.equal(await outbox.sendDueMessages(9, 10), 0);
  assert.equal(await outbox.sendDueMessages(25, 1), 1);
  assert.equal(outbox.nextDueAtMs(), 20);
  assert.equal(await outbox.sendDueMessages(30, 10), 3);
  assert.deepEqual(tried, ['a', 'b', 'c', 'd']);
  assert.equal(outbox.nextDueAtMs(), null);
});

test('messages about one transaction go one after the other', async () => {
  const { outbox, tried } = opened();
  for (const [id, ref] of [
    ['a1', 'a'],
    ['a2', 'a'],
    ['b1', 'b'],
  ] as const) {
    outbox.put(id, fact(ref), 10);
  }
  assert.equal(await outbox.sendDueMessages(10, 10), 2);
  assert.deepEqual(tried, ['a1', 'b1']);
  assert.equal(await outbox.sendDueMessages(10, 10), 1);
  assert.deepEqual(tried, ['a1', 'b1', 'a2']);
});

test('a message that waits is not added twice; one that was sent may be sent again', async () => {
  const { outbox, tried } = opened();
  outbox.put('a', fact('a'), 10);
  outbox.put('a', fact('a'), 10);
  await outbox.sendDueMessages(10, 10);
  assert.equal(await outbox.sendDueMessages(10, 10), 0);
  outbox.put('a', fact('a'), 10);
  await outbox.sendDueMessages(10, 10);
  assert.deepEqual(tried, ['a', 'a']);
});

test('a message that is not taken is repeated three times, then given up', async () => {
  const { outbox, tried } = opened(() => false);
  outbox.put('a', fact('a'), 0);
  const triedAtMs: number[] = [];
  for (let dueAtMs = outbox.nextDueAtMs(); dueAtMs !== null; dueAtMs = outbox.nextDueAtMs()) {
    triedAtMs.push(dueAtMs);
    assert.equal(await outbox.sendDueMessages(dueAtMs, 10), 1);
  }
  assert.deepEqual(triedAtMs, [0, 5_000, 35_000, 335_000]);
  assert.deepEqual(tried, ['a', 'a', 'a', 'a']);
});

test('each kind of fact is read as it was written', () => {
  const ids = { reference: null, partnerRef: 'r' };
  const reason = null;
  const payin = { status: 'open', received: money(0n, 'USD'), transactionHash: null } as const;
  const settled = money(99_999_999_999_999n, 'BRL');
  const sums = { status: 'completed', settled, fees: money(0n, 'USD') } as const;
  const facts: readonly PartnerFact[] = [
    fact('x'),
    { ...ids, kind: 'party', report: { status: 'rejected', reason: 'because' } },
    { ...ids, kind: 'payin', report: { ...payin, reason } },
    { ...ids, kind: 'payout', report: { ...sums, fxRate: '5.4', endToEndId: 'E1', reason } },
  ];
  for (const each of facts) assert.deepEqual(readFact(writeFact(each)), each);
});

test('a text without a fact is read as none', () => {
  const good = writeFact(fact('x'));
  for (const text of ['', '{}', 'null', '[]', good.slice(1), good.replace('refund', 'rebate')]) {
    assert.equal(readFact(text), null, text);
  }
  assert.equal(readFact(good.replace('completed', 'done')), null);
});
