// Which files are logos: the type by the bytes, the size of the file and of the picture.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOGO_BYTES_MAX, LOGO_SIDE_MAX, readLogo } from '../../../../core/domain/parties/logo.js';
import { jpegOf, pngOf } from '../../../support/samples/pictures.js';

function resultOf(bytes: Uint8Array): string {
  const read = readLogo(bytes);
  return typeof read === 'string' ? read : read.contentType;
}

test('a logo is a PNG or JPEG by its bytes', () => {
  assert.equal(resultOf(pngOf(280, 56)), 'image/png');
  for (const frame of [0xc0, 0xc1, 0xc2]) {
    assert.equal(resultOf(jpegOf(280, 56, frame)), 'image/jpeg');
  }
  for (const text of ['<svg xmlns="http://www.w3.org/2000/svg"/>', '%PDF-1.7 a file', 'GIF89a']) {
    assert.equal(resultOf(Buffer.from(text)), 'not_a_picture', text);
  }
  assert.equal(resultOf(new Uint8Array()), 'empty');
});

test('a picture without its size is none', () => {
  assert.equal(resultOf(pngOf(280, 56).subarray(0, 20)), 'not_a_picture');
  assert.equal(resultOf(pngOf(0, 56)), 'not_a_picture');
  const noHeader = pngOf(280, 56);
  noHeader.set(Buffer.from('IDAT'), 12);
  assert.equal(resultOf(noHeader), 'not_a_picture');
  // Tables for the decoder are no frame.
  assert.equal(resultOf(jpegOf(280, 56, 0xc4)), 'not_a_picture');
  for (let end = 4; end < 20; end += 1) {
    assert.equal(resultOf(jpegOf(280, 56).subarray(0, end)), 'not_a_picture', `${end}`);
  }
});

test('a side has at most 1,000 pixels, the file 100 KiB', () => {
  for (const make of [pngOf, jpegOf]) {
    assert.notEqual(resultOf(make(LOGO_SIDE_MAX, LOGO_SIDE_MAX)), 'too_wide');
    assert.equal(resultOf(make(LOGO_SIDE_MAX + 1, 10)), 'too_wide');
    assert.equal(resultOf(make(10, LOGO_SIDE_MAX + 1)), 'too_wide');
  }
  const rest = LOGO_BYTES_MAX - pngOf(1, 1).length;
  assert.equal(resultOf(pngOf(1, 1, 'x'.repeat(rest))), 'image/png');
  assert.equal(resultOf(pngOf(1, 1, 'x'.repeat(rest + 1))), 'too_heavy');
});

test('another file has another hash', () => {
  const [one, other] = [pngOf(1, 1), pngOf(1, 2)].map(readLogo);
  assert.notDeepEqual(one, other);
  assert.deepEqual(readLogo(pngOf(1, 1)), one);
});

/** What a camera writes: the place, the owner and a preview. */
const secret = 'GPS -23.5505 -46.6333, camera of Ana';

function chunk(name: string, data: string): Buffer {
  const made = Buffer.alloc(12 + data.length);
  made.writeUInt32BE(data.length);
  made.write(name, 4);
  made.write(data, 8, 'latin1');
  return made;
}

function segment(marker: number, data: string): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, Buffer.from(data, 'latin1')]);
}

test('a logo has nothing that a camera or a program wrote beside the picture', () => {
  const png = Buffer.concat([
    pngOf(28, 28),
    ...['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME', 'acTL', 'prVt'].map((name) => chunk(name, secret)),
    chunk('PLTE', 'abc'),
    chunk('IDAT', 'picture'),
    chunk('IEND', ''),
    Buffer.from(secret),
  ]);
  const kept = [chunk('PLTE', 'abc'), chunk('IDAT', 'picture'), chunk('IEND', '')];
  assert.deepEqual(bytesOf(png), Buffer.concat([pngOf(28, 28), ...kept]));

  const frame = segment(0xc2, '\x08\x00\x1c\x00\x1c\x01\x01\x11\x00');
  const scan = Buffer.concat([segment(0xda, '\x01\x01\x00\x00\x3f\x00'), coded]);
  const looks = [
    segment(0xe0, 'JFIF\0\x01\x02'),
    segment(0xe2, 'ICC_PROFILE\0profile'),
    segment(0xee, 'Adobe\0d'),
    segment(0xdb, 'table'),
    frame,
    scan,
    segment(0xc4, 'table \xff\xd9'),
    scan,
  ];
  const about = [0xe0, 0xe1, 0xe2, 0xe3, 0xed, 0xef, 0xfe].map((marker) => segment(marker, secret));
  const [start, end] = [Buffer.from([0xff, 0xd8]), Buffer.from([0xff, 0xd9])];
  const jpeg = Buffer.concat([start, ...about, ...looks, ...about, end, Buffer.from(secret)]);
  assert.deepEqual(bytesOf(jpeg), Buffer.concat([start, ...looks, end]));
});

/** Coded data has zeros behind its 0xff, and markers that restart it. */
const coded = Buffer.from([1, 0xff, 0, 0xd9, 0xff, 0xd0, 2, 0xff, 0, 3]);

function bytesOf(file: Buffer): Buffer {
  const read = readLogo(new Uint8Array(file));
  return Buffer.from(typeof read === 'string' ? assert.fail(read) : read.bytes);
}
