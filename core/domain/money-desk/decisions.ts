// What operators may do about an item of the money desk. One row is all there is to know: the list,
// the form of the console, the commands of the CLI and the sentences of decisions read it.
// desk-items.ts and service-items.ts have the effects.
import { type Money, shownAmount } from '../base/money.js';
import type { MoneyCommand } from '../commands/partner-command.js';
import type { Deposit } from '../deposits/deposit.js';
import type { PaymentAggregate } from '../payments/change.js';
import {
  isAskable,
  isSendableAgain,
  type Touched,
  whyNotAcceptable,
  whyNotDecidable,
  whyNotRefundable,
  whyNotResolvable,
  whyNotUnmatched,
  whyNotWrittenOff,
} from './money-decision.js';

/** What a decision needs besides its item, by the option of the CLI. `field`: in the request. */
export const inputs = {
  payment: { field: 'paymentId', flags: '--payment <payment-id>', label: 'Id of the payment' },
  settled: {
    field: 'settledMinor',
    flags: '--settled <brl>',
    label: 'BRL that the seller received',
  },
  fees: { field: 'feesMinor', flags: '--fees <fees>', label: 'Fees, in the payment currency' },
  endToEndId: { field: 'endToEndId', flags: '--end-to-end-id <e2e>', label: 'End-to-end id (PIX)' },
  report: {
    field: 'report',
    flags: '--report <report>',
    label: 'Id of the report, by commands list',
  },
  reason: { field: 'reason', flags: '--reason <reason>', label: 'Returned to the integrator' },
} as const;
export type DecisionInput = keyof typeof inputs;
/** What was given, as text. */
export type GivenInputs = Readonly<Partial<Record<DecisionInput, string>>>;

/** What a decision is about: a deposit, a command to the partner, or a payment in its queue. */
interface DeskSubjects {
  readonly deposit: Deposit;
  readonly withdrawal: Deposit;
  readonly payin: MoneyCommand;
  readonly payout: MoneyCommand;
  readonly refund: MoneyCommand;
  readonly short: PaymentAggregate;
  readonly unapproved: PaymentAggregate;
  readonly lost: PaymentAggregate & { readonly commands: readonly MoneyCommand[] };
}
export type DeskSubject = keyof DeskSubjects;

/** `problem`: why the item does not allow it; null if it does. */
interface Rule<K extends DeskSubject> {
  readonly touches: readonly (keyof Touched)[];
  problem(item: DeskSubjects[K], partner: { readonly takesRefunds: boolean }): string | null;
}

interface Row {
  readonly group: 'money' | 'commands' | 'payments';
  /** After the group in a command of the CLI; by default made from the name. */
  readonly verb?: string;
  /** The value of `--as`, if the command has several decisions about a subject. */
  readonly as?: string;
  readonly of: { readonly [K in DeskSubject]?: Rule<K> };
  /** What an operator chooses, and what it does. */
  readonly label: string;
  readonly hint: string;
  readonly inputs?: readonly DecisionInput[];
  /** An example of how it is known, where that must be given. */
  readonly evidence?: string;
  /** What was decided; null if it decides nothing: one operator is enough. */
  readonly text: string | ((given: Record<DecisionInput, string>) => string) | null;
}

const unmatched = { touches: ['deposit'], problem: whyNotUnmatched } as const;
const held = { touches: ['command', 'payment'], problem: whyNotAcceptable } as const;
const payee = {
  touches: ['command', 'payment', 'destination'],
  problem: whyNotDecidable,
} as const;
const found = { touches: ['command', 'payment'], problem: whyNotResolvable } as const;
const ofPayment = { touches: ['payment'], problem: () => null } as const;
const asked = {
  touches: [],
  problem: (item: MoneyCommand) => (isAskable(item) ? null : 'It waits for nothing.'),
} as const;
const resent = {
  touches: [],
  problem: (...of: Parameters<typeof isSendableAgain>) =>
    isSendableAgain(...of) ? null : 'It is not sent again.',
} as const;

