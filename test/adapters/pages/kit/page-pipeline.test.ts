// What every page keeps, and how sign-in, sessions and forms are checked, without a browser.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { pageRoutes } from '../../../../adapters/pages/page-routes.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { auditHead } from '../../../../core/usecases/service/audit-log.js';
import { linkIn, pageSite, signedInByMail, textOf } from '../visitor.js';

const missing = { publicId: 'unknown', flowId: 'unknown', ownerIndex: '0', id: 'mail_1' };

test('every page has its length, and headers that forbid scripts, frames, caches and referrers', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const expected = {
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
      "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy':
      'camera=(), microphone=(), geolocation=(), payment=(), usb=(), interest-cohort=()',
  };
  for (const target of [path, '/r/unknown', '/verify']) {
    const { headers, text } = await site.visitor().open(target);
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(headers.get(name), value, name);
    }
    // Clients that understand no chunks read a page, too.
    assert.equal(headers.get('content-length'), `${Buffer.byteLength(text)}`, target);
  }
});

test('what a form changes is in the audit log, by the link and then by the buyer', async (t) => {
  const site = await pageSite(t);
  const { id, path } = await site.newPayment();
  const visitor = await signedInByMail(site, path);
  await visitor.open(path);
  await visitor.send('/sign-out');
  const entries = await site.world.audit(site.tenant.orgId);
  const found = entries.map(({ actor, action }) => `${actor.kind} ${actor.id} ${action}`);
  const publicId = path.slice('/r/'.length);
  assert.deepEqual([...new Set(found)].toReversed(), [
    `link ${publicId} /r/{publicId}/enter`,
    `buyer ${id} /r/{publicId}/sign-out`,
  ]);
  for (const { address, requestId } of entries) {
    assert.equal(address, '127.0.0.1');
    assert.ok(requestId !== null);
  }
});

test('a stranger does not fill the audit log: no mail and no wrong code is an entry', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const { deps } = site.world;
  const before = await auditHead(deps);
  const stranger = site.visitor();
  await stranger.open(path);
  await stranger.send('/link');
  for (const code of ['000000', '111111', '222222']) await stranger.send('/code', { code });
  const [mail] = await deps.store.run((tx) => tx.mails.oldest(1));
  assert.equal(mail?.codeTries, 3, 'each was tried');
  assert.deepEqual(await auditHead(deps), before);
});

test('a browser may load a hundred pages of a session concurrently', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const visitor = await signedInByMail(site, path);
  site.world.advanceClock(MINUTE_MS);
  const loads = Array.from({ length: 100 }, () => visitor.request('GET', path));
  const statuses = (await Promise.all(loads)).map(({ status }) => status);
  assert.deepEqual(new Set(statuses), new Set([200]));
});

test('an unknown payment and one that is not open are the same page', async (t) => {
  const site = await pageSite(t);
  const paths = ['/r/unknown', `/r/${'A'.repeat(24)}`];
  const shown = await Promise.all(paths.map((path) => site.visitor().open(path)));
  assert.deepEqual(new Set(shown.map(({ status }) => status)), new Set([404]));
  assert.equal(new Set(shown.map(({ text }) => text.replaceAll(/\/r\/\w+/g, ''))).size, 1);
});

test('a row with a session leads to the page of the payment without one', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const publicId = path.slice('/r/'.length);
  for (const { method, path: pattern, auth } of pageRoutes) {
    if (auth === 'none') continue;
    const target = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === 'publicId' ? publicId : (missing[name as keyof typeof missing] ?? 'type'),
    );
    const body = method === 'POST' ? '' : undefined;
    const response = await site.visitor().request(method, target, body);
    assert.ok([303, 404].includes(response.status), `${method} ${pattern}: ${response.status}`);
    await response.text();
  }
});

