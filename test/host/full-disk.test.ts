// A real host whose disk is full, played by a limit on the size of its files: it says so to
// clients, probes and its operator, and loses nothing that it acknowledged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHostProcess } from '../support/servers/host-process.js';
import type { Json } from '../support/servers/json-call.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** 2 or 4 MB, which the write-ahead log alone would reach. */
const FILE_BLOCKS_MAX = 4_000;

test('a host with a full disk answers 503, is not ready, and still reads', async (t) => {
  const folder = temporaryFolder();
  const env = { PONTE_DATA_DIR: folder, PONTE_RATE_LIMIT_PER_MINUTE: '0' };
  let host = await startHostProcess(env, { fileBlocksMax: FILE_BLOCKS_MAX });
  t.after(() => host.kill());
  const headers = { 'content-type': 'application/json', 'x-api-key': host.key ?? '' };
  const buyer = { email: 'ana@buyer.example' };
  const display = { memo: 'x'.repeat(16_000) };
  const create = (nth: number) => {
    const order = { externalId: `order-${nth}`, amount: '50.00', buyer, display };
    const body = JSON.stringify(order);
    return fetch(`${host.url}/v1/payment-intents`, { method: 'POST', headers, body });
  };
  const post = async (path: string, body: Json) => {
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await (await fetch(`${host.url}${path}`, sent)).json()) as Json;
  };
  const get = async (path: string) => {
    const response = await fetch(`${host.url}${path}`, { headers });
    return { status: response.status, json: (await response.json()) as Json };
  };

  const account = { role: 'buyer', entityType: 'individual', email: 'ana@buyer.example' };
  const { id } = await post('/v1/connected-accounts', account);
  const wanted = { kind: 'selfie', contentType: 'image/jpeg' };
  const upload = await post(`/v1/connected-accounts/${id}/upload-url`, wanted);
  const put = (bytes: number) =>
    fetch(String(upload['uploadUrl']), {
      method: 'PUT',
      headers: { 'content-type': 'image/jpeg' },
      body: Buffer.alloc(bytes),
    });
  assert.equal((await put(8_000_000)).status, 503);
  assert.equal((await put(8_000)).status, 200);

  let acknowledged = 0;
  let answer = await create(0);
  for (; answer.status === 201; answer = await create(acknowledged)) {
    await answer.text();
    acknowledged += 1;
  }
  assert.equal(answer.status, 503);
  assert.equal(((await answer.json()) as Json)['error'], 'StoreUnavailable');
  assert.ok(Number(answer.headers.get('retry-after')) > 0);
  const { status, json } = await get('/readyz');
  assert.equal(status, 503);
  assert.equal((json['checks'] as Json)['database'], 'failed');
  assert.equal((await get(`/v1/payments/ext_order-${acknowledged - 1}`)).status, 200);
  assert.equal((await get(`/v1/payments/ext_order-${acknowledged}`)).status, 404);

  const lines = host.log().trim().split('\n');
  // After a minute it is said again, with how often it came.
  const failed = lines.filter(
    (line) => /a worker step failed/.test(line) && !/repeated/.test(line),
  );
  const steps = failed.map((line) => (JSON.parse(line) as Json)['step']);
  assert.equal(new Set(steps).size, steps.length, 'each step says it once');
  assert.match(host.log(), /"reason":"(disk I\/O error|database or disk is full)"/);
  assert.match(host.log(), /"reason":"EFBIG: /);
  await host.kill();

  host = await startHostProcess(env);
  assert.equal((await get('/readyz')).status, 200);
  for (let nth = 0; nth < acknowledged; nth += 1) {
    assert.equal((await get(`/v1/payments/ext_order-${nth}`)).status, 200);
  }
  assert.equal((await create(acknowledged)).status, 201);
});
