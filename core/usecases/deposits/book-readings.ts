// Reads the partner's books as a backstop for lost messages (book-reading.ts): a command that is
// behind is polled, a pay-in that nobody ordered becomes a deposit. The leader runs it.
import { type Mode, modes } from '../../domain/base/tenant.js';
import {
  type BookReading,
  entryKinds,
  firstReading,
  isReadingDue,
  isReadingLate,
  pageRead,
  readingFailed,
  spanNames,
} from '../../domain/deposits/book-reading.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerEntry, PartnerStatement } from '../../ports/partner.js';
import { pollSoon } from '../payments/command-changes.js';
import { currentEpoch } from '../service/epochs.js';
import { bookAlerts, readBook } from './books.js';
import { readDeposit } from './deposits.js';
import { type BooksOf, type Standing, standingOf } from './our-rows.js';

/** Pages of one run and mode: others wait for the leader. */
const PAGES_PER_RUN = 5;

const theFirst = { fromMs: 0, afterId: '', limit: 1 } as const;

/** Reads on where the readings stopped; returns how many pages. */
export async function runBookReadings(deps: Deps): Promise<number> {
  const { state, releasedAtMs } = await currentEpoch(deps);
  if (state === 'quarantine') return 0;
  let pages = 0;
  for (const mode of modes) pages += await readBooksOf(deps, mode, releasedAtMs);
  return pages;
}

async function readBooksOf(deps: Deps, mode: Mode, releasedAtMs: number | null): Promise<number> {
  const partner = deps.partners[mode];
  if (partner?.statement === undefined) return 0;
  const { name, statement } = partner;
  const { known, firstCommandAtMs } = await deps.store.run(async (tx) => {
    const stored = await tx.bookReadings.of(name, mode);
    const isWhole = stored.length === entryKinds.length * spanNames.length;
    const [command] = isWhole ? [] : await tx.commands.since(theFirst);
    return { known: stored, firstCommandAtMs: command?.createdAtMs ?? null };
  });
  const nowMs = deps.clock.nowMs();
  const readings = entryKinds.flatMap((book) =>
    spanNames.map((span) => {
      const stored = known.find((one) => one.book === book && one.span === span);
      const of = { partner: name, mode, book, span };
      const reading = stored ?? firstReading(of, firstCommandAtMs, nowMs);
      return { reading, isStored: stored !== undefined };
    }),
  );
  // Between the pages of a long book, those that have waited longer are read.
  readings.sort((left, right) => left.reading.dueAtMs - right.reading.dueAtMs);
  let pages = 0;
  for (const { reading, isStored } of readings) {
    const isDue = isReadingDue(reading, releasedAtMs, deps.clock.nowMs());
    if (pages >= PAGES_PER_RUN || !isDue) continue;
    pages += await readOn(deps, statement, reading, { isStored, pagesMax: PAGES_PER_RUN - pages });
  }
  return pages;
}

async function readOn(
  deps: Deps,
  statement: PartnerStatement,
  first: BookReading,
  { isStored, pagesMax }: { readonly isStored: boolean; readonly pagesMax: number },
): Promise<number> {
  const { book: kind, sinceMs, cursor } = first;
  let [current, isNew, pages] = [first, !isStored, 0];
  for await (const answer of readBook(statement, { kind, sinceMs, cursor })) {
    pages += 1;
    const next = await afterPage(deps, current, answer);
    await deps.store.run(async (tx) => {
      if (isNew) tx.bookReadings.insert(next);
      else tx.bookReadings.update(next);
    });
    current = isNew ? next : { ...next, version: next.version + 1 };
    isNew = false;
    if (pages === pagesMax) break;
  }
  return pages;
}

type PageAnswer = Awaited<ReturnType<PartnerStatement['page']>>;

async function afterPage(
  deps: Deps,
  reading: BookReading,
  answer: PageAnswer,
): Promise<BookReading> {
  if (answer.outcome !== 'done') return afterFailure(deps, reading, answer);
  const { entries, unreadable, nextCursor } = answer.value;
  await observe(deps, reading, entries);
  // Once a day.
  if (reading.span === 'complete') {
    const { mode, book } = reading;
    for (const entry of unreadable) {
      deps.log.error('alert', { alert: bookAlerts.unreadable, mode, book, ...entry });
    }
  }
  const nowMs = deps.clock.nowMs();
  const next = pageRead(reading, nextCursor, nowMs);
  // Between two pages `dueAtMs` is the time of the last one: one alert is enough.
  if (isReadingLate(next, nowMs) && !isReadingLate(reading, reading.dueAtMs)) {
    alertLate(deps, reading, 'the book is too long');
  }
  return next;
}

function alertLate({ log }: Deps, { mode, book, span }: BookReading, reason: string): void {
  const alert = "the partner's books were not read in time: deposits and recalls may be missed";
  log.error('alert', { alert, mode, book, span, reason });
}

function afterFailure(
  deps: Deps,
  reading: BookReading,
  answer: Exclude<PageAnswer, { readonly outcome: 'done' }>,
): BookReading {
  const { mode, book, span } = reading;
  const nowMs = deps.clock.nowMs();
  const reason = answer.outcome === 'refused' ? answer.code : answer.reason;
  deps.log.warn('the books of the partner cannot be read', { mode, book, span, reason });
  if (isReadingLate(reading, nowMs)) alertLate(deps, reading, reason);
  return readingFailed(reading, { reason, startsOver: answer.outcome === 'refused' }, nowMs);
}

/**
 * Brings our rows up to what entries say. Those that no row knows are in the next readings too: a
 * command may be in flight, or there is no answer.
 */
async function observe(deps: Deps, of: BooksOf, entries: readonly PartnerEntry[]): Promise<void> {
  const standings = await deps.store.run(async (tx) => {
    const found: (readonly [PartnerEntry, Standing])[] = [];
    for (const entry of entries) found.push([entry, await standingOf(tx, of, entry)]);
    return found;
  });
  for (const [{ kind, partnerRef }, standing] of standings) {
    if (standing.kind === 'behind') await pollSoon(deps, standing.command, partnerRef);
    if (standing.kind === 'without_command') {
      await readDeposit(deps, of.mode, { book: kind, partnerRef });
    }
  }
}
