// The operator's contract: defaults, every problem at once, and what production refuses.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { newSecretKey } from '../../adapters/crypto/secret-box.js';
import { schedules } from '../../core/domain/base/schedules.js';
import { defaultStorageLimits } from '../../core/domain/service/storage-limits.js';
import { ConfigError, readConfig, variableNames } from '../../host/config.js';

const production = {
  PONTE_ENV: 'production',
  PONTE_BASE_URL: 'https://api.example.com',
  PONTE_PAY_URL: 'https://pay.example.com',
  PONTE_SECRET_KEYS: newSecretKey('k1'),
  PONTE_SMTP_URL: 'smtps://mail.example.com',
  PONTE_MAIL_FROM: 'pay@example.com',
} as const;

function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}

test('an empty environment is a development host on SQLite with the fake partner', () => {
  const { secretKeys, retryDelaysMs, ...rest } = readConfig({});
  assert.equal(secretKeys, null);
  assert.deepEqual(retryDelaysMs, schedules.webhookAttempt.waitsMs);
  assert.deepEqual(rest, {
    production: false,
    host: '127.0.0.1',
    port: 8080,
    dataDir: resolve('data'),
    database: { kind: 'sqlite', file: resolve('data/ponte.db') },
    baseUrl: null,
    payUrl: null,
    hostNames: [],
    partners: { test: 'fake', live: 'none' },
    jwtKeys: null,
    partnerEnv: {},
    documents: 'fs',
    s3: null,
    allowPrivateUrls: true,
    rateLimitPerMinute: 600,
    rateLimitBurst: 100,
    storage: defaultStorageLimits,
    diskReserveBytes: 1_073_741_824,
    smtpUrl: null,
    mailFrom: { name: 'Ponte', address: 'ponte@localhost' },
    corsOrigins: [],
    trustedProxies: [],
    keepAliveSeconds: 930,
    securityContact: null,
    legal: { privacyUrl: null, termsUrl: null },
    answerDays: null,
    drift: { alertPercent: 3, waitPercent: 8 },
    regime: 'unstated',
    cell: 0,
    auditAnchor: null,
    retentionMs: 400 * 86_400_000,
    drainMs: 0,
    metricsPort: null,
    console: null,
    backups: null,
    logLevel: 'info',
    warnings: [],
    unknownVariables: [],
  });
});

