// What is stored about a person, by the table of personal data: it is found for an export, and
// erased. Each erased row is written by itself, so that the audit log has a record of it.
import { emailKey } from '../../core/domain/base/email-address.js';
import {
  readFiscalDocument,
  withoutIssuer,
  writeFiscalDocument,
} from '../../core/domain/payments/fiscal-document.js';
import type { PersonalRows } from '../../core/ports/storage.js';
import type { Param } from './database.js';
import { nameWordRows } from './name-words.js';
import {
  blockingSql,
  columnsIn,
  type Erasure,
  type FoundTable,
  type PersonalTable,
  personalTables,
} from './personal-rows.js';
import { type RowImage, rowName, type Table, type Write } from './table.js';
import { accounts, partyDrafts } from './tables/account-rows.js';
import { buyers, submissions } from './tables/buyer-rows.js';
import { documents } from './tables/document-rows.js';
import { mails } from './tables/mail-rows.js';
import { members, passkeys, people, type StoredPeople } from './tables/member-rows.js';
import { payments } from './tables/payment-rows.js';
import type { TxPart, UnitOfWork } from './unit-of-work.js';

type Erased = {
  readonly [T in keyof typeof personalTables]: 'erased' extends keyof (typeof personalTables)[T]
    ? T
    : never;
}[keyof typeof personalTables];

/** How the rows of each table that erasure writes are read. */
const readers: Readonly<Record<Erased, ReturnType<typeof readerOf>>> = {
  buyers: readerOf(buyers),
  connected_accounts: readerOf(accounts),
  documents: readerOf(documents),
  kyc_submissions: readerOf(submissions),
  mails: readerOf(mails),
  members: readerOf(members),
  name_words: readerOf(nameWordRows),
  party_drafts: readerOf(partyDrafts),
  passkeys: readerOf(passkeys),
  people: readerOf(people),
  payments: readerOf(payments),
};

/** Rows that are found by the address and may be about somebody else. */
const isOwn: Readonly<Record<string, (row: RowImage, key: string) => boolean>> = {
  // It may be the colleague of another buyer.
  payments: (row, key) => emailKey(`${row['buyer_email']}`) === key,
  // A payment is a record of money, and its file belongs to it.
  documents: (row) => row['owner_party'] !== 'payment',
};

const notSent = { status: 'dropped', due_at: null, token_sealed: null, lease_token: null };
/** What else changes with the address. */
const alsoErased: Readonly<Record<string, (row: RowImage) => RowImage>> = {
  mails: ({ status }) => (status === 'pending' ? notSent : {}),
};

interface StoredRow {
  readonly name: string;
  readonly image: RowImage;
  readonly remove: () => Write;
  readonly update: (changes: RowImage) => Write;
}

function readerOf<T extends object>(table: Table<T>) {
  return async (unit: UnitOfWork, tail: string, key: string): Promise<readonly StoredRow[]> => {
    const values = await unit.all(table, tail, [key]);
    return values.map((value) => {
      const image = table.insert(value).image?.() ?? {};
      const version = 'version' in value ? Number(value.version) : null;
      return {
        name: rowName(table.key.map((column) => image[column] ?? null)),
        image,
        remove: () => table.remove(value),
        update: (changes) => updateOf(table, image, version, changes),
      };
    });
  };
}

/** Also of columns that no other write changes. */
function updateOf(
  { name, key }: Pick<Table<unknown>, 'name' | 'key'>,
  image: RowImage,
  version: number | null,
  changes: RowImage,
): Write {
  const changed = Object.keys(changes);
  const bound = (column: string, at: number) => `${column} = $${at + 1}`;
  const set = [...changed.map(bound), ...(version === null ? [] : ['version = version + 1'])].join(
    ', ',
  );
  const guards = version === null ? key : [...key, 'version'];
  const where = guards.map((column, at) => bound(column, changed.length + at)).join(' and ');
  const keys = key.map((column) => image[column] ?? null);
  const params: readonly Param[] = [
    ...Object.values(changes),
    ...keys,
    ...(version === null ? [] : [version]),
  ];
  // Rows that never change otherwise stay in caches: a text of another form clears them.
  const form = version === null ? '/* clears caches */ ' : '';
  const sql = `${form}update ${name} set ${set} where ${where}`;
  return {
    table: name,
    row: rowName(keys),
    kind: 'change',
    statement: { sql, params, guards: name, template: null },
    image: () => merged(image, changes),
  };
}

/** Columns that are not hashed stay out. */
function merged(image: RowImage, changes: RowImage): RowImage {
  return Object.fromEntries(
    Object.entries(image).map(([column, value]) => [
      column,
      column in changes ? (changes[column] ?? null) : value,
    ]),
  );
}

const NAME_LENGTH_MIN = 3;
const nameColumns = ['buyer_name', 'display_name', 'legal_name'];
/** The domain is reserved: no mail reaches it. */
const nobody = (id: Param) => `erased-${String(id)}@erased.invalid`.toLowerCase();

