// What operators decide, and the rule of two: in live mode a decision is a proposal until another
// operator confirms it. money-desk.ts applies a decision.
import { PonteError } from '../../errors.js';
import { developmentOperator, type OperatorActor } from '../base/actor.js';
import { DAY_MS } from '../base/instant.js';
import { machine } from '../base/machine.js';
import type { Mode } from '../base/tenant.js';
import { writeAmount } from '../commands/partner-message.js';
import type { MoneyAction } from './decisions.js';
import { isServiceAction, type ServiceAction, serviceDecisionOf } from './service-decisions.js';

/**
 * `withdraw`: an operator ends it. `lapse`: it has expired, its item has changed since, or its
 * proposer was removed.
 */
export const proposalMoves = {
  proposed: { confirm: 'done', replace: 'replaced', withdraw: 'withdrawn', lapse: 'void' },
  done: {},
  replaced: {},
  withdrawn: {},
  void: {},
} as const;

const proposals = machine(proposalMoves);
export const proposalStates = proposals.states;
export type ProposalState = keyof typeof proposalMoves;

export type ProposedAction = MoneyAction | ServiceAction;

export function isKept(action: ProposedAction, kind: 'execute' | 'propose'): boolean {
  if (kind === 'propose' || !isServiceAction(action)) return true;
  return serviceDecisionOf(action).leavesNoRow !== true;
}

/** A decision of operators. Rows are never removed: they name who decided. */
export interface Proposal {
  readonly id: string;
  readonly orgId: string | null;
  readonly mode: Mode;
  /** The id of what it is about: a command to the partner, a deposit, a payment, … */
  readonly itemId: string;
  /** Counts the decisions about the item from 1. */
  readonly number: number;
  readonly action: ProposedAction;
  readonly evidence: string | null;
  /** What was known about the item. If it differs later, the proposal is void. */
  readonly basis: string;
  readonly state: ProposalState;
  readonly proposedById: string;
  /** A name. */
  readonly proposedBy: string;
  readonly proposedAtMs: number;
  readonly expiresAtMs: number;
  /** Who confirmed, replaced or withdrew it; null while proposed. */
  readonly endedById: string | null;
  readonly endedBy: string | null;
  readonly endedAtMs: number | null;
  readonly version: number;
}

export const EVIDENCE_LENGTH_MAX = 500;
/** Maximum length of the end-to-end id of a transfer, in characters. */
export const TRANSFER_ID_LENGTH_MAX = 64;
/** A proposal waits this long: over a weekend and a holiday. */
export const PROPOSAL_LIFE_MS = 7 * DAY_MS;

export interface AskedProposal extends Pick<Proposal, 'itemId' | 'action' | 'evidence' | 'basis'> {
  readonly operator: OperatorActor;
  /** Replaces another proposal for the item. */
  readonly replace: boolean;
  /** The ids of the registered operators: a proposal of another one is void. */
  readonly registered: ReadonlySet<string>;
}

/**
 * `execute`: store `proposal` with its effect. `propose`: store it. `waits`: it was proposed
 * before. `differs`: another proposal waits. `ended` is a proposal that `proposal` takes the place
 * of.
 */
export type ProposalRuling =
  | {
      readonly kind: 'execute' | 'propose';
      readonly proposal: Proposal;
      readonly ended: Proposal | null;
    }
  | { readonly kind: 'waits' | 'differs'; readonly proposal: Proposal };

/** In live mode another operator confirms, unless the database has no operators. */
export function ruleOf(
  asked: AskedProposal,
  known: readonly Proposal[],
  item: Pick<Proposal, 'orgId' | 'mode'>,
  id: string,
  nowMs: number,
): ProposalRuling {
  const open = known.find((one) => one.state === 'proposed' && isSameTopic(one, asked)) ?? null;
  const { operator, replace, registered, ...what } = asked;
  const proposal: Proposal = Object.freeze({
    orgId: item.orgId,
    mode: item.mode,
    id,
    number: known.length + 1,
    ...what,
    state: 'proposed',
    proposedById: operator.id,
    proposedBy: operator.name,
    proposedAtMs: nowMs,
    expiresAtMs: nowMs + PROPOSAL_LIFE_MS,
    endedById: null,
    endedBy: null,
    endedAtMs: null,
    version: 1,
  });
  if (item.mode === 'test' || operator.id === developmentOperator.id) {
    return { kind: 'execute', proposal: ended(proposal, 'confirm', operator, nowMs), ended: null };
  }
  if (open === null) return { kind: 'propose', proposal, ended: null };
  const replaced = (move: 'replace' | 'lapse') =>
    ({ kind: 'propose', proposal, ended: ended(open, move, operator, nowMs) }) as const;
  const isVoid = isExpired(open, nowMs) || !registered.has(open.proposedById);
  if (isVoid || open.basis !== asked.basis) return replaced('lapse');
  if (isSame(open, asked)) return { kind: 'waits', proposal: open };
  return replace ? replaced('replace') : { kind: 'differs', proposal: open };
}

