// Makes a backup beside a host that may be serving: the database as it is at one moment, the bytes
// of the documents that it names then, and a manifest. It is read back and compared before it gets
// its name. Of PostgreSQL it makes the manifest alone: the database is dumped by its own tools.
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
import { formatInstant } from '../core/domain/instant.js';
import { UnsoundCopy } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import type { Store } from '../core/ports/storage.js';
import {
  anyDeleted,
  copyFiles,
  type DocumentFile,
  keepOnly,
  namedFiles,
  pathOf,
} from '../core/usecases/document-copies.js';
import { currentEpoch } from '../core/usecases/epochs.js';
import { findDifferences } from '../core/usecases/ledger-check.js';
import { closedKeys } from '../core/usecases/secret-keys.js';
import { documentFingerprint } from '../core/usecases/storage-fingerprint.js';
import manifest from '../package.json' with { type: 'json' };
import type { OperatorAccess } from './main.js';

/** A copy of the database is made again when documents that it names were deleted meanwhile. */
const COPIES_MAX = 3;
/** More differences than this count as so many. */
const DIFFERENCES_MAX = 100;

export type BackupNeeds = Pick<OperatorAccess, 'config' | 'databaseName' | 'deps' | 'rows'>;

export interface BackupOptions {
  /** The folder that holds backups; created when missing. */
  readonly to: string;
  /** How many of those made with a number are kept; null leaves all of them. */
  readonly keep: number | null;
}

export interface MadeBackup extends Backup {
  /** Folders of older backups that were deleted. */
  readonly removed: readonly string[];
}

/** Where a backup comes from. */
export async function sourceOf(store: Pick<Store, 'run'>, databaseName: string): Promise<Source> {
  // It is made at the first start and never rotated.
  const [partnerKey] = await store.run((tx) => tx.serviceKeys.list('partner'));
  const source = { host: hostname(), database: databaseName };
  return partnerKey === undefined ? source : { ...source, id: partnerKey.id };
}

/** Refuses a copy that is not sound; nothing is left of it. */
export async function makeBackup(
  needs: BackupNeeds,
  { to, keep }: BackupOptions,
): Promise<MadeBackup> {
  const { config, deps, databaseName, rows } = needs;
  const source = await sourceOf(deps.store, databaseName);
  const takenAtMs = deps.clock.nowMs();
  const fields = {
    version: manifest.version,
    takenAt: formatInstant(takenAtMs),
    ...{ database: config.database.kind, source, rotates: keep !== null },
  } as const;
  const backup = await writeBackup(to, takenAtMs, async (folder) =>
    manifestOf({
      ...fields,
      ...(config.database.kind === 'sqlite'
        ? await copyInto(folder, config.database.file, deps)
        : { ...(await factsOf(deps.store, await rows())), files: [], missingDocuments: [] }),
    }),
  );
  // In quarantine those of before may be needed: another one may be the one to restore.
  const isReleased = (await currentEpoch(deps)).state !== 'quarantine';
  const removes = keep !== null && isReleased;
  return { ...backup, removed: removes ? await removeOld(to, source, keep) : [] };
}

/** What a manifest says of the contents of a database. */
export type Facts = Pick<
  Manifest,
  'schema' | 'epoch' | 'secretKeys' | 'rows' | 'ledgerDifferences' | 'documentFingerprint'
>;

export async function factsOf(store: Store, { migrations, tables }: StoredRows): Promise<Facts> {
  const checkValues = await store.run((tx) => tx.keyCheckValues.list());
  return {
    schema: migrations,
    epoch: (await currentEpoch({ store })).number,
    secretKeys: checkValues.map(({ keyId: id, sealed }) => ({ id, sealed })),
    rows: tables,
    ledgerDifferences: (await findDifferences({ store }, DIFFERENCES_MAX)).length,
    documentFingerprint: await documentFingerprint(store),
  };
}

type CopyFields = Facts & Pick<ManifestFields, 'files' | 'missingDocuments'>;

/** Copies until the database and the documents that it names are of one moment. */
async function copyInto(folder: string, from: string, deps: Deps): Promise<CopyFields> {
  const file = join(folder, DATABASE_FILE);
  const documents = { from: deps.documents, to: createFsDocuments(join(folder, DOCUMENTS_FOLDER)) };
  const copied = new Set<string>();
  // What is deleted while the database is copied is here by then.
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

/** Of a copy that is whole and holds what its source held. */
async function checkedFacts(
  store: ServedStore,
  file: string,
  source: { readonly rows: StoredRows; readonly secretBox: Deps['secretBox'] },
): Promise<Facts> {
  const damage = damageOf(file);
  if (damage !== null) throw unsound(damage);
  const facts = await factsOf(store, await store.rows());
  const differing = differingTables(source.rows.tables, facts.rows);
  if (source.rows.migrations !== facts.schema || differing.length > 0) {
    throw unsound(`other numbers of rows in ${differing.join(', ')}`);
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
    files.push(await fileIn(folder, `${DOCUMENTS_FOLDER}/${pathOf(one)}`));
  }
  return { files, missingDocuments: missing.map(pathOf) };
}

/** Names of the tables whose numbers of rows are not equal. */
export function differingTables(expected: RowCounts, found: RowCounts): readonly string[] {
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...names].filter((name) => expected[name] !== found[name]);
}

function unsound(why: string): UnsoundCopy {
  return new UnsoundCopy(`The copy is not sound: ${why}. No backup was made.`);
}
