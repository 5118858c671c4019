// Operators' commands beside a running server: what each prints, by which code it ends, and that
// the server obeys at once.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { entryForms } from '../../core/domain/accounting/entry-file.js';
import { withStore } from '../support/scenes/backup-scene.js';
import { runCommand } from '../support/servers/command.js';
import { startHostProcess } from '../support/servers/host-process.js';
import { type Json, jsonCall } from '../support/servers/json-call.js';
import { startReceiver } from '../support/servers/local-receiver.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/wait.js';

const folder = temporaryFolder();
const env = {
  PONTE_DATA_DIR: folder,
  PONTE_FAKE_PARTNER_DELAY_MS: '0',
  PONTE_WEBHOOK_RETRY_SECONDS: '0,0,0,0,0,0',
} as const;

let answer = 204;
const suite = suiteEnd();
const receiver = await startReceiver((response) => response.writeHead(answer).end());
suite.after(() => receiver.close());
const host = await startHostProcess(env);
suite.after(() => host.kill());

/** The one document that a command prints with --json, and its exit code. */
async function ponte(words: string, input = ''): Promise<{ status: number; json: Json }> {
  const { status, stdout } = await runCommand(env, [...words.split(' '), '--json'], input);
  assert.equal(stdout.trimEnd().split('\n').length, 1, `one line: ${stdout}`);
  return { status, json: JSON.parse(stdout) as Json };
}

async function done(words: string, input = ''): Promise<Json> {
  const { status, json } = await ponte(words, input);
  assert.equal(status, 0, `${words}: ${JSON.stringify(json)}`);
  return json;
}

async function refused(words: string): Promise<readonly [number, unknown]> {
  const { status, json } = await ponte(words);
  return [status, json['error']];
}

async function api(key: string | null, path: string, body?: unknown) {
  const { status, body: json } = await jsonCall(host, key ?? host.key ?? '', path, body);
  return { status, json };
}

async function newPayment(externalId: string): Promise<Json> {
  const buyer = { email: `${externalId}@buyer.example` };
  const fields = JSON.stringify({ externalId, amount: '50.00', buyer });
  // As text: JSON.stringify would put integer-like names first.
  const body = `${fields.slice(0, -1)},"metadata":{"b":1,"2":"a"}}`;
  return (await api(null, '/v1/payment-intents', body)).json;
}

test('help names every noun and the exit codes', async () => {
  const { status, stdout } = await runCommand(env, ['--help']);
  assert.equal(status, 0);
  const nouns = ['serve', 'migrate', 'doctor', 'demo', 'listen', 'org', 'key', 'member', 'token'];
  for (const name of [...nouns, 'payments', 'refunds', 'ledger', 'deliveries', 'commands']) {
    assert.match(stdout, new RegExp(`^  ${name} `, 'm'));
  }
  assert.match(stdout, /Exit codes:\n {2}0 {2}done\n/);
});

describe('what is not understood is refused with code 2', () => {
  for (const words of [
    'nothing',
    'org create',
    'org submit-kyb org_1 --mode prod',
    'org require-approval org_1 yes',
    'org support org_1',
    'org support org_1 --phone call',
    'member add --org org_1 --email ana@acme.example --role boss',
    'token create --org org_1',
    'payments list --status paid',
    'payments list --limit 0',
    'deliveries replay',
  ]) {
    test(words, async () => {
      assert.deepEqual(await refused(words), [2, 'ValidationError']);
    });
  }
});

describe('what is not there is refused with code 3', () => {
  for (const words of [
    'org show org_0',
    'org accept-tos org_0 --mode test',
    'org require-approval org_0 on',
    'org support org_0 --email help@acme.example',
    'key list --org org_0',
    'member list --org org_0',
    'member add --org org_0 --email ana@acme.example --role owner',
    'member remove --org org_0 --email ana@acme.example',
    'token create --org org_0 --member ana@acme.example',
    'key revoke key_0',
    'payments show pi_0',
    'deliveries show whd_0',
    'commands retry cmd_0',
  ]) {
    test(words, async () => {
      const { status, json } = await ponte(words);
      assert.deepEqual([status, json['error']], [3, 'NotFound']);
      assert.match(`${json['message']}`, /^Not found: \w+_0(, ana@\S+)?\.$/);
    });
  }
});

