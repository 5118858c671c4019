// Hosts behind a balancer are replaced one after the other under load: the balancer learns of it in
// time, and no create is refused, cut off or lost.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent, request as startRequest } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { allOk, checkedSite } from '../adapters/http/checked-site.js';
import { localPostgres } from '../support/databases/local-postgres.js';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.js';
import { jsonCall } from '../support/servers/json-call.js';
import { orderOf } from '../support/servers/payment-load.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/wait.js';

const PROBE_EVERY_MS = 50;
const CLIENTS = 2;
const PAUSE_MS = 200;
/** During and after the stop of a host. */
const CREATES_MIN = 10;

const folder = temporaryFolder();
const postgres = localPostgres();

/** Sends requests to the hosts that were ready when it looked last, over kept connections. */
class Balancer {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #hosts = new Set<HostProcess>();
  #ready: readonly HostProcess[] = [];
  #next = 0;
  #probing = true;
  readonly #probes = this.#probe();

  add(host: HostProcess): void {
    this.#hosts.add(host);
  }

  remove(host: HostProcess): void {
    this.#hosts.delete(host);
  }

  async readyFor(host: HostProcess): Promise<void> {
    while (!this.#ready.includes(host)) await wait(PROBE_EVERY_MS);
  }

  /** The status of the answer; rejects when there is none. */
  post(path: string, key: string, body: unknown): Promise<number> {
    this.#next += 1;
    const host = this.#ready[this.#next % this.#ready.length];
    assert.ok(host !== undefined, 'a host is ready');
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, method: 'POST', headers };
      const sent = startRequest(`${host.url}${path}`, options, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', reject);
      sent.end(JSON.stringify(body));
    });
  }

  async end(): Promise<void> {
    this.#probing = false;
    await this.#probes;
    this.#agent.destroy();
  }

  async #probe(): Promise<void> {
    while (this.#probing) {
      const hosts = [...this.#hosts];
      const found = await Promise.all(hosts.map((host) => isReady(host)));
      this.#ready = hosts.filter((_, index) => found[index]);
      await wait(PROBE_EVERY_MS);
    }
  }
}

async function isReady({ url }: HostProcess): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => null);
  return answer?.status === 200;
}

test('no create is refused or cut off while hosts are replaced one after the other', async (t) => {
  const env = {
    PONTE_DATA_DIR: folder,
    PONTE_DATABASE_URL: await postgres.migrated(),
    PONTE_SECRET_KEYS: `a:${randomBytes(32).toString('base64')}`,
    PONTE_RATE_LIMIT_PER_MINUTE: '0',
    // Far longer than the balancer takes to look.
    PONTE_DRAIN_SECONDS: '4',
  };
  const start = async () => {
    const host = await startHostProcess(env);
    t.after(() => host.kill());
    return host;
  };
  const balancer = new Balancer();
  t.after(() => balancer.end());
  const first = await start();
  let hosts = [first, await start()];
  for (const host of hosts) {
    balancer.add(host);
    await balancer.readyFor(host);
  }
  const key = first.key ?? '';
  const outcomes = new Map<string, number>();
  let [created, loading] = [0, true];
  const client = async () => {
    while (loading) {
      created += 1;
      const order = orderOf(created);
      const outcome = await balancer
        .post('/v1/payment-intents', key, order)
        .catch((error: NodeJS.ErrnoException) => error.code ?? error.message);
      outcomes.set(`${outcome}`, (outcomes.get(`${outcome}`) ?? 0) + 1);
      await wait(PAUSE_MS);
    }
  };
  const load = Promise.all(Array.from({ length: CLIENTS }, client));
  for (let replaced = 0; replaced < 2; replaced += 1) {
    const [old, other] = hosts as [HostProcess, HostProcess];
    const fresh = await start();
    balancer.add(fresh);
    await balancer.readyFor(fresh);
    const before = created;
    assert.equal(await old.stop('SIGTERM'), 0);
    balancer.remove(old);
    await until(() => created > before + CREATES_MIN);
    hosts = [other, fresh];
  }
  loading = false;
  await load;
  assert.deepEqual([...outcomes.keys()], ['201'], JSON.stringify([...outcomes]));
});

test('a draining server still serves requests, and each answer closes its connection', async (t) => {
  const site = await checkedSite(t);
  const ended = async () => (await site.call('GET', '/healthz')).headers['connection'];
  assert.equal(await ended(), 'keep-alive');
  site.server.drain();
  for (let times = 0; times < 3; times += 1) assert.equal(await ended(), 'close');
});

test('a stopping host reports it and serves while it drains', async (t) => {
  const host = await startHostProcess({
    PONTE_DATA_DIR: join(folder, 'alone'),
    PONTE_DRAIN_SECONDS: '600',
  });
  t.after(() => host.kill());
  void host.stop('SIGTERM');
  while (!host.log().includes('draining')) await wait(5);
  const answer = await fetch(`${host.url}/readyz`);
  const { checks } = (await answer.json()) as { readonly checks: unknown };
  assert.deepEqual([answer.status, checks], [503, { ...allOk, serving: 'stopping' }]);
  assert.equal(answer.headers.get('connection'), 'close');
  const created = await jsonCall(host, host.key ?? '', '/v1/payment-intents', orderOf(1));
  assert.equal(created.status, 201);
});
