// A buyer chooses payments in its list, confirms their prices together, and pays once. The fake
// partner with a memory plays the bank. With scripts: together-browser.nightly.ts.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { money } from '../../../../core/domain/base/money.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { findDifferences } from '../../../../core/usecases/payments/ledger-check.js';
import { readPayment } from '../../../../core/usecases/payments/payments.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { memoryOnly } from '../../../support/partners/memory-only.js';
import { readPdf } from '../../../support/read-pdf.js';
import { makeIntent } from '../../../support/scenes/made-payments.js';
import type { WorldOptions } from '../../../support/scenes/test-world.js';
import { pageSite, signedInBuyer, textOf } from '../visitor.js';

async function buyerOf(t: TestContext, options: WorldOptions = { memory: memoryOnly() }) {
  const site = await pageSite(t, options);
  const { world, tenant } = site;
  const made = async (amount = money(10_000n, 'USD'), email = 'ana@example.com') => {
    const buyer = { email, name: null, country: null, phone: null };
    const { payment } = await makeIntent(world.deps, tenant, { amount, buyer });
    await world.play(tenant, payment.id, 'fx_quoted');
    return payment;
  };
  const signedIn = ({ id }: Payment) => signedInBuyer(site, id);
  return { world, tenant, made, signedIn };
}

/** The ids of the boxes in the list. */
function boxesIn(text: string): readonly string[] {
  return [...text.matchAll(/type="checkbox" name="(\w+)"/g)].map(([, id = '']) => id);
}

