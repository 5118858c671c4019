// Documents as files: a folder per document with a file per upload. A file gets its name once it is
// complete and synced; a partial file has another name and is deleted with the folder. All files
// are readable only by the user of the process.
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assert, PonteError } from '../../core/errors.js';
import type { ByteSource, DocumentStorage } from '../../core/ports/outside.js';

const documentIdForm = /^doc_[0-9a-z]{1,64}$/;
const fingerprintForm = /^database-[0-9a-f]{1,64}$/;
const nameForm = /^[0-9a-f]{1,64}$/;
const PART = '.part';
const CHUNK = 64 * 1_024;

/** A small disk has a smaller reserve. */
const RESERVE_SHARE = 5;

/**
 * `folder` is created for the first fingerprint or document. A fingerprint is an empty file. There
 * is room for documents while `reserveBytes` of the disk are free.
 */
export function createFsDocuments(folder: string, reserveBytes = 0): DocumentStorage {
  const folderOf = (documentId: string): string => {
    assert(documentIdForm.test(documentId), 'a document is named by its id');
    return join(folder, documentId);
  };
  const fileOf = (documentId: string, name: string): string => {
    assert(nameForm.test(name), 'an upload is named in hex');
    return join(folderOf(documentId), name);
  };
  const fingerprintFile = (fingerprint: string): string => {
    assert(fingerprintForm.test(fingerprint), 'a fingerprint names its kind and is hex');
    return join(folder, fingerprint);
  };
  return {
    place: folder,
    async recordFingerprint(fingerprint) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = await open(fingerprintFile(fingerprint), 'a', 0o600);
      await file.close();
      for (const at of [folder, dirname(folder)]) await syncFolder(at);
    },
    async hasFingerprint(fingerprint) {
      return (await stat(fingerprintFile(fingerprint)).catch(unlessThere)) !== null;
    },
    async hasRoom() {
      const disk = await statfs(folder).catch(() => statfs(dirname(folder)));
      const reserve = Math.min(reserveBytes, (disk.blocks * disk.bsize) / RESERVE_SHARE);
      return disk.bavail * disk.bsize > reserve;
    },
    async put(documentId, name, bytes) {
      const path = fileOf(documentId, name);
      try {
        await mkdir(folderOf(documentId), { recursive: true, mode: 0o700 });
        await writeWhole(path, bytes);
        // The names of the file and of its folder must be on the disk too.
        for (const at of [folderOf(documentId), folder]) await syncFolder(at);
      } catch (error) {
        throw isOfDisk(error) ? unavailable(error) : error;
      }
    },
    async get(documentId, name) {
      const file = await open(fileOf(documentId, name), 'r').catch(unlessThere);
      return file === null ? null : bytesOf(file);
    },
    async remove(documentId, name) {
      await rm(fileOf(documentId, name), { force: true });
      await syncFolder(folderOf(documentId));
    },
    async purge(documentId, keptName) {
      const at = folderOf(documentId);
      if (keptName === null) {
        await rm(at, { recursive: true, force: true });
        await syncFolder(folder);
        return;
      }
      const names = (await readdir(at).catch(unlessThere)) ?? [];
      for (const name of names.filter((one) => one !== keptName)) {
        await rm(join(at, name), { force: true });
      }
      await syncFolder(at);
    },
    async list({ afterId, limit }) {
      const names = (await readdir(folder).catch(unlessThere)) ?? [];
      const ids = names.filter((name) => documentIdForm.test(name)).toSorted();
      return ids.filter((id) => afterId === null || id > afterId).slice(0, limit);
    },
  };
}

function bytesOf(file: FileHandle): ByteSource {
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(CHUNK) });
          if (bytesRead === 0) return;
          yield buffer.subarray(0, bytesRead);
        }
      } finally {
        await file.close();
      }
    },
    close: () => file.close(),
  };
}

async function writeWhole(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${path}${PART}`;
  const file = await open(part, 'wx', 0o600);
  try {
    for await (const chunk of bytes) await file.writeFile(chunk);
    await file.sync();
    await file.close();
    await rename(part, path);
  } catch (error) {
    await file.close();
    await rm(part, { force: true });
    throw error;
  }
}

/** Makes new and deleted names in a folder survive a power failure. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(unlessThere);
  if (folder === null) return;
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function unlessThere(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

/** The disk is full, over its quota, failing, or remounted read-only. */
function isOfDisk(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'].includes(code);
}

function unavailable(cause: unknown): PonteError {
  const message = 'The document cannot be stored now. Nothing was stored; send it again later.';
  return new PonteError('StoreUnavailable', message, { cause });
}
