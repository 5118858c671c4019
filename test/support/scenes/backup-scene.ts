// A place that was served, with a payment and a document, and what a test does to it: backups by
// the command, as an operator makes them, and a look at everything that lies in a folder.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createFsDocuments } from '../../../adapters/documents/fs.js';
import { openSqliteStore, type SqliteStore } from '../../../adapters/storage/sqlite/store.js';
import type { Document } from '../../../core/domain/parties/document.js';
import { readConfig } from '../../../host/config.js';
import { startHost } from '../../../host/main.js';
import { chunks } from '../../contract/document-storage.js';
import { aBarePayment, aDocument, someFunds } from '../samples/domain-samples.js';
import { runCommand } from '../servers/command.js';

export interface Place {
  readonly env: Readonly<Record<string, string>> & { readonly PONTE_DATA_DIR: string };
  readonly file: string;
  readonly documents: string;
  /** Where backups lie; not in the place. */
  readonly backups: string;
}

/** Nothing is there yet. */
export function placeIn(folder: string, name: string): Place {
  const dataDir = join(folder, name);
  return {
    env: { PONTE_DATA_DIR: dataDir, PONTE_PORT: '0', PONTE_LOG_LEVEL: 'silent' },
    file: join(dataDir, 'ponte.db'),
    documents: join(dataDir, 'documents'),
    backups: join(folder, `${name}-backups`),
  };
}

/** Served once and stopped, with one payment and one document that somebody submitted. */
export async function servedPlace(folder: string, name: string): Promise<Place> {
  const place = placeIn(folder, name);
  await serveOnce(place);
  await addPayment(place, 'pi_first');
  await addDocument(place, 'doc_1', 'ab12');
  return place;
}

export async function serveOnce({ env }: Place): Promise<void> {
  const host = await startHost(readConfig(env));
  await host.stop();
}

export async function withStore<T>(
  { file }: Pick<Place, 'file'>,
  work: (store: SqliteStore) => Promise<T>,
): Promise<T> {
  const store = openSqliteStore({ path: file });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export async function addPayment(place: Place, id: string): Promise<void> {
  await withStore(place, (store) =>
    store.run(async (tx) => {
      tx.payments.insert(aBarePayment({ id, publicId: id, externalId: id }));
      tx.funds.put(someFunds({ paymentId: id }));
    }),
  );
}

/** A document that stays until its party is decided on. */
export function keptDocument(id: string, contentName: string): Document {
  const fields = { id, contentName, status: 'submitted', dueAtMs: null, purgedAtMs: null } as const;
  const hashes = { upload: `up ${id}`, read: `read ${id}` };
  return aDocument({ ...fields, tokenHashes: hashes });
}

export async function addDocument(place: Place, id: string, name: string): Promise<void> {
  await createFsDocuments(place.documents).put(id, name, chunks(`bytes of ${id}`));
  await withStore(place, (store) =>
    store.run(async (tx) => tx.documents.insert(keptDocument(id, name))),
  );
}

export function ponte(place: Pick<Place, 'env'>, words: readonly string[]) {
  return runCommand(place.env, words);
}

/** The folder of a backup that the command made. */
export async function backUp(place: Place, ...options: readonly string[]): Promise<string> {
  const words = ['backup', '--to', place.backups, '--json', ...options];
  const { status, stdout, stderr } = await ponte(place, words);
  assert.equal(status, 0, stderr);
  return String((JSON.parse(stdout) as Readonly<Record<string, unknown>>)['folder']);
}

/** Every file below a folder with its mode and hash, folders with their mode. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  if (!existsSync(folder)) return {};
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    paths.map((path) => {
      const found = statSync(join(folder, path));
      const mode = (found.mode & 0o777).toString(8);
      if (found.isDirectory()) return [path, `${mode} folder`];
      const bytes = readFileSync(join(folder, path));
      return [path, `${mode} ${createHash('sha256').update(bytes).digest('hex')}`];
    }),
  );
}
