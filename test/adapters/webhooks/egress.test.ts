import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { isIP, Socket } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type EgressOptions,
  egressGuard,
  ForbiddenAddress,
  isPublicAddress,
  type Resolve,
} from '../../../adapters/webhooks/egress.js';
import { startReceiver } from '../../support/servers/local-receiver.js';

const noAnswer: Resolve = () => Promise.reject(new Error('no name server'));

function guard(resolve: Resolve = noAnswer, more: Partial<EgressOptions> = {}) {
  return egressGuard({ allowPrivate: false, connectTimeoutMs: 2_000, resolve, ...more });
}

/** A resolver that gives these answers in turn, the last one for ever. */
function turns(...answers: readonly (readonly string[])[]): Resolve {
  let at = -1;
  return async () => {
    at = Math.min(at + 1, answers.length - 1);
    return answers[at] ?? [];
  };
}

const publicAddresses = [
  '8.8.8.8',
  '93.184.216.34',
  '1.0.0.1',
  '11.0.0.1',
  '9.255.255.255',
  '126.255.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
  '2001:4860::8888',
  // NAT64 of public IPv4.
  '64:ff9b::808:808',
  '64:ff9b::5db8:d822',
];

const forbiddenAddresses = [
  '0.0.0.0',
  '0.1.2.3',
  '127.0.0.1',
  '127.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '172.16.0.0',
  '172.31.255.255',
  '192.168.0.0',
  '192.168.255.255',
  '169.254.0.0',
  '169.254.169.254',
  '169.254.170.2',
  '100.64.0.0',
  '100.100.100.200',
  '100.127.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  // The metadata and control endpoint of Azure's machines.
  '168.63.129.16',
  '::',
  '::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  // IPv4 in IPv6: mapped, compatible, translated, 6to4, Teredo; NAT64 of private addresses, and
  // by a prefix of the network.
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '::ffff:0:7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b::a00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::a83f:8110',
  '64:ff9b:0:0:1::808:808',
  '64:ff9b:1::a00:1',
  '64:ff9b:1::808:808',
  '2002:7f00:1::',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '100::1',
  '2001:db8::1',
  '2001:2::1',
  '3fff::1',
  '5f00::1',
  '4000::1',
  'f000::1',
  '',
  'localhost',
  '127.1',
  '8.8.8.8:80',
  '[::1]',
  '0x7f000001',
  '2130706433',
];

test('only public unicast addresses may be called', () => {
  for (const address of publicAddresses) assert.equal(isPublicAddress(address), true, address);
  for (const address of forbiddenAddresses) assert.equal(isPublicAddress(address), false, address);
});

test('law: IPv4 is reached by way of NAT64 where it is public, and by no other IPv6 form', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a, b, c, d] = address.split('.').map((part) => Number.parseInt(part, 10));
      const hex = [(a! << 8) | b!, (c! << 8) | d!].map((part) => part.toString(16)).join(':');
      assert.equal(isPublicAddress(`64:ff9b::${hex}`), isPublicAddress(address), address);
      for (const prefix of ['::ffff:', '::', '::ffff:0:', '64:ff9b:1::']) {
        assert.equal(isPublicAddress(`${prefix}${hex}`), false, `${prefix}${hex}`);
      }
      assert.equal(isPublicAddress(`2002:${hex}::1`), false);
    }),
  );
});

const notPublic = /private, loopback, link-local/;
const refusals: readonly (readonly [url: string, why: RegExp | null])[] = [
  ['https://example.com/webhooks', null],
  ['https://example.com', null],
  ['https://example.com:8443/a?b=c', null],
  ['https://münchen.example/', null],
  ['https://8.8.8.8/', null],
  ['https://[2606:4700:4700::1111]/', null],
  ['http://example.com/', /must use https/],
  ['ftp://example.com/', /must use https/],
  ['file:///etc/passwd', /must use https/],
  ['javascript:alert(1)', /must use https/],
  ['', /must be absolute/],
  ['example.com/webhooks', /must be absolute/],
  ['//example.com', /must be absolute/],
  ['https://', /must be absolute/],
  ['https://example.com:99999/', /must be absolute/],
  ['https://user@example.com/', /user name or a password/],
  ['https://user:secret@example.com/', /user name or a password/],
  ['https://:secret@example.com/', /user name or a password/],
  ['https://example.com/#part', /fragment/],
  ['https://example.com/#', /fragment/],
  [' https://example.com/', /blanks/],
  ['https://example.com/a b', /blanks/],
  ['https://exam\nple.com/', /blanks/],
  ['https://example.com/\0', /blanks/],
  [`https://example.com/${'a'.repeat(2_048)}`, /at most 2048 characters/],
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '127。0。0。1'].map(
    (host) => [`https://${host}/`, notPublic] as const,
  ),
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '0'].map(
    (host) => [`https://${host}/`, notPublic] as const,
  ),
  ['HTTPS://Example.COM:443/Hook\\a', null],
  ['https://example.com:0/', /port 0/],
  ...['https://example.com\\@evil.example/', 'https:/example.com/', 'https:example.com'].map(
    (url) => [url, /Write the host/] as const,
  ),
  ...['%65xample.com', '8.8.2056', '0x08080808', 'münchen.example\\@evil.example'].map(
    (host) => [`https://${host}/`, /Write the host/] as const,
  ),
  ['https://169.254.169.254/latest/meta-data/', notPublic],
  ['https://10.0.0.1:8443/', notPublic],
];

