import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { done } from '../../../adapters/partner-kit/conformance-harness.js';
import { partnerConformance } from '../../../adapters/partner-kit/partner-kit.js';
import { money } from '../../../core/domain/base/money.js';
import {
  approvedBusiness,
  DELAY_MS,
  destinationOf,
  facts,
  minor,
  party,
  pixKey,
  refusalCode,
  START_MS,
  startedPayin,
  startedPayout,
  world,
} from '../../support/partners/fake-world.js';
import { memoryOnly } from '../../support/partners/memory-only.js';

const noBooks = 'without a file it stores no transactions';

for (const isStoring of [false, true]) {
  partnerConformance({
    partner: isStoring ? 'fake with a memory' : 'fake',
    against: 'simulator',
    traits: {
      amounts: {
        fine: money(125_000n, 'USD'),
        payinFails: money(125_066n, 'USD'),
        payoutFails: money(125_077n, 'USD'),
        payoutReturns: money(125_088n, 'USD'),
      },
      rejected: { firstName: 'Fail', lastName: 'Lima' },
      pixKey,
      badPixKey: 'not a pix key',
      asked: { party: { firstName: 'More' }, answer: { addressLine1: 'Rua 1' } },
      refunds: true,
    },
    ...(isStoring
      ? { pageSize: 2 }
      : { unsupported: { 'statement.page': noBooks, 'statement.read': noBooks } }),
    async open() {
      const made = world({ delayMs: 45_000, memory: isStoring ? memoryOnly() : null, pageSize: 2 });
      return {
        partner: made.partner,
        nowMs: () => made.nowMs,
        step: () => made.pass(45_000),
        messages: () => made.messages,
        restarted: made.restarted,
        close: async () => undefined,
      };
    },
    onReport({ groups }) {
      const {
        connection,
        faults,
        deposits,
        withdrawals,
        'read-back': readBack,
        ...others
      } = groups;
      const listed = isStoring ? 'passed' : 'declared only';
      const unheld = [connection, faults, deposits, withdrawals];
      assert.deepEqual(new Set(unheld), new Set(['declared only']));
      assert.equal(readBack, listed);
      assert.deepEqual(new Set(Object.values(others)), new Set(['passed']));
    },
  });
}

const anyAmount = fc.record({
  amountMinor: fc.bigInt({ min: 100n, max: 99_999_999_999_999n }),
  currency: fc.constantFrom('USD', 'EUR', 'GBP'),
});

test('terms of any tosId are taken, and none are asked for', async () => {
  const { partner } = world();
  for (const role of ['seller', 'buyer'] as const) {
    for (const entityType of ['business', 'individual'] as const) {
      assert.deepEqual(partner.requirements(role, entityType), []);
      for (const tosId of ['tos_of_nobody', '', null]) {
        const transaction = { reference: `cmd_${tosId}`, role, entityType, tosId };
        const request = done(await partner.party.prepare(transaction));
        assert.equal((await partner.party.start(request)).outcome, 'done');
      }
    }
  }
});

test('a request text alone decides the id, whenever and wherever it is started', async () => {
  const reference = fc.stringMatching(/^[A-Za-z0-9_-]{1,32}$/);
  await fc.assert(
    fc.asyncProperty(anyAmount, reference, fc.nat(10 ** 9), async (amount, name, laterMs) => {
      const made = world();
      const destination = await destinationOf(made);
      const quote = done(await made.partner.quote({ source: amount, destination }));
      const transaction = { reference: name, quote, payerEmail: 'buyer@example.com' };
      const payin = done(await made.partner.payin.prepare(transaction));
      const payout = done(
        await made.partner.payout.prepare({
          reference: name,
          amount,
          destination,
          payinRefs: [],
          quote,
        }),
      );
      const first = [
        await made.partner.payin.start(payin),
        await made.partner.payout.start(payout),
      ];
      made.nowMs += laterMs;
      const other = made.restarted();
      assert.deepEqual([await other.payin.start(payin), await other.payout.start(payout)], first);
      for (const answer of first) {
        assert.ok(done<{ partnerRef: string }>(answer).partnerRef.length <= 140);
      }
    }),
  );
});

test('without a delay messages are due immediately, and still not sent in the call', async () => {
  const made = world({ delayMs: 0 });
  const request = done(await made.partner.party.prepare(party({})));
  assert.equal(done(await made.partner.party.start(request)).report?.status, 'verifying');
  assert.equal(made.partner.nextDueAtMs(), START_MS);
  const partnerRef = await startedPayout(made, minor('10.88'));
  assert.equal(made.messages.length, 0);
  await made.pass(0);
  assert.deepEqual(
    facts(made)
      .filter((fact) => fact.partnerRef === partnerRef)
      .map(({ report }) => report.status),
    ['failed', 'returned'],
  );
  assert.equal(made.partner.nextDueAtMs(), null);
});

