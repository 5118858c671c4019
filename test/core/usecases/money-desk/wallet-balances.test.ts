// What the partner's wallets hold, compared with the float of the ledger.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import type { PartnerWallets } from '../../../../core/ports/partner.js';
import {
  compareWallets,
  walletOfPayment,
} from '../../../../core/usecases/money-desk/wallet-balances.js';
import { changedPartner } from '../../../support/partners/changed-partner.js';
import {
  anOrder,
  type DeskScene,
  deskScene,
  live,
  paidIn,
  refusedRefund,
  usd,
} from '../../../support/scenes/desk-scene.js';

/** All destinations lead to one wallet. */
function withWallets(at: DeskScene, amountMinor: bigint | null) {
  const wallets: PartnerWallets = {
    walletOf: () => 'wallet_1',
    balance: async () =>
      amountMinor === null
        ? { outcome: 'later', reason: 'down' }
        : { outcome: 'done', value: usd(amountMinor) },
  };
  const partner = Object.assign(changedPartner(at.deps.partners.test ?? assert.fail(), {}), {
    wallets,
  });
  return { ...at.deps, partners: { test: null, live: partner } };
}

const holding = (at: DeskScene, amountMinor: bigint | null) =>
  compareWallets(withWallets(at, amountMinor), 'live');

/** One payment holds 100.00, one owes 100.00 to its buyer, one is paid out. */
async function threePayments(t: Parameters<typeof deskScene>[0]): Promise<DeskScene> {
  const at = await deskScene(t);
  const named = (id: string) => ({ id, publicId: id, status: 'on_chain_confirmed' }) as const;
  await at.payment([paidIn(10_000n, { id: 'in_1' })], { ...named('pi_1'), quoteId: 'qt_1' });
  await at.payment([paidIn(10_000n, { id: 'in_2' }), refusedRefund({ payinId: 'in_2' })], {
    ...named('pi_2'),
  });
  const settlement = { settled: money(1n, 'BRL'), fees: usd(100n), fxRate: '5', endToEndId: null };
  const paidOut = anOrder('payout', 'out_3', { end: 'completed' });
  await at.payment([paidIn(10_000n, { id: 'in_3' }), paidOut], { ...named('pi_3'), settlement });
  return at;
}

test('a wallet holds the float and the debts to buyers, less the fees of pay-ins', async (t) => {
  const at = await threePayments(t);
  for (const [balanceMinor, differs] of [
    [20_000n, false],
    [19_900n, false],
    [19_899n, true],
    [20_001n, true],
  ] as const) {
    const [found, ...more] = await holding(at, balanceMinor);
    assert.deepEqual(more, []);
    assert.deepEqual([found?.floatMinor, found?.leastMinor], [20_000n, 19_900n]);
    assert.equal(found?.differs, differs, `${balanceMinor}`);
  }
});

test('the float of one payment is beside its wallet, which is read only for who asks', async (t) => {
  const at = await threePayments(t);
  for (const [id, oursMinor] of [
    ['pi_1', 10_000n],
    ['pi_2', 10_000n],
    ['pi_3', 0n],
  ] as const) {
    const payment = (await at.deps.store.run((tx) => tx.payments.find(id))) ?? assert.fail();
    for (const [held, balance, reason] of [
      [20_000n, usd(20_000n), null],
      [null, null, 'down'],
    ] as const) {
      const asked = await walletOfPayment(withWallets(at, held), payment, true);
      const read = { atMs: at.deps.clock.nowMs(), balance, reason };
      assert.deepEqual(asked, { ours: usd(oursMinor), read });
    }
    const unasked = await walletOfPayment(withWallets(at, null), payment, false);
    assert.deepEqual(unasked, { ours: usd(oursMinor), read: null });
    assert.equal(await walletOfPayment(at.deps, payment, true), null);
  }
});

test('a refund that was paid by hand leaves its money in the wallet', async (t) => {
  const at = await threePayments(t);
  await at.agree('cmd_back', { verb: 'refund' });
  const [found] = await holding(at, 20_000n);
  assert.deepEqual([found?.floatMinor, found?.differs], [20_000n, false]);
});

test('the money of deposits may be in any wallet, also after a refund by hand', async (t) => {
  const at = await threePayments(t);
  await at.deposit();
  assert.equal((await holding(at, 30_000n))[0]?.differs, false);
  assert.equal((await holding(at, 30_001n))[0]?.differs, true);
  await at.agree('dep_1', { verb: 'refund' });
  assert.equal((await holding(at, 30_000n))[0]?.differs, false);
});

test('what the operator withdraws after a refund by hand leaves wallet and float', async (t) => {
  const at = await threePayments(t);
  await at.agree('cmd_back', { verb: 'refund' });
  await at.deposit({ book: 'payout' });
  const differs = async (minor: bigint) => (await holding(at, minor))[0]?.differs;
  assert.deepEqual([await differs(10_000n), await differs(9_899n)], [false, true], 'undecided');
  await at.agree('dep_1', { verb: 'withdrawn' });
  assert.deepEqual([await differs(10_000n), await differs(9_899n)], [false, true], 'decided');
  const balances = await at.deps.store.run((tx) => tx.ledger.balances(live.mode));
  const minorOf = (account: string) =>
    balances.find((one) => one.account === account && one.currency === 'USD')?.amountMinor ?? 0n;
  assert.equal(minorOf('operator'), 0n, 'it has back what it paid the buyer');
  assert.equal(minorOf('partner_float'), 10_000n, 'of the payment that is not paid out');
});

test('a wallet that cannot be read is not compared', async (t) => {
  const at = await threePayments(t);
  const [unread] = await holding(at, null);
  assert.deepEqual([unread?.balanceMinor, unread?.reason, unread?.differs], [null, 'down', false]);
});

test('a partner that does not report them has no wallets to compare', async (t) => {
  const at = await deskScene(t);
  assert.deepEqual(await compareWallets(at.deps, live.mode), []);
});
