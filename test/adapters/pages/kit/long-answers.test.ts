// An answer in parts waits for its reader between them, and ends with it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { pageMatcher } from '../../../../adapters/pages/kit/page-match.js';
import { servePage } from '../../../../adapters/pages/kit/page-pipeline.js';
import {
  type PageAnswer,
  type PageContext,
  pageRow,
} from '../../../../adapters/pages/kit/page-route.js';

/** More than a socket buffers, so that each part waits for the reader. */
const part = 'x'.repeat(256 * 1024);

async function answered(parts: (response: ServerResponse) => AsyncIterable<string>) {
  let served: ServerResponse | null = null;
  const row = pageRow({
    subject: 'none',
    method: 'GET',
    path: '/long',
    auth: 'none',
    csrf: 'none',
    limit: 'none',
    form: 'none',
    async handler(): Promise<PageAnswer> {
      assert.ok(served !== null);
      return { status: 200, headers: {}, cookies: [], body: parts(served) };
    },
  });
  const site = {
    match: pageMatcher([row]),
    errorPage: () => assert.fail('no refusal'),
  };
  const context = { deps: { metrics: null }, prefix: '', secure: false };
  const server = createServer((request, response) => {
    served = response;
    const about = {
      requestId: 'req_1',
      client: null,
      stopping: new AbortController().signal,
      timeoutMs: 1_000,
      turnOf: () => null,
      freshDeps: () => assert.fail('no store'),
      readBody: () => assert.fail('no body'),
    };
    void servePage(site, context as unknown as PageContext, request, response, about);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await (await fetch(`http://127.0.0.1:${port}/long`)).text();
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

test('waiting for the reader leaves no listener behind', async () => {
  const counts: number[] = [];
  const text = await answered(async function* (response) {
    for (let at = 0; at < 20; at += 1) {
      counts.push(response.listenerCount('close'));
      yield part;
    }
  });
  assert.equal(text.length, 20 * part.length);
  assert.deepEqual(new Set(counts).size, 1, `${counts}`);
});

test('other requests are served while parts are made, however fast they are read', async () => {
  let turns = 0;
  const count = setInterval(() => {
    turns += 1;
  });
  async function* parts() {
    for (let part = 0; part < 20; part += 1) {
      const startedMs = performance.now();
      while (performance.now() - startedMs < 8);
      yield 'a part that no buffer waits for';
    }
  }
  await answered(() => parts());
  clearInterval(count);
  assert.ok(turns >= 5, `${turns} turns`);
});