test('a restart forgets messages and nothing else', async () => {
  const made = world();
  const partnerRef = await startedPayin(made, minor('100.00'));
  const partner = made.restarted();
  assert.equal(partner.nextDueAtMs(), null);
  made.nowMs += DELAY_MS;
  assert.equal(done(await partner.payin.read(partnerRef)).status, 'completed');
});

test('a look-up finds a transaction from its preparation on and sends no message', async () => {
  const made = world();
  const transaction = {
    reference: 'cmd_1',
    amount: minor('10.00'),
    destination: await destinationOf(made),
    payinRefs: [],
    quote: null,
  };
  const request = done(await made.partner.payout.prepare(transaction));
  const found = done(await made.partner.payout.find(request));
  assert.equal(made.partner.nextDueAtMs(), null);
  assert.deepEqual(done(await made.partner.payout.start(request)), found);
  assert.equal((await made.partner.payin.find(request)).outcome, 'later');
  assert.equal((await made.partner.payout.find('{}')).outcome, 'later');
});

test('ids and requests of one mode are unknown in the other', async () => {
  const [test, live] = [world(), world({ mode: 'live' })];
  const partnerRef = await startedPayin(test, minor('10.00'));
  assert.equal(refusalCode(await live.partner.payin.read(partnerRef)), 'not_found');
  assert.equal(refusalCode(await test.partner.payout.read(partnerRef)), 'not_found');
  const request = done(await test.partner.party.prepare(party({})));
  assert.equal(refusalCode(await live.partner.party.start(request)), 'request_invalid');
  await test.pass(DELAY_MS);
  for (const { headers, body } of test.messages) {
    assert.equal(live.partner.readInbound(headers, body, live.nowMs + DELAY_MS), null);
  }
});

test('an id of which any character is changed is unknown', async () => {
  const made = world();
  const partnerRef = await startedPayin(made, minor('10.00'));
  for (let at = 0; at < partnerRef.length; at += 1) {
    const changed = String.fromCharCode(partnerRef.charCodeAt(at) ^ 1);
    const other = partnerRef.slice(0, at) + changed + partnerRef.slice(at + 1);
    assert.equal(refusalCode(await made.partner.payin.read(other)), 'not_found', other);
  }
});

const pixKeys: readonly (readonly [key: string, isOne: boolean])[] = [
  ['12345678901', true],
  ['12345678000195', true],
  ['12ABC34501DE35', true],
  ['+5511987654321', true],
  ['+551133334444', true],
  ['ana@example.com.br', true],
  ['123e4567-e89b-42d3-a456-426614174000', true],
  ['', false],
  [' ', false],
  ['1234567890', false],
  ['123.456.789-01', false],
  ['12.345.678/0001-95', false],
  ['11987654321 ', false],
  ['+1 212 555 0100', false],
  ['5511987654321', false],
  ['ana@', false],
  ['@example.com', false],
  ['ana@example', false],
  [`${'a'.repeat(70)}@example.com`, false],
  ['123e4567e89b42d3a456426614174000', false],
];

test('a PIX key is a CPF, a CNPJ, a phone number, an e-mail address or a UUID', async () => {
  const made = world();
  const partyRef = await approvedBusiness(made);
  for (const [key, isOne] of pixKeys) {
    const input = { partyRef, pixKey: key, accountHolderName: 'Ana', key: 'k' };
    const answer = await made.partner.registerPixDestination(input);
    assert.equal(refusalCode(answer), isOne ? null : 'pix_key_invalid', key);
  }
});

test('PIX and rails need an approved party and a holder', async () => {
  const made = world();
  const pix = (partyRef: string, accountHolderName: string) =>
    made.partner.registerPixDestination({ partyRef, pixKey, accountHolderName, key: 'k' });
  const approved = await approvedBusiness(made);
  assert.equal(refusalCode(await pix(approved, '  ')), 'account_holder_invalid');
  const request = done(await made.partner.party.prepare(party({})));
  const { partnerRef } = done(await made.partner.party.start(request));
  assert.equal(refusalCode(await pix(partnerRef, 'Ana')), 'receiver_not_approved');
  await made.pass(DELAY_MS);
  assert.equal(refusalCode(await pix(partnerRef, 'Ana')), null);
  const rails = { partyRef: approved, destinationRef: 'fake_pix_x', key: 'k' };
  assert.equal(refusalCode(await made.partner.provisionRails(rails)), 'not_found');
});
