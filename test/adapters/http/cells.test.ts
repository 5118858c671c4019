// Cells: deployments with a database each, behind a router that reads the cell of an API key. All
// have the same random bytes here, so that the cell alone keeps their ids apart.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { suiteEnd } from '../../support/suite-end.js';
import { type CallOptions, type CheckedSite, openSite, refusalOf } from './checked-site.js';

const CELLS = 8;
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const amount = '250.00';
const buyer = { email: 'buyer@buyer.example' };

interface Cell {
  readonly site: CheckedSite;
  readonly key: string;
}

const cells: Cell[] = [];
const suite = suiteEnd();

before(async () => {
  for (let number = 0; number < CELLS; number += 1) {
    const site = await openSite(undefined, {}, number);
    suite.after(() => site.close());
    cells.push({ site, key: await site.world.key(await site.world.organization()) });
  }
});

/** What a router does: it knows no key and no organization, only the form of a key. */
function siteOf(key: string): CheckedSite {
  const [, high = '', low = ''] = /^pk_(?:test|live)_key_.{10}(.)(.)/.exec(key) ?? [];
  const cell = cells[alphabet.indexOf(high) * alphabet.length + alphabet.indexOf(low)];
  assert.ok(cell);
  return cell.site;
}

function routed(key: string, method: string, path: string, options: CallOptions = {}) {
  return siteOf(key).call(method, path, { ...options, key });
}

test('each key leads to its cell, and the same order there is another payment', async () => {
  const ids = new Set<unknown>();
  for (const { site, key } of cells) {
    assert.equal(siteOf(key), site);
    const body = { externalId: 'order-1', amount, buyer };
    const headers = { 'idempotency-key': 'order-1' };
    const created = await routed(key, 'POST', '/v1/payment-intents', { body, headers });
    assert.equal(created.status, 201, created.text);
    ids.add(created.body['id']);
  }
  assert.equal(ids.size, CELLS);
  for (const { key } of cells) {
    const { body } = await routed(key, 'GET', '/v1/payments');
    assert.equal((body['data'] as unknown[]).length, 1);
    const feed = await routed(key, 'GET', '/v1/events');
    const sequences = (feed.body['data'] as { readonly sequence: number }[]).map(
      ({ sequence }) => sequence,
    );
    assert.deepEqual(sequences, [1, 2]);
  }
});

test('a key or an id of one cell is unknown in every other', async () => {
  for (const { key } of cells) {
    const { body } = await routed(key, 'GET', '/v1/payment-intents/ext_order-1');
    for (const other of cells.filter((cell) => cell.key !== key)) {
      const path = `/v1/payment-intents/${String(body['id'])}`;
      assert.equal(refusalOf(await other.site.call('GET', path, { key })), '401 InvalidApiKey');
      assert.equal(refusalOf(await routed(other.key, 'GET', path)), '404 NotFound');
    }
  }
});
