// The manifest of a backup: what it is a copy of, what a restore needs, and what each of its files
// must be. It is one JSON file that contains its checksum, so a changed byte anywhere is found.
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
/** Raised when a reader of the form before would misunderstand it. */
const FORMAT = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().nonnegative();

/** Only paths of this form, so that a manifest cannot name a file elsewhere. */
const file = z.strictObject({
  path: z.string().regex(/^(ponte\.db|documents\/doc_[0-9a-z]{1,64}\/[0-9a-f]{1,64})$/),
  bytes: count,
  sha256,
});

const manifest = z.strictObject({
  product: z.literal('ponte'),
  format: z.literal(FORMAT),
  /** Ponte's, of the process that made it. */
  version: z.string(),
  takenAt: z.iso.datetime(),
  database: z.enum(['sqlite', 'postgres']),
  /**
   * Whose backup it is: the machine, the database as people know it, and the id that it keeps when
   * the machine gets another name. A database that was never served has none.
   */
  source: z.strictObject({ host: z.string(), database: z.string(), id: z.string().optional() }),
  /** Whether later backups of the same source may delete it. */
  rotates: z.boolean(),
  /** Migrations that were applied. */
  schema: count,
  epoch: count,
  /** The keys without which it does not open: a known text sealed under each checks a key. */
  secretKeys: z.array(z.strictObject({ id: z.string(), sealed: z.string() })),
  /** Rows of each table. */
  rows: z.record(z.string(), count),
  /** Sums of the ledger that did not agree when it was taken. */
  ledgerDifferences: count,
  /** The file by which a database knows the folder of its documents; null where it keeps none. */
  documentFingerprint: z
    .string()
    .regex(/^database-[0-9a-f]{1,64}$/)
    .nullable(),
  files: z.array(file),
  /** Documents that rows name and that were not there. */
  missingDocuments: z.array(z.string()),
});

const envelope = z.object({
  manifest: z.object({ product: z.string(), format: z.number() }),
  sha256,
});

export type Manifest = Readonly<z.output<typeof manifest>>;
export type BackedUpFile = Manifest['files'][number];
export type Source = Manifest['source'];

/** What a caller of `manifestText` knows; the rest is the same in every manifest. */
export type ManifestFields = Omit<Manifest, 'product' | 'format'>;

export function manifestOf(fields: ManifestFields): Manifest {
  return { product: 'ponte', format: FORMAT, ...fields };
}

export function manifestText(written: Manifest): string {
  const sha256 = checksumOf(manifest.parse(written));
  return `${JSON.stringify({ manifest: written, sha256 }, null, 2)}\n`;
}

/** Refuses a folder that is no backup, is damaged, or was made by a newer version. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST_FILE);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new StoreRefusal(`${folder} is no backup of Ponte: it has no ${MANIFEST_FILE}.`);
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

/**
 * Two manifests of one source, in the sense of `rotates`. A copy under another name has the id of
 * its origin and is another source.
 */
export function isSameSource(a: Source, b: Source): boolean {
  if (a.database !== b.database) return false;
  return a.id === undefined || b.id === undefined ? a.host === b.host : a.id === b.id;
}

/** Of what the schema read, in whose order the properties are: independent of white space. */
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
