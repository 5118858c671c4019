// Columns of tables. One declaration gives the name, the write and the checked read of a column,
// and how it changes: `key` finds the row, `fixed` is written once, every update writes `changing`.
// A stored value of another kind is an assertion failure, never a wrong domain value. Messages are
// made once: reads are on the path of each request.
import { type Money, money as moneyOf } from '../../core/domain/base/money.js';
import { recordOf } from '../../core/domain/base/record-of.js';
import { modes, type Tenant } from '../../core/domain/base/tenant.js';
import { readAmount, writeAmount } from '../../core/domain/commands/partner-message.js';
import { AssertionFailure, assert } from '../../core/errors.js';
import { type Param, type Row, timeParam } from './database.js';

interface About {
  readonly kind: 'key' | 'fixed' | 'changing' | 'version' | 'readOnly';
  readonly isSealed: boolean;
  /** Whether the audit log has it in the hashes of its row. */
  readonly isHashed: boolean;
}

const plain: About = { kind: 'changing', isSealed: false, isHashed: true };

/** How one property is stored, in one column or several. */
export class Column<V> {
  readonly parts: readonly Part<V>[];
  /** `stored` is the value of the first part. */
  readonly decode: (stored: unknown, row: Row) => V;
  readonly about: About;
  readonly read: (row: Row) => V;

  constructor(parts: Column<V>['parts'], decode: Column<V>['decode'], about = plain) {
    this.parts = parts;
    this.decode = decode;
    this.about = about;
    const first = firstOf(parts);
    this.read = (row) => decode(row[first], row);
  }

  as(about: Partial<About>): Column<V> {
    return new Column(this.parts, this.decode, { ...this.about, ...about });
  }

  key(): Column<V> {
    return this.as({ kind: 'key' });
  }

  fixed(): Column<V> {
    return this.as({ kind: 'fixed' });
  }

  /** Neither inserts nor updates write it. */
  readOnly(): Column<V> {
    return this.as({ kind: 'readOnly' });
  }

  /** Changes without an author. */
  unhashed(): Column<V> {
    return this.as({ isHashed: false });
  }

  /** A reseal replaces the text. What it is sealed for binds it to its row. */
  sealed(): Column<V> {
    return this.as({ isHashed: false, isSealed: true });
  }

  /** Null where the first of the columns is null. */
  null(): Column<V | null> {
    const { decode } = this;
    const parts = this.parts.map(({ name, write }) => ({
      name,
      write: (value: V | null) => (value === null ? null : write(value)),
    }));
    return new Column<V | null>(
      parts,
      (stored, row) => (stored === null ? null : decode(stored, row)),
      this.about,
    );
  }

  /** Also writes what `derive` makes of the value, to search for it; null stays null. */
  searchable(
    this: Column<string | null>,
    name: string,
    derive: (value: string) => string,
  ): Column<string | null> {
    const write = (value: string | null) => (value === null ? null : derive(value));
    return new Column([...this.parts, { name, write }], this.decode, this.about);
  }
}

export interface Part<V> {
  readonly name: string;
  readonly write: (value: V) => Param;
}

/** A column for each property, each property once. */
export type Columns<T> = { readonly [P in keyof T]-?: Column<T[P]> };

export const text = orNull((name) => {
  const message = `${name} is text`;
  return single<string>(name, (stored) => {
    assert(typeof stored === 'string', message);
    return stored;
  });
});

export const integer = orNull((name) => {
  const message = `${name} is a safe whole number`;
  return single<number>(name, (stored) => {
    const number = typeof stored === 'bigint' ? Number(stored) : stored;
    assert(Number.isSafeInteger(number), message);
    return number as number;
  });
});

export const time = orNull(
  (name) => new Column([{ name, write: timeParam }], integer(name).decode),
);

export const minor = orNull((name) => {
  const message = `${name} is a whole number`;
  return single<bigint>(name, (stored) => {
    assert(typeof stored === 'bigint' || Number.isSafeInteger(stored), message);
    return BigInt(stored as bigint | number);
  });
});

export function flag(name: string): Column<boolean> {
  const number = integer(name);
  return single(name, (stored, row) => {
    if (typeof stored === 'boolean') return stored;
    const bit = number.decode(stored, row);
    assert(bit === 0 || bit === 1, `${name} is a flag`);
    return bit === 1;
  });
}

/** One of a closed list of words, such as the states of a machine. */
export function oneOf<const T extends string>(name: string, words: readonly T[]): Column<T> {
  const known: ReadonlySet<unknown> = new Set(words);
  return single(name, (stored) => {
    if (!known.has(stored)) throw new AssertionFailure(`${name} has no word ${String(stored)}`);
    return stored as T;
  });
}

