// `ponte doctor --partner`: each defect of the connection is planted at the simulator or in the
// configuration, and named with what to do about it. The checks change nothing.
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { createBlindPayPartner } from '../../adapters/partner/blindpay/blindpay.js';
import type { Transport } from '../../adapters/partner/blindpay/blindpay-transport.js';
import { readSettings } from '../../adapters/partner/blindpay/settings.js';
import type { PartnerCheck, SettlementPartner } from '../../core/ports/partner.js';
import { type Answer, errorAnswer, ok } from '../support/blindpay/blindpay-answers.js';
import { listEndpoints } from '../support/blindpay/blindpay-instance.js';
import { connectHost } from '../support/blindpay/blindpay-operator.js';
import {
  apiKey,
  type Fault,
  instanceId,
  type Sent,
  startBlindPay,
} from '../support/blindpay/blindpay-server.js';
import { freePort } from '../support/databases/local-postgres.js';
import { runCommand } from '../support/servers/command.js';
import { startReceiver } from '../support/servers/local-receiver.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';

type Environment = Readonly<Record<string, string>>;

const base = 'https://ponte.example';
const inbound = `${base}/v1/partner-webhooks/blindpay/test`;
let planted: (sent: Sent) => Answer | null = () => null;

const suite = suiteEnd();
const blindPay = await startBlindPay({ nowMs: Date.now, refusal: (sent) => planted(sent) });
suite.after(() => blindPay.close());
const env: Environment = {
  PONTE_DATA_DIR: temporaryFolder(),
  PONTE_BASE_URL: base,
  ...(await connectHost(blindPay, base, 'test')),
};
// Decided at once: nothing changes by itself.
blindPay.state.pace = 0;
blindPay.state.createCustomer({
  type: 'individual',
  kyc_type: 'standard',
  email: 'a',
  country: 'BR',
});
blindPay.state.tick();

afterEach(() => {
  planted = () => null;
});

async function doctor(settings: Environment, words = '--mode test') {
  const run = await runCommand(settings, ['doctor', '--partner', ...words.split(' '), '--json']);
  const { checks } = JSON.parse(run.stdout) as { readonly checks: readonly PartnerCheck[] };
  return { ...run, checks };
}

/** What is not as it should be, one line each. */
async function wrong(changes: Environment = {}): Promise<readonly string[]> {
  const { status, checks } = await doctor({ ...env, ...changes });
  const found = checks.filter(({ severity }) => severity !== 'ok');
  const isCritical = found.some(({ severity }) => severity === 'critical');
  assert.equal(status, isCritical ? 8 : found.length > 0 ? 9 : 0);
  return found.map(({ name, severity, detail }) => `${severity} ${name}: ${detail}`);
}

const passed = (checks: readonly PartnerCheck[]) =>
  checks.flatMap(({ name, severity }) => (severity === 'ok' ? [name] : []));

test('a sound connection is reported check by check, and nothing is changed', async () => {
  const made = JSON.stringify(blindPay.state);
  const calls = blindPay.calls.length;
  const { status, stdout } = await runCommand(env, ['doctor', '--partner']);
  assert.equal(status, 0);
  assert.deepEqual(
    stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, '|')),
    [
      'MODE|CHECK|STATE|DETAIL',
      'test|partner|ok|blindpay',
      `test|connection|ok|${new URL(blindPay.url).origin} answers`,
      'test|edge|ok|lets this client through',
      'test|API key|ok|accepted',
      `test|instance|ok|${instanceId} exists`,
      'test|clock|ok|that of BlindPay',
      `test|webhook|ok|we_000000000001 sends messages to ${inbound}`,
      'test|webhook secret|ok|in PONTE_BLINDPAY_TEST_WEBHOOK_SECRETS',
      'test|rails|ok|pix is available',
      'test|managed wallets|ok|enabled',
      'test|route|ok|USDB on polygon_amoy, as a development instance has it',
      'test|addresses|ok|the key works from listed addresses only: 1',
      'live|partner|ok|none: PONTE_PARTNER_LIVE names one',
      '',
    ],
  );
  const methods = blindPay.calls.slice(calls).map(({ method }) => method);
  assert.deepEqual(new Set(methods), new Set(['GET']));
  assert.ok(methods.length < 10, `${methods.length} calls`);
  assert.equal(JSON.stringify(blindPay.state), made);
});