/** Why this operator cannot confirm the proposal now, with what is known of its item; else null. */
export function whyNotConfirmed(
  proposal: Proposal,
  {
    operator,
    registered,
    basis,
    nowMs,
  }: Pick<AskedProposal, 'operator' | 'registered' | 'basis'> & {
    readonly nowMs: number;
  },
): string | null {
  const { state, proposedById, proposedBy } = proposal;
  if (state !== 'proposed') return `The proposal ${proposal.id} is ${state}.`;
  if (proposedById === operator.id) return 'You proposed it. Another operator confirms it.';
  if (isExpired(proposal, nowMs)) return 'The proposal has expired. Propose it again.';
  if (!registered.has(proposedById)) {
    return `The proposal is void: ${proposedBy}, who proposed it, was removed. Propose it again.`;
  }
  if (basis !== proposal.basis) {
    const change = `It was ${proposal.basis}; it is ${basis}.`;
    return `The item has changed since ${proposedBy} proposed it. ${change} Propose it again.`;
  }
  return null;
}

export function confirmedProposal(
  proposal: Proposal,
  operator: OperatorActor,
  nowMs: number,
): Proposal {
  return ended(proposal, 'confirm', operator, nowMs);
}

/** DecisionNotAllowed unless it waits. */
export function withdrawnProposal(
  proposal: Proposal,
  operator: OperatorActor,
  nowMs: number,
): Proposal {
  const { id, state } = proposal;
  if (state !== 'proposed') {
    throw new PonteError('DecisionNotAllowed', `The proposal ${id} is ${state}.`);
  }
  return ended(proposal, 'withdraw', operator, nowMs);
}

export function isExpired({ expiresAtMs }: Proposal, nowMs: number): boolean {
  return expiresAtMs <= nowMs;
}

/** The decision that this command repeats, if it was the last one about the item. */
export function repeated(
  asked: Pick<AskedProposal, 'action' | 'evidence'>,
  known: readonly Proposal[],
): Proposal | null {
  const last = known.findLast(({ state }) => state === 'done') ?? null;
  return last !== null && isSame(last, asked) ? last : null;
}

type Decided = Pick<Proposal, 'action' | 'evidence'>;

function isSame(left: Decided, right: Decided): boolean {
  return sortedJson(left.action) === sortedJson(right.action) && left.evidence === right.evidence;
}

/** One decision about money waits for each item, and one of each other kind. */
function isSameTopic(left: Decided, right: Decided): boolean {
  return topicOf(left.action) === topicOf(right.action);
}

function topicOf(action: ProposedAction): string {
  if (!isServiceAction(action)) return 'money';
  return [
    action.verb,
    'mode' in action ? action.mode : '',
    'origin' in action ? action.origin : '',
    'email' in action ? action.email : '',
    'keyId' in action ? action.keyId : '',
  ]
    .join(' ')
    .trim();
}

/** The same for the same fields, in any order. */
export function sortedJson(given: object): string {
  return JSON.stringify(given, (name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : writeAmount(name, value),
  );
}

function ended(
  proposal: Proposal,
  move: 'confirm' | 'replace' | 'withdraw' | 'lapse',
  operator: OperatorActor,
  nowMs: number,
): Proposal {
  const state = proposals.step(proposal.state, move);
  const by = { endedById: operator.id, endedBy: operator.name };
  return Object.freeze({ ...proposal, state, ...by, endedAtMs: nowMs });
}
