// The laws of a payment: whatever is done, told, doubled, late or lost, in whatever order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Change,
  type Collection,
  cancelled,
  confirmed,
  expired,
  failedByOperator,
  kycDecided,
  quoted,
  signedIn,
} from '../../../core/domain/collection.js';
import { heldMinor } from '../../../core/domain/funds.js';
import { sumByCurrency } from '../../../core/domain/ledger.js';
import { isDebt, isOpen } from '../../../core/domain/partner-command.js';
import {
  isCancellable,
  isTerminal,
  nextStatus,
  type PaymentOrigin,
  type PaymentStatus,
  paymentMoves,
} from '../../../core/domain/payment.js';
import { type Answer, CollectionModel, type Order } from '../../support/collection-model.js';
import { sampleQuote } from '../../support/sample-rows.js';

type Model = CollectionModel;

const statusOf = ({ now }: Model) => now.payment.status;

/** What people and clocks do, where it applies. */
const causes = {
  sign_in: (model: Model) => model.apply(signedIn(model.now, false, model.nowMs)),
  sign_in_verified: (model: Model) => model.apply(signedIn(model.now, true, model.nowMs)),
  kyc_approved: (model: Model) => model.apply(kycDecided(model.now, 'approve', null, model.nowMs)),
  kyc_rejected: (model: Model) => model.apply(kycDecided(model.now, 'reject', null, model.nowMs)),
  quote: (model: Model) => {
    if (nextStatus(statusOf(model), 'quote') === null) return;
    model.apply(quoted(model.now, sampleQuote, model.nowMs));
  },
  confirm: (model: Model) => {
    if (statusOf(model) !== 'fx_quoted' || model.now.payment.quoteId === null) return;
    model.apply(
      confirmed(model.now, { ...sampleQuote, expiresAtMs: model.nowMs + 1 }, model.nowMs),
    );
  },
  cancel: (model: Model) => {
    if (!isCancellable(statusOf(model)) && statusOf(model) !== 'cancelled') return;
    model.apply(cancelled(model.now, model.commands, 'order withdrawn', model.nowMs));
  },
  expire: (model: Model) => {
    model.nowMs = Math.max(model.nowMs, model.now.payment.expiresAtMs ?? 0);
    model.apply(expired(model.now, model.commands, model.nowMs));
  },
  fail: (model: Model) => {
    if (isTerminal(statusOf(model))) return;
    model.apply(failedByOperator(model.now, model.commands, 'by hand', model.nowMs));
  },
  debts_anew: (model: Model) => model.orderDebtsAnew(),
  onwards,
} as const satisfies Record<string, (model: Model) => void>;

/** What the partner and the bank do to an order. */
const moves = {
  pay_rest: (model: Model, order: Order) => pay(model, order, order.amountMinor),
  pay_part: (model: Model, order: Order) => pay(model, order, order.receivedMinor + 3_333n),
  pay_more: (model: Model, order: Order) => pay(model, order, order.receivedMinor + 10_007n),
  complete: (model: Model, order: Order) => {
    const short = order.kind === 'payin' && order.receivedMinor < order.amountMinor;
    const lost = order.kind === 'payout' && order.end === 'failed';
    if ((order.end === 'open' || lost) && !short) model.moves(order, { end: 'completed' });
  },
  go_wrong: (model: Model, order: Order) => {
    if (order.kind !== 'payin') {
      if (order.end === 'open') model.moves(order, { end: 'failed' });
    } else if (order.end === 'open' || order.end === 'completed') {
      const untouched = model.freeMinor() === order.receivedMinor;
      if (order.receivedMinor === 0n) model.moves(order, { end: 'failed' });
      else if (untouched) model.moves(order, { end: 'returned' });
    }
  },
  come_back: (model: Model, order: Order) => {
    const lost = order.kind === 'payout' && (order.end === 'open' || order.end === 'failed');
    if (lost) model.moves(order, { end: 'returned' });
  },
} as const satisfies Record<string, (model: Model, order: Order) => void>;