test('a form without the token of its session, or from another site, changes nothing', async (t) => {
  const site = await pageSite(t);
  const { id, path } = await site.newPayment();
  const visitor = await signedInByMail(site, path);
  const before = await site.world.statusOf(id);
  const rows = pageRoutes.filter(({ csrf, subject }) => csrf === 'form' && subject === 'payment');
  assert.ok(rows.length > 3);
  for (const row of rows) {
    const target = `${path}${row.path.slice('/r/{publicId}'.length)}`.replaceAll(
      /\{\w+\}/g,
      'type',
    );
    for (const csrf of ['', 'wrong']) {
      const { path: landed } = await visitor.post(target, { csrf, version: '1' });
      assert.equal(landed, `${path}?notice=out_of_date`, row.path);
    }
  }
  const foreign: readonly Readonly<Record<string, string>>[] = [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of foreign) {
    const visitorBefore = site.visitor();
    const sent = site.world.mails.length;
    await visitorBefore.post(`${path}/link`, {}, headers);
    await site.world.settle();
    assert.equal(site.world.mails.length, sent);
  }
  assert.ok(visitor.hasCookie('ponte-session'));
  assert.equal(await site.world.statusOf(id), before);
});

test('a link of a mail signs in by its button only; GET and HEAD use nothing up', async (t) => {
  const site = await pageSite(t);
  const { id, path } = await site.newPayment();
  const visitor = site.visitor();
  await visitor.open(path);
  await visitor.send('/link');
  const link = await site.newestLink();
  const { pathname, search } = new URL(link);
  // A scanner of mails: HEAD, GET, and a browser without cookies.
  for (const method of ['HEAD', 'GET', 'GET']) {
    const scanner = site.visitor();
    await (await scanner.request(method, `${pathname}${search}`)).text();
    const { text } = await scanner.open(link);
    assert.doesNotMatch(text, /data-auto/, 'a script does not press the button');
    assert.equal(scanner.hasCookie('ponte-session'), false);
  }
  assert.equal(await site.world.statusOf(id), 'awaiting_buyer');
  const entered = await visitor.open(link);
  assert.equal(entered.path, `${path}/enter`);
  assert.match(entered.heading, /^Continue as buyer@example\.com/);
  assert.match(entered.text, /data-auto/, 'in the browser that asked it does');
  await visitor.send('/enter');
  assert.equal(await site.world.statusOf(id), 'buyer_kyc_pending');
});

test('a link signs in once; then it says so, with the masked address', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const visitor = await signedInByMail(site, path);
  const link = await site.newestLink();
  assert.equal((await visitor.open(link)).path, path, 'who is in comes back by it');
  const second = site.visitor();
  const { heading, text } = await second.open(link);
  assert.equal(heading, 'This link no longer works');
  assert.doesNotMatch(text, /buyer@example\.com/);
  const unknown = await second.open(`${path}?token=${'x'.repeat(43)}`);
  assert.equal(unknown.heading, 'This link no longer works');
});

test('the six digits sign in where they were requested, and nowhere else', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const [visitor, other] = [site.visitor(), site.visitor()];
  await visitor.open(path);
  await visitor.send('/link');
  const code = await site.newestCode();
  await other.open(path);
  await other.post(`${path}/code`, { code });
  assert.equal(other.hasCookie('ponte-session'), false);
  const wrong = await visitor.send('/code', { code: code === '000000' ? '000001' : '000000' });
  assert.match(wrong.path, /notice=code_wrong/);
  await visitor.send('/code', { code: ` ${code.slice(0, 3)} ${code.slice(3)}` });
  assert.ok(visitor.hasCookie('ponte-session'));
});

test('where strangers have asked for many mails, a link of theirs signs the buyer in', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  for (let asked = 0; asked < 40; asked += 1) await site.visitor().post(`${path}/link`, {});
  const { mails } = site.world;
  await site.world.settle();
  assert.equal(mails.length, 5);
  const words = {
    en: 'A link was emailed',
    es: 'Se envió un enlace',
    'pt-BR': 'Um link foi enviado',
  };
  for (const [language, text] of Object.entries(words)) {
    const visitor = site.visitor({ language });
    await visitor.open(path);
    const shown = await visitor.send('/link');
    const until = new Date(site.world.deps.clock.nowMs() + 30 * MINUTE_MS).toISOString();
    assert.ok(shown.text.includes(text), shown.text);
    assert.ok(shown.text.includes(until), until);
    assert.equal(mails.length, 5);
  }
  const buyer = site.visitor();
  await buyer.open(linkIn(mails[0]?.text ?? ''));
  await buyer.send('/enter');
  assert.ok(buyer.hasCookie('ponte-session'));
});