test('every variable has its effect', () => {
  const key = newSecretKey('k1');
  const config = readConfig({
    PONTE_ENV: 'development',
    PONTE_HOST: '0.0.0.0',
    PONTE_DEVELOPMENT_ON_NETWORK: '1',
    PONTE_PORT: '0',
    PONTE_DATA_DIR: '/somewhere',
    PONTE_DATABASE_URL: 'sqlite:/elsewhere/a.db',
    PONTE_BASE_URL: 'http://api.test:81/',
    PONTE_PAY_URL: 'https://pay.test/x',
    PONTE_SECRET_KEYS: key,
    PONTE_PARTNER_TEST: 'none',
    PONTE_PARTNER_LIVE: 'fake',
    PONTE_FAKE_PARTNER_DELAY_MS: '0',
    PONTE_FAKE_PARTNER_FILE: '/elsewhere/commands.jsonl',
    PONTE_DOCUMENTS: 'none',
    PONTE_WEBHOOK_ALLOW_PRIVATE: '0',
    PONTE_WEBHOOK_RETRY_SECONDS: '0,1,2,3,4,5',
    PONTE_RATE_LIMIT_PER_MINUTE: '0',
    PONTE_RATE_LIMIT_BURST: '1',
    PONTE_STORED_ROWS_TEST: '1',
    PONTE_STORED_ROWS_LIVE: '2',
    PONTE_STORED_MIB_TEST: '3',
    PONTE_STORED_MIB_LIVE: '4',
    PONTE_DOCUMENTS_MIB_TEST: '5',
    PONTE_DOCUMENTS_MIB_LIVE: '0',
    PONTE_DISK_RESERVE_MIB: '1',
    PONTE_JWT_KEY: newSecretKey('j1'),
    PONTE_SMTP_URL: 'smtp://user:p%40ss@mail.test:2525',
    PONTE_MAIL_FROM: 'Acme Pay <pay@acme.test>',
    PONTE_CORS_ORIGINS: 'https://app.test, http://localhost:3000',
    PONTE_DRAIN_SECONDS: '20',
    PONTE_METRICS_PORT: '9464',
    PONTE_OPERATOR_PORT: '8090',
    PONTE_OPERATOR_URL: 'https://console.test/',
    PONTE_BACKUP_TO: '/backups',
    PONTE_BACKUP_EVERY: '2h',
    PONTE_BACKUP_KEEP: '7',
    PONTE_TRUSTED_PROXIES: '10.0.0.0/8,192.0.2.7, ::1,2001:db8::/32',
    PONTE_SECURITY_CONTACT: 'mailto:security@acme.test',
    PONTE_KEEP_ALIVE_SECONDS: '910',
    PONTE_PRIVACY_URL: 'https://acme.test/privacy',
    PONTE_TERMS_URL: 'https://acme.test/terms?v=2',
    PONTE_ANSWER_DAYS: '3',
    PONTE_DRIFT_ALERT_PERCENT: '1',
    PONTE_DRIFT_WAIT_PERCENT: '25',
    PONTE_PARTNER_REGIME: 'virtual_assets',
    PONTE_CELL: '7',
    PONTE_AUDIT_ANCHOR: '/elsewhere/anchors',
    PONTE_RETENTION_DAYS: '30',
    PONTE_LOG_LEVEL: 'silent',
  });
  assert.equal(config.secretKeys?.[0]?.id, 'k1');
  assert.equal(config.jwtKeys?.[0]?.id, 'j1');
  assert.deepEqual(
    { ...config, secretKeys: null, jwtKeys: null },
    {
      production: false,
      host: '0.0.0.0',
      port: 0,
      dataDir: '/somewhere',
      database: { kind: 'sqlite', file: '/elsewhere/a.db' },
      baseUrl: 'http://api.test:81',
      payUrl: 'https://pay.test/x',
      hostNames: null,
      secretKeys: null,
      jwtKeys: null,
      partners: { test: 'none', live: 'fake' },
      partnerEnv: {
        PONTE_FAKE_PARTNER_DELAY_MS: '0',
        PONTE_FAKE_PARTNER_FILE: '/elsewhere/commands.jsonl',
      },
      documents: 'none',
      s3: null,
      allowPrivateUrls: false,
      retryDelaysMs: [0, 1_000, 2_000, 3_000, 4_000, 5_000],
      rateLimitPerMinute: 0,
      rateLimitBurst: 1,
      storage: {
        test: { rowsADay: 1, mebibytesADay: 3, documentMebibytes: 5 },
        live: { rowsADay: 2, mebibytesADay: 4, documentMebibytes: 0 },
      },
      diskReserveBytes: 1_048_576,
      smtpUrl: 'smtp://user:p%40ss@mail.test:2525',
      mailFrom: { name: 'Acme Pay', address: 'pay@acme.test' },
      corsOrigins: ['https://app.test', 'http://localhost:3000'],
      trustedProxies: ['10.0.0.0/8', '192.0.2.7', '::1', '2001:db8::/32'],
      keepAliveSeconds: 910,
      securityContact: 'mailto:security@acme.test',
      legal: { privacyUrl: 'https://acme.test/privacy', termsUrl: 'https://acme.test/terms?v=2' },
      answerDays: 3,
      drift: { alertPercent: 1, waitPercent: 25 },
      regime: 'virtual_assets',
      cell: 7,
      auditAnchor: '/elsewhere/anchors',
      retentionMs: 30 * 86_400_000,
      drainMs: 20_000,
      metricsPort: 9464,
      console: { host: '127.0.0.1', port: 8090, url: 'https://console.test' },
      backups: { to: '/backups', everyMs: 7_200_000, keep: 7 },
      logLevel: 'silent',
      warnings: ['PONTE_HOST: everybody who reaches this host can read its mails'],
      unknownVariables: [],
    },
  );
});

