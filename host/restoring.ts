// Replaces the database by a backup. The backup is copied and verified first; then the old files
// are moved aside and the copy is renamed. The restored database is in quarantine. A PostgreSQL
// database is restored by its own tools and verified in place.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type BackedUpFile,
  DATABASE_FILE,
  DOCUMENTS_FOLDER,
  type Manifest,
} from '../adapters/backup/manifest.js';
import { createSecretBox } from '../adapters/crypto/secret-box.js';
import { createFsDocuments } from '../adapters/documents/fs.js';
import { loadMigrations } from '../adapters/storage/migrations.js';
import { damageOf } from '../adapters/storage/sqlite/file-copy.js';
import { acquireServingLock, servingProcess } from '../adapters/storage/sqlite/serving-lock.js';
import { openSqliteStore } from '../adapters/storage/sqlite/store.js';
import { formatInstant } from '../core/domain/base/instant.js';
import { StoreRefusal, UnsoundCopy } from '../core/errors.js';
import type { Clock, Log } from '../core/ports/outside.js';
import { copyPath, namedFiles } from '../core/usecases/parties/document-copies.js';
import { quarantineRestored } from '../core/usecases/service/epochs.js';
import { documentStorageProblem } from '../core/usecases/service/fingerprints.js';
import { closedKeys } from '../core/usecases/service/secret-keys.js';
import { backupFacts, differingTables } from './backup.js';
import { type Config, ConfigError } from './config.js';
import { developmentSecret, SECRET_FILE } from './development.js';
import type { OperatorAccess } from './operator-access.js';
import { occupantsOf, type Place, stageIn, swap, writtenAtMs } from './restore-place.js';

/** Tables whose rows are never deleted: a dump made after the manifest has at least as many. */
const GROWING = ['payments', 'funds', 'ledger_lines', 'quotes', 'partner_commands'] as const;

export interface RestoreOptions {
  readonly from: string;
  readonly manifest: Manifest;
  /** Moves existing files aside. */
  readonly replace: boolean;
  /** Verifies only. */
  readonly dryRun: boolean;
}

export interface Restored {
  readonly databaseName: string;
  /** The new epoch; null for a dry run. */
  readonly epoch: number | null;
  /** New paths of the replaced files; for a dry run, the paths of existing files. */
  readonly replaced: readonly string[];
  /** Last write of the replaced database; null if there was none. */
  readonly replacedWrittenAtMs: number | null;
}

type RestoreContext = { readonly clock: Clock; readonly log: Log };
type SqliteConfig = Config & { readonly database: { readonly kind: 'sqlite' } };

export function isOnSqlite(config: Config): config is SqliteConfig {
  return config.database.kind === 'sqlite';
}

/** When it throws UnsoundCopy, StoreRefusal or ConfigError, all files are unchanged. */
export async function restoreFile(
  config: SqliteConfig,
  options: RestoreOptions,
  world: RestoreContext,
): Promise<Restored> {
  const { manifest, replace, dryRun } = options;
  const place = { file: config.database.file, documents: join(config.dataDir, DOCUMENTS_FOLDER) };
  refuseNewer(manifest, loadMigrations('sqlite').length);
  refuseMissingKeys(manifest, config);
  if (!dryRun) refuseServed(place.file);
  if (!dryRun && !replace) refuseOccupied(place);
  const staging = await stageIn(place);
  try {
    await copyVerified(options, staging);
    const epoch = await verified(options, staging, world);
    const databaseName = place.file;
    const replacedWrittenAtMs = writtenAtMs(place);
    const restored = { databaseName, epoch, replacedWrittenAtMs };
    if (epoch === null) return { ...restored, replaced: occupantsOf(place) };
    const release = acquireServingLock(place.file);
    try {
      if (!replace) refuseOccupied(place);
      const replaced = await swap(staging, place, formatInstant(world.clock.nowMs()));
      return { ...restored, replaced };
    } finally {
      release();
    }
  } finally {
    await staging.remove();
  }
}

/** Verifies a PostgreSQL database that another tool has restored, and starts its epoch. */
export async function acceptRestored(
  { deps, databaseName, rows, servers }: Omit<OperatorAccess, 'close'>,
  { manifest, dryRun }: Pick<RestoreOptions, 'manifest' | 'dryRun'>,
): Promise<Restored> {
  const serving = await servers();
  if (serving.length > 0) {
    const names = serving.map(({ name }) => name).join(', ');
    throw new StoreRefusal(`${databaseName} is served by ${names}. Stop them first.`);
  }
  const facts = await backupFacts(deps.store, await rows(), manifest);
  const fewer = GROWING.filter((name) => (facts.rows[name] ?? 0) < (manifest.rows[name] ?? 0));
  if (fewer.length > 0) {
    const advice = 'Restore the dump that belongs to this manifest, whole.';
    throw new UnsoundCopy(`${databaseName} lacks rows of ${fewer.join(', ')}. ${advice}`);
  }
  if (facts.ledgerDifferences > manifest.ledgerDifferences) throw unsound(databaseName, 'ledger');
  if (facts.auditDefects > (manifest.auditDefects ?? 0)) throw unsound(databaseName, 'audit log');
  const placeProblem = await documentStorageProblem(deps);
  if (placeProblem !== null) throw new ConfigError([`PONTE_DOCUMENTS: ${placeProblem}`]);
  const epoch = dryRun ? null : (await quarantineRestored(deps)).number;
  return { databaseName, epoch, replaced: [], replacedWrittenAtMs: null };
}

