// Pages without a session: the check of bank details, and the files that pages load.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogues } from '../../../../adapters/pages/hosted/texts.js';
import { accentPath, assetPaths } from '../../../../adapters/pages/kit/assets.js';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import { codeOf } from '../../../../core/domain/mail/mail.js';
import { stopCode } from '../../../../core/usecases/mail/stop-codes.js';
import { readBankDetails } from '../../../../core/usecases/payments/bank-details.js';
import { aDestinationChange, anAccount } from '../../../support/samples/domain-samples.js';
import { formsOf, type PageSite, pageSite, textOf } from '../visitor.js';

/** One unit less arrives, so the payment stays at its bank details. */
const short = { amount: money(10_055n, 'USD') };

/** A payment whose bank details were given. */
async function given({ world, tenant, newPayment }: PageSite) {
  const { id, path } = await newPayment(short);
  await world.play(tenant, id, 'on_ramp_pending');
  const [details, payment] = await Promise.all([
    readBankDetails(world.deps, tenant, id),
    world.deps.store.run((tx) => tx.payments.get(tenant, id)),
  ]);
  const fields = payment?.payinInstructions?.rails.flatMap((rail) => rail.fields) ?? [];
  const account = fields.find(({ name }) => name === 'accountNumber' || name === 'iban')?.value;
  assert.ok(details !== null && account !== undefined);
  return { path, account, ...details };
}

const ours = /These are the details that we gave on/;
const never = /We never gave these details/;

test('the code or the account of a page was given, however it was typed', async (t) => {
  const site = await pageSite(t);
  const { path, account, checkCode, shortId } = await given(site);
  const questions = [
    { publicId: path.slice('/r/'.length), value: checkCode },
    { publicId: `${site.origin}${path}`, value: ` ${checkCode.toLowerCase()} ` },
    { publicId: shortId, value: checkCode.replace('-', ' ') },
    { publicId: shortId, value: account },
  ];
  for (const question of questions) {
    const { status, text } = await site.visitor().post('/verify', question);
    assert.equal(status, 200);
    assert.match(textOf(text), ours, JSON.stringify(question));
    assert.doesNotMatch(textOf(text), never);
  }
});

test('anything else was never given, and the answer names no payment', async (t) => {
  const site = await pageSite(t);
  const { path, account, checkCode } = await given(site);
  const other = await given(site);
  const questions = [
    { publicId: path, value: '7KQ4-M2XD' },
    { publicId: other.path, value: checkCode },
    { publicId: 'unknown', value: account },
    { publicId: path, value: '<script>alert(1)</script>' },
  ];
  for (const question of questions) {
    const { status, text } = await site.visitor().post('/verify', question);
    assert.equal(status, 200);
    assert.match(textOf(text), never, JSON.stringify(question));
    assert.doesNotMatch(text, /Acme|buyer@|<script>/);
  }
});

test('without a value nothing is asked, and what was typed stays', async (t) => {
  const site = await pageSite(t);
  const visitor = site.visitor();
  await visitor.open('/verify');
  const { text } = await visitor.send('/verify', { publicId: '7KQ4-M2XD', value: ' ' });
  assert.doesNotMatch(textOf(text), /We never gave|that we gave/);
  assert.match(textOf(text), /Enter the check code or the account number\./);
  assert.match(text, /value="7KQ4-M2XD"/);
  assert.match(text, /aria-invalid/);
});

test('a client asks a limited number of times an hour, and the page says until when', async (t) => {
  const site = await pageSite(t);
  const ask = (publicId = 'unknown') => site.visitor().post('/verify', { publicId, value: '123' });
  const perHour = 20 + 10;
  for (let asked = 0; asked < perHour; asked += 1) assert.equal((await ask()).status, 200);
  const { status, headers, text } = await ask();
  assert.equal(status, 429);
  assert.equal(headers.get('retry-after'), '180');
  const until = new Date(site.world.deps.clock.nowMs() + 3 * MINUTE_MS).toISOString();
  assert.ok(text.includes(until));
  assert.match(textOf(text), /Nothing was changed\. Try again at/);
  assert.doesNotMatch(textOf(text), never);
  assert.equal((await ask('another')).status, 200, 'other pages are not locked');
  site.world.advanceClock(3 * MINUTE_MS);
  assert.equal((await ask()).status, 200);
});

test('below a path, the form and the files are there too', async (t) => {
  const at = 'http://pages.test/pay';
  const site = await pageSite(t, { settings: { baseUrl: at, payUrl: at } });
  const visitor = site.visitor();
  const { text } = await visitor.open('/pay/verify');
  assert.deepEqual(
    formsOf(text).map(({ action }) => action),
    ['/pay/verify'],
  );
  const { text: answer } = await visitor.send('/pay/verify', { publicId: 'unknown', value: '123' });
  assert.match(textOf(answer), never);
  const { style } = assetPaths('/pay');
  assert.ok(text.includes(`href="${style}"`));
  assert.equal((await visitor.request('GET', style)).status, 200);
});

