import assert from 'node:assert/strict';
import { createHmac, hkdfSync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededBytes } from '../../../adapters/crypto/ids.js';
import {
  createSecretBox,
  newSecretKey,
  parseSecretKeys,
  type SecretKey,
} from '../../../adapters/crypto/secret-box.js';
import { AssertionFailure } from '../../../core/errors.js';
import { valuesOf } from '../../support/values-of.js';

const first = key('k1', 1);
const second = key('k2', 2);
const box = createSecretBox([first]);
const text = fc.string({ unit: 'grapheme' });

test('what was sealed opens for the same purpose', () => {
  fc.assert(
    fc.property(text, text, (plain, purpose) => {
      assert.equal(box.open(box.seal(plain, purpose), purpose), plain);
    }),
  );
});

test('a sealed text does not open for another purpose', () => {
  fc.assert(
    fc.property(text, text, text, (plain, purpose, other) => {
      fc.pre(purpose !== other);
      const sealed = box.seal(plain, purpose);
      assert.throws(() => box.open(sealed, other), AssertionFailure);
    }),
  );
});

test('a sealed text of which any character is changed does not open', () => {
  const sealed = box.seal('secret', 'p');
  for (let at = 0; at < sealed.length; at += 1) {
    for (let bit = 0; bit < 7; bit += 1) {
      const changed = String.fromCharCode(sealed.charCodeAt(at) ^ (1 << bit));
      const tampered = sealed.slice(0, at) + changed + sealed.slice(at + 1);
      assert.throws(() => box.open(tampered, 'p'), AssertionFailure, tampered);
    }
  }
});

test('a sealed text that was cut or lengthened does not open', () => {
  const sealed = box.seal('secret', 'p');
  for (let length = 0; length < sealed.length; length += 1) {
    assert.throws(() => box.open(sealed.slice(0, length), 'p'), AssertionFailure);
  }
  for (const more of ['A', '=', '.', ' ', '\n', 'AAAA']) {
    assert.throws(() => box.open(sealed + more, 'p'), AssertionFailure);
  }
});

test('sealing twice gives two texts, and neither shows the plain one', () => {
  const [one, two] = [box.seal('the plain text', 'p'), box.seal('the plain text', 'p')];
  assert.notEqual(one, two);
  assert.match(one, /^s1\.k1\.[A-Za-z0-9_-]+$/);
  assert.ok(!Buffer.from(one.slice(6), 'base64url').includes('plain'));
});

test('the first key seals and every key opens', () => {
  const rotated = createSecretBox([second, first]);
  assert.equal(rotated.open(box.seal('old', 'p'), 'p'), 'old');
  assert.match(rotated.seal('new', 'p'), /^s1\.k2\./);
  assert.throws(() => box.open(rotated.seal('new', 'p'), 'p'), /"k2" is not configured/);
});

test('another key of the same id does not open', () => {
  const impostor = createSecretBox([{ id: 'k1', bytes: second.bytes }]);
  assert.throws(() => impostor.open(box.seal('x', 'p'), 'p'), AssertionFailure);
});

test('the id of the key is part of what is authenticated', () => {
  const twin = createSecretBox([first, { id: 'k2', bytes: first.bytes }]);
  const renamed = box.seal('x', 'p').replace('s1.k1.', 's1.k2.');
  assert.throws(() => twin.open(renamed, 'p'), AssertionFailure);
});

test('a text that would not come back as it was is not sealed', () => {
  assert.throws(() => box.seal('\ud800', 'p'), AssertionFailure);
});

test('a failing open reveals neither text nor key', () => {
  const sealed = box.seal('secret', 'p');
  assert.throws(
    () => box.open(sealed, 'q'),
    (error: Error) => !error.message.includes(sealed) && !error.message.includes('secret'),
  );
});

test('a MAC is HMAC-SHA256 under a key derived from the first key for its purpose', () => {
  const derived = Buffer.from(hkdfSync('sha256', first.bytes, '', 'ponte mac:cursor', 32));
  const expected = createHmac('sha256', derived).update('text').digest('hex');
  assert.equal(box.mac('text', 'cursor'), expected);
  assert.equal(createSecretBox([first, second]).mac('text', 'cursor'), expected);
});

test('a MAC differs by text, purpose and key', () => {
  const macs = [
    box.mac('text', 'cursor'),
    box.mac('texu', 'cursor'),
    box.mac('text', 'cursos'),
    createSecretBox([second]).mac('text', 'cursor'),
  ];
  assert.equal(new Set(macs).size, macs.length);
});

test('a MAC is known again under every key that is still configured, and nothing else is', () => {
  const mac = box.mac('text', 'cursor');
  for (const keys of [[first], [second, first]]) {
    assert.equal(createSecretBox(keys).isMac('text', 'cursor', mac), true);
  }
  assert.equal(createSecretBox([second]).isMac('text', 'cursor', mac), false);
  assert.equal(box.isMac('texu', 'cursor', mac), false);
  assert.equal(box.isMac('text', 'cursos', mac), false);
  for (const wrong of ['', 'ã', mac.slice(1), `${mac}0`, mac.toUpperCase()]) {
    assert.equal(box.isMac('text', 'cursor', wrong), false, wrong);
  }
});

test('keys are read as id:base64 of 32 bytes, divided by commas, in their order', () => {
  const keys = [newSecretKey('a', seededBytes('1')), newSecretKey('b-2_C', seededBytes('2'))];
  const read = parseSecretKeys(` ${keys.join(' , ')} `);
  assert.ok(read.valid);
  assert.deepEqual(valuesOf(read.keys, 'id'), ['a', 'b-2_C']);
  assert.deepEqual(read.keys[1]?.bytes, Buffer.from(seededBytes('2')(32)));
});

const bits = Buffer.alloc(32, 7).toString('base64');
const badKeys: readonly (readonly [text: string, reason: RegExp])[] = [
  ['', /key 1 is not <id>/],
  [bits, /key 1 is not <id>/],
  [`:${bits}`, /key 1 is not <id>/],
  [`a.b:${bits}`, /key 1 is not <id>/],
  [`${'a'.repeat(33)}:${bits}`, /key 1 is not <id>/],
  [`a:${bits},`, /key 2 is not <id>/],
  ['a:', /key 1 \(a\) is not the base64 of 32 bytes/],
  [`a:${bits.slice(0, -1)}`, /key 1 \(a\) is not/],
  [`a:${Buffer.alloc(31).toString('base64')}`, /key 1 \(a\) is not/],
  [`a:${Buffer.alloc(33).toString('base64')}`, /key 1 \(a\) is not/],
  [`a:${Buffer.alloc(32, 255).toString('base64url')}`, /key 1 \(a\) is not/],
  [`a:${bits},a:${bits}`, /two keys have the id a/],
];

test('keys of a wrong form are refused with the place, and without the key', () => {
  for (const [text, reason] of badKeys) {
    const read = parseSecretKeys(text);
    assert.ok(!read.valid, text);
    assert.match(read.reason, reason);
    assert.ok(!read.reason.includes(bits));
  }
});

test('a box without a key, or with two of one id, is not made', () => {
  assert.throws(() => createSecretBox([]), AssertionFailure);
  assert.throws(() => createSecretBox([first, first]), AssertionFailure);
});

function key(id: string, fill: number): SecretKey {
  return { id, bytes: new Uint8Array(32).fill(fill) };
}