test('a mode without a partner, and a partner inside the process, are named', async () => {
  const { status, checks } = await doctor({ PONTE_DATA_DIR: temporaryFolder() }, '--mode test');
  assert.equal(status, 0);
  assert.deepEqual(
    checks.map(({ name, detail }) => [name, detail]),
    [['partner', 'fake runs in this process: nothing to check']],
  );
  const alone = await runCommand(env, ['doctor', '--mode', 'test']);
  assert.deepEqual([alone.status, alone.stderr], [2, 'ponte: Give --mode with --partner.\n']);
});

test('a partner that is not configured as a whole is a problem of the configuration', async () => {
  const { PONTE_BLINDPAY_TEST_API_KEY: _, ...rest } = env;
  const { status, stderr } = await runCommand(rest, ['doctor', '--partner']);
  assert.equal(status, 7);
  assert.match(stderr, /PONTE_BLINDPAY_TEST_API_KEY: must be set for blindpay/);
});

const answers = {
  forbidden: errorAnswer(403, 'AUTH_FORBIDDEN'),
  address: errorAnswer(401, 'AUTH_IP_BLOCKED'),
  blocked: errorAnswer(403, 'INSTANCES_BLOCKED'),
  none: errorAnswer(404, 'INSTANCES_NOT_FOUND'),
  failure: errorAnswer(500, 'INTERNAL_ERROR'),
  // As it was before errors had codes.
  wallets: {
    status: 400,
    body: { success: false, message: 'wallets_and_transfers_not_enabled', errors: [] },
  },
  page: { status: 404, body: '<html>not here</html>' },
  form: ok({ success: true }),
} as const;