test('a file is compressed, has its type, and may be kept forever', async (t) => {
  const site = await pageSite(t);
  const { style, script } = assetPaths('');
  const types = { [style]: 'text/css', [script]: 'text/javascript' };
  for (const [path, type] of Object.entries(types)) {
    const response = await site.visitor().request('GET', path);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), `${type}; charset=utf-8`);
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(response.headers.get('content-encoding'), 'gzip');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    // fetch has decompressed it.
    assert.ok((await response.text()).length > 1_000);
  }
});

test('every file is sent as it is to a client that reads no gzip, and says that it depends on that', async (t) => {
  const site = await pageSite(t);
  const paths = [...Object.values(assetPaths('')), accentPath('', '#8a1c4a')];
  for (const path of paths) {
    const read = async (accepted: string, method = 'GET') => {
      const headers = { 'accept-encoding': accepted };
      const response = await site.visitor({ headers }).request(method, path);
      assert.equal(response.status, 200, `${path} ${accepted}`);
      assert.equal(response.headers.get('vary'), 'accept-encoding');
      return { coding: response.headers.get('content-encoding'), text: await response.text() };
    };
    const packed = await read('gzip, deflate, br');
    assert.equal(packed.coding, 'gzip');
    for (const accepted of ['identity', 'gzip;q=0, identity', '*;q=0', 'br', 'identity;q=0']) {
      assert.deepEqual(await read(accepted), { coding: null, text: packed.text }, accepted);
      assert.deepEqual(await read(accepted, 'HEAD'), { coding: null, text: '' }, accepted);
    }
  }
});

test('a file of another version, or none of ours, is not found', async (t) => {
  const site = await pageSite(t);
  const [, , hash = ''] = assetPaths('').style.split('/');
  const targets = ['000000000000/ponte.css', `${hash}/ponte.js`, `${hash}/..`, `${hash}/x.css`];
  for (const target of targets) {
    const { status, headers } = await site.visitor().open(`/assets/${target}`);
    assert.equal(status, 404, target);
    assert.equal(headers.get('cache-control'), 'no-store');
  }
});

test('a code or an account alone is not looked up: it needs its page', async (t) => {
  const site = await pageSite(t);
  const { path, account, checkCode } = await given(site);
  const { incompletePage } = catalogues.en.verify;
  for (const value of [account, checkCode, 'DE89 3704 0044 0532 0130 00']) {
    const { text } = await site.visitor().post('/verify', { publicId: ' ', value });
    assert.ok(textOf(text).includes(incompletePage), value);
    assert.doesNotMatch(textOf(text), /these details/, value);
  }
  const { text } = await site.visitor().post('/verify', { publicId: path, value: account });
  assert.match(textOf(text), ours);
});

/** A change of the account `acct_1` that can be stopped for a minute. */
async function heldChange({ world: { deps }, tenant }: PageSite) {
  const effectiveAtMs = deps.clock.nowMs() + MINUTE_MS;
  const change = aDestinationChange({ ...tenant, effectiveAtMs });
  const held = { heldRef: change.toRef, heldUntilMs: change.effectiveAtMs };
  await deps.store.run(async (tx) => {
    tx.destinationChanges.insert(change);
    tx.accounts.insert(anAccount({ ...tenant, id: 'acct_1', ...held }));
  });
  return change;
}

test('the link of a mail about a held change asks first, and its code stops the change', async (t) => {
  const site = await pageSite(t);
  const { deps } = site.world;
  const change = await heldChange(site);
  const path = `/stop/${stopCode(deps, change)}`;
  const account = () => deps.store.run((tx) => tx.accounts.get(site.tenant, 'acct_1'));
  for (let opened = 0; opened < 2; opened += 1) {
    assert.match((await site.visitor().open(path)).heading, /Stop the change/);
  }
  assert.equal((await account())?.heldRef, change.toRef, 'a look changes nothing');
  assert.equal((await site.visitor().open(`${path}0`)).status, 404);
  const code = codeOf(stopCode(deps, change));
  for (const typed of ['', '12345', code === '000000' ? '000001' : '000000']) {
    const refused = await site.visitor().post(path, { code: typed });
    assert.equal(refused.status, 422);
    assert.match(refused.heading, /Stop the change/);
  }
  assert.equal((await account())?.heldRef, change.toRef);
  assert.match((await site.visitor().post(path, { code })).heading, /was stopped/);
  assert.equal((await account())?.heldRef, null);
  assert.match((await site.visitor().open(path)).heading, /was stopped/);
});

test('the audit log has the change that a stop link names, without the secret of the link', async (t) => {
  const site = await pageSite(t);
  const { deps } = site.world;
  const change = await heldChange(site);
  const named = stopCode(deps, change);
  await site.visitor().post(`/stop/${named}`, { code: codeOf(named) });
  const [entry] = await site.world.audit(site.tenant.orgId);
  assert.deepEqual(entry?.actor, { kind: 'link', id: change.id });
});
