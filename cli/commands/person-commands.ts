// `ponte person`: answers the requests of a person for access to what is stored about it and for
// its erasure, and ends passkeys that it has lost.
import type { Command } from 'commander';
import { emailKey } from '../../core/domain/base/email-address.js';
import { formatInstant } from '../../core/domain/base/instant.js';
import { maskedAddress } from '../../core/domain/mail/mail.js';
import { PonteError } from '../../core/errors.js';
import { decided } from '../decided.js';
import { commandGroup, type Operator, type Outcome, type Shell } from '../operator.js';
import { replace, value } from '../options.js';
import { table } from '../output.js';

const ofPerson = value('<address>', 'the mail address of the person').required();

export function addPersonCommands(shell: Shell, program: Command): void {
  const add = commandGroup(
    shell,
    program,
    'person',
    'what is stored about a person, and its passkeys',
  );
  add({
    name: 'export',
    authority: 'read',
    description: 'write all that is stored under a mail address, of all organizations and modes',
    options: { address: ofPerson },
    details:
      'With --json the rows themselves, by table, with the reason why they are kept. Sealed\n' +
      'texts and secrets are named and left out. The command reads whole tables. Rows of a\n' +
      'payment can have data of other people: check them before you hand them over.',
    run: async ({ deps }, { address }) => {
      const found = await deps.store.run((tx) => tx.people.find(address));
      const tables = found.map(({ rows, ...about }) => ({ ...about, rows: rows.map(presented) }));
      const lines = tables.map((about) => [about.table, about.rows.length, about.kept]);
      return {
        json: { address, tables },
        text: table(['TABLE', 'ROWS', 'KEPT'], lines, 'Nothing is stored under this address.'),
      };
    },
  });
  add({
    name: 'erase',
    authority: 'confirmed',
    description: 'erase a person from what is stored, but for what laws require to keep',
    options: { address: ofPerson, replace },
    details:
      'Refused while a payment of the person is open, while the partner verifies it, and while\n' +
      'it is a member of an organization. It cannot be undone. The result lists what is erased,\n' +
      'and what is kept and why. Signed events and the audit log cannot change.',
    run: erasePerson,
  });
  add({
    name: 'reset-passkeys',
    authority: 'confirmed',
    description: 'end all passkeys and sessions of a member who has lost the passkeys',
    options: { address: value('<address>', 'the mail address of the member').required(), replace },
    details:
      'Then the member adds the first passkey again, after sign-in by mail: make sure that the\n' +
      'member asks for it, and has the mailbox. Mailed to the member, and to owners and admins\n' +
      'of its organizations.',
    run: resetPasskeys,
  });
}

interface Asked {
  readonly address: string;
  readonly replace: boolean;
}

/** Tables with an id of the person, or of a row with the address, which does not name it. */
const idTables = ['people', 'buyers', 'members', 'connected_accounts', 'mails', 'payments'];

async function erasePerson(operator: Operator, { address, replace }: Asked): Promise<Outcome> {
  const found = await operator.deps.store.run((tx) => tx.people.find(address));
  const named = idTables.flatMap((name) => found.find((about) => about.table === name) ?? []);
  const id = named[0]?.rows[0]?.['id'];
  if (typeof id !== 'string') throw new PonteError('NotFound', 'Nothing is stored under it.');
  const tables = found.map(({ table: name, rows, erased, personal, kept }) => ({
    table: name,
    rows: rows.length,
    erased,
    kept: erased === 'row' ? [] : personal.filter((column) => !erased.includes(column)),
    because: kept,
  }));
  const lines = tables.map((about) => [
    about.table,
    about.rows,
    about.erased === 'row' ? 'the row' : about.erased.join(' ') || '-',
    about.kept.join(' ') || '-',
    about.kept.length === 0 ? '-' : about.because,
  ]);
  const request = { verb: 'erase-person', address: maskedAddress(address.trim()) } as const;
  const done = async () => ({
    json: { tables },
    text: table(['TABLE', 'ROWS', 'ERASED', 'KEPT', 'BECAUSE'], lines, ''),
  });
  return decided(operator, id, request, done, { replace });
}

async function resetPasskeys(operator: Operator, { address, replace }: Asked): Promise<Outcome> {
  const { store } = operator.deps;
  const person = await store.run((tx) => tx.people.byEmail(emailKey(address)));
  if (person === null) throw new PonteError('NotFound', 'No member has this address.');
  const passkeys = await store.run((tx) => tx.passkeys.ofPerson(person.id));
  const ids = passkeys.map(({ id }) => id);
  const request = { verb: 'reset-passkeys', address: maskedAddress(person.email) } as const;
  const done = async () => ({
    json: { id: person.id, passkeys: ids },
    text: `The sessions have ended, and these passkeys: ${ids.join(', ')}.`,
  });
  return decided(operator, person.id, request, done, { replace });
}

function presented(row: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(name, value)]));
}

function shown(name: string, value: unknown): unknown {
  if (name.endsWith('_at') && value !== null) return formatInstant(Number(value));
  return typeof value === 'bigint' ? Number(value) : value;
}
