// One operator alone, in live mode: every command is given by its example, and by the words with
// which it would give most. Nobody gets authority, and nothing that is printed signs in.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { Command } from 'commander';
import { openSqliteStore } from '../../adapters/storage/sqlite/store.js';
import { authorityOf, commandPath, exampleOf } from '../../cli/operator.js';
import { createProgram } from '../../cli/program.js';
import { hashSecret, parseApiKey } from '../../core/domain/access/api-key.js';
import type { Member } from '../../core/domain/access/member.js';
import { aPasskey } from '../support/samples/domain-samples.js';
import { runCommand } from '../support/servers/command.js';
import { loginOf, registerOperators } from '../support/servers/operator-login.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const env = {
  PONTE_DATA_DIR: folder,
  PONTE_LOG_LEVEL: 'silent',
  PONTE_PARTNER_LIVE: 'fake',
  PONTE_FAKE_PARTNER_DELAY_MS: '0',
};
const cnpj = '11.222.333/0001-81';
const dossier = `--email finance@acme.example --legal-name Acme --cnpj ${cnpj}`;
let orgId = '';
let keyId = '';

async function as(name: string, words: string, input = '') {
  const by = { ...env, ...loginOf(folder, name) };
  const { stdout, status } = await runCommand(by, [...words.split(' '), '--json'], input);
  return { stdout, status, json: read(stdout) };
}

