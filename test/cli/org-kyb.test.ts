// `ponte org submit-kyb` and `approve-kyb`: where the dossier of an organization comes from.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { openSqliteStore } from '../../adapters/storage/sqlite/store.js';
import {
  type Correction,
  dueReported,
  nothingDue,
  TERMS,
} from '../../core/domain/parties/party-due.js';
import { aProductionRequest } from '../support/samples/domain-samples.js';
import { runCommand } from '../support/servers/command.js';
import type { Json } from '../support/servers/json-call.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const env = {
  PONTE_DATA_DIR: folder,
  PONTE_FAKE_PARTNER_DELAY_MS: '0',
  PONTE_PARTNER_LIVE: 'fake',
  PONTE_LOG_LEVEL: 'silent',
} as const;
const cnpj = '11.222.333/0001-81';
const whole = ['--email', 'finance@acme.example', '--legal-name', 'Acme Ltda', '--cnpj', cnpj];

before(() => ponte(['migrate']));

async function ponte(words: readonly string[], input = '') {
  const { status, stdout } = await runCommand(env, [...words, '--json'], input);
  return { status, json: JSON.parse(stdout) as Json };
}

async function newOrganization(): Promise<string> {
  const { json } = await ponte(['org', 'create', '--name', 'Acme', '--no-sandbox-kyb']);
  return String(json['id']);
}

async function submitted(mode: string, words: readonly string[], input = '', verb = 'submit-kyb') {
  const id = await newOrganization();
  const { status, json } = await ponte(['org', verb, id, '--mode', mode, ...words], input);
  if (status !== 0) return `${status} ${json['message']}`;
  return (json[mode] as Json)['kybStatus'];
}

/** A file with this text. */
function fileWith(text: string): string {
  const path = join(folder, 'dossier.json');
  writeFileSync(path, text);
  return path;
}

test('in test mode sandbox values fill in missing fields for the fake partner', async () => {
  for (const words of [[], ['--email', 'finance@acme.example'], whole]) {
    assert.equal(await submitted('test', words), 'approved');
  }
  assert.equal(
    await submitted('test', ['--legal-name', 'Fail']),
    'rejected',
    'what is given counts',
  );
  assert.equal(await submitted('test', [], '', 'approve-kyb'), 'approved');
});

test('in live mode missing fields are refused', async () => {
  assert.match(`${await submitted('live', [])}`, /^2 email, legalName, cnpj: /);
  assert.match(`${await submitted('live', whole.slice(0, 4))}`, /^2 cnpj: /);
  assert.equal(await submitted('live', whole), 'approved');
});

test('an approval of a KYB that was never submitted needs the dossier', async () => {
  const id = await newOrganization();
  await ponte(['org', 'support', id, '--email', 'help@acme.example']);
  await ponte(['org', 'grant-production', id]);
  const approve = (words: readonly string[]) =>
    ponte(['org', 'approve-kyb', id, '--mode', 'live', ...words]);
  const refused = await approve([]);
  assert.deepEqual([refused.status, refused.json['error']], [2, 'ValidationError']);
  assert.equal((await approve(whole)).status, 0);
});

test('fields come from a file or standard input, and options override them', async () => {
  const dossier = {
    email: 'finance@acme.example',
    legalName: 'Fail',
    website: 'https://acme.example',
  };
  // As an editor of Windows writes it.
  const text = `\u{feff}${JSON.stringify(dossier, null, 2).replaceAll('\n', '\r\n')}\r\n`;
  const named = ['--cnpj', cnpj, '--legal-name', 'Acme Ltda'];
  assert.equal(await submitted('live', ['--dossier', fileWith(text), ...named]), 'approved');
  assert.equal(await submitted('live', ['--dossier', '-', ...named], text), 'approved');
  assert.equal(await submitted('live', ['--dossier', '-', '--cnpj', cnpj], text), 'rejected');
});

