// The laws of the money under any partner. Reports come in any sequence, twice and late, and
// contradict each other, asked for or not; calls end in every way. Our rows always agree with each
// other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { holdForReview } from '../../../../core/domain/commands/command-report.js';
import {
  acceptCommand,
  denyCommand,
  disownCommand,
  isDisownable,
  isInDoubt,
  isUnpaidRefund,
  isVoidable,
  lookUpAgain,
  type MoneyCommand,
  markUnknown,
  paidByHand,
  postponeCommand,
  recordAbsence,
  refuseCommand,
  replacedRefund,
  supersedeCommand,
} from '../../../../core/domain/commands/partner-command.js';
import {
  type Settlement,
  sameFacts,
  settlementsOf,
  standingSettlement,
} from '../../../../core/domain/commands/settlement.js';
import {
  isPayoutDecidable,
  isRefundableByHand,
} from '../../../../core/domain/money-desk/money-decision.js';
import { arrivedOf } from '../../../../core/domain/payments/change.js';
import { payoutDecided } from '../../../../core/domain/payments/command-outcomes.js';
import {
  balanceName,
  balancesOf,
  fundsOf,
  heldMinor,
  plannedMinor,
  refundableMinor,
  sameFunds,
  stageAtPartner,
  stageOf,
  sumsOf,
} from '../../../../core/domain/payments/funds.js';
import { type Posting, sumByCurrency } from '../../../../core/domain/payments/ledger.js';
import {
  isCancellable,
  isTerminal,
  nextStatus,
  paymentMoves,
} from '../../../../core/domain/payments/payment.js';
import {
  cancelled,
  confirmed,
  expired,
  failedByOperator,
} from '../../../../core/domain/payments/payment-transitions.js';
import { PonteError } from '../../../../core/errors.js';
import { lawRuns } from '../../../support/law-runs.js';
import {
  commandOf,
  completedPayin,
  EFFECT_WITHIN_MS,
  sampleQuote,
  sampleSettlement,
} from '../../../support/samples/sample-rows.js';
import { MoneyScene } from '../../../support/scenes/money-scene.js';
import { valuesOf } from '../../../support/values-of.js';

const blocked = { code: 'account_blocked', message: 'blocked' };
const requote = { code: 'quote_expired', message: 'too late' };

/** What a worker or an operator does with a command, where its state allows it. */
const works: Readonly<Record<string, (scene: MoneyScene, command: MoneyCommand) => MoneyScene>> = {
  send: (scene, command) => (isVoidable(command) ? scene.send(command.id) : scene),
  accept: called((command, nowMs) => acceptCommand(command, `partner_${command.id}`, nowMs)),
  deny: called((command, nowMs) => denyCommand(command, blocked, nowMs)),
  'deny the quote': called((command, nowMs) => denyCommand(command, requote, nowMs)),
  postpone: called((command, nowMs) => postponeCommand(command, 'busy', nowMs)),
  'refuse for now': called((command, nowMs) =>
    postponeCommand(command, 'blocked', nowMs, command.kind === 'payout' ? blocked.code : null),
  ),
  lose: called((command, nowMs) => markUnknown(command, 'time-out', nowMs)),
  'refuse before any call': (scene, command) =>
    isVoidable(command) ? scene.changed([refuseCommand(command, blocked, scene.nowMs)]) : scene,
  'find nothing': (scene, command) =>
    isInDoubt(command)
      ? scene.changed([recordAbsence(command, EFFECT_WITHIN_MS, scene.nowMs)])
      : scene,
  'find it': (scene, command) =>
    isInDoubt(command)
      ? scene.changed([acceptCommand(command, `partner_${command.id}`, scene.nowMs)])
      : scene,
  'fail to look up': (scene, command) =>
    isInDoubt(command) ? scene.changed([lookUpAgain(command, 'not reached', scene.nowMs)]) : scene,
  disown: (scene, command) =>
    isDisownable(command)
      ? scene.changed([disownCommand(command, 'of another', scene.nowMs)])
      : scene,
  supersede: (scene, command) =>
    isUnpaidRefund(command) ? scene.changed([supersedeCommand(command, scene.nowMs)]) : scene,
  'pay by other means': (scene, command) => {
    if (!isRefundableByHand(command)) return scene;
    const name = {
      id: `hand_${scene.commands.length}`,
      reference: `hand_${scene.commands.length}`,
    };
    const { draft, paid } = paidByHand(command, name, scene.nowMs);
    const adopting = new MoneyScene(scene, [...scene.commands, draft], undefined, scene.nowMs);
    return adopting.changed([replacedRefund(command, scene.nowMs), paid]);
  },
  'pay the seller by other means': (scene, command) =>
    isPayoutDecidable(command) ? orRefused(scene, () => scene.paidByHand(command.id)) : scene,
  'give back': (scene, command) => decideReturn(scene, command, 'buyer'),
  'pay again': (scene, command) => decideReturn(scene, command, 'seller'),
  'hold a report': (scene, command) =>
    scene.changed([holdForReview(command, { text: '{}', end: 'completed' }, scene.nowMs)]),
};

