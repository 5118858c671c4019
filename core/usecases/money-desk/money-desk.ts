// The money desk: operators decide where no report of the partner can. A decision and its effect
// are one batch. desk-items.ts has the effects, money-queues.ts lists what waits.
import { formatInstant } from '../../domain/base/instant.js';
import {
  type DecisionRuling,
  EVIDENCE_LENGTH_MAX,
  type MoneyDecision,
  OPERATOR_LENGTH_MAX,
  repeated,
  ruleOf,
} from '../../domain/money-desk/money-decision.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Batch } from '../service/batch.js';
import { type DeskRequest, readItem } from './desk-items.js';

export interface DeskDecision {
  readonly itemId: string;
  readonly request: DeskRequest;
  /** Required for all but `assign`. */
  readonly evidence: string | null;
  readonly operator: string;
  /** Replaces another proposal for the item. */
  readonly replace: boolean;
}

/**
 * `waiting`: the same operator proposed it before. `repeated`: it was executed before. Both change
 * nothing.
 */
export interface DeskOutcome {
  readonly kind: 'done' | 'proposed' | 'waiting' | 'repeated';
  readonly decision: MoneyDecision;
  /** A proposal that is over: void if the item has changed since, else replaced. */
  readonly ended: MoneyDecision | null;
}

/**
 * Proposes a decision in live mode, confirms that of another operator, or executes it in test mode.
 * NotFound, ValidationError, PaymentStateConflict; DecisionNotAllowed if the item or another
 * proposal is in its way.
 */
export async function decideMoney(deps: Deps, command: DeskDecision): Promise<DeskOutcome> {
  const { request, evidence } = command;
  const isFree = request.verb === 'assign' && evidence === null;
  const asked = {
    ...command,
    evidence: isFree ? null : checked('evidence', evidence ?? '', EVIDENCE_LENGTH_MAX),
    operator: checked('operator', command.operator, OPERATOR_LENGTH_MAX),
    request:
      'endToEndId' in request
        ? {
            ...request,
            endToEndId: checked('end-to-end id', request.endToEndId, OPERATOR_LENGTH_MAX),
          }
        : request,
  };
  const { outcome, after } = await deps.store.run((tx) =>
    decideIn({ deps, tx, nowMs: deps.clock.nowMs() }, asked),
  );
  after();
  return outcome;
}

interface Decided {
  readonly outcome: DeskOutcome;
  /** To be called after the batch is stored. */
  readonly after: () => void;
}

async function decideIn(batch: Batch, command: DeskDecision): Promise<Decided> {
  const { deps, tx, nowMs } = batch;
  const { itemId, request, evidence, operator, replace } = command;
  const item = await readItem(batch, itemId, request);
  const known = await tx.decisions.ofItem(itemId);
  const { action, basis, problem } = item;
  if (problem !== null) {
    const last = repeated({ action, evidence }, known);
    if (last !== null) return unchanged({ kind: 'repeated', decision: last, ended: null });
    throw new PonteError('DecisionNotAllowed', `${problem}${decidedText(known)}`);
  }
  await item.check(batch);
  const asked = { itemId, action, evidence, basis, operator, replace };
  const ruling = ruleOf(asked, known, item, deps.ids.next('dec', nowMs), nowMs);
  return applyRuling(batch, ruling, known, () => item.stage(batch));
}

async function applyRuling(
  { tx }: Batch,
  ruling: DecisionRuling,
  known: readonly MoneyDecision[],
  effect: () => Promise<() => void>,
): Promise<Decided> {
  const { kind, decision } = ruling;
  switch (kind) {
    case 'differs':
      throw new PonteError('DecisionNotAllowed', differsText(decision));
    case 'waits':
      return unchanged({ kind: 'waiting', decision, ended: null });
    case 'propose':
    case 'execute': {
      const after = kind === 'execute' ? await effect() : () => undefined;
      const { ended } = ruling;
      if (ended !== null) tx.decisions.update(ended);
      if (known.some(({ id }) => id === decision.id)) tx.decisions.update(decision);
      else tx.decisions.insert(decision);
      const outcome = kind === 'execute' ? 'done' : 'proposed';
      return { outcome: { kind: outcome, decision, ended }, after };
    }
  }
}

function unchanged(outcome: DeskOutcome): Decided {
  return { outcome, after: () => undefined };
}

/** Names the last decision, if there is one. */
function decidedText(known: readonly MoneyDecision[]): string {
  const last = known.findLast(({ state }) => state === 'done');
  if (last === undefined) return '';
  const { proposedBy, endedBy, endedAtMs } = last;
  const names = [...new Set([proposedBy, endedBy])].join(' and ');
  const at = endedAtMs === null ? '' : ` at ${formatInstant(endedAtMs)}`;
  return ` ${names} decided about it${at}: ponte money list --decided.`;
}

function differsText({ proposedBy, proposedAtMs }: MoneyDecision): string {
  const since = formatInstant(proposedAtMs);
  return (
    `${proposedBy} proposed another decision about it at ${since}. ` +
    'Confirm that one (ponte money list shows the command), or add --replace.'
  );
}

/** One line of text. ValidationError. */
function checked(name: string, text: string, lengthMax: number): string {
  const trimmed = text.trim();
  const isFit = trimmed !== '' && trimmed.length <= lengthMax && !/\p{Cc}/u.test(trimmed);
  if (isFit) return trimmed;
  throw new PonteError(
    'ValidationError',
    `${name}: give 1 to ${lengthMax} characters on one line.`,
  );
}