const names = <T extends object>(table: T) =>
  fc.constantFrom(...(Object.keys(table) as (keyof T & string)[]));
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ cause: fc.constant('onwards' as const) }) },
  { weight: 3, arbitrary: fc.record({ cause: names(causes) }) },
  { weight: 4, arbitrary: fc.record({ move: names(moves), which: fc.nat(3) }) },
  { weight: 4, arbitrary: fc.record({ hear: fc.nat(20) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      call: fc.constantFrom('payin' as const, 'payout' as const, 'refund' as const),
      answer: fc.constantFrom<Answer>(
        ...(['accepted', 'refused', 'later', 'lost', 'lost after the effect'] as const),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ late: fc.constant(true) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function take(model: Model, next: Step): void {
  model.nowMs += 10;
  if ('cause' in next) causes[next.cause](model);
  else if ('call' in next) model.call(next.call, next.answer);
  else if ('late' in next) model.arriveLate();
  else if ('hear' in next) {
    // Mostly the newest, sometimes any old one again.
    const news = model.news.at(next.hear < 12 ? -1 : -(next.hear % (model.news.length || 1)));
    if (news !== undefined) model.hear(news);
  } else {
    const order = model.orders.at(-1 - next.which);
    if (order !== undefined) moves[next.move](model, order);
  }
}

type Look = (model: Model, was: Collection, change: Change, next: Step | null) => void;

/** Runs histories, heals each at its end, and looks after every batch. */
function eachBatch(
  look: Look,
  atTheEnd: (model: Model) => void = () => undefined,
  parameters: fc.Parameters<unknown> = {},
): void {
  const origin = fc.constantFrom<PaymentOrigin>('payment_intent', 'invoice');
  // So many steps go well before anything else happens: ten of them lead to settled.
  const ahead = fc.nat(9);
  fc.assert(
    fc.property(
      origin,
      ahead,
      fc.array(step, { maxLength: 70, size: 'max' }),
      (from, well, steps) => {
        let current: Step | null = null;
        const model = new CollectionModel(from, (seen, was, change) =>
          look(seen, was, change, current),
        );
        for (let done = 0; done < well; done += 1) onwards(model);
        for (const next of steps) {
          current = next;
          take(model, next);
        }
        current = null;
        heal(model);
        atTheEnd(model);
      },
    ),
    { numRuns: 2_000, ...parameters },
  );
}

test('law: a terminal status never changes, and every change follows the table', () => {
  eachBatch((_model, was, { payment }) => {
    if (payment.status === was.payment.status) return;
    assert.ok(!isTerminal(was.payment.status), `${was.payment.status} → ${payment.status}`);
  });
});

test('law: each status change yields exactly one event per namespace, anything else none', () => {
  eachBatch((_model, was, { events, payment }, next) => {
    let status: PaymentStatus = was.payment.status;
    const expected: string[] = [];
    for (const event of events) {
      const to = event.payment.status;
      if (to === status) continue;
      const reachable: readonly PaymentStatus[] = Object.values(paymentMoves[status]);
      assert.ok(reachable.includes(to), `${status} → ${to}`);
      const rejected = next !== null && 'cause' in next && next.cause === 'kyc_rejected';
      if (payment.origin === 'payment_intent') {
        expected.push(`payment_intent.${rejected ? 'buyer_kyc_rejected' : to}`);
      }
      expected.push(`invoice.${to}`);
      status = to;
    }
    assert.equal(status, payment.status, 'no change without its event');
    assert.deepEqual(
      events.map(({ type }) => type),
      expected,
    );
  });
});

test('law: money conserves, and every posting of it balances', () => {
  eachBatch((model, _was, { funds, postings }) => {
    const { payoutMinor, refundOwedMinor, refundOrderedMinor, refundedMinor } = funds;
    const parts = [
      heldMinor(funds),
      payoutMinor,
      refundOwedMinor,
      refundOrderedMinor,
      refundedMinor,
    ];
    assert.ok(
      parts.every((part) => part >= 0n),
      `${parts}`,
    );
    for (const { lines } of [...postings, { lines: model.postings.flatMap((one) => one.lines) }]) {
      for (const sum of sumByCurrency(lines).values()) assert.equal(sum, 0n);
    }
  });
});

test('law: nothing unclaimed is kept: it is owed back at once, and ordered for that amount', () => {
  eachBatch((_model, _was, { payment, funds, postings, commands }, next) => {
    const claimMinor =
      isTerminal(payment.status) || funds.payoutMinor > 0n ? 0n : payment.amount.amountMinor;
    assert.ok(heldMinor(funds) <= claimMinor, `${payment.status} holds ${heldMinor(funds)}`);
    if (next === null || ('cause' in next && next.cause === 'debts_anew')) return;
    const owed = postings
      .filter(({ kind }) => kind === 'refund_owed')
      .flatMap(({ lines }) => lines)
      .filter(({ account }) => account === 'refunds');
    const drafts = commands.filter(({ kind }) => kind === 'refund');
    assert.deepEqual(
      drafts.map(({ amount }) => amount),
      owed.map(({ money }) => money),
    );
  });
});

test('law: every debt has its order, and what is ordered is under way', () => {
  eachBatch(({ commands }, _was, { funds }) => {
    const sumOf = (test: (command: (typeof commands)[number]) => boolean) =>
      commands
        .filter((command) => command.kind === 'refund' && test(command))
        .reduce((sum, { amount }) => sum + (amount?.amountMinor ?? 0n), 0n);
    const taken = sumOf((command) => isOpen(command) && command.firstSentAtMs !== null);
    const open = sumOf((command) => isDebt(command) || command.firstSentAtMs === null);
    assert.equal(funds.refundOrderedMinor, taken);
    assert.ok(funds.refundOwedMinor <= open, `owes ${funds.refundOwedMinor}, orders ${open}`);
  });
});

test('law: settled only together with position paid, and paid out at most once', () => {
  eachBatch(({ commands, orders }, was, { payment, funds, postings }) => {
    const settles = payment.status === 'settled' && was.payment.status !== 'settled';
    const pays = postings.some(({ kind }) => kind === 'payout_paid');
    if (settles) assert.ok(pays);
    if (payment.status === 'settled') assert.equal(funds.position, 'paid');
    assert.ok(commands.filter(({ kind }) => kind === 'payout').length <= 1);
    assert.ok(orders.filter(({ kind }) => kind === 'payout').length <= 1);
  });
});

test('law: cancel and payout never both win, and nothing is taken back that the partner has', () => {
  eachBatch(({ now, commands, orders }) => {
    const paysOut = orders.some(({ kind }) => kind === 'payout');
    if (['cancelled', 'expired'].includes(now.payment.status)) assert.equal(paysOut, false);
    for (const { commandId } of orders) {
      const command = commands.find(({ id }) => id === commandId);
      assert.ok(command !== undefined && command.state !== 'pending', command?.state);
      if (command.state === 'void') assert.equal(command.end, 'failed', 'a refund ordered anew');
    }
  });
});

test('law: the partner is never asked for money that it does not have', () => {
  eachBatch(({ misuse }) => assert.deepEqual(misuse, []));
});

test('law: at the end everything is where the partner says, and nothing is owed', () => {
  eachBatch(
    () => undefined,
    ({ now: { payment, funds }, orders, commands }) => {
      const sumOf = (kind: Order['kind'], end: Order['end']) =>
        orders
          .filter((order) => order.kind === kind && order.end === end)
          .reduce(
            (sum, order) => sum + (kind === 'payin' ? order.receivedMinor : order.amountMinor),
            0n,
          );
      assert.ok(isTerminal(payment.status), payment.status);
      assert.deepEqual([funds.refundOwedMinor, funds.refundOrderedMinor], [0n, 0n]);
      assert.ok(['none', 'refunded'].includes(funds.refund), funds.refund);
      assert.equal(funds.receivedMinor, sumOf('payin', 'completed') + sumOf('payin', 'returned'));
      assert.equal(funds.payoutMinor, sumOf('payout', 'completed'));
      assert.equal(funds.refundedMinor, sumOf('refund', 'completed') + sumOf('payin', 'returned'));
      assert.equal(funds.position === 'paid', sumOf('payout', 'completed') > 0n);
      assert.deepEqual(commands.filter(isOpen), []);
    },
  );
});

test('the histories reach every end, with every kind of order', () => {
  const seen = new Set<string>();
  eachBatch(
    () => undefined,
    ({ now: { payment, funds }, orders, alerts }) => {
      seen.add(payment.status).add(`funds ${funds.position}`).add(`refund ${funds.refund}`);
      for (const { kind, end } of orders) seen.add(`${kind} ${end}`);
      if (alerts.length > 0) seen.add('an alert');
    },
    // The same histories every time: this looks at the generator, not at the payment.
    { seed: 1, numRuns: 1_500 },
  );
  const ends = ['settled', 'failed', 'cancelled', 'expired', 'funds paid', 'funds handed_back'];
  const orders = ['payin completed', 'payin returned', 'payout completed', 'payout returned'];
  for (const name of [...ends, ...orders, 'refund completed', 'refund failed', 'an alert']) {
    assert.ok(seen.has(name), name);
  }
});

function pay(model: Model, order: Order, totalMinor: bigint): void {
  const takes = order.kind === 'payin' && (order.end === 'open' || order.end === 'completed');
  if (!takes || totalMinor <= order.receivedMinor) return;
  const end = totalMinor >= order.amountMinor ? 'completed' : order.end;
  model.moves(order, { receivedMinor: totalMinor, end });
}

/** The next thing on the way to the end, where nothing goes wrong. */
function onwards(model: Model): void {
  const called = model.commands.find(({ state }) => state === 'pending' || state === 'unknown');
  const order = model.orders.find(({ end }) => end === 'open');
  const unheard = model.orders.find(
    ({ commandId, end, receivedMinor }) =>
      model.commands.find(({ id }) => id === commandId)?.end !== end ||
      receivedMinor > model.now.funds.receivedMinor,
  );
  if (called !== undefined) model.call(called.kind, 'accepted');
  else if (order !== undefined)
    moves[order.kind === 'payin' ? 'pay_rest' : 'complete'](model, order);
  else if (unheard !== undefined) model.hear(unheard);
  else if (statusOf(model) === 'awaiting_buyer') causes.sign_in_verified(model);
  else if (statusOf(model) === 'buyer_kyc_pending') causes.kyc_approved(model);
  else if (model.now.payment.quoteId === null) causes.quote(model);
  else causes.confirm(model);
}

/** Everything that is under way comes to its end and is heard; what never began is cancelled. */
function heal(model: Model): void {
  for (let round = 0; round < 12; round += 1) {
    for (const order of model.orders) {
      if (order.kind === 'payin' && order.end === 'open') moves.pay_rest(model, order);
      if (order.kind === 'payout' && order.end === 'failed') moves.come_back(model, order);
      moves.complete(model, order);
    }
    // What was not heard yet comes in its order; what is open is asked about.
    for (const news of model.news) if (!model.heard.has(news)) model.hear(news);
    for (const order of model.orders) {
      const command = model.commands.find(({ id }) => id === order.commandId);
      if (command !== undefined && (isOpen(command) || command.end === 'failed')) model.hear(order);
    }
    if (model.now.funds.refundOwedMinor > 0n) model.orderDebtsAnew();
    for (const { kind } of model.commands) model.call(kind, 'accepted');
    if (round > 6) causes.cancel(model);
  }
}
