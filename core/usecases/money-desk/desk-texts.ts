// What is known about an item of the money desk, and what was decided, as sentences: the same in
// the CLI and in the console.

import { type DeadlineText, deadline } from '../../domain/base/deadline.js';
import { formatInstant } from '../../domain/base/instant.js';
import { shownAmount } from '../../domain/base/money.js';
import type { Payer } from '../../domain/commands/payer.js';
import {
  commandOf,
  type DecisionName,
  decidedText,
  decisionOf,
  type GivenInputs,
  givenOf,
  inputs,
  isDecisionName,
} from '../../domain/money-desk/decisions.js';
import type { ProposedAction } from '../../domain/money-desk/proposal.js';
import { isServiceAction, serviceText } from '../../domain/money-desk/service-decisions.js';
import type { Known, QueueRow } from './money-queues.js';

const restText: DeadlineText<string> = {
  ahead: (end) => `The payment waits for the rest until ${end}.`,
  over: (end) => `The payment waited for the rest until ${end}, and is about to end.`,
};

/** As logs and commands write amounts and times. */
const plainWords = { money: shownAmount, instant: formatInstant };

/** `words`: how pages write them. */
export function knownText(known: Known, nowMs: number, words = plainWords): string {
  const because = 'error' in known && known.error !== null ? `: ${sentence(known.error)}` : '.';
  switch (known.kind) {
    case 'deposit':
      return payerText(known.payer);
    case 'withdrawal':
      return `The partner paid out ${known.partnerRef}, which was not ordered here.`;
    case 'short': {
      const { endsAtMs } = known;
      const next =
        endsAtMs === null
          ? 'The payment waits for the rest.'
          : deadline(endsAtMs, nowMs, words.instant(endsAtMs))(restText);
      return `${words.money(known.held)} of ${words.money(known.asked)} arrived. ${next}`;
    }
    case 'unapproved':
      return (
        `The partner rejected the buyer. The payment of ${words.money(known.asked)} is ` +
        `${known.status}; its payout is not sent unless the partner approves the buyer again.`
      );
    case 'lost':
      return `${words.money(known.received)} arrived, and more has left.`;
    case 'refund':
      return `${refundTexts[known.state]}${because}`;
    case 'payout':
      return `${payoutTexts[known.state]}${because}`;
    case 'review': {
      const next = known.isUsable ? '' : ' It cannot be booked: ask the partner to correct it.';
      return `A report of the partner is under review: ${sentence(known.reason)}${next}`;
    }
  }
}

function payerText(payer: Payer | null): string {
  if (payer === null) return 'The bank says nothing about the payer.';
  const { name, bank, texts, trace } = payer;
  const parts = [
    name === null ? 'from an unnamed payer' : `from ${name}`,
    ...(bank === null ? [] : [bank]),
    ...(trace === null ? [] : [`trace ${trace}`]),
    ...texts.map((text) => `text "${text}"`),
  ];
  return `${capital(parts.join(', '))}.`;
}

const refundTexts: Readonly<Record<Extract<Known, { readonly kind: 'refund' }>['state'], string>> =
  {
    unsent: 'The refund is not sent yet',
    in_doubt: 'The partner may have the refund; Ponte looks it up',
    accepted: 'The partner has the refund and has not completed it',
    refused: 'The partner refused or failed the refund',
  };

const payoutTexts: Readonly<Record<Extract<Known, { readonly kind: 'payout' }>['state'], string>> =
  {
    failing: 'The partner does not take the payout; Ponte sends it again',
    refused: 'The payout is refused, and its money is here',
    in_doubt: 'The partner may have the payout; Ponte looks it up',
    open: 'The partner has the payout and has not completed it',
    failed: 'The payout failed, and the partner does not say where its money is',
    back: 'The payout came back after the payment was settled',
  };

export function actionText(action: ProposedAction): string {
  const { verb } = action;
  if (isDecisionName(verb)) return decidedText(verb, givenOf({ ...action }));
  return isServiceAction(action) ? serviceText(action) : verb;
}

/** What an operator can choose about a row: a decision for each payment that it may be for. */
export interface Offer {
  readonly name: DecisionName;
  /** The payment that it is for; else the operator gives it. */
  readonly given: GivenInputs;
  readonly label: string;
  readonly hint: string;
}

export function offersOf({ steps, known }: QueueRow): readonly Offer[] {
  return steps.flatMap((name) => {
    const { label, hint, inputs: needed } = decisionOf(name);
    const given: GivenInputs = known.kind === 'review' ? { report: known.report } : {};
    const isFor = needed?.includes('payment') && known.kind === 'deposit' ? known.candidates : [];
    return [
      ...isFor.map(({ paymentId, externalId, missing }) => ({
        name,
        given: { payment: paymentId },
        label: `It is for ${externalId ?? paymentId}`,
        hint: `${paymentId} waits for ${shownAmount(missing)}.`,
      })),
      { name, given, label, hint },
    ];
  });
}

/** A command of the CLI; words in capitals are to be replaced. */
export interface CopiedStep {
  readonly what: string;
  readonly command: string;
}

export function deskStepsOf(row: QueueRow): readonly CopiedStep[] {
  return offersOf(row).map(({ name, given, label, hint }) => {
    const { inputs: needed = [], evidence, as } = decisionOf(name);
    const flags = needed.map((input) => {
      const [flag, value = ''] = inputs[input].flags.split(/[ <>]+/);
      const sample = input === 'reason' ? "'REASON'" : value.replace('-', '_').toUpperCase();
      return `${flag} ${given[input] ?? sample}`;
    });
    const found = as === undefined ? [] : [`--as ${as}`];
    const known = evidence === undefined ? [] : ["--evidence 'EVIDENCE'"];
    const command = ['ponte', commandOf(name), row.id, ...found, ...flags, ...known].join(' ');
    return { what: `${label}. ${hint}`, command };
  });
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
