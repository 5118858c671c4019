// `ponte doctor --egress` against servers of this machine that behave well and badly.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import { test } from 'node:test';
import tls from 'node:tls';
import { createOrganization } from '../../core/usecases/parties/organizations.js';
import { createSubscription } from '../../core/usecases/webhooks/subscriptions.js';
import { openForOperator } from '../../host/operator-access.js';
import { runCommand } from '../support/servers/command.js';
import { localSmtp } from '../support/servers/local-smtp.js';
import { localhostTls } from '../support/servers/localhost-tls.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const suite = suiteEnd();
const folder = temporaryFolder();
const env = { PONTE_DATA_DIR: folder, PONTE_LOG_LEVEL: 'silent' } as const;
let plain = 0;
let secured = 0;

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  suite.after(() => new Promise((done) => server.close(done)));
  return (server.address() as AddressInfo).port;
}

plain = await listening(createTcp((socket) => socket.on('error', () => undefined)));
secured = await listening(createHttps({ ...localhostTls }, (_, response) => response.end()));

type Environment = Readonly<Record<string, string | undefined>>;

async function doctor(words: string, changes: Environment = {}) {
  const run = await runCommand({ ...env, ...changes }, [
    'doctor',
    '--egress',
    '--json',
    ...words.split(' ').filter((word) => word !== ''),
  ]);
  const { checks } = JSON.parse(run.stdout) as {
    readonly checks: readonly Readonly<Record<'target' | 'name' | 'severity' | 'detail', string>>[];
  };
  const lines = checks
    .filter(({ target }) => target !== 'network')
    .map(
      ({ name, severity, detail }) => `${severity} ${name}: ${detail.replace(/\d+ ms/, 'N ms')}`,
    );
  return { status: run.status, checks, lines };
}

test('a receiver that is reached: name, address and time', async () => {
  const { status, lines } = await doctor(`--url http://127.0.0.1:${plain}/webhooks`);
  assert.deepEqual(lines, ['ok name: 127.0.0.1 in N ms', 'ok IPv4: 127.0.0.1 in N ms']);
  assert.equal(status, 0);
});

test('what prevents a connection is named, with what to do', async () => {
  const gone = createTcp();
  const port = await listening(gone);
  await new Promise((done) => gone.close(done));
  const cases = [
    [
      `http://127.0.0.1:${port}/`,
      `critical IPv4: 127.0.0.1 refuses connections: is the port right, and does the server run? ` +
        '(ECONNREFUSED)',
    ],
    [
      'https://does-not-exist.invalid/',
      'critical name: does-not-exist.invalid does not resolve (ENOTFOUND): ' +
        'check the name and the DNS server',
    ],
    [
      `https://localhost:${secured}/`,
      'critical TLS: its certificate is not trusted here (DEPTH_ZERO_SELF_SIGNED_CERT): ' +
        'renew it, send the whole chain, or add its authority by NODE_EXTRA_CA_CERTS; ' +
        'a proxy may have replaced it',
    ],
  ] as const;
  for (const [url, line] of cases) {
    const { status, lines } = await doctor(`--url ${url}`);
    const shown = lines.at(-1)?.replace(/EAI_AGAIN/, 'ENOTFOUND');
    assert.equal(shown, line, url);
    assert.equal(status, 8, url);
  }
});

test('a certificate of an authority that this machine trusts is taken', async () => {
  const trusted = tls.getCACertificates('default');
  suite.after(() => tls.setDefaultCACertificates(trusted));
  tls.setDefaultCACertificates([...trusted, localhostTls.cert]);
  const { lines } = await doctor(`--url https://localhost:${secured}/`);
  assert.equal(lines.at(-1), 'ok TLS: TLSv1.3 in N ms');
});

test('in production a receiver with a private address is not tried', async () => {
  const { lines } = await doctor(`--url http://127.0.0.1:${plain}/`, {
    PONTE_WEBHOOK_ALLOW_PRIVATE: '0',
  });
  assert.deepEqual(lines, [
    'critical name: 127.0.0.1: not public, so Ponte does not connect. Use a public host',
  ]);
});

