// The money desk in words: rows of its queues, decisions, and the commands to copy.
import { formatDuration, formatInstant, instantOrNull } from '../core/domain/base/instant.js';
import { formatAmount, shownAmount } from '../core/domain/base/money.js';
import type { MoneyQueue } from '../core/domain/money-desk/money-decision.js';
import type { Proposal } from '../core/domain/money-desk/proposal.js';
import { waitingKinds } from '../core/domain/money-desk/waiting-kind.js';
import type { Deps } from '../core/ports/deps.js';
import {
  actionText,
  capital,
  deskStepsOf,
  knownText,
} from '../core/usecases/money-desk/desk-texts.js';
import type { DeskOutcome } from '../core/usecases/money-desk/money-desk.js';
import type { ListedProposal, QueueRow } from '../core/usecases/money-desk/money-queues.js';
import { type Outcome, withName } from './operator.js';

const COLUMNS = 80;

export function presentRow(row: QueueRow, nowMs: number) {
  const { queue, id, kind, orgId, mode, paymentId, amount, sinceMs, known } = row;
  return {
    queue,
    id,
    kind,
    orgId,
    testMode: mode === 'test',
    paymentId,
    amount: formatAmount(amount.amountMinor),
    currency: amount.currency,
    since: formatInstant(sinceMs),
    known: knownText(known, nowMs),
    payer: known.kind === 'deposit' ? known.payer : null,
    steps: deskStepsOf(row),
    proposal: row.proposal === null ? null : presentDecision(row.proposal),
  };
}

/** The names of organizations by id. */
type Names = ReadonlyMap<string, string>;

export function rowsText(rows: readonly QueueRow[], names: Names, nowMs: number): string {
  const parts: string[] = [];
  let last: MoneyQueue | null = null;
  for (const row of rows) {
    if (row.queue !== last)
      parts.push(waitingKinds[row.queue].replace(/^[^:]+/, (name) => name.toUpperCase()));
    last = row.queue;
    parts.push(rowText(row, names, nowMs));
  }
  return parts.length === 0 ? 'No items.' : parts.join('\n\n');
}

function rowText(row: QueueRow, names: Names, nowMs: number): string {
  const { id, kind, mode, orgId, paymentId, amount, sinceMs, known, proposal } = row;
  const since = `since ${formatInstant(sinceMs)} (${formatDuration(nowMs - sinceMs)})`;
  const of = kind === 'payment' || kind === 'deposit' ? '' : `${kind} of ${paymentId}, `;
  return [
    `${id}  ${shownAmount(amount)}  ${since}`,
    ...wrapped(`${of}${withName(names, orgId) ?? 'organization unknown'}, ${mode}`),
    ...wrapped(knownText(known, nowMs)),
    ...deskStepsOf(row).flatMap(({ what, command }) =>
      commandLines(what, command.split(/ (?=--)/)),
    ),
    ...(proposal === null ? [] : proposalLines(proposal)),
  ].join('\n');
}

function proposalLines(decision: ListedProposal): readonly string[] {
  const proposed = `${decision.proposedBy} proposed at ${formatInstant(decision.proposedAtMs)}`;
  const what = `${proposed}: ${actionText(decision.action)}${evidenceText(decision)}.`;
  if (decision.isVoid) return wrapped(`${what} The proposal is void: the item has changed since.`);
  if (decision.isExpired) return wrapped(`${what} The proposal has expired.`);
  return commandLines(`${what} Another operator confirms it with:`, confirmationOf(decision));
}

export function presentDecision({ action, ...decision }: Proposal | ListedProposal) {
  const { id, itemId, orgId, mode, state, evidence, basis, proposedBy, endedBy } = decision;
  const { proposedById, endedById } = decision;
  const isVoid = 'isVoid' in decision && (decision.isVoid || decision.isExpired);
  return {
    id,
    itemId,
    orgId,
    testMode: mode === 'test',
    state: isVoid ? 'void' : state,
    decision: actionText(action),
    evidence,
    basis,
    proposedBy,
    proposedById,
    proposedAt: formatInstant(decision.proposedAtMs),
    expiresAt: formatInstant(decision.expiresAtMs),
    endedBy,
    endedById,
    endedAt: instantOrNull(decision.endedAtMs),
    command: state === 'proposed' && !isVoid ? confirmationOf(decision).join(' ') : null,
  };
}

export function decisionsText(decisions: readonly ListedProposal[]): string {
  if (decisions.length === 0) return 'No decisions.';
  return decisions.map(decisionText).join('\n\n');
}

function decisionText(decision: ListedProposal): string {
  const { id, itemId, mode, action } = decision;
  return [
    `${id}  ${itemId}  ${mode}`,
    ...wrapped(`${capital(actionText(action))}${evidenceText(decision)}.`),
    ...wrapped(historyText(decision)),
  ].join('\n');
}

