// What happens on the wire: requests that are hardly HTTP, bodies that are too long or never end,
// clients that go away, and stopping while requests run.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect, Server, type Socket } from 'node:net';
import { test } from 'node:test';
import { createHttpServer } from '../../../adapters/http/server.js';
import { notedMetrics } from '../../support/noted-metrics.js';
import {
  type Answer,
  allWell,
  checkAnswer,
  checkedSite,
  refusalOf,
  sharedSite,
} from './checked-site.js';
import { createBody } from './docs/example-calls.js';

let key: string;

const site = sharedSite(async () => {
  key = await site.world.key(await site.world.organization());
});

test('what is no HTTP request is answered in the envelope, and the connection ends', async () => {
  const large = 'x'.repeat(17 * 1024);
  const cases = [
    ['hello\r\n\r\n', '400 ValidationError'],
    ['GET /healthz HTTP/9.9\r\n\r\n', '400 ValidationError'],
    ['GET /healthz HTTP/1.1\r\nHost a\r\n\r\n', '400 ValidationError'],
    ['GET /healthz HTTP/1.1\r\nHost: a\r\nA: b\0c\r\n\r\n', '400 ValidationError'],
    ['GET /he althz HTTP/1.1\r\nHost: a\r\n\r\n', '400 ValidationError'],
    ['BREW /healthz HTTP/1.1\r\nHost: a\r\n\r\n', '400 ValidationError'],
    [
      'POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      '400 ValidationError',
    ],
    [
      'POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n' +
        'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      '400 ValidationError',
    ],
    [`GET /healthz HTTP/1.1\r\nHost: a\r\nA: ${large}\r\n\r\n`, '431 HeadersTooLarge'],
    [`GET /healthz?${large} HTTP/1.1\r\nHost: a\r\n\r\n`, '431 HeadersTooLarge'],
  ] as const;
  for (const [text, refusal] of cases) {
    const answer = await talk(text);
    checkAnswer('GET', '/nowhere', answer);
    assert.equal(refusalOf(answer), refusal, text.slice(0, 80));
    assert.equal(answer.headers['connection'], 'close');
  }
});

test('a page that fails is answered, unless a part of it was sent, and ends its connection', async (t) => {
  const server = createHttpServer(site.world.deps, {
    corsOrigins: [],
    feedReaders: site.world.feedReaders,
    readiness: async () => allWell,
    pages: {
      owns: ({ url }) => url !== '/healthz',
      serve: async (_, { url }, response) => {
        if (url === '/begun') response.writeHead(200, { 'content-length': '2' }).write('a');
        throw new Error('a module is missing');
      },
    },
  });
  const { port } = await server.listen('127.0.0.1', 0);
  t.after(() => server.close(0));
  const failed = await fetch(`http://127.0.0.1:${port}/r/one`);
  assert.equal(failed.status, 500);
  assert.equal(((await failed.json()) as { readonly error: string }).error, 'InternalError');
  assert.equal(failed.headers.get('connection'), 'close');
  assert.match(failed.headers.get('x-request-id') ?? '', /./);
  const begun = await fetch(`http://127.0.0.1:${port}/begun`);
  await assert.rejects(begun.text());
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
});

test('the answers of one turn are sent after each of its requests has started', async () => {
  const seen: string[] = [];
  const metrics = { ...notedMetrics(), answered: () => seen.push('answered') };
  const server = createHttpServer(
    { ...site.world.deps, metrics },
    {
      corsOrigins: [],
      feedReaders: site.world.feedReaders,
      readiness: async () => {
        seen.push('begun');
        return allWell;
      },
    },
  );
  const { port } = await server.listen('127.0.0.1', 0);
  const clients = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  const ask = async () => {
    const answers = clients.map((client) => once(client, 'data'));
    // Both lie at the server before it looks again.
    for (const client of clients) client.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n');
    await Promise.all(answers);
  };
  await Promise.all(clients.map((client) => once(client, 'connect')));
  await ask();
  seen.length = 0;
  await ask();
  assert.deepEqual(seen, ['begun', 'begun', 'answered', 'answered']);
  for (const client of clients) client.destroy();
  await server.close(0);
});

