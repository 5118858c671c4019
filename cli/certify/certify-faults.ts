// The faults of `ponte certify`: what is played, what a right integration then does, and how that
// is seen. A check reports to its stage; what nothing shows is "not seen", never "ok".
import type { SimulatedEvent } from '../../core/domain/payments/simulated-event.js';
import { catalogue, type ErrorCode } from '../../core/errors.js';
import type { ApiAnswer, ApiRule, Stage } from './stage.js';

interface Fault {
  readonly played: string;
  readonly expected: string;
  /** Where the effect is seen, in the order of the check. */
  readonly seen: string;
  readonly play: (stage: Stage) => Promise<void>;
}

const SETTLED = 'payment_intent.settled';
const ON_RAMP = 'on_ramp_pending';

/** The order of the rows is the number of each. */
export const faults = {
  duplicate: {
    played: 'A webhook comes a second time, with the same delivery id.',
    expected: 'Both are accepted, and it counts once.',
    seen: 'answers, probe',
    async play(stage) {
      await stage.settle();
      const webhook = stage.webhook(SETTLED);
      await stage.accepts(webhook);
      await stage.accepts(webhook);
      await stage.counts(1);
    },
  },
  together: {
    played: 'A webhook comes twice at the same moment.',
    expected: 'One is accepted, the other one too or to be repeated; it counts once.',
    seen: 'answers, probe',
    async play(stage) {
      await stage.settle();
      const webhook = stage.webhook(SETTLED);
      await stage.acceptsOne([webhook, webhook]);
      await stage.counts(1);
    },
  },
  reorder: {
    played: 'The last event of a payment comes first, the others after it.',
    expected: 'All are accepted, and the payment stays paid.',
    seen: 'answers, probe',
    async play(stage) {
      await stage.settle();
      await stage.acceptsAll(stage.webhooks().toReversed());
      await stage.counts(1);
      await stage.hasState('paid');
    },
  },
  'day-late': {
    played: 'A webhook comes a day after its event, signed now.',
    expected: 'It is accepted and counts: the signature is young, the event need not be.',
    seen: 'answers, probe',
    async play(stage) {
      await stage.settle();
      await stage.accepts(stage.webhook(SETTLED, { ageSeconds: 86_400 }));
      await stage.counts(1);
    },
  },
  'wrong-secret': {
    played: 'A webhook is signed with another secret, then comes as it should.',
    expected: 'The first is refused with 4xx and changes nothing; the second counts.',
    seen: 'answers, probe',
    play: (stage) => forged(stage, { secret: stage.otherSecret() }),
  },
  unsigned: {
    played: 'A webhook has no signature, then comes as it should.',
    expected: 'The first is refused with 4xx and changes nothing; the second counts.',
    seen: 'answers, probe',
    play: (stage) => forged(stage, { unsigned: true }),
  },
  'changed-byte': {
    played: 'One character of a signed body is another one, then it comes as it was.',
    expected: 'The first is refused with 4xx and changes nothing; the second counts.',
    seen: 'answers, probe',
    play: (stage) => forged(stage, { changedByte: true }),
  },
  'old-time-stamp': {
    played: 'A webhook comes again long after it was signed: more than 300 seconds.',
    expected: 'It is refused with 4xx and changes nothing.',
    seen: 'answers, probe',
    play: (stage) => forged(stage, { signedSecondsAgo: 301 + stage.random(86_400) }),
  },
  'raw-bytes': {
    played: 'The body of a signed webhook has blanks and escapes that no serializer would write.',
    expected: 'It is accepted: the signature is over the bytes, not over a parsed body.',
    seen: 'answers, probe',
    async play(stage) {
      await stage.settle();
      await stage.accepts(stage.webhook(SETTLED, { spaced: true }));
      await stage.counts(1);
    },
  },
  slow: {
    played: 'The API does not answer while a webhook is delivered.',
    expected: 'The webhook is accepted in time: the work comes afterwards.',
    seen: 'answers, probe',
    async play(stage) {
      await stage.settle();
      const release = stage.holdApi();
      try {
        await stage.accepts(stage.webhook(SETTLED));
      } finally {
        release();
      }
      await stage.counts(1);
    },
  },
  'unknown-event': {
    played: 'An event type of a later version comes.',
    expected: 'It is accepted, and changes nothing.',
    seen: 'answers, probe',
    async play(stage) {
      // Not of a settled payment: who reads the payment at any event may count it then.
      await stage.advances(ON_RAMP);
      const type = 'payment_intent.of_a_later_version';
      await stage.accepts(stage.webhook(`payment_intent.${ON_RAMP}`, { type }));
      await stage.counts(0);
      await stage.settle();
      await stage.accepts(stage.webhook(SETTLED));
      await stage.counts(1);
    },
  },
  rotation: {
    played: 'The secret is rotated: a webhook has the new signature, another one the old.',
    expected: 'The new one is accepted, the old one refused with 4xx.',
    seen: 'probe, answers',
    async play(stage) {
      await stage.settle();
      const old = stage.secret();
      if (!(await stage.rotates())) return;
      await stage.refuses(stage.webhook(SETTLED, { secret: old }));
      await stage.accepts(stage.webhook(SETTLED));
      await stage.counts(1);
    },
  },
  'answer-lost': {
    played: 'A create is executed, and the connection breaks before its answer.',
    expected: 'It is repeated with the same Idempotency-Key or externalId; one payment exists.',
    seen: 'calls',
    play: (stage) => repeated(stage, (_, forward) => forward().then(() => null)),
  },
  'too-many-requests': {
    played: 'A create is answered 429 with `retryAfter`.',
    expected: 'It is repeated after that time, with the same Idempotency-Key or externalId.',
    seen: 'calls',
    play: (stage) =>
      repeated(stage, async () => refusal('RateLimitExceeded', { retryAfter: 1 }), 1_000),
  },
  unavailable: {
    played: 'A create is answered 503.',
    expected: 'It is repeated with the same Idempotency-Key or externalId.',
    seen: 'calls',
    play: (stage) => repeated(stage, async () => refusal('PartnerUnavailable', {})),
  },
  'events-pruned': {
    played: 'Webhooks were lost, and the feed answers 410 `EventsPruned`.',
    expected: 'The feed is read from `oldestSequence` - 1, and the payment counts.',
    seen: 'probe',
    async play(stage) {
      await stage.settle();
      stage.api(await stage.prunedFeed());
      await stage.catchesUp();
      await stage.counts(1);
    },
  },
  'feed-reset': {
    played: 'Webhooks were lost, and the feed answers 410 `FeedReset`: it begins again.',
    expected: 'Payments are read again, and the payment counts.',
    seen: 'probe',
    async play(stage) {
      // The place in the feed is of the epoch before.
      await stage.catchesUp();
      await stage.settle();
      stage.resetFeed();
      await stage.catchesUp();
      await stage.counts(1);
    },
  },
  outage: {
    played: 'The receiver was down: no webhook of a settled payment came.',
    expected: 'The feed has its events: it counts once.',
    seen: 'probe',
    async play(stage) {
      await stage.settle();
      await stage.catchesUp();
      await stage.counts(1);
    },
  },
  'both-ways': {
    played: 'An event comes as a webhook and by the feed.',
    expected: 'It counts once: the id of the event is the same, that of the delivery is not there.',
    seen: 'answers, probe',
    async play(stage) {
      await stage.settle();
      await stage.acceptsAll(stage.webhooks());
      await stage.catchesUp();
      await stage.counts(1);
    },
  },
  short: {
    played: 'The transfer arrives 1.00 short, later the rest.',
    expected: 'It counts once, when the payment is settled, not before.',
    seen: 'answers, probe',
    async play(stage) {
      await stage.simulates('on_ramp_pending', 'money_short');
      await stage.acceptsNew();
      await stage.counts(0);
      await stage.simulates(null, 'money_top_up');
      await stage.acceptsNew();
      await stage.counts(1);
    },
  },
  surplus: {
    played: 'More than the amount arrives; the surplus is refunded.',
    expected: 'It counts once, and the refund of the surplus takes nothing back.',
    seen: 'answers, probe',
    async play(stage) {
      await stage.simulates('on_ramp_pending', 'money_over');
      await stage.acceptsNew();
      await stage.counts(1);
      await stage.hasState('paid');
    },
  },
  late: {
    played: 'A payment is cancelled, and its money arrives afterwards.',
    expected: 'It counts never: the money goes back to the buyer.',
    seen: 'answers, probe',
    async play(stage) {
      await stage.advances('on_ramp_pending');
      await stage.cancels();
      await stage.simulates(null, 'money_late');
      await stage.acceptsNew();
      await stage.counts(0);
      await stage.hasState('ended');
    },
  },
  'payout-returned': {
    played: 'The PIX of a settled payment comes back.',
    expected: 'The payment is in review: the seller does not have the money.',
    seen: 'answers, probe',
    async play(stage) {
      await stage.settle();
      await stage.acceptsNew();
      await stage.counts(1);
      await stage.simulates(null, 'payout_returns');
      await stage.acceptsNew();
      await stage.hasState('review');
    },
  },
  'expired-quote': {
    played: 'The first quote expires, and the payment settles at the rate of another one.',
    expected: 'It counts once, with the settled BRL of the payment.',
    seen: 'answers, probe',
    async play(stage) {
      await stage.simulates('fx_quoted', 'quote_expired');
      await stage.settle();
      await stage.acceptsNew();
      await stage.counts(1);
      await stage.hasSettledAmount();
    },
  },
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof faults;
export const faultNames = Object.keys(faults) as readonly FaultName[];

/** Events that the table simulates. */
export type PlayedEvent = Extract<
  SimulatedEvent,
  'money_short' | 'money_top_up' | 'money_over' | 'money_late' | 'payout_returns' | 'quote_expired'
>;

/** The forged webhook changes nothing, and does not hinder the genuine one. */
async function forged(stage: Stage, forgery: Parameters<Stage['webhook']>[1]): Promise<void> {
  await stage.settle();
  await stage.refuses(stage.webhook(SETTLED, forgery));
  await stage.counts(0);
  await stage.accepts(stage.webhook(SETTLED));
  await stage.counts(1);
}

/** The first create of the order meets the rule; a right integration repeats it. */
async function repeated(stage: Stage, rule: ApiRule, waitMs = 0): Promise<void> {
  let isFirst = true;
  stage.api((call, forward) => {
    if (call.method !== 'POST' || !isFirst) return forward();
    isFirst = false;
    return rule(call, forward);
  });
  await stage.repeatsCreate(waitMs);
}

export function refusal(error: ErrorCode, fields: object): ApiAnswer {
  const { status, message } = catalogue[error];
  const body = { statusCode: status, error, message, ...fields };
  return { status, body: JSON.stringify(body) };
}
