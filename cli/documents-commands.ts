// `ponte documents`: which documents of parties are kept, by what the database says and by what the
// store holds, so that a purge can be proven.
import { type Command, Option } from 'commander';
import { formatInstant } from '../core/domain/instant.js';
import type { ListedDocument } from '../core/usecases/documents.js';
import {
  addVerb,
  asOperator,
  cursorOption,
  limitOption,
  type Operator,
  type Outcome,
  type Shell,
} from './operator.js';
import { table } from './output.js';

interface ListOptions {
  readonly all: boolean;
  readonly limit: number;
  readonly cursor: string | null;
}

export function addDocumentsVerbs(shell: Shell, program: Command): void {
  const noun = program.command('documents').description('documents of buyers and accounts');

  addVerb<ListOptions>(shell, noun, {
    name: 'list',
    description: 'list documents that are kept, newest first; none is left after a decision',
    options: [
      new Option('--all', 'purged ones too, with the time of their purge').default(false),
      limitOption(),
      cursorOption(),
    ],
    run: (options) => asOperator(shell, (operator) => list(operator, options)),
  });
}

async function list(
  { deps }: Operator,
  { all, limit, cursor: beforeId }: ListOptions,
): Promise<Outcome> {
  const { listDocuments } = await import('../core/usecases/documents.js');
  const { documentStorageProblem } = await import('../core/usecases/storage-fingerprint.js');
  const problem = await documentStorageProblem(deps);
  if (problem !== null) {
    // Looking elsewhere would prove what is not so.
    const { ConfigError } = await import('../host/config.js');
    throw new ConfigError([`PONTE_DOCUMENTS: ${problem}`]);
  }
  const found = await listDocuments(deps, { kept: !all, beforeId, limit });
  const data = found.map(presentDocument);
  const rows = found.filter(({ row }) => row !== null);
  const nextCursor = rows.length < limit ? null : (rows.at(-1)?.id ?? null);
  return {
    json: { data, nextCursor },
    text: table(
      ['ID', 'STATUS', 'KEPT', 'PARTY', 'KIND', 'OWNER', 'CREATED', 'DUE', 'PURGED'],
      data.map((row) => [
        ...[row.id, row.status, row.kept, row.partyId, row.kind, row.ownerIndex],
        ...[row.createdAt, row.dueAt, row.purgedAt],
      ]),
      all ? 'No documents.' : 'No documents are kept.',
    ),
  };
}

/** Bytes without a row are `unaccounted`: nothing is known of them but that they are there. */
function presentDocument({ id, row, kept }: ListedDocument) {
  const instant = (atMs: number | null | undefined) =>
    atMs === null || atMs === undefined ? null : formatInstant(atMs);
  return {
    id,
    orgId: row?.orgId ?? null,
    testMode: row === null ? null : row.mode === 'test',
    party: row?.owner.party ?? null,
    partyId: row?.owner.id ?? null,
    kind: row?.kind ?? null,
    ownerIndex: row?.ownerIndex ?? null,
    contentType: row?.contentType ?? null,
    status: row?.status ?? 'unaccounted',
    sizeBytes: row?.sizeBytes ?? null,
    /** Whether any bytes of it are in the store. */
    kept,
    dueAt: instant(row?.dueAtMs),
    createdAt: instant(row?.createdAtMs),
    purgedAt: instant(row?.purgedAtMs),
  };
}
