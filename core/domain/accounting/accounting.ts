// What an organization decides about its books in one mode: the names of its accounts, and the
// months that it has closed. What is booked after the closing of a month, and would be of that
// month, is an entry of the next one.
import { invalid } from '../../errors.js';
import { MINUTE_MS } from '../base/instant.js';
import type { Tenant } from '../base/tenant.js';
import { dayOf, daysOf, endOfDay, startOfDay } from '../base/time-zone.js';
import {
  ACCOUNT_NAME_LENGTH_MAX,
  type BookAccounts,
  bookAccounts,
  isAccountName,
} from './account-name.js';
import type { EntryAccount, EntryLine, SettlementEntry } from './settlement-entry.js';

/**
 * No batch takes longer from its clock to its commit, so no older entry appears after these: the
 * store runs its work again.
 */
export const ENTRY_DELAY_MS = MINUTE_MS;

/** All that decides on the entries of a closed month, so that they never change. */
export interface ClosedMonth {
  /** YYYY-MM. Earlier months are closed with it. */
  readonly month: string;
  /** Not included: what was booked from then on is of a later month. */
  readonly untilMs: number;
  readonly timeZone: string;
  readonly accounts: BookAccounts;
  /** The sum of all entries up to its end: later ones need no earlier ones. */
  readonly balances: readonly EntryLine[];
  /** The last posting that `balances` has, empty for none, while they are summed; null: all. */
  readonly summedTo: string | null;
  readonly closedAtMs: number;
}

export interface Accounting extends Tenant {
  /** Those that are not named have their usual names. */
  readonly accounts: Partial<BookAccounts>;
  /** Oldest first. */
  readonly closed: readonly ClosedMonth[];
  readonly version: number;
}

/** Version 0: it has no row. */
export function noAccounting({ orgId, mode }: Tenant): Accounting {
  return Object.freeze({ orgId, mode, accounts: {}, closed: [], version: 0 });
}

export interface BookedEntry extends SettlementEntry {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** YYYY-MM. */
  readonly month: string;
  readonly accounts: BookAccounts;
}

export function accountsOf({ accounts }: Pick<Accounting, 'accounts'>): BookAccounts {
  return { ...bookAccounts, ...accounts };
}

/** An empty name stands for the usual one. ValidationError. */
export function withAccounts(was: Accounting, given: Partial<BookAccounts>): Accounting {
  const accounts: Partial<Record<EntryAccount, string>> = { ...was.accounts };
  for (const [account, name] of Object.entries(given) as [EntryAccount, string][]) {
    if (name === '' || name === bookAccounts[account]) delete accounts[account];
    else if (isAccountName(name)) accounts[account] = name;
    else {
      const form = 'letters, digits, ".", "_" and "-", in words divided by ":"';
      throw invalid(`accounts.${account}: send ${form}, at most ${ACCOUNT_NAME_LENGTH_MAX}.`);
    }
  }
  return Object.freeze({ ...was, accounts });
}

/** Null if it is closed. ValidationError for a month that is not over, or no month. */
export function closingOf(
  was: Accounting,
  month: string,
  { nowMs, timeZone }: { readonly nowMs: number; readonly timeZone: string },
): ClosedMonth | null {
  if (!isMonth(month)) throw invalid('month: send YYYY-MM.');
  const last = was.closed.at(-1);
  if (last !== undefined && month <= last.month) return null;
  const untilMs = endOfDay(timeZone, daysOfMonth(month).to);
  if (nowMs - ENTRY_DELAY_MS < untilMs) {
    const since = `it can be closed a minute after its end in ${timeZone}`;
    throw invalid(`month: ${month} is not over, ${since}.`);
  }
  const sum = { balances: [], summedTo: '' };
  return { month, untilMs, timeZone, accounts: accountsOf(was), ...sum, closedAtMs: nowMs };
}