export function texts<T extends string>(
  name: string,
  isItem: (item: string) => item is T = (_item): _item is T => true,
): Column<readonly T[]> {
  const json = text(name);
  const write = (value: readonly T[]) => JSON.stringify(value);
  return new Column([{ name, write }], (stored, row) => {
    const value: unknown = JSON.parse(json.decode(stored, row));
    assert(
      Array.isArray(value) && value.every((item) => typeof item === 'string' && isItem(item)),
      `${name} is a list of known texts`,
    );
    return Object.freeze(value);
  });
}

export function encoded<V>(
  name: string,
  write: (value: V) => string,
  read: (stored: string) => V,
): Column<V> {
  const { decode } = text(name);
  return new Column([{ name, write }], (stored, row) => read(decode(stored, row)));
}

/** A value that is stored as JSON. It has no amounts. */
export function json<V>(name: string): Column<V> {
  return encoded(name, JSON.stringify, (stored) => Object.freeze(JSON.parse(stored) as V));
}

/** A value with amounts that is stored as JSON. */
export function jsonWithAmounts<V>(name: string): Column<V> {
  return encoded(
    name,
    (value) => JSON.stringify(value, writeAmount),
    (stored) => Object.freeze(JSON.parse(stored, readAmount) as V),
  );
}

/** `currencyFrom` is the currency column of another property: it is read and not written. */
export function money(
  amountName: string,
  currencyName: string | { readonly currencyFrom: string },
): Column<Money> {
  const isOwn = typeof currencyName === 'string';
  const amount = minor(amountName);
  const currency = text(isOwn ? currencyName : currencyName.currencyFrom);
  const parts: readonly Part<Money>[] = [
    { name: amountName, write: (value) => value.amountMinor },
    ...(isOwn ? [{ name: currencyName, write: (value: Money) => value.currency }] : []),
  ];
  return new Column(parts, (stored, row) =>
    moneyOf(amount.decode(stored, row), currency.read(row)),
  );
}

export function group<T extends object>(columns: Columns<T>): Column<T> {
  const read = readerOf(columns);
  return new Column(partsOf(columns), (_, row) => read(row));
}

/** A column for each property, named like it. */
export function columnsOf<N extends string, V>(
  names: readonly N[],
  of: (name: string) => Column<V>,
): Readonly<Record<N, Column<V>>> {
  return recordOf(names, (name) => of(name.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`)));
}

export const version = integer('version').as({ kind: 'version' });
export const mode = oneOf('mode', modes);
export const tenant = { orgId: text('org_id').key(), mode: mode.key() } as const;
export const fixedTenant = { orgId: text('org_id').fixed(), mode: mode.fixed() } as const;
/** What each table of parties has in columns of the same names. */
export const party = {
  partnerRef: text.null('partner_ref'),
  tosId: text.null('tos_id'),
  reason: text.null('reason'),
  approvedAtMs: time.null('approved_at'),
  rejectedAtMs: time.null('rejected_at'),
  corrections: text.null('corrections'),
  answerByMs: time.null('answer_by'),
  answerAlertedAtMs: time.null('answer_alerted_at'),
} as const;

export const readTenant = readerOf<Tenant>(tenant);

export function partsOf<T>(
  columns: Columns<T>,
  properties: readonly (keyof T)[] = propertiesOf(columns),
): readonly Part<T>[] {
  return properties.flatMap((property) =>
    columns[property].parts.map(({ name, write }) => ({
      name,
      write: (value: T) => write(value[property]),
    })),
  );
}

export function readerOf<T extends object>(columns: Columns<T>): (row: Row) => T {
  const readers = propertiesOf(columns).map((name) => {
    const { parts, decode } = columns[name];
    return { name, first: firstOf(parts), decode };
  });
  // A copy has a fixed layout. Properties that are added one by one make a slower hash table.
  const empty = Object.fromEntries(readers.map(({ name }) => [name, null]));
  return (row) => {
    const value = { ...empty } as T;
    for (const { name, first, decode } of readers) value[name] = decode(row[first], row);
    return Object.freeze(value);
  };
}

function propertiesOf<T>(columns: Columns<T>): readonly (keyof T)[] {
  return Object.keys(columns) as (keyof T)[];
}

function single<V extends Param>(name: string, decode: Column<V>['decode']): Column<V> {
  return new Column([{ name, write: (value) => value }], decode);
}

function firstOf<V>([first]: readonly Part<V>[]): string {
  assert(first !== undefined, 'a value has a column');
  return first.name;
}

/** The column, and as `.null` the same with null. One name gives one column. */
function orNull<V>(make: (name: string) => Column<V>) {
  const [plain, orNulls] = [new Map<string, Column<V>>(), new Map<string, Column<V | null>>()];
  return Object.assign((name: string) => plain.get(name) ?? added(plain, name, make(name)), {
    null: (name: string) => orNulls.get(name) ?? added(orNulls, name, make(name).null()),
  });
}

function added<V>(columns: Map<string, V>, name: string, column: V): V {
  columns.set(name, column);
  return column;
}
