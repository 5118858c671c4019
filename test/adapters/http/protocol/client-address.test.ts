// Who a request comes from, directly and through proxies.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { clientAddressOver, isNetwork } from '../../../../adapters/http/protocol/client-address.js';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import { createKey, unlimitedKey } from '../../../../core/usecases/access/keys.js';
import { checkedSite } from '../checked-site.js';

const trusted = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8'];

function addressOf(peer: string | undefined, forwarded: string | undefined, proxies = trusted) {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  const request = { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
  return clientAddressOver(proxies)(request);
}

test('X-Forwarded-For counts only as far as trusted proxies have written it', () => {
  const cases: readonly (readonly [string | undefined, string | undefined, string | null])[] = [
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['192.0.2.7', '198.51.100.1', '198.51.100.1'],
    ['192.0.2.8', '198.51.100.1', '192.0.2.8'],
    ['10.1.2.3', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '198.51.100.1, 10.9.9.9, 192.0.2.7', '198.51.100.1'],
    ['10.1.2.3', '10.9.9.9', '10.9.9.9'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', '', '10.1.2.3'],
    ['10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.1.2.3', '<script>, 10.9.9.9', '10.9.9.9'],
    ['10.1.2.3', '198.51.100.1:443', '198.51.100.1'],
    ['10.1.2.3', '1.1.1.1, 198.51.100.1:443 , 10.9.9.9:5555', '198.51.100.1'],
    ['10.1.2.3', '[2001:db8::5]:443', '2001:db8::5'],
    ['10.1.2.3', '[2001:db8::5]', '2001:db8::5'],
    ['10.1.2.3', '[::ffff:198.51.100.1]:443', '198.51.100.1'],
    ['10.1.2.3', '198.51.100.1:443:1', '10.1.2.3'],
    ['10.1.2.3', '[]:443', '10.1.2.3'],
    ['::ffff:10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
    ['fd00::1', '2001:db8::5', '2001:db8::5'],
    ['2001:db8::1', '2001:db8::5', '2001:db8::1'],
    ['fd00::1%eth0', '2001:db8::5%2', '2001:db8::5'],
    [undefined, '198.51.100.1', null],
  ];
  for (const [peer, forwarded, client] of cases) {
    assert.equal(addressOf(peer, forwarded), client, `${peer} <- ${forwarded}`);
  }
  assert.equal(addressOf('10.1.2.3', '198.51.100.1', []), '10.1.2.3', 'nobody is trusted');
});

test('a network is an IP address or CIDR', () => {
  const zoned = ['fe80::1%eth0', 'fe80::%1/64', '::1%lo'];
  for (const network of ['127.0.0.1', '::1', '0.0.0.0/0', '10.0.0.0/32', '::/0', 'fd00::/128']) {
    assert.equal(isNetwork(network), true, network);
  }
  for (const text of [
    '',
    'localhost',
    '10.0.0.0/',
    '10.0.0.0/33',
    '::/129',
    '10/8',
    '1.1.1.1/a',
    ...zoned,
  ]) {
    assert.equal(isNetwork(text), false, text);
  }
});

test('a refusal is logged with the address of the client', async (t) => {
  const headers = { 'x-forwarded-for': '198.51.100.1', 'x-request-id': 'from-afar' };
  for (const [proxies, client] of [
    [['127.0.0.0/8'], '198.51.100.1'],
    [[], '127.0.0.1'],
  ] as const) {
    const site = await checkedSite(t, undefined, { trustedProxies: proxies });
    await site.call('GET', '/nowhere', { headers });
    const entry = site.world.log.find(({ fields }) => fields['requestId'] === 'from-afar');
    assert.equal(entry?.fields['client'], client);
  }
});

test('a key with networks is accepted from them alone, as the trusted proxies say', async (t) => {
  const site = await checkedSite(t, undefined, { trustedProxies: ['127.0.0.0/8'] });
  const { deps } = site.world;
  const networks = ['203.0.113.0/24', '2001:db8::/32'];
  const orgId = await site.world.organization();
  const { secret: key } = await createKey(deps, {
    ...unlimitedKey,
    orgId,
    mode: 'test',
    createdBy: developmentOperator.id,
    name: 'erp',
    networks,
  });
  for (const [forwarded, status] of [
    ['203.0.113.9', 200],
    ['203.0.113.9:5555', 200],
    ['2001:db8::5', 200],
    ['::ffff:203.0.113.9', 200],
    ['203.0.114.1', 401],
    ['2001:db9::5', 401],
    ['203.0.113.9, 198.51.100.1', 401],
    ['', 401],
  ] as const) {
    const headers = { 'x-forwarded-for': forwarded };
    const answer = await site.call('GET', '/v1/webhook-subscriptions', { key, headers });
    assert.equal(answer.status, status, forwarded);
  }
});