test('two payments are chosen, confirmed and paid with one transfer', async (t) => {
  const { world, tenant, made, signedIn } = await buyerOf(t);
  const first = await made();
  const second = await made(money(25_000n, 'USD'));
  const euros = await made(money(5_000n, 'EUR'));
  const visitor = await signedIn(first);
  const list = await visitor.open(`/r/${first.publicId}/payments`);
  assert.deepEqual(boxesIn(list.text).toSorted(), [first.id, second.id].toSorted());
  assert.ok(!boxesIn(list.text).includes(euros.id), 'alone in its currency');
  const chosen = { [first.id]: 'yes', [second.id]: 'yes' };
  const offer = await visitor.send('/payments/together', chosen);
  assert.match(offer.words, /Pay 2 payments with one transfer/);
  const offered = offer.words;
  assert.match(offered, /You transfer in total USD 350\.00/);
  const alone = (await visitor.open(`/r/${first.publicId}`)).words;
  for (const part of [/USD 0\.80/, /1 USD = 5\.\d+ BRL/, /Confirming moves no money\./]) {
    const [shown = ''] = part.exec(alone) ?? assert.fail(`${part}`);
    assert.ok(offered.includes(shown), `${shown} as on the page of the payment`);
  }
  assert.match(offered, /What you pay stays USD 350\.00\..*Confirm USD 350\.00/);
  await visitor.open(`/r/${first.publicId}/payments`);
  await visitor.send('/payments/together', chosen);
  const paid = await visitor.send('/payments/together/confirm');
  assert.equal(paid.path, `/r/${first.publicId}`);
  assert.match(paid.words, /Send USD 350\.00 by bank transfer/);
  assert.match(paid.words, /This one transfer pays 2 payments/);
  const file = await visitor.request('GET', `/r/${first.publicId}/instructions.pdf`);
  const { text } = await readPdf(new Uint8Array(await file.arrayBuffer()));
  assert.match(text, /This one transfer pays 2 payments/);
  assert.match(text, /USD 350\.00/);
  const adviceOf = async () => {
    const page = await visitor.open(`/r/${first.publicId}/remittance`);
    const pdf = await visitor.request('GET', `/r/${first.publicId}/remittance.pdf`);
    const onPaper = await readPdf(new Uint8Array(await pdf.arrayBuffer()));
    return [page.words, onPaper.text.replaceAll(/\s+/g, ' ')];
  };
  for (const advice of await adviceOf()) {
    assert.match(advice, new RegExp(`${first.id}.* Open USD 100\\.00.*${second.id}.*USD 250\\.00`));
    assert.match(advice, /You transfer in total USD 350\.00/);
  }
  const read = (id: string) => readPayment(world.deps, tenant, id);
  const { consolidatedReference } = (await read(first.id)).payment;
  assert.ok(consolidatedReference !== null && paid.text.includes(consolidatedReference));
  assert.equal((await read(second.id)).payment.consolidatedReference, consolidatedReference);
  for (let look = 0; look < 40; look += 1) {
    await world.settle();
    world.advanceClock(1_000);
  }
  for (const { id } of [first, second]) assert.equal(await world.statusOf(id), 'settled');
  assert.equal(await world.statusOf(euros.id), 'fx_quoted');
  const receipt = await visitor.open(`/r/${first.publicId}/receipt`);
  const shared = new RegExp(`Part of one transfer of USD 350\\.00\\s*It also paid ${second.id}\\.`);
  assert.match(receipt.words, shared);
  const receiptPdf = await visitor.request('GET', `/r/${first.publicId}/receipt.pdf`);
  const { text: onPaper } = await readPdf(new Uint8Array(await receiptPdf.arrayBuffer()));
  assert.match(onPaper.replaceAll(/\s+/g, ' '), shared);
  for (const advice of await adviceOf()) assert.match(advice, /Paid USD 100\.00.*Paid USD 250\.00/);
  assert.match((await visitor.open(`/r/${first.publicId}`)).text, /\/remittance\.pdf"/);
  assert.deepEqual(await findDifferences(world.deps, 10), []);
});

test('on a host without settings a button sends the money of the transfer', async (t) => {
  const { world, tenant, made, signedIn } = await buyerOf(t, { payins: 'wait' });
  const [first, second] = [await made(), await made(money(25_066n, 'USD'))];
  const visitor = await signedIn(first);
  await visitor.open(`/r/${first.publicId}/payments`);
  await visitor.send('/payments/together', { [first.id]: 'yes', [second.id]: 'yes' });
  const paid = await visitor.send('/payments/together/confirm');
  const events = [...paid.text.matchAll(/name="event" value="(money_\w+)"/g)].map(
    ([, name]) => name,
  );
  assert.deepEqual(events, ['money_arrives', 'money_short', 'money_over', 'money_twice']);
  await visitor.send('/simulate', { event: 'money_short' });
  await world.settle();
  const advice = async () => (await visitor.open(`/r/${first.publicId}/remittance`)).words;
  assert.match(await advice(), /Received from you USD 349\.66\s*Missing USD 1\.00/);
  const late = (await world.statusOf(first.id)) === 'settled' ? second : first;
  await simulate(world.deps, tenant, late.id, 'money_top_up');
  await world.settle();
  assert.doesNotMatch(await advice(), /Missing/);
  for (const { id } of [first, second]) assert.equal(await world.statusOf(id), 'settled');
});

test('a payment that is paid alone has no remittance advice', async (t) => {
  const { made, signedIn } = await buyerOf(t);
  const alone = await made();
  const visitor = await signedIn(alone);
  const { path } = await visitor.open(`/r/${alone.publicId}/remittance`);
  assert.equal(path, `/r/${alone.publicId}`);
});

test('one link ticks all that fit this payment, and no other', async (t) => {
  const { made, signedIn } = await buyerOf(t);
  const open = [await made(), await made(), await made()];
  await Promise.all([made(money(5_000n, 'EUR')), made(money(6_000n, 'EUR'))]);
  const visitor = await signedIn(open[0]!);
  const path = `/r/${open[0]!.publicId}/payments`;
  const tickedIn = (text: string) =>
    [...text.matchAll(/type="checkbox" name="(\w+)"[^>]* checked/g)].map(([, id]) => id);
  const list = await visitor.open(path);
  assert.equal(boxesIn(list.text).length, 5);
  assert.deepEqual(tickedIn(list.text), [open[0]!.id]);
  const [, href = ''] = /href="([^"]*all=yes)"/.exec(list.text) ?? [];
  const all = await visitor.open(href.replace('&amp;', '&'));
  assert.deepEqual(tickedIn(all.text).toSorted(), open.map(({ id }) => id).toSorted());
});

