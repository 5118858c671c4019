// Which clients read gzip.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readsGzip } from '../../../../core/domain/base/accept-encoding.js';

test('a client reads gzip if it names it, or every coding, with a quality above zero', () => {
  // RFC 9110, 12.5.3 and 12.4.2; the first three are what browsers and curl send.
  for (const [accepted, expected] of [
    ['gzip, deflate, br, zstd', true],
    ['gzip, deflate', true],
    ['deflate, gzip, br', true],
    ['GZIP', true],
    ['gzip;q=0.001', true],
    ['gzip ; q = 1.0', true],
    ['*', true],
    ['br;q=1.0, *;q=0.5', true],
    ['*;q=0, gzip', true],
    ['', false],
    ['identity', false],
    ['br', false],
    ['gzip;q=0', false],
    ['gzip;q=0.000, identity', false],
    ['*;q=0', false],
    ['*;q=0, identity', false],
    ['gzip;q=0, *', false],
    ['identity;q=0', false],
  ] as const) {
    assert.equal(readsGzip(accepted), expected, accepted);
  }
});
