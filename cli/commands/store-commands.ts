// `ponte store copy` and `ponte prune`. The copy gets both databases as options and needs neither
// configuration nor secret keys.
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { formatInstant } from '../../core/domain/base/instant.js';
import { addCommand, addOperatorCommand, type Outcome, type Shell } from '../operator.js';
import { dryRun, duration, parsed } from '../options.js';
import { fields, tableOf } from '../output.js';

const KEPT_BY_MONTH =
  'Deliveries are kept by month from now on. Prune each quarter: that makes the next months.';
const WERE_BY_MONTH = 'Deliveries were kept by month before. The next months are made.';

export function addStoreCommands(shell: Shell, program: Command): void {
  const noun = program.command('store').description('copy the database, keep deliveries by month');

  addCommand(shell, noun, {
    name: 'copy',
    authority: 'none',
    description: 'copy a SQLite file into a PostgreSQL database and compare both; a repeat resumes',
    options: {
      from: parsed('<url>', 'sqlite:<file>; no server may be running on it', sqliteFile).required(),
      to: parsed('<url>', 'postgres://…; an empty database', postgresUrl).required(),
    },
    run: (options) => copy(shell, options),
  });

  addOperatorCommand(shell, noun, {
    name: 'months',
    authority: 'signed',
    description:
      'keep webhook deliveries by month on PostgreSQL, so that prune removes old months whole',
    run: async ({ deps }) => {
      const { keepDeliveriesByMonth } = await import('../../core/usecases/service/prune.js');
      const changed = await keepDeliveriesByMonth(deps);
      return { json: { changed }, text: changed ? KEPT_BY_MONTH : WERE_BY_MONTH };
    },
  });

  addOperatorCommand(shell, program, {
    name: 'prune',
    authority: 'signed',
    description:
      'remove old webhook deliveries, partner messages, events and drafts; never money records',
    options: {
      olderThan: duration(
        '<age>',
        'in days or hours, at least 30 days, for example 400d or 9600h',
      ).required(),
      dryRun,
    },
    run: async ({ deps }, { olderThan, dryRun }) => {
      const { prune } = await import('../../core/usecases/service/prune.js');
      const { beforeMs, ...counts } = await prune(deps, olderThan);
      const before = formatInstant(beforeMs);
      const heading = dryRun ? 'Would be removed, from before' : 'Removed, from before';
      return {
        json: { dryRun, before, ...counts },
        text: `${heading} ${before}:\n${fields(counts)}`,
      };
    },
  });
}

/** Prints the current table to stderr: a copy may take minutes. */
async function copy(
  shell: Shell,
  { from, to }: Readonly<Record<'from' | 'to', string>>,
): Promise<Outcome> {
  const { copyStore } = await import('../../adapters/storage/store-copy.js');
  let copying = '';
  const progress = (name: string) => {
    if (name !== copying) shell.stderr.write(`copying ${name}\n`);
    copying = name;
  };
  const tables = await copyStore({ from, to, progress }).catch(async (error: unknown) => {
    const { accessProblem } = await import('../../host/startup-errors.js');
    const { ConfigError } = await import('../../host/config.js');
    const problem = accessProblem(error);
    throw problem === null ? error : new ConfigError([`--to: ${problem}`]);
  });
  const equal = tables.every((one) => one.equal);
  const end = equal
    ? 'Both sides are equal. Serve the copy with the same PONTE_SECRET_KEYS.'
    : 'The sides differ, and no server accepts the copy. Copy into another database.';
  return {
    json: { equal, tables },
    text: `${tableOf(tables, '', {
      TABLE: 'table',
      COPIED: 'copied',
      ROWS: (one) => one.source.rows,
      THERE: (one) => one.target.rows,
      'SHA-256': (one) => (one.equal ? one.source.checksum : 'DIFFERENT ROWS'),
    })}\n${end}`,
    exit: equal ? 'done' : 'checkFailed',
  };
}

function sqliteFile(text: string): string {
  if (!/^sqlite:./.test(text)) throw new InvalidArgumentError('Give sqlite:<file>.');
  return resolve(text.slice('sqlite:'.length));
}

function postgresUrl(text: string): string {
  if (!/^postgres(ql)?:\/\/./.test(text)) throw new InvalidArgumentError('Give postgres://….');
  return text;
}
