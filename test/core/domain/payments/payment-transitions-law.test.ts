// The laws of a payment with a partner that reports the truth, possibly late: in the end our rows
// agree with the partner's books, and no command exceeds the money that it has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isOpen } from '../../../../core/domain/commands/partner-command.js';
import { payoutDecided } from '../../../../core/domain/payments/command-outcomes.js';
import {
  isCancellable,
  isTerminal,
  nextStatus,
  type PaymentOrigin,
  type PaymentStatus,
  paymentMoves,
} from '../../../../core/domain/payments/payment.js';
import {
  cancelled,
  confirmed,
  expired,
  failedByOperator,
  kycDecided,
  quoted,
  signedIn,
} from '../../../../core/domain/payments/payment-transitions.js';
import { lawRuns } from '../../../support/law-runs.js';
import { EFFECT_WITHIN_MS, sampleQuote } from '../../../support/samples/sample-rows.js';
import type { MoneyScene } from '../../../support/scenes/money-scene.js';
import {
  type Answer,
  CollectionModel,
  type PartnerTransaction,
} from '../../../support/scenes/payment-model.js';

type Model = CollectionModel;

const statusOf = ({ scene }: Model) => scene.payment.status;

/** What people and clocks do, where it applies. */
const causes = {
  sign_in: (model: Model) => model.apply(signedIn(model.scene, false, model.scene.nowMs)),
  sign_in_verified: (model: Model) => model.apply(signedIn(model.scene, true, model.scene.nowMs)),
  kyc_approved: (model: Model) => decide(model, 'approve'),
  kyc_rejected: (model: Model) => decide(model, 'reject'),
  quote: (model: Model) => {
    if (nextStatus(statusOf(model), 'quote') === null) return;
    model.apply(quoted(model.scene, sampleQuote, model.scene.nowMs));
  },
  confirm: (model: Model) => {
    const { scene } = model;
    if (statusOf(model) !== 'fx_quoted' || scene.payment.quoteId === null) return;
    const quote = { ...sampleQuote, expiresAtMs: scene.nowMs + 1 };
    model.apply(confirmed(scene, scene.commands, quote, scene.nowMs));
  },
  cancel: (model: Model) => {
    if (!isCancellable(statusOf(model)) && statusOf(model) !== 'cancelled') return;
    const { scene } = model;
    model.apply(cancelled(scene, scene.commands, 'command withdrawn', scene.nowMs));
  },
  expire: (model: Model) => {
    model.pass(Math.max(0, (model.scene.payment.expiresAtMs ?? 0) - model.scene.nowMs));
    model.apply(expired(model.scene, model.scene.commands, model.scene.nowMs));
  },
  fail: (model: Model) => {
    if (isTerminal(statusOf(model))) return;
    const { scene } = model;
    model.apply(failedByOperator(scene, scene.commands, 'by hand', scene.nowMs));
  },
  look_up: (model: Model) => model.lookUp(),
  wait: (model: Model) => model.pass(EFFECT_WITHIN_MS),
  retry_refunds: (model: Model) => model.retryRefunds(),
  give_back: (model: Model) => decideReturn(model, 'buyer'),
  pay_again: (model: Model) => decideReturn(model, 'seller'),
  onwards,
} as const satisfies Record<string, (model: Model) => void>;

/** An operator decides about a payout that came back after the settlement. */
function decideReturn(model: Model, to: 'buyer' | 'seller'): void {
  const { scene } = model;
  const payout = scene.commands.find(({ isUndecided }) => isUndecided);
  if (payout === undefined) return;
  // A loss: its money went back to the buyer by the pay-in.
  const isGone = scene.funds.lossMinor > 0n;
  model.apply(payoutDecided(scene, scene.commands, payout, isGone ? 'buyer' : to, scene.nowMs));
}

function decide(model: Model, decision: 'approve' | 'reject'): void {
  const { scene } = model;
  model.apply(kycDecided(scene, scene.commands, decision, null, scene.nowMs));
}

/** What the partner and the bank do to a command. */
const moves = {
  pay_rest: (model: Model, transaction: PartnerTransaction) =>
    pay(model, transaction, transaction.amountMinor),
  pay_part: (model: Model, transaction: PartnerTransaction) =>
    pay(model, transaction, transaction.receivedMinor + 3_333n),
  pay_more: (model: Model, transaction: PartnerTransaction) =>
    pay(model, transaction, transaction.receivedMinor + 10_007n),
  complete: (model: Model, transaction: PartnerTransaction) => {
    const short =
      transaction.kind === 'payin' && transaction.receivedMinor < transaction.amountMinor;
    const lost = transaction.kind === 'payout' && transaction.end === 'failed';
    if ((transaction.end === 'open' || lost) && !short)
      model.moves(transaction, { end: 'completed' });
  },
  go_wrong: (model: Model, transaction: PartnerTransaction) => {
    if (transaction.kind !== 'payin') {
      if (transaction.end === 'open') model.moves(transaction, { end: 'failed' });
    } else if (transaction.end === 'open' || transaction.end === 'completed') {
      const { receivedMinor } = transaction;
      // Only what nobody else has is given back.
      const untouched =
        model.freeOf(transaction) === receivedMinor && model.freeMinor() >= receivedMinor;
      if (receivedMinor === 0n) model.moves(transaction, { end: 'failed' });
      else if (untouched) model.moves(transaction, { end: 'returned' });
    }
  },
  come_back: (model: Model, transaction: PartnerTransaction) => {
    if (transaction.kind === 'payout' && transaction.end !== 'returned')
      model.moves(transaction, { end: 'returned' });
  },
} as const satisfies Record<string, (model: Model, transaction: PartnerTransaction) => void>;

