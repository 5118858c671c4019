// Compares the partner's books with ours, in both directions, and changes nothing. The partner's
// entries are read page by page, and each is compared with our command or deposit; then our
// commands, for those that its pages did not have. What differs is read and compared once more, so
// that a change in between is no difference.
import type { Mode } from '../../domain/base/tenant.js';
import {
  isMoneyCommand,
  type MoneyCommand,
  type PartnerCommand,
} from '../../domain/commands/partner-command.js';
import { type EntryKind, entryKinds } from '../../domain/deposits/book-reading.js';
import { type Deposit, isUnmatched } from '../../domain/deposits/deposit.js';
import {
  type Difference,
  depositSide,
  mayBeOnItsWay,
  oursOf,
  sorted,
} from '../../domain/money-desk/reconciliation.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerAnswer, PartnerEntry, PartnerStatement } from '../../ports/partner.js';
import type { ListPage } from '../../ports/storage.js';
import { type PartnerCall, type Patience, patientCalls, readBook } from '../deposits/books.js';
import { readReview } from '../payments/command-changes.js';
import { differencesOf } from './entry-differences.js';

const COMMANDS_PER_PAGE = 100;
const DEPOSITS_PER_PAGE = 100;
/** Reviews that are older than the period are looked for among this many stuck commands. */
const STUCK_MAX = 1_000;

export interface ReconcileOptions extends Patience {
  readonly mode: Mode;
  /** Entries and commands since then are compared; what waits for an operator, at any age. */
  readonly sinceMs: number;
}

export interface Reconciliation {
  readonly entries: number;
  readonly commands: number;
  readonly differences: readonly Difference[];
  /** What could not be read: it is neither a difference nor clean. */
  readonly missed: readonly Missed[];
}

export interface Missed {
  readonly book: EntryKind;
  /** One entry; null: the list. */
  readonly partnerRef: string | null;
  readonly reason: string;
}

/** Null if the partner of this mode has no books that can be read. */
export async function reconcile(
  deps: Deps,
  options: ReconcileOptions,
): Promise<Reconciliation | null> {
  const partner = deps.partners[options.mode];
  if (partner?.statement === undefined) return null;
  const { name, statement } = partner;
  const run = new Comparison(deps, options, { name, statement });
  for (const kind of entryKinds.toReversed()) await run.readBook(kind);
  await run.readCommands();
  await run.readHeld();
  await run.readAgain();
  return {
    entries: run.entries,
    commands: run.commands,
    differences: sorted(run.differences),
    missed: run.missed,
  };
}

interface Books {
  readonly name: string;
  readonly statement: PartnerStatement;
}

class Comparison {
  readonly differences: Difference[] = [];
  readonly missed: Missed[] = [];
  entries = 0;
  commands = 0;
  readonly #deps: Deps;
  readonly #options: ReconcileOptions;
  readonly #partner: string;
  readonly #statement: PartnerStatement;
  readonly #call: PartnerCall;
  /** Books whose list was read to its end. */
  readonly #completeLists = new Set<EntryKind>();
  /** Entries of the lists: one text each is all that is kept of them. */
  readonly #listed = new Set<string>();
  readonly #doubtful = new Map<string, PartnerEntry>();

  constructor(deps: Deps, options: ReconcileOptions, books: Books) {
    this.#deps = deps;
    this.#options = options;
    this.#partner = books.name;
    this.#statement = books.statement;
    this.#call = patientCalls(options);
  }

  async readBook(book: EntryKind): Promise<void> {
    const { sinceMs } = this.#options;
    const query = { kind: book, sinceMs, cursor: null };
    for await (const answer of readBook(this.#statement, query, this.#call)) {
      if (answer.outcome !== 'done') return this.#miss(book, null, answer);
      await Promise.all(answer.value.entries.map((entry) => this.#compareListed(entry)));
      for (const { partnerRef, reason } of answer.value.unreadable) {
        // Another read of it would not help.
        this.#listed.add(nameOf({ kind: book, partnerRef }));
        this.missed.push({ book, partnerRef, reason });
      }
    }
    this.#completeLists.add(book);
  }

  async #compareListed(entry: PartnerEntry): Promise<void> {
    const name = nameOf(entry);
    if (this.#listed.has(name)) return;
    this.#listed.add(name);
    this.entries += 1;
    const found = await this.#compare(entry);
    if (found.length > 0) this.#doubtful.set(name, entry);
  }

  #compare(entry: PartnerEntry): Promise<readonly Difference[]> {
    const { mode } = this.#options;
    const side = { partner: this.#partner, mode, nowMs: this.#deps.clock.nowMs() };
    return this.#deps.store.run((tx) => differencesOf(tx, side, entry));
  }

  /** Our commands that the partner has accepted. */
  async readCommands(): Promise<void> {
    const { mode, sinceMs } = this.#options;
    for (let after: PartnerCommand | null = null; ; ) {
      const page = { fromMs: after?.createdAtMs ?? sinceMs, afterId: after?.id ?? '' };
      const found: readonly PartnerCommand[] = await this.#deps.store.run((tx) =>
        tx.commands.since({ ...page, limit: COMMANDS_PER_PAGE }),
      );
      for (const command of found) {
        if (command.mode === mode && isMoneyCommand(command)) await this.#lookFor(command);
      }
      after = found.at(-1) ?? null;
      if (after === null) return;
    }
  }

  async #lookFor(command: MoneyCommand): Promise<void> {
    const { kind, partnerRef, mode, lastSentAtMs, createdAtMs } = command;
    if (partnerRef === null || kind === 'refund') return;
    this.commands += 1;
    const first = await this.#deps.store.run((tx) =>
      tx.commands.byPartnerRef(mode, kind, partnerRef),
    );
    if (first !== null && first.id !== command.id && isMoneyCommand(first)) {
      this.differences.push({ ...sidesOf(command), kind: 'duplicate_command', here: first.id });
    }
    const sinceMs = lastSentAtMs ?? createdAtMs;
    await this.#lookUp({ kind, partnerRef, sinceMs }, sidesOf(command));
  }

