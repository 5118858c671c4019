// Opaque cursors of lists: the id of the last row of a page, bound by a MAC to its list. A changed
// cursor, or one of another list or tenant, is refused. A cursor is valid while the secret key that
// was first at its creation is configured.
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { PonteError } from '../../../core/errors.js';
import type { SecretBox } from '../../../core/ports/outside.js';

const PURPOSE = 'list-cursor';
/** 256 bits in hex. */
const MAC_LENGTH = 64;
const cursorForm = /^[A-Za-z0-9_-]{1,512}$/;

export interface ListName {
  readonly operation: string;
  readonly tenant: Tenant;
  readonly parentId: string;
}

export function writeCursor(box: SecretBox, list: ListName, lastId: string): string {
  const mac = box.mac(boundText(list, lastId), PURPOSE);
  return Buffer.from(`${mac}${lastId}`).toString('base64url');
}

/**
 * One page of the rows that `load` returns in order, and the cursor of the next page. Without a
 * parent a cursor belongs to the filter of its list.
 */
export async function loadPage<T extends { readonly id: string }>(
  box: SecretBox,
  of: Omit<ListName, 'parentId'> & Partial<ListName>,
  query: { readonly limit: number; readonly cursor: string | null },
  load: (page: {
    readonly beforeId: string | null;
    readonly limit: number;
  }) => Promise<readonly T[]>,
): Promise<{ readonly rows: readonly T[]; readonly nextCursor: string | null }> {
  const list = { parentId: JSON.stringify({ ...query, limit: null, cursor: null }), ...of };
  const beforeId = readCursor(box, list, query.cursor);
  // One row more shows whether there is a next page.
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
  const genuine = box.isMac(boundText(list, lastId), PURPOSE, text.slice(0, MAC_LENGTH));
  // Several base64url texts decode to the same bytes; only the canonical one is valid.
  if (!genuine || Buffer.from(text).toString('base64url') !== cursor) {
    throw new PonteError(
      'ValidationError',
      'cursor: must be the unchanged nextCursor of the previous page, or absent.',
    );
  }
  return lastId;
}

function boundText({ operation, tenant, parentId }: ListName, lastId: string): string {
  return [operation, tenant.orgId, tenant.mode, parentId, lastId].join('\n');
}