export function withClosed(was: Accounting, closed: ClosedMonth): Accounting {
  return Object.freeze({ ...was, closed: [...was.closed, Object.freeze(closed)] });
}

/** The oldest one whose balances are not complete; `opening` are those of the month before it. */
export function summingOf({ closed }: Pick<Accounting, 'closed'>) {
  const at = closed.findIndex(({ summedTo }) => summedTo !== null);
  const [before, month] = [closed[at - 1], closed[at]];
  if (month === undefined) return null;
  return { month, fromMs: before?.untilMs ?? null, opening: before?.balances ?? [] };
}

export function withSum(
  was: Accounting,
  month: ClosedMonth,
  sum: Pick<ClosedMonth, 'balances' | 'summedTo'>,
): Accounting {
  const closed = was.closed.map((one) =>
    one.month === month.month ? Object.freeze({ ...one, ...sum }) : one,
  );
  return Object.freeze({ ...was, closed });
}

/** The names that entries of this day have. */
export function accountsOn(of: Pick<Accounting, 'accounts' | 'closed'>, day: string): BookAccounts {
  const month = day.slice(0, 'YYYY-MM'.length);
  return of.closed.find((one) => one.month >= month)?.accounts ?? accountsOf(of);
}

/** `timeZone`: of months that are not closed. */
export function bookedEntry(
  accounting: Pick<Accounting, 'accounts' | 'closed'>,
  timeZone: string,
  entry: SettlementEntry,
): BookedEntry {
  const { closed } = accounting;
  const own = closed.find(({ untilMs }) => entry.atMs < untilMs);
  const before = closed.findLast(({ untilMs }) => entry.atMs >= untilMs);
  const day = later(
    dayOf(own?.timeZone ?? timeZone, entry.atMs),
    before === undefined ? '' : dayAfterMonth(before.month),
  );
  const accounts = own?.accounts ?? accountsOf(accounting);
  return Object.freeze({ ...entry, day, month: day.slice(0, 'YYYY-MM'.length), accounts });
}

/** From when on what is booked is of this day or a later one. */
export function startOfBookDay(
  { closed }: Pick<Accounting, 'closed'>,
  timeZone: string,
  day: string,
): number {
  const isLater = ({ month }: ClosedMonth) => dayAfterMonth(month) > day;
  const [own, before] = [closed.find(isLater), closed.findLast((one) => !isLater(one))];
  const usualMs = startOfDay(own?.timeZone ?? timeZone, day);
  const isFirst = before !== undefined && dayAfterMonth(before.month) === day;
  const startMs = isFirst ? before.untilMs : Math.max(usualMs, before?.untilMs ?? usualMs);
  return Math.min(startMs, own?.untilMs ?? startMs);
}

/** YYYY-MM of this century: the list of closed months has an end. */
export const monthForm = /^20[0-9]{2}-(0[1-9]|1[0-2])$/;

export function isMonth(text: string): boolean {
  return monthForm.test(text);
}

/** The month that is asked for, else one so many months ago; and the latest, to choose from. */
export function chosenMonth(
  asked: string,
  today: string,
  { count, usual }: { readonly count: number; readonly usual: number },
) {
  const { year, month } = periodOf(today);
  const monthBefore = (back: number) =>
    daysOf({ year, month: month - back }).from.slice(0, 'YYYY-MM'.length);
  const latest = Array.from({ length: count }, (_, back) => monthBefore(back));
  const chosen = isMonth(asked) && asked <= monthBefore(0) ? asked : monthBefore(usual);
  return { month: chosen, months: latest.includes(chosen) ? latest : [...latest, chosen] };
}

export function daysOfMonth(month: string) {
  return daysOf(periodOf(month));
}

export function periodOf(month: string) {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return { year, month: number };
}

function dayAfterMonth(month: string): string {
  const { year, month: number } = periodOf(month);
  return daysOf({ year, month: number + 1 }).from;
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}
