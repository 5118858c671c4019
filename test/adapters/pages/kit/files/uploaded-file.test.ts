// The one file of a multipart form, as it streams in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  readFile,
  type UploadedFile,
} from '../../../../../adapters/pages/kit/files/uploaded-file.js';
import { turn } from '../../../../support/wait.js';

const boundary = 'a-boundary';
const contentType = `multipart/form-data; boundary=${boundary}`;
const CHUNK_BYTES = 64 * 1024;

/** A form with the token and a file that does not fit the buffers of the streams. */
async function* formOf({ isCut = false, fails = false } = {}): AsyncIterable<Uint8Array> {
  yield Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="csrf"\r\n\r\ntoken\r\n` +
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.heic"\r\n` +
      'Content-Type: image/heic\r\n\r\n',
  );
  for (let chunk = 0; chunk < 20; chunk += 1) yield Buffer.alloc(CHUNK_BYTES, 1);
  if (fails) throw new Error('aborted');
  if (!isCut) yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

async function firstBytes({ bytes }: UploadedFile): Promise<string> {
  await bytes[Symbol.asyncIterator]().next();
  return 'refused by its first bytes';
}

async function someBytes({ bytes }: UploadedFile): Promise<string> {
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    sizeBytes += chunk.length;
    if (sizeBytes > 5 * CHUNK_BYTES) return 'refused by its size';
  }
  return 'read';
}

async function fails({ bytes }: UploadedFile): Promise<string> {
  for await (const _ of bytes) throw new Error('full');
  return 'read';
}

test('a refused file is read to its end, so that the browser sees why', async () => {
  const form = () => ({ body: formOf(), contentType, csrf: 'token', timeoutMs: 10_000 });
  assert.equal(await readFile(form(), firstBytes), 'refused by its first bytes');
  assert.equal(await readFile(form(), someBytes), 'refused by its size');
  await assert.rejects(readFile(form(), fails), { message: 'full' });
});

for (const [name, how] of [
  ['cut off', { isCut: true }],
  ['aborted', { fails: true }],
] as const)
  test(`a form that is ${name} is refused, and so is its file`, async () => {
    const { promise: result, resolve } = Promise.withResolvers<string>();
    const store = async ({ bytes }: UploadedFile) => {
      try {
        for await (const _ of bytes);
        resolve('stored');
      } catch {
        resolve('refused');
      }
    };
    const cut = { body: formOf(how), contentType, csrf: 'token', timeoutMs: 10_000 };
    await assert.rejects(readFile(cut, store), { code: 'ValidationError' });
    assert.equal(await result, 'refused');
  });

function part(name: string, text: string, filename = ''): string {
  const file = filename === '' ? '' : `; filename="${filename}"\r\nContent-Type: image/png`;
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}`;
}

const token = `${part('csrf', 'token')}\r\n`;
const cutOffForms: readonly (readonly [string, string])[] = [
  ['the file', token + part('file', 'bytes', 'a.png')],
  ['a file without a token', part('file', 'bytes', 'a.png')],
  ['a second file', `${token + part('file', 'bytes', 'a.png')}\r\n${part('file', 'b', 'b.png')}`],
  ['the token', part('csrf', 'tok')],
];

for (const [name, text] of cutOffForms) {
  for (const pieceBytes of [1, text.length]) {
    test(`a form that is cut off in ${name} is refused, in pieces of ${pieceBytes}`, async () => {
      const body = (async function* () {
        for (let at = 0; at < text.length; at += pieceBytes) {
          yield Buffer.from(text.slice(at, at + pieceBytes));
          await turn();
        }
      })();
      // As a store that first asks the database.
      const late = async (file: UploadedFile) => {
        for (let turns = 0; turns < 2; turns += 1) await turn();
        return someBytes(file);
      };
      const form = { body, contentType, csrf: 'token', timeoutMs: 10_000 };
      const refused = readFile(form, late);
      await assert.rejects(refused, { code: 'ValidationError' });
      // An error without a listener would end the process in a later turn.
      await turn();
    });
  }
}
