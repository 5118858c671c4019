import assert from 'node:assert/strict';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { type SenderOptions, webhookSender } from '../../../adapters/webhooks/sender.js';
import { DAY_MS } from '../../../core/domain/base/instant.js';
import { AssertionFailure } from '../../../core/errors.js';
import type { WebhookSender } from '../../../core/ports/outside.js';
import { SEND_TIMEOUT_MS } from '../../../core/usecases/webhooks/delivery-attempts.js';
import { IN_FLIGHT_MAX } from '../../../core/usecases/webhooks/delivery-window.js';
import { anyText } from '../../support/samples/any-text.js';
import {
  type Answering,
  ended,
  type LocalReceiver,
  startRawReceiver,
  startReceiver,
  tls,
} from '../../support/servers/local-receiver.js';
import { silentAddress } from '../../support/servers/silent-address.js';

/** Short where a test waits for the limit to come. */
const SHORT_MS = 150;
/** Within this time even a busy machine gets an answer from itself. */
const IN_TIME_MS = 5_000;

function sender(t: TestContext, options: Partial<SenderOptions> = {}): WebhookSender {
  const made = webhookSender({ allowPrivate: true, ...options });
  t.after(() => made.close());
  return made;
}

async function receiver(
  t: TestContext,
  answering: Answering,
  scheme?: 'http' | 'https',
): Promise<LocalReceiver> {
  const made = await startReceiver(answering, scheme);
  t.after(() => made.close());
  return made;
}

async function raw(t: TestContext, talk: Parameters<typeof startRawReceiver>[0]) {
  const made = await startRawReceiver(talk);
  t.after(() => made.close());
  return made;
}

const body = '{"event":"webhook.test","data":{"note":"ação ✓"}}';
const headers = {
  'Content-Type': 'application/json',
  'X-Service-Signature': 't=1,v1=00',
  'X-Service-Delivery-Id': 'whd_1',
  'X-Service-Event-Type': 'webhook.test',
};

test('it sends one POST with the headers and the bytes it was given, and its name', async (t) => {
  const server = await receiver(t, (response) => response.end('thanks'));
  const result = await sender(t).send({ url: `${server.url}?a=b`, headers, body });
  assert.deepEqual(
    { ...result, durationMs: 0 },
    { responseStatus: 200, responseBody: 'thanks', error: null, durationMs: 0 },
  );
  assert.ok(Number.isInteger(result.durationMs) && result.durationMs >= 0);
  assert.equal(server.requests.length, 1);
  const [request] = server.requests;
  assert.deepEqual([request?.method, request?.path], ['POST', '/webhooks?a=b']);
  assert.deepEqual(request?.headers, {
    host: `127.0.0.1:${server.port}`,
    connection: 'keep-alive',
    'content-length': `${Buffer.byteLength(body)}`,
    'user-agent': 'Ponte/1.0',
    ...Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  });
  assert.deepEqual(request?.body, Buffer.from(body));
});

const statuses = [200, 201, 204, 299, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503];