const names = <T extends object>(table: T) =>
  fc.constantFrom(...(Object.keys(table) as (keyof T & string)[]));
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ cause: fc.constant('onwards' as const) }) },
  { weight: 3, arbitrary: fc.record({ cause: names(causes) }) },
  { weight: 4, arbitrary: fc.record({ move: names(moves), which: fc.nat(3) }) },
  { weight: 4, arbitrary: fc.record({ deliver: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ ask: fc.nat(5) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      call: fc.constantFrom('payin' as const, 'payout' as const, 'refund' as const),
      answer: fc.constantFrom<Answer>(
        ...(['accepted', 'refused', 'later', 'lost on its way'] as const),
        ...(['lost after its effect', 'late on its way'] as const),
      ),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function take(model: Model, next: Step): void {
  model.pass(10);
  if ('cause' in next) causes[next.cause](model);
  else if ('call' in next) model.call(next.call, next.answer);
  else if ('ask' in next) {
    const command = model.scene.commands.at(-1 - next.ask);
    if (command !== undefined) model.ask(command.id);
  } else if ('deliver' in next) {
    // Mostly the newest, sometimes an old one again.
    const { reports } = model;
    const report = reports.at(next.deliver < 12 ? -1 : -(next.deliver % (reports.length || 1)));
    if (report !== undefined) model.deliver(report);
  } else {
    const transaction = model.books.at(-1 - next.which);
    if (transaction !== undefined) moves[next.move](model, transaction);
  }
}

type Look = (model: Model, was: MoneyScene, next: Step | null) => void;

/** Runs histories, heals each at its end, and looks after every step. */
function eachStep(
  look: Look,
  atTheEnd: (model: Model) => void = () => undefined,
  parameters: fc.Parameters<unknown> = {},
): void {
  const origin = fc.constantFrom<PaymentOrigin>('payment_intent', 'invoice');
  // So many steps go well before anything else happens: ten of them lead to settled.
  const ahead = fc.nat(9);
  const steps = fc.array(step, { maxLength: 70, size: 'max' });
  fc.assert(
    fc.property(origin, ahead, steps, (from, well, taken) => {
      let current: Step | null = null;
      const model = new CollectionModel(from, (seen, was) => look(seen, was, current));
      for (let done = 0; done < well; done += 1) onwards(model);
      for (const next of taken) {
        current = next;
        take(model, next);
      }
      current = null;
      heal(model);
      atTheEnd(model);
    }),
    { numRuns: lawRuns(1_000), ...parameters },
  );
}

test('law: each status change yields exactly one event per namespace, and follows the table', () => {
  eachStep(({ scene: { payment, change } }, was, next) => {
    let status: PaymentStatus = was.payment.status;
    const expected: string[] = [];
    for (const { payment: then } of change.events) {
      if (then.status === status) continue;
      const reachable: readonly PaymentStatus[] = Object.values(paymentMoves[status]);
      assert.ok(reachable.includes(then.status), `${status} → ${then.status}`);
      const rejected = next !== null && 'cause' in next && next.cause === 'kyc_rejected';
      if (payment.origin === 'payment_intent') {
        expected.push(`payment_intent.${rejected ? 'buyer_kyc_rejected' : then.status}`);
      }
      expected.push(`invoice.${then.status}`);
      status = then.status;
    }
    assert.equal(status, payment.status, 'no change without its event');
    const types = change.events
      .filter(({ amounts }) => amounts === undefined)
      .map(({ type }) => type);
    assert.deepEqual(types, expected);
  });
});

test('law: what the partner has is not void here, nor taken for refused or for never sent', () => {
  eachStep(({ scene, books }) => {
    for (const { id, end } of books) {
      const { state } = scene.command(id);
      // A refund that failed there is a debt, or was sent again.
      const isOver = end === 'failed' && ['refused', 'void'].includes(state);
      assert.ok(['sent', 'unknown', 'denied', 'done'].includes(state) || isOver, `${id} ${state}`);
    }
  });
});

test('law: cancel and payout never both win, and one payout at most is not returned', () => {
  eachStep(({ scene, books }) => {
    const payouts = books.filter(({ kind, end }) => kind === 'payout' && end !== 'returned').length;
    assert.ok(payouts <= 1);
    if (['cancelled', 'expired'].includes(scene.payment.status)) assert.equal(payouts, 0);
  });
});

test('law: the partner is never asked for money that it does not have', () => {
  eachStep(({ misuse }) => assert.deepEqual(misuse, []));
});

test('law: at the end everything is where the partner says, and nothing is owed or lost', () => {
  eachStep(
    () => undefined,
    ({ scene: { payment, funds, commands }, books }) => {
      const sumOf = (kind: PartnerTransaction['kind'], end: PartnerTransaction['end']) =>
        books
          .filter((transaction) => transaction.kind === kind && transaction.end === end)
          .reduce(
            (sum, transaction) =>
              sum + (kind === 'payin' ? transaction.receivedMinor : transaction.amountMinor),
            0n,
          );
      assert.ok(isTerminal(payment.status), payment.status);
      const { refundOwedMinor, refundOrderedMinor, lossMinor } = funds;
      assert.deepEqual([refundOwedMinor, refundOrderedMinor, lossMinor], [0n, 0n, 0n]);
      assert.ok(['none', 'refunded'].includes(funds.refund), funds.refund);
      assert.equal(funds.receivedMinor, sumOf('payin', 'completed') + sumOf('payin', 'returned'));
      assert.equal(funds.payoutMinor, sumOf('payout', 'completed'));
      assert.equal(funds.refundedMinor, sumOf('refund', 'completed') + sumOf('payin', 'returned'));
      assert.equal(funds.position === 'paid', sumOf('payout', 'completed') > 0n);
      assert.deepEqual(commands.filter(isOpen), []);
    },
  );
});

test('the histories reach every end, with every kind of command', () => {
  const seen = new Set<string>();
  eachStep(
    () => undefined,
    ({ scene: { payment, funds }, books, alerts }) => {
      seen.add(payment.status).add(`funds ${funds.position}`).add(`refund ${funds.refund}`);
      for (const { kind, end } of books) seen.add(`${kind} ${end}`);
      if (alerts.length > 0) seen.add('an alert');
    },
    // The same histories every time: this looks at the generator, not at the payment.
    { seed: 1 },
  );
  const ends = [
    'settled',
    'failed',
    'cancelled',
    'expired',
    'funds paid',
    'funds returned_to_buyer',
  ];
  const orders = ['payin completed', 'payin returned', 'payout completed', 'payout returned'];
  for (const name of [...ends, ...orders, 'refund completed', 'refund failed', 'an alert']) {
    assert.ok(seen.has(name), name);
  }
});

function pay(model: Model, transaction: PartnerTransaction, totalMinor: bigint): void {
  const takes =
    transaction.kind === 'payin' && (transaction.end === 'open' || transaction.end === 'completed');
  if (!takes || totalMinor <= transaction.receivedMinor) return;
  const end = totalMinor >= transaction.amountMinor ? 'completed' : transaction.end;
  model.moves(transaction, { receivedMinor: totalMinor, end });
}

/** The next thing on the way to the end, where nothing goes wrong. */
function onwards(model: Model): void {
  const { scene } = model;
  const waiting = scene.commands.find(({ state }) => state === 'pending');
  const doubted = scene.commands.some(({ state }) => state === 'unknown' || state === 'denied');
  const transaction = model.books.find(({ end }) => end === 'open');
  const undelivered = model.books.find(({ id, end, receivedMinor }) => {
    const known = scene.command(id);
    return known.end !== end || receivedMinor > known.receivedMinor;
  });
  if (doubted) {
    model.pass(EFFECT_WITHIN_MS);
    model.lookUp();
  } else if (waiting !== undefined) model.call(waiting.kind, 'accepted');
  else if (transaction !== undefined)
    moves[transaction.kind === 'payin' ? 'pay_rest' : 'complete'](model, transaction);
  else if (undelivered !== undefined) model.deliver(undelivered);
  else if (statusOf(model) === 'awaiting_buyer') causes.sign_in_verified(model);
  else if (statusOf(model) === 'buyer_kyc_pending') causes.kyc_approved(model);
  else if (scene.payment.quoteId === null) causes.quote(model);
  else causes.confirm(model);
}

/** Everything under way ends and is reported; what never started is cancelled. */
function heal(model: Model): void {
  for (let round = 0; round < 12; round += 1) {
    model.pass(EFFECT_WITHIN_MS);
    for (const { id } of model.scene.commands) {
      if (model.scene.command(id).state !== 'done') model.lookUp();
    }
    for (const transaction of model.books) {
      if (transaction.kind === 'payin' && transaction.end === 'open')
        moves.pay_rest(model, transaction);
      if (transaction.kind === 'payout' && transaction.end === 'failed')
        moves.come_back(model, transaction);
      moves.complete(model, transaction);
    }
    // Reports that are left are delivered in order, and every command is queried.
    for (const report of model.reports) if (!model.delivered.has(report)) model.deliver(report);
    for (const { id } of model.books) model.ask(id);
    causes.pay_again(model);
    if (model.scene.funds.refundOwedMinor > 0n) model.retryRefunds();
    for (const { kind } of model.scene.commands) model.call(kind, 'accepted');
    if (round > 6) causes.cancel(model);
  }
}
