// Rows that the audit log is compared with, by their kind: read by pages, with the hash that a
// record has of a row.
import type { HeldType } from '../../core/domain/service/audit-record.js';
import { text } from './columns.js';
import type { Param } from './database.js';
import type { Table } from './table.js';
import { accounts } from './tables/account-rows.js';
import { apiKeys } from './tables/api-key-rows.js';
import { destinationChanges } from './tables/destination-change-rows.js';
import { members, passkeys, people } from './tables/member-rows.js';
import { operators } from './tables/operator-rows.js';
import { organizations, productionRequests, profiles } from './tables/organization-rows.js';
import { proposals } from './tables/proposal-rows.js';
import { rowDetails, type TxPart, type UnitOfWork } from './unit-of-work.js';

type HeldPage = TxPart<'held'>['page'];

const pages: Readonly<Record<HeldType, ReturnType<typeof pageOf>>> = {
  api_key: pageOf(apiKeys),
  connected_account: pageOf(accounts),
  destination_change: pageOf(destinationChanges),
  member: pageOf(members),
  operator: pageOf(operators),
  organization: pageOf(organizations),
  organization_profile: pageOf(profiles),
  passkey: pageOf(passkeys),
  person: pageOf(people),
  production_request: pageOf(productionRequests),
  proposal: pageOf(proposals),
};

export const heldPart: TxPart<'held'> = {
  page: (unit, type, after, limit) => pages[type](unit, after, limit),
};

function pageOf<T>(table: Table<T>) {
  const names = table.key.join(', ');
  const bound = table.key.map((_, index) => `$${index + 1}`).join(', ');
  const tail = `where (${names}) > (${bound}) order by ${names} limit $${table.key.length + 1}`;
  return async (
    unit: UnitOfWork,
    after: Parameters<HeldPage>[2],
    limit: number,
  ): ReturnType<HeldPage> => {
    const params: readonly Param[] = [...(after?.key ?? table.key.map(() => '')), limit];
    const values = await unit.all(table, tail, params);
    return values.map((value) => {
      const image = table.insert(value).image?.() ?? {};
      const { id, after: hash } = rowDetails(table.insert(value));
      return { key: table.key.map((name) => text(name).read(image)), id, hash: hash ?? '' };
    });
  };
}