test('the console is on loopback, and its address is that of its port', () => {
  const { console: place } = readConfig({ PONTE_HOST: '127.0.0.1', PONTE_OPERATOR_PORT: '8090' });
  assert.deepEqual(place, { host: '127.0.0.1', port: 8090, url: 'http://127.0.0.1:8090' });
});

describe('a development host on the network is refused', () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.7', 'db.internal', '127.0.0.1.example']) {
    test(`PONTE_HOST=${host}`, () => {
      const [problem, ...more] = problemsOf({ PONTE_HOST: host });
      assert.match(problem ?? '', /^PONTE_HOST: .*PONTE_ENV=production/);
      assert.deepEqual(more, []);
      assert.deepEqual(problemsOf({ PONTE_HOST: host, PONTE_DEVELOPMENT_ON_NETWORK: '1' }), []);
      assert.deepEqual(problemsOf({ ...production, PONTE_HOST: host }), []);
    });
  }

  test('a loopback address is not the network', () => {
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', '[::1]', 'localhost']) {
      const config = readConfig({ PONTE_HOST: host });
      assert.deepEqual([config.warnings, config.host], [[], host.replaceAll(/[[\]]/g, '')]);
    }
  });
});

test('proxies that are not named, or that are everybody, are a warning', () => {
  const warnings = (proxies: string) =>
    readConfig({ ...production, PONTE_TRUSTED_PROXIES: proxies }).warnings.join();
  assert.match(warnings(''), /^PONTE_TRUSTED_PROXIES: is not set/);
  for (const everybody of ['0.0.0.0/0', '10.0.0.1,::/0']) {
    assert.match(warnings(everybody), /^PONTE_TRUSTED_PROXIES: trusts every address/);
  }
  assert.equal(warnings('10.0.0.1'), '');
  assert.equal(warnings('none'), '');
  assert.deepEqual(readConfig({ PONTE_TRUSTED_PROXIES: 'none' }).trustedProxies, []);
  assert.deepEqual(readConfig({}).warnings, []);
});

test('a variable set to nothing, or to what nobody sees, counts as not set', () => {
  for (const unseen of ['', ' ', '\r', '\u{feff}\r\n']) {
    const empty = Object.fromEntries(variableNames.map((name) => [name, unseen]));
    assert.deepEqual(readConfig(empty), readConfig({}));
  }
});

test('what nobody sees around a value is no part of it', () => {
  const values = { PONTE_PORT: '9000', PONTE_LOG_LEVEL: 'warn', PONTE_DATA_DIR: '/a b' };
  for (const around of [(text: string) => `${text}\r`, (text: string) => `\u{feff} ${text}\t `]) {
    const written = Object.entries(values).map(([name, text]) => [name, around(text)]);
    assert.deepEqual(readConfig(Object.fromEntries(written)), readConfig(values));
  }
});

test('quotes around a value, which env files of Docker keep, are one problem of each variable', () => {
  for (const name of variableNames) {
    for (const quote of ['"', "'"]) {
      const problems = problemsOf({ [name]: `${quote}1${quote}` });
      assert.deepEqual(
        problems.filter((problem) => problem.startsWith(`${name}: `)),
        [`${name}: leave out the quotes around it: they are part of the value`],
      );
    }
  }
  assert.deepEqual(problemsOf({ PONTE_MAIL_FROM: '"Ponte, Inc." <pay@example.com>' }), []);
});