function read(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** By both operators. */
async function both(words: string, input = '') {
  const { json } = await as('ana', words, input);
  const { id } = json['decision'] as { readonly id: string };
  assert.equal((await as('bia', `confirm ${id}`)).json['outcome'], 'done', words);
  return json;
}

before(async () => {
  await runCommand(env, ['migrate']);
  await registerOperators(env, folder, ['ana', 'bia', 'eva', 'ivo']);
  const { json } = await as('ana', 'org create --name Acme --owner ana@acme.example');
  orgId = `${json['id']}`;
  assert.equal(json['dashboardLink'], null);
  await as('ana', `org support ${orgId} --email help@acme.example`);
  await as('ana', `member add --org ${orgId} --email leo@acme.example --role viewer`);
  await both(`org grant-production ${orgId}`);
  await both(`org approve-kyb ${orgId} --mode live ${dossier}`);
  await both(`org payout-config ${orgId} --mode live`, 'acme@acme.example');
  const made = await both(`key create --org ${orgId} --mode live --name erp`);
  keyId = parseApiKey(`${made['secret']}`)?.keyId ?? '';
  assert.equal(await opens(`${made['secret']}`), true, 'a confirmed key opens');
  const ana = await personOf('ana@acme.example');
  await stored(async (tx) => tx.passkeys.insert(aPasskey({ personId: ana.personId })));
});

const stored = <T>(work: Parameters<ReturnType<typeof openSqliteStore>['run']>[0]) => {
  const store = openSqliteStore({ path: join(folder, 'ponte.db') });
  return store.run(work).finally(() => store.close()) as Promise<T>;
};

async function personOf(email: string): Promise<{ readonly personId: string }> {
  const member = await stored<Member | null>((tx) => tx.members.byEmail(orgId, email));
  return member ?? assert.fail(`${email} is a member`);
}

interface Live {
  readonly authority: readonly string[];
  readonly destination: string;
  readonly holdHours: number;
  readonly contact: string;
  readonly closed: readonly string[];
  readonly passkeys: readonly string[];
}

/** Who has authority in live mode, and where its money goes. */
function live(): Promise<Live> {
  return stored(async (tx) => {
    const tenant = { orgId, mode: 'live' } as const;
    const [members, keys, operators, organization, profile] = await Promise.all([
      tx.members.list(orgId),
      tx.keys.unrevoked(orgId),
      tx.operators.list(),
      tx.organizations.get(orgId),
      tx.organizations.profile(tenant),
    ]);
    assert.ok(organization !== null && profile !== null);
    const books = await tx.accounting.get(tenant);
    const { destinationRef, heldRef, status, partnerRef } = profile;
    const sessions = await Promise.all(
      members.map(({ personId }) => tx.sessions.openOfPerson(personId, 0)),
    );
    const passkeys = await Promise.all(
      members.map(({ personId }) => tx.passkeys.ofPerson(personId)),
    );
    return {
      passkeys: passkeys.flat().map(({ id }) => id),
      authority: [
        ...members.filter((one) => one.removedAtMs === null).map((one) => one.id + one.role),
        ...keys.filter(({ mode }) => mode === 'live').map(({ id }) => id),
        ...operators.map(({ id }) => id),
        ...sessions.flat().map(({ id }) => id),
      ],
      destination: [destinationRef, heldRef, status, partnerRef].join(),
      holdHours: profile.payoutHoldHours,
      contact: [organization.supportEmail, organization.supportPhone].join(),
      closed: (books?.closed ?? []).map(({ month }) => month),
    };
  });
}

async function opens(secret: string): Promise<boolean> {
  const presented = parseApiKey(secret);
  if (presented === null) return false;
  const key = await stored<{ readonly salt: string; readonly secretHash: string } | null>((tx) =>
    tx.keys.get(presented.keyId),
  );
  return key !== null && hashSecret(key.salt, presented.secret) === key.secretHash;
}

/** With which a command gives most. */
const most = (): readonly string[] => [
  `member add --org ${orgId} --email eve@evil.example --role owner`,
  `member add --org ${orgId} --email eve@evil.example --role viewer`,
  `member add --org ${orgId} --email leo@acme.example --role admin`,
  `member add --org ${orgId} --email ana@acme.example --role owner`,
  `token create --org ${orgId} --member ana@acme.example --mode live`,
  `token create --org ${orgId} --member ana@acme.example`,
  `key create --org ${orgId} --mode live --name mine`,
  `key roll ${keyId} --overlap-hours 0`,
  `org payout-hold ${orgId} 0`,
  `org support ${orgId} --email eve@evil.example`,
  `org support ${orgId} --email  `,
  `org approve-kyb ${orgId} --mode live --legal-name Evil --cnpj ${cnpj}`,
  `org submit-kyb ${orgId} --mode live --legal-name Evil --cnpj ${cnpj}`,
  `org payout-config ${orgId} --mode live`,
  `org require-approval ${orgId} off`,
  'person reset-passkeys --address ana@acme.example',
];

test('no command of one operator gives anybody authority over live money', async () => {
  const examples = commands()
    .filter((command) => !['none', undefined].includes(authorityOf(command)))
    // It is the second operator's word.
    .filter((command) => !['confirm', 'withdraw'].includes(commandPath(command)))
    .map((command) =>
      exampleOf(command)
        .replace(/^ponte /, '')
        .replace('operator remove ana', 'operator remove ivo'),
    )
    .map((words) => words.replaceAll('org_1', orgId).replaceAll('FILE', join(folder, 'file')))
    .map((words) => words.replaceAll('key_1', keyId).replaceAll('--mode test', '--mode live'));
  assert.ok(examples.length > 40, `${examples.length} commands`);
  const was = await live();
  for (const words of [...most(), ...examples]) {
    const { stdout } = await as('ana', words, 'eve@evil.example');
    const now = await live();
    const gained = now.authority.filter((one) => !was.authority.includes(one));
    assert.deepEqual(gained, [], words);
    assert.equal(now.destination, was.destination, words);
    assert.equal(now.contact, was.contact, words);
    assert.deepEqual(now.closed, [], words);
    assert.deepEqual(now.passkeys, was.passkeys, words);
    assert.ok(now.holdHours >= was.holdHours, words);
    for (const [secret] of stdout.matchAll(/pk_live_[\w.-]+/g)) {
      assert.equal(await opens(secret), false, words);
    }
    if (!words.startsWith('operator console-link')) {
      assert.doesNotMatch(stdout, /[?#&]token=|eyJ[\w-]+\.[\w-]+\./, words);
    }
  }
});

test('two operators end lost passkeys, by an entry of the audit log', async () => {
  const words = 'person reset-passkeys --address Ana@acme.example';
  const proposed = await as('ana', words);
  const { id, basis } = proposed.json['decision'] as {
    readonly id: string;
    readonly basis: string;
  };
  assert.equal(basis, `owner of ${orgId}; passkeys psk_1`);
  assert.equal((await as('ana', `confirm ${id}`)).json['error'], 'DecisionNotAllowed');
  assert.deepEqual((await live()).passkeys, ['psk_1']);
  assert.equal((await as('bia', `confirm ${id}`)).json['outcome'], 'done');
  assert.deepEqual((await live()).passkeys, []);
  const { stdout } = await as('ana', 'audit list');
  const { data } = JSON.parse(stdout) as { readonly data: readonly { readonly action: string }[] };
  const entry = data.find(({ action }) => action === 'confirm');
  assert.match(JSON.stringify(entry), new RegExp(`"actor":{"kind":"operator".*psk_1.*${id}`));
  assert.equal((await as('eva', words)).json['outcome'], 'repeated');
  assert.doesNotMatch((await as('ana', 'proposals --all')).stdout, /ana@acme\.example end/i);
  const nobody = await as('eva', 'person reset-passkeys --address nobody@acme.example');
  assert.equal(nobody.json['error'], 'NotFound');
});

test('production access is granted for the team that the second operator saw', async () => {
  const { json } = await as('ana', 'org create --name Later --owner ana@acme.example');
  const id = `${json['id']}`;
  await as('ana', `org support ${id} --email help@acme.example`);
  const proposed = await as('ana', `org grant-production ${id}`);
  const decision = proposed.json['decision'] as { readonly id: string; readonly basis: string };
  assert.match(decision.basis, /members ana@acme\.example \(owner\)/);
  await as('ana', `member add --org ${id} --email eve@evil.example --role owner`);
  const { json: refused } = await as('bia', `confirm ${decision.id}`);
  assert.equal(refused['error'], 'DecisionNotAllowed');
});

test('a token that an operator made ends with the grant of production access', async () => {
  const { json } = await as('ana', 'org create --name Token --owner ana@acme.example');
  const id = `${json['id']}`;
  const made = await as('ana', `token create --org ${id} --member ana@acme.example`);
  assert.equal(made.json['mode'], 'test');
  await as('ana', `org support ${id} --email help@acme.example`);
  await both(`org grant-production ${id}`);
  const again = await as('ana', `token create --org ${id} --member ana@acme.example`);
  assert.equal(again.json['error'], 'DecisionNotAllowed');
});

test('the second operator sees whose KYB it is; another dossier is another proposal', async () => {
  const { json } = await as('ana', 'org create --name Kyb --owner ana@acme.example');
  const id = `${json['id']}`;
  await as('ana', `org support ${id} --email help@acme.example`);
  await both(`org grant-production ${id}`);
  const approve = `org approve-kyb ${id} --mode live --email finance@acme.example`;
  const first = await as('ana', `${approve} --legal-name Acme --cnpj ${cnpj}`);
  const shown = first.json['decision'] as { readonly decision: string };
  assert.match(shown.decision, /of Acme, CNPJ [\d./-]+ with the dossier [0-9a-f]{64}$/);
  const same = await as('eva', `${approve} --cnpj ${cnpj} --legal-name Acme`);
  assert.equal(same.json['outcome'], 'waiting');
  const other = await as('eva', `${approve} --legal-name Evil --cnpj ${cnpj}`);
  assert.equal(other.json['error'], 'DecisionNotAllowed');
  const replaced = await as('eva', `${approve} --legal-name Evil --cnpj ${cnpj} --replace`);
  assert.equal(replaced.json['outcome'], 'proposed');
});

function commands(): readonly Command[] {
  const stdio = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  const groups: Command[] = [createProgram({ env: {}, ...stdio, exitCode: 0 })];
  const found: Command[] = [];
  for (const group of groups) {
    for (const command of group.commands) {
      (command.commands.length > 0 ? groups : found).push(command);
    }
  }
  return found;
}
