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
