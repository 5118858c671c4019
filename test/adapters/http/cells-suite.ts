// Cells: deployments with a database each, behind a router that reads the cell of an API key. All
// have the same random bytes here, so that the cell alone keeps their ids apart.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { storedBy } from '../../support/databases/test-store.js';
import { type SuiteEnd, suiteEnd } from '../../support/suite-end.js';
import { type CallOptions, type CheckedSite, openSite, refusalOf } from './checked-site.js';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const TENANTS_PER_CELL = 2;
const ORDERS_PER_TENANT = 2;
const SEED = 22;
const amount = '250.00';
const buyer = { email: 'buyer@buyer.example' };

interface Cell {
  readonly number: number;
  readonly site: CheckedSite;
  readonly keys: readonly string[];
}

/** Two characters of an id. */
function cellOf(text: string): number {
  const [high = '', low = ''] = text;
  return alphabet.indexOf(high) * alphabet.length + alphabet.indexOf(low);
}

/** The cells that the ids in a text name. */
function cellsIn(text: string): ReadonlySet<number> {
  const ids = text.matchAll(/(?<=[a-z]_)[0-9a-hjkmnp-tv-z]{26}(?![0-9A-Za-z_])/g);
  return new Set(Array.from(ids, ([id]) => cellOf(id.slice(10, 12))));
}

/** The cells behind their router: it knows no key and no organization, only the form of a key. */
class RoutedCells {
  readonly cells: Cell[] = [];

  async add(suite: SuiteEnd): Promise<void> {
    const number = this.cells.length;
    const site = await openSite(undefined, {}, number);
    suite.after(() => site.close());
    const keys: string[] = [];
    for (let tenant = 0; tenant < TENANTS_PER_CELL; tenant += 1) {
      keys.push(await site.world.key(await site.world.organization()));
    }
    this.cells.push({ number, site, keys });
  }

  siteOf(key: string): CheckedSite {
    const [, text = ''] = /^pk_(?:test|live)_key_.{10}(..)/.exec(key) ?? [];
    const cell = this.cells[cellOf(text)];
    assert.ok(cell);
    return cell.site;
  }

  call(key: string, method: string, path: string, options: CallOptions = {}) {
    return this.siteOf(key).call(method, path, { ...options, key });
  }

  async create(key: string, externalId: string): Promise<string> {
    const headers = { 'idempotency-key': externalId };
    const body = { externalId, amount, buyer };
    const created = await this.call(key, 'POST', '/v1/payment-intents', { body, headers });
    assert.equal(created.status, 201, created.text);
    return String(created.body['id']);
  }
}

export function cellsSuite(count: number): void {
  const router = new RoutedCells();
  const suite = suiteEnd();

  before(async () => {
    for (let number = 0; number < count; number += 1) await router.add(suite);
  });

  test('each key leads to its cell, and the same order there is another payment', async () => {
    for (const { number, site, keys } of router.cells) {
      assert.deepEqual([...cellsIn(keys.join(' '))], [number]);
      for (const key of keys) {
        assert.equal(router.siteOf(key), site);
        const body = { url: `https://hooks.example/${key}`, eventTypes: ['*'] };
        const subscribed = await router.call(key, 'POST', '/v1/webhook-subscriptions', { body });
        assert.equal(subscribed.status, 201, subscribed.text);
      }
    }
    const orders = router.cells
      .flatMap(({ keys }) => keys)
      .flatMap((key) =>
        Array.from({ length: ORDERS_PER_TENANT }, (_, at) => ({ key, externalId: `order-${at}` })),
      );
    const turns = fc.sample(fc.shuffledSubarray(orders, { minLength: orders.length }), {
      numRuns: 1,
      seed: SEED,
    });
    const ids = await Promise.all(
      turns.flat().map((turn) => router.create(turn.key, turn.externalId)),
    );
    assert.equal(new Set(ids).size, orders.length);
  });

  test('lists, feeds and webhooks of a key have what was made in its cell with it', async () => {
    for (const { number, site, keys } of router.cells) {
      await site.world.settle();
      for (const key of keys) {
        assert.deepEqual([...cellsIn(await readsOf(router, key))], [number]);
      }
      assert.deepEqual([...cellsIn(JSON.stringify(site.world.sent))], [number]);
    }
  });

  test('no row of a database names an id of another cell', async () => {
    for (const { number, keys } of router.cells) {
      const stored = await storedBy(() => router.create(keys[0] ?? '', 'last-order'));
      assert.deepEqual([...cellsIn(stored)], [number]);
    }
  });

  test('a key or an id of one cell is unknown in another', async () => {
    for (const { number, keys } of router.cells) {
      const [key = ''] = keys;
      const { body } = await router.call(key, 'GET', '/v1/payment-intents/ext_order-1');
      const path = `/v1/payment-intents/${String(body['id'])}`;
      assert.equal((await router.call(key, 'GET', path)).status, 200);
      for (const step of [1, Math.floor(count / 2), count - 1]) {
        const other = router.cells[(number + step) % count];
        assert.ok(other);
        assert.equal(refusalOf(await other.site.call('GET', path, { key })), '401 InvalidApiKey');
        const foreign = { body: { externalId: 'stray', amount, buyer } };
        const strayed = await other.site.call('POST', '/v1/payment-intents', { ...foreign, key });
        assert.equal(refusalOf(strayed), '401 InvalidApiKey');
        assert.equal(
          refusalOf(await router.call(other.keys[0] ?? '', 'GET', path)),
          '404 NotFound',
        );
      }
    }
  });
}

/** The list and the feed of a tenant, which have its orders alone, as its webhooks do. */
async function readsOf(router: RoutedCells, key: string): Promise<string> {
  const list = await router.call(key, 'GET', '/v1/payments');
  assert.equal((list.body['data'] as unknown[]).length, ORDERS_PER_TENANT);
  const feed = await router.call(key, 'GET', '/v1/events');
  const events = feed.body['data'] as { readonly sequence: number }[];
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    Array.from({ length: 2 * ORDERS_PER_TENANT }, (_, at) => at + 1),
  );
  const sent = router.siteOf(key).world.sent.filter(({ url }) => url.endsWith(key));
  assert.equal(sent.length, events.length);
  for (const { body } of sent) {
    const { data } = JSON.parse(body) as { readonly data: { readonly createdBy: string } };
    assert.ok(key.includes(data.createdBy), body);
  }
  return list.text + feed.text;
}
