// The clients in Python and PHP, with the examples beside them, against a host: each language that
// this machine has. The name of the last test says which ones those are.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { createServer as createWebServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { routes } from '../adapters/http/routes.js';
import { clientCalls } from '../adapters/pages/documentation/clients.js';
import type { Description } from '../adapters/pages/documentation/description-view.js';
import {
  keyPlace,
  languages,
  parseRequest,
  snakeOf,
} from '../adapters/pages/documentation/example-request.js';
import { faultNames } from '../cli/certify/certify-faults.js';
import type { CertifyReport } from '../cli/certify/certify-report.js';
import { signedHeaders, signingKeys } from '../core/domain/webhooks/signature.js';
import { createPonte } from '../host/embed.js';
import { runCommand } from './support/servers/command.js';
import { projectRoot } from './support/source-tree.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { until } from './support/wait.js';

const programs = [
  {
    command: 'python3',
    ending: 'py',
    sample: 'Python',
    serve: (_: number, name: string) => [`${name}.py`],
    reading: (url: string) => [
      `from ponte import Ponte\nponte = Ponte("${url}", api_key="pk_test_1.2")`,
      'try:\n    ponte.read_payment("pi_1")\nexcept OSError as lost:\n    print(lost)',
    ],
    counting: (url: string, key: string, lists: readonly AList[]) => [
      `from ponte import Ponte\nponte = Ponte("${url}", api_key="${key}")`,
      ...lists.flatMap(({ id, given }) =>
        limits.map((limit) => {
          const name = snakeOf(id).replace(/^[a-z]+/, 'iter');
          return `print("${id}", len(list(ponte.${name}(${given}limit=${limit}))))`;
        }),
      ),
    ],
  },
  {
    command: 'php',
    sample: 'PHP',
    ending: 'php',
    serve: (port: number, name: string) => ['-S', `127.0.0.1:${port}`, `${name}.php`],
    reading: (url: string) => [
      `<?php require 'ponte.php'; $ponte = new Ponte\\Client("${url}", apiKey: "pk_test_1.2");`,
      "try { $ponte->readPayment('pi_1'); }",
      'catch (Ponte\\NoAnswer $lost) { echo $lost->getMessage(); }',
    ],
    counting: (url: string, key: string, lists: readonly AList[]) => [
      `<?php require 'ponte.php'; $ponte = new Ponte\\Client("${url}", apiKey: "${key}");`,
      ...lists.flatMap(({ id, given }) =>
        limits.map((limit) => {
          const rows = `$ponte->${id.replace(/^[a-z]+/, 'iterate')}(${given}limit: ${limit})`;
          return `echo "${id} ", count(iterator_to_array(${rows})), "\\n";`;
        }),
      ),
    ],
  },
] as const;

/** `given`: the arguments of its path. */
interface AList {
  readonly id: string;
  readonly given: string;
}
/** One row a page, and all rows in one. */
const limits = [1, 100] as const;

/** Lists that go on with a cursor or after a row, with a key; the feed has no end. */
function listsOf(ids: Readonly<Record<string, string>>): readonly AList[] {
  return routes.flatMap(({ operations, query, access: { auth } }) => {
    const isPaged =
      query instanceof z.ZodObject && ('cursor' in query.shape || 'after' in query.shape);
    if (!isPaged || auth === 'session') return [];
    return Object.entries(operations).flatMap(([id, path]) => {
      const given = path.includes('{id}') ? `"${ids[id]}", ` : '';
      return id === 'readEvents' ? [] : [{ id, given }];
    });
  });
}
const installed = programs.filter(({ command }) => {
  return spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
});
const secret = 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0';

