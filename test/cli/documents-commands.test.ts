// The proof of a purge, from an integrator's upload to the operator's list: a real host keeps real
// files, and after the decision there are none.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { runCommand } from '../support/servers/command.js';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.js';
import { type Json, jsonCall } from '../support/servers/json-call.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { valuesOf } from '../support/values-of.js';

const folder = temporaryFolder();
const env = { PONTE_DATA_DIR: join(folder, 'data'), PONTE_FAKE_PARTNER_DELAY_MS: '0' } as const;

const suite = suiteEnd();
const host = await startHostProcess(env);
suite.after(() => host.kill());

async function run(words: string): Promise<string> {
  const { status, stdout, stderr } = await runCommand(env, words.split(' '));
  assert.deepEqual([status, stderr], [0, '']);
  return stdout;
}

async function listed(more = ''): Promise<readonly Json[]> {
  const list = JSON.parse(await run(`documents list${more} --json`)) as { readonly data: Json[] };
  return list.data;
}

async function post(path: string, body: unknown, by: HostProcess = host): Promise<Json> {
  return (await jsonCall(by, by.key ?? '', path, body)).body;
}

/** Asks for an upload URL under `path`, uploads, and answers with the public URL. */
async function uploaded(path: string, kind: string): Promise<unknown> {
  const upload = await post(`${path}/upload-url`, { kind, contentType: 'image/jpeg' });
  const sent = await fetch(String(upload['uploadUrl']), {
    method: String(upload['uploadMethod']),
    headers: upload['uploadHeaders'] as Record<string, string>,
    body: `bytes of ${kind}`,
  });
  assert.equal(sent.status, 200);
  return upload['publicUrl'];
}

async function untilNoneIsKept(): Promise<void> {
  while ((await listed()).length > 0) await wait(100);
}

const files = () =>
  readdirSync(join(env.PONTE_DATA_DIR, 'documents')).filter((name) => name.startsWith('doc_'));

for (const [decision, firstName] of [
  ['approved', 'Ana'],
  ['rejected', 'Fail'],
] as const) {
  test(`a buyer's documents are kept and listed; when it is ${decision} none is left`, async () => {
    const buyerEmail = `${firstName}@example.com`;
    const { buyerId } = await post('/v1/buyer-kyc', { buyerEmail });
    const path = `/v1/buyer-kyc/${buyerId}`;
    const selfieFile = await uploaded(path, 'selfie');
    const idDocFrontFile = await uploaded(path, 'id_doc_front');
    const kept = (await listed()).toSorted((a, b) => (`${a['kind']}` < `${b['kind']}` ? -1 : 1));
    assert.deepEqual(
      kept.map((row) => [row['status'], row['kept'], row['party'], row['partyId'], row['kind']]),
      ['id_doc_front', 'selfie'].map((kind) => ['stored', true, 'buyer', buyerId, kind]),
    );
    assert.equal(files().length, 2);
    await post('/v1/buyer-kyc', {
      buyerEmail,
      entityType: 'individual',
      firstName,
      lastName: 'Lima',
      dateOfBirth: '1990-01-31',
      idDocCountry: 'PT',
      idDocType: 'PASSPORT',
      selfieFile,
      idDocFrontFile,
    });
    await untilNoneIsKept();
    assert.deepEqual(files(), []);
    assert.equal(await run('documents list'), 'No documents are stored.\n');
    const purged = (await listed(' --all')).filter((row) => row['partyId'] === buyerId);
    assert.deepEqual(
      purged.map(({ status, kept, purgedAt }) => [status, kept, purgedAt !== null]),
      [
        ['purged', false, true],
        ['purged', false, true],
      ],
    );
  });
}

test('what a seller uploaded is gone when it is approved, used or not', async () => {
  const { id } = await post('/v1/connected-accounts', { role: 'seller', entityType: 'business' });
  await uploaded(`/v1/accounts/${id}`, 'incorporation_doc');
  assert.equal(files().length, 1);
  const account = await post(`/v1/accounts/${id}/submit`, {
    email: 'ana@example.com',
    legalName: 'Lima Ltda',
    cnpj: '11.222.333/0001-81',
  });
  assert.equal(account['status'], 'approved');
  await untilNoneIsKept();
  assert.deepEqual(files(), []);
});

test('lists go page by page; bytes that no document accounts for are shown first', async () => {
  const { buyerId } = await post('/v1/buyer-kyc', { buyerEmail: 'pages@example.com' });
  for (let count = 0; count < 3; count += 1) await uploaded(`/v1/buyer-kyc/${buyerId}`, 'selfie');
  const stray = join(env.PONTE_DATA_DIR, 'documents', 'doc_stray');
  mkdirSync(stray);
  const page = async (more: string) =>
    JSON.parse(await run(`documents list --limit 2 --json${more}`)) as {
      readonly data: readonly Json[];
      readonly nextCursor: string;
    };
  const first = await page('');
  assert.deepEqual(valuesOf(first.data, 'status'), ['unaccounted', 'stored', 'stored']);
  const second = await page(` --cursor ${first.nextCursor}`);
  assert.equal(second.data.length, 1);
  assert.equal(second.nextCursor, null);
  assert.match(await run('documents list'), /^doc_stray +unaccounted +true/m);
  rmSync(stray, { recursive: true });
});

test('a host without a document store gives no upload URLs', async () => {
  const bare = await startHostProcess({
    PONTE_DATA_DIR: join(folder, 'bare'),
    PONTE_DOCUMENTS: 'none',
  });
  const { buyerId } = await post('/v1/buyer-kyc', { buyerEmail: 'ana@example.com' }, bare);
  const body = { kind: 'selfie', contentType: 'image/png' };
  const answer = await post(`/v1/buyer-kyc/${buyerId}/upload-url`, body, bare);
  assert.deepEqual([answer['statusCode'], answer['error']], [503, 'KycStorageDisabled']);
  await bare.kill();
});
