// `ponte listen` against a listening server: what it prints, what it forwards, where it goes on,
// and what it does when things do not work.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { createHttpServer } from '../../adapters/http/server.js';
import { type ListenOptions, listen } from '../../cli/listen.js';
import type { Shell } from '../../cli/operator.js';
import { sliceItems, sliceTopLevel } from '../../core/domain/base/raw-json.js';
import type { Tenant } from '../../core/domain/base/tenant.js';
import { verifyWebhook } from '../../core/domain/webhooks/signature.js';
import { createSubscription } from '../../core/usecases/webhooks/subscriptions.js';
import { allWell, sharedSite } from '../adapters/http/checked-site.js';
import { newPayment } from '../adapters/http/docs/example-calls.js';
import { prunedFeed } from '../support/scenes/pruned-feed.js';
import { runCommand } from '../support/servers/command.js';
import { startReceiver } from '../support/servers/local-receiver.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/wait.js';

const folder = temporaryFolder();

const site = sharedSite();
let tenant: Tenant;
let key: string;
let files = 0;

beforeEach(async () => {
  tenant = await site.world.newTenant();
  key = await site.world.key(tenant.orgId);
});

function newFile(): string {
  files += 1;
  return join(folder, `${files}.json`);
}

interface Listening {
  readonly lines: () => readonly string[];
  readonly stderr: () => string;
  /** Stops it, and waits until it has. */
  stop(): Promise<void>;
  readonly ended: Promise<void>;
}

function start(t: TestContext, given: Partial<ListenOptions>, env: Shell['env'] = {}): Listening {
  const over = new AbortController();
  const printed = { stdout: '', stderr: '' };
  const shell: Shell = {
    env,
    stdin: Readable.from([]),
    stdout: { write: (text) => (printed.stdout += text) },
    stderr: { write: (text) => (printed.stderr += text) },
    exitCode: 0,
  };
  const options: ListenOptions = {
    url: `http://127.0.0.1:${site.port}`,
    key,
    after: null,
    state: null,
    forward: null,
    secret: null,
    events: null,
    json: false,
    ...given,
  };
  const ended = listen(shell, options, over.signal);
  ended.catch(() => undefined);
  const stop = () => {
    over.abort();
    return ended;
  };
  t.after(() => stop().catch(() => undefined));
  return {
    lines: () => printed.stdout.split('\n').slice(0, -1),
    stderr: () => printed.stderr,
    stop,
    ended,
  };
}

/** Two events: of an intent and of the invoice that it is. */
async function pay(): Promise<string> {
  const { payment } = await newPayment(site.world, tenant);
  await site.world.settle();
  return payment.id;
}

test('events are printed as they come, one line each, oldest first', async (t) => {
  const first = await pay();
  const listening = start(t, {});
  await until(() => listening.lines().length === 2);
  await until(() => site.world.feedReaders.waiting() === 1);
  const second = await pay();
  await until(() => listening.lines().length === 4);
  const at = '2030-01-01T00:00:00.000Z';
  assert.deepEqual(
    listening.lines().map((line) => line.trim().split(/ +/)),
    [
      ['1', at, 'payment_intent.created', first],
      ['2', at, 'invoice.created', first],
      ['3', at, 'payment_intent.created', second],
      ['4', at, 'invoice.created', second],
    ],
  );
  await listening.stop();
  assert.equal(listening.stderr(), '');
});

test('with --json each line is the event as the feed has it, byte for byte', async (t) => {
  await pay();
  const listening = start(t, { json: true });
  await until(() => listening.lines().length === 2);
  const { text } = await site.call('GET', '/v1/events', { key });
  assert.deepEqual(listening.lines(), sliceItems(sliceTopLevel(text, ['data']).get('data') ?? ''));
});