function decideReturn(
  scene: MoneyScene,
  command: MoneyCommand,
  to: 'buyer' | 'seller',
): MoneyScene {
  if (!isPayoutDecidable(command)) return scene;
  return orRefused(scene, () =>
    scene.after(payoutDecided(scene, scene.commands, command, to, scene.nowMs)),
  );
}

/** The seller is not paid again if the money is gone, or while another payout may have it. */
function orRefused(scene: MoneyScene, decide: () => MoneyScene): MoneyScene {
  try {
    return decide();
  } catch (error) {
    if (error instanceof PonteError && error.code === 'PaymentStateConflict') return scene;
    throw error;
  }
}

function called(answer: (command: MoneyCommand, nowMs: number) => MoneyCommand) {
  return (scene: MoneyScene, command: MoneyCommand) =>
    command.state === 'sent' ? scene.changed([answer(command, scene.nowMs)]) : scene;
}

/** What people and clocks do, where it applies. */
const causes: Readonly<Record<string, (scene: MoneyScene) => MoneyScene>> = {
  confirm: (scene) => {
    if (nextStatus(scene.payment.status, 'confirm') === null) return scene;
    const quote = { ...sampleQuote, expiresAtMs: scene.nowMs + 1 };
    return scene.after(confirmed(scene, scene.commands, quote, scene.nowMs));
  },
  cancel: (scene) =>
    isCancellable(scene.payment.status)
      ? scene.after(cancelled(scene, scene.commands, 'command withdrawn', scene.nowMs))
      : scene,
  expire: (scene) => {
    const payment = { ...scene.payment, expiresAtMs: scene.nowMs };
    return scene.after(expired({ ...scene, payment }, scene.commands, scene.nowMs));
  },
  fail: (scene) =>
    isTerminal(scene.payment.status)
      ? scene
      : scene.after(failedByOperator(scene, scene.commands, 'by hand', scene.nowMs)),
};

