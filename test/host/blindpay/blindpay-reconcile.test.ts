// Differences between BlindPay and the database of the whole service: planted in the simulator, and
// found by their ids.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import type { Difference } from '../../../core/domain/money-desk/reconciliation.js';
import { reconcile } from '../../../core/usecases/money-desk/reconcile.js';
import type { Transaction } from '../../support/blindpay/blindpay-objects.js';
import {
  openPonte,
  type PonteScene,
  paidOrder,
  readySeller,
} from '../../support/blindpay/blindpay-ponte.js';

interface Scene extends PonteScene {
  readonly payin: Transaction;
  readonly payout: Transaction;
}

/** Two payments, settled an hour ago or more, to a seller with a virtual account. */
async function settled(t: TestContext): Promise<Scene> {
  const scene = await openPonte(t, 'cfsb');
  await readySeller(scene);
  for (const amount of ['1250.00', '900.00']) {
    assert.equal((await paidOrder(scene, amount))['status'], 'settled');
  }
  const { payins, payouts } = scene.server.state;
  const [payin, payout] = [payins[0], payouts[0]];
  assert.ok(payin !== undefined && payout !== undefined);
  return { ...scene, payin, payout };
}

async function found({ ponte }: PonteScene) {
  const waits: string[] = [];
  const result = await reconcile(ponte.deps, {
    mode: 'test',
    sinceMs: 0,
    waitMaxMs: HOUR_MS,
    wait: (ms) => ponte.advanceTime(ms),
    onWait: ({ reason }) => void waits.push(reason),
  });
  assert.ok(result !== null);
  assert.deepEqual(result.missed, []);
  return { ...result, waits };
}

/** Kind, the partner's id here and there, and what both sides say. */
function shortOf({ kind, ours, theirs, here, there }: Difference) {
  return [kind, ours?.partnerRef ?? null, theirs?.partnerRef ?? null, here, there] as const;
}

type Short = ReturnType<typeof shortOf>;

const again = (one: Transaction, id: string, fields: Partial<Transaction> = {}): Transaction => ({
  ...one,
  ...fields,
  id,
});

const plants: Readonly<Record<string, (scene: Scene) => Promise<Short> | Short>> = {
  'a payout that BlindPay does not have': ({ server, payout }) => {
    server.state.payouts.shift();
    return ['missing_at_partner', payout.id, null, null, 'PAYOUTS_NOT_FOUND'];
  },
  'a payout of the dashboard': ({ server, payout }) => {
    server.state.payouts.push(again(payout, 'po_dashboard', { description: 'rent May' }));
    return ['missing_here', null, 'po_dashboard', null, null];
  },
  'a payout under our command again': ({ server, payout }) => {
    server.state.payouts.push(again(payout, 'po_again'));
    return ['duplicate_at_partner', payout.id, 'po_again', null, null];
  },
  'a pay-in of our quote again': ({ server, payin }) => {
    server.state.payins.push(again(payin, 'pi_again'));
    return ['duplicate_at_partner', payin.id, 'pi_again', null, null];
  },
  'a payout that was refunded without a message': ({ payout }) => {
    payout.status = 'refunded';
    return ['status', payout.id, payout.id, 'completed', 'returned'];
  },
  'a pay-in of another amount': ({ payin }) => {
    payin['sender_amount'] = 120_000;
    return ['amount', payin.id, payin.id, '1250.00 USD', '1200.00 USD'];
  },
  'a payout that paid the seller less': ({ payout }) => {
    payout['receiver_amount'] = 600_000;
    const [here, there] = ['6677.15 BRL at 5.3459968', '6000.00 BRL at 4.80384307'];
    return ['settlement', payout.id, payout.id, here, there];
  },
  'a payout that counts as not placed here': async ({ ponte, payout }) => {
    await ponte.deps.store.run(async (tx) => {
      const command = await tx.commands.byPartnerRef('test', 'payout', payout.id);
      assert.ok(command !== null);
      tx.commands.update({ ...command, partnerRef: null, state: 'void', dueAtMs: null });
    });
    return ['not_accepted', null, payout.id, null, null];
  },
  'a deposit that no rule assigns': async ({ server, ponte }) => {
    const seller = server.state.virtualAccounts.at(-1);
    const given = { virtualAccountId: seller?.id ?? '', amountMinor: 7_700 };
    const id = server.state.deposit({ ...given, description: 'hello' });
    await ponte.advanceTime(HOUR_MS);
    return ['deposit_unmatched', id, null, null, null];
  },
};

test('after payments that settled, failed or were returned nothing differs', async (t) => {
  const scene = await settled(t);
  // The pay-in fails; the payout fails, then comes back.
  for (const amount of ['666.00', '667.00', '778.00']) await paidOrder(scene, amount);
  const { differences, entries, commands } = await found(scene);
  assert.deepEqual([differences, entries, commands], [[], 9, 9]);
});

for (const [what, plant] of Object.entries(plants)) {
  test(`found, and nothing else: ${what}`, async (t) => {
    const scene = await settled(t);
    const expected = await plant(scene);
    assert.deepEqual((await found(scene)).differences.map(shortOf), [expected]);
  });
}

test('a command between its acceptance and its end does not differ', async (t) => {
  const scene = await settled(t);
  scene.server.state.payinsWait = true;
  assert.equal((await paidOrder(scene, '40.00'))['status'], 'on_ramp_pending');
  const { differences, entries } = await found(scene);
  assert.deepEqual([differences, entries], [[], 5]);
});

test('a limit of BlindPay is waited for, and pages in any order are compared', async (t) => {
  const scene = await settled(t);
  const { server } = scene;
  server.state.listOrder = 'mixed';
  server.state.pageMax = 1;
  for (const call of ['GET /payouts', 'GET /payins']) server.failNext(call, '429');
  const { differences, entries, waits } = await found(scene);
  assert.deepEqual([differences, entries], [[], 4]);
  assert.ok(waits.length >= 2 && waits.some((reason) => /429|asked to wait/.test(reason)));
  await scene.ponte.advanceTime(MINUTE_MS);
});
