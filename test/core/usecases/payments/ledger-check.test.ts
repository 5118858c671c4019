// Whether the books are right: ledger, funds and commands of each payment say the same.
import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { MoneyCommand } from '../../../../core/domain/commands/partner-command.js';
import { withSettlement } from '../../../../core/domain/commands/settlement.js';
import {
  type Funds,
  fundsAmounts,
  fundsOf,
  postingsBetween,
  sumsOf,
} from '../../../../core/domain/payments/funds.js';
import { type Posting, posting, transfer } from '../../../../core/domain/payments/ledger.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import type { Store, Tx } from '../../../../core/ports/storage.js';
import {
  checkLedger,
  findDifferences,
  type LedgerDifference,
} from '../../../../core/usecases/payments/ledger-check.js';
import { aBarePayment, aCommand, someFunds, T0 } from '../../../support/samples/domain-samples.js';
import { type World, world } from '../../../support/scenes/test-world.js';

/** Two full pages and a part, so that payments lie at both sides of where a page ends. */
const PAYMENTS = 230;
const tenants: readonly Tenant[] = [
  { orgId: 'org_a', mode: 'live' },
  { orgId: 'org_a', mode: 'test' },
  { orgId: 'org_b', mode: 'live' },
];
const tenant = tenants[0] as Tenant;

let made: World;
beforeEach(async (t) => {
  made = await world(t as TestContext);
});

interface Books {
  readonly payment: Payment;
  readonly funds: Funds;
  readonly commands: readonly MoneyCommand[];
  readonly postings: readonly Posting[];
}

const settlement = {
  settled: money(5_100n, 'BRL'),
  fees: money(10n, 'EUR'),
  fxRate: '5.1515',
  endToEndId: null,
};

/** A payment of 10.00 EUR with the books of these commands; `wrong` replaces some of them. */
function books(
  of: Tenant,
  id: string,
  commands: readonly MoneyCommand[],
  wrong: Partial<Books> = {},
) {
  const sums = sumsOf(commands);
  const isPaid = sums.paidMinor > 0n;
  const shown = isPaid ? { settlement, settledAtMs: T0 } : {};
  const payment = aBarePayment({ ...of, id, ...shown });
  return {
    payment,
    funds: fundsOf(someFunds({ ...of, paymentId: id }), commands),
    commands,
    postings: postingsBetween(sumsOf([]), sums, 'EUR'),
    ...wrong,
  };
}

function command(of: Tenant, paymentId: string, fields: Partial<MoneyCommand>): MoneyCommand {
  const { kind = 'payin' } = fields;
  return aCommand({
    ...of,
    id: `cmd_${paymentId}_${kind}`,
    kind,
    paymentId,
    amount: money(1_000n, 'EUR'),
    state: 'done',
    dueAtMs: null,
    partnerRef: `pa_${paymentId}_${kind}`,
    settlements: kind === 'payout' ? withSettlement([], settlement, T0) : [],
    ...fields,
  });
}

/** All 15.00 that arrived: 10.00 paid out, 2.00 given back, 1.00 ordered back, 2.00 owed. */
function fullCommands(of: Tenant, id: string): readonly MoneyCommand[] {
  const payin = command(of, id, {
    end: 'completed',
    receivedMinor: 1_500n,
    confirmedMinor: 1_500n,
  });
  const refund = (amountMinor: bigint, fields: Partial<MoneyCommand>) =>
    command(of, id, {
      kind: 'refund',
      id: `cmd_${id}_${amountMinor}`,
      payinId: payin.id,
      amount: money(amountMinor, 'EUR'),
      partnerRef: null,
      ...fields,
    });
  return [
    payin,
    command(of, id, { kind: 'payout', end: 'completed' }),
    refund(199n, { end: 'completed' }),
    refund(101n, { state: 'sent' }),
    refund(200n, { state: 'pending' }),
  ];
}

const paidIn = (of: Tenant, id: string) => [
  command(of, id, { end: 'completed', receivedMinor: 1_000n, confirmedMinor: 1_000n }),
];

async function store(...all: readonly Books[]): Promise<void> {
  await made.deps.store.run(async (tx) => {
    for (const { payment, funds, commands, postings } of all) {
      tx.payments.insert(payment);
      tx.funds.put(funds);
      for (const one of commands) tx.commands.insert(one);
      for (const [index, one] of postings.entries()) {
        tx.ledger.append(payment, payment.id, `${payment.id}_${index}`, one, T0);
      }
    }
  });
}

const find = (max = 100) => findDifferences(made.deps, max);
const difference = (
  subjectId: string,
  what: string,
  expectedMinor: bigint,
  foundMinor: bigint,
): LedgerDifference => ({ subjectId, what, currency: 'EUR', expectedMinor, foundMinor });

