// How many wrong sign-in codes are compared: of an address, of a client, over the service. Links
// still sign in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../core/domain/base/instant.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { isCode } from '../../../../core/errors.js';
import type { OutgoingMail } from '../../../../core/ports/outside.js';
import { redeemCode, requestLink } from '../../../../core/usecases/hosted/sign-ins.js';
import { codeIn, openLink, pageOf, someBrowser } from '../../../support/scenes/made-payments.js';
import { signInScene } from '../../../support/scenes/sign-in-scene.js';
import type { World } from '../../../support/scenes/test-world.js';

const client = '203.0.113.7';
let made: World;
const { newIntent, ask } = signInScene((world) => {
  made = world;
});

type Result = 'right' | 'wrong' | 'limited';

async function enter(payment: Payment, code: string, from: string | null = client) {
  return resultOf(() =>
    redeemCode(made.deps, pageOf(payment), { client: from, browserHash: someBrowser, code }, 'en'),
  );
}

async function resultOf(act: () => Promise<unknown>): Promise<Result> {
  try {
    await act();
    return 'right';
  } catch (error) {
    if (isCode(error, 'InvalidSignInCode')) return 'wrong';
    // The last try of a mail.
    if (isCode(error, 'SignInCodeExpired')) return 'wrong';
    if (isCode(error, 'RateLimitExceeded')) return 'limited';
    throw error;
  }
}

const wrongFor = (mail: OutgoingMail | undefined) =>
  codeIn(mail) === '000000' ? '000001' : '000000';

/** How many codes were compared, as the rows of the mails count them. */
async function comparedCodes(): Promise<number> {
  const mails = await made.deps.store.run((tx) =>
    tx.mails.list({ status: null, beforeId: null, limit: 10_000 }),
  );
  return mails.reduce((sum, { codeTries }) => sum + codeTries, 0);
}

async function wrongCodes(payment: Payment, count: number, from: string | null = client) {
  const results: Result[] = [];
  while (results.length < count) {
    const [mail] = await ask(payment);
    for (let tries = 0; tries < 5 && results.length < count; tries += 1) {
      results.push(await enter(payment, wrongFor(mail), from));
    }
    made.advanceClock(HOUR_MS / 2);
  }
  return results;
}

const alerts = () =>
  made.log.flatMap(({ fields }) => (fields['alert'] === undefined ? [] : [`${fields['alert']}`]));

test('one client at 24 addresses all day: at most 200 codes are compared, with an alert', async () => {
  const pages: Payment[] = [];
  for (let n = 0; n < 24; n += 1) pages.push(await newIntent(undefined, `b${n}@example.com`));
  for (let hour = 0; hour < 24; hour += 2) {
    for (const page of pages) {
      const [mail] = await ask(page, { client });
      for (let tries = 0; tries < 5; tries += 1) await enter(page, wrongFor(mail));
    }
    made.advanceClock(2 * HOUR_MS);
  }
  const compared = await comparedCodes();
  assert.ok(compared >= 80 && compared <= 200, `${compared} were compared`);
  assert.ok(alerts().some((alert) => /codes from a client are refused/.test(alert)));
});

test('after ten wrong codes to an address from any clients the link alone signs in', async () => {
  const payment = await newIntent();
  const results = await wrongCodes(payment, 12, null);
  assert.deepEqual(results.slice(0, 10), Array(10).fill('wrong'));
  assert.deepEqual(results.slice(10), ['limited', 'limited']);
  const other = await newIntent();
  const [mail] = await ask(other);
  assert.equal(await enter(other, codeIn(mail), '198.51.100.9'), 'limited', 'another page, too');
  await openLink(made.deps, mail);
  made.advanceClock(DAY_MS);
  const [next] = await ask(other);
  assert.equal(await enter(other, codeIn(next)), 'right', 'the next day a code signs in again');
});

test('right codes take nothing, however often an office signs in', async () => {
  for (let n = 0; n < 100; n += 1) {
    const payment = await newIntent(undefined, `b${n % 10}@example.com`);
    const [mail] = await ask(payment);
    assert.equal(await enter(payment, codeIn(mail)), 'right', `sign-in ${n}`);
  }
});

test('codes without a mail spend nothing of the service', async () => {
  for (let n = 0; n < 1_010; n += 1) {
    const page = { kind: 'dashboard', address: `nobody${n}@example.com` } as const;
    const tried = { client: `198.51.${n % 250}.7`, browserHash: someBrowser, code: '000000' };
    await assert.rejects(redeemCode(made.deps, page, tried, 'en'), { code: 'SignInCodeExpired' });
  }
  const payment = await newIntent();
  const [mail] = await ask(payment);
  assert.equal(await enter(payment, codeIn(mail)), 'right');
});

test('codes of addresses without a member spend nothing of the service', async () => {
  for (let n = 0; n < 1_010; n += 1) {
    const page = { kind: 'dashboard', address: `nobody${n}@example.com` } as const;
    const from = { client: `198.51.${n % 250}.7`, browserHash: someBrowser };
    await requestLink(made.deps, page, { ...from, locale: 'en' });
    await made.settle();
    const tried = redeemCode(made.deps, page, { ...from, code: '000000' }, 'en');
    await assert.rejects(tried, { code: 'InvalidSignInCode' });
  }
  assert.equal(made.mails.length, 0);
  const payment = await newIntent();
  const [mail] = await ask(payment);
  assert.equal(await enter(payment, codeIn(mail)), 'right');
});

test('wrong codes over the service end: many clients, many addresses, one alert', async () => {
  let wrong = 0;
  let home = await made.newTenant();
  for (let n = 0; n < 205 && wrong < 1_001; n += 1) {
    if (n % 20 === 0) home = await made.newTenant();
    const payment = await newIntent(home, `c${n}@example.com`);
    const [mail] = await ask(payment);
    for (let tries = 0; tries < 5; tries += 1) {
      if ((await enter(payment, wrongFor(mail), `198.18.${n}.1`)) === 'limited') {
        assert.equal(wrong, 1_000);
        assert.equal(alerts().filter((alert) => /all sign-in codes/.test(alert)).length, 1);
        await openLink(made.deps, mail);
        return;
      }
      wrong += 1;
    }
  }
  assert.fail('no try was refused');
});

test('the dashboard refuses codes of an address without a member after as many tries', async () => {
  const tries = async (address: string) => {
    const page = { kind: 'dashboard', address } as const;
    const results: string[] = [];
    for (let n = 0; n < 11; n += 1) {
      if (n % 5 === 0) {
        const asked = { client: null, locale: 'en', browserHash: someBrowser } as const;
        await requestLink(made.deps, page, asked).catch(() => null);
        made.advanceClock(HOUR_MS / 10);
      }
      const tried = { client: null, browserHash: someBrowser, code: 'x' };
      const error = await redeemCode(made.deps, page, tried, 'en').catch((thrown) => thrown);
      results.push(isCode(error, 'RateLimitExceeded') ? 'limited' : 'refused');
    }
    return results;
  };
  assert.deepEqual(await tries('nobody@example.com'), [...Array(10).fill('refused'), 'limited']);
});