/** In the order in which they are offered. */
export const decisions = {
  accept: {
    group: 'commands',
    of: { payin: held, payout: held, refund: held },
    label: 'Book the report as it is',
    hint: 'Verify it with the partner first.',
    inputs: ['report'],
    text: ({ report }) => `the report ${report} of the partner is booked as it is`,
  },
  ask: {
    group: 'commands',
    verb: 'retry',
    of: { payin: asked, payout: asked, refund: asked },
    label: 'Ask the partner again',
    hint: 'Reads it at the partner once more. It decides nothing.',
    text: null,
  },
  returned: {
    group: 'money',
    verb: 'resolve',
    as: 'returned',
    of: { payout: found },
    label: 'The partner has the money: return it to the buyer',
    hint: 'It is owed to the buyer and refunded by the partner. Banks take some days.',
    evidence: 'the answer of the partner',
    text: 'the partner holds the money of the payout again',
  },
  paid: {
    group: 'money',
    verb: 'resolve',
    as: 'paid',
    of: { payout: found },
    label: 'The seller was paid after all',
    hint: 'Give its figures: the BRL, the fees and the PIX end-to-end id.',
    inputs: ['settled', 'fees', 'endToEndId'],
    evidence: 'the answer of the partner',
    text: paidText,
  },
  retry: {
    group: 'commands',
    of: { payout: resent, refund: resent },
    label: 'Send it again',
    hint: 'After a look-up at the partner. One operator is enough: it is owed to the payer.',
    text: null,
  },
  withdrawn: {
    group: 'money',
    verb: 'resolve',
    as: 'withdrawn',
    of: { withdrawal: unmatched },
    label: 'The operator has the money',
    hint: 'As after a refund by hand: it leaves the float. Nothing is sent.',
    evidence: 'the statement of the wallet',
    text: 'the operator has the money',
  },
  assign: {
    group: 'money',
    of: {
      deposit: { ...unmatched, touches: ['deposit', 'payment'] },
      withdrawal: { ...unmatched, touches: ['deposit', 'payment'] },
    },
    label: 'It is for a payment',
    hint: 'A withdrawal is another payout of the payment, whose loss it is.',
    inputs: ['payment'],
    text: ({ payment }) => `the money is for the payment ${payment}`,
  },
  refund: {
    group: 'money',
    of: {
      deposit: unmatched,
      refund: { touches: ['command', 'payment'], problem: whyNotRefundable },
    },
    label: 'The payer was paid back by other means',
    hint: 'This records a payment that your bank has made. It sends nothing.',
    evidence: 'the reference of the bank',
    text: 'the payer was paid back by other means',
  },
  refund_buyer: {
    group: 'money',
    verb: 'refund',
    of: { payout: payee },
    label: 'Refund the buyer',
    hint: 'The refund is sent to the partner.',
    evidence: 'the answer of the seller',
    text: 'the buyer gets the money of the payout back',
  },
  pay_again: {
    group: 'money',
    of: { payout: payee },
    label: 'Pay the seller again',
    hint: 'A second payout is sent, to the current destination of the seller.',
    evidence: 'the answer of the seller',
    text: 'the seller is paid again, to its current destination',
  },
  paid_by_hand: {
    group: 'money',
    verb: 'resolve',
    as: 'paid-by-hand',
    of: { payout: { ...found, problem: whyNotDecidable } },
    label: 'You paid the seller by other means',
    hint: 'This records a PIX that your bank has made. Give its figures.',
    inputs: ['settled', 'fees', 'endToEndId'],
    evidence: 'the answer of the seller',
    text: (given) => paidText({ ...given, settled: `${given.settled} by other means` }),
  },
  otherwise: {
    group: 'money',
    verb: 'resolve',
    as: 'otherwise',
    of: { deposit: unmatched, withdrawal: unmatched },
    label: 'It was settled outside of Ponte',
    hint: 'Nothing is sent.',
    evidence: 'the statement of the bank',
    text: 'the money was settled outside of Ponte',
  },
  write_off: {
    group: 'money',
    of: { lost: { touches: ['payment'], problem: whyNotWrittenOff } },
    label: 'Write the loss off',
    hint: 'Once nothing of it can be recovered.',
    evidence: 'the approval of the loss',
    text: 'the loss of the payment is written off',
  },
  cancel: {
    group: 'payments',
    of: { short: ofPayment },
    label: 'Cancel the payment',
    hint: 'Its payout must not have started. Money received is owed back to the buyer.',
    inputs: ['reason'],
    text: ({ reason }) => `the payment is cancelled: ${reason}`,
  },
  fail: {
    group: 'payments',
    of: { unapproved: ofPayment },
    label: 'Fail the payment',
    hint: 'Money received is owed back to the buyer.',
    inputs: ['reason'],
    text: ({ reason }) => `the payment fails: ${reason}`,
  },
} as const satisfies Readonly<Record<string, Row>>;