test('books that agree have no differences', async () => {
  assert.deepEqual(await find(), [], 'nor does an empty database');
  const lost = (id: string) => [
    command(tenant, id, { end: 'returned', receivedMinor: 1_000n }),
    command(tenant, id, { kind: 'payout', end: 'completed' }),
  ];
  await store(
    books(tenant, 'pi_1', []),
    books(tenant, 'pi_2', paidIn(tenant, 'pi_2')),
    books(tenant, 'pi_3', fullCommands(tenant, 'pi_3')),
    books(tenant, 'pi_4', lost('pi_4')),
  );
  assert.deepEqual(await find(), []);
});

const dearer = { ...settlement, fees: money(11n, 'EUR') };
const withSettlements = (
  commands: readonly MoneyCommand[],
  settlements: MoneyCommand['settlements'],
) => commands.map((one) => (one.kind === 'payout' ? { ...one, settlements } : one));

/** One thing that is wrong of a payment, and the differences that show it. */
const wrongs: Readonly<
  Record<
    string,
    readonly [
      wrong: (right: Books) => Partial<Books>,
      found: readonly (readonly [what: string, expectedMinor: bigint, foundMinor: bigint])[],
    ]
  >
> = {
  'a posting is missing': [
    ({ postings }) => ({ postings: postings.slice(1) }),
    [
      ['ledger buyer EUR', -1_301n, 199n],
      ['ledger partner_float EUR', 0n, -1_500n],
    ],
  ],
  'a posting is there twice': [
    ({ postings }) => ({ postings: [...postings, ...postings.slice(0, 1)] }),
    [
      ['ledger buyer EUR', -1_301n, -2_801n],
      ['ledger partner_float EUR', 0n, 1_500n],
    ],
  ],
  'a posting does not balance': [
    ({ postings }) => {
      const half = {
        kind: 'refund_paid',
        lines: [{ account: 'refunds', money: money(1n, 'EUR') }],
      };
      return { postings: [...postings, half as Posting] };
    },
    [['ledger refunds EUR', 301n, 302n]],
  ],
  'a posting is in a currency that the payment does not have': [
    ({ postings }) => {
      const other = posting('refund_owed', transfer('partner_float', 'refunds', money(3n, 'USD')));
      return { postings: [...postings, other] };
    },
    [
      ['ledger partner_float USD', 0n, -3n],
      ['ledger refunds USD', 0n, 3n],
    ],
  ],
  'a posting is of the wrong account': [
    ({ postings }) => {
      const other = posting('refund_owed', transfer('buyer', 'losses', money(5n, 'EUR')));
      return { postings: [...postings, other] };
    },
    [
      ['ledger buyer EUR', -1_301n, -1_306n],
      ['ledger losses EUR', 0n, 5n],
    ],
  ],
  'the settlement is not the one that was posted': [
    ({ commands }) => ({
      commands: withSettlements(commands, withSettlement([], dearer, T0)),
    }),
    [
      ['ledger fees EUR', 11n, 10n],
      ['ledger conversion EUR', 989n, 990n],
      ['first settlement', 5_100n, -1n],
    ],
  ],
  'a payment shows another settlement than its first': [
    ({ payment }) => ({ payment: { ...payment, settledAtMs: T0 + 1 } }),
    [['first settlement', 5_100n, -1n]],
  ],
  'a paid payout has no settlement': [
    ({ commands }) => ({ commands: withSettlements(commands, []) }),
    [
      ['ledger fees EUR', 0n, 10n],
      ['ledger conversion EUR', 1_000n, 990n],
      ['ledger conversion BRL', 0n, -5_100n],
      ['ledger seller BRL', 0n, 5_100n],
      ['settlement of cmd_pi_1_payout', 1_000n, 0n],
      ['first settlement', 0n, -1n],
    ],
  ],
  'a command ended otherwise than it is posted': [
    ({ commands }) => ({
      commands: commands.map((one) =>
        one.state === 'sent' ? { ...one, state: 'void' as const } : one,
      ),
    }),
    [
      ['ledger refunds EUR', 200n, 301n],
      ['ledger partner_float EUR', 101n, 0n],
      ['funds refundOrderedMinor', 0n, 101n],
    ],
  ],
  'a pay-in received more than is posted': [
    ({ commands }) => ({
      commands: commands.map((one) =>
        one.kind === 'payin' ? { ...one, receivedMinor: 1_600n } : one,
      ),
    }),
    [
      ['ledger buyer EUR', -1_401n, -1_301n],
      ['ledger partner_float EUR', 100n, 0n],
      ['funds receivedMinor', 1_600n, 1_500n],
    ],
  ],
  'a command is missing': [
    ({ commands }) => ({ commands: commands.slice(0, -1) }),
    [
      ['ledger refunds EUR', 101n, 301n],
      ['ledger partner_float EUR', 200n, 0n],
      ['funds refundOwedMinor', 0n, 200n],
      ['funds paid/refund_owed', 200n, -1n],
    ],
  ],
  'the funds name another position': [
    ({ funds }) => ({ funds: { ...funds, position: 'received' } }),
    [['funds received/refund_owed', 0n, -1n]],
  ],
  'the funds name another refund state': [
    ({ funds }) => ({ funds: { ...funds, refund: 'refunded' } }),
    [['funds paid/refunded', 0n, -1n]],
  ],
};