type MaybeListed = Proposal & Partial<Pick<ListedProposal, 'isVoid' | 'isExpired'>>;

function historyText(decision: MaybeListed): string {
  const { id, state, proposedById, proposedBy, proposedAtMs } = decision;
  const { endedById, endedBy, endedAtMs } = decision;
  const proposed = `by ${proposedBy} at ${formatInstant(proposedAtMs)}`;
  if (endedAtMs === null) {
    if (decision.isVoid) return `Proposed ${proposed}; void: its item has changed since.`;
    const until = formatInstant(decision.expiresAtMs);
    if (decision.isExpired) return `Proposed ${proposed}; expired at ${until}.`;
    return `Proposed ${proposed}; waits for another operator until ${until}: ponte confirm ${id}.`;
  }
  if (proposedById === endedById && state === 'done') return `Decided ${proposed}.`;
  const ended = `by ${endedBy} at ${formatInstant(endedAtMs)}`;
  const how = {
    proposed: '',
    done: `confirmed ${ended}`,
    replaced: `replaced ${ended}`,
    withdrawn: `withdrawn ${ended}`,
    void: `void when ${endedBy} decided at ${formatInstant(endedAtMs)}: its item had changed`,
  } as const satisfies Record<Proposal['state'], string>;
  return `Proposed ${proposed}; ${how[state]}.`;
}

/** The result of a command that decides, or confirms, with the name of the organization. */
export async function decidedOutcome(
  { store }: Pick<Deps, 'store'>,
  outcome: DeskOutcome,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Outcome> {
  const { kind, decision, ended } = outcome;
  const { orgId, mode } = decision;
  const { readOrganizationName } = await import('../core/usecases/parties/organizations.js');
  const name = await readOrganizationName({ store }, orgId);
  const of = name === null ? [] : wrapped(`${name} (${orgId}), ${mode}:`);
  return {
    json: {
      outcome: kind,
      decision: presentDecision(decision),
      ended: ended === null ? null : presentDecision(ended),
      dryRun,
    },
    text: outcomeText(outcome, { dryRun, of }),
  };
}

const storedHeadings = { done: 'Done.', proposed: 'Proposed. Nothing is booked yet.' } as const;

const dryHeadings = {
  done: 'Dry run: nothing is stored. Without --dry-run this is booked:',
  proposed: 'Dry run: nothing is stored. Without --dry-run this is proposed:',
} as const satisfies Record<keyof typeof storedHeadings, string>;

function outcomeText(
  { kind, decision, ended }: DeskOutcome,
  { dryRun, of }: { readonly dryRun: boolean; readonly of: readonly string[] },
): string {
  const headings = dryRun ? dryHeadings : storedHeadings;
  const text = capital(`${actionText(decision.action)}${evidenceText(decision)}.`);
  const what = [...of, ...wrapped(text)];
  const confirm = commandLines('Another operator confirms it with:', confirmationOf(decision));
  const before =
    ended === null
      ? []
      : wrapped(
          ended.state === 'void'
            ? `The proposal of ${ended.proposedBy} is void: the item has changed since. It was ` +
                `${ended.basis}; it is ${decision.basis}.`
            : `It replaces the proposal of ${ended.proposedBy}: ${actionText(ended.action)}` +
                `${evidenceText(ended)}.`,
          '',
        );
  const lines = {
    done: [headings.done, ...what, ...(dryRun ? [] : wrapped(historyText(decision)))],
    proposed: [headings.proposed, ...what, ...confirm],
    waiting: ['It was proposed before. Nothing was changed.', ...what, ...confirm],
    repeated: [
      'It was done before. Nothing was changed.',
      ...of,
      ...wrapped(historyText(decision)),
    ],
  } as const satisfies Record<DeskOutcome['kind'], readonly string[]>;
  return [...before, ...lines[kind]].join('\n');
}

function confirmationOf({ id }: Pick<Proposal, 'id'>): readonly string[] {
  return [`ponte confirm ${id}`];
}

function evidenceText({ evidence }: Pick<Proposal, 'evidence'>): string {
  return evidence === null ? '' : ` (evidence: ${evidence})`;
}

function commandLines(what: string, command: readonly string[]): readonly string[] {
  return [...wrapped(what), ...wrappedCommand(command)];
}

/** A shell joins its lines again. */
function wrappedCommand(parts: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const isFit = last !== undefined && `${last} ${part} \\`.length <= COLUMNS;
    if (isFit) lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(last === undefined ? `    ${part}` : `      ${part}`);
  }
  return lines.map((line, at) => (at === lines.length - 1 ? line : `${line} \\`));
}

/** Lines of at most COLUMNS, indented. */
export function wrapped(text: string, indent = '  '): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const isFit = last !== undefined && `${last} ${word}`.length <= COLUMNS;
    if (isFit) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${indent}${word}`);
  }
  return lines;
}
