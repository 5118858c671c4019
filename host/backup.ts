// Makes a backup, also while a host serves: a snapshot of the database, the documents that it
// names, and a manifest. The copy is read back and verified before it gets its name. For PostgreSQL
// it makes only the manifest; the tools of PostgreSQL dump the database.
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Backup, fileIn, removeOld, writeBackup } from '../adapters/backup/backup-folder.js';
import {
  type BackedUpFile,
  DATABASE_FILE,
  DOCUMENTS_FOLDER,
  type Manifest,
  type ManifestFields,
  manifestOf,
  type Source,
} from '../adapters/backup/manifest.js';
import { createFsDocuments } from '../adapters/documents/fs.js';
import type { RowCounts, StoredRows } from '../adapters/storage/row-counts.js';
import { copySqliteFile, damageOf } from '../adapters/storage/sqlite/file-copy.js';
import { openSqliteStore } from '../adapters/storage/sqlite/store.js';
import type { ServedStore } from '../adapters/storage/store.js';
import { formatInstant } from '../core/domain/base/instant.js';
import { UnsoundCopy } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import type { Store } from '../core/ports/storage.js';
import {
  anyDeleted,
  copyFiles,
  copyPath,
  type DocumentFile,
  keepOnly,
  namedFiles,
} from '../core/usecases/parties/document-copies.js';
import { findDifferences } from '../core/usecases/payments/ledger-check.js';
import { auditHead, verifyAudit } from '../core/usecases/service/audit-log.js';
import { currentEpoch } from '../core/usecases/service/epochs.js';
import { documentFingerprint } from '../core/usecases/service/fingerprints.js';
import { closedKeys } from '../core/usecases/service/secret-keys.js';
import type { OperatorAccess } from './operator-access.js';
import { productVersion } from './product-version.js';

/** The database is copied again when documents that it names were deleted during the copy. */
const COPIES_MAX = 3;
const DIFFERENCES_MAX = 100;

type BackupNeeds = Pick<OperatorAccess, 'config' | 'databaseName' | 'deps' | 'rows'>;

export interface BackupOptions {
  readonly to: string;
  /** How many backups made with a number to keep; null: keep all. */
  readonly keep: number | null;
}

export interface MadeBackup extends Backup {
  readonly removed: readonly string[];
}

export async function sourceOf(store: Pick<Store, 'run'>, databaseName: string): Promise<Source> {
  // Created at the first start and never rotated.
  const [partnerKey] = await store.run((tx) => tx.serviceKeys.list('partner'));
  const source = { host: hostname(), database: databaseName };
  return partnerKey === undefined ? source : { ...source, id: partnerKey.id };
}

/** Deletes an unsound copy and throws UnsoundCopy. */
export async function makeBackup(
  needs: BackupNeeds,
  { to, keep }: BackupOptions,
): Promise<MadeBackup> {
  const { config, deps, databaseName, rows } = needs;
  const source = await sourceOf(deps.store, databaseName);
  const takenAtMs = deps.clock.nowMs();
  const fields = {
    version: productVersion,
    takenAt: formatInstant(takenAtMs),
    database: config.database.kind,
    source,
    rotates: keep !== null,
  } as const;
  const backup = await writeBackup(to, takenAtMs, async (folder) =>
    manifestOf({
      ...fields,
      ...(config.s3 === null ? {} : { documentsAt: config.s3.url }),
      ...(config.database.kind === 'sqlite'
        ? await (config.s3 === null ? copyInto : copyDatabase)(folder, config.database.file, deps)
        : { ...(await backupFacts(deps.store, await rows())), files: [], missingDocuments: [] }),
    }),
  );
  // In quarantine an older backup may be needed for another restore.
  const isReleased = (await currentEpoch(deps)).state !== 'quarantine';
  const removes = keep !== null && isReleased;
  return { ...backup, removed: removes ? await removeOld(to, source, keep) : [] };
}

/** The contents of a database, as a manifest describes them. */
type Facts = Pick<
  Manifest,
  | 'schema'
  | 'epoch'
  | 'secretKeys'
  | 'rows'
  | 'auditHead'
  | 'ledgerDifferences'
  | 'documentFingerprint'
> & { readonly auditDefects: number };

