// The laws of the money desk under any sequence of decisions, retries, calls and reports: the books
// balance, a command that is repeated changes nothing, and nothing is ordered that is not owed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  acceptCommand,
  denyCommand,
  type MoneyCommand,
  recordAbsence,
  requestPurpose,
  sendCommand,
} from '../../../../core/domain/commands/partner-command.js';
import { PonteError } from '../../../../core/errors.js';
import { retryCommand } from '../../../../core/usecases/commands/command-retries.js';
import type { DeskOutcome } from '../../../../core/usecases/money-desk/money-desk.js';
import type { DeskRequest } from '../../../../core/usecases/money-desk/service-items.js';
import {
  stageMoneyCommand,
  storeStaged,
} from '../../../../core/usecases/payments/command-changes.js';
import { currentKey } from '../../../../core/usecases/service/service-keys.js';
import { lawRuns } from '../../../support/law-runs.js';
import { changedPartner } from '../../../support/partners/changed-partner.js';
import { operatorNamed, registerOperators } from '../../../support/samples/operator-samples.js';
import { absent } from '../../../support/scenes/command-scene.js';
import {
  anOrder,
  DeskScene,
  failedPayout,
  live,
  paidIn,
  refusedRefund,
  usd,
} from '../../../support/scenes/desk-scene.js';
import { openWorld } from '../../../support/scenes/test-world.js';

const RECEIVED_MINOR = 10_000n;
const starts = {
  'a refused refund': [paidIn(), refusedRefund()],
  'a refund that is not sent': [
    paidIn(),
    refusedRefund({ state: 'pending', lastSentAtMs: null, dueAtMs: 1 }),
  ],
  'a failed payout': [paidIn(), failedPayout()],
  'two refused refunds': [
    paidIn(),
    refusedRefund({ amount: usd(4_000n) }),
    refusedRefund({ id: 'cmd_back2', reference: 'ref_2', amount: usd(6_000n) }),
  ],
  'a payout under way': [paidIn(), anOrder('payout', 'cmd_out')],
} as const satisfies Readonly<Record<string, readonly MoneyCommand[]>>;

const requests: readonly DeskRequest[] = [
  { verb: 'refund' },
  { verb: 'returned' },
  {
    verb: 'paid',
    settledMinor: 51_480n,
    feesMinor: 100n,
    endToEndId: 'E1',
  },
];
const payoutEnds = {
  completed: {
    status: 'completed',
    settled: { amountMinor: 51_480n, currency: 'BRL' },
    fxRate: '5.20',
    fees: usd(100n),
    endToEndId: 'E9',
    reason: null,
  },
  ...Object.fromEntries(
    ['failed', 'returned'].map((status) => [
      status,
      { status, settled: null, fxRate: null, fees: null, endToEndId: null, reason: null },
    ]),
  ),
} as Readonly<Record<'completed' | 'failed' | 'returned', object>>;