test('each event is forwarded in order, with the bytes and the headers of a webhook', async (t) => {
  await createSubscription(site.world.deps, tenant, {
    url: 'https://a.example/h',
    eventTypes: ['*'],
  });
  const from = site.world.sent.length;
  await pay();
  const webhooks = site.world.sent.slice(from);
  const receiver = await startReceiver((response) => response.writeHead(204).end());
  t.after(() => receiver.close());
  for (const given of ['whsec_mine', null]) {
    const count = receiver.requests.length;
    const listening = start(t, { forward: receiver.url, secret: given, after: 0 });
    await until(() => listening.lines().length === 2);
    const secret =
      given ?? /^The webhook secret is (whsec_\S{44})\n$/.exec(listening.stderr())?.[1];
    assert.ok(secret !== undefined, listening.stderr());
    const forwarded = receiver.requests.slice(count);
    assert.deepEqual(
      forwarded.map(({ body }) => body.toString()).toSorted(),
      webhooks.map(({ body }) => body).toSorted(),
    );
    const events: string[] = [];
    for (const { body, headers } of forwarded) {
      const header = headers['x-service-signature'];
      const nowSeconds = Date.now() / 1_000;
      assert.ok(verifyWebhook({ secret, header, body, nowSeconds }).valid);
      const { event, data } = JSON.parse(body.toString());
      assert.equal(headers['x-service-event-type'], event);
      assert.equal(headers['x-service-delivery-id'], data.externalEventId);
      assert.equal(headers['content-type'], 'application/json');
      events.push(event);
    }
    assert.deepEqual(events, ['payment_intent.created', 'invoice.created']);
    assert.match(listening.lines()[0] ?? '', / {2}answered 204$/);
    await listening.stop();
  }
});

test('an event that is not taken is sent again until it is; the next ones wait', async (t) => {
  await pay();
  const answers = [500, 302];
  const receiver = await startReceiver((response) => {
    const status = answers.shift() ?? 200;
    response.writeHead(status, { location: '/elsewhere' });
    response.end(status === 500 ? `no such\n  table${'.'.repeat(1_000)}` : '');
  });
  t.after(() => receiver.close());
  const state = newFile();
  const listening = start(t, { forward: receiver.url, secret: 's', state, after: 0 });
  await until(() => listening.lines().length === 2);
  const ids = receiver.requests.map(({ headers }) => headers['x-service-delivery-id']);
  assert.equal(ids.length, 4);
  assert.deepEqual(new Set(ids.slice(0, 3)).size, 1);
  assert.match(listening.stderr(), /answered 500: no such table\.{187}; trying again in 0\.5 s\n/);
  assert.match(listening.stderr(), /answered 302; trying again in 1 s\n/);
});

test('with --json the receiver’s answers are printed with the events', async (t) => {
  await pay();
  const receiver = await startReceiver((response) => response.writeHead(202).end());
  t.after(() => receiver.close());
  const listening = start(t, { forward: receiver.url, secret: 's', json: true, after: 0 });
  await until(() => listening.lines().length === 2);
  const ids = listening.lines().map((line) => JSON.parse(line).id);
  assert.deepEqual(listening.stderr(), ids.map((id) => `ponte: ${id}: answered 202\n`).join(''));
});

test('it goes on where it stopped, by the position in the file', async (t) => {
  await pay();
  const state = newFile();
  const first = start(t, { state });
  await until(() => first.lines().length === 2);
  await first.stop();
  const kept = JSON.parse(readFileSync(state, 'utf8'));
  assert.equal(kept.after, 2);
  assert.ok(!JSON.stringify(kept).includes(key.split('.')[1] ?? key), 'no secret in the file');
  await pay();
  const second = start(t, { state });
  await until(() => second.lines().length === 2);
  assert.match(second.lines()[0] ?? '', /^ +3 /);
  await second.stop();
  const again = start(t, { state, after: 1 });
  await until(() => again.lines().length === 3);
  assert.match(again.lines()[0] ?? '', /^ +2 /);
});

test('an event that was not taken when it stopped is the first one afterwards', async (t) => {
  await pay();
  let status = 204;
  const receiver = await startReceiver((response) => {
    response.writeHead(status).end();
    status = 500;
  });
  t.after(() => receiver.close());
  const options = { forward: receiver.url, secret: 's', state: newFile() };
  const first = start(t, { ...options, after: 0 });
  await until(() => first.stderr().includes('answered 500'));
  await first.stop();
  assert.equal(first.lines().length, 1);
  status = 204;
  const second = start(t, options);
  await until(() => second.lines().length === 1);
  const ids = receiver.requests.map(({ headers }) => headers['x-service-delivery-id']);
  assert.equal(ids.at(-1), ids[1]);
});