for (const { command, ending, sample, serve, counting, reading } of installed) {
  /** A folder as an integrator has it: the client of the host, and the examples. */
  const folderOf = async (read: (path: string) => Promise<Response>) => {
    const folder = temporaryFolder();
    const client = await (await read(`/docs/clients/ponte.${ending}`)).text();
    writeFileSync(join(folder, `ponte.${ending}`), client);
    for (const start of ['quickstart', 'webhook_receiver', 'integration']) {
      const name = `${start}.${ending}`;
      copyFileSync(join(projectRoot, 'test/examples', name), join(folder, name));
    }
    return folder;
  };

  test(`${command}: the quickstart creates, waits, lists and reads a refusal`, async (t) => {
    const ponte = await createPonte();
    t.after(() => ponte.close());
    const folder = await folderOf((path) => ponte.fetch(path));
    const url = await ponte.listen();
    const env = { ...process.env, PONTE_URL: url, PONTE_KEY: ponte.apiKey };
    const program = spawn(command, [`quickstart.${ending}`], { cwd: folder, env });
    const said: string[] = [];
    for (const out of [program.stdout, program.stderr])
      out.on('data', (part) => said.push(`${part}`));
    await new Promise((ended) => program.once('close', ended));
    const right = ['created 250.00 USD', 'settled True', 'listed True', 'refused NotFound'];
    assert.deepEqual(said.join('').trim().split('\n'), right);
  });

  test(`${command}: the samples of the reference run beside the client`, async (t) => {
    const ponte = await createPonte();
    t.after(() => ponte.close());
    const description = (await (await ponte.fetch('/docs-json')).json()) as Description;
    const callOf = clientCalls(description);
    const folder = await folderOf((path) => ponte.fetch(path));
    const url = await ponte.listen();
    const order =
      '{ "externalId": "o-$1", "amount": "250.00", "buyer": { "email": "a@b.example" } }';
    const samples = [
      [`POST /v1/payment-intents\nIdempotency-Key: o-1\n\n${order}`, /awaiting_buyer/],
      ['POST /v1/test-helpers/payments/ext_o-$1/advance\n\n{}', /o-\$1/],
      ['GET /v1/payments?limit=1', /o-\$1/],
    ] as const;
    for (const [text, right] of samples) {
      const request = parseRequest(text);
      const call = callOf(request);
      assert.ok(call !== null, text);
      const program = languages[sample](request, url, call).replace(keyPlace, ponte.apiKey);
      writeFileSync(join(folder, `sample.${ending}`), program);
      const run = promisify(execFile)(command, [`sample.${ending}`], { cwd: folder });
      assert.match((await run).stdout, right);
    }
  });

  test(`${command}: each list has all its rows, page after page`, async (t) => {
    const ponte = await createPonte();
    t.after(() => ponte.close());
    const hook = { url: 'https://receiver.example/', eventTypes: ['*'] };
    const { id: subscriptionId } = await ponte.post('/v1/webhook-subscriptions', hook);
    for (const at of ['1', '2', '3']) {
      const sent = { amount: '250.00', buyer: { email: `b${at}@buyer.example` } };
      await ponte.post('/v1/payment-intents', { ...sent, externalId: at });
      await ponte.post('/v1/invoices', sent);
      await ponte.post('/v1/accounts', { role: 'seller', entityType: 'business' });
      await ponte.post(`/v1/test-helpers/payments/ext_${at}/advance`, {});
      await ponte.runUntilIdle();
    }
    // Entries are read a minute after they were booked.
    await ponte.advanceTime(120_000);
    const folder = await folderOf((path) => ponte.fetch(path));
    const lists = listsOf({
      readPaymentTimeline: 'ext_1',
      listWebhookDeliveries: String(subscriptionId),
    });
    const program = counting(await ponte.listen(), ponte.apiKey, lists);
    writeFileSync(join(folder, `lists.${ending}`), program.join('\n'));
    const { stdout } = await promisify(execFile)(command, [`lists.${ending}`], { cwd: folder });
    const said = stdout.trim().split('\n');
    for (const [at, { id }] of lists.entries()) {
      const [paged, whole] = said.slice(2 * at, 2 * at + 2);
      assert.equal(paged, whole);
      assert.match(whole ?? '', new RegExp(`^${id} ([3-9]|[1-9][0-9]+)$`));
    }
  });

  test(`${command}: 200 with the page of a proxy, or nothing, is no answer`, async (t) => {
    const ponte = await createPonte();
    t.after(() => ponte.close());
    const folder = await folderOf((path) => ponte.fetch(path));
    for (const text of ['<html>Sign in</html>', '']) {
      let asked = 0;
      const proxy = createWebServer((_, response) => {
        asked += 1;
        response.end(text);
      });
      await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
      t.after(() => proxy.close());
      const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      writeFileSync(join(folder, `read.${ending}`), reading(url).join('\n'));
      const { stdout } = await promisify(execFile)(command, [`read.${ending}`], { cwd: folder });
      assert.match(stdout, /^the answer is not JSON: is base_?url the service\?/i);
      assert.equal(asked, 4);
    }
  });

  test(`${command}: the integration passes all faults of ponte certify`, async (t) => {
    const ponte = await createPonte();
    t.after(() => ponte.close());
    const folder = await folderOf((path) => ponte.fetch(path));
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const words = ['certify', '--receiver', `${base}/webhooks`, '--probe', `${base}/probe`];
    const program = [command, ...serve(port, 'integration')].join(' ');
    const started = `cd ${folder} && TMPDIR=. exec ${program}`;
    const rest = ['--port', '0', '--json', '--', 'sh', '-c', started];
    const { stdout, stderr } = await runCommand({}, [...words, ...rest]);
    const { results } = JSON.parse(stdout) as Pick<CertifyReport, 'results'>;
    const wrong = results.filter(({ verdict }) => verdict !== 'ok');
    assert.deepEqual([results.length, wrong], [faultNames.length, []], stderr);
  });

  test(`${command}: the receiver takes what either form of signature proves`, async (t) => {
    const ponte = await createPonte();
    t.after(() => ponte.close());
    const folder = await folderOf((path) => ponte.fetch(path));
    const port = await freePort();
    const env = { ...process.env, PORT: `${port}`, WEBHOOK_SECRET: `${secret}\n` };
    const program = spawn(command, serve(port, 'webhook_receiver'), { cwd: folder, env });
    t.after(() => program.kill());
    let said = '';
    program.stdout.on('data', (part) => (said += part));
    const send = (headers: Readonly<Record<string, string>>, body: string) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
    await until(() =>
      send({}, '{}').then(
        ({ status }) => status,
        () => null,
      ),
    );

    const body = '{"event":"payment_intent.settled","data":{"name":"São João"}}';
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const all = signedHeaders({
      keys: signingKeys(secret),
      timestampSeconds: nowSeconds,
      body,
      deliveryId: 'whd_1',
      eventType: 'payment_intent.settled',
    });
    const of = (form: RegExp) =>
      Object.fromEntries(Object.entries(all).filter(([n]) => form.test(n)));
    const [own, standard] = [of(/^X-Service/), of(/^webhook-/)];
    const late = { ...standard, 'webhook-timestamp': `${nowSeconds - 301}` };
    const statuses = [
      [own, body, 204],
      [standard, body, 204],
      [own, `${body} `, 400],
      [standard, `${body} `, 400],
      [late, body, 400],
      [{}, body, 400],
      [{ ...own, 'X-Service-Signature': 't=1' }, body, 400],
    ] as const;
    for (const [headers, sent, right] of statuses) {
      assert.equal((await send(headers, sent)).status, right, JSON.stringify(headers));
    }
    assert.match(said, /^payment_intent\.settled\n/);
  });
}

const names = installed.map(({ command }) => command);
test(`of ${programs.length} languages ran: ${names.join(', ') || 'none'}`, () => {
  assert.ok(names.length <= programs.length);
});

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((found) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      assert.ok(typeof address === 'object' && address !== null);
      server.close(() => found(address.port));
    });
  });
}