test('invalid fields are refused by path in both modes', async () => {
  for (const mode of ['test', 'live']) {
    for (const [words, input, message] of [
      [['--cnpj', '11.222.333/0001-82'], '', /^2 cnpj: /],
      [['--email', 'nobody'], '', /^2 email: /],
      [['--dossier', '-'], '{"emial":"a@acme.example"}', /^2 emial: /],
      [['--dossier', '-'], '{"tosId":"tos_1"}', /^2 tosId: /],
      [['--dossier', '-'], '{"owners":[{"firstName":1}]}', /^2 owners\[0\]\.firstName: /],
      [['--dossier', '-'], '[]', /^2 dossier: /],
      [['--dossier', '-'], '{"cnpj":"secret', /^2 dossier: must be valid JSON\.$/],
      [['--dossier', '-'], '{"cnpj":"1","cnpj":"2"}', /^2 cnpj: the name occurs twice/],
      [['--dossier', '-'], '', /^2 dossier: it is empty/],
      [['--dossier', join(folder, 'nothing.json')], '', /^2 dossier: .*ENOENT/],
    ] as const) {
      assert.match(`${await submitted(mode, words, input)}`, message, words.join(' '));
    }
  }
});

test('what the partner wants is shown, and answered by a dossier with it', async () => {
  const id = await newOrganization();
  const at = [id, '--mode', 'live'];
  const named = ['--email', 'a@acme.example', '--legal-name', 'More', '--cnpj', cnpj];
  const asked = await ponte(['org', 'submit-kyb', ...at, ...named]);
  const live = asked.json['live'] as Json;
  const { due } = live['requirements'] as { readonly due: readonly Json[] };
  assert.deepEqual(
    [live['kybStatus'], due.map(({ field }) => field)],
    ['verifying', ['addressLine1']],
  );
  const shown = await runCommand(env, ['org', 'show', id]);
  assert.match(
    shown.stdout,
    /due in live +addressLine1: .*; Answer, due 20.*: ponte org submit-kyb/,
  );
  const answer = JSON.stringify({ addressLine1: 'Rua 1' });
  const { json } = await ponte(['org', 'submit-kyb', ...at, '--dossier', '-'], answer);
  const after = json['live'] as Json;
  assert.deepEqual(
    [after['kybStatus'], after['requirements']],
    ['approved', { due: [], dueBy: null }],
  );
});

test('what is next is to wait for the partner, or to accept its terms', async () => {
  const id = await newOrganization();
  const next = async () => {
    const { stdout } = await runCommand(env, ['org', 'show', id]);
    return /^next +(.*)$/m.exec(stdout)?.[1];
  };
  assert.equal(await next(), `ponte org submit-kyb ${id} --mode test --dossier <file>`);
  const store = openSqliteStore({ path: join(folder, 'ponte.db') });
  const verifying = (corrections: readonly Correction[]) =>
    store.run(async (tx) => {
      const profile = await tx.organizations.profile({ orgId: id, mode: 'test' });
      assert.ok(profile !== null);
      tx.organizations.updateProfile({
        ...profile,
        ...dueReported(nothingDue, { corrections }),
        status: 'verifying',
      });
    });
  await verifying([]);
  assert.equal(await next(), 'wait: the partner verifies the organization');
  await verifying([{ field: TERMS, reason: '' }]);
  assert.equal(await next(), `ponte org accept-tos ${id} --mode test`);
  await verifying([{ field: 'addressLine1', reason: '' }]);
  assert.equal(await next(), `ponte org submit-kyb ${id} --mode test --dossier <file>`);
  await store.close();
});

test('requests for production are listed while they wait, and refused with a reason', async () => {
  const orgId = await newOrganization();
  const store = openSqliteStore({ path: join(folder, 'ponte.db') });
  const request = aProductionRequest({ orgId, id: 'prq_9', requestedBy: 'mem_9' });
  await store.run(async (tx) => tx.productionRequests.insert(request));
  await store.close();
  const listed = async () => ((await ponte(['org', 'requests'])).json['data'] as Json[]).length;
  assert.equal(await listed(), 1);
  const refuse = ['org', 'refuse-production', orgId];
  assert.equal((await ponte([...refuse, '--reason', ' '])).status, 2);
  const { json } = await ponte([...refuse, '--reason', 'Name your buyers.']);
  assert.deepEqual(
    [json['id'], json['state'], json['sells'], json['reason']],
    ['prq_9', 'refused', request.answers.sells, 'Name your buyers.'],
  );
  assert.equal(await listed(), 0);
  assert.equal((await ponte([...refuse, '--reason', 'again'])).status, 3);
});
