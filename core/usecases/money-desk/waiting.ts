// Everything that waits for an operator, by kind: the one list. `ponte waiting` and the console
// show it; their money desk, stuck commands and requests for production access are views of it.
import type { Money } from '../../domain/base/money.js';
import type { Mode } from '../../domain/base/tenant.js';
import { isMoneyCommand } from '../../domain/commands/partner-command.js';
import { type MoneyQueue, queueOf } from '../../domain/money-desk/money-decision.js';
import { PROPOSAL_LIFE_MS } from '../../domain/money-desk/proposal.js';
import type { WaitingKind } from '../../domain/money-desk/waiting-kind.js';
import type { Deps } from '../../ports/deps.js';
import { readOrganizationName } from '../parties/organizations.js';
import { listProductionRequests, WAITING_MAX } from '../parties/production-requests.js';
import { actionText, type CopiedStep, capital, deskStepsOf, knownText } from './desk-texts.js';
import { type ListedProposal, listProposals, listQueues, type QueueRow } from './money-queues.js';
import { payeeIn, payerIn } from './payment-case.js';

export interface WaitingItem {
  readonly kind: WaitingKind;
  readonly id: string;
  readonly orgId: string | null;
  readonly mode: Mode;
  readonly sinceMs: number;
  /** Null: it is not about an amount. */
  readonly amount: Money | null;
  /** What is known. */
  readonly text: string;
  /** Commands to copy. */
  readonly steps: readonly CopiedStep[];
  /** What it is, beside its id. */
  readonly about: string;
  /** The one that is open about it, or that it is. */
  readonly proposal: ListedProposal | null;
  /** Null outside of the money desk. */
  readonly row: QueueRow | null;
}

/** Null selects all. */
export interface WaitingFilter {
  readonly orgId: string | null;
  readonly mode: Mode | null;
  /** Maximum of each kind; the oldest are given. */
  readonly limit: number;
}

type Read = (deps: Deps, filter: WaitingFilter) => Promise<readonly Omit<WaitingItem, 'kind'>[]>;

const readers: Readonly<Record<WaitingKind, Read>> = {
  proposal: readProposals,
  unmatched: queue('unmatched'),
  short: queue('short'),
  unapproved: queue('unapproved'),
  owed: queue('owed'),
  in_review: queue('in_review'),
  lost: queue('lost'),
  command: readCommands,
  production: readRequests,
  message: readMessages,
};

export async function listWaiting(
  deps: Deps,
  kinds: readonly WaitingKind[],
  filter: WaitingFilter,
): Promise<readonly WaitingItem[]> {
  const read = async (kind: WaitingKind) => {
    const items = await readers[kind](deps, filter);
    return items.map((item) => ({ kind, ...item }));
  };
  return (await Promise.all(kinds.map(read))).flat();
}

function queue(name: MoneyQueue): Read {
  return async (deps, filter) => {
    const rows = await listQueues(deps, { ...filter, queue: name, after: null });
    const people = await peopleOf(deps, rows);
    return rows.map((row) => {
      const { id, kind, orgId, mode, sinceMs, amount, paymentId } = row;
      const proposal = row.proposal === null || isOver(row.proposal) ? null : row.proposal;
      const steps = proposal === null ? deskStepsOf(row) : [confirmation(proposal)];
      const who = people.get(paymentId ?? '');
      const about = who === undefined ? kind : `${kind}: ${who}`;
      const text = knownText(row.known, deps.clock.nowMs());
      return { id, orgId, mode, sinceMs, amount, text, steps, about, proposal, row };
    });
  };
}

/** Who pays whom, by payment. */
async function peopleOf(
  deps: Deps,
  rows: readonly QueueRow[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(rows.flatMap(({ paymentId }) => paymentId ?? []))];
  const found = await deps.store.run((tx) =>
    Promise.all(
      ids.map(async (id) => {
        const payment = await tx.payments.find(id);
        const organization = payment && (await tx.organizations.get(payment.orgId));
        if (payment === null || organization === null) return [];
        const payee = payeeIn({ payment, organization });
        return [[id, `${payerIn(payment)} pays ${payee}`] as const];
      }),
    ),
  );
  return new Map(found.flat());
}