for (const [name, [wrong, found]] of Object.entries(wrongs)) {
  test(`found: ${name}`, async () => {
    const right = books(tenant, 'pi_1', fullCommands(tenant, 'pi_1'));
    await store({ ...right, ...wrong(right) });
    const sorted = (all: readonly LedgerDifference[]) =>
      all.toSorted((left, right) => (left.what < right.what ? -1 : 1));
    const expected = found.map(([what, ...sums]) => difference('pi_1', what, ...sums));
    assert.deepEqual(sorted(await find()), sorted(expected));
  });
}

test('found: each amount of the funds that the commands do not say', async () => {
  // With 10.00 held any amount can be off without another one.
  for (const name of fundsAmounts) {
    const right = books(tenant, `pi_${name}`, paidIn(tenant, `pi_${name}`));
    await store({ ...right, funds: { ...right.funds, [name]: right.funds[name] + 7n } });
  }
  const expected = fundsAmounts.map((name) => {
    const rightMinor = name === 'receivedMinor' ? 1_000n : 0n;
    return difference(`pi_${name}`, `funds ${name}`, rightMinor, rightMinor + 7n);
  });
  const byPayment = (left: LedgerDifference, right: LedgerDifference) =>
    left.subjectId < right.subjectId ? -1 : 1;
  assert.deepEqual((await find()).toSorted(byPayment), expected.toSorted(byPayment));
});

test('what differs is found with payment and amount, however many payments there are', async () => {
  const id = ({ orgId, mode }: Tenant, index: number) =>
    `pi_${orgId}_${mode}_${String(index).padStart(4, '0')}`;
  // At both sides of where a page ends, and the first and the last of a tenant.
  const wrongOnes = [1, 100, 101, 200, PAYMENTS];
  const expected: LedgerDifference[] = [];
  for (const of of tenants) {
    const all: Books[] = [];
    for (let index = 1; index <= PAYMENTS; index += 1) {
      const right = books(of, id(of, index), paidIn(of, id(of, index)));
      const isWrong = wrongOnes.includes(index);
      all.push(isWrong ? { ...right, funds: { ...right.funds, receivedMinor: 1_001n } } : right);
      if (isWrong) expected.push(difference(id(of, index), 'funds receivedMinor', 1_000n, 1_001n));
    }
    await store(...all);
  }
  assert.deepEqual(await find(), expected);
  assert.deepEqual(await find(7), expected.slice(0, 7));
});

test('a payment that changes while it is read is read again', async () => {
  await store(books(tenant, 'pi_1', paidIn(tenant, 'pi_1')));
  let reads = 0;
  const changing: Store = {
    ...made.deps.store,
    run: (work) =>
      made.deps.store.run((tx) => {
        const { payments } = tx;
        const get: Tx['payments']['get'] = async (of, id) => {
          reads += 1;
          const payment = await payments.get(of, id);
          // Changed between the first two reads of it.
          return payment !== null && reads === 2 ? { ...payment, version: 2 } : payment;
        };
        const changed = Object.create(payments, { get: { value: get } });
        return work(Object.create(tx, { payments: { value: changed } }) as Tx);
      }),
  };
  assert.deepEqual(await findDifferences({ store: changing }, 1), []);
  assert.equal(reads, 4);
});

test('a check says how much it has compared', async () => {
  const nothing = { payments: 0, deposits: 0, lines: 0, accounts: 0 };
  assert.deepEqual((await checkLedger(made.deps, 10)).counts, nothing);
  const tenantOfBoth = await made.newTenant();
  for (const to of ['settled', 'fx_quoted'] as const) {
    await made.play(tenantOfBoth, await made.newPayment(tenantOfBoth), to);
  }
  await made.settle();
  // buyer, float, conversion and fees of the payment's currency, conversion and seller in BRL.
  const { counts, differences } = await checkLedger(made.deps, 10);
  assert.deepEqual(counts, { payments: 2, deposits: 0, lines: 7, accounts: 6 });
  assert.deepEqual(differences, []);
});
