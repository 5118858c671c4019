// Operators decide: about money where no report of the partner can, and about what live mode
// depends on. A decision and its effect are one batch. desk-items.ts and service-items.ts have the
// effects, money-queues.ts lists what waits.
import { isActiveOperator } from '../../domain/access/registered-operator.js';
import type { OperatorActor } from '../../domain/base/actor.js';
import { checkedText } from '../../domain/base/checked-text.js';
import { formatInstant } from '../../domain/base/instant.js';
import { isUnmatched } from '../../domain/deposits/deposit.js';
import { decisionOf } from '../../domain/money-desk/decisions.js';
import {
  confirmedProposal,
  EVIDENCE_LENGTH_MAX,
  isKept,
  type Proposal,
  repeated,
  ruleOf,
  TRANSFER_ID_LENGTH_MAX,
  whyNotConfirmed,
  withdrawnProposal,
} from '../../domain/money-desk/proposal.js';
import { isServiceAction, serviceDecisionOf } from '../../domain/money-desk/service-decisions.js';
import { expectFound, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { expectActive, expectOperator } from '../access/registered-operators.js';
import { readDeposit } from '../deposits/deposits.js';
import type { Batch } from '../service/batch.js';
import { readItem, requestOfAction } from './desk-items.js';
import type { DeskItem, DeskRequest } from './service-items.js';

export interface DeskDecision {
  readonly itemId: string;
  readonly request: DeskRequest;
  /** Required where the row of the decision says so. */
  readonly evidence: string | null;
  readonly operator: OperatorActor;
  /** Replaces another proposal for the item. */
  readonly replace: boolean;
  /** Made from the key of a form: sent again, it proposes nothing more. */
  readonly id?: string;
}

/** `waiting`: it was proposed before. `repeated`: it was executed before. Both change nothing. */
export interface DeskOutcome {
  readonly kind: 'done' | 'proposed' | 'waiting' | 'repeated';
  readonly decision: Proposal;
  /** A proposal that is over: void if it expired or its item has changed since, else replaced. */
  readonly ended: Proposal | null;
}

/**
 * Proposes a decision in live mode, or executes it in test mode. NotFound, ValidationError,
 * PaymentStateConflict, OperatorNotAllowed, PartnerUnavailable; DecisionNotAllowed if the item or
 * another proposal is in its way.
 */
export async function decide(deps: Deps, command: DeskDecision): Promise<DeskOutcome> {
  const asked = { ...command, ...checkedTexts(command) };
  await readBefore(deps, command.itemId, command.request);
  return inBatch(deps, command.request, async (batch) => {
    await expectOperator(batch.tx, command.operator);
    return decideIn(batch, asked);
  });
}

/**
 * Executes what another operator proposed, if what it relies on is still so. NotFound,
 * DecisionNotAllowed, OperatorNotAllowed, PartnerUnavailable, and what the decision throws.
 */
export async function confirmProposal(
  deps: Deps,
  id: string,
  operator: OperatorActor,
): Promise<DeskOutcome> {
  const { itemId, action } = await readProposal(deps, id);
  await readBefore(deps, itemId, requestOfAction(action));
  return inBatch(deps, requestOfAction(action), async (batch) => {
    const { tx, nowMs } = batch;
    const proposal = expectFound(await tx.proposals.get(id));
    if (proposal.state === 'done') {
      return unchanged({ kind: 'repeated', decision: proposal, ended: null });
    }
    const item = await readItem(batch, proposal.itemId, requestOfAction(proposal.action));
    const registered = await registeredIn(tx);
    const known = { operator, registered, basis: item.basis, nowMs };
    const problem = whyNotConfirmed(proposal, known);
    const refusal = problem ?? item.problem;
    if (refusal !== null) throw new PonteError('DecisionNotAllowed', refusal);
    await expectOperator(tx, operator);
    const { proposedById: proposerId, proposedBy: name } = proposal;
    const proposer: OperatorActor = { kind: 'operator', id: proposerId, name };
    await expectActive(tx, proposer);
    await item.check(batch);
    const decision = confirmedProposal(proposal, operator, nowMs);
    const after = await item.stage(batch, [proposer, operator]);
    tx.proposals.update(decision);
    return { outcome: { kind: 'done', decision, ended: null }, after };
  });
}

/** Ends a proposal that waits. NotFound, OperatorNotAllowed, DecisionNotAllowed. */
export async function withdrawProposal(
  deps: Deps,
  id: string,
  operator: OperatorActor,
): Promise<Proposal> {
  return deps.store.run(
    async (tx) => {
      const proposal = expectFound(await tx.proposals.get(id));
      await expectOperator(tx, operator);
      const ended = withdrawnProposal(proposal, operator, deps.clock.nowMs());
      tx.proposals.update(ended);
      return ended;
    },
    { inQuarantine: true },
  );
}

async function readProposal({ store }: Pick<Deps, 'store'>, id: string): Promise<Proposal> {
  return expectFound(await store.run((tx) => tx.proposals.get(id)));
}

/**
 * The deposit is decided on as the partner's books have it now: a message about it may be lost. A
 * payment of unread money could pay out what is not there. PartnerUnavailable.
 */
async function readBefore(deps: Deps, itemId: string, request: DeskRequest): Promise<void> {
  const deposit = await deps.store.run((tx) => tx.deposits.get(itemId));
  if (deposit === null || !isUnmatched(deposit)) return;
  const { mode, partner } = deposit;
  const isAsked = deps.partners[mode]?.name === partner;
  const outcome = isAsked ? await readDeposit(deps, mode, deposit) : 'no answer';
  if (!('paymentId' in request) || outcome !== 'no answer') return;
  const message = `The books of ${partner} in ${mode} mode have to be read first, and cannot be.`;
  throw new PonteError('PartnerUnavailable', `${message} Try again.`);
}

interface Decided {
  readonly outcome: DeskOutcome;
  readonly after: Awaited<ReturnType<DeskItem['stage']>>;
}

/** A release ends the quarantine, in which nothing else is decided. */
async function inBatch(
  deps: Deps,
  request: DeskRequest,
  work: (batch: Batch) => Promise<Decided>,
): Promise<DeskOutcome> {
  const row = isServiceAction(request) ? serviceDecisionOf(request) : null;
  const { outcome, after } = await deps.store.run(
    (tx) => work({ deps, tx, nowMs: deps.clock.nowMs() }),
    { inQuarantine: row?.inQuarantine === true },
  );
  await after();
  return outcome;
}

async function decideIn(batch: Batch, command: DeskDecision): Promise<Decided> {
  const { deps, tx, nowMs } = batch;
  const { itemId, request, evidence, operator, replace, id } = command;
  const made = id === undefined ? null : await tx.proposals.get(id);
  if (made !== null) {
    const { state } = made;
    if (state === 'proposed') return unchanged({ kind: 'waiting', decision: made, ended: null });
    if (state === 'done') return unchanged({ kind: 'repeated', decision: made, ended: null });
    throw new PonteError('DecisionNotAllowed', `The proposal ${made.id} is ${state}.`);
  }
  const item = await readItem(batch, itemId, request);
  const known = await tx.proposals.ofItem(itemId);
  const { action, basis, problem } = item;
  if (problem !== null) {
    const last = repeated({ action, evidence }, known);
    if (last !== null) return unchanged({ kind: 'repeated', decision: last, ended: null });
    throw new PonteError('DecisionNotAllowed', `${problem}${decidedText(known)}`);
  }
  await item.check(batch);
  const registered = await registeredIn(tx);
  const asked = { itemId, action, evidence, basis, operator, replace, registered };
  const ruling = ruleOf(asked, known, item, id ?? deps.ids.next('dec', nowMs), nowMs);
  const { kind, proposal } = ruling;
  switch (kind) {
    case 'differs':
      throw new PonteError('DecisionNotAllowed', differsText(proposal));
    case 'waits':
      return unchanged({ kind: 'waiting', decision: proposal, ended: null });
    case 'propose':
    case 'execute': {
      const after = kind === 'execute' ? await item.stage(batch, [operator]) : () => undefined;
      const { ended } = ruling;
      if (ended !== null) tx.proposals.update(ended);
      if (isKept(action, kind)) tx.proposals.insert(proposal);
      const outcome = kind === 'execute' ? 'done' : 'proposed';
      return { outcome: { kind: outcome, decision: proposal, ended }, after };
    }
  }
}

async function registeredIn(tx: Tx): Promise<ReadonlySet<string>> {
  return new Set((await tx.operators.list()).filter(isActiveOperator).map(({ id }) => id));
}

function unchanged(outcome: DeskOutcome): Decided {
  return { outcome, after: () => undefined };
}

/** Names the last decision, if there is one. */
function decidedText(known: readonly Proposal[]): string {
  const last = known.findLast(({ state }) => state === 'done');
  if (last === undefined) return '';
  const { proposedBy, endedBy, endedAtMs } = last;
  const names = [...new Set([proposedBy, endedBy])].join(' and ');
  const at = endedAtMs === null ? '' : ` at ${formatInstant(endedAtMs)}`;
  return ` ${names} decided about it${at}: ponte proposals.`;
}

function differsText({ id, proposedBy, proposedAtMs }: Proposal): string {
  const since = formatInstant(proposedAtMs);
  return (
    `${proposedBy} proposed another decision about it at ${since}. ` +
    `Confirm that one (ponte confirm ${id}), or add --replace.`
  );
}

/** ValidationError. */
function checkedTexts({ request, evidence }: DeskDecision): Partial<DeskDecision> {
  const isFree = isServiceAction(request) || decisionOf(request.verb).evidence === undefined;
  const checkedEvidence =
    isFree && evidence === null
      ? null
      : checkedText('evidence', evidence ?? '', EVIDENCE_LENGTH_MAX);
  if (!('endToEndId' in request)) return { evidence: checkedEvidence };
  const endToEndId = checkedText('end-to-end id', request.endToEndId, TRANSFER_ID_LENGTH_MAX);
  return { evidence: checkedEvidence, request: { ...request, endToEndId } };
}
