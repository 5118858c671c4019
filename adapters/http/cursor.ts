// Opaque cursors of lists: the id of the last row of a page, bound by a MAC to the list it was made
// for. Whoever changes one, or takes it to another list or tenant, is refused. What order a list
// has and what follows an id is the store's matter.
import { timingSafeEqual } from 'node:crypto';
import type { Tenant } from '../../core/domain/tenant.js';
import { PonteError } from '../../core/errors.js';
import type { SecretBox } from '../../core/ports.js';

/** 128 bits: a cursor is no credential, it must only not be guessed. */
const MAC_LENGTH = 32;
const cursorForm = /^[A-Za-z0-9_-]{1,512}$/;

/** Which list a cursor belongs to: the operation, its tenant, and the resource listed under. */
export interface ListName {
  readonly operation: string;
  readonly tenant: Tenant;
  readonly parentId: string;
}

export function writeCursor(box: SecretBox, list: ListName, lastId: string): string {
  return Buffer.from(`${macOf(box, list, lastId)}${lastId}`).toString('base64url');
}

/** One page of a list whose rows `load` yields in its order, and the cursor of the next one. */
export async function pageOf<T extends { readonly id: string }>(
  box: SecretBox,
  list: ListName,
  query: { readonly limit: number; readonly cursor: string | null },
  load: (page: {
    readonly beforeId: string | null;
    readonly limit: number;
  }) => Promise<readonly T[]>,
): Promise<{ readonly rows: readonly T[]; readonly nextCursor: string | null }> {
  const beforeId = readCursor(box, list, query.cursor);
  // One more than shown tells whether there is a next page.
  const found = await load({ beforeId, limit: query.limit + 1 });
  const rows = found.slice(0, query.limit);
  const last = found.length > rows.length ? rows.at(-1) : undefined;
  return { rows, nextCursor: last === undefined ? null : writeCursor(box, list, last.id) };
}

/** The id that the page starts after; null for the first page. */
export function readCursor(box: SecretBox, list: ListName, cursor: string | null): string | null {
  if (cursor === null) return null;
  const text = cursorForm.test(cursor) ? Buffer.from(cursor, 'base64url').toString() : '';
  const lastId = text.slice(MAC_LENGTH);
  const given = Buffer.from(text.slice(0, MAC_LENGTH));
  const expected = Buffer.from(macOf(box, list, lastId));
  const genuine = given.length === expected.length && timingSafeEqual(given, expected);
  // Base64url can write the same bytes in several ways; only ours counts.
  if (!genuine || Buffer.from(text).toString('base64url') !== cursor) {
    throw new PonteError(
      'ValidationError',
      'cursor: send the nextCursor of the page before, unchanged, or none.',
    );
  }
  return lastId;
}

function macOf(box: SecretBox, { operation, tenant, parentId }: ListName, lastId: string): string {
  const bound = [operation, tenant.orgId, tenant.mode, parentId, lastId].join('\n');
  return box.mac(bound, 'list-cursor').slice(0, MAC_LENGTH);
}