export type DecisionName = keyof typeof decisions;
export const decisionNames = Object.keys(decisions) as readonly DecisionName[];
type InGroup<G extends Row['group']> = {
  [N in DecisionName]: (typeof decisions)[N]['group'] extends G ? N : never;
}[DecisionName];
/** A decision about money, whose effect is in desk-items.ts. */
export type MoneyVerb = InGroup<'money'>;

/** Without what decides nothing. */
export function decisionsIn<G extends Row['group']>(group: G): readonly InGroup<G>[] {
  return decisionNames.filter(
    (name): name is InGroup<G> => decisions[name].group === group && decisions[name].text !== null,
  );
}

type WithInput<I extends DecisionInput> = {
  [N in MoneyVerb]: (typeof decisions)[N] extends { readonly inputs: readonly (infer O)[] }
    ? I extends O
      ? N
      : never
    : never;
}[MoneyVerb];
/** The decisions about money that have a rule about this subject. */
export type VerbOf<K extends DeskSubject> = {
  [N in MoneyVerb]: K extends keyof (typeof decisions)[N]['of'] ? N : never;
}[MoneyVerb];

/** A decision about money, with what was given. */
export type MoneyAction =
  | { readonly verb: Exclude<MoneyVerb, WithInput<'payment' | 'settled'>> }
  | { readonly verb: WithInput<'payment'>; readonly paymentId: string }
  | PaidAction;
export interface PaidAction {
  readonly verb: WithInput<'settled'>;
  readonly settled: Money;
  readonly fees: Money;
  readonly endToEndId: string;
}

export function decisionOf(name: DecisionName): Row {
  return decisions[name];
}

export function isDecisionName(name: string): name is DecisionName {
  return Object.hasOwn(decisions, name);
}

/** After `ponte`, without options. */
export function commandOf(name: DecisionName): string {
  const { group, verb = name.replaceAll('_', '-') } = decisionOf(name);
  return `${group} ${verb}`;
}

/** An operator says where the money of a payout is; a report of the partner does not. */
export function isFound(verb: string): boolean {
  return isDecisionName(verb) && decisionOf(verb).of.payout === found;
}

/** What can be done about it now. */
export function offeredFor<K extends DeskSubject>(
  subject: K,
  item: DeskSubjects[K],
  takesRefunds = true,
): readonly DecisionName[] {
  const isOffered = (rule?: Rule<K>) => rule?.problem(item, { takesRefunds }) === null;
  return decisionNames.filter((name) => isOffered(decisionOf(name).of[subject]));
}

/** The decision of the same command that is about this item, and why not; null if it is allowed. */
export function decisionFor<K extends DeskSubject>(
  asked: MoneyVerb,
  subject: K,
  item: DeskSubjects[K],
  id: string,
): Pick<Rule<K>, 'touches'> & { readonly verb: MoneyVerb; readonly problem: string | null } {
  const nameOf = (verb: MoneyVerb) => `${commandOf(verb)} ${decisionOf(verb).as}`;
  const alike = decisionsIn('money').filter((verb) => nameOf(verb) === nameOf(asked));
  const found = [asked, ...alike].flatMap((verb) => {
    const rule: Rule<K> | undefined = decisionOf(verb).of[subject];
    if (rule === undefined) return [];
    return { verb, touches: rule.touches, problem: rule.problem(item, { takesRefunds: true }) };
  });
  const others = Object.keys(decisionOf(asked).of).join(' or a ');
  const problem = `${id} is no ${others}: "${commandOf(asked)}" is not about it.`;
  const [first = { verb: asked, touches: [], problem }] = found;
  return found.find((one) => one.problem === null) ?? first;
}

export function isAmount(input: DecisionInput): boolean {
  return inputs[input].field.endsWith('Minor');
}

export function decidedText(name: DecisionName, given: Record<DecisionInput, string>): string {
  const { text } = decisionOf(name);
  return typeof text === 'function' ? text(given) : (text ?? '');
}

/** The text of each input of an action, as `decidedText` shows it. */
export function givenOf(action: Readonly<Record<string, unknown>>): Record<DecisionInput, string> {
  const shown = Object.entries(inputs).map(([input, { field }]) => {
    const value = action[field] ?? action[input];
    return [input, typeof value === 'object' ? shownAmount(value as Money) : `${value}`];
  });
  return Object.fromEntries(shown) as Record<DecisionInput, string>;
}

function paidText({ settled, fees, endToEndId }: Record<DecisionInput, string>): string {
  return `the seller was paid ${settled}, fees ${fees}, end-to-end id ${endToEndId}`;
}