const blindpay = {
  PONTE_PARTNER_TEST: 'blindpay',
  PONTE_BLINDPAY_TEST_API_KEY: 'a-key-of-the-instance',
  PONTE_BLINDPAY_TEST_INSTANCE_ID: 'in_000000000000',
  PONTE_BLINDPAY_TEST_WEBHOOK_SECRETS: `whsec_${'A'.repeat(32)}`,
} as const;
const bucket = {
  PONTE_DOCUMENTS: 's3',
  PONTE_S3_ACCESS_KEY_ID: 'id',
  PONTE_S3_SECRET_ACCESS_KEY: 'secret',
} as const;

test('the partner of each mode and the storage of documents are tried, and named', async () => {
  const here = `http://127.0.0.1:${plain}`;
  const settings = { ...blindpay, ...bucket };
  const { checks, status } = await doctor('', {
    ...settings,
    PONTE_BLINDPAY_TEST_URL: `${here}/v1`,
    PONTE_S3_URL: `${here}/documents`,
  });
  const ofServers = checks.filter(({ target }) => target !== 'network');
  assert.deepEqual(
    ofServers.map(({ target, name, severity }) => [target, name, severity]),
    [
      ['blindpay (test)', 'name', 'ok'],
      ['blindpay (test)', 'IPv4', 'ok'],
      ['documents', 'name', 'ok'],
      ['documents', 'IPv4', 'ok'],
    ],
  );
  assert.equal(status, 0);
  const gone = await doctor('', {
    ...settings,
    PONTE_BLINDPAY_TEST_URL: 'https://partner.invalid/v1',
    PONTE_S3_URL: 'https://bucket.invalid/documents',
  });
  for (const host of ['partner.invalid', 'bucket.invalid']) {
    assert.ok(
      gone.lines.some((line) => line.startsWith(`critical name: ${host} does not resolve`)),
      host,
    );
  }
  assert.equal(gone.status, 8);
});

test('the mail server is signed in to', async () => {
  const server = await localSmtp();
  suite.after(() => server.close());
  const mail = { PONTE_SMTP_URL: `smtp://user:right@127.0.0.1:${server.port}` };
  const good = await doctor('', { ...mail, PONTE_MAIL_FROM: 'pay@acme.example' });
  assert.equal(good.lines.at(-1), 'ok sign-in: the mail server accepts us');
  assert.equal(good.status, 0);
  server.answers = { AUTH: '535 5.7.8 wrong' };
  const bad = await doctor('', { ...mail, PONTE_MAIL_FROM: 'pay@acme.example' });
  assert.match(bad.lines.at(-1) ?? '', /^critical sign-in: .*535 5\.7\.8 wrong.*PONTE_SMTP_URL$/);
  assert.equal(bad.status, 8);
});

test('a proxy of the environment is named: Ponte does not use it', async () => {
  const { checks, status } = await doctor('', { https_proxy: 'http://proxy.example:3128' });
  const [proxy] = checks;
  assert.equal(proxy?.severity, 'warning');
  assert.match(proxy?.detail ?? '', /^HTTPS_PROXY is set, and Ponte connects directly/);
  assert.equal(status, 9);
});

test('the receivers of all subscriptions are tried, one URL of each origin', async () => {
  const { deps, close } = await openForOperator(env, { opening: 'makes' });
  const { organization } = await createOrganization(deps, { name: 'Acme', sandboxKyb: true });
  for (const path of ['a', 'b']) {
    const url = `http://127.0.0.1:${plain}/${path}`;
    const tenant = { orgId: organization.id, mode: 'test' } as const;
    await createSubscription(deps, tenant, { url, eventTypes: ['*'] });
  }
  await close();
  const { checks, status } = await doctor('--subscriptions');
  const origin = `http://127.0.0.1:${plain}`;
  assert.deepEqual(
    checks.filter(({ target }) => target !== 'network').map(({ target, name }) => [target, name]),
    [
      [origin, 'name'],
      [origin, 'IPv4'],
    ],
  );
  assert.equal(status, 0);
});

test('people see a table; options that do not fit are refused', async () => {
  const url = `http://127.0.0.1:${plain}/`;
  const { stdout } = await runCommand(env, ['doctor', '--egress', '--url', url]);
  assert.match(stdout, /^TARGET +CHECK +STATE +DETAIL/);
  assert.equal((await runCommand(env, ['doctor', '--url', url])).status, 2);
  assert.equal((await runCommand(env, ['doctor', '--egress', '--url', 'ftp://x/'])).status, 2);
});
