// Sealed texts of any table: read by pages and replaced one by one. A page is bounded by the rows
// that it scans, so its cost does not depend on the number of texts in it.
import type { SealedColumn } from '../../../core/domain/service/sealed-columns.js';
import { sealedPrefix } from '../../../core/domain/service/sealed-text.js';
import { text } from '../columns.js';
import { merge, type Table } from '../table.js';
import type { TxPart } from '../unit-of-work.js';
import { accounts, partyDrafts } from './account-rows.js';
import { submissions } from './buyer-rows.js';
import { subscriptions } from './delivery-rows.js';
import { deposits } from './deposit-rows.js';
import { mails } from './mail-rows.js';
import { serviceKeys } from './secret-key-rows.js';
import { commands } from './work-rows.js';

const tables: Readonly<Record<SealedColumn, Pick<Table<unknown>, 'name' | 'key'>>> = {
  'connected_accounts.tax_id_sealed': accounts,
  'kyc_submissions.dossier_sealed': submissions,
  'kyc_submissions.draft_sealed': submissions,
  'mails.token_sealed': mails,
  'partner_commands.request': commands,
  'party_drafts.draft_sealed': partyDrafts,
  'deposits.payer_sealed': deposits,
  'service_keys.sealed': serviceKeys,
  'subscriptions.secret_sealed': subscriptions,
};

export const sealedPart: TxPart<'sealed'> = {
  async page(unit, column, { exceptKeyId, after, limit }) {
    const table = sealedTable(column);
    const start = after?.key ?? table.key.map(() => '');
    const params = [sealedPrefix(exceptKeyId), ...start, limit];
    const rows = await unit.rows(table.name, pageSql(table), params);
    return rows.map((row) => ({
      key: table.key.map((part) => text(part).read(row)),
      id: text('id').read(row),
      sealed: text.null('sealed_text').read(row),
    }));
  },
  replace(unit, column, { key, sealed: previous }, sealed) {
    const table = sealedTable(column);
    const params = [sealed, previous, ...key];
    unit.stage({ ...merge(table.name, null, replaceSql(table), params), sealed: [sealed] });
  },
};

interface SealedTable extends Pick<Table<unknown>, 'name' | 'key'> {
  /** The column with the texts. */
  readonly sealed: string;
}

function sealedTable(column: SealedColumn): SealedTable {
  const { name, key } = tables[column];
  return { name, key, sealed: column.slice(name.length + 1) };
}

function pageSql({ name, key, sealed }: SealedTable): string {
  const keys = key.join(', ');
  const bound = key.map((_, index) => `$${index + 2}`).join(', ');
  return [
    `select ${keys}, case when substr(${sealed}, 1, length($1)) = $1 then null`,
    `else ${sealed} end as sealed_text from ${name} where (${keys}) > (${bound})`,
    `order by ${keys} limit $${key.length + 2}`,
  ].join(' ');
}

function replaceSql({ name, key, sealed }: SealedTable): string {
  const isRow = key.map((part, index) => `${part} = $${index + 3}`).join(' and ');
  return [
    `update ${name} set ${sealed} = $1, version = version + 1`,
    `where ${isRow} and ${sealed} = $2`,
  ].join(' ');
}
