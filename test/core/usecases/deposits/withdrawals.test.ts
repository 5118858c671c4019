// Money that leaves the partner without a command of ours: each payout has a row, waits for a
// person, and leaves the float. The ledger agrees after each decision.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import { HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import type { PartnerEntry } from '../../../../core/ports/partner.js';
import { decide } from '../../../../core/usecases/money-desk/money-desk.js';
import { listQueues } from '../../../../core/usecases/money-desk/money-queues.js';
import type { DeskRequest } from '../../../../core/usecases/money-desk/service-items.js';
import type { Scene } from '../../../support/scenes/command-scene.js';
import { type DepositScene, depositScene } from '../../../support/scenes/deposit-scene.js';
import { rowsOf } from '../../../support/values-of.js';

const NOT_ORDERED = "a payout in the partner's books was not ordered here: ponte money list";

interface Withdrawn {
  readonly scene: DepositScene;
  /** A settled payment of 100.00 USD. */
  readonly at: Scene;
}

/** A payout of 100.00 USD that nobody ordered, found without a message. */
async function withdrawn(
  t: TestContext,
  fieldsOf: (at: Scene) => Promise<Partial<PartnerEntry>> = async () => ({}),
): Promise<Withdrawn> {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  await scene.arrive('va_1');
  await at.pass(3);
  assert.equal((await at.shown())[0], 'settled');
  scene.deposit('pa_out', { kind: 'payout', payer: null, ...(await fieldsOf(at)) });
  await at.pass(30, HOUR_MS);
  return { scene, at };
}

async function stored({ scene }: Withdrawn) {
  const found = await scene.made.deps.store.run((tx) =>
    tx.deposits.byPartnerRef('fake', 'test', 'payout', 'pa_out'),
  );
  return found ?? assert.fail('the payout has no row');
}

async function decides(of: Withdrawn, request: DeskRequest): Promise<void> {
  const { id } = await stored(of);
  const asked = { evidence: 'asked', operator: developmentOperator, replace: false };
  await decide(of.scene.made.deps, { itemId: id, request, ...asked });
}

/** What is not zero, in units. */
async function balances({ scene }: Withdrawn): Promise<Readonly<Record<string, number>>> {
  const all = await scene.made.deps.store.run((tx) => tx.ledger.balances('test'));
  const shown = all
    .filter(({ currency, amountMinor }) => currency === 'USD' && amountMinor !== 0n)
    .map(({ account, amountMinor }) => [account, Number(amountMinor) / 100] as const);
  return Object.fromEntries(shown);
}

test('a payout that nobody ordered has a row within a day, and waits for a person', async (t) => {
  const of = await withdrawn(t);
  const { state, end, book } = await stored(of);
  assert.deepEqual([state, end, book], ['waiting', 'completed', 'payout']);
  assert.equal((await balances(of))['suspense'], -100);
  assert.equal(of.scene.alerts().filter((alert) => alert === NOT_ORDERED).length, 1, 'once');
  const all = { queue: null, orgId: null, mode: null, after: null, limit: 9 };
  const rows = await listQueues(of.scene.made.deps, all);
  assert.deepEqual(rowsOf(rows, 'queue', 'kind', 'steps'), [
    ['unmatched', 'withdrawal', ['withdrawn', 'assign', 'otherwise']],
  ]);
});

test('money that the operator took leaves the float', async (t) => {
  const of = await withdrawn(t);
  await decides(of, { verb: 'withdrawn' });
  const { operator, partner_float: float, suspense } = await balances(of);
  assert.deepEqual([operator, float, suspense], [100, -100, undefined]);
  await of.scene.made.booksAreRight();
  of.scene.books.change('pa_out', { status: 'returned' });
  await of.at.pass(30, HOUR_MS);
  assert.equal((await balances(of))['operator'], undefined, 'it came back');
});

test('a payout that was settled otherwise waits no more', async (t) => {
  const of = await withdrawn(t);
  await decides(of, { verb: 'otherwise' });
  assert.deepEqual(
    [(await stored(of)).state, (await balances(of))['adjustments']],
    ['resolved', -100],
  );
});

test('a second payout under the reference of a command is the loss of its payment', async (t) => {
  const of = await withdrawn(t, async (at) => {
    const { reference } = await at.command('payout');
    return { reference };
  });
  const { payout } = of.scene.made.partner;
  const own = (await of.at.command('payout')).partnerRef ?? assert.fail('it is paid');
  const read = (partnerRef: string) => payout.read(partnerRef === 'pa_out' ? own : partnerRef);
  Object.assign(of.scene.made.partner, { payout: { ...payout, read } });
  await decides(of, { verb: 'assign', paymentId: of.at.id });
  await of.at.pass(5, MINUTE_MS);
  assert.equal((await stored(of)).state, 'assigned');
  assert.equal(await of.at.summary(), 'settled paid none 100 200 0 0 100');
});

test('a withdrawal is not refunded, and is of no payment whose payout may still be sent', async (t) => {
  const of = await withdrawn(t);
  const waits = await of.scene.awaiting(7_000n);
  await assert.rejects(decides(of, { verb: 'refund' }), { code: 'DecisionNotAllowed' });
  const early = decides(of, { verb: 'assign', paymentId: waits.id });
  await assert.rejects(early, { code: 'PaymentStateConflict' });
});

test('a corrected amount or currency, and an end without money, leave a balanced ledger', async (t) => {
  const of = await withdrawn(t);
  of.scene.books.change('pa_out', { amount: money(4_000n, 'EUR') });
  await of.at.pass(30, HOUR_MS);
  assert.deepEqual((await stored(of)).amount, money(4_000n, 'EUR'));
  await of.scene.made.booksAreRight();
  of.scene.books.change('pa_out', { status: 'failed' });
  await of.at.pass(30, HOUR_MS);
  assert.equal((await balances(of))['suspense'], undefined);
});
