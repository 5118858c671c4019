// Messages of the partner. Each is applied once: its id is stored in the batch of its effect. A
// message that cannot be applied is stored, and a worker tries again.
import { backoffMs, schedules } from '../../domain/base/schedules.js';
import type { Mode } from '../../domain/base/tenant.js';
import {
  commandKinds,
  isPolled,
  type PartnerCommand,
} from '../../domain/commands/partner-command.js';
import {
  type InboxMessage,
  readAmount,
  writeAmount,
} from '../../domain/commands/partner-message.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerMessageResult } from '../../ports/outside.js';
import type { PartnerFact, PartnerNotice } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { readDeposit } from '../deposits/deposits.js';
import { commandsNamedBy } from '../deposits/our-rows.js';
import {
  type KnownCommand,
  pollSoon,
  type ReportSource,
  storeStaged,
} from '../payments/command-changes.js';
import { audited } from '../service/audit-log.js';
import { eachDue } from '../service/due-work.js';
import { partnerFor } from '../service/partner-calls.js';
import { sentRequest } from './command-calls.js';
import { operationOf, operations } from './partner-operations.js';

/** The facts of a message that is acknowledged only. */
const NO_FACTS = '[]';

export interface PartnerMessage {
  readonly partner: string;
  readonly mode: Mode;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The raw bytes as received. */
  readonly body: Uint8Array;
}

/**
 * Verifies a message and applies it. When this returns, the message is stored; if it could not be
 * applied, a worker tries again. In quarantine it is stored and applied after the release, because
 * the partner's retries may end before. InvalidSignature.
 */
export async function receivePartnerMessage(deps: Deps, message: PartnerMessage): Promise<void> {
  const { mode, headers, body } = message;
  const partner = deps.partners[mode];
  if (partner === null || partner.name !== message.partner) throw new PonteError('NotFound');
  const nowMs = deps.clock.nowMs();
  const read = partner.readInbound(headers, body, nowMs);
  if (read === null) {
    deps.metrics?.partnerMessage(partner.name, mode, 'not_genuine');
    throw new PonteError('InvalidSignature');
  }
  const fresh: InboxMessage = {
    partner: partner.name,
    mode,
    messageId: read.messageId,
    facts: JSON.stringify(read.facts, writeAmount),
    receivedAtMs: nowMs,
    dueAtMs: nowMs + backoffMs('partnerMessage', 0),
    tries: 0,
    version: 0,
  };
  const { isKnown, isQuarantine } = await deps.store.run(async (tx) => ({
    isKnown: (await inboxRow(tx, fresh)) !== null,
    isQuarantine: (await tx.epochs.current()).state === 'quarantine',
  }));
  if (isKnown) return;
  if (isQuarantine) {
    await recordInboxAttempt(asPartner(deps, fresh), fresh);
    return;
  }
  const error = await attemptMessage(asPartner(deps, fresh), fresh);
  if (error !== null) deps.log.error('a due row could not be processed', { step: 'inbox', error });
}

/** Applies stored messages that are due; returns how many. */
export async function runInbox(deps: Deps, nowMs: number, limit: number): Promise<number> {
  return eachDue(
    deps,
    'inbox',
    { nowMs, limit },
    {
      read: (page) => deps.store.run((tx) => tx.inbox.unapplied(page)),
      cursorOf: ({ messageId, dueAtMs }) => ({ id: messageId, dueAtMs: dueAtMs ?? nowMs }),
      work: async (message) => {
        const error = await attemptMessage(asPartner(deps, message), message);
        if (error !== null) throw error;
      },
    },
  );
}

/**
 * Applies a report to its command; twice, late or out of order it is harmless. The same batch marks
 * its message as applied. Returns the command as it is stored.
 */
export async function applyPartnerUpdate(
  deps: Deps,
  known: PartnerCommand,
  fact: PartnerFact,
  source: ReportSource = {},
  message: InboxMessage | null = null,
): Promise<KnownCommand | null> {
  return storeStaged(deps, async (batch) => {
    const command = await batch.tx.commands.known(known);
    assert(command !== null, 'a command stays');
    const staged = await operationOf(command).onReport(batch, command, fact, source);
    if (message !== null && staged.isComplete) await stageApplied(batch.tx, message);
    return staged;
  });
}

function count(deps: Deps, { partner, mode }: InboxMessage, result: PartnerMessageResult): void {
  deps.metrics?.partnerMessage(partner, mode, result);
}

/** The partner is the author of what its message changes. */
function asPartner(deps: Deps, { partner, facts }: InboxMessage): Deps {
  const kinds = (JSON.parse(facts) as readonly PartnerFact[]).map(({ kind }) => kind);
  const action = [...new Set(kinds)].join('+') || 'none';
  return audited(deps, { actor: { kind: 'partner', id: partner }, action });
}

/** Returns the error of the attempt, once the attempt is recorded. */
async function attemptMessage(deps: Deps, message: InboxMessage): Promise<unknown> {
  let failure: unknown = null;
  try {
    if (await applyFacts(deps, message)) {
      count(deps, message, message.facts === NO_FACTS ? 'without_effect' : 'applied');
      return null;
    }
  } catch (error) {
    failure = error;
  }
  if (message.tries === 0) count(deps, message, 'unmatched');
  await recordInboxAttempt(deps, message);
  return failure;
}

/**
 * False if a fact matches neither a command nor a deposit; else the batch of the last fact marks
 * the message as applied.
 */