  /** Reads what the list did not have: it may be older than the list, or missing. */
  async #lookUp(
    { kind, partnerRef, sinceMs }: Pick<PartnerEntry, 'kind' | 'partnerRef'> & { sinceMs: number },
    sides: Omit<Difference, 'kind'>,
  ): Promise<void> {
    const isYoung = mayBeOnItsWay(sinceMs, this.#deps.clock.nowMs());
    const isListed = this.#listed.has(nameOf({ kind, partnerRef }));
    if (isListed || isYoung || !this.#completeLists.has(kind)) return;
    const answer = await this.#call(() => this.#statement.read(kind, partnerRef));
    if (answer.outcome === 'done') await this.#compareListed(answer.value);
    else if (answer.outcome !== 'refused') this.#miss(kind, partnerRef, answer);
    else this.differences.push({ ...sides, kind: 'missing_at_partner', there: answer.code });
  }

  /** What waits for an operator. */
  async readHeld(): Promise<void> {
    await this.#readReports();
    for (let beforeId: string | null = null; ; ) {
      const page: ListPage = { beforeId, limit: DEPOSITS_PER_PAGE };
      const found: readonly Deposit[] = await this.#deps.store.run((tx) =>
        tx.deposits.list({ ...page, waiting: true }),
      );
      for (const deposit of found) await this.#lookForDeposit(deposit);
      beforeId = found.at(-1)?.id ?? null;
      if (beforeId === null) return;
    }
  }

  async #lookForDeposit(deposit: Deposit): Promise<void> {
    const { mode, partner, book, partnerRef, enteredAtMs } = deposit;
    if (mode !== this.#options.mode || partner !== this.#partner) return;
    const ours = depositSide(deposit);
    const sides = { book, ours, theirs: null, here: null, there: null } as const;
    if (isUnmatched(deposit)) this.differences.push({ ...sides, kind: 'deposit_unmatched' });
    await this.#lookUp({ kind: book, partnerRef, sinceMs: enteredAtMs }, sides);
  }

  async #readReports(): Promise<void> {
    const { mode } = this.#options;
    const stuck = await this.#deps.store.run((tx) =>
      tx.commands.list({ stuck: true, limit: STUCK_MAX }),
    );
    for (const command of stuck) {
      if (command.mode !== mode || command.review === null || !isMoneyCommand(command)) continue;
      const here = readReview(command.review).reason;
      this.differences.push({ ...sidesOf(command), kind: 'report_in_review', here });
    }
  }

  /** Each entry that differed, as it is now. */
  async readAgain(): Promise<void> {
    for (const entry of this.#doubtful.values()) {
      const { kind, partnerRef } = entry;
      const answer = await this.#call(() => this.#statement.read(kind, partnerRef));
      const current = answer.outcome === 'done' ? answer.value : entry;
      this.differences.push(...(await this.#compare(current)));
    }
  }

  #miss(
    book: EntryKind,
    partnerRef: string | null,
    answer: Exclude<PartnerAnswer<unknown>, { outcome: 'done' }>,
  ): void {
    const reason = answer.outcome === 'refused' ? answer.message : answer.reason;
    this.missed.push({ book, partnerRef, reason });
  }
}

function sidesOf(command: MoneyCommand) {
  return { book: command.kind, ours: oursOf(command), theirs: null, here: null, there: null };
}

function nameOf({ kind, partnerRef }: Pick<PartnerEntry, 'kind' | 'partnerRef'>): string {
  return `${kind} ${partnerRef}`;
}
