// The type of a file by its first bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  FILE_HEAD_BYTES,
  fileTypeOf,
  fitsDeclared,
  isOfType,
} from '../../../../core/domain/parties/file-type.js';

const heads = {
  'image/jpeg': ['ffd8ffe000104a464946', 'ffd8ffe1', 'ffd8ffdb'],
  'image/png': ['89504e470d0a1a0a0000000d49484452'],
  'application/pdf': [Buffer.from('%PDF-1.4\n%').toString('hex')],
  heic: ['ftypheic', 'ftypmif1', 'ftyphevc'].map(
    (brand) => `00000018${Buffer.from(brand).toString('hex')}`,
  ),
} as const;

test('a file is what its first bytes say', () => {
  for (const [type, samples] of Object.entries(heads)) {
    for (const head of samples) assert.equal(fileTypeOf(Buffer.from(head, 'hex')), type, head);
  }
});

test('other files, and files that are cut off, have no type', () => {
  const others = [
    '',
    'ff',
    'ffd8',
    '89504e47',
    '474946383961',
    '0000001866747970617669',
    '3c73766720',
  ];
  for (const head of others) assert.equal(fileTypeOf(Buffer.from(head, 'hex')), null, head);
});

test('a file is stored as its type only; test mode also takes a placeholder, but no markup', () => {
  const of = (mode: 'test' | 'live', text: string) =>
    isOfType('image/png', Buffer.from(text, 'latin1'), mode);
  for (const [text, inTest, inLive] of [
    ['\x89PNG\r\n\x1a\n', true, true],
    ['\xff\xd8\xff\xe0', false, false],
    ['%PDF-1.4', false, false],
    ['a placeholder', true, false],
    ['<!doctype html>', false, false],
    [' \r\n\t<svg ', false, false],
    ['\xef\xbb\xbf<?xml', false, false],
  ] as const) {
    assert.deepEqual([of('test', text), of('live', text)], [inTest, inLive], text);
  }
});

test('law: any bytes have one type or none, and what follows the head does not matter here', () => {
  const bytes = fc.uint8Array({ maxLength: 40 });
  const samples = fc.constantFrom(...Object.values(heads).flat());
  fc.assert(
    fc.property(bytes, (given) => {
      const type = fileTypeOf(given);
      assert.ok(type === null || type in heads);
      assert.equal(fileTypeOf(given.subarray(0, FILE_HEAD_BYTES)), type);
    }),
  );
  fc.assert(
    fc.property(samples, bytes, (head, tail) => {
      const start = Buffer.from(head, 'hex');
      assert.equal(fileTypeOf(Buffer.concat([start, tail])), fileTypeOf(start));
    }),
  );
});

test('law: one changed byte of a signature makes it another file', () => {
  const png = Buffer.from('89504e470d0a1a0a', 'hex');
  fc.assert(
    fc.property(fc.nat(7), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const changed = Buffer.from(png);
      changed[at] = (changed[at] ?? 0) ^ flip;
      assert.equal(fileTypeOf(changed), null);
    }),
  );
});

test('a photo may be declared as another photo or as nothing, and never as a PDF', () => {
  for (const declared of ['', 'application/octet-stream', 'image/png', 'IMAGE/HEIC; q=1']) {
    assert.ok(fitsDeclared('image/jpeg', declared), declared);
  }
  assert.ok(!fitsDeclared('image/jpeg', 'application/pdf'));
  assert.ok(!fitsDeclared('application/pdf', 'image/jpeg'));
  assert.ok(fitsDeclared('application/pdf', 'application/pdf'));
});
