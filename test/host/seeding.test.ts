// Where a database is seeded, and where not.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { newSecretKey } from '../../adapters/crypto/secret-box.js';
import { readConfig } from '../../host/config.js';
import { startHost } from '../../host/main.js';
import { seedDatabase } from '../../host/seeding.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();

test('production, PostgreSQL and another partner of test mode are refused', async () => {
  const https = 'https://ponte.example';
  const production = {
    PONTE_ENV: 'production',
    PONTE_SECRET_KEYS: newSecretKey('k'),
    PONTE_BASE_URL: https,
    PONTE_PAY_URL: https,
    PONTE_SMTP_URL: 'smtps://mail.example',
    PONTE_MAIL_FROM: 'pay@ponte.example',
  };
  const postgres = { PONTE_DATABASE_URL: 'postgres://127.0.0.1:1/ponte' };
  for (const env of [production, postgres, { PONTE_PARTNER_TEST: 'none' }]) {
    const here = { ...env, PONTE_DATA_DIR: join(folder, 'refused') };
    await assert.rejects(seedDatabase(here), /ponte seed needs development, SQLite and the fake/);
  }
});

test('a database with an organization is refused, and stays as it is', async () => {
  const env = { PONTE_DATA_DIR: folder, PONTE_PORT: '0', PONTE_LOG_LEVEL: 'silent' };
  const host = await startHost(readConfig(env));
  try {
    await assert.rejects(seedDatabase(env), /serves/);
  } finally {
    await host.stop();
  }
  await assert.rejects(seedDatabase(env), /has organizations\. Seed a new one/);
});
