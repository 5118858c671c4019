// Secrets as files: each variable with a secret has one with the file of it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newSecretKey } from '../../adapters/crypto/secret-box.js';
import { ConfigError, readConfig, variableNames } from '../../host/config.js';
import { runCommand } from '../support/servers/command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const path = join(folder, 'secret');
const secrets: Readonly<Record<string, string>> = {
  PONTE_DATABASE_URL: 'postgres://ponte:topsecret@db.internal/ponte',
  PONTE_SECRET_KEYS: newSecretKey('topsecret'),
  PONTE_JWT_KEY: newSecretKey('topsecret'),
  PONTE_SMTP_URL: 'smtps://ponte:topsecret@mail.example.com',
  PONTE_S3_ACCESS_KEY_ID: 'topsecret',
  PONTE_S3_SECRET_ACCESS_KEY: 'topsecret',
  PONTE_BLINDPAY_LIVE_API_KEY: 'topsecret',
  PONTE_BLINDPAY_LIVE_WEBHOOK_SECRETS: `whsec_${'topsecret'.repeat(3)}`,
};
const env = {
  PONTE_ENV: 'production',
  PONTE_BASE_URL: 'https://api.example.com',
  PONTE_PAY_URL: 'https://pay.example.com',
  PONTE_MAIL_FROM: 'pay@example.com',
  PONTE_DOCUMENTS: 's3',
  PONTE_S3_URL: 'https://s3.test/papers',
  ...secrets,
  PONTE_PARTNER_LIVE: 'blindpay',
  PONTE_BLINDPAY_LIVE_INSTANCE_ID: 'in_abc',
};
const withFile = (name: string, content: string) => {
  writeFileSync(path, content);
  return { ...env, [name]: '', [`${name}_FILE`]: path };
};
for (const [name, value] of Object.entries(secrets)) {
  test(`${name} may be given as a file`, () => {
    for (const content of [`${value}\n`, `\u{feff}${value} \r\n`]) {
      assert.deepEqual(readConfig(withFile(name, content)), readConfig(env));
    }
    const problems = [
      ...problemsOf({ ...withFile(name, value), [name]: value }),
      ...problemsOf(withFile(name, '\n')),
      ...problemsOf({ ...withFile(name, ''), [`${name}_FILE`]: join(folder, 'none') }),
      ...problemsOf({ ...withFile(name, ''), [`${name}_FILE`]: folder }),
      ...problemsOf(withFile(name, `"${value}"\n`)),
    ];
    assert.deepEqual(problems, [
      `${name}: give it or ${name}_FILE, not both`,
      `${name}: its file is empty`,
      `${name}: its file cannot be read`,
      `${name}: its file cannot be read`,
      `${name}: leave out the quotes around it: they are part of the value`,
    ]);
  });
}

test('a wrong content is a problem of the file, without the content', () => {
  const [problem, ...more] = problemsOf(withFile('PONTE_SECRET_KEYS', 'k1:topsecret'));
  assert.match(problem ?? '', /^PONTE_SECRET_KEYS_FILE: /);
  assert.doesNotMatch(problem ?? '', /topsecret/);
  assert.deepEqual(more, []);
});

test('every variable that is named like a secret may be a file, and no other', () => {
  const files = variableNames.filter((name) => name.endsWith('_FILE'));
  const named = variableNames.filter((name) => /(KEYS?|KEY_ID|SECRETS?|PASSWORD)$/.test(name));
  for (const name of named) assert.ok(files.includes(`${name}_FILE`), name);
  const expected = Object.keys(secrets).flatMap((name) =>
    name.includes('_LIVE_') ? [name, name.replace('_LIVE_', '_TEST_')] : [name],
  );
  const ofOrders = 'PONTE_FAKE_PARTNER_FILE';
  const known = [...expected.map((name) => `${name}_FILE`), ofOrders];
  assert.deepEqual(files.toSorted(), known.toSorted());
});

test('commands read the files', async () => {
  writeFileSync(path, `sqlite:${join(folder, 'elsewhere.db')}\n`);
  const { status, stdout } = await runCommand(
    {
      PONTE_DATA_DIR: join(folder, 'data'),
      PONTE_DATABASE_URL_FILE: path,
      PONTE_LOG_LEVEL: 'silent',
    },
    ['migrate', '--json'],
  );
  assert.equal(status, 0);
  assert.equal(JSON.parse(stdout).database, join(folder, 'elsewhere.db'));
});

function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}