test('any status is an answer, and a redirect is not followed', async (t) => {
  for (const status of statuses) {
    const server = await receiver(t, (response) => {
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    const result = await sender(t).send({ url: server.url, headers, body });
    assert.deepEqual([result.responseStatus, result.error], [status, null], `${status}`);
    assert.equal(result.responseBody, '');
    assert.equal(server.requests.length, 1, `${status}`);
  }
});

/** RFC 9110, section 15.2: a client takes them, though it asked for none. */
const announcements: readonly (readonly string[])[] = [
  ['HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
  ['HTTP/1.1 100 Continue\r\n\r\n'],
  ['HTTP/1.1 100\r\nServer: Microsoft-IIS/10.0\r\nConnection: keep-alive\r\n\r\n'],
  ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['HTTP/1.1 100 Con', 'tinue\r\n', '\r\n'],
  ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
];
for (const isInOne of [true, false]) {
  const how = isInOne ? 'in one packet' : 'in packets';
  test(`an announcement before the answer is no answer, ${how}`, async (t) => {
    for (const parts of announcements) {
      const answer = [...parts, 'HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno'];
      const server = await raw(t, (socket) => {
        socket.setNoDelay(true);
        socket.on('data', async () => {
          if (isInOne) socket.write(answer.join(''));
          else for (const part of answer) await written(socket, part);
        });
      });
      const made = sender(t);
      // The second one on the same connection.
      for (const _ of ['first', 'second']) {
        const result = await made.send({ url: server.url, headers, body });
        const { responseStatus, responseBody, error } = result;
        assert.deepEqual([responseStatus, responseBody, error], [500, 'no', null], `${parts}`);
        await nextTurn();
      }
      assert.equal(server.connections.length, 1, `${parts}`);
    }
  });
}

async function written(socket: Socket, part: string): Promise<void> {
  await new Promise<void>((done) => socket.write(part, () => done()));
  await nextTurn();
}

test('of an endless answer 4 KiB are read and the connection is closed', async (t) => {
  let written = 0;
  const server = await receiver(t, (response) => {
    const piece = Buffer.alloc(64 * 1024, 'a');
    const pour = () => {
      while (!response.destroyed && response.write(piece)) written += piece.length;
    };
    response.on('drain', pour).writeHead(200, { 'content-length': `${2 ** 30}` });
    pour();
  });
  const result = await sender(t).send({ url: server.url, headers, body });
  assert.deepEqual([result.responseStatus, result.responseBody?.length], [200, 4_096]);
  await ended(server.connections[0]!);
  // What the buffers of two sockets hold, and far from a gigabyte.
  assert.ok(written < 64 * 2 ** 20, `${written}`);
});

/** Of a connection of this machine to itself. */
const BUFFERS_BYTES_MAX = 64 * 1_024 * 1_024;
const endless: Readonly<Record<string, readonly [begin: string, more: string]>> = {
  announcements: ['', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
  'an extension of a chunk': ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'e'],
};
for (const [what, [begin, more]] of Object.entries(endless)) {
  test(`of endless ${what} no more than the headers of an answer is read`, async (t) => {
    const closed = Promise.withResolvers<number>();
    const server = await raw(t, (socket) => {
      const part = more.repeat(64 * 1_024);
      const send = () => {
        let hasRoom = true;
        while (hasRoom && !socket.destroyed) hasRoom = socket.write(part);
      };
      socket.on('drain', send).on('error', () => undefined);
      socket.on('close', () => closed.resolve(socket.bytesWritten));
      socket.once('data', () => {
        socket.write(begin);
        send();
      });
    });
    const { error, responseStatus } = await sender(t).send({ url: server.url, headers, body });
    const tooLong = 'the headers of the answer are too large';
    const isAnswered = begin !== '';
    assert.deepEqual([responseStatus, error], isAnswered ? [200, null] : [null, tooLong]);
    // What is not read fills the buffers of the connection.
    const writtenBytes = await closed.promise;
    assert.ok(writtenBytes < BUFFERS_BYTES_MAX, `${writtenBytes}`);
  });
}

test('the body is kept as text that any database takes', async (t) => {
  const cases: readonly (readonly [sent: Buffer, kept: string])[] = [
    [Buffer.from('ação'), 'ação'],
    [Buffer.from('a\0b'), 'a\ufffdb'],
    [Buffer.from([0x61, 0xff]), 'a\ufffd'],
    [Buffer.concat([Buffer.alloc(4_095, 'a'), Buffer.from('ç')]), 'a'.repeat(4_095)],
  ];
  for (const [sent, kept] of cases) {
    const server = await receiver(t, (response) => response.end(sent));
    const result = await sender(t).send({ url: server.url, headers, body });
    assert.equal(result.responseBody, kept);
  }
});

const silences: Readonly<Record<string, (write: (text: string) => void) => void>> = {
  'that says nothing': () => undefined,
  'that sends its headers one character after another': (write) => {
    write('HTTP/1.1 200 OK\r\nX-Slow: ');
    const timer = setInterval(() => write('a'), 5);
    setTimeout(() => clearInterval(timer), 4 * SHORT_MS);
  },
  'that only announces an answer': (write) => write('HTTP/1.1 103 Early Hints\r\n\r\n'),
};

for (const [which, talk] of Object.entries(silences)) {
  test(`a receiver ${which} fails at the limit and is disconnected`, async (t) => {
    const server = await raw(t, (socket) => talk((text) => socket.write(text)));
    const made = sender(t, { timeoutMs: SHORT_MS });
    const result = await made.send({ url: server.url, headers, body });
    assert.deepEqual(
      { ...result, durationMs: 0 },
      {
        responseStatus: null,
        responseBody: null,
        error: `no answer came within ${SHORT_MS / 1_000} s`,
        durationMs: 0,
      },
    );
    // The limit may be over before a busy machine has taken the connection.
    while (server.connections.length === 0) await nextTurn();
    await ended(server.connections[0]!);
  });
}

test('a status that came in time counts, though its body never ends', async (t) => {
  const server = await receiver(t, (response) => {
    response.writeHead(202).write('taken, and');
  });
  const made = sender(t, { timeoutMs: IN_TIME_MS });
  const result = await made.send({ url: server.url, headers, body });
  assert.deepEqual([result.responseStatus, result.responseBody], [202, 'taken, and']);
  assert.equal(result.error, null);
});

test('a status that came counts, though the connection breaks in the body', async (t) => {
  const server = await receiver(t, (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy());
  });
  const result = await sender(t).send({ url: server.url, headers, body });
  assert.deepEqual([result.responseStatus, result.error], [200, null]);
});

test('a name server that hangs is inside the limit, too', async (t) => {
  const resolve = () => new Promise<readonly string[]>(() => undefined);
  const made = sender(t, { timeoutMs: SHORT_MS, resolve });
  const result = await made.send({ url: 'http://hooks.example/', headers, body });
  assert.match(result.error ?? '', /^no (answer came within|connection could be made in time)/);
});

const failures: Readonly<
  Record<string, readonly [start: (t: TestContext) => Promise<{ url: string }>, error: string]>
> = {
  'nobody listens': [
    async () => {
      const closed = await startReceiver((response) => response.end());
      await closed.close();
      return closed;
    },
    'the connection was refused',
  ],
  'the connection is reset': [
    (t) => raw(t, (socket) => socket.once('data', () => socket.resetAndDestroy())),
    'the connection was closed before the answer',
  ],
  'the connection is closed': [
    (t) => raw(t, (socket) => socket.once('data', () => socket.end())),
    'the connection was closed before the answer',
  ],
  'the answer is not HTTP': [
    (t) => raw(t, (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')),
    'the answer is not valid HTTP',
  ],
  'the headers have no end': [
    (t) =>
      raw(t, (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nX-Long: ${'a'.repeat(100_000)}`);
      }),
    'the headers of the answer are too large',
  ],
  'a plain server is called by TLS': [
    async (t) => {
      const { url } = await receiver(t, (response) => response.end());
      return { url: url.replace('http:', 'https:') };
    },
    'the TLS handshake failed',
  ],
  'the certificate is not trusted': [
    (t) => receiver(t, (response) => response.end(), 'https'),
    'the TLS certificate is not trusted',
  ],
};

for (const [when, [start, error]] of Object.entries(failures)) {
  test(`when ${when}, the integrator reads: ${error}`, async (t) => {
    const { url } = await start(t);
    const result = await sender(t).send({ url, headers, body });
    assert.deepEqual([result.responseStatus, result.responseBody], [null, null]);
    assert.equal(result.error, error);
  });
}

test('unresolved names are separated by cause', async (t) => {
  for (const [code, error] of [
    ['ENOTFOUND', 'the host name does not exist'],
    ['EAI_AGAIN', 'the host name could not be resolved'],
    ['ETIMEOUT', 'the host name could not be resolved'],
  ] as const) {
    const resolve = () => Promise.reject(Object.assign(new Error('secret detail'), { code }));
    const made = sender(t, { resolve });
    const result = await made.send({ url: 'http://hooks.example/', headers, body });
    assert.equal(result.error, error);
  }
});

test('TLS is spoken to the name, and only its own certificate counts', async (t) => {
  const server = await receiver(t, (response) => response.end('safe'), 'https');
  const made = sender(t, { ca: tls.cert, resolve: async () => ['127.0.0.1'] });
  const good = await made.send({ url: `https://receiver.test:${server.port}/`, headers, body });
  assert.deepEqual([good.responseStatus, good.responseBody], [200, 'safe']);
  const bad = await made.send({ url: `https://other.test:${server.port}/`, headers, body });
  assert.equal(bad.error, 'the TLS certificate is not trusted');
});

test('connections are used again, after more than one answer may have', async (t) => {
  const long = { 'X-Long': 'x'.repeat(12_000) };
  const server = await receiver(t, (response) => response.writeHead(200, long).end('ok'));
  const made = sender(t);
  for (let count = 0; count < 20; count += 1) {
    const result = await made.send({ url: `${server.url}/${count}`, headers, body });
    assert.equal(result.responseStatus, 200);
  }
  assert.equal(server.requests.length, 20);
  // A connection is free again a moment after its answer: the next request may open one more.
  assert.ok(server.connections.length <= 2, `${server.connections.length}`);
});

/** What receivers do to a connection that they have answered once. */
const endings: Readonly<Record<string, (socket: Socket) => void>> = {
  'is reset': (socket) => socket.resetAndDestroy(),
  'is closed': (socket) => socket.end(),
  'was half closed and is reset': (socket) => socket.end(() => socket.resetAndDestroy()),
};

for (const [what, endOf] of Object.entries(endings)) {
  test(`a kept-alive connection that ${what} without an answer costs no attempt`, async (t) => {
    const paths: string[] = [];
    const server = await raw(t, (socket) => {
      let answers = 0;
      socket.on('data', (data) => {
        if (!data.includes('POST ')) return;
        paths.push(/POST (\S+)/.exec(`${data}`)?.[1] ?? '');
        answers += 1;
        if (answers === 1) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        else endOf(socket);
      });
    });
    const made = sender(t);
    for (const path of ['/1', '/2', '/3', '/4']) {
      const { origin } = new URL(server.url);
      const result = await made.send({ url: `${origin}${path}`, headers, body });
      assert.deepEqual([result.responseStatus, result.error], [204, null], path);
      // A connection is free again a moment after its answer.
      await nextTurn();
    }
    const repeated = paths.filter((path, at) => paths.indexOf(path) < at);
    assert.ok(repeated.length >= 1, paths.join());
    assert.deepEqual(repeated, [...new Set(repeated)], 'once each');
  });
}

test('what is closed on a fresh connection, or after a byte of an answer, is not repeated', async (t) => {
  const closing = await raw(t, (socket) => socket.once('data', () => socket.resetAndDestroy()));
  const first = await sender(t).send({ url: closing.url, headers, body });
  assert.equal(first.error, 'the connection was closed before the answer');
  assert.equal(closing.connections.length, 1);

  let requests = 0;
  const partly = await raw(t, (socket) =>
    socket.on('data', () => {
      requests += 1;
      if (requests === 1) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      else socket.end('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
    }),
  );
  const made = sender(t);
  await made.send({ url: partly.url, headers, body });
  await nextTurn();
  const second = await made.send({ url: partly.url, headers, body });
  assert.equal(second.error, 'the connection was closed before the answer');
  assert.equal(requests, 2);
});

test('a repeat that is closed, too, fails', async (t) => {
  let requests = 0;
  const server = await raw(t, (socket) =>
    socket.on('data', () => {
      requests += 1;
      if (requests === 1) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      else socket.resetAndDestroy();
    }),
  );
  const made = sender(t);
  await made.send({ url: server.url, headers, body });
  await nextTurn();
  const result = await made.send({ url: server.url, headers, body });
  assert.equal(result.error, 'the connection was closed before the answer');
  assert.ok(requests <= 3, `${requests}`);
});

/** The one that answers, and the silent one in the order of the resolver. */
const families = [
  ['127.0.0.1', ['127.0.0.2', '127.0.0.1']],
  ['127.0.0.1', ['::1', '127.0.0.1']],
  ['::1', ['127.0.0.1', '::1']],
  ['::1', ['::1', '127.0.0.1']],
] as const;
for (const [answering, addresses] of families) {
  const silentOne = addresses.find((address) => address !== answering) ?? '';
  test(`${answering} is reached while ${silentOne} is silent, of ${addresses}`, async (t) => {
    const server = createHttpServer((request, response) => {
      request.resume().on('end', () => response.end('here'));
    });
    await new Promise<void>((done) => server.listen(0, answering, done));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const silent = await silentAddress(silentOne, port);
    t.after(() => silent.close());
    const made = sender(t, { resolve: async () => addresses });
    const result = await made.send({ url: `http://two.example:${port}/`, headers, body });
    assert.deepEqual([result.responseStatus, result.responseBody], [200, 'here']);
  });
}

test('a handshake of a second is waited for, though there is another address', async (t) => {
  const free = await receiver(t, (response) => response.end());
  await free.close();
  const silent = await silentAddress('127.0.0.2', free.port);
  t.after(() => silent.close());
  const made = sender(t, { resolve: async () => ['127.0.0.2', '127.0.0.1'] });
  const sending = made.send({ url: `http://two.example:${free.port}/`, headers, body });
  // Linux asks again a second after the first packet.
  setTimeout(silent.answer, 500);
  const result = await sending;
  assert.deepEqual([result.responseStatus, result.responseBody], [200, 'late']);
});

test('a hanging receiver delays no other delivery, even at its origin', async (t) => {
  const hanging: ServerResponse[] = [];
  const server = await receiver(t, (response, { path }) => {
    if (path === '/hang') hanging.push(response);
    else response.end('ok');
  });
  const other = await receiver(t, (response) => response.end('ok'));
  const made = sender(t);
  const { origin } = new URL(server.url);
  let answered = 0;
  const send = async (url: string) => (await made.send({ url, headers, body })).responseStatus;
  const stuck: Promise<number | null>[] = [];
  // No attempt ends by its time: a busy machine takes long for so many connections.
  const { setTimeout: usual } = globalThis;
  const endless = (run: () => void, ms: number, ...rest: never[]) =>
    usual(run, ms === SEND_TIMEOUT_MS ? DAY_MS : ms, ...rest);
  t.mock.method(globalThis, 'setTimeout', endless as typeof usual);
  while (stuck.length < IN_FLIGHT_MAX - 1) {
    // A server has a queue of 511 connections.
    const count = Math.min(500, IN_FLIGHT_MAX - 1 - stuck.length);
    for (let left = count; left > 0; left -= 1) {
      stuck.push(send(`${origin}/hang`).finally(() => (answered += 1)));
    }
    while (hanging.length < stuck.length && answered === 0) await nextTurn();
  }
  // All of these end while all of those hang.
  for (const url of [`${origin}/fine`, other.url, `${origin}/fine`]) {
    assert.equal(await send(url), 200);
  }
  assert.equal(answered, 0);
  for (const response of hanging) response.end();
  assert.ok((await Promise.all(stuck)).every((status) => status === 200));
});

test('without allowPrivate nothing is sent to this machine, by number or by name', async (t) => {
  const server = await receiver(t, (response) => response.end(), 'https');
  const made = sender(t, { allowPrivate: false, resolve: async () => ['127.0.0.1'] });
  const byNumber = await made.send({ url: server.url, headers, body });
  assert.match(byNumber.error ?? '', /special address/);
  const byName = await made.send({ url: `https://hooks.example:${server.port}/`, headers, body });
  assert.equal(byName.error, 'the host has an address that is not public');
  const plain = await made.send({ url: server.url.replace('https', 'http'), headers, body });
  assert.equal(plain.error, 'The URL must use https.');
  assert.equal(server.connections.length, 0);
});

test('closing ends requests in flight immediately, and nothing is sent afterwards', async (t) => {
  const server = await receiver(t, () => undefined);
  const made = sender(t);
  const sending = made.send({ url: server.url, headers, body });
  while (server.requests.length === 0) await new Promise((done) => setImmediate(done));
  await made.close();
  assert.equal((await sending).error, 'sending was stopped');
  const later = await made.send({ url: server.url, headers, body });
  assert.equal(later.error, 'sending was stopped');
  assert.equal(server.requests.length, 1);
});

test('closing ends what hangs before an answer, wherever it hangs', async (t) => {
  const silent = await raw(t, () => undefined);
  const looking = Promise.withResolvers<void>();
  const resolve = () => {
    looking.resolve();
    return new Promise<never>(() => undefined);
  };
  const made = sender(t, { resolve });
  const sending = [
    'https://unresolved.example/hook',
    `https://127.0.0.1:${silent.port}/handshake`,
    `http://127.0.0.1:${silent.port}/answer`,
  ].map((url) => made.send({ url, headers, body }));
  await looking.promise;
  while (silent.connections.length < 2) await new Promise((done) => setImmediate(done));
  await Promise.all([made.close(), made.close()]);
  for (const { error } of await Promise.all(sending)) assert.equal(error, 'sending was stopped');
});

test('law: with any URL and headers it answers and does not throw', async (t) => {
  const made = sender(t, {
    allowPrivate: false,
    resolve: () => Promise.reject(new Error('no network here')),
  });
  const url = fc.oneof(fc.string(), fc.webUrl({ withFragments: true }), fc.webAuthority());
  await fc.assert(
    fc.asyncProperty(url, anyText, anyText, async (to, name, value) => {
      const result = await made.send({ url: to, headers: { [name]: value }, body });
      assert.equal(result.responseStatus, null);
      assert.ok((result.error?.length ?? 0) > 0 && (result.error?.length ?? 0) < 120);
    }),
  );
});

test('the limit is never longer than the leases of deliveries are made for', () => {
  for (const timeoutMs of [0, -1, 10_001, Number.NaN]) {
    assert.throws(() => webhookSender({ allowPrivate: true, timeoutMs }), AssertionFailure);
  }
});

const unresolved: readonly (readonly [readonly unknown[], string])[] = [
  [[], 'the host name does not exist'],
  [['garbage'], 'the host name could not be resolved'],
  [[undefined], 'the host name could not be resolved'],
];

test('a host name without addresses is a failed attempt', async (t) => {
  for (const [addresses, text] of unresolved) {
    const resolve = async () => addresses as readonly string[];
    const result = await sender(t, { allowPrivate: false, resolve }).send({
      url: 'https://hooks.example/',
      headers,
      body,
    });
    assert.deepEqual([result.responseStatus, result.error], [null, text]);
  }
});