function refuseNewer({ schema, version }: Manifest, known: number): void {
  if (schema <= known) return;
  throw new StoreRefusal(
    `The backup is at migration ${schema}, newer than this version of Ponte (${known}). ` +
      `Install ${version} or a later one.`,
  );
}

function refuseMissingKeys({ secretKeys }: Manifest, config: Config): void {
  const keys = config.secretKeys ?? developmentSecret(config, { creates: false });
  const checkValues = secretKeys.map(({ id: keyId, sealed }) => ({ keyId, sealed }));
  const closed =
    keys === null
      ? checkValues.map(({ keyId }) => keyId)
      : closedKeys(createSecretBox(keys), checkValues);
  if (closed.length === 0) return;
  const names = closed.map((id) => JSON.stringify(id)).join(', ');
  const advice =
    config.secretKeys === null
      ? `Copy the file ${SECRET_FILE} of the folder that was served to ${config.dataDir} first`
      : 'Set the keys that the database was served with';
  const problem = `the backup does not open without the key ${names}. ${advice}`;
  throw new ConfigError([`PONTE_SECRET_KEYS: ${problem}`]);
}

function refuseServed(file: string): void {
  const holder = existsSync(dirname(file)) ? servingProcess(file) : null;
  if (holder === null) return;
  const who = holder === 'unknown' ? 'Another process' : `Process ${holder.pid}`;
  throw new StoreRefusal(`${who} serves ${file}. Stop it first.`);
}

function refuseOccupied(place: Place): void {
  const [first] = occupantsOf(place);
  if (first === undefined) return;
  throw new StoreRefusal(`${first} exists. With --replace it is moved aside; nothing is deleted.`);
}

async function copyVerified({ from, manifest }: RestoreOptions, staging: Place): Promise<void> {
  for (const file of manifest.files) {
    const isDatabase = file.path === DATABASE_FILE;
    const to = isDatabase ? staging.file : join(staging.documents, documentPath(file));
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await copyFileVerified(from, file, to);
  }
  if (manifest.documentFingerprint === null || manifest.documentsAt !== undefined) return;
  await createFsDocuments(staging.documents).recordFingerprint(manifest.documentFingerprint);
}

function documentPath({ path }: BackedUpFile): string {
  return path.slice(DOCUMENTS_FOLDER.length + 1);
}

async function copyFileVerified(from: string, file: BackedUpFile, to: string): Promise<void> {
  const source = join(from, file.path);
  if (!existsSync(source)) throw unsound(source, 'missing');
  const sum = createHash('sha256');
  const target = await open(to, 'wx', 0o600);
  try {
    for await (const chunk of createReadStream(source) as AsyncIterable<Buffer>) {
      sum.update(chunk);
      await target.writeFile(chunk);
    }
    await target.sync();
  } finally {
    await target.close();
  }
  if (sum.digest('hex') !== file.sha256) throw unsound(source, 'changed');
}

/**
 * Compares the staged copy with its manifest, migrates it and starts the epoch. Returns its number,
 * or null for a dry run.
 */
async function verified(
  { manifest, from, dryRun }: RestoreOptions,
  staging: Place,
  { clock, log }: RestoreContext,
): Promise<number | null> {
  const damage = damageOf(staging.file);
  if (damage !== null) throw unsound(from, damage);
  const store = openSqliteStore({ path: staging.file });
  try {
    const { tables, migrations } = await store.rows();
    const differing = differingTables(manifest.rows, tables);
    if (migrations !== manifest.schema || differing.length > 0) {
      throw unsound(from, `row counts differ in ${differing.join(', ')}`);
    }
    await store.migrate();
    const facts = await backupFacts(store, await store.rows(), manifest);
    if (facts.ledgerDifferences !== manifest.ledgerDifferences) {
      throw unsound(from, 'the ledger differs');
    }
    if (facts.auditDefects !== (manifest.auditDefects ?? 0)) {
      throw unsound(from, 'the audit log differs');
    }
    const known = new Set([...manifest.files.map(documentPath), ...manifest.missingDocuments]);
    const isComplete = manifest.documentsAt === undefined;
    const named = isComplete ? await namedFiles(store) : [];
    const lost = named.map(copyPath).filter((path) => !known.has(path));
    if (lost.length > 0) throw unsound(from, `the document ${lost[0]} is missing`);
    if (dryRun) return null;
    return (await quarantineRestored({ store, clock, log })).number;
  } finally {
    await store.close();
  }
}

function unsound(what: string, why: string): UnsoundCopy {
  return new UnsoundCopy(`${what} does not match its manifest: ${why}. Use another backup.`);
}
