// What listens on the loopback interface answers under its own names only: a web page that points
// its name at 127.0.0.1 (DNS rebinding) reads nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { readConfig } from '../../host/config.js';
import { startHost } from '../../host/main.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const suite = suiteEnd();
const host = await startHost(
  readConfig({
    PONTE_DATA_DIR: temporaryFolder(),
    PONTE_PORT: '0',
    PONTE_PAY_URL: 'https://pay.tunnel.example',
    PONTE_OPERATOR_PORT: '0',
    PONTE_LOG_LEVEL: 'silent',
  }),
);
suite.after(() => host.stop());

async function statusOf(url: string, name: string): Promise<number> {
  const sent = request(url, { headers: { host: name }, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

const foreign = [
  'evil.example',
  'evil.example:8080',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil-localhost',
  '192.168.0.1',
  '[::2]:8080',
  '0x7f000001',
  '127.0.0.1@evil.example',
];
const own = ['127.0.0.1', '127.0.0.1:1', 'localhost:8080', 'LOCALHOST', 'app.localhost', '[::1]:1'];

test('a development host answers no page and no operation under the name of another server', async () => {
  for (const path of ['/dev/mailbox', '/dashboard', '/docs', '/v1/payments', '/healthz']) {
    for (const name of foreign) assert.equal(await statusOf(host.url + path, name), 400, name);
  }
  for (const name of [...own, 'pay.tunnel.example', 'pay.tunnel.example.']) {
    assert.notEqual(await statusOf(`${host.url}/healthz`, name), 400, name);
  }
});

test('nor does the console', async () => {
  const url = host.consoleUrl ?? '';
  for (const name of [...foreign, 'pay.tunnel.example']) {
    assert.equal(await statusOf(url, name), 400, name);
  }
  for (const name of own) assert.notEqual(await statusOf(url, name), 400, name);
});

test('a production host serves any name: others reach it, through proxies', () => {
  const { hostNames } = readConfig({
    PONTE_ENV: 'production',
    PONTE_SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    PONTE_BASE_URL: 'https://api.ponte.example',
    PONTE_PAY_URL: 'https://pay.ponte.example',
    PONTE_SMTP_URL: 'smtps://mail.example',
    PONTE_MAIL_FROM: 'Ponte <pay@ponte.example>',
  });
  assert.equal(hostNames, null);
});
