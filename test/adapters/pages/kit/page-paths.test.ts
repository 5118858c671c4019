import assert from 'node:assert/strict';
import { test } from 'node:test';
import { below, placeOf } from '../../../../adapters/pages/kit/page-paths.js';

test('the prefix is the path of the pay URL, without a slash at its end', () => {
  const prefixes = {
    'https://pay.example': '',
    'https://pay.example/': '',
    'https://pay.example/pay': '/pay',
    'https://pay.example/a/b//': '/a/b',
    'https://pay.example/pay/?x=1#y': '/pay',
  };
  for (const [url, prefix] of Object.entries(prefixes)) {
    assert.equal(placeOf(new URL(url)).prefix, prefix, url);
  }
});

test('a path below the prefix loses it; any other stays', () => {
  assert.equal(below('/pay', '/pay/r/x'), '/r/x');
  // A proxy may have removed it.
  assert.equal(below('/pay', '/r/x'), '/r/x');
  assert.equal(below('/pay', '/payments/x'), '/payments/x');
  assert.equal(below('/pay', '/pay'), '/pay');
  assert.equal(below('', '/pay/r/x'), '/pay/r/x');
});