describe('what prevents every call is named, and nothing after it', () => {
  const cases: readonly (readonly [name: string, Answer | Fault, stage: string, RegExp])[] = [
    [
      'a page of the edge that refuses',
      '403 page',
      'edge',
      /blocks this client or address \(403, a web page\)\. The key was not/,
    ],
    [
      'a page of the edge that is overloaded',
      '503 page',
      'edge',
      /blocks this client or address \(503, a web page\)/,
    ],
    [
      'a page of another site',
      answers.page,
      'edge',
      /404 and no JSON: is PONTE_BLINDPAY_TEST_URL the address of/,
    ],
    [
      'a key that is not accepted',
      'other key',
      'API key',
      /not accepted \(AUTH_UNAUTHORIZED\): is PONTE_\S+_TEST_API_KEY complete/,
    ],
    [
      'an address that the key does not list',
      answers.address,
      'API key',
      /not accepted from the address of this host: .*ip_whitelist/,
    ],
    [
      'a key of another instance',
      answers.forbidden,
      'API key',
      /accepted, but not for in_000000000001 \(AUTH_FORBIDDEN\): is /,
    ],
    ['a blocked instance', answers.blocked, 'instance', /in_000000000001 is blocked: ask BlindPay/],
    [
      'an instance that does not exist',
      answers.none,
      'instance',
      /there is no in_000000000001 .*: check PONTE_\S+_TEST_INSTANCE_ID/,
    ],
    [
      'a rate limit that is used up',
      '429',
      'instance',
      /no calls are left \(AUTH_RATE_LIMITED\): run this again in a minute/,
    ],
    [
      'a failure of BlindPay',
      answers.failure,
      'instance',
      /not documented \(500 INTERNAL_ERROR\): ask BlindPay/,
    ],
    [
      'an answer of another form',
      answers.form,
      'instance',
      /an answer that is not documented \(200 \): ask BlindPay/,
    ],
  ];
  const stages = ['partner', 'connection', 'edge', 'API key', 'instance'];
  for (const [name, defect, stage, detail] of cases) {
    test(name, async () => {
      if (typeof defect === 'string') blindPay.failNext('GET /webhook-endpoints', defect);
      else plantAt('/webhook-endpoints', defect);
      const { status, checks } = await doctor(env);
      assert.equal(status, 8);
      const [failure, ...others] = checks.filter(({ severity }) => severity !== 'ok');
      assert.deepEqual([failure?.name, failure?.severity, others], [stage, 'critical', []]);
      assert.match(failure?.detail ?? '', detail);
      const before = stages.slice(0, stages.indexOf(stage));
      assert.deepEqual(passed(checks), [...before, 'clock', 'route']);
    });
  }

  test('a port that is closed, and a certificate that is not trusted', async () => {
    const tls = await startReceiver((response) => response.end('{}'), 'https');
    for (const [url, detail] of [
      [`http://127.0.0.1:${await freePort()}/v1`, /: it refuses connections at this port \(ECONN/],
      [`${new URL(tls.url).origin}/v1`, /: its certificate is (not trusted here|of another name)/],
    ] as const) {
      const found = await wrong({ PONTE_BLINDPAY_TEST_URL: url });
      assert.equal(found.length, 1);
      assert.match(found[0] ?? '', detail);
    }
    await tls.close();
  });

  test('a name that cannot be resolved, a way that is blocked, and no answer in time', async () => {
    for (const [failure, detail] of [
      [{ code: 'EAI_AGAIN' }, /its name cannot be resolved \(EAI_AGAIN\)\. Check PONTE_/],
      [{ code: 'ENETUNREACH' }, /there is no route to it: may this machine call out\? \(ENETUN/],
      [{ name: 'TimeoutError' }, /it gives no answer \(TimeoutError\)\. Check PONTE_/],
    ] as const) {
      const transport = () => Promise.reject(Object.assign(new Error('secret'), failure));
      const checks = await partnerWith(transport).checks?.({ inboundUrl: inbound });
      const [connection] = checks ?? [];
      assert.deepEqual([connection?.name, connection?.severity], ['connection', 'critical']);
      assert.match(connection?.detail ?? '', detail);
    }
  });
});

function partnerWith(transport: Transport): SettlementPartner {
  const read = readSettings('test', env);
  assert.ok('settings' in read);
  const log = { debug: mute, info: mute, warn: mute, error: mute };
  const readFile = async () => null;
  const rest = { mode: 'test', clock: { nowMs: Date.now }, log, readFile } as const;
  return createBlindPayPartner({ ...read.settings, ...rest, transport });
}

const mute = () => undefined;

function plantAt(path: string, answer: Answer): void {
  planted = (sent) => (sent.path === path ? answer : null);
}

describe('each defect behind the connection is named with what to do', () => {
  const other = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
  const skewed = (seconds: number) => () => {
    const date = new Date(Date.now() + seconds * 1_000).toUTCString();
    plantAt('/webhook-endpoints', { ...listEndpoints(blindPay.state), headers: { date } });
    return {};
  };
  const answering = (path: string, answer: Answer) => () => {
    plantAt(path, answer);
    return {};
  };
  const endpoint = (changes: object) => () => {
    const one = { id: 'we_000000000001', url: inbound, events: [] as string[], ...changes };
    plantAt('/webhook-endpoints', ok([one]));
    return {};
  };
  const cases: readonly (readonly [name: string, plant: () => Environment, finding: RegExp])[] = [
    [
      'a clock that is a minute behind',
      skewed(60),
      /^warning clock: this machine is (59|60|61) s behind BlindPay: set its clock by NTP$/,
    ],
    [
      'a clock that is an hour ahead',
      skewed(-3_600),
      /^critical clock: .* s ahead of BlindPay: .*messages are refused as too old/,
    ],
    [
      'an endpoint at another host',
      endpoint({ url: 'https://old.example/v1/partner-webhooks/blindpay/test' }),
      /^warning webhook: messages go to https:\S+old\.example, and not to \S+: correct PONTE_/,
    ],
    [
      'an endpoint for something else',
      endpoint({ url: 'https://elsewhere.example/hook' }),
      /^warning webhook: no endpoint sends messages to \S+: add it\. Until then polls/,
    ],
    [
      'a public address that is not set',
      () => ({ PONTE_BASE_URL: 'http://127.0.0.1:8080' }),
      /^warning webhook: messages go to .*: correct PONTE_BASE_URL/,
    ],
    [
      'an endpoint without all events',
      endpoint({ events: ['payin.complete', 'payout.complete', 'customer.update'] }),
      /^warning webhook: we_\S+ does not send payin\.new, payin\.update, payout\.update: choose/,
    ],
    [
      'a secret that is not configured',
      () => ({ PONTE_BLINDPAY_TEST_WEBHOOK_SECRETS: other }),
      /^warning webhook secret: that of we_\S+ is not in PONTE_\S+: its messages are refused$/,
    ],
    [
      'a secret that may not be read',
      answering('/webhook-endpoints/we_000000000001/secret', answers.forbidden),
      /^warning webhook secret: that of we_0\S+ cannot be read \(AUTH_FORBIDDEN\)$/,
    ],
    [
      'rails without PIX',
      answering('/available/rails', ok([{ label: 'ACH', value: 'ach', country: 'US' }])),
      /^critical rails: pix is not available: no seller can be paid/,
    ],
    [
      'rails that cannot be read',
      answering('/available/rails', answers.failure),
      /^warning rails: cannot be read \(INTERNAL_ERROR\)$/,
    ],
    [
      'managed wallets that are not enabled',
      answering('/customers/re_000000000001/wallets', answers.wallets),
      /^critical managed wallets: not enabled: ask BlindPay for wallets_and_transfers$/,
    ],
    [
      'a network without managed wallets',
      () => ({ PONTE_BLINDPAY_TEST_NETWORK: 'tron' }),
      /^critical route: a development instance has no managed wallets on tron: PONTE_\S+ is one of/,
    ],
    [
      'a token of the other kind of instance',
      () => ({ PONTE_BLINDPAY_TEST_TOKEN: 'USDC' }),
      /^critical route: a development instance has no USDC: PONTE_BLINDPAY_TEST_TOKEN is USDB$/,
    ],
  ];
  for (const [name, plant, finding] of cases) {
    test(name, async () => {
      const found = await wrong(plant());
      assert.equal(found.length, 1, found.join('; '));
      assert.match(found[0] ?? '', finding);
    });
  }

  test('several secrets may be configured; an instance without customers is no defect', async () => {
    const [secret] = blindPay.state.webhookEndpoints.map((one) => one.secret);
    const variables = { PONTE_BLINDPAY_TEST_WEBHOOK_SECRETS: `${other},${secret}` };
    assert.deepEqual(await wrong(variables), []);
    plantAt('/customers', ok({ data: [], pagination: { has_more: false } }));
    const { checks } = await doctor(env);
    const wallets = checks.find(({ name }) => name === 'managed wallets');
    assert.equal(wallets?.detail, 'not known before the instance has a customer');
  });
});

test('in live mode a key that works from any address is a warning', async () => {
  const live = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name.replace('_TEST', '_LIVE'), value]),
  );
  const key = { token: 'bp_test', ip_whitelist: null };
  plantAt('/api-keys', ok([key, { token: 'bp_other', ip_whitelist: ['192.0.2.1'] }]));
  const { checks } = await doctor(live, '--mode live');
  const found = checks.flatMap(({ name, severity }) => (severity === 'ok' ? [] : [name]));
  assert.deepEqual(found, ['webhook', 'addresses']);
  assert.match(checks.at(-1)?.detail ?? '', /from any address: make one that lists those of the/);
});

test('no output shows the key or a secret', async () => {
  const plants = [() => null, () => answers.forbidden, () => answers.address];
  for (const plant of plants) {
    planted = plant;
    const { stdout, stderr } = await doctor(env);
    const shown = `${stdout}${stderr}`;
    for (const hidden of [apiKey, env['PONTE_BLINDPAY_TEST_WEBHOOK_SECRETS'] ?? '']) {
      assert.ok(hidden.length > 8 && !shown.includes(hidden));
    }
  }
});