test('forwarding begins with the next event, and says behind which one', async (t) => {
  await pay();
  const receiver = await startReceiver((response) => response.writeHead(204).end());
  t.after(() => receiver.close());
  const state = newFile();
  const options = { forward: receiver.url, secret: 's', state };
  const listening = start(t, options);
  await until(() => site.world.feedReaders.waiting() === 1);
  const hint = 'forwarding events after sequence 2; --after 0 starts with the first event';
  assert.equal(listening.stderr(), `ponte: ${hint}\n`);
  assert.equal(JSON.parse(readFileSync(state, 'utf8')).after, 2);
  // What comes while it is stopped is not left out, although nothing was forwarded before.
  await listening.stop();
  await pay();
  const again = start(t, options);
  await until(() => again.lines().length === 2);
  assert.match(again.lines()[0] ?? '', /^ +3 /);
  assert.equal(again.stderr(), '');
  assert.equal(receiver.requests.length, 2);
});

test('with --events it prints and forwards those alone, and goes on behind the others', async (t) => {
  const receiver = await startReceiver((response) => response.writeHead(204).end());
  t.after(() => receiver.close());
  const state = newFile();
  const forward = { forward: receiver.url, secret: 's' };
  const events = ['invoice.*', 'payment_intent.settled'];
  await pay();
  await pay();
  const listening = start(t, { ...forward, state, events, after: 0 });
  await until(() => listening.lines().length === 2);
  assert.match(
    listening.lines().join('\n'),
    /^ +2 .* invoice\.created .*\n +4 .* invoice\.created /,
  );
  assert.equal(receiver.requests.length, 2);
  await listening.stop();
  await pay();
  const others = start(t, { state, events: ['payment_intent.created'] });
  await until(() => others.lines().length === 1);
  await until(() => JSON.parse(readFileSync(state, 'utf8')).after === 6);
  assert.match(others.lines()[0] ?? '', /^ +5 /);
});

test('a file of another key or server, or of something else, is refused', async (t) => {
  await pay();
  const state = newFile();
  const first = start(t, { state });
  await until(() => first.lines().length === 2);
  await first.stop();
  const other = await site.world.key(tenant.orgId);
  await assert.rejects(start(t, { state, key: other }).ended, {
    code: 'ValidationError',
    message: /has the position of pk_test_key_\w+ at http:\/\/127\.0\.0\.1:\d+: 2\. .*--after/,
  });
  await assert.rejects(start(t, { state, url: 'http://127.0.0.1:1' }).ended, /has the position/);
  const listening = start(t, { state, key: other, after: 1 });
  await until(() => listening.lines().length === 1);
  for (const text of ['', 'text', '{}', '{"after":-1}']) {
    const strange = newFile();
    writeFileSync(strange, text);
    await assert.rejects(start(t, { state: strange }).ended, /is not a position file/);
    assert.equal(readFileSync(strange, 'utf8'), text);
  }
});

test('after pruning, a first reader starts at the oldest event and others get an error', async (t) => {
  await prunedFeed(site.world.deps.store, tenant, { oldest: 7, last: 8 });
  const listening = start(t, {});
  await until(() => listening.lines().length === 2);
  assert.match(listening.lines()[0] ?? '', /^ +7 /);
  await assert.rejects(start(t, { after: 3 }).ended, { code: 'EventsPruned' });
});

