// `ponte documents`: the documents of parties, by the rows of the database and by the stored files,
// so that a purge can be proven.
import type { Command } from 'commander';
import { instantOrNull } from '../../core/domain/base/instant.js';
import type { ListedDocument } from '../../core/usecases/parties/documents.js';
import { commandGroup, type Shell } from '../operator.js';
import { flag, page } from '../options.js';
import { tableOf } from '../output.js';

export function addDocumentsCommands(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'documents', 'documents of buyers and accounts');
  add({
    name: 'list',
    authority: 'read',
    description:
      'list stored documents, newest first; a decision purges the documents of its party',
    options: { all: flag('include purged documents, with the time of the purge'), ...page },
    run: async ({ deps }, { all, limit, cursor: beforeId }) => {
      const { listDocuments } = await import('../../core/usecases/parties/documents.js');
      const { documentStorageProblem } = await import(
        '../../core/usecases/service/fingerprints.js'
      );
      const problem = await documentStorageProblem(deps);
      if (problem !== null) {
        // In another folder, documents of this database would seem purged.
        const { ConfigError } = await import('../../host/config.js');
        throw new ConfigError([`PONTE_DOCUMENTS: ${problem}`]);
      }
      const found = await listDocuments(deps, { kept: !all, beforeId, limit });
      const data = found.map(presentDocument);
      const known = found.filter(({ row }) => row !== null);
      const nextCursor = known.length < limit ? null : (known.at(-1)?.id ?? null);
      const text = tableOf(data, all ? 'No documents.' : 'No documents are stored.', {
        ID: 'id',
        STATUS: 'status',
        KEPT: 'kept',
        PARTY: 'partyId',
        KIND: 'kind',
        OWNER: 'ownerIndex',
        CREATED: 'createdAt',
        DUE: 'dueAt',
        PURGED: 'purgedAt',
      });
      return { json: { data, nextCursor }, text };
    },
  });
}

/** `unaccounted`: stored bytes without a row in the database. */
function presentDocument({ id, row, kept }: ListedDocument) {
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
    /** Whether any of its bytes are stored. */
    kept,
    dueAt: instantOrNull(row?.dueAtMs),
    createdAt: instantOrNull(row?.createdAtMs),
    purgedAt: instantOrNull(row?.purgedAtMs),
  };
}