test('people behind one address of a proxy sign in after others spent what they share', async (t) => {
  const site = await pageSite(t);
  const spent = (await site.newPayment()).path;
  for (let asked = 0; asked < 60; asked += 1) await site.visitor().post(`${spent}/link`, {});
  const { path } = await site.newPayment({
    buyer: { email: 'bo@example.com', name: null, country: null, phone: null },
  });
  const visitor = await signedInByMail(site, path);
  assert.ok(visitor.hasCookie('ponte-session'));
});

test('a page says when codes may be tried again, and the link still signs in', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const stranger = site.visitor();
  await stranger.open(path);
  await stranger.send('/link');
  const mail = await site.newestMail();
  const tried = async () => (await stranger.post(`${path}/code`, { code: '123' })).path;
  const shown: string[] = [];
  for (let tries = 0; tries < 11; tries += 1) shown.push(await tried());
  assert.match(shown[9] ?? '', /notice=code_expired/);
  assert.match(shown[10] ?? '', /limit=code_too_often/);
  assert.match(stranger.words, /Too many codes were tried\. Open the link/);
  await stranger.open(linkIn(mail));
  await stranger.send('/enter');
  assert.ok(stranger.hasCookie('ponte-session'));
});

test('a session ends by sign-out, by idleness and by age', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const visitor = await signedInByMail(site, path);
  await visitor.open(path);
  await visitor.send('/sign-out');
  assert.match((await visitor.open(path)).heading, /asks you to pay/);
  const idle = await signedInByMail(site, path);
  site.world.advanceClock(HOUR_MS);
  assert.match((await idle.open(path)).heading, /asks you to pay/);
  const old = await signedInByMail(site, path);
  for (let hours = 0; hours < 12; hours += 0.75) {
    site.world.advanceClock(45 * MINUTE_MS);
    await old.open(path);
  }
  assert.match(old.shown?.heading ?? '', /asks you to pay/);
});

test('requests of the script do not keep a session from idling out', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const visitor = await signedInByMail(site, path);
  site.world.advanceClock(45 * MINUTE_MS);
  const stream = await visitor.request('GET', `${path}/status?version=1`);
  assert.equal(stream.headers.get('content-type'), 'text/event-stream');
  await stream.body?.cancel();
  site.world.advanceClock(15 * MINUTE_MS);
  assert.match((await visitor.open(path)).heading, /asks you to pay/);
});

test('a session of one payment opens no other', async (t) => {
  const site = await pageSite(t);
  const [first, second] = [await site.newPayment(), await site.newPayment()];
  const visitor = await signedInByMail(site, first.path);
  // A browser sends the cookie to its own path only; a stranger sends it anywhere.
  const stolen = site.visitor({ headers: { cookie: visitor.cookiesFor(first.path) } });
  assert.doesNotMatch((await stolen.open(first.path)).heading, /asks you to pay/);
  assert.match((await stolen.open(second.path)).heading, /asks you to pay/);
});

test('the language: chosen before display, before the browser, before English', async (t) => {
  const site = await pageSite(t);
  const plain = await site.newPayment();
  const spanish = await site.newPayment({ display: '{"locale":"es"}' });
  const languageOf = (text: string) => /<html lang="([^"]+)"/.exec(text)?.[1];
  const reader = site.visitor({ language: 'fr, pt-PT;q=0.8, en;q=0.5' });
  assert.equal(languageOf((await reader.open(plain.path)).text), 'pt-BR');
  assert.equal(languageOf((await reader.open(spanish.path)).text), 'es');
  const chosen = await reader.open(`${spanish.path}?lang=en`);
  assert.equal(chosen.path, spanish.path);
  assert.equal(languageOf(chosen.text), 'en');
  assert.equal(languageOf((await reader.open(plain.path)).text), 'en');
  assert.equal(languageOf((await site.visitor().open(plain.path)).text), 'en');
});