test('a URL is https on any port, without credentials, fragment and forbidden address', async () => {
  const { refusal } = guard();
  for (const [url, why] of refusals) {
    const answer = await refusal(url);
    if (why === null) assert.equal(answer, null, url);
    else assert.match(answer ?? 'null', why, url);
    assert.equal(answer?.includes('secret') ?? false, false);
  }
});

test('a host name is refused when any of its addresses is forbidden', async () => {
  for (const [addresses, allowed] of [
    [['93.184.216.34'], true],
    [['93.184.216.34', '2606:4700::1'], true],
    [['93.184.216.34', '10.0.0.1'], false],
    [['93.184.216.34', '::1'], false],
    [['169.254.169.254'], false],
    // DNS64 of a network without IPv4: the address inside is judged.
    [['64:ff9b::5db8:d822'], true],
    [['93.184.216.34', '64:ff9b::5db8:d822'], true],
    [['64:ff9b::a00:1'], false],
    [['64:ff9b::5db8:d822', '64:ff9b::7f00:1'], false],
    [['64:ff9b:1::5db8:d822'], false],
  ] as const) {
    const answer = await guard(turns(addresses)).refusal('https://hooks.example/');
    assert.equal(answer === null, allowed, addresses.join());
  }
});

test('a host name that does not resolve is not refused: connects check again', async () => {
  assert.equal(await guard(noAnswer).refusal('https://not-yet.example/'), null);
});

test('localhost by any name is refused without asking anybody', async () => {
  const { refusal } = egressGuard({ allowPrivate: false, connectTimeoutMs: 2_000 });
  for (const host of ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.localhost.']) {
    assert.match((await refusal(`https://${host}/`)) ?? 'null', notPublic, host);
  }
});

test('allowPrivate lifts https and the addresses, and nothing else', async () => {
  const { refusal } = guard(noAnswer, { allowPrivate: true });
  for (const url of ['http://127.0.0.1:3000/', 'http://localhost/', 'https://[::1]/']) {
    assert.equal(await refusal(url), null, url);
  }
  for (const url of ['http://a:b@localhost/', 'http://localhost/#a', 'ftp://localhost/', 'a']) {
    assert.notEqual(await refusal(url), null, url);
  }
  assert.equal(await refusal('ftp://localhost/'), 'The URL must use https or http.');
});

test('law: every URL of a forbidden IPv4 address is refused', async () => {
  const first = fc.constantFrom(0, 10, 127, 224, 239, 255);
  await fc.assert(
    fc.asyncProperty(first, fc.nat(255), fc.nat(255), fc.nat(255), async (a, b, c, d) => {
      const number = ((a * 256 + b) * 256 + c) * 256 + d;
      for (const host of [`${a}.${b}.${c}.${d}`, `${number}`, `0x${number.toString(16)}`]) {
        assert.match((await guard().refusal(`https://${host}/`)) ?? 'null', notPublic, host);
      }
    }),
  );
});

function connect(resolve: Resolve, hostname: string, port = 1, allowPrivate = false) {
  return new Promise<Socket>((done, fail) => {
    const target = { hostname, host: hostname, protocol: 'http:', port: `${port}` };
    guard(resolve, { allowPrivate }).connector(target, (error, socket) =>
      error === null ? done(socket as Socket) : fail(error),
    );
  });
}

function failureOf(
  connector: ReturnType<typeof egressGuard>['connector'],
  { protocol = 'http:', port = 1 } = {},
) {
  const hostname = 'hooks.example';
  return new Promise<NodeJS.ErrnoException | null>((done) => {
    const target = { hostname, host: hostname, protocol, port: `${port}` };
    connector(target, (...[error]) => done(error));
  });
}

