// Answers that are bytes from a source, as an open file: the source is closed however the answer
// ends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { createFsDocuments } from '../../../../adapters/documents/fs.js';
import { clientAddressOver } from '../../../../adapters/http/protocol/client-address.js';
import { PackedJson } from '../../../../adapters/http/protocol/packed-json.js';
import { serve } from '../../../../adapters/http/protocol/pipeline.js';
import { Content, type Reply, route } from '../../../../adapters/http/protocol/route-row.js';
import { createRouter } from '../../../../adapters/http/protocol/router.js';
import { DOCUMENT_BYTES_MAX } from '../../../../core/domain/parties/document.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { until } from '../../../support/wait.js';
import { allWell, checkedSite, refusalOf } from '../checked-site.js';
import { newUpload, pathOf } from '../resources/buyer-calls.js';

/** Far more than a connection takes before its client reads. */
const LARGE = DOCUMENT_BYTES_MAX;

/** A server with one row, whose body is a source of this many bytes. */
async function contentSite(t: TestContext, source: () => AsyncIterable<Uint8Array>) {
  const { world } = await checkedSite(t);
  const counts = { opened: 0, closed: 0 };
  let gate = Promise.resolve();
  const handler = async (): Promise<Reply> => {
    counts.opened += 1;
    const bytes = { [Symbol.asyncIterator]: () => source()[Symbol.asyncIterator](), close: ended };
    await gate;
    const body = new Content({ type: 'text/plain', sizeBytes: LARGE, bytes });
    return { status: 200, body, headers: { etag: '"1"' } };
  };
  const ended = async () => {
    counts.closed += 1;
  };
  const row = route({
    method: 'GET',
    operations: { read: '/content' },
    summary: '',
    handler,
    access: { auth: 'none', scope: 'none', modes: 'both', rateLimit: 'none' },
    responses: { 200: ['text/plain'], 304: [] },
  });
  const pipeline = {
    context: {
      deps: world.deps,
      feedReaders: world.feedReaders,
      readiness: async () => allWell,
      description: () => ({ body: new PackedJson('{}'), etag: '' }),
      document: async () => null,
      missingPage: async () => null,
    },
    router: createRouter([row]),
    turnOf: () => null,
    limits: { bytesMax: 1_024, timeoutMs: 1_000 },
    corsOrigins: new Set<string>(),
    clientAddress: clientAddressOver([]),
    hostNames: null,
    stopping: new AbortController().signal,
    isLastAnswer: () => false,
  };
  const failures: unknown[] = [];
  const server = createServer((request, response) => {
    serve(pipeline, request, response).catch((error: unknown) => {
      failures.push(error);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    counts,
    failures,
    port: (server.address() as AddressInfo).port,
    /** Handlers answer when what is returned is called. */
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

async function* megabytes(): AsyncIterable<Uint8Array> {
  for (let bytes = 0; bytes < LARGE; bytes += 65_536) yield Buffer.alloc(65_536);
}

async function asked(port: number, method: string, headers = '') {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${method} /content HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
  return socket;
}

describe('the source of an answer is closed', () => {
  for (const [name, method, headers, status] of [
    ['of HEAD, which reads none of it', 'HEAD', '', 200],
    ['of an answer that the client has (304)', 'GET', 'If-None-Match: "1"\r\n', 304],
    ['once it is sent', 'GET', '', 200],
  ] as const) {
    test(name, async (t) => {
      const { counts, failures, port } = await contentSite(t, megabytes);
      const socket = await asked(port, method, `${headers}Connection: close\r\n`);
      let text = '';
      for await (const chunk of socket) text += String(chunk).slice(0, 20);
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `));
      await until(() => counts.closed > 0);
      assert.deepEqual({ ...counts, failures }, { opened: 1, closed: 1, failures: [] });
    });
  }

  test('when the client goes away in the middle', async (t) => {
    const { counts, failures, port } = await contentSite(t, megabytes);
    const socket = await asked(port, 'GET');
    await once(socket, 'data');
    socket.destroy();
    await until(() => counts.closed > 0);
    assert.deepEqual({ ...counts, failures }, { opened: 1, closed: 1, failures: [] });
  });

  test('when the client is gone before the answer', async (t) => {
    const { counts, failures, port, hold } = await contentSite(t, megabytes);
    const answerNow = hold();
    for (const method of ['GET', 'HEAD']) {
      const socket = await asked(port, method);
      await until(() => counts.opened > counts.closed);
      socket.destroy();
      await once(socket, 'close');
    }
    await until(() => counts.opened === 2);
    answerNow();
    await until(() => counts.closed === 2);
    assert.deepEqual(failures, []);
  });

  test('when it fails in the middle: the answer breaks off and the failure is known', async (t) => {
    const failing = async function* () {
      yield Buffer.alloc(10);
      throw new Error('the disk is gone');
    };
    const { counts, failures, port } = await contentSite(t, failing);
    const socket = await asked(port, 'GET');
    await assert.rejects(async () => {
      for await (const _ of socket);
      throw new Error('cut off');
    });
    await until(() => counts.closed > 0 && failures.length > 0);
    assert.match(String(failures[0]), /the disk is gone/);
  });
});

test('reading a document never leaves a file open', async (t) => {
  const folder = temporaryFolder();
  const site = await checkedSite(t);
  Object.assign(site.world.deps, { documents: createFsDocuments(folder) });
  const tenant = await site.world.newTenant();
  const upload = await newUpload(site.world, tenant);
  const [path, writePath] = [pathOf(upload.publicUrl), pathOf(upload.uploadUrl)];
  const png = { 'content-type': 'image/png' };
  const body = Buffer.alloc(DOCUMENT_BYTES_MAX);
  assert.equal((await site.call('PUT', writePath, { headers: png, body })).status, 200);
  const allClosed = () => until(() => openFiles(folder).length === 0);
  for (const method of ['HEAD', 'GET']) {
    assert.equal((await site.call(method, path)).status, 200);
    await allClosed();
  }
  const socket = connect(site.port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await once(socket, 'data');
  assert.equal(openFiles(folder).length, 1);
  socket.destroy();
  await allClosed();
  assert.equal(refusalOf(await site.call('GET', `${path}0`)), '401 InvalidSignature');
  await allClosed();
});

/** Of this process, as the operating system has them. */
function openFiles(folder: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(join('/proc/self/fd', descriptor));
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // Closed since the folder was read.
      return [];
    }
  });
}