test('a chosen language keeps the path, also where a proxy removed its prefix', async (t) => {
  const site = await pageSite(t, { settings: { payUrl: 'http://pages.test/pay' } });
  const { path } = await site.newPayment();
  for (const target of [path, `/pay${path}`]) {
    const { headers } = await site.visitor().request('GET', `${target}?lang=es&sent=`);
    assert.equal(headers.get('location'), `/pay${path}?sent=&cookie-check`);
  }
});

test('cookies over https are for https, for one payment, and out of reach of scripts', async (t) => {
  const at = 'https://pay.example.com/pay';
  const site = await pageSite(t, { settings: { baseUrl: at, payUrl: at } });
  const { path } = await site.newPayment();
  const response = await site.visitor().request('POST', `${path}/link`, '');
  const [cookie = ''] = response.headers.getSetCookie();
  assert.match(cookie, /^__Secure-ponte-browser=[\w-]+; Path=\/pay\/r\/[\w-]+; Max-Age=\d+; /);
  assert.match(cookie, /HttpOnly; SameSite=Lax; Secure$/);
  assert.match(response.headers.get('strict-transport-security') ?? '', /max-age/);
});

test('with a host for pages alone, each host answers its own paths only', async (t) => {
  const settings = { baseUrl: 'http://api.test', payUrl: 'http://pay.test' };
  const site = await pageSite(t, { settings });
  const { path } = await site.newPayment();
  const statusAt = async (host: string, target: string) => {
    // fetch sends the host of its URL.
    const sent = request(`${site.origin}${target}`, { headers: { host } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return [response.statusCode, response.headers['content-type']?.split(';')[0]];
  };
  assert.deepEqual(await statusAt('pay.test', path), [200, 'text/html']);
  assert.deepEqual(await statusAt('api.test', path), [404, 'application/json']);
  for (const host of ['api.test', 'pay.test']) {
    assert.deepEqual(await statusAt(host, '/.well-known/security.txt'), [200, 'text/plain']);
  }
});

test('a request of two hosts is refused, for a page as for the API', async (t) => {
  const settings = { baseUrl: 'http://api.test', payUrl: 'http://pay.test' };
  const site = await pageSite(t, { settings });
  const { path } = await site.newPayment();
  const { port } = new URL(site.origin);
  for (const hosts of [
    ['pay.test', 'api.test'],
    ['api.test', 'pay.test'],
    ['pay.test', 'pay.test'],
  ]) {
    const socket = connect(Number(port), '127.0.0.1');
    const lines = hosts.map((host) => `Host: ${host}\r\n`).join('');
    socket.write(`GET ${path} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /"error":"ValidationError","message":"Host: send this header once\."/);
  }
});

test('only answers of an https address have Strict-Transport-Security', async (t) => {
  const site = await pageSite(t, { settings: { payUrl: 'https://pages.test' } });
  const { path } = await site.newPayment();
  for (const [target, expected] of [
    [path, 'max-age=31536000'],
    ['/healthz', null],
  ] as const) {
    const { headers } = await site.visitor().request('GET', target);
    assert.equal(headers.get('strict-transport-security'), expected, target);
  }
});

test('the date of the settlement stays when money arrives later', async (t) => {
  const site = await pageSite(t, { payins: 'wait' });
  const { world, tenant } = site;
  const { id, path } = await site.newPayment();
  await world.play(tenant, id, 'settled');
  world.advanceClock(3 * DAY_MS);
  await simulate(world.deps, tenant, id, 'money_twice');
  await world.settle();
  const visitor = await signedInByMail(site, path);
  const { text } = await visitor.open(path);
  assert.match(textOf(text), /received BRL [\d,.]+ on 31 December 2029/);
});
