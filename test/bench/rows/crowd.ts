// Whether a tenant gets slower among many: creates and reads at full load of one organization, on
// a host that serves it alone, and on one with ten thousand others, a thousand subscriptions of
// theirs, and a thousand readers that wait for an event.
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { createIds } from '../../../adapters/crypto/ids.js';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { openSqliteStore } from '../../../adapters/storage/sqlite/store.js';
import { developmentOperator } from '../../../core/domain/base/actor.js';
import { newKey, unlimitedKey } from '../../../core/usecases/access/keys.js';
import { startPostgres } from '../bench-postgres.js';
import { startChild } from '../child-calls.js';
import { type Bench, compareThroughput, type Figure, versus } from '../comparison.js';
import { type PonteServer, startPonte } from '../ponte-server.js';
import type { ReceiverCalls } from '../receiver.js';
import { copyRows, countedId, type Target } from '../row-copies.js';
import { createBody, createHeaders, createRequest } from './create.js';

const ORGANIZATIONS = 10_000;
const SUBSCRIPTIONS = 1_000;
const READERS = 1_000;
/** As many as one key may have. */
const READERS_PER_KEY = 32;
const WAIT_SECONDS = 30;
const RATIO_AT_LEAST = 0.8;

export async function crowd(bench: Bench): Promise<readonly Figure[]> {
  const postgres = await startPostgres();
  const onPostgres = async () => ({ PONTE_DATABASE_URL: await postgres.newDatabase() });
  const figures = [
    ...(await crowdOn(bench, 'SQLite', async () => ({}))),
    ...(await crowdOn(bench, 'PostgreSQL', onPostgres)),
  ];
  await postgres.end();
  return figures;
}

type Env = Readonly<Record<string, string>>;

async function crowdOn(
  bench: Bench,
  database: string,
  newEnv: () => Promise<Env>,
): Promise<readonly Figure[]> {
  const receiver = await startChild<ReceiverCalls>('receiver.ts');
  const hook = { url: await receiver.call('url'), eventTypes: ['payment_intent.*'] };
  const alone = await startPonte({ env: await newEnv() });
  await alone.call('POST', '/v1/webhook-subscriptions', hook);
  const among = await crowded(await newEnv(), hook);
  const servers = [among.server, alone];
  const ids = await Promise.all(servers.map((server) => created(server)));
  const whats = [`Ponte on ${database}, among many`, 'alone'];
  const figures: Figure[] = [];
  for (const [name, status] of [
    ['create', '201'],
    ['read by id', '200'],
  ] as const) {
    const request =
      status === '201'
        ? { ...createRequest, body: createBody }
        : ({ method: 'GET', path: '/v1/payment-intents/$i', body: null } as const);
    const contenders = servers.map((server, at) => {
      const job = { ...request, urls: [server.url], headers: createHeaders(server.key) };
      return {
        what: `${whats[at]}: ${name}`,
        pids: [server.pid],
        job: { ...job, ids: [ids[at] ?? ''] },
      };
    });
    const [many, one] = await compareThroughput(bench, contenders, status);
    if (many === undefined || one === undefined) throw new Error('both were measured');
    figures.push(versus('crowd', many, one, RATIO_AT_LEAST));
  }
  bench.say(`  ${database}: ${among.waiting()} readers wait`);
  among.leave();
  for (const server of servers) await server.end();
  await receiver.end();
  return figures;
}

async function created(server: PonteServer): Promise<string> {
  const body = { externalId: 'first', amount: '250.00', buyer: { email: 'first@buyer.example' } };
  return String((await server.call('POST', '/v1/payment-intents', body))['id']);
}

/** A host whose other tenants have subscriptions, and readers that wait at it. */
async function crowded(env: Env, hook: object) {
  const first = await startPonte({ env });
  await first.call('POST', '/v1/webhook-subscriptions', hook);
  await first.end({ keep: true });
  const url = env['PONTE_DATABASE_URL'];
  const file = join(first.dataDir, 'ponte.db');
  const target: Target = url === undefined ? { kind: 'sqlite', file } : { kind: 'postgres', url };
  const orgId = countedId('org_id');
  const profiles = (mode: string) => ({
    table: 'organization_profiles',
    where: `mode = '${mode}'`,
    count: ORGANIZATIONS,
    columns: { org_id: orgId, receiver_id: 'null', partner_ref: 'null' },
  });
  await copyRows(target, [
    { table: 'organizations', where: 'true', count: ORGANIZATIONS, columns: { org_id: orgId } },
    profiles('test'),
    profiles('live'),
    {
      table: 'subscriptions',
      where: 'true',
      count: SUBSCRIPTIONS,
      columns: { org_id: orgId, id: countedId('id') },
    },
  ]);
  const keys = await keysOfOthers(target);
  const server = await startPonte({ env, earlier: first });
  return { server, ...readersAt(server.url, keys) };
}

/** One of each of as many organizations as the readers need. */
async function keysOfOthers(target: Target): Promise<readonly string[]> {
  const store =
    target.kind === 'sqlite'
      ? openSqliteStore({ path: target.file })
      : openPostgresStore({ url: target.url });
  const organizations = await store.run((tx) => tx.organizations.list());
  const others = organizations
    .filter(({ id }) => /\d{16}$/.test(id))
    .slice(0, Math.ceil(READERS / READERS_PER_KEY));
  const deps = { ids: createIds(), clock: { nowMs: Date.now } };
  const keys = others.map(({ id: orgId }) => {
    const by = { createdBy: developmentOperator.id, name: 'reader' };
    return newKey(deps, { orgId, mode: 'test', ...by, ...unlimitedKey });
  });
  await store.run(async (tx) => {
    for (const { made } of keys) tx.keys.insert({ ...made, slot: 0 });
  });
  await store.close();
  return keys.map(({ secret }) => secret);
}

/** Each asks again as soon as it is answered, until they leave. */
function readersAt(url: string, keys: readonly string[]) {
  const agent = new Agent({ keepAlive: true });
  let [waiting, gone] = [0, false];
  const read = (key: string) => {
    if (gone) return;
    waiting += 1;
    const again = () => {
      waiting -= 1;
      read(key);
    };
    const path = `/v1/events?after=latest&wait=${WAIT_SECONDS}`;
    get(`${url}${path}`, { agent, headers: { 'x-api-key': key } }, (answer) => {
      if (answer.statusCode !== 200) throw new Error(`a reader was answered ${answer.statusCode}`);
      answer.resume().once('end', again);
    }).once('error', (error) => {
      if (!gone) throw error;
    });
  };
  for (let at = 0; at < READERS; at += 1) read(keys[at % keys.length] ?? '');
  const leave = () => {
    gone = true;
    agent.destroy();
  };
  return { waiting: () => waiting, leave };
}
