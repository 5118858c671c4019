// `ponte export`: files for the books of an organization. `ponte report`: the extract for the
// regulator.
import { type Command, InvalidArgumentError } from 'commander';
import {
  type BookAccounts,
  bookAccounts,
  entryAccounts,
  isAccountName,
} from '../../core/domain/accounting/account-name.js';
import { isMonth, periodOf } from '../../core/domain/accounting/accounting.js';
import { entryForms, entryText } from '../../core/domain/accounting/entry-file.js';
import { isCalendarDate } from '../../core/domain/base/instant.js';
import { formatAmount } from '../../core/domain/base/money.js';
import { commandGroup, type Shell } from '../operator.js';
import { choice, liveByDefault, mode, org, parsed } from '../options.js';

type Accounts = Partial<BookAccounts>;

export function addExportCommands(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'export', 'files for the books of an organization');
  add({
    name: 'entries',
    authority: 'read',
    description: 'print the double entries of an organization for its accounting',
    options: {
      org,
      mode,
      from: parsed('<day>', 'from this day of the organization', day),
      to: parsed('<day>', 'to this day, included', day),
      format: choice('<format>', entryForms, 'of the file').or('csv'),
      account: parsed(
        '<account=name>',
        'another name of an account; once for each',
        withAccount,
      ).or({}, 'those of the reference'),
    },
    details: [
      'Entries have the accounts of the ledger under names for the books. A positive amount is a',
      'debit, and each entry adds up to 0.00 in each currency. Names that are used unless the',
      `organization or --account gives another one: ${entryAccounts
        .map((account) => `${account}=${bookAccounts[account]}`)
        .join(', ')}.`,
      'A name that Beancount cannot read is the usual one there. OFX and camt.053 are statements',
      'of what the partner holds and of what sellers received, with their balances. Entries of',
      'the last minute are left out.',
    ].join('\n'),
    run: async ({ deps }, { org: orgId, mode, from, to, format, account }) => {
      const [{ readEntryFile }, { settlementEntry }] = await Promise.all([
        import('../../core/usecases/accounting/settlement-entries.js'),
        import('../../adapters/http/resources/settlement-entry-routes.js'),
      ]);
      const file = await readEntryFile(deps, { orgId, mode }, format, { from, to });
      const names = { ...file.accounts, ...account };
      const named = file.entries.map((entry) => {
        return { ...entry, accounts: { ...entry.accounts, ...account } };
      });
      return {
        json: { data: named.map((entry) => settlementEntry.show(entry)) },
        // The output adds the last end of a line.
        text: entryText(format, { ...file, entries: named, accounts: names }).trimEnd(),
      };
    },
  });
  const addReport = commandGroup(shell, program, 'report', 'extracts for authorities');
  addReport({
    name: 'fx',
    authority: 'read',
    description: 'print every PIX to a seller in a month, with what the central bank asks of it',
    options: {
      month: parsed('<month>', 'of Brasília, for example 2026-11', monthOf).required(),
      mode: liveByDefault,
    },
    details: [
      'CSV, or JSON with --json. A PIX that came back is a negative line of the month in which it',
      'came back, so the sum is that of the ledger. The column missing names the facts that are',
      'not known; the exit code is then that of a check that failed. Names and countries of',
      'buyers are those that the organization gave. This is no advice: ask who files for you what',
      'it needs.',
    ].join('\n'),
    run: async ({ deps }, { month, mode }) => {
      const [{ fxReport }, { fxText }] = await Promise.all([
        import('../../core/usecases/accounting/fx-reports.js'),
        import('../../adapters/pages/kit/files/fx-file.js'),
      ]);
      const { lines, sumMinor } = await fxReport(deps, mode, month);
      const brlSum = formatAmount(sumMinor);
      const data = lines.map(({ facts, missing }) => ({ ...facts, missing }));
      return {
        json: { data, brlSum },
        text: fxText(lines).trimEnd(),
        exit: lines.every(({ missing }) => missing.length === 0) ? 'done' : 'checkFailed',
      };
    },
  });
}

function monthOf(text: string) {
  if (!isMonth(text)) throw new InvalidArgumentError('Give a month, for example 2026-11.');
  return periodOf(text);
}

function day(text: string): string {
  if (isCalendarDate(text)) return text;
  throw new InvalidArgumentError('Give a day, for example 2026-11-30.');
}

function withAccount(text: string, others: Accounts): Accounts {
  const at = text.indexOf('=');
  const account = entryAccounts.find((one) => one === text.slice(0, at));
  const name = text.slice(at + 1);
  if (account !== undefined && isAccountName(name)) return { ...others, [account]: name };
  const form = 'a name of letters, digits, ".", "_", "-" and ":"';
  throw new InvalidArgumentError(`Give one of ${entryAccounts.join(', ')}, =, and ${form}.`);
}