test('a connect to a forbidden address fails before it is made', async (t) => {
  const receiver = await startReceiver((response) => response.end());
  t.after(() => receiver.close());
  for (const hostname of ['127.0.0.1', '::1', 'hooks.example']) {
    const connecting = connect(turns(['127.0.0.1']), hostname, receiver.port);
    await assert.rejects(connecting, ForbiddenAddress, hostname);
  }
  assert.equal(receiver.connections.length, 0);
});

test('a name that turned from public to private gets nothing', async (t) => {
  const receiver = await startReceiver((response) => response.end());
  t.after(() => receiver.close());
  const rebinding = turns(['93.184.216.34'], ['127.0.0.1']);
  const { refusal, connector } = guard(rebinding);
  assert.equal(await refusal('https://hooks.example/'), null);
  const failure = await failureOf(connector, { port: receiver.port });
  assert.ok(failure instanceof ForbiddenAddress);
  assert.equal(receiver.connections.length, 0);
});

test('a connection is made to the address that was checked', async (t) => {
  const receiver = await startReceiver((response) => response.end());
  t.after(() => receiver.close());
  let asked = 0;
  const resolve: Resolve = async () => {
    asked += 1;
    // A second look would lead elsewhere.
    return asked === 1 ? ['127.0.0.1'] : ['127.0.0.9'];
  };
  const socket = await connect(resolve, 'hooks.example', receiver.port, true);
  assert.equal(isIP(socket.remoteAddress ?? ''), 4);
  assert.deepEqual([socket.remoteAddress, asked], ['127.0.0.1', 1]);
  socket.destroy();
});

/** What a resolver can answer, and the code of the failed connection. */
const unusableAnswers: readonly (readonly [string, Resolve, string])[] = [
  ['no address', async () => [], 'ENOTFOUND'],
  ['text that is no address', async () => ['not an address'], 'EBADRESP'],
  ['an empty text', async () => [''], 'EBADRESP'],
  ['an address and something else', async () => ['93.184.216.34', 'x'], 'EBADRESP'],
  ['undefined in the list', async () => [undefined] as unknown as readonly string[], 'EBADRESP'],
  ['a number in the list', async () => [2130706433] as unknown as readonly string[], 'EBADRESP'],
  ['null', async () => null as unknown as readonly string[], 'EBADRESP'],
  ['undefined', async () => undefined as unknown as readonly string[], 'EBADRESP'],
  ['a text instead of a list', async () => '8.8.8.8' as unknown as readonly string[], 'EBADRESP'],
  ['nothing, ever', () => new Promise(() => undefined), 'ETIMEOUT'],
];

test('an answer of the resolver without usable addresses fails the connection', async () => {
  for (const allowPrivate of [false, true]) {
    for (const [name, resolve, code] of unusableAnswers) {
      for (const protocol of ['http:', 'https:']) {
        const { connector } = guard(resolve, { allowPrivate, lookupTimeoutMs: 100 });
        const failure = await failureOf(connector, { protocol });
        assert.equal(failure?.code, code, `${name}, ${protocol}`);
      }
    }
  }
});

test('an answer of the resolver without usable addresses does not refuse a URL', async () => {
  for (const [name, resolve] of unusableAnswers) {
    const { refusal } = guard(resolve, { lookupTimeoutMs: 100 });
    assert.equal(await refusal('https://hooks.example/'), null, name);
  }
});

test('an answer after the connection has timed out changes nothing', async () => {
  for (const late of [['93.184.216.34'], [], ['not an address']]) {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    const { connector } = guard(() => promise, { connectTimeoutMs: 50 });
    assert.equal((await failureOf(connector))?.code, 'UND_ERR_CONNECT_TIMEOUT');
    resolve(late);
    // An unhandled rejection or exception of the next turn fails the test.
    await new Promise((done) => setImmediate(done));
  }
});

test('a throw of the runtime when it gets the addresses fails only this connection', async (t) => {
  const { connector } = guard(turns(['93.184.216.34']));
  const broken = new Error('thrown in a listener');
  t.mock.method(Socket.prototype, 'emit', function (this: Socket, event: string, ...rest: never[]) {
    // The runtime reports the first address before it connects.
    if (event === 'lookup' && rest[0] === null) throw broken;
    return EventEmitter.prototype.emit.call(this, event, ...rest);
  });
  assert.equal(await failureOf(connector), broken);
});