test('a server that is away, or fails, is asked again until it answers', async (t) => {
  await pay();
  const server = createServer((_, response) => {
    response.writeHead(503).end('<html>a proxy</html>');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  const listening = start(t, { url: `http://127.0.0.1:${port}` });
  await until(() => listening.stderr().includes('answered 503; trying again in 0.5 s'));
  await close();
  await until(() => /does not answer; trying again in [\d.]+ s/.test(listening.stderr()));
  const { deps, feedReaders } = site.world;
  const addresses = { corsOrigins: [], trustedProxies: [] };
  const readiness = async () => allWell;
  const back = createHttpServer(deps, { feedReaders, readiness, ...addresses });
  await back.listen('127.0.0.1', port);
  t.after(() => back.close(0));
  await until(() => listening.lines().length === 2);
});

describe('the command', () => {
  const run = async (words: string, env: Readonly<Record<string, string>> = {}) => {
    const { status, stdout } = await runCommand(env, [...words.split(' '), '--json']);
    return [status, (JSON.parse(stdout) as { readonly error: string }).error] as const;
  };

  test('without a key it ends with code 2, with one that is refused with 5', async () => {
    const url = `--url http://127.0.0.1:${site.port}`;
    assert.deepEqual(await run('listen'), [2, 'ValidationError']);
    assert.deepEqual(await run(`listen ${url} --key ${key}x`), [5, 'InvalidApiKey']);
    const env = { PONTE_KEY: 'pk_test_key_0.x' };
    assert.deepEqual(await run(`listen ${url}`, env), [5, 'InvalidApiKey']);
    const scoped = await site.world.key(tenant.orgId, { scopes: ['webhooks:write'] });
    assert.deepEqual(await run(`listen ${url} --key ${scoped}`), [5, 'InsufficientScope']);
  });

  test('without a key it names every way to give one', async () => {
    const { stderr } = await runCommand({}, ['listen']);
    assert.match(stderr, /Set PONTE_KEY_FILE or PONTE_KEY, or give --key\./);
  });

  test('an empty --secret, as of an unset variable, is refused at the start', async () => {
    const words = ['listen', '--key', 'k', '--forward', 'http://127.0.0.1:9', '--secret', ''];
    const { status, stderr } = await runCommand({}, words);
    assert.equal(status, 2);
    assert.match(stderr, /'--secret <whsec>' argument '' is invalid\. It is empty/);
  });

  test('the key may be given as a file', async () => {
    const file = join(temporaryFolder(), 'key');
    writeFileSync(file, 'pk_test_key_0.x\n');
    const url = `--url http://127.0.0.1:${site.port}`;
    const words = `listen ${url}`;
    assert.deepEqual(await run(words, { PONTE_KEY_FILE: file }), [5, 'InvalidApiKey']);
    const both = { PONTE_KEY: 'k', PONTE_KEY_FILE: file };
    const missing = { PONTE_KEY_FILE: `${file}x` };
    assert.deepEqual(await run(words, both), [7, 'ConfigurationInvalid']);
    assert.deepEqual(await run(words, missing), [7, 'ConfigurationInvalid']);
  });

  const wrong = ['--url ftp://a', '--url x', '--forward x', '--after -1', '--after x'];
  for (const words of [...wrong, '--events x', '--events invoice.*,payment_intent.paid']) {
    test(`${words} is refused with code 2`, async () => {
      assert.deepEqual(await run(`listen --key k ${words}`), [2, 'ValidationError']);
    });
  }

  test('a signal ends it with code 0, and a slash at the end of --forward stays', async (t) => {
    const receiver = await startReceiver((response) => response.writeHead(204).end());
    t.after(() => receiver.close());
    await pay();
    process.once('SIGINT', () => undefined);
    // As a file of Windows has it.
    const server = ['--url', ` http://127.0.0.1:${site.port}/\r\n`];
    const forward = ['--forward', `${new URL('/hooks/', receiver.url)}\r\n`];
    const words = ['listen', ...server, ...forward, '--secret', 's', '--after', '0'];
    const running = runCommand({ PONTE_KEY: key }, words);
    await until(() => site.world.feedReaders.waiting() === 1);
    assert.deepEqual([...new Set(receiver.requests.map(({ path }) => path))], ['/hooks/']);
    process.kill(process.pid, 'SIGINT');
    assert.equal((await running).status, 0);
    await until(() => site.world.feedReaders.waiting() === 0);
  });
});

test('its help names the default of the server, and shows no empty ones', async () => {
  const { stdout: help } = await runCommand({}, ['listen', '--help']);
  assert.match(help, /PONTE_PORT\s+by\s+default/);
  assert.doesNotMatch(help, /default: (null|false)/);
});

test('without --url it reads the server of PONTE_BASE_URL, else that of PONTE_PORT', async (t) => {
  await newPayment(site.world, tenant);
  await site.world.settle();
  const port = `${site.port}`;
  for (const env of [{ PONTE_PORT: port }, { PONTE_BASE_URL: `http://127.0.0.1:${port}` }]) {
    const listening = start(t, { url: null }, env);
    await until(() => listening.lines().length > 0);
    await listening.stop();
  }
});