function changesOf(
  table: Erased,
  columns: Readonly<Record<string, Erasure>>,
  row: RowImage,
  { key, names }: { readonly key: string; readonly names: readonly string[] },
): RowImage {
  const isTheirs = isOwn[table]?.(row, key) ?? true;
  const changes: Record<string, Param> = {};
  for (const [column, erasure] of Object.entries(columns)) {
    const was = row[column];
    if (erasure === 'unnamed') {
      if (typeof was === 'string') changes[column] = unnamed(was, key, isTheirs ? names : []);
    } else if (erasure === 'unissued') {
      if (typeof was === 'string') changes[column] = unissued(was);
    } else if (isTheirs && was !== null) {
      changes[column] =
        erasure === 'nobody' ? nobody(row['id'] ?? '') : erasure === 'blank' ? '' : null;
    }
  }
  if (isTheirs) Object.assign(changes, alsoErased[table]?.(row));
  return Object.fromEntries(Object.entries(changes).filter(([name, value]) => row[name] !== value));
}

function unissued(text: string): string {
  return writeFiscalDocument(withoutIssuer(readFiscalDocument(text)));
}

/** Names are JSON texts there. */
function unnamed(text: string, key: string, names: readonly string[]): string {
  return names
    .map((name) => JSON.stringify(name).slice(1, -1))
    .reduce((left, name) => without(left, name, 'erased'), without(text, key, nobody('person')));
}

function without(text: string, part: string, instead: string): string {
  const escaped = part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(new RegExp(escaped, 'giu'), () => instead);
}

interface Found {
  readonly table: Erased;
  readonly row: StoredRow;
  readonly erased: NonNullable<FoundTable['erased']>;
  /** Only these columns are about the person. */
  readonly isPart?: boolean;
}

export const storedPeoplePart: Pick<TxPart<'people'>, StoredPeople> = {
  async find(unit, address) {
    const tables: PersonalRows[] = [];
    for (const [table, row] of Object.entries<PersonalTable>(personalTables)) {
      if (row.found === undefined) continue;
      const columns = [...columnsIn(row.other), ...columnsIn(row.personal)].join(', ');
      const sql = `select ${columns} from ${table} as personal where ${row.found}`;
      const rows = await unit.rows(table, sql, [emailKey(address)]);
      const withheld = columnsIn(row.withheld);
      const personal = columnsIn(row.personal);
      const { erased: ends = {} } = row;
      const erased = ends === 'row' ? ends : Object.keys(ends);
      const about = { table, kept: row.kept, personal, withheld, erased };
      if (rows.length > 0) tables.push({ ...about, rows });
      if (row.partly === undefined) continue;
      const part = columnsIn(row.partly.personal);
      const ids = `select org_id, mode, id, ${part.join(', ')} from ${table} as personal`;
      const parts = await unit.rows(table, `${ids} where ${row.partly.found}`, [emailKey(address)]);
      const ofPart = { personal: part, withheld: [], erased: Object.keys(row.partly.erased) };
      if (parts.length > 0) tables.push({ ...about, ...ofPart, rows: parts });
    }
    return tables;
  },
  async addressOf(unit, id) {
    const named = [
      'select id, email as address from buyers',
      'select id, email from people',
      'select id, email from members',
      'select id, email from connected_accounts',
      'select id, to_address from mails',
    ].join(' union all ');
    const sql = `select address from (${named}) as personal where id = $1`;
    const [row] = await unit.rows('buyers', sql, [id]);
    if (typeof row?.['address'] === 'string') return row['address'];
    const [payment] = await unit.all(payments, 'where id = $1', [id]);
    return payment?.colleagueApproval?.email ?? null;
  },
  async blocking(unit, address) {
    const found: string[] = [];
    for (const [table, sql] of Object.entries(blockingSql)) {
      const rows = await unit.rows(table, sql, [emailKey(address)]);
      found.push(...rows.map(({ id, state }) => `${String(id)} is ${String(state)}`));
    }
    return found;
  },
  async erase(unit, address) {
    const key = emailKey(address);
    const read: Found[] = [];
    for (const table of Object.keys(readers) as Erased[]) {
      const { found, erased, partly }: FoundTable = personalTables[table];
      const whole = await readers[table](unit, `where ${found}`, key);
      read.push(...whole.map((row) => ({ table, row, erased: erased ?? {} })));
      if (partly === undefined) continue;
      const part = await readers[table](unit, `where ${partly.found}`, key);
      read.push(...part.map((row) => ({ table, row, erased: partly.erased, isPart: true })));
    }
    const own = read.filter(
      ({ table, row: { image }, isPart }) => !isPart && (isOwn[table]?.(image, key) ?? true),
    );
    const named = own.flatMap(({ row: { image } }) => nameColumns.map((column) => image[column]));
    const names = [...new Set(named)].filter(
      (name) => typeof name === 'string' && name.trim().length >= NAME_LENGTH_MIN,
    );
    // A buyer may be the seller of the same payment.
    for (const found of Map.groupBy(read, ({ table, row }) => `${table} ${row.name}`).values()) {
      let changes: RowImage = {};
      for (const { table, row, erased } of found) {
        if (erased === 'row') unit.stage(row.remove());
        else {
          const about = { key, names: names.map(String) };
          changes = { ...changes, ...changesOf(table, erased, row.image, about) };
        }
      }
      const [first] = found;
      if (first && Object.keys(changes).length > 0) unit.stage(first.row.update(changes));
    }
  },
};
