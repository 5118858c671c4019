// `ponte person`: answers the request of a person for access to what is stored about it.
import { type Command, Option } from 'commander';
import { formatInstant } from '../../core/domain/base/instant.js';
import { addOperatorCommand, type Operator, type Outcome, type Shell } from '../operator.js';
import { table } from '../output.js';

interface ExportOptions {
  readonly address: string;
}

export function addPersonCommands(shell: Shell, program: Command): void {
  const noun = program.command('person').description('what is stored about a person');
  addOperatorCommand<ExportOptions>(shell, noun, {
    name: 'export',
    authority: 'read',
    description: 'write all that is stored under a mail address, of all organizations and modes',
    options: [
      new Option('--address <address>', 'the mail address of the person').makeOptionMandatory(),
    ],
    details:
      'With --json the rows themselves, by table, with the reason why they are kept. Sealed\n' +
      'texts and secrets are named and left out. The command reads whole tables. Rows of a\n' +
      'payment can have data of other people: check them before you hand them over.',
    run: exportPerson,
  });
}

async function exportPerson({ deps }: Operator, { address }: ExportOptions): Promise<Outcome> {
  const found = await deps.store.run((tx) => tx.people.find(address));
  const tables = found.map(({ rows, ...about }) => ({ ...about, rows: rows.map(presented) }));
  const lines = tables.map((about) => [about.table, about.rows.length, about.kept]);
  return {
    json: { address, tables },
    text: table(['TABLE', 'ROWS', 'KEPT'], lines, 'Nothing is stored under this address.'),
  };
}

function presented(row: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(name, value)]));
}

function shown(name: string, value: unknown): unknown {
  if (name.endsWith('_at') && value !== null) return formatInstant(Number(value));
  return typeof value === 'bigint' ? Number(value) : value;
}
