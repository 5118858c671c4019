// What every store of documents promises: bytes come back as they were put, whole or not at all,
// and nothing of a purged document is left. Run over each adapter.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DocumentStorage } from '../../core/ports/outside.js';

export async function* chunks(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

export async function textOf(bytes: AsyncIterable<Uint8Array> | null): Promise<string | null> {
  if (bytes === null) return null;
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts).toString();
}

export function allOf(storage: DocumentStorage): Promise<readonly string[]> {
  return storage.list({ afterId: null, limit: 1_000 });
}

export function documentStorageContract(name: string, open: () => DocumentStorage): void {
  describe(`documents kept in ${name}`, () => {
    test('what was put comes back byte by byte', async () => {
      const storage = open();
      await storage.put('doc_a', '01', chunks('one ', '', 'two'));
      assert.equal(await textOf(await storage.get('doc_a', '01')), 'one two');
      assert.equal(await textOf(await storage.get('doc_a', '01')), 'one two', 'also again');
    });

    test('a megabyte comes back as it was', async () => {
      const storage = open();
      const megabyte = 'ação\u0000'.repeat(150_000);
      await storage.put('doc_a', '01', chunks(...(megabyte.match(/.{1,9999}/gs) ?? [])));
      assert.equal(await textOf(await storage.get('doc_a', '01')), megabyte);
    });

    test('bytes may be closed unread or half read, also again; others read on', async () => {
      const storage = open();
      await storage.put('doc_a', '01', chunks('x'.repeat(300_000)));
      const read = () => storage.get('doc_a', '01');
      const [unread, half, whole] = [await read(), await read(), await read()];
      assert.ok(unread !== null && half !== null);
      for await (const chunk of half) {
        assert.ok(chunk.length > 0);
        break;
      }
      for (const source of [unread, half, unread, half]) await source.close();
      assert.equal((await textOf(whole))?.length, 300_000);
    });

    test('there is nothing where nothing was put', async () => {
      const storage = open();
      assert.equal(await storage.get('doc_a', '01'), null);
      assert.deepEqual(await allOf(storage), []);
      await storage.put('doc_a', '01', chunks('a'));
      assert.equal(await storage.get('doc_a', '02'), null);
      assert.equal(await storage.get('doc_b', '01'), null);
    });

    test('a document stores several uploads', async () => {
      const storage = open();
      await Promise.all(['01', '02', '03'].map((at) => storage.put('doc_a', at, chunks(at))));
      assert.equal(await textOf(await storage.get('doc_a', '02')), '02');
      assert.deepEqual(await allOf(storage), ['doc_a']);
    });

    test('bytes that break off leave nothing to read', async () => {
      const storage = open();
      const broken = async function* () {
        yield Buffer.from('half');
        throw new Error('the line broke');
      };
      await assert.rejects(storage.put('doc_a', '01', broken()), /the line broke/);
      assert.equal(await storage.get('doc_a', '01'), null);
      await storage.put('doc_a', '01', chunks('whole'));
      assert.equal(await textOf(await storage.get('doc_a', '01')), 'whole');
    });

    test('a purge deletes all of one document and nothing else; again it is harmless', async () => {
      const storage = open();
      await storage.purge('doc_a', null);
      await storage.put('doc_a', '01', chunks('a'));
      await storage.put('doc_a', '02', chunks('b'));
      await storage.put('doc_b', '01', chunks('c'));
      await storage.purge('doc_a', null);
      await storage.purge('doc_a', null);
      assert.equal(await storage.get('doc_a', '01'), null);
      assert.equal(await textOf(await storage.get('doc_b', '01')), 'c');
      assert.deepEqual(await allOf(storage), ['doc_b']);
    });

    test('an upload is removed by its name, the others stay; again it is harmless', async () => {
      const storage = open();
      await storage.remove('doc_a', '01');
      for (const name of ['01', '02']) await storage.put('doc_a', name, chunks(name));
      await storage.put('doc_b', '01', chunks('b'));
      const reading = await storage.get('doc_a', '01');
      await storage.remove('doc_a', '01');
      await storage.remove('doc_a', '01');
      assert.equal(await storage.get('doc_a', '01'), null);
      assert.equal(await textOf(await storage.get('doc_a', '02')), '02');
      assert.equal(await textOf(await storage.get('doc_b', '01')), 'b');
      assert.equal(await textOf(reading), '01', 'an open read continues');
    });

    test('a purge may keep one upload; without that one it deletes all', async () => {
      const storage = open();
      await storage.purge('doc_a', '02');
      for (const name of ['01', '02', '03']) await storage.put('doc_a', name, chunks(name));
      await storage.put('doc_b', '01', chunks('b'));
      for (let times = 0; times < 2; times += 1) {
        await storage.purge('doc_a', '02');
        const left = await Promise.all(
          ['01', '02', '03'].map((name) => storage.get('doc_a', name)),
        );
        assert.deepEqual(await Promise.all(left.map(textOf)), [null, '02', null]);
      }
      await storage.purge('doc_b', 'ff');
      assert.equal(await storage.get('doc_b', '01'), null);
    });

    test('a mark is stored apart from documents and other marks', async () => {
      const storage = open();
      assert.equal(await storage.hasFingerprint('database-a1'), false);
      for (const mark of ['database-a1', 'database-b2', 'database-a1']) {
        await storage.recordFingerprint(mark);
      }
      await storage.put('doc_a', '01', chunks('a'));
      assert.deepEqual(await allOf(storage), ['doc_a']);
      await storage.purge('doc_a', null);
      const marks = ['database-a1', 'database-b2', 'database-c3'];
      const found = await Promise.all(marks.map((mark) => storage.hasFingerprint(mark)));
      assert.deepEqual(found, [true, true, false]);
    });

    test('what is kept is listed by id, page by page', async () => {
      const storage = open();
      for (const id of ['doc_c', 'doc_a', 'doc_b']) await storage.put(id, '01', chunks(id));
      assert.deepEqual(await storage.list({ afterId: null, limit: 2 }), ['doc_a', 'doc_b']);
      assert.deepEqual(await storage.list({ afterId: 'doc_b', limit: 2 }), ['doc_c']);
      assert.deepEqual(await storage.list({ afterId: 'doc_c', limit: 2 }), []);
    });
  });
}