const which = fc.nat(3);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      which,
      request: fc.constantFrom(...requests),
      operator: fc.constantFrom('ana', 'bia', 'eva'),
      replace: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ which, work: fc.constantFrom('retry', 'send', 'deny') }) },
  {
    weight: 3,
    arbitrary: fc.record({ which, end: fc.constantFrom('completed', 'failed', 'returned') }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What really happened, by the partner and by hand. */
interface Truth {
  handMinor: bigint;
  /** Refunds that the partner has paid, and that it may yet pay. */
  readonly paid: Map<string, bigint>;
  readonly moving: Map<string, bigint>;
  payoutMinor: bigint;
}

const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((all, one) => all + one, 0n);

async function take(at: DeskScene, truth: Truth, next: Step): Promise<void> {
  const commands = await at.deps.store.run((tx) => tx.commands.ofPayment(live, 'pi_1'));
  const command = commands.at(-1 - (next.which % commands.length)) ?? assert.fail();
  if ('request' in next) return decide(at, truth, command, next);
  if ('work' in next) return work(at, truth, command, next.work);
  return report(at, truth, command, next.end);
}

async function decide(
  at: DeskScene,
  truth: Truth,
  command: MoneyCommand,
  { request, operator, replace }: Extract<Step, { readonly request: unknown }>,
): Promise<void> {
  const before = await booksOf(at);
  let outcome: DeskOutcome | null = null;
  try {
    outcome = await at.decide(command.id, request, { operator, replace });
  } catch (error) {
    assert.ok(error instanceof PonteError && error.code === 'DecisionNotAllowed', String(error));
  }
  if (outcome?.kind !== 'done') {
    assert.deepEqual(await booksOf(at), before, 'only what is done changes the books');
    return;
  }
  assert.notEqual(outcome.decision.proposedBy, outcome.decision.endedBy);
  if (request.verb === 'refund') truth.handMinor += command.amount.amountMinor;
  else truth.payoutMinor = request.verb === 'paid' ? command.amount.amountMinor : 0n;
  const decided = await booksOf(at);
  const again = await at.decide(command.id, request, { operator: 'ivo' }).catch(() => null);
  assert.ok(again === null || again.kind === 'repeated', 'a third time changes nothing');
  assert.deepEqual(await booksOf(at), decided);
}

async function work(
  at: DeskScene,
  truth: Truth,
  command: MoneyCommand,
  what: string,
): Promise<void> {
  if (command.kind !== 'refund') return;
  const { id, amount } = command;
  if (what === 'retry') {
    if (command.state !== 'refused') return;
    await retryCommand(at.deps, id);
    return;
  }
  if (command.state !== 'pending') return;
  const out = truth.handMinor + sum(truth.paid.values()) + sum(truth.moving.values());
  const spent = out + truth.payoutMinor + amount.amountMinor;
  assert.ok(spent <= RECEIVED_MINOR, `${amount.amountMinor} is ordered, ${out} has left`);
  const request = at.deps.secretBox.seal('{}', requestPurpose({ id }));
  await change(at, id, (was, nowMs) => sendCommand(was, request, nowMs));
  if (what === 'send') {
    await change(at, id, (was, nowMs) => acceptCommand(was, `pa_${id}`, nowMs));
    truth.moving.set(id, amount.amountMinor);
    return;
  }
  const refusal = { code: 'no', message: 'no' };
  await change(at, id, (was, nowMs) => recordAbsence(denyCommand(was, refusal, nowMs), 0, nowMs));
}

/** A message, and the answer to the read that follows it. */
async function report(
  at: DeskScene,
  truth: Truth,
  command: MoneyCommand,
  end: string,
): Promise<void> {
  const { id, kind, amount, lastSentAtMs } = command;
  // The partner does not have what was never sent.
  if (lastSentAtMs === null || kind === 'payin') return;
  if (kind === 'payout') {
    const isOverruled = end === command.overruled;
    await twice(at, id, payoutEnds[end as keyof typeof payoutEnds]);
    // A payout that came back fails no more.
    const { end: now } = await at.command(id);
    if (!isOverruled) truth.payoutMinor = now === 'returned' ? 0n : amount.amountMinor;
    return;
  }
  const status = end === 'returned' ? 'failed' : end;
  await twice(at, id, { status, amount, reason: null });
  truth.moving.delete(id);
  truth.paid.delete(id);
  if (status === 'completed') truth.paid.set(id, amount.amountMinor);
}

async function twice(at: DeskScene, id: string, fact: object): Promise<void> {
  await at.report(id, fact);
  await at.report(id, fact, true);
}

async function change(
  at: DeskScene,
  id: string,
  decideNext: (was: MoneyCommand, nowMs: number) => MoneyCommand,
): Promise<void> {
  await storeStaged(at.deps, async (batch) => {
    const was = await at.command(id);
    return stageMoneyCommand(batch, was, () => decideNext(was, batch.nowMs));
  });
}

async function booksOf(at: DeskScene): Promise<readonly unknown[]> {
  return [await at.summary(), await at.postings()];
}

async function history(start: readonly MoneyCommand[], steps: readonly Step[]): Promise<void> {
  const made = await openWorld();
  try {
    await currentKey(made.deps, 'partner');
    await registerOperators(made.deps.store, ['ana', 'bia', 'eva', 'ivo'].map(operatorNamed));
    // A look-up finds none of the refunds that were refused.
    const partner = changedPartner(made.partner, { refund: { find: absent } });
    const partners = { ...made.deps.partners, live: partner };
    const at = new DeskScene({ ...made, deps: { ...made.deps, partners } });
    await at.payment(start);
    const payoutMinor = sum(
      start.filter(({ kind }) => kind === 'payout').map(({ amount }) => amount.amountMinor),
    );
    const truth: Truth = { handMinor: 0n, paid: new Map(), moving: new Map(), payoutMinor };
    for (const next of steps) {
      await take(at, truth, next);
      await made.booksAreRight();
      const funds = await at.deps.store.run((tx) => tx.funds.get(live, 'pi_1'));
      assert.equal(funds?.refundedMinor, truth.handMinor + sum(truth.paid.values()), 'paid back');
      const out = truth.handMinor + sum(truth.paid.values()) + truth.payoutMinor;
      const overMinor = out > RECEIVED_MINOR ? out - RECEIVED_MINOR : 0n;
      assert.ok((funds?.lossMinor ?? 0n) >= overMinor, 'what left too much is a loss');
    }
  } finally {
    await made.close();
  }
}

for (const [name, start] of Object.entries(starts)) {
  test(`law: from ${name} on, the books balance and nothing is paid that is not owed`, async () => {
    const steps = fc.array(step, { maxLength: 25, size: 'max' });
    const property = fc.asyncProperty(steps, (taken) => history(start, taken));
    await fc.assert(property, { numRuns: lawRuns(40) });
  });
}