test('a tenant that asks for many lists at once keeps no other one waiting for all', async () => {
  const other = await site.world.key(await site.world.organization());
  const clients = Array.from({ length: 41 }, () => connect(site.port, '127.0.0.1'));
  /** The clients in the order of their answers; all ask before the server looks again. */
  const ask = async (path: string) => {
    const order: number[] = [];
    const answers = clients.map(async (client, at) => {
      await once(client, 'data');
      order.push(at);
    });
    for (const [at, client] of clients.entries()) {
      const own = at === 40 ? other : key;
      client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${own}\r\n\r\n`);
    }
    await Promise.all(answers);
    return order;
  };
  // Each is accepted.
  await ask('/healthz');
  const order = await ask('/v1/payments');
  for (const client of clients) client.destroy();
  assert.ok(order.indexOf(40) < 20, `it was answered after ${order.indexOf(40)} of the tenant`);
  const ofTenant = order.filter((at) => at < 40);
  assert.deepEqual(
    ofTenant,
    ofTenant.toSorted((a, b) => a - b),
  );
});

test('a chunk that breaks in the middle of a body is answered, nothing is created', async () => {
  const answer = await talk(
    `POST /v1/payment-intents HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n` +
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"ext\r\nzz\r\n',
  );
  assert.equal(refusalOf(answer), '400 ValidationError');
});

test('what is no HTTP after a good request is answered after its answer', async () => {
  const socket = await open();
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.equal((await read(socket)).status, 200);
  socket.write('hello\r\n\r\n');
  const answer = await read(socket);
  assert.equal(refusalOf(answer), '400 ValidationError');
  assert.equal(await readAll(socket), '');
});

test('what follows a request that closes its connection is dropped, and it is answered', async () => {
  for (const behind of ['GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n', '\r\n', 'hello\r\n\r\n']) {
    const socket = await open();
    socket.write(`GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n${behind}`);
    const text = await readAll(socket);
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+|"ok"/g), ['HTTP/1.1 200', '"ok"'], behind);
  }
});

test('no answer is taken for that of an earlier request that still runs', async (t) => {
  let answerNow = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    answerNow = resolve;
  });
  const waiting = await checkedSite(t, undefined, {
    readiness: async () => {
      await asked;
      return allWell;
    },
  });
  const slow = 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n';
  const broken =
    'POST /v1/payments HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
  for (const text of [`${slow}hello\r\n\r\n`, `${slow}${broken}`, `${slow}${slow}${broken}`]) {
    const socket = await open(waiting.port);
    socket.write(text);
    assert.equal(await readAll(socket), '');
  }
  answerNow();
  assert.equal((await waiting.call('GET', '/readyz')).status, 200);
});

test('HTTP/1.1 without Host is refused, HTTP/1.0 without it is served', async () => {
  const refused = await talk('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
  assert.equal(refusalOf(refused), '400 ValidationError');
  assert.equal((await talk('GET /healthz HTTP/1.0\r\n\r\n')).status, 200);
  const absolute = 'GET http://a/healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  assert.equal((await talk(absolute)).status, 200);
});

test('a body announced as too long is refused before it is sent', async () => {
  for (const expect of ['', 'Expect: 100-continue\r\n']) {
    const answer = await talk(
      `POST /v1/payment-intents HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n${expect}` +
        'Content-Type: application/json\r\nContent-Length: 262145\r\n\r\n',
      false,
    );
    assert.equal(refusalOf(answer), '413 PayloadTooLarge');
    assert.equal(answer.headers['connection'], 'close');
  }
});

test('a body that never ends is refused at the limit, and the client reads why', async () => {
  for (const path of ['/v1/payment-intents', '/v1/partner-webhooks/fake/test']) {
    const socket = await open();
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
    const pour = setInterval(() => socket.write(chunk), 1);
    const answer = await read(socket);
    clearInterval(pour);
    socket.destroy();
    assert.equal(refusalOf(answer), '413 PayloadTooLarge', path);
  }
});

test('a client that sends a long body before it reads learns why it was refused', async () => {
  const body = 'x'.repeat(3 * 1024 * 1024);
  for (const used of [key, 'bad key']) {
    for (let times = 0; times < 5; times += 1) {
      const answer = await site.call('POST', '/v1/payments', { key: used, body });
      assert.equal(answer.status, used === key ? 413 : 401);
      assert.equal(answer.headers['connection'], 'close');
    }
  }
});

test('a refused client may finish sending: its connection is ended, not reset', async () => {
  const socket = await open();
  const errors: Error[] = [];
  socket.on('error', (error) => errors.push(error));
  const length = 1024 * 1024;
  socket.write(`POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`);
  assert.equal(refusalOf(await read(socket)), '401 InvalidApiKey');
  for (let sent = 0; sent < length; sent += 0x8000) {
    await new Promise((resolve) => socket.write(Buffer.alloc(0x8000), resolve));
  }
  assert.equal(await readAll(socket), '');
  assert.deepEqual(errors, []);
});

test('exactly 256 KiB are taken', async () => {
  const body = JSON.stringify({ ...createBody(), filling: '' });
  const filled = body.replace('"filling":""', `"filling":"${'x'.repeat(262_144 - body.length)}"`);
  assert.equal(filled.length, 262_144);
  const path = '/v1/payment-intents';
  assert.equal((await site.call('POST', path, { key, body: filled })).status, 201);
  const answer = await site.call('POST', path, { key, body: `${filled} ` });
  assert.equal(refusalOf(answer), '413 PayloadTooLarge');
});

test('a client that waits for 100 Continue gets it, then its answer', async () => {
  const body = JSON.stringify(createBody());
  const socket = await open();
  socket.write(
    `POST /v1/payment-intents HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nConnection: close\r\n` +
      `Content-Type: application/json\r\nExpect: 100-continue\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
  );
  const [go] = await once(socket, 'data');
  assert.equal(String(go), 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(body);
  assert.equal((await read(socket)).status, 201);
});

test('requests pipelined on one connection are answered in their order', async () => {
  const socket = await open();
  const one = (id: string, path: string, last: string) =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nX-Request-Id: ${id}\r\n${last}\r\n`;
  socket.write(
    one('first', '/v1/payments/pi_none', '') +
      one('second', '/healthz', '') +
      one('third', '/v1/payments/pi_none', 'Connection: close\r\n'),
  );
  const text = await readAll(socket);
  assert.deepEqual(
    [...text.matchAll(/x-request-id: (\w+)/g)].map(([, id]) => id),
    ['first', 'second', 'third'],
  );
});

test('a pipelined request begins after the answer before it; too many close it', async (t) => {
  const begun = new EventEmitter();
  let count = 0;
  const gated = await checkedSite(t, undefined, {
    readiness: () =>
      new Promise((resolve) => {
        count += 1;
        begun.emit('request', () => resolve(allWell));
      }),
  });
  const one = 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n';
  const socket = await open(gated.port);
  let next = once(begun, 'request');
  socket.write(one.repeat(65));
  for (let answered = 0; answered < 65; answered += 1) {
    const [answerNow] = await next;
    assert.equal(count, answered + 1);
    next = once(begun, 'request');
    answerNow();
  }
  socket.destroy();
  const greedy = await open(gated.port);
  greedy.write(one.repeat(66));
  assert.equal(await readAll(greedy), '');
  assert.equal(count, 66);
  // With three at a time on their way there is no most.
  const steady = await open(gated.port);
  const closed = once(steady, 'close').then((): [] => assert.fail('it was closed'));
  closed.catch(() => undefined);
  next = once(begun, 'request');
  steady.write(one.repeat(3));
  for (let answered = 0; answered < 100; answered += 1) {
    const [answerNow] = await Promise.race([next, closed]);
    next = once(begun, 'request');
    answerNow();
    steady.write(one);
  }
  assert.equal(count, 166);
  steady.destroy();
});

test('what is pipelined behind the answer that closes the connection is not begun', async (t) => {
  const begun = new EventEmitter();
  const gated = await checkedSite(t, undefined, {
    readiness: () => new Promise((resolve) => begun.emit('request', () => resolve(allWell))),
  });
  const { world, server } = gated;
  const own = await world.key(await world.organization());
  const body = JSON.stringify(createBody());
  const create =
    `POST /v1/payment-intents HTTP/1.1\r\nHost: a\r\nX-API-Key: ${own}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const socket = await open(gated.port);
  const first = once(begun, 'request');
  socket.write(`GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n${create}`);
  const [answerNow] = await first;
  server.drain();
  const closing = readAll(socket);
  answerNow();
  assert.equal([...(await closing).matchAll(/HTTP\/1\.1 /g)].length, 1);
  const listed = await gated.call('GET', '/v1/payments', { key: own });
  assert.deepEqual(listed.body['data'], []);
});

test('a refusal before the body was read leaves the connection usable', async () => {
  const socket = await open();
  const body = 'x'.repeat(100_000);
  socket.write(
    `POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
      'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  );
  const text = await readAll(socket);
  assert.deepEqual(
    [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ['401', '200'],
  );
});

test('clients that go away in the middle leave no trace and no error', async () => {
  const errors = () => site.world.log.filter(({ level }) => level === 'error').length;
  const before = errors();
  const head =
    `POST /v1/payment-intents HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n` +
    'Content-Type: application/json\r\n';
  for (const text of [
    'POST /v1/pay',
    head,
    `${head}Content-Length: 100\r\n\r\n{"a":`,
    `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a`,
    `${head}Content-Length: 2\r\n\r\n{}`,
    'GET /docs-json HTTP/1.1\r\nHost: a\r\n\r\n',
  ]) {
    for (const leave of ['destroy', 'resetAndDestroy', 'end'] as const) {
      const socket = await open();
      socket.write(text);
      await site.call('GET', '/healthz');
      socket[leave]();
      socket.resume();
      await once(socket, 'close');
    }
  }
  assert.equal((await site.call('GET', '/healthz')).status, 200);
  assert.equal(errors(), before);
});

test('a stop lets running requests finish, ends idle connections, takes no new ones', async (t) => {
  let answerNow = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    answerNow = resolve;
  });
  let running = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    running = resolve;
  });
  const stopping = await checkedSite(t, undefined, {
    readiness: async () => {
      running();
      await asked;
      return allWell;
    },
  });
  const silent = await open(stopping.port);
  const idle = await open(stopping.port);
  idle.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(idle, 'data');
  const busy = await open(stopping.port);
  busy.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n');
  await begun;
  const gone = [once(silent, 'close'), once(idle, 'close')];
  const stopped = stopping.server.close();
  for (const socket of [silent, idle]) socket.resume();
  await Promise.all(gone);
  const late = connect(stopping.port, '127.0.0.1');
  const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'ECONNREFUSED');
  answerNow();
  const answer = await read(busy);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['connection'], 'close');
  await stopped;
  await stopping.world.close();
});

test('a stop does not wait forever: after the grace time every connection is cut', async (t) => {
  const stuck = await checkedSite(t, undefined, { readiness: () => new Promise(() => undefined) });
  const socket = await open(stuck.port);
  socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n');
  const half = await open(stuck.port);
  half.write('POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Le');
  await stuck.call('GET', '/healthz');
  const closed = [once(socket, 'close'), once(half, 'close')];
  for (const one of [socket, half]) one.resume();
  await stuck.server.close(20);
  await Promise.all(closed);
  await stuck.world.close();
});

test('a request that does not come in time: 408', async (t) => {
  const slow = await checkedSite(t, undefined, { requestTimeoutMs: 60 });
  for (const text of [
    'GET /healthz HTTP/1.1\r\nHos',
    `POST /v1/partner-webhooks/fake/test HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{`,
  ]) {
    const socket = await open(slow.port);
    socket.write(text);
    const answer = await read(socket);
    assert.equal(refusalOf(answer), '408 RequestTimeout');
    checkAnswer('GET', '/nowhere', answer);
  }
});

test('a port in use rejects listen', async () => {
  await assert.rejects(site.server.listen('127.0.0.1', site.port));
});

async function open(port = site.port): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends `text` and, by default, ends the stream. */
async function talk(text: string, end = true): Promise<Answer> {
  const socket = await open();
  socket.write(text, 'latin1');
  const answer = read(socket);
  if (end) socket.end();
  return answer;
}

/** One answer: as long as its Content-Length, or what arrived before the end of the stream. */
async function read(socket: Socket): Promise<Answer> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const length = /\r\ncontent-length: (\d+)\r\n/.exec(text)?.[1];
    const bodyAt = text.indexOf('\r\n\r\n') + 4;
    if (length !== undefined && text.length - bodyAt >= Number(length)) break;
  }
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((header) => {
      const at = header.indexOf(':');
      return [header.slice(0, at).toLowerCase(), header.slice(at + 1).trim()];
    }),
  );
  const body = rest.join('\r\n\r\n');
  const status = Number(line.split(' ')[1]);
  return { status, headers, text: body, body: body === '' ? {} : JSON.parse(body) };
}

/** Everything until the other side ends. */
async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

test('a connection that cannot be accepted does not end the server', async (t) => {
  const listen = t.mock.method(Server.prototype, 'listen');
  const server = createHttpServer(site.world.deps, {
    corsOrigins: [],
    feedReaders: site.world.feedReaders,
    readiness: async () => allWell,
  });
  const { port } = await server.listen('127.0.0.1', 0);
  // As the runtime reports it.
  const [call] = listen.mock.calls;
  assert.ok(call?.this instanceof Server);
  call.this.emit('error', new Error('accept ENOMEM'));
  assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
  await server.close(0);
});
