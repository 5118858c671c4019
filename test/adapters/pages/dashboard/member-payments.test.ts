// What home, the list of payments and a payment show, and what a member does there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locales } from '../../../../core/domain/base/locale.js';
import { setFiscalDocument } from '../../../../core/usecases/payments/payments.js';
import { makeInvoice } from '../../../support/scenes/made-payments.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { pageSite, textOf } from '../visitor.js';
import { fillDashboard, memberToken, rootOf, signedInAs } from './dashboard-site.js';

const site = await pageSite(suiteEnd(), { payins: 'wait' });
/** A payment that is paid. */
const paid = await fillDashboard(site);
const owner = await signedInAs(site, 'owner');
const root = rootOf(site);

test('home says what needs somebody, and each plot has its table', async () => {
  const { text } = await owner.open(root);
  const words = textOf(text);
  assert.match(words, /1 invoice waits for approval .*RN-2026-0431, USD 1,250\.00/);
  assert.match(words, /\d+ webhooks? gave up .*answered 502/);
  assert.match(words, /Paid out, 30 days BRL 50,\d{3}\.\d\d On the way/);
  assert.match(words, /Where 10 payments are .* Paid 3 /);
  assert.match(text, /<svg class="bars" role="img" aria-label="[^"]*of BRL .* Most on 11 Jan: 22,/);
  assert.doesNotMatch(text, / style=|<script>/);
});

test('home says how to begin to an organization without payments', async () => {
  const visitor = await signedInAs(site, 'viewer', await site.world.organization());
  const words = (await visitor.open('/dashboard')).words;
  assert.doesNotMatch(words, /Needs you/);
  assert.match(words, /First steps .* of 6 done\. .*No payments yet/);
});

test('a list keeps its filters in its address, and each filter leaves out the rest', async () => {
  const listed = async (query: string) => {
    const { text } = await owner.open(`${root}/payments?${query}`);
    return [...text.matchAll(/class="reference"><span[^>]*>([^<]*)</g)].map(([, name]) => name);
  };
  assert.equal((await listed('')).length, 10);
  assert.deepEqual(await listed('q=order-88007'), ['order-88007']);
  assert.deepEqual(await listed('q=ext_order-88007'), ['order-88007']);
  assert.deepEqual(await listed('status=settled'), ['order-88028', 'order-88007', 'order-88000']);
  assert.deepEqual(await listed('from=2030-01-05&to=2030-01-07'), ['order-88014', 'order-88007']);
  assert.deepEqual(await listed('status=settled&from=2030-01-04'), ['order-88028', 'order-88007']);
  assert.deepEqual(await listed('status=paid&q=4,125.00'), ['order-88028']);
  assert.deepEqual(await listed('q=USD+4.125,00'), ['order-88028']);
  assert.deepEqual(await listed('q=EUR+4125'), []);
  assert.deepEqual(await listed('q=Accounts1@harborpine.example'), ['order-88007']);
  assert.deepEqual(await listed('status=you'), ['RN-2026-0431']);
  assert.deepEqual(await listed('q=RN-2026-0431'), ['RN-2026-0431']);
  assert.deepEqual(await listed('seller=nobody'), []);
  assert.deepEqual(await listed('q=nothing'), []);
  for (const nonsense of [
    'status=x',
    'from=2030-99-99',
    'from=2030-02-30',
    'before=%27',
    'to=today',
  ]) {
    assert.equal((await listed(nonsense)).length, 10, nonsense);
  }
});

test('tabs group states, and each filter has a link that removes it', async () => {
  const { text } = await owner.open(`${root}/payments?status=fx_quoted&from=2030-01-01`);
  const words = textOf(text);
  assert.match(words, /All Needs your approval With the buyer On the way Paid Failed Cancelled/);
  assert.match(text, /aria-current="true">With the buyer</);
  assert.match(words, /Price shown ✕ , remove Created from 1 January 2030 ✕/);
  assert.match(text, /href="[^"]*\/payments\?from=2030-01-01"/);
  assert.match(text, /href="[^"]*\/payments\?status=fx_quoted"/);
});

test('an id in the search opens its payment', async () => {
  assert.equal((await owner.open(`${root}/payments?q=${paid}`)).path, `${root}/payments/${paid}`);
});

test('a payment shows where its money is, what happened, and its webhooks', async () => {
  const words = (await owner.open(`${root}/payments/${paid}`)).words;
  assert.match(words, /Copper Kettle Coffee LLC pays Acme Ltda/);
  assert.match(words, /Acme Ltda received BRL .*? by PIX on 11 January 2030\./);
  assert.match(
    words,
    /1 USD = 5\.\d{4} BRL Asked USD 4,125\.00 Received 11 Jan, 15:00 USD 4,125\.00/,
  );
  assert.match(
    words,
    /Fees USD 20\.93 Effective rate.*? 1 USD = 5\.\d+ BRL Seller received 11 Jan/,
  );
  assert.match(words, /4,104\.07 USDC \(sandbox\)/);
  assert.match(words, /Money received: USD 4,125\.00/);
  assert.match(
    words,
    /What happened newest first .* Paid .* Price confirmed by accounts.* Created/,
  );
  assert.match(words, /Technical log: \d+ calls to the partner, \d+ webhook attempts/);
  assert.match(words, /ponte (\d+) of \1 delivered Send again/);
  assert.match(words, /"lot": "26\/311"/);
  assert.doesNotMatch(words, /Cancel payment/);
});