/** The audit log is compared with the head in `expected`; null: with its own. */
export async function backupFacts(
  store: Store,
  { migrations, tables }: StoredRows,
  expected: Pick<Manifest, 'auditHead'> | null = null,
): Promise<Facts> {
  const { auditHead: head } = expected ?? { auditHead: await auditHead({ store }) };
  const { defects } = await verifyAudit({ store }, head == null ? [] : [head]);
  const checkValues = await store.run((tx) => tx.keyCheckValues.list());
  return {
    schema: migrations,
    epoch: (await currentEpoch({ store })).number,
    secretKeys: checkValues.map(({ keyId: id, sealed }) => ({ id, sealed })),
    rows: tables,
    auditHead: head,
    auditDefects: defects.length,
    ledgerDifferences: (await findDifferences({ store }, DIFFERENCES_MAX)).length,
    documentFingerprint: await documentFingerprint(store),
  };
}

type CopyFields = Facts & Pick<ManifestFields, 'files' | 'missingDocuments'>;

/** Documents in S3 stay there. */
async function copyDatabase(folder: string, from: string, deps: Deps): Promise<CopyFields> {
  const file = join(folder, DATABASE_FILE);
  const rows = await copySqliteFile(from, file);
  const store = openSqliteStore({ path: file, readOnly: true });
  try {
    const facts = await checkedFacts(store, file, { rows, ...deps });
    return { ...facts, files: [await fileIn(folder, DATABASE_FILE)], missingDocuments: [] };
  } finally {
    await store.close();
  }
}

/** Copies until no document that the database names was deleted during the copy. */
async function copyInto(folder: string, from: string, deps: Deps): Promise<CopyFields> {
  const file = join(folder, DATABASE_FILE);
  const documents = { from: deps.documents, to: createFsDocuments(join(folder, DOCUMENTS_FOLDER)) };
  const copied = new Set<string>();
  // First, so that documents deleted during the copy of the database are not missed.
  await copyFiles(await namedFiles(deps.store), documents, copied);
  for (let copy = 1; ; copy += 1) {
    const rows = await copySqliteFile(from, file);
    const store = openSqliteStore({ path: file, readOnly: true });
    try {
      const named = await namedFiles(store);
      const missing = await copyFiles(named, documents, copied);
      if (copy === COPIES_MAX || !(await anyDeleted(deps.store, missing))) {
        await keepOnly(named, documents.to);
        const facts = await checkedFacts(store, file, { rows, ...deps });
        if (facts.documentFingerprint !== null)
          await documents.to.recordFingerprint(facts.documentFingerprint);
        return { ...facts, ...(await filesOf(folder, named, missing)) };
      }
    } finally {
      await store.close();
    }
    await rm(file);
  }
}

/** Throws unless the copy is undamaged and has the row counts of its source. */
async function checkedFacts(
  store: ServedStore,
  file: string,
  source: { readonly rows: StoredRows; readonly secretBox: Deps['secretBox'] },
): Promise<Facts> {
  const damage = damageOf(file);
  if (damage !== null) throw unsound(damage);
  const facts = await backupFacts(store, await store.rows());
  const differing = differingTables(source.rows.tables, facts.rows);
  if (source.rows.migrations !== facts.schema || differing.length > 0) {
    throw unsound(`row counts differ in ${differing.join(', ')}`);
  }
  const closed = closedKeys(source.secretBox, await store.run((tx) => tx.keyCheckValues.list()));
  if (closed.length > 0) throw unsound(`the secret keys ${closed.join(', ')} do not open it`);
  return facts;
}

async function filesOf(
  folder: string,
  named: readonly DocumentFile[],
  missing: readonly DocumentFile[],
): Promise<Pick<CopyFields, 'files' | 'missingDocuments'>> {
  const files: BackedUpFile[] = [await fileIn(folder, DATABASE_FILE)];
  for (const one of named.filter((file) => !missing.includes(file))) {
    files.push(await fileIn(folder, `${DOCUMENTS_FOLDER}/${copyPath(one)}`));
  }
  return { files, missingDocuments: missing.map(copyPath) };
}

export function differingTables(expected: RowCounts, found: RowCounts): readonly string[] {
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...names].filter((name) => expected[name] !== found[name]);
}

function unsound(why: string): UnsoundCopy {
  return new UnsoundCopy(`The copy is not sound: ${why}. No backup was made.`);
}
