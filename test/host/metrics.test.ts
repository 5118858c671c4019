// Metrics of a running host after real traffic: what an operator's Prometheus would read.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { localPostgres } from '../support/databases/local-postgres.js';
import { runCommand } from '../support/servers/command.js';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.js';
import { startReceiver } from '../support/servers/local-receiver.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const postgres = localPostgres();

type Samples = ReadonlyMap<string, number>;

async function scraped(url: string): Promise<Samples> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

/** Scrapes until this is so: what is shown may be a second old. */
async function scrapedWhen(url: string, isSo: (samples: Samples) => boolean): Promise<Samples> {
  for (;;) {
    const samples = await scraped(url);
    if (isSo(samples)) return samples;
    await wait(50);
  }
}

function metricsUrlOf(host: HostProcess): string {
  const url = /^Metrics: (\S+)$/m.exec(host.startText)?.[1];
  assert.ok(url !== undefined, host.startText);
  return url;
}

const databases = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ PONTE_DATABASE_URL: await postgres.migrated() }),
} as const;

for (const [name, settings] of Object.entries(databases)) {
  describe(`metrics of a host on ${name}`, () => {
    test('report answers, deliveries, backlogs and the work of the store', async (t) => {
      const env = {
        PONTE_DATA_DIR: join(folder, name),
        PONTE_METRICS_PORT: '0',
        PONTE_WEBHOOK_RETRY_SECONDS: '86400,0,0,0,0,0',
        ...(await settings()),
      };
      const receiver = await startReceiver((response, { body }) => {
        response.writeHead(body.includes('"externalId":"refused"') ? 500 : 204).end();
      });
      t.after(() => receiver.close());
      const host = await startHostProcess(env);
      t.after(() => host.kill());
      const api = (path: string, body: unknown) =>
        fetch(`${host.url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': host.key ?? '' },
          body: JSON.stringify(body),
        });
      await api('/v1/webhook-subscriptions', {
        url: receiver.url,
        eventTypes: ['payment_intent.created'],
      });
      const create = async (externalId: string, amount = '50.00') => {
        const buyer = { email: 'ana@buyer.example' };
        return (await api('/v1/payment-intents', { externalId, amount, buyer })).status;
      };
      assert.deepEqual(
        [await create('a'), await create('b'), await create('refused')],
        [201, 201, 201],
      );
      assert.deepEqual([await create('a'), await create('c', '1.00')], [200, 400]);

      const samples = await scrapedWhen(metricsUrlOf(host), (found) => {
        const count = (outcome: string) =>
          found.get(`ponte_delivery_attempts_total{outcome="${outcome}"}`);
        const isDue = found.get('ponte_queue_due{queue="deliveries"}') !== 0;
        // The refused one waits for its next attempt: owed, and not due. It is counted before it
        // is stored.
        const isOwed = (found.get('ponte_oldest_undelivered_seconds') ?? 0) > 0;
        return count('delivered') === 2 && count('failed') === 1 && !isDue && isOwed;
      });
      const value = (sample: string) => samples.get(sample);
      const created = 'operation="createPaymentIntent"';
      assert.deepEqual(
        [201, 200, 400].map((status) =>
          value(`ponte_requests_total{${created},status="${status}"}`),
        ),
        [3, 1, 1],
      );
      assert.equal(
        value('ponte_requests_total{operation="createWebhookSubscription",status="201"}'),
        1,
      );
      assert.equal(value(`ponte_create_duration_seconds_count{${created}}`), 4);
      assert.equal(value('ponte_event_to_receiver_seconds_count'), 2);
      assert.ok((value('ponte_event_to_receiver_seconds_sum') ?? -1) >= 0);
      const [commits = 0, batches = 0] = [
        value('ponte_store_commits_total'),
        value('ponte_store_batches_total'),
      ];
      assert.ok(commits > 0 && batches >= commits, `${batches} batches, ${commits} commits`);
      assert.equal(value('ponte_store_connections{state="used"}') !== undefined, name !== 'SQLite');
      assert.ok((value('process_resident_memory_bytes') ?? 0) > 0);
      // No path, no id and no name of anybody is in a label.
      assert.ok(![...samples.keys()].some((sample) => /\/v1|pi_|org_|refused/.test(sample)));
      assert.equal(await host.stop('SIGTERM'), 0);
    });
  });
}

test('without PONTE_METRICS_PORT nothing is served', async () => {
  const host = await startHostProcess({ PONTE_DATA_DIR: join(folder, 'off') });
  assert.doesNotMatch(host.startText, /Metrics/);
  assert.equal((await fetch(`${host.url}/metrics`)).status, 404);
  assert.equal(await host.stop('SIGTERM'), 0);
});

test('a metrics port that is taken ends the start in one line', async (t) => {
  const receiver = await startReceiver((response) => response.end());
  t.after(() => receiver.close());
  const env = { PONTE_DATA_DIR: join(folder, 'taken'), PONTE_METRICS_PORT: `${receiver.port}` };
  const { status, stderr } = await runCommand({ ...env, PONTE_PORT: '0' }, ['serve']);
  assert.equal(status, 7);
  assert.match(stderr, /PONTE_METRICS_PORT: 127\.0\.0\.1:\d+ is in use: .* another port$/m);
});