test('less than the amount is missing on the list, on home and on the payment', async () => {
  const { text } = await owner.open(`${root}/payments?q=order-88121`);
  assert.match(textOf(text), /USD 1\.00 missing/);
  const [, id = ''] = /payments\/(pi_\w+)"/.exec(text) ?? [];
  const words = (await owner.open(`${root}/payments/${id}`)).words;
  assert.match(words, /sent USD 99\.00; USD 1\.00 is missing\./);
  assert.match(words, /Missing USD 1\.00/);
  const home = (await owner.open(root)).words;
  assert.match(home, /Needs you .*sent USD 99\.00; USD 1\.00 is missing\. .*See payment/);
});

test('a payment that one transfer pays with others shows the reference', async () => {
  const { store } = site.world.deps;
  const change = (consolidatedReference: string | null) =>
    store.run(async (tx) => {
      const payment = await tx.payments.find(paid);
      assert.ok(payment);
      tx.payments.update({ ...payment, consolidatedReference });
    });
  const words = async () => (await owner.open(`${root}/payments/${paid}`)).words;
  assert.doesNotMatch(await words(), /Paid with others/);
  await change('7KQ4M2XD');
  assert.match(await words(), /Paid with others, reference 7KQ4M2XD/);
  await change(null);
});

test('a replay sends the webhook again', async () => {
  const before = site.world.sent.length;
  await owner.open(`${root}/payments/${paid}`);
  const { path, text } = await owner.send('/replay');
  assert.equal(path, `${root}/payments/${paid}?done=replayed`);
  assert.match(text, /The webhook is sent again/);
  await site.world.settle();
  assert.equal(site.world.sent.length, before + 1);
});

test('a payment is cancelled with a reason, which is asked for', async () => {
  const id = await site.world.newPayment(site.tenant);
  await owner.open(`${root}/payments/${id}/cancel`);
  const refused = await owner.send('/cancel', { reason: ' ' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /Give a reason/);
  assert.equal(await site.world.statusOf(id), 'awaiting_buyer');
  const { text } = await owner.send('/cancel', { reason: '<b>changed</b> its mind' });
  assert.match(text, /The payment is cancelled/);
  assert.match(text, /&lt;b>changed&lt;\/b> its mind|&lt;b&gt;changed/);
  assert.equal(await site.world.statusOf(id), 'cancelled');
});

test('the fiscal document of a settled payment is added where it is missing, and replaced', async () => {
  const page = `${root}/payments/${paid}`;
  const form = `${page}/fiscal-document`;
  const fiscalKey = '35261112ABC34501DE35550010000123451123456711';
  for (const path of [page, `${page}/proof`]) {
    assert.ok((await owner.open(path)).text.includes(`href="${form}">Add the NF-e or NFS-e<`));
  }
  const documentOf = () => site.world.deps.store.run((tx) => tx.payments.get(site.tenant, paid));
  await owner.open(form);
  for (const wrong of ['', fiscalKey.replace(/1$/, '2')]) {
    const refused = await owner.send('/fiscal-document', { fiscalKey: wrong });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /Check the access key: a digit of it is wrong or missing\./);
  }
  const { path, text } = await owner.send('/fiscal-document', { fiscalKey });
  assert.equal(path, `${page}?done=fiscal_saved`);
  assert.match(textOf(text), new RegExp(`${fiscalKey} Replace the NF-e or NFS-e`));
  const proof = await owner.open(`${page}/proof`);
  assert.ok(proof.text.includes(fiscalKey) && !proof.text.includes(form));
  // The form has no day, and keeps that of the same key.
  const dated = { kind: 'nfe', key: fiscalKey, number: '12345', issuedOn: '2026-11-03' } as const;
  await setFiscalDocument(site.world.deps, site.tenant, paid, dated);
  assert.ok((await owner.open(form)).text.includes(`value="${fiscalKey}"`));
  await owner.send('/fiscal-document', { fiscalKey });
  assert.deepEqual((await documentOf())?.fiscalDocument, dated);
  const service = `3550308${'1'}${'2'}12ABC34501DE35${'0000000000042'}2611${'0'.repeat(10)}`;
  await owner.open(form);
  await owner.send('/fiscal-document', { fiscalKey: service });
  assert.equal((await documentOf())?.fiscalDocument?.number, '42');
});

test('a payment in each state has its page in every language', async () => {
  for (const language of locales) {
    const token = await memberToken(site, 'admin');
    const headers = { cookie: `ponte-member=${token}`, 'accept-language': language };
    const visitor = site.visitor({ headers });
    const { text } = await visitor.open(`${root}/payments`);
    const ids = [...text.matchAll(/payments\/((?:pi|inv)_\w+)"/g)].map(([, id]) => id);
    assert.ok(ids.length >= 10);
    for (const id of ids) {
      const shown = await visitor.open(`${root}/payments/${id}`);
      assert.equal(shown.status, 200, `${id} in ${language}`);
      assert.match(shown.text, new RegExp(`<html lang="${language}">`));
    }
  }
});

test('the seller sees which colleague of the buyer approves', async () => {
  const { world, tenant } = site;
  const { payment } = await makeInvoice(world.deps, tenant, {});
  await world.deps.store.run(async (tx) => {
    const email = 'chief@globex.example';
    const colleagueApproval = { state: 'asked', email, askedAtMs: 1, decidedAtMs: null } as const;
    const found = (await tx.payments.get(tenant, payment.id)) ?? assert.fail('no payment');
    tx.payments.update({ ...found, colleagueApproval: { ...colleagueApproval, reason: null } });
  });
  const { text } = await owner.open(`${root}/payments/${payment.id}`);
  assert.match(textOf(text), /Approves for the buyer chief@globex\.example/);
});