test('the second click on the button pays nothing twice', async (t) => {
  const { world, tenant, made, signedIn } = await buyerOf(t);
  const [first, second] = [await made(), await made()];
  const visitor = await signedIn(first);
  await visitor.open(`/r/${first.publicId}/payments`);
  const offer = await visitor.send('/payments/together', {
    [first.id]: 'yes',
    [second.id]: 'yes',
  });
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(offer.text) ?? [];
  const quoteOf = async (id: string) =>
    (await readPayment(world.deps, tenant, id)).payment.quoteId ?? '';
  const form = {
    csrf,
    [first.id]: await quoteOf(first.id),
    [second.id]: await quoteOf(second.id),
  };
  const confirm = `/r/${first.publicId}/payments/together/confirm`;
  const once = await visitor.post(confirm, form);
  const before = (await readPayment(world.deps, tenant, first.id)).payment;
  const again = await visitor.post(confirm, form);
  assert.deepEqual([once.path, again.path], [`/r/${first.publicId}`, `/r/${first.publicId}`]);
  const after = (await readPayment(world.deps, tenant, first.id)).payment;
  assert.equal(after.consolidatedReference, before.consolidatedReference);
  assert.equal(after.version, before.version);
});

test('one payment, or one of another buyer, cannot be paid together', async (t) => {
  const { world, tenant, made, signedIn } = await buyerOf(t);
  const [first, second] = [await made(), await made()];
  const strangers = await made(money(10_000n, 'USD'), 'bo@example.com');
  const visitor = await signedIn(first);
  await visitor.open(`/r/${first.publicId}/payments`);
  const alone = await visitor.send('/payments/together', { [first.id]: 'yes' });
  assert.match(alone.words, /Choose two or more open payments to one payee/);
  const other = await visitor.send('/payments/together', {
    [first.id]: 'yes',
    [strangers.id]: 'yes',
  });
  assert.equal(other.status, 404);
  for (const { id } of [first, second, strangers]) {
    const { payment } = await readPayment(world.deps, tenant, id);
    assert.equal(payment.consolidatedReference, null);
  }
});

test('a partner that cannot collect by our reference is offered no such transfer', async (t) => {
  const { made, signedIn } = await buyerOf(t, {});
  const first = await made();
  await made();
  const visitor = await signedIn(first);
  const { text } = await visitor.open(`/r/${first.publicId}/payments`);
  assert.deepEqual(boxesIn(text), []);
  assert.doesNotMatch(text, /payments\/together/);
  assert.match(textOf(text), /They cannot be paid with one transfer/, 'and says so');
});

test('a buyer that confirms again and again is slowed down', async (t) => {
  const { made, signedIn } = await buyerOf(t);
  const [first, second] = [await made(), await made()];
  const visitor = await signedIn(first);
  await visitor.open(`/r/${first.publicId}/payments`);
  const offer = await visitor.send('/payments/together', {
    [first.id]: 'yes',
    [second.id]: 'yes',
  });
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(offer.text) ?? [];
  const form = { csrf, [first.id]: 'quo_old', [second.id]: 'quo_old' };
  const statuses: number[] = [];
  for (let count = 0; count < 20; count += 1) {
    const { status } = await visitor.post(`/r/${first.publicId}/payments/together/confirm`, form);
    statuses.push(status);
  }
  assert.equal(statuses[0], 200);
  assert.equal(statuses.at(-1), 429, 'the offer counts too');
});

test('before a payment is paid, its page names the open payments of the buyer, which it lists', async (t) => {
  const { world, tenant, made, signedIn } = await buyerOf(t, { payins: 'wait' });
  const first = await made();
  const visitor = await signedIn(first);
  const linkOf = async (page = '') => {
    const { text } = await visitor.open(`/r/${first.publicId}${page}`);
    // A text with a number of two digits is marked as an exact value.
    const link = new RegExp(`<a href="/r/${first.publicId}/payments"[^>]*>([^<]*)</a>`);
    return link.exec(text)?.[1];
  };
  assert.equal(await linkOf(), 'All my payments');
  await made();
  await made(undefined, 'bo@example.com');
  const { id: paid } = await made();
  await world.play(tenant, paid, 'settled');
  for (const page of ['', '/ask-approver']) {
    assert.equal(await linkOf(page), 'You have 2 open payments', page);
  }
  await world.play(tenant, first.id, 'on_ramp_pending');
  await world.settle();
  assert.equal(await linkOf(), 'You have 2 open payments', 'beside the bank details');
  const asked = () => makeIntent(world.deps, tenant, { buyer: first.buyer });
  for (let more = 2; more < 20; more += 1) await asked();
  assert.equal(await linkOf(), 'You have 20 open payments');
  await asked();
  assert.equal(await linkOf(), 'You have 20+ open payments');
});
