// Every schedule of repeated work: the waits between tries, polls and readings, with a reason each.
// Time limits, leases and the loops of the host are not schedules.
import { assert } from '../../errors.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './instant.js';

export interface Schedule {
  readonly reason: string;
  /** The waits in order; the last one repeats unless tries are limited. */
  readonly waitsMs: readonly [number, ...number[]];
  /** From an age on the wait is at least this long; the last row that fits counts. */
  readonly slower?: readonly (readonly [ageMs: number, waitMs: number])[];
  /** After this many tries an operator must look. */
  readonly triesMax?: number;
  /** After this age there are no more tries. */
  readonly forMs?: number;
}

const pollWaitsMs = [
  2 * SECOND_MS,
  3 * SECOND_MS,
  5 * SECOND_MS,
  15 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
] as const;
const callWaitsMs = [SECOND_MS, 5 * SECOND_MS, 15 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS] as const;

export const schedules = {
  webhookAttempt: {
    reason:
      'A receiver that is down for a day loses nothing. The waits before attempts 2 to 7, each ' +
      'from the end of the previous one. PONTE_WEBHOOK_RETRY_SECONDS replaces them.',
    waitsMs: [30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS],
  },
  webhookHold: {
    reason:
      'A delivery of a paused subscription is looked at again, in case its resumption was ' +
      'interrupted.',
    waitsMs: [DAY_MS],
  },
  call: {
    reason: 'A call to the partner or to the document storage failed. Most outages are short.',
    waitsMs: callWaitsMs,
  },
  partnerMessage: {
    reason: 'A message may arrive before its command is stored. 12 tries take 41 minutes.',
    waitsMs: callWaitsMs,
    triesMax: 12,
  },
  commandPoll: {
    reason:
      'Messages report most changes. A buyer looks at a new command, and an old one may wait. ' +
      'The first wait is that of every command.',
    waitsMs: pollWaitsMs,
    slower: [
      [DAY_MS, 30 * MINUTE_MS],
      [7 * DAY_MS, 6 * HOUR_MS],
      [30 * DAY_MS, DAY_MS],
    ],
  },
  payoutPoll: {
    reason: 'A payout takes minutes. One that is a day old is late, and has an alert.',
    waitsMs: pollWaitsMs,
    slower: [[DAY_MS, HOUR_MS]],
  },
  endedPoll: {
    reason: 'A failed command may still change. It is polled once for each wait.',
    waitsMs: pollWaitsMs,
  },
  failedPayoutPoll: {
    reason: 'The money of a failed payout is missing until it is returned.',
    waitsMs: [...pollWaitsMs, HOUR_MS],
  },
  abandonedPoll: {
    reason:
      'The money of an abandoned pay-in may still arrive. The wait is the time since then, at ' +
      'most this long. Messages always count.',
    waitsMs: [DAY_MS],
    forMs: 180 * DAY_MS,
  },
  reviewPoll: {
    reason: 'An operator decides on an implausible report. A poll may show that it was corrected.',
    waitsMs: [15 * MINUTE_MS],
  },
  recentReading: {
    reason:
      'Reading the books is a backstop for lost messages. Fewer calls leave the rate limit to ' +
      'commands.',
    waitsMs: [15 * MINUTE_MS],
  },
  watchedReading: {
    reason: 'Banks recall and return transfers within days.',
    waitsMs: [12 * HOUR_MS],
  },
  completeReading: {
    reason: 'A transfer may be recalled for months, which is rare.',
    waitsMs: [DAY_MS],
  },
  reconciliation: {
    reason: 'What differs from the books of the partner is seen within a day.',
    waitsMs: [DAY_MS],
  },
  reconciliationAgain: {
    reason: 'What could not be read is read once the partner answers. The first one waits as long.',
    waitsMs: [HOUR_MS],
  },
  reconcileCall: {
    reason: 'An operator waits for the comparison. The rate limit of a partner is per minute.',
    waitsMs: [SECOND_MS, 5 * SECOND_MS, 15 * SECOND_MS, 30 * SECOND_MS],
  },
  mail: {
    reason:
      'A mail server that refuses a sender for now accepts it after minutes (greylisting). The ' +
      'first 5 tries take 43 minutes.',
    waitsMs: [
      5 * SECOND_MS,
      30 * SECOND_MS,
      2 * MINUTE_MS,
      10 * MINUTE_MS,
      30 * MINUTE_MS,
      HOUR_MS,
    ],
    triesMax: 6,
  },
  signInMail: {
    reason:
      'Strangers may ask for the sign-in mails of a page. The pauses after the first, second ' +
      '… mail. A sign-in ends them.',
    waitsMs: [
      MINUTE_MS,
      2 * MINUTE_MS,
      5 * MINUTE_MS,
      10 * MINUTE_MS,
      30 * MINUTE_MS,
      HOUR_MS,
      2 * HOUR_MS,
    ],
  },
  reminder: {
    reason:
      'A bank transfer takes days: the buyer of an invoice is reminded before its due date, and ' +
      'on the day. The wait between the two.',
    waitsMs: [3 * DAY_MS],
  },
  paperWarning: {
    reason:
      'A new tax form takes weeks: the owner of a vendor document is mailed this long before its ' +
      'last day.',
    waitsMs: [7 * DAY_MS, 30 * DAY_MS],
  },
  fakePartnerMessage: {
    reason: 'The fake partner repeats a message like a real one, and drops it after the last wait.',
    waitsMs: [5 * SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS],
  },
  sandboxStep: {
    reason: 'A developer waits. The fake partner decides within a second, BlindPay within minutes.',
    waitsMs: [20, 50, 100, 100, 100, 100, 200, 200, 500, SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS],
  },
  feedRequest: {
    reason: 'A client of the feed resumes soon after a restart of the service.',
    waitsMs: [
      500,
      SECOND_MS,
      2 * SECOND_MS,
      4 * SECOND_MS,
      8 * SECOND_MS,
      15 * SECOND_MS,
      30 * SECOND_MS,
    ],
  },
} as const satisfies Readonly<Record<string, Schedule>>;

export type ScheduleName = keyof typeof schedules;

/** The wait before the next try; the last one repeats. */
export function backoffMs(name: ScheduleName, tries: number): number {
  const { waitsMs }: Schedule = schedules[name];
  const waitMs = waitsMs[Math.min(tries, waitsMs.length - 1)];
  assert(waitMs !== undefined, 'tries are counted from zero');
  return waitMs;
}