const which = fc.nat(5);
const reportStep = fc.record({
  which,
  end: fc.constantFrom(
    'open' as const,
    'completed' as const,
    'failed' as const,
    'returned' as const,
  ),
  receivedMinor: fc.constantFrom(0n, 1n, 4_000n, 6_000n, 9_999n, 10_000n, 10_007n, 20_000n),
  polled: fc.boolean(),
  settledMinor: fc.constantFrom(51_480n, 50_000n),
});
const workStep = fc.record({ which, work: fc.constantFrom(...Object.keys(works)) });
const step = fc.oneof(
  { weight: 6, arbitrary: reportStep },
  { weight: 8, arbitrary: workStep },
  { weight: 2, arbitrary: fc.record({ laterMs: fc.constantFrom(1_000, EFFECT_WITHIN_MS) }) },
  { weight: 1, arbitrary: fc.record({ cause: fc.constantFrom(...Object.keys(causes)) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function take(scene: MoneyScene, next: Step): MoneyScene {
  if ('cause' in next) return causes[next.cause]?.(scene) ?? scene;
  if ('laterMs' in next) return scene.later(next.laterMs);
  const command = scene.commands.at(-1 - (next.which % scene.commands.length));
  if (command === undefined) return scene;
  if ('work' in next) return works[next.work]?.(scene, command) ?? scene;
  return reported(scene, command, next);
}

function reported(
  scene: MoneyScene,
  command: MoneyCommand,
  {
    end,
    receivedMinor,
    polled,
    settledMinor,
  }: typeof reportStep extends fc.Arbitrary<infer T> ? T : never,
): MoneyScene {
  // The partner never says of a refund that it was returned.
  const next = command.kind === 'refund' && end === 'returned' ? 'failed' : end;
  const report = {
    end: next,
    polled,
    receivedMinor: command.kind === 'payin' ? receivedMinor : 0n,
  };
  const settled = { amountMinor: settledMinor, currency: 'BRL' };
  const settlement = { settlement: { ...sampleSettlement, settled } };
  const isPaid = command.kind === 'payout' && next === 'completed';
  return scene.report(command.id, report, isPaid ? settlement : {});
}

const unsent = { state: 'pending', partnerRef: null } as const;
const requoted = { state: 'refused', refusal: 'quote_expired' } as const;
const starts = [
  MoneyScene.at('on_ramp_pending', [commandOf('payin', 'in', unsent)]),
  MoneyScene.at('fx_quoted', [commandOf('payin', 'in', requoted)]),
  MoneyScene.at('on_ramp_pending', [
    commandOf('payin', 'in', requoted),
    commandOf('payin', 'in_2', unsent),
  ]),
  MoneyScene.at('cancelled', [
    completedPayin('in', 10_000n),
    commandOf('payin', 'in_2'),
    commandOf('refund', 'back', unsent),
  ]),
  MoneyScene.at('offramp_pending', [
    completedPayin('in', 10_000n),
    commandOf('payout', 'out', unsent),
  ]),
];

interface Seen {
  readonly start: MoneyScene;
  readonly was: MoneyScene;
  readonly scene: MoneyScene;
  /** All since the start. */
  readonly postings: readonly Posting[];
  readonly next: Step;
}

/** Runs histories, and looks after every step. */
function eachStep(look: (seen: Seen) => void, parameters: fc.Parameters<unknown> = {}): void {
  const begun = fc.constantFrom(...starts);
  const steps = fc.array(step, { maxLength: 60, size: 'max' });
  fc.assert(
    fc.property(begun, steps, (start, taken) => {
      let scene = start;
      const postings: Posting[] = [];
      for (const next of taken) {
        const was = scene;
        scene = take(was, next);
        if (scene === was) continue;
        postings.push(...scene.change.postings);
        look({ start, was, scene, postings, next });
      }
    }),
    { numRuns: lawRuns(1_000), ...parameters },
  );
}

test('law: money conserves, nothing is negative, and a loss excludes money held or owed', () => {
  eachStep(({ scene: { funds } }) => {
    const parts = [
      heldMinor(funds),
      funds.payoutMinor,
      funds.refundOwedMinor,
      funds.refundOrderedMinor,
      funds.refundedMinor,
    ];
    for (const part of [...parts, funds.receivedMinor, funds.lossMinor]) assert.ok(part >= 0n);
    const sum = parts.reduce((left, right) => left + right, 0n);
    assert.equal(sum, funds.receivedMinor + funds.lossMinor);
    if (funds.lossMinor > 0n) assert.equal(heldMinor(funds) + funds.refundOwedMinor, 0n);
  });
});

test('law: funds and ledger are at any time what the commands say', () => {
  eachStep(({ start, scene: { funds, commands }, postings }) => {
    assert.ok(sameFunds(funds, fundsOf(funds, commands)));
    const expected = balancesOf(sumsOf(commands), funds);
    const booked = new Map(balancesOf(sumsOf(start.commands), funds));
    for (const { lines } of postings) {
      for (const sum of sumByCurrency(lines).values()) assert.equal(sum, 0n);
      for (const { account, money } of lines) {
        const name = balanceName(account, money.currency);
        booked.set(name, (booked.get(name) ?? 0n) + money.amountMinor);
      }
    }
    for (const name of new Set([...booked.keys(), ...expected.keys()])) {
      assert.equal(booked.get(name) ?? 0n, expected.get(name) ?? 0n, name);
    }
  });
});

test('law: unclaimed money is owed back immediately', () => {
  eachStep(({ scene: { payment, funds, commands } }) => {
    const claimed = !isTerminal(payment.status) && funds.payoutMinor === 0n;
    // The seller of a settled payment may be paid again.
    const claimMinor = claimed ? payment.amount.amountMinor : plannedMinor(commands);
    assert.ok(heldMinor(funds) <= claimMinor, `${payment.status} holds ${heldMinor(funds)}`);
  });
});

test('law: a refund that waits asks for no more than its pay-in has', () => {
  eachStep(({ scene: { commands } }) => {
    for (const refund of commands) {
      if (refund.kind !== 'refund' || !(isVoidable(refund) || isUnpaidRefund(refund))) continue;
      const payin = commands.find(({ id }) => id === refund.payinId);
      assert.ok(payin !== undefined && payin.end !== 'returned');
      assert.ok(refundableMinor(payin, commands) >= 0n);
    }
  });
});

test('law: a terminal status stays, and every change of status follows the table with its events', () => {
  eachStep(({ was, scene: { payment, change } }) => {
    let status = was.payment.status;
    const expected: string[] = [];
    for (const { payment: then } of change.events) {
      if (then.status === status) continue;
      assert.ok(Object.values<string>(paymentMoves[status]).includes(then.status));
      status = then.status;
      expected.push(`payment_intent.${status}`, `invoice.${status}`);
    }
    assert.equal(status, payment.status);
    const types = change.events
      .filter(({ amounts }) => amounts === undefined)
      .map(({ type }) => type);
    assert.deepEqual(types, expected);
  });
});

test('law: what arrived has one event per change: of a new status, or funds_changed', () => {
  eachStep(({ was, scene: { payment, change } }) => {
    const reported = change.events.filter(({ type }) => type === 'payment_intent.funds_changed');
    const isChanged = !isDeepStrictEqual(arrivedOf(was), arrivedOf(change));
    const isMoved = was.payment.status !== payment.status;
    assert.deepEqual(
      valuesOf(reported, 'amounts'),
      isChanged && !isMoved ? [arrivedOf(change)] : [],
    );
  });
});

test('law: refunds and recalls of events add up to what went back, to the minor unit', () => {
  eachStep(({ was, scene: { funds, commands, change } }) => {
    const sumOf = (name: string, amountOf: 'refundAmount' | 'recalledAmount') =>
      change.events
        .filter(({ type }) => type === `payment_intent.${name}`)
        .reduce((sum, { amounts }) => sum + (amounts?.[amountOf]?.amountMinor ?? 0n), 0n);
    const gotMinor = (command: MoneyCommand) =>
      command.kind === 'refund' && stageOf(command) === 'moved' ? command.amount.amountMinor : 0n;
    const bounced = commands.reduce((sum, command) => {
      const before = was.commands.find(({ id }) => id === command.id);
      const fellMinor = before === undefined ? 0n : gotMinor(before) - gotMinor(command);
      return fellMinor > 0n ? sum + fellMinor : sum;
    }, 0n);
    const back = sumOf('refunded', 'refundAmount') + sumOf('payin_recalled', 'recalledAmount');
    const here = sumOf('recall_reversed', 'recalledAmount') + bounced;
    assert.equal(back - here, funds.refundedMinor - was.funds.refundedMinor);
  });
});

test('law: nothing is refunded by the change in which more left than arrived', () => {
  eachStep(({ scene: { change } }) => {
    const kinds = change.postings.map(({ kind }) => kind);
    if (!kinds.includes('loss') || !kinds.includes('returned_by_partner')) return;
    const types = change.events.map(({ type }) => type);
    assert.ok(types.includes('payment_intent.payin_recalled'));
    assert.ok(kinds.includes('refund_paid') || !types.includes('payment_intent.refunded'));
  });
});

test('law: all that buyer or seller gets or gives after the end has an event', () => {
  eachStep(({ was, scene: { change } }) => {
    if (!isTerminal(was.payment.status)) return;
    const lines = change.postings.flatMap((posting) => posting.lines);
    for (const account of ['buyer', 'seller']) {
      const moved = sumByCurrency(lines.filter((line) => line.account === account));
      const isMoved = [...moved.values()].some((amountMinor) => amountMinor !== 0n);
      if (isMoved) assert.ok(change.events.length > 0, `${account} ${change.postings.length}`);
    }
  });
});

test('law: a settlement stays as it was reported, and the payment shows the first', () => {
  eachStep(({ was, scene: { payment, commands } }) => {
    const before = settlementsOf(was.commands);
    const after = settlementsOf(commands);
    assert.deepEqual(factsOf(after.slice(0, before.length)), factsOf(before));
    assert.ok(after.length <= before.length + 1);
    const [first] = after;
    assert.deepEqual(payment.settledAtMs, first?.settledAtMs ?? null);
    if (first === undefined) assert.equal(payment.settlement, null);
    else assert.ok(payment.settlement !== null && sameFacts(first, payment.settlement));
  });
});

test('law: the seller has the sum of the settlements that did not come back', () => {
  eachStep(({ scene: { funds, commands } }) => {
    const standing = settlementsOf(commands).filter(({ returnedAtMs }) => returnedAtMs === null);
    const sellerMinor = standing.reduce((sum, { settled }) => sum + settled.amountMinor, 0n);
    const balances = balancesOf(sumsOf(commands), funds);
    assert.equal(balances.get('seller BRL') ?? 0n, sellerMinor);
  });
});

/** All but the time of the return. */
function factsOf(settlements: readonly Settlement[]) {
  return settlements.map(({ returnedAtMs: _, ...facts }) => facts);
}

test('law: one payout at most is planned, and a payment is settled only when it is paid', () => {
  eachStep(({ was, scene: { payment, funds, commands } }) => {
    assert.ok(plannedMinor(commands) <= payment.amount.amountMinor);
    const payouts = commands.filter(({ kind }) => kind === 'payout');
    const isTaken = payouts.some((one) => ['moving', 'moved'].includes(stageAtPartner(one)));
    const waiting = payouts.filter(isVoidable).length;
    assert.ok(waiting === 0 || !isTaken || payment.status === 'settled', 'none is paid twice');
    if (payment.status !== 'settled' || was.payment.status === 'settled') return;
    assert.equal(sumsOf(commands).paidMinor, payment.amount.amountMinor);
    assert.ok(['paid', 'needs_review'].includes(funds.position));
  });
});

test('law: no answer to a call ends a payment whose money is here', () => {
  const decisions = ['give back', 'hold a report'];
  eachStep(({ was, scene: { payment }, next }) => {
    const isAnswer = 'work' in next && !decisions.includes(next.work);
    const { receivedMinor, returnedMinor } = sumsOf(was.commands);
    const isHere = receivedMinor - returnedMinor >= payment.amount.amountMinor;
    if (!isAnswer || !isHere || was.payment.status === 'on_ramp_pending') return;
    assert.ok(payment.status !== 'failed' || was.payment.status === 'failed', next.work);
  });
});

test('law: what waits to be sent is wanted: a pay-in while it is on ramp, a payout until the end', () => {
  eachStep(({ scene: { payment, funds, commands } }) => {
    for (const { id, kind } of commands.filter(isVoidable)) {
      if (kind === 'payin') assert.equal(payment.status, 'on_ramp_pending', id);
      if (kind !== 'payout') continue;
      const isHeld = heldMinor(funds) >= payment.amount.amountMinor;
      const isAgain = payment.status === 'settled' && isHeld;
      assert.ok(!isTerminal(payment.status) || isAgain, id);
    }
  });
});

test('law: no payout waits to be sent after its money went back', () => {
  eachStep(({ scene: { payment, commands } }) => {
    const { receivedMinor, returnedMinor, refundedMinor, orderedMinor } = sumsOf(commands);
    const waits = commands.some((command) => command.kind === 'payout' && isVoidable(command));
    if (!waits || returnedMinor === 0n) return;
    const leftMinor = receivedMinor - returnedMinor - refundedMinor - orderedMinor;
    assert.ok(leftMinor >= payment.amount.amountMinor, `${leftMinor} are left`);
  });
});

test('law: a report that comes twice changes the money once', () => {
  eachStep(({ scene, next }) => {
    if (!('end' in next)) return;
    const command = scene.commands.find(({ id }) => id === scene.change.changedCommands[0]?.id);
    if (command === undefined) return;
    const again = reported(scene, command, next);
    assert.deepEqual([again.postings(), again.events(), again.drafts()], [[], [], []]);
    assert.ok(sameFunds(again.funds, scene.funds));
    assert.equal(again.payment.status, scene.payment.status);
  });
});

test('the histories come to every position, refund state and end', () => {
  const seen = new Set<string>();
  const note = ({ scene: { payment, funds, commands, change } }: Seen) => {
    seen.add(payment.status).add(`funds ${funds.position}`).add(`refund ${funds.refund}`);
    for (const { kind } of change.postings) seen.add(kind);
    for (const { kind, state } of commands) seen.add(`${kind} ${state}`);
    if (
      settlementsOf(commands.filter((one) => standingSettlement(one.settlements) !== null)).length >
      1
    )
      seen.add('paid twice');
    if (commands.some(({ settlements }) => settlements.length > 1))
      seen.add('settled twice by one payout');
  };
  // The same histories every time: this looks at the generator, not at the payment.
  eachStep(note, { seed: 1, numRuns: 1_500 });
  const statuses = ['fx_quoted', 'settled', 'failed', 'cancelled', 'expired'];
  const states = ['pending', 'sent', 'unknown', 'denied', 'done', 'refused', 'void'];
  const orders = ['payin', 'payout', 'refund'].flatMap((kind) =>
    states.map((state) => `${kind} ${state}`),
  );
  const postings = [
    'paid twice',
    'settled twice by one payout',
    'loss',
    'loss_recovered',
    'refund_withdrawn',
    'refund_bounced',
    'payout_returned',
  ];
  const names = ['paid', 'returned_to_buyer', 'needs_review'].map((name) => `funds ${name}`);
  for (const name of [...statuses, ...orders, ...postings, ...names, 'return_reversed']) {
    assert.ok(seen.has(name), name);
  }
});