test('a password that would end its part of the URL of the database is refused, the rest is not', () => {
  const url = (secret: string, hosts = '127.0.0.1') => `postgres://ponte:${secret}@${hosts}/ponte`;
  for (const secret of ['a@b', 'a#b', 'a/b', 'a?b', '12/b', 'a%b', '%ff']) {
    const [problem = '', ...more] = problemsOf({ PONTE_DATABASE_URL: url(secret) });
    assert.match(problem, /^PONTE_DATABASE_URL: give .* @ \/ \? # and % of the password as %40/);
    assert.deepEqual(more, []);
  }
  const right = [
    url('a%40b:c!$&'),
    url('a', 'a.test:5432,[::1]:5433,10.0.0.1'),
    'postgresql://ponte@db/ponte?options=-c search_path=a&sslmode=require&user=a@b',
    'postgres:///ponte?host=/var/run/postgresql',
    'postgres://%2Fvar%2Frun/ponte',
  ];
  for (const given of right) assert.deepEqual(problemsOf({ PONTE_DATABASE_URL: given }), [], given);
});

describe('a value of the wrong form is a problem that names its variable', () => {
  const wrong = {
    PONTE_ENV: ['prod', 'Production'],
    PONTE_DEVELOPMENT_ON_NETWORK: ['true'],
    PONTE_HOST: ['http://127.0.0.1', '127.0.0.1:8080', '*', '[::1]:80', '[]', 'a b'],
    PONTE_PORT: ['65536', '-1', '80a', '1e3'],
    PONTE_DATABASE_URL: ['ponte.db', 'mysql://localhost/ponte', 'postgres:', 'sqlite:'],
    PONTE_BASE_URL: ['localhost:8080', 'ftp://a.test', 'http://a.test?b=c'],
    PONTE_PAY_URL: ['pay.test', 'https://a.test/#x'],
    PONTE_SECRET_KEYS: ['k1', 'k1:AAAA', `${newSecretKey('a')},${newSecretKey('a')}`],
    PONTE_PARTNER_TEST: ['real'],
    PONTE_PARTNER_LIVE: ['real'],
    PONTE_FAKE_PARTNER_DELAY_MS: ['-1', '0.5', '3600001'],
    PONTE_WEBHOOK_ALLOW_PRIVATE: ['true', 'yes'],
    PONTE_WEBHOOK_RETRY_SECONDS: ['30', '1,2,3,4,5', '1,2,3,4,5,6,7', '1,2,3,4,5,86401', 'a'],
    PONTE_DOCUMENTS: ['disk', 's3://bucket'],
    PONTE_RATE_LIMIT_PER_MINUTE: ['-1', 'ten'],
    PONTE_RATE_LIMIT_BURST: ['0'],
    PONTE_STORED_ROWS_TEST: ['-1'],
    PONTE_DISK_RESERVE_MIB: ['some'],
    PONTE_JWT_KEY: ['k1', 'k1:AAAA', 'secret'],
    PONTE_SMTP_URL: ['mail.test:25', 'https://mail.test', 'smtp://', 'smtp://a.test/?tls=no'],
    PONTE_MAIL_FROM: ['Ponte', 'a@b@c', 'a b@c.test', '<a@b.test', 'A <a@b.test>, b@c.test'],
    PONTE_CORS_ORIGINS: [
      '*',
      'app.test',
      'https://app.test/',
      'https://app.test/x',
      'ftp://app.test',
      'null',
      'https://app.test,',
      'https://APP.test',
      'https://app.test:443',
      'https://a b',
    ],
    PONTE_TRUSTED_PROXIES: [
      '*',
      'proxy',
      '10.0.0.0/33',
      '10.0.0/8',
      '::/129',
      '10.0.0.1/8/9',
      'none,10.0.0.1',
      '1,',
    ],
    PONTE_SECURITY_CONTACT: [
      'security@acme.test',
      'mailto:security',
      'http://acme.test/security',
      'https://acme.test/a\nContact: mailto:b@c.test',
    ],
    PONTE_PRIVACY_URL: ['acme.test/privacy', 'javascript:alert(1)', 'https://acme.test/ a'],
    PONTE_TERMS_URL: ['terms', 'mailto:terms@acme.test'],
    PONTE_ANSWER_DAYS: ['0', '1.5', '91'],
    PONTE_DRIFT_ALERT_PERCENT: ['0', '2.5', '26', 'none'],
    PONTE_DRIFT_WAIT_PERCENT: ['0', '7.5', '26'],
    PONTE_PARTNER_REGIME: ['efx'],
    PONTE_BACKUP_EVERY: ['15', '0m', '90s', '25d', '1.5h'],
    PONTE_BACKUP_KEEP: ['0', 'all'],
    PONTE_LOG_LEVEL: ['verbose'],
  } as const;
  for (const [name, values] of Object.entries(wrong)) {
    test(name, () => {
      for (const value of values) {
        const problems = problemsOf({ [name]: value });
        assert.equal(problems.length, 1, `${name}=${value}: ${problems.join('; ')}`);
        assert.match(problems[0]!, new RegExp(`^${name}: `));
        assert.doesNotMatch(problems[0]!, /invalid|expected/i, 'in words of ours');
      }
    });
  }
});

test('backups need a folder and a SQLite file', () => {
  assert.deepEqual(problemsOf({ PONTE_BACKUP_EVERY: '1h', PONTE_BACKUP_KEEP: '2' }), [
    'PONTE_BACKUP_EVERY: has no effect without PONTE_BACKUP_TO',
    'PONTE_BACKUP_KEEP: has no effect without PONTE_BACKUP_TO',
  ]);
  const shared = { PONTE_BACKUP_TO: 'backups', PONTE_DATABASE_URL: 'postgres://a/b' };
  assert.deepEqual(problemsOf(shared), [
    'PONTE_BACKUP_TO: back up PostgreSQL with its own tools (adapters/docs/backup.md)',
  ]);
  assert.deepEqual(readConfig({ PONTE_BACKUP_TO: 'backups' }).backups, {
    to: resolve('backups'),
    everyMs: 900_000,
    keep: 96,
  });
});

const s3 = {
  PONTE_DOCUMENTS: 's3',
  PONTE_S3_URL: 'https://s3.test/papers/',
  PONTE_S3_ACCESS_KEY_ID: 'AK1',
  PONTE_S3_SECRET_ACCESS_KEY: 'topsecret',
} as const;

test('documents in S3 need a bucket and its keys, which have no effect otherwise', () => {
  assert.deepEqual(readConfig(s3).s3, {
    url: 'https://s3.test/papers',
    region: 'us-east-1',
    accessKeyId: 'AK1',
    secretAccessKey: 'topsecret',
  });
  assert.equal(readConfig({ ...s3, PONTE_S3_REGION: 'sa-east-1' }).s3?.region, 'sa-east-1');
  const names = ['PONTE_S3_URL', 'PONTE_S3_ACCESS_KEY_ID', 'PONTE_S3_SECRET_ACCESS_KEY'];
  assert.deepEqual(
    problemsOf({ PONTE_DOCUMENTS: 's3' }),
    names.map((name) => `${name}: must be set with PONTE_DOCUMENTS=s3`),
  );
  const unused = problemsOf({ ...s3, PONTE_DOCUMENTS: 'fs', PONTE_S3_REGION: 'a' });
  assert.deepEqual(
    unused,
    [...names, 'PONTE_S3_REGION'].map(
      (name) => `${name}: has no effect without PONTE_DOCUMENTS=s3`,
    ),
  );
  for (const wrong of [
    'papers',
    'https://s3.test',
    'https://s3.test/',
    'ftp://s3.test/papers',
    'https://s3.test/papers/2030',
    'https://s3.test/papers?a=b',
    'https://a:b@s3.test/papers',
    'https://s3.test/Papers',
    'https://s3.test/../papers/..',
  ]) {
    const problems = problemsOf({ ...s3, PONTE_S3_URL: wrong, PONTE_PORT: 'x' });
    assert.deepEqual(
      problems.map((line) => line.split(':')[0]),
      ['PONTE_PORT', 'PONTE_S3_URL'],
      wrong,
    );
    assert.doesNotMatch(problems.join(), /topsecret|AK1/);
  }
  const plain = { ...production, ...s3, PONTE_S3_URL: 'http://s3.test/papers' };
  assert.deepEqual(problemsOf(plain), ['PONTE_S3_URL: must be an https address in production']);
});

test('in production the console has an https address, or that of the machine', () => {
  const plain = { ...production, PONTE_OPERATOR_PORT: '8090' };
  const problem = 'PONTE_OPERATOR_URL: must be an https address in production';
  for (const [url, problems] of [
    ['http://console.test', [problem]],
    ['http://127.0.0.1.console.test', [problem]],
    ['https://console.test', []],
    ['http://localhost:8090', []],
    ['http://[::1]:8090', []],
  ] as const) {
    assert.deepEqual(problemsOf({ ...plain, PONTE_OPERATOR_URL: url }), problems, url);
  }
});

test('a mail server needs a sender address', () => {
  const problems = problemsOf({ PONTE_SMTP_URL: 'smtp://mail.test' });
  assert.deepEqual(problems, ['PONTE_MAIL_FROM: must be set with PONTE_SMTP_URL']);
});

test('all problems are reported together, without secrets', () => {
  const problems = problemsOf({
    PONTE_PORT: 'x',
    PONTE_SECRET_KEYS: 'k1:topsecret',
    PONTE_LOG_LEVEL: 'x',
  });
  assert.equal(problems.length, 3);
  assert.doesNotMatch(problems.join(), /topsecret/);
});

test('production starts with everything set', () => {
  const config = readConfig(production);
  assert.equal(config.production, true);
  assert.equal(config.allowPrivateUrls, false);
});

describe('production refuses what is unsafe', () => {
  const unsafe = {
    PONTE_SECRET_KEYS: '',
    PONTE_BASE_URL: 'http://api.example.com',
    PONTE_PAY_URL: '',
    PONTE_PARTNER_LIVE: 'fake',
    PONTE_WEBHOOK_ALLOW_PRIVATE: '1',
    PONTE_SMTP_URL: '',
  } as const;
  for (const [name, value] of Object.entries(unsafe)) {
    test(`${name}=${value}`, () => {
      const problems = problemsOf({ ...production, [name]: value });
      assert.equal(problems.length, 1);
      assert.match(problems[0]!, new RegExp(`^${name}: `));
    });
  }

  test('all of it at once', () => {
    assert.equal(problemsOf({ ...unsafe, PONTE_ENV: 'production' }).length, 6);
  });
});

test('a misspelt PONTE_ variable is reported; other variables are ignored', () => {
  const env = { PONTE_PROT: '1', PONTE_HOSST: 'a', PONTE_COLOUR: 'red', PONTE_KEY: 'k' };
  const { unknownVariables } = readConfig({ ...env, PATH: '/bin' });
  assert.deepEqual(unknownVariables, [
    { name: 'PONTE_PROT', meant: 'PONTE_PORT' },
    { name: 'PONTE_HOSST', meant: 'PONTE_HOST' },
    { name: 'PONTE_COLOUR', meant: null },
  ]);
});

test('in production a stop is preceded by a drain, unless it is set to 0', () => {
  const settings = {
    PONTE_ENV: 'production',
    PONTE_SECRET_KEYS: newSecretKey('k1'),
    PONTE_BASE_URL: 'https://api.test',
    PONTE_PAY_URL: 'https://pay.test',
    PONTE_SMTP_URL: 'smtps://mail.test',
    PONTE_MAIL_FROM: 'pay@acme.test',
  };
  assert.equal(readConfig(settings).drainMs, 5_000);
  assert.equal(readConfig({ ...settings, PONTE_DRAIN_SECONDS: '0' }).drainMs, 0);
});
