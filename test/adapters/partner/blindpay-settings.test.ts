// The settings of BlindPay: one set per mode, whose problems are reported together, without values.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSettings } from '../../../adapters/partner/blindpay/settings.js';
import { ConfigError, readConfig } from '../../../host/config.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const another = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
const whole = {
  PONTE_BLINDPAY_TEST_API_KEY: 'a-key-of-the-instance',
  PONTE_BLINDPAY_TEST_INSTANCE_ID: 'in_abcdefgh1234',
  PONTE_BLINDPAY_TEST_WEBHOOK_SECRETS: `${secret}, ${another}`,
};

function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig({ PONTE_PARTNER_TEST: 'blindpay', ...env });
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
}

test('a development instance needs a key, its id and the secrets of its messages', () => {
  assert.deepEqual(problemsOf({}), [
    'PONTE_BLINDPAY_TEST_API_KEY: must be set for blindpay',
    'PONTE_BLINDPAY_TEST_INSTANCE_ID: must be set for blindpay',
    'PONTE_BLINDPAY_TEST_WEBHOOK_SECRETS: must be set for blindpay',
  ]);
  assert.deepEqual(problemsOf(whole), []);
  assert.deepEqual(problemsOf({ ...whole, PONTE_PARTNER_LIVE: 'blindpay' }).length, 3);
});

test('problems of BlindPay are reported with all others', () => {
  const problems = problemsOf({ PONTE_PORT: 'many', PONTE_BLINDPAY_TEST_API_KEY: 'short' });
  const names = problems.map((problem) => problem.split(':')[0]);
  assert.deepEqual(names, [
    'PONTE_PORT',
    'PONTE_BLINDPAY_TEST_API_KEY',
    'PONTE_BLINDPAY_TEST_INSTANCE_ID',
    'PONTE_BLINDPAY_TEST_WEBHOOK_SECRETS',
  ]);
});

test('a value of a wrong form is named, and not shown', () => {
  for (const [name, value] of [
    ['API_KEY', 'short'],
    ['INSTANCE_ID', '1234567890'],
    ['WEBHOOK_SECRETS', `${secret},nothing-of-that-kind`],
    ['URL', 'http://api.blindpay.example/v1'],
    ['NETWORK', 'Base Sepolia'],
    ['TOKEN', 'DOGE'],
    ['PAYMENT_METHOD', 'cheque'],
    ['BANKING_PARTNER', 'mattress'],
    ['PARTNER_FEE_ID', 'two words'],
    ['CALLS_PER_MINUTE', 'plenty'],
  ] as const) {
    const variable = `PONTE_BLINDPAY_TEST_${name}`;
    const problems = problemsOf({ ...whole, [variable]: value });
    assert.ok(problems.length > 0, name);
    for (const problem of problems) {
      assert.ok(problem.startsWith(variable), problem);
      assert.ok(!problem.includes(value), problem);
    }
  }
});

test('key and secrets may be in files; a file beside the value is a problem', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'key');
  writeFileSync(path, 'a-key-in-a-file\n');
  const { PONTE_BLINDPAY_TEST_API_KEY: _, ...others } = whole;
  const env = { ...others, PONTE_BLINDPAY_TEST_API_KEY_FILE: path };
  assert.deepEqual(problemsOf(env), []);
  const read = readSettings('test', readConfig(env).partnerEnv);
  assert.ok('settings' in read);
  assert.equal(read.settings.apiKey, 'a-key-in-a-file');
  assert.deepEqual(read.settings.secrets, [secret, another]);
  assert.deepEqual(problemsOf({ ...whole, ...env }), [
    'PONTE_BLINDPAY_TEST_API_KEY: give it or PONTE_BLINDPAY_TEST_API_KEY_FILE, not both',
  ]);
  writeFileSync(path, 'short');
  assert.deepEqual(problemsOf(env), [
    'PONTE_BLINDPAY_TEST_API_KEY_FILE: give the API key of the instance',
  ]);
  const missing = { ...others, PONTE_BLINDPAY_TEST_API_KEY_FILE: join(folder, 'none') };
  assert.deepEqual(problemsOf(missing), ['PONTE_BLINDPAY_TEST_API_KEY: its file cannot be read']);
});

test('a mode has defaults of its kind of instance', () => {
  const live = Object.fromEntries(
    Object.entries(whole).map(([name, value]) => [name.replace('_TEST_', '_LIVE_'), value]),
  );
  const [test, production] = [readSettings('test', whole), readSettings('live', live)];
  assert.ok('settings' in test && 'settings' in production);
  const usual = { paymentMethod: 'ach', bankingPartner: null, partnerFeeId: null };
  assert.deepEqual(test.settings.route, { network: 'polygon_amoy', token: 'USDB', ...usual });
  assert.deepEqual(production.settings.route, { network: 'polygon', token: 'USDC', ...usual });
  assert.equal(production.settings.url, 'https://api.blindpay.com/v1');
  // A development instance allows 100 calls a minute; the burst counts on top.
  assert.deepEqual(test.settings.limit, { perMinute: 70, burst: 20 });
  assert.equal(production.settings.limit.perMinute, 0);
  const none = readSettings('test', { ...whole, PONTE_BLINDPAY_TEST_CALLS_PER_MINUTE: '0' });
  assert.ok('settings' in none && none.settings.limit.perMinute === 0);
});