test('a wrong configuration is refused with code 7 and all its problems', async () => {
  const wrong = { ...env, PONTE_PORT: 'x', PONTE_LOG_LEVEL: 'x' };
  const { status, stdout, stderr } = await runCommand(wrong, ['org', 'list', '--json']);
  assert.equal(status, 7);
  assert.equal((JSON.parse(stdout) as Json)['error'], 'ConfigurationInvalid');
  assert.match(stderr, /PONTE_PORT: .*\n.*PONTE_LOG_LEVEL: /);
});

test('an organization is ready in test mode when it is made, or by steps', async () => {
  const requirements = { due: [], dueBy: null };
  const begun = { kybStatus: null, tosAccepted: false, needsOnboarding: true, requirements };
  const noPayout = [
    { need: 'pix_destination', message: 'no PIX destination' },
    { need: 'virtual_account', message: 'no virtual account' },
  ];
  const noKyb = { need: 'kyb', message: 'KYB not started' };
  const missing = [noKyb, ...noPayout];
  const nothing = { ...begun, payoutConfigured: false, virtualAccount: false, missing };
  const notLive = [
    noKyb,
    { need: 'support_contact', message: 'no support contact' },
    { need: 'production_access', message: 'no production access' },
    ...noPayout,
  ];
  const approved = {
    ...nothing,
    kybStatus: 'approved',
    needsOnboarding: false,
    missing: noPayout,
  };
  const ready = { ...approved, payoutConfigured: true, virtualAccount: true, missing: [] };
  const made = await done('org create --name Exporter');
  assert.deepEqual([made['test'], made['live']], [ready, { ...nothing, missing: notLive }]);

  const { id, test: fresh } = await done('org create --name Importer --no-sandbox-kyb');
  assert.deepEqual(fresh, nothing);
  const submitted = await done(`org submit-kyb ${id} --mode test`);
  assert.deepEqual(submitted['test'], approved);
  const configured = await done(`org payout-config ${id} --mode test`, 'ana@buyer.example\n');
  assert.deepEqual(configured['test'], ready);
  assert.deepEqual(await refused(`org payout-config ${id} --mode test`), [2, 'ValidationError']);
  assert.deepEqual(await refused(`org approve-kyb ${id} --mode live`), [
    4,
    'ProductionAccessNotApproved',
  ]);
  await done(`org support ${id} --email help@acme.example`);
  const granted = await done(`org grant-production ${id}`);
  assert.notEqual(granted['productionGrantedAt'], null);
  assert.deepEqual(await done(`org show ${id}`), granted);
  const accepted = await done(`org accept-tos ${id} --mode test --tos-id tos_1`);
  assert.deepEqual(accepted['test'], { ...ready, tosAccepted: true });
  assert.deepEqual(await refused(`org accept-tos ${id} --mode test --tos-id tos_2`), [
    2,
    'TosIdMismatch',
  ]);
  for (const state of ['on', 'off']) {
    const shown = await done(`org require-approval ${id} ${state}`);
    assert.equal(shown['requiresApproval'], state === 'on');
    const intents = await done(`org require-approval ${id} ${state} --payment-intents`);
    assert.equal(intents['intentsNeedApproval'], state === 'on');
  }
  const given = '--email help@acme.example --website http://a.example --terms https://a.example/t';
  const set = await done(`org support ${id} ${given}`);
  const support = {
    email: 'help@acme.example',
    phone: null,
    website: 'http://a.example/',
    privacyUrl: null,
    termsUrl: 'https://a.example/t',
  };
  assert.deepEqual(set['support'], support);
  const { data } = (await done('org list')) as { readonly data: readonly Json[] };
  assert.equal(data.length, 3);
});

