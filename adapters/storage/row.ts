// Checked readers of single columns. What a database hands back is not trusted to be what the
// migrations say: a value of another kind is an assertion failure, never a wrong domain value.

import { type Money, money } from '../../core/domain/money.js';
import { type Mode, modes, type Tenant } from '../../core/domain/tenant.js';
import { assert } from '../../core/errors.js';
import type { Row } from './database.js';

export function text(row: Row, column: string): string {
  const value = row[column];
  assert(typeof value === 'string', `${column} is text`);
  return value;
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

export function minor(row: Row, column: string): bigint {
  const value = row[column];
  assert(typeof value === 'bigint' || Number.isSafeInteger(value), `${column} is a whole number`);
  return BigInt(value as bigint | number);
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  const number = typeof value === 'bigint' ? Number(value) : value;
  assert(Number.isSafeInteger(number), `${column} is a safe whole number`);
  return number as number;
}

export function integerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : integer(row, column);
}

export function timeMs(row: Row, column: string): number {
  return integer(row, column);
}

export function timeMsOrNull(row: Row, column: string): number | null {
  return integerOrNull(row, column);
}

export function flag(row: Row, column: string): boolean {
  const value = row[column];
  if (typeof value === 'boolean') return value;
  const number = integer(row, column);
  assert(number === 0 || number === 1, `${column} is a flag`);
  return number === 1;
}

/** One of a closed list of words, such as the rows of a state table. */
export function oneOf<const T extends string>(row: Row, column: string, words: readonly T[]): T {
  const value = text(row, column);
  const word = words.find((candidate) => candidate === value);
  assert(word !== undefined, `${column} knows no ${value}`);
  return word;
}

export function oneOfOrNull<const T extends string>(
  row: Row,
  column: string,
  words: readonly T[],
): T | null {
  return row[column] === null ? null : oneOf(row, column, words);
}

/** A list of texts kept as JSON. */
export function texts(row: Row, column: string): readonly string[] {
  const value: unknown = JSON.parse(text(row, column));
  assert(
    Array.isArray(value) && value.every((item) => typeof item === 'string'),
    `${column} is a list of texts`,
  );
  return Object.freeze(value);
}

export function moneyOf(row: Row, amountColumn: string, currencyColumn: string): Money {
  return money(minor(row, amountColumn), text(row, currencyColumn));
}

export function modeOf(row: Row): Mode {
  return oneOf(row, 'mode', modes);
}

export function tenantColumns(row: Row): Tenant {
  return { orgId: text(row, 'org_id'), mode: modeOf(row) };
}