function isOver({ state, isVoid, isExpired }: ListedProposal): boolean {
  return state !== 'proposed' || isVoid || isExpired;
}

function confirmation({ id, proposedBy }: ListedProposal): CopiedStep {
  return {
    what: `Another operator than ${proposedBy} confirms it.`,
    command: `ponte confirm ${id}`,
  };
}

/** An older one has expired. */
async function readProposals(deps: Deps, { limit, ...of }: WaitingFilter) {
  const open: ListedProposal[] = [];
  const sinceMs = deps.clock.nowMs() - PROPOSAL_LIFE_MS;
  for (let beforeId: string | null = null; ; ) {
    const page: readonly ListedProposal[] = await listProposals(deps, {
      ...of,
      beforeId,
      limit: WAITING_MAX,
    });
    open.push(...page.filter((proposal) => !isOver(proposal)));
    const last = page.at(-1);
    if (last === undefined || page.length < WAITING_MAX || last.proposedAtMs < sinceMs) break;
    beforeId = last.id;
  }
  return open
    .toReversed()
    .slice(0, limit)
    .map((proposal) => ({
      ...bare,
      id: proposal.id,
      orgId: proposal.orgId,
      mode: proposal.mode,
      sinceMs: proposal.proposedAtMs,
      text: `${capital(actionText(proposal.action))}. It is about ${proposal.itemId}.`,
      steps: [confirmation(proposal)],
      about: 'proposal',
      proposal,
    }));
}

/** Those about money that need a decision are in a queue. */
async function readCommands(deps: Deps, filter: WaitingFilter) {
  const found = await deps.store.run((tx) => tx.commands.list({ stuck: true, limit: WAITING_MAX }));
  return found
    .filter((command) => !isMoneyCommand(command) || queueOf(command) === null)
    .filter((command) => isAsked(command, filter))
    .toReversed()
    .slice(0, filter.limit)
    .map((command) => ({
      ...bare,
      id: command.id,
      orgId: command.orgId,
      mode: command.mode,
      sinceMs: command.lastSentAtMs ?? command.createdAtMs,
      amount: isMoneyCommand(command) ? command.amount : null,
      text: `It is ${command.state}: ${command.lastError ?? 'no error'}.`,
      about: command.kind,
      steps: [{ what: 'Run it now.', command: `ponte commands retry ${command.id}` }],
    }));
}

async function readRequests(deps: Deps, filter: WaitingFilter) {
  const found = (await listProductionRequests(deps)).map((request) => ({
    ...request,
    mode: 'live' as const,
  }));
  const asked = found.filter((request) => isAsked(request, filter)).slice(0, filter.limit);
  return Promise.all(
    asked.map(async ({ orgId, mode, createdAtMs, answers }) => ({
      ...bare,
      id: orgId,
      orgId,
      mode,
      sinceMs: createdAtMs,
      text: answers.sells,
      about: (await readOrganizationName(deps, orgId)) ?? 'organization',
      steps: [
        { what: 'Propose to grant it.', command: `ponte org grant-production ${orgId}` },
        { what: 'Refuse it.', command: `ponte org refuse-production ${orgId} --reason 'REASON'` },
      ],
    })),
  );
}

/** A message that was tried is tried again; it waits for a command that is not here. */
async function readMessages(deps: Deps, filter: WaitingFilter) {
  const all = { nowMs: Number.MAX_SAFE_INTEGER, after: null, limit: WAITING_MAX };
  const found = await deps.store.run((tx) => tx.inbox.unapplied(all));
  return found
    .filter(({ tries }) => tries > 0)
    .map(({ messageId, mode, receivedAtMs, tries }) => ({
      ...bare,
      id: messageId,
      orgId: null,
      mode,
      sinceMs: receivedAtMs,
      text: `It was tried ${tries} times.`,
      about: 'message',
    }))
    .filter((item) => isAsked(item, filter))
    .slice(0, filter.limit);
}

const bare = { amount: null, steps: [], proposal: null, row: null };

function isAsked(
  item: { readonly orgId: string | null; readonly mode: Mode },
  { orgId, mode }: WaitingFilter,
): boolean {
  return (orgId === null || item.orgId === orgId) && (mode === null || item.mode === mode);
}