async function applyFacts(deps: Deps, message: InboxMessage): Promise<boolean> {
  const facts = JSON.parse(message.facts, readAmount) as readonly (PartnerFact | PartnerNotice)[];
  const last = facts.length - 1;
  let isWhole = true;
  for (const [at, fact] of facts.entries()) {
    const messageToMark = at === last && isWhole ? message : null;
    if (!(await applyFact(deps, message.mode, fact, messageToMark))) isWhole = false;
  }
  if (last < 0) await deps.store.run((tx) => stageApplied(tx, message));
  return isWhole;
}

async function applyFact(
  deps: Deps,
  mode: Mode,
  fact: PartnerFact | PartnerNotice,
  messageToMark: InboxMessage | null,
): Promise<boolean> {
  const command = await matchingCommand(deps, mode, fact);
  if (command === null) return recordDeposit(deps, mode, fact, messageToMark);
  if (fact.report !== null) await applyPartnerUpdate(deps, command, fact, {}, messageToMark);
  else {
    await pollSoon(deps, command, fact.partnerRef, async (tx) => {
      if (messageToMark !== null) await stageApplied(tx, messageToMark);
    });
  }
  return true;
}

/** A pay-in or payout without a command. The books count, not the report of the message. */
async function recordDeposit(
  deps: Deps,
  mode: Mode,
  { kind, partnerRef }: PartnerFact | PartnerNotice,
  messageToMark: InboxMessage | null,
): Promise<boolean> {
  if (kind !== 'payin' && kind !== 'payout') return false;
  const outcome = await readDeposit(deps, mode, { book: kind, partnerRef }, async (tx) => {
    if (messageToMark !== null) await stageApplied(tx, messageToMark);
  });
  return outcome === 'deposit' || outcome === 'none';
}

/** A message that another host applied is unchanged. */
async function stageApplied(tx: Tx, message: InboxMessage): Promise<void> {
  const row = await tx.inbox.known(message);
  const applied = { ...(row ?? message), dueAtMs: null };
  if (row === null) tx.inbox.insert({ ...applied, tries: 1, version: 1 });
  else if (row.dueAtMs !== null) tx.inbox.update({ ...applied, tries: row.tries + 1 });
}

function inboxRow(tx: Tx, { partner, mode, messageId }: InboxMessage) {
  return tx.inbox.get(partner, mode, messageId);
}

/**
 * Records an attempt that did not apply the message, which is stored with it. After the last
 * attempt an operator must look. In quarantine no attempt is counted.
 */
async function recordInboxAttempt(deps: Deps, message: InboxMessage): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const givenUp = await deps.store.run(
    async (tx) => {
      const row = await inboxRow(tx, message);
      const { state } = await tx.epochs.current();
      if (state === 'quarantine') {
        if (row === null) tx.inbox.insert({ ...message, version: 1 });
        return false;
      }
      if (row?.dueAtMs === null) return false;
      const tries = (row ?? message).tries + 1;
      const isLast = tries >= schedules.partnerMessage.triesMax;
      const dueAtMs = isLast ? null : nowMs + backoffMs('partnerMessage', tries);
      if (row === null) tx.inbox.insert({ ...message, tries, dueAtMs, version: 1 });
      else tx.inbox.update({ ...row, tries, dueAtMs });
      return isLast;
    },
    { inQuarantine: true },
  );
  if (!givenUp) return;
  count(deps, message, 'given_up');
  const { messageId } = message;
  deps.log.error('alert', { alert: 'a partner message was not applied', messageId });
}

/**
 * The command of a fact. The partner's id must be the stored one: a message that names another
 * command under our reference is not applied, and an alert is logged.
 */
async function matchingCommand(
  deps: Deps,
  mode: Mode,
  fact: PartnerFact | PartnerNotice,
): Promise<PartnerCommand | null> {
  const here = deps.partners[mode]?.instance;
  const fits = ({ mode: its, kind, instance }: PartnerCommand) =>
    its === mode &&
    operations[kind].reportKind === fact.kind &&
    (instance === null || instance === here);
  const kinds = commandKinds.filter((kind) => operations[kind].reportKind === fact.kind);
  const command = (await deps.store.run((tx) => commandsNamedBy(tx, mode, kinds, fact))).find(fits);
  if (command === undefined) return null;
  // A command that is not accepted yet has nothing to poll: the message is tried again.
  if (fact.report === null && !isPolled(command)) return null;
  const onRecord = command.partnerRef ?? (await lookedUpRef(deps, command, fact));
  if (onRecord === fact.partnerRef) return command;
  const { partnerRef } = fact;
  const alert = 'the partner reports another command under our reference than the one on record';
  if (onRecord !== null) deps.log.error('alert', { alert, commandId: command.id, partnerRef });
  return null;
}

/**
 * Looks up the partner's id of a command without a stored one, because a message may name another
 * command. Null without an answer: the message is tried again.
 */
async function lookedUpRef(
  deps: Deps,
  command: PartnerCommand,
  { partnerRef }: Pick<PartnerFact, 'partnerRef'>,
): Promise<string | null> {
  const partner = partnerFor(deps, command);
  // Without a request nothing was sent: there is nothing to look up.
  if (partner === null || command.request === null) return partnerRef;
  const found = await operationOf(command).callsOf(partner).find(sentRequest(deps, command));
  return found.outcome === 'done' ? (found.value?.partnerRef ?? null) : null;
}