test('a running server accepts a new key immediately, with its scopes, and no revoked key', async () => {
  const { id: orgId } = await done('org create --name Exporter');
  const made = await done(
    `key create --org ${orgId} --mode test --name erp --scope webhooks:read --scope invoices:read`,
  );
  assert.deepEqual(made['scopes'], ['webhooks:read', 'invoices:read']);
  const secret = String(made['secret']);
  assert.equal((await api(secret, '/v1/webhook-subscriptions')).status, 200);
  assert.equal((await api(secret, '/v1/payments/pi_0')).status, 403);
  const revoked = await done(`key revoke ${made['id']}`);
  assert.equal((await api(secret, '/v1/webhook-subscriptions')).status, 401);
  const { data } = (await done(`key list --org ${orgId}`)) as { readonly data: readonly Json[] };
  assert.deepEqual(
    data.map((key) => [key['id'], key['testMode'], key['revokedAt'], 'secret' in key]),
    [[made['id'], true, revoked['revokedAt'], false]],
  );
  const unknown = `key create --org ${orgId} --mode test --name erp --scope all`;
  assert.deepEqual(await refused(unknown), [2, 'ValidationError']);
});

test('a running server accepts a new session immediately and enforces roles and removals', async () => {
  const { id: orgId } = await done('org create --name Exporter');
  const who = `--org ${orgId} --email Ana@acme.example`;
  const added = await done(`member add ${who} --role admin`);
  assert.deepEqual([added['email'], added['role']], ['Ana@acme.example', 'admin']);
  const session = await done(`token create --org ${orgId} --member ana@acme.example`);
  assert.deepEqual(Object.keys(session).toSorted(), ['expiresAt', 'mode', 'token']);
  assert.equal(session['mode'], 'test');
  const make = async () => {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${session['token']}`,
    };
    const body = JSON.stringify({ name: 'erp', mode: 'test' });
    return (await fetch(`${host.url}/v1/api-keys`, { method: 'POST', headers, body })).status;
  };
  assert.equal(await make(), 201);
  const demoted = await done(`member add ${who} --role viewer`);
  assert.equal((demoted['revokedKeys'] as readonly string[]).length, 1);
  assert.equal(await make(), 403);
  const ofAna = `--org ${orgId} --member ana@acme.example`;
  assert.equal(((await done(`token list ${ofAna}`))['data'] as Json[]).length, 1);
  assert.equal(((await done(`token end ${ofAna}`))['data'] as Json[]).length, 1);
  assert.equal(await make(), 401);
  const live = `token create --org ${orgId} --member ana@acme.example --mode live`;
  assert.deepEqual(await refused(live), [4, 'ProductionAccessNotApproved']);
  await done(`org support ${orgId} --phone +551155550100`);
  await done(`org grant-production ${orgId}`);
  assert.equal((await done(live))['mode'], 'live');
  const { keptKeys, revokedKeys, ...removed } = await done(`member remove ${who}`);
  assert.deepEqual([keptKeys, revokedKeys], [[], []]);
  assert.equal(removed['id'], added['id']);
  assert.equal(await make(), 401);
  const { data } = (await done(`member list --org ${orgId}`)) as { readonly data: Json[] };
  assert.deepEqual(data, [removed]);
  const { stdout } = await runCommand(env, ['member', 'list', '--org', `${orgId}`]);
  assert.match(stdout, /^ID +EMAIL +NAME +ROLE/);
});

test('a PIX key is read from standard input and kept nowhere', async () => {
  const { id } = await done('org create --name Exporter');
  const pixKey = 'kept.nowhere@buyer.example';
  const { json } = await ponte(`org payout-config ${id} --mode test`, `${pixKey}\n`);
  assert.ok(!JSON.stringify(json).includes(pixKey));
  const asOption = `org payout-config ${id} --mode test --pix-key ${pixKey}`;
  assert.equal((await runCommand(env, asOption.split(' '))).status, 2);
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    assert.ok(!readFileSync(join(file.parentPath, file.name)).includes(pixKey), file.name);
  }
  assert.ok(!host.log().includes(pixKey));
  const unclear = await ponte(`org payout-config ${id} --mode test`, '11987650034\n');
  assert.match(JSON.stringify(unclear.json), /CPF or a phone number/);
  const chosen = `org payout-config ${id} --mode test --pix-key-kind cpf`;
  await done(chosen, '11987650034\n');
});

test('a session starts in test mode; for people it is its token alone', async () => {
  const { id: orgId } = await done('org create --name Exporter');
  await done(`member add --org ${orgId} --email ana@acme.example --role owner`);
  const words = ['token', 'create', '--org', `${orgId}`, '--member', 'ana@acme.example'];
  const { stdout } = await runCommand(env, words);
  assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  const claims = Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString();
  assert.equal((JSON.parse(claims) as Json)['mode'], 'test');
});

describe('payments', () => {
  test('are shown as the API shows them', async () => {
    const { id } = await newPayment('shown');
    const { json } = await api(null, `/v1/payments/${id}`);
    // The CLI knows the configured address, not the port that was picked.
    const { hostedPaymentUrl: _, ...known } = json;
    const { hostedPaymentUrl: page, ...shown } = await done(`payments show ${id}`);
    assert.partialDeepStrictEqual(shown, known);
    const { json: me } = await api(null, '/v1/me');
    const named = await done(
      `payments show ext_${known['externalId']} --org ${me['organizationId']} --mode test`,
    );
    assert.equal(named['id'], id);
    assert.deepEqual(await refused('payments show ext_shown'), [2, 'ValidationError']);
    const { stdout: list } = await runCommand(env, ['payments', 'list']);
    assert.match(list, new RegExp(`^${id} +awaiting_buyer .* ${me['organizationId']} +test `, 'm'));
    assert.match(String(page), /^http:\/\/127\.0\.0\.1:8080\/r\//);
    const { stdout } = await runCommand(env, ['payments', 'show', `${id}`, '--json']);
    assert.match(stdout, /"metadata":\{"b":1,"2":"a"\}/);
  });

  test('are shown with names, commands, decisions and history, in lines of 80', async () => {
    const { id } = await newPayment('whole');
    const { json: me } = await api(null, '/v1/me');
    const { json: timeline } = await api(null, `/v1/payments/${id}/timeline`);
    const shown = await done(`payments show ${id}`);
    const { name } = shown['organization'] as Json;
    assert.deepEqual(shown['organization'], { id: me['organizationId'], name });
    assert.equal(shown['missing'], shown['amount']);
    assert.deepEqual([shown['commands'], shown['decisions'], shown['expected']], [[], [], null]);
    const people = (timeline['data'] as readonly Json[]).filter(
      ({ kind }) => kind !== 'delivery' && kind !== 'attempt',
    );
    assert.deepEqual(shown['timeline'], people);
    const { stdout } = await runCommand(env, ['payments', 'show', `${id}`]);
    assert.match(stdout, /^The buyer has not begun to pay\.$/m);
    assert.match(stdout, new RegExp(`^organization +${name} \\(${me['organizationId']}\\)$`, 'm'));
    assert.match(stdout, /^HISTORY\n\S+Z {2}Created: [\d.]+ USD$/m);
    for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
    assert.deepEqual((await done(`commands list --payment ${id}`))['data'], []);
    assert.deepEqual(await refused('commands list --payment pi_0'), [3, 'NotFound']);
  });

  test('that one transfer pays are shown with its reference', async () => {
    const { id } = await newPayment('together');
    await withStore({ file: join(folder, 'ponte.db') }, (store) =>
      store.run(async (tx) => {
        const payment = await tx.payments.find(`${id}`);
        assert.ok(payment);
        tx.payments.update({ ...payment, consolidatedReference: '7KQ4M2XD' });
      }),
    );
    const { stdout } = await runCommand(env, ['payments', 'show', `${id}`]);
    assert.match(stdout, /^paid together +7KQ4M2XD$/m);
  });

  test('are listed page by page, newest first', async () => {
    for (const name of ['one', 'two', 'three']) await newPayment(name);
    const first = (await done('payments list --limit 2')) as Json & { readonly data: Json[] };
    const more = `payments list --limit 100 --cursor ${first['nextCursor']}`;
    const rest = (await done(more)) as Json & { readonly data: Json[] };
    assert.equal(rest['nextCursor'], null);
    const times = [...first.data, ...rest.data].map(({ createdAt }) => String(createdAt));
    assert.deepEqual(times, times.toSorted().toReversed());
    const ids = [...first.data, ...rest.data].map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const none = (await done('payments list --status settled --org org_0')) as Json;
    assert.deepEqual(none, { data: [], nextCursor: null });
  });

  test('have events simulated, which a running server continues', async () => {
    const { id } = await newPayment('simulated');
    assert.deepEqual(await refused(`payments simulate ${id} money_arrives`), [
      4,
      'PaymentStateConflict',
    ]);
    assert.deepEqual(await refused(`payments simulate ${id} nothing`), [2, 'ValidationError']);
    const advanced = { to: 'on_ramp_pending' };
    await api(null, `/v1/test-helpers/payments/${id}/advance`, advanced);
    const read = async () => (await api(null, `/v1/payments/${id}`)).json;
    await until(async () => (await read())['payinInstructions'] !== null);
    const paid = await done(`payments simulate ${id} money_arrives`);
    assert.equal((paid['funds'] as Json)['received'], '50.00');
    await until(async () => (await read())['status'] === 'settled');
  });

  test('are cancelled and given up, after a dry run that changes nothing', async () => {
    for (const [verb, status, reasonField] of [
      ['cancel', 'cancelled', 'cancelReason'],
      ['fail', 'failed', 'failureReason'],
    ] as const) {
      const { id } = await newPayment(`to-${verb}`);
      const would = await done(`payments ${verb} ${id} --reason fraud --dry-run`);
      assert.deepEqual([would['outcome'], would['dryRun']], ['done', true]);
      const before = await api(null, `/v1/payments/${id}`);
      assert.equal(before.json['status'], 'awaiting_buyer');
      await done(`payments ${verb} ${id} --reason fraud`);
      const { json } = await api(null, `/v1/payments/${id}`);
      assert.deepEqual([json['status'], json[reasonField]], [status, 'fraud']);
    }
    const { json: failed } = await api(null, '/v1/payments/ext_to-fail');
    for (const dry of ['', ' --dry-run']) {
      const words = `payments cancel ${failed['id']} --reason late${dry}`;
      assert.deepEqual(await refused(words), [4, 'PaymentNotCancellable']);
    }
  });
});

test('the books balance, nothing is owed, nothing is stuck', async () => {
  assert.partialDeepStrictEqual(await done('ledger verify'), { balanced: true, imbalances: [] });
  const balance = await done('ledger balance --mode test');
  assert.equal(balance['balanced'], true);
  const accounts = balance['accounts'] as readonly { account: string; currency: string }[];
  assert.ok(accounts.some(({ account }) => account === 'partner_float'));
  assert.deepEqual((await done('ledger balance'))['accounts'], [], 'nothing is in live mode');
  assert.deepEqual(await done('refunds list'), { data: [], nextCursor: null });
  assert.deepEqual(await done('commands list --stuck'), { data: [], nextCursor: null });
});

test('dead letters are found by doctor, and replayed by a running server', async () => {
  answer = 500;
  const made = await api(null, '/v1/webhook-subscriptions', {
    url: `${receiver.url}/webhooks`,
    eventTypes: ['payment_intent.created'],
  });
  await newPayment('unheard');
  const dead = async () =>
    (await done(`deliveries list --status dead_letter --subscription ${made.json['id']}`)) as {
      readonly data: readonly Json[];
    };
  await until(async () => (await dead()).data.length > 0);
  const [delivery] = (await dead()).data;
  assert.equal(receiver.requests.length, 7);
  const shown = await done(`deliveries show ${delivery?.['id']}`);
  assert.equal((shown['attempts'] as readonly Json[]).length, 7);
  const { status, json } = await ponte('doctor');
  assert.deepEqual([status, json['ok']], [9, false]);

  const dry = 'deliveries replay --all-dead --dry-run';
  assert.deepEqual(await done(dry), { replayed: 1, dryRun: true });
  assert.equal((await runCommand(env, dry.split(' '))).stdout, 'Would replay 1 delivery.\n');
  assert.equal((await dead()).data.length, 1);
  answer = 204;
  assert.deepEqual(await done('deliveries replay --all-dead'), { replayed: 1, dryRun: false });
  await until(async () => receiver.requests.length === 8);
  const ids = receiver.requests.map(({ headers }) => headers['x-service-delivery-id']);
  assert.deepEqual(new Set(ids), new Set([delivery?.['id']]));
  const isDelivered = async () =>
    (await done(`deliveries show ${delivery?.['id']}`))['status'] === 'delivered';
  await until(isDelivered);
  const again = await done(`deliveries replay ${delivery?.['id']}`);
  assert.equal((again['data'] as readonly Json[]).length, 1);
  await until(async () => receiver.requests.length === 9);
  await until(isDelivered);
  assert.equal((await ponte('doctor')).status, 0);
});

test('for people there are tables and lines, no JSON', async () => {
  for (const words of ['org list', 'payments list', 'deliveries list', 'commands list', 'doctor']) {
    const { stdout } = await runCommand(env, words.split(' '));
    assert.doesNotMatch(stdout, /[{}]/, words);
    assert.notEqual(stdout, '');
  }
});

test('demo settles a payment on its own server or on a running one', async () => {
  const own = await ponte('demo');
  const running = await ponte(`demo --url ${host.url} --key ${host.key}`);
  for (const { status, json } of [own, running]) {
    assert.equal(status, 0);
    assert.equal((json['payment'] as Json)['status'], 'settled');
    assert.equal((json['received'] as readonly Json[]).length, 16);
  }
  assert.deepEqual(await refused(`demo --url ${host.url} --key pk_test_a.b`), [5, 'InvalidApiKey']);
  assert.deepEqual(await refused(`demo --url ${host.url}`), [2, 'ValidationError']);
});

test('a debt is listed until the partner confirms the refund; a lost position stays', async () => {
  const owedBy = async (amount: string) => {
    const body = { externalId: `owed ${amount}`, amount, buyer: { email: 'ana@buyer.example' } };
    const { json } = await api(null, '/v1/payment-intents', body);
    await api(null, `/v1/test-helpers/payments/${json['id']}/advance`, {});
    return json['id'];
  };
  const [lost, refunded] = [await owedBy('20.77'), await owedBy('20.88')];
  const fundsOf = async (id: unknown) =>
    (await api(null, `/v1/payments/${id}`)).json['funds'] as Json;
  await until(async () => (await fundsOf(refunded))['refundStatus'] === 'refunded');
  await until(async () => (await fundsOf(lost))['status'] === 'needs_review');
  const data = (await done('refunds list'))['data'] as readonly Json[];
  assert.deepEqual(
    data.map(({ paymentId, status, received }) => [paymentId, status, received]),
    [[lost, 'needs_review', '20.77']],
  );
  assert.equal((await done('ledger verify'))['balanced'], true);
});

test('entries are exported for days of the organization, under its names of accounts', async () => {
  const { id: orgId } = await done('org create --name Books');
  const words = `export entries --org ${orgId} --mode test`;
  assert.deepEqual(await done(`${words} --from 2026-11-01 --to 2026-11-30`), { data: [] });
  const named = `${words} --account seller=1.1.2.01`;
  for (const format of entryForms)
    assert.deepEqual(await done(`${named} --format ${format}`), { data: [] });
  for (const wrong of ['--from november', '--format xls', '--account bank=1', '--account seller=<'])
    assert.equal((await refused(`${words} ${wrong}`))[0], 2, wrong);
  assert.equal((await refused('export entries --org org_none --mode test'))[0], 3);
  const close = `org close-month ${orgId} 2020-02 --mode test`;
  const { closedMonths } = await done(close);
  const [closed] = closedMonths as readonly Json[];
  assert.deepEqual([closed?.['month'], closed?.['balances']], ['2020-02', []]);
  assert.deepEqual((await done(close))['closedMonths'], closedMonths);
  for (const wrong of ['2020-2', '2999-01'])
    assert.equal((await refused(`org close-month ${orgId} ${wrong}`))[0], 2, wrong);
});

test('the extract of a month is printed for the mode, and a wrong month is refused', async () => {
  const none = { data: [], brlSum: '0.00' };
  assert.deepEqual(await done('report fx --month 2020-02 --mode test'), none);
  for (const month of ['2020-2', '2020-13', '2020-02-01', 'november'])
    assert.equal((await refused(`report fx --month ${month}`))[0], 2, month);
});
