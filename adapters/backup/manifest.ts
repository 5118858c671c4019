// The manifest of a backup: its source, what a restore needs, and the checksum of each file. A JSON
// file with a checksum of its contents, so that any changed byte is detected.
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { StoreRefusal, UnsoundCopy } from '../../core/errors.js';

export const MANIFEST_FILE = 'manifest.json';
/** The file of the database in a backup of SQLite. */
export const DATABASE_FILE = 'ponte.db';
/** The folder of the documents, named as the service names it. */
export const DOCUMENTS_FOLDER = 'documents';
/** Raised when older readers would misread a manifest. */
const FORMAT = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().nonnegative();

/** No other paths: a manifest must not name files outside its folder. */
const file = z.strictObject({
  path: z.string().regex(/^(ponte\.db|documents\/doc_[0-9a-z]{1,64}\/[0-9a-f]{1,64})$/),
  bytes: count,
  sha256,
});

const manifest = z.strictObject({
  product: z.literal('ponte'),
  format: z.literal(FORMAT),
  version: z.string(),
  takenAt: z.iso.datetime(),
  database: z.enum(['sqlite', 'postgres']),
  /**
   * The machine, the name of the database, and its id, which stays when the machine is renamed. A
   * database that was never served has no id.
   */
  source: z.strictObject({ host: z.string(), database: z.string(), id: z.string().optional() }),
  /** Whether later backups of the same source may delete it. */
  rotates: z.boolean(),
  schema: count,
  epoch: count,
  /** The required secret keys, each with a known sealed text that checks it. */
  secretKeys: z.array(z.strictObject({ id: z.string(), sealed: z.string() })),
  rows: z.record(z.string(), count),
  /** The head of the audit log; null before its first entry. */
  auditHead: z.strictObject({ sequence: count, chainHash: sha256 }).nullable().optional(),
  auditDefects: count.optional(),
  /** Differences in the ledger at the time of the backup. */
  ledgerDifferences: count,
  /** The id of the documents folder of the database; null without documents. */
  documentFingerprint: z
    .string()
    .regex(/^database-[0-9a-f]{1,64}$/)
    .nullable(),
  /** Where the documents are, if they are not in the backup. */
  documentsAt: z.string().optional(),
  files: z.array(file),
  /** Documents that have a row and no file. */
  missingDocuments: z.array(z.string()),
});

const envelope = z.object({
  manifest: z.object({ product: z.string(), format: z.number() }),
  sha256,
});

export type Manifest = Readonly<z.output<typeof manifest>>;
export type BackedUpFile = Manifest['files'][number];
export type Source = Manifest['source'];

export type ManifestFields = Omit<Manifest, 'product' | 'format'>;

export function manifestOf(fields: ManifestFields): Manifest {
  return { product: 'ponte', format: FORMAT, ...fields };
}

export function manifestText(written: Manifest): string {
  const sha256 = checksumOf(manifest.parse(written));
  return `${JSON.stringify({ manifest: written, sha256 }, null, 2)}\n`;
}

/** Refuses a folder that is not a backup, is damaged, or was made by a newer version. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST_FILE);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new StoreRefusal(`${folder} is not a backup of Ponte: it has no ${MANIFEST_FILE}.`);
  });
  const outer = envelope.safeParse(parsed(text));
  if (!outer.success) throw damaged(path);
  const { product, format } = outer.data.manifest;
  if (product === 'ponte' && format > FORMAT) {
    throw new StoreRefusal(`${folder} was made by a newer version of Ponte. Install that one.`);
  }
  const inner = manifest.safeParse((parsed(text) as { readonly manifest: unknown }).manifest);
  if (!inner.success || checksumOf(inner.data) !== outer.data.sha256) throw damaged(path);
  return inner.data;
}

/** A copy under another name has the same id and is another source. */
export function isSameSource(a: Source, b: Source): boolean {
  if (a.database !== b.database) return false;
  return a.id === undefined || b.id === undefined ? a.host === b.host : a.id === b.id;
}

/** The checksum of the parsed value, in the order of the schema; white space does not count. */
function checksumOf(read: Manifest): string {
  return hash('sha256', JSON.stringify(read), 'hex');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function damaged(path: string): UnsoundCopy {
  return new UnsoundCopy(`${path} is damaged. Restore from another backup.`);
}
