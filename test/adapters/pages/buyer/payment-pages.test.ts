// Which pages of a payment its state opens, and which sessions each subject takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receiptFile } from '../../../../adapters/pages/buyer/payment-file.js';
import { paymentView, recipientView } from '../../../../adapters/pages/buyer/payment-view.js';
import { newPageSession, type PageSession } from '../../../../core/domain/access/session.js';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import { shortIdOf } from '../../../../core/domain/payments/bank-record.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import type { QuoteAnswer } from '../../../../core/ports/partner.js';
import { readPaymentPage } from '../../../../core/usecases/hosted/payment-page.js';
import { startBuyerKyc } from '../../../../core/usecases/parties/kyc.js';
import { setSupportContact } from '../../../../core/usecases/parties/organizations.js';
import { readPayment } from '../../../../core/usecases/payments/payments.js';
import { readTimeline } from '../../../../core/usecases/payments/timelines.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { operatorDoes } from '../../../support/operator-action.js';
import { readPdf } from '../../../support/read-pdf.js';
import { type IntentFields, makeIntent } from '../../../support/scenes/made-payments.js';
import { startSession } from '../../../support/scenes/started-session.js';
import {
  hiddenOf,
  type PageSite,
  pageSite,
  signedInBuyer,
  textOf,
  type Visitor,
} from '../visitor.js';

const pagesAt = {
  fx_quoted: [],
  on_ramp_pending: ['instructions'],
  short: ['instructions', 'take-back'],
  settled: ['receipt'],
} as const;

test('bank details, receipt and the return of money are open while they apply', async (t) => {
  const site = await pageSite(t, { payins: 'wait' });
  const { world, tenant } = site;
  for (const [state, open] of Object.entries(pagesAt)) {
    const { id, path } = await site.newPayment();
    await world.play(tenant, id, state === 'short' ? 'on_ramp_pending' : (state as 'settled'));
    await world.settle();
    if (state === 'short') await simulate(world.deps, tenant, id, 'money_short');
    const visitor = await signedInBuyer(site, id);
    for (const page of ['instructions', 'receipt', 'take-back']) {
      const { path: landed, text } = await visitor.open(`${path}/${page}`);
      const isOpen = open.some((one) => one === page);
      assert.equal(landed, isOpen ? `${path}/${page}` : path, `${state}: ${page}`);
      if (isOpen && page !== 'take-back') {
        assert.ok(text.includes(`>http://pages.test${path}<`), 'the address, for paper');
        assert.ok(text.includes(shortIdOf(path.slice('/r/'.length))));
      }
      if (state !== 'short' || page !== 'instructions') continue;
      assert.match(textOf(text), /USD 1\.00/);
      assert.doesNotMatch(textOf(text), /USD 100\.00 (Copy|$)/);
    }
    if (state === 'short') continue;
    const before = await world.statusOf(id);
    await visitor.open(path);
    const [, version = ''] = /name="version" value="(\d+)"/.exec(visitor.shown?.text ?? '') ?? [];
    const { csrf } = visitor;
    await visitor.post(`${path}/take-back`, { csrf, version });
    assert.equal(await world.statusOf(id), before, state);
  }
});

test('a file is open to who is signed in, while the page shows the same', async (t) => {
  const site = await pageSite(t, { payins: 'wait' });
  const { world, tenant } = site;
  const types = {
    'instructions.pdf': ['on_ramp_pending', 'application/pdf', /bank-details-/],
    'receipt.pdf': ['settled', 'application/pdf', /receipt-/],
    'deadline.ics': ['on_ramp_pending', 'text/calendar; charset=utf-8', /deadline-/],
  } as const;
  for (const status of ['fx_quoted', 'on_ramp_pending', 'settled'] as const) {
    const { id, path } = await site.newPayment();
    await world.play(tenant, id, status);
    await world.settle();
    const buyer = await signedInBuyer(site, id);
    for (const [name, [open, type, fileName]] of Object.entries(types)) {
      const { headers, status: answered } = await buyer.request('GET', `${path}/${name}`);
      const isOpen = open === status;
      assert.equal(answered, isOpen ? 200 : 303, `${status}: ${name}`);
      if (isOpen) {
        assert.equal(headers.get('content-type'), type);
        assert.match(headers.get('content-disposition') ?? '', fileName);
        assert.equal(headers.get('cache-control'), 'no-store');
      }
      const stranger = await site.visitor().request('GET', `${path}/${name}`);
      assert.equal(stranger.status, 303, `${name} before sign-in`);
    }
  }
});

test('the receipt for a mail is that of the page, in the language of the mail', async (t) => {
  const site = await pageSite(t);
  const { world, tenant } = site;
  const { id } = await site.newPayment();
  await world.play(tenant, id, 'settled');
  await world.settle();
  const { payment } = await readPayment(world.deps, tenant, id);
  const file = await receiptFile(world.deps, payment, 'pt-BR');
  assert(file !== null, 'its fonts draw the page');
  assert.match(file.name, /^recibo-.*\.pdf$/);
  const { text, language } = await readPdf(file.bytes);
  assert.equal(language, 'pt-BR');
  assert.ok(text.includes(payment.id) && text.includes('Valor pago'), text);
  const other = await site.newPayment();
  const { payment: unpaid } = await readPayment(world.deps, tenant, other.id);
  await assert.rejects(receiptFile(world.deps, unpaid, 'en'));
});

test('a browser prints what the fonts of a file cannot draw, and no file is made', async (t) => {
  const site = await pageSite(t);
  const { world, tenant } = site;
  const lineItems = [{ description: '深圳咖啡', quantity: 1, amount: '100.00' }];
  const { id, path } = await site.newPayment({ display: JSON.stringify({ lineItems }) });
  await world.play(tenant, id, 'settled');
  await world.settle();
  const { payment } = await readPayment(world.deps, tenant, id);
  assert.equal(await receiptFile(world.deps, payment, 'en'), null);
  const buyer = await signedInBuyer(site, id);
  const { status, headers } = await buyer.request('GET', `${path}/receipt.pdf`);
  assert.deepEqual([status, headers.get('location')], [303, `${path}/receipt#print`]);
  assert.match((await buyer.open(`${path}/receipt`)).text, /深圳咖啡/);
});

test('a buyer sees all payments of its mailbox in a year, and no others, also as a file', async (t) => {
  const site = await pageSite(t);
  const { world, tenant } = site;
  const buyer = (email: string) => ({ email, name: null, country: null, phone: null });
  const made = async (email: string, fields: Partial<Pick<Payment, 'purchaseOrder'>> = {}) => {
    const { payment } = await makeIntent(world.deps, tenant, { ...fields, buyer: buyer(email) });
    return payment;
  };
  const first = await made('ana@example.com', { purchaseOrder: '=1+1' });
  const second = await made('ANA@example.com');
  const other = await made('bo@example.com');
  await world.play(tenant, second.id, 'settled');
  const visitor = await signedInBuyer(site, first.id);
  const path = `/r/${first.publicId}/payments`;
  const year = new Date(first.createdAtMs).getUTCFullYear();
  const { text } = await visitor.open(path);
  assert.ok(text.includes(`/r/${first.publicId}"`));
  assert.ok(text.includes(`name="payment" value="${second.id}"`), 'opened by its button');
  for (const { id, publicId } of [other]) assert.ok(!text.includes(publicId) && !text.includes(id));
  const csv = await (await visitor.request('GET', `${path}.csv?period=${year}-01`)).text();
  const rows = csv.trimEnd().split('\r\n').slice(1);
  assert.equal(rows.length, 2);
  assert.match(csv, new RegExp(`${second.id},.*,Paid,100.00,USD,[0-9]+\\.[0-9]{2}`));
  assert.ok(csv.includes(",'=1+1,"), 'a spreadsheet does not run it');
  assert.match((await visitor.open(`${path}?period=${year - 1}`)).words, /No payments/);
  assert.match((await visitor.open(`${path}?period=${year}-02`)).words, /No payments/);
  const unknown = await visitor.request('GET', `${path}.csv?period=${year}-13`);
  assert.equal(unknown.status, 404, 'no file of another period than was asked for');
  const stranger = await site.visitor().request('GET', `${path}.csv`);
  assert.equal(stranger.status, 303);
});

test('the part of an owner takes that owner’s sessions only, and the form takes none of them', async (t) => {
  const site = await pageSite(t);
  const { deps } = site.world;
  const start = { name: null, entityType: null, paymentId: null, dossier: {} } as const;
  const email = 'ana@example.com';
  const { id: submissionId, flowId } = await startBuyerKyc(deps, site.tenant, { ...start, email });
  const opened = async (kind: PageSession['kind'], ownerIndex: number | null, path: string) => {
    const subject = {
      ...site.tenant,
      kind,
      paymentId: null,
      accountId: null,
      submissionId,
      ownerIndex,
    };
    const { token } = await startSession(deps, subject);
    const headers = { cookie: `ponte-session=${token}` };
    const response = await site.visitor({ headers }).request('GET', path);
    return response.headers.get('location')?.replace('?notice=signed_out', '');
  };
  const [form, owner] = [`/kyc/${flowId}`, `/owner/${flowId}/null`];
  const other = await startBuyerKyc(deps, site.tenant, { ...start, email: 'bo@example.com' });
  const otherForm = `/kyc/${other.flowId}`;
  assert.equal(await opened('upload', null, `${owner}/kyc/documents`), owner);
  assert.equal(await opened('buyer', null, `${owner}/kyc/documents`), owner);
  assert.equal(await opened('owner', 2, `${form}/kyc/phone`), form);
  assert.equal(await opened('owner', 2, `/owner/${flowId}/1/kyc/documents`), `/owner/${flowId}/1`);
  assert.equal(await opened('buyer', null, `${form}/kyc/phone`), `${form}/kyc/documents`);
  assert.equal(await opened('buyer', null, `${otherForm}/kyc/phone`), otherForm);
});

/** A signed-in buyer that may ask for a price. */
async function atThePrice(site: PageSite, language = 'en') {
  const { world, tenant } = site;
  const { id, path } = await site.newPayment();
  await world.play(tenant, id, 'buyer_kyc_approved');
  const visitor = await signedInBuyer(site, id, { 'accept-language': language });
  return { id, path, visitor };
}

function quotes(site: PageSite, answer: QuoteAnswer | null) {
  const { partner } = site.world;
  const usual = partner.quote;
  Object.assign(partner, { quote: async () => answer });
  return () => Object.assign(partner, { quote: usual });
}

test('an amount over a limit of the payee is said in words, and the price may be asked for again', async (t) => {
  const site = await pageSite(t);
  const left = money(4_000n, 'USD');
  const untilMs = Date.UTC(2030, 0, 2);
  for (const [language, limit, words] of [
    [
      'en',
      { period: 'payment', left, untilMs: null },
      /can receive at most USD.40\.00 in one payment/,
    ],
    ['pt-BR', { period: 'day', left, untilMs }, /hoje pode receber no máximo mais USD.40,00/],
    ['es', { period: 'month', left: null, untilMs }, /este mes no puede recibir nada más/],
    // The buyer is not led to split it.
    [
      'en',
      { period: 'transfer', left, untilMs: null },
      /more than one transfer may have(?!.*(40\.00|smaller)).*another way to pay/s,
    ],
  ] as const) {
    const { id, path, visitor } = await atThePrice(site, language);
    const restore = quotes(site, { outcome: 'over_limit', limit });
    await visitor.open(path);
    const { path: landed, text } = await visitor.send('/quote');
    assert.equal(landed, path);
    assert.match(textOf(text), words);
    assert.equal(await site.world.statusOf(id), 'buyer_kyc_approved');
    // Another visit shows the same without asking the partner.
    assert.match((await visitor.open(path)).words, words);
    restore();
    await visitor.send('/quote');
    assert.equal(await site.world.statusOf(id), 'fx_quoted');
  }
});

test('a partner that must wait, as for its rate limit, costs the buyer a moment and no error', async (t) => {
  const site = await pageSite(t);
  const { id, path, visitor } = await atThePrice(site);
  quotes(site, { outcome: 'later', reason: 'the rate limit of the instance is used up' });
  await visitor.open(path);
  const { status, text } = await visitor.send('/quote');
  assert.deepEqual([status, await site.world.statusOf(id)], [200, 'buyer_kyc_approved']);
  assert.match(textOf(text), /Try again in a moment/);
  assert.match(textOf(text), /Show the price/);
});

test('a page asks the partner for at most 20 prices an hour', async (t) => {
  const site = await pageSite(t);
  const { path, visitor } = await atThePrice(site);
  let asked = 0;
  Object.assign(site.world.partner, {
    quote: async () => {
      asked += 1;
      return { outcome: 'later', reason: 'x' };
    },
  });
  for (let count = 0; count < 25; count += 1) {
    await visitor.open(path);
    const { heading, status } = await visitor.send('/quote');
    if (count >= 20) assert.deepEqual([status, heading], [429, 'Too many attempts']);
  }
  assert.equal(asked, 20);
});

test('pages link to the privacy notice and the terms of the organization, else of the operator', async (t) => {
  const legal = { privacyUrl: 'https://ponte.example/privacy', termsUrl: null };
  const site = await pageSite(t, { settings: { legal } });
  const { path } = await site.newPayment();
  const links = async () => {
    const { text } = await site.visitor().open(path);
    return [...text.matchAll(/<a href="(https:[^"]*)">(?:Privacy|Terms)/g)].map(([, url]) => url);
  };
  assert.deepEqual(await links(), ['https://ponte.example/privacy']);
  const own = { privacyUrl: 'https://acme.example/p', termsUrl: 'https://acme.example/t' };
  await setSupportContact(site.world.deps, site.tenant.orgId, own);
  assert.deepEqual(await links(), ['https://acme.example/p', 'https://acme.example/t']);
});

test('a later change moves neither the end nor the day of an answer', async (t) => {
  const site = await pageSite(t, { settings: { answerDays: 2 } });
  const { deps, advanceClock } = site.world;
  const { id, path } = await site.newPayment();
  const view = async () => {
    const shown = await readPaymentPage(deps, path.slice('/r/'.length));
    const subject = {
      kind: 'buyer',
      paymentId: id,
      submissionId: null,
      accountId: null,
      ownerIndex: null,
    } as const;
    const session = newPageSession({ ...site.tenant, ...subject }, 'token', shown.nowMs);
    const call = { session, query: new URLSearchParams(), csrf: 'c' };
    const locale = { chosenLocale: null, browserLocale: null, hasDecimalPoint: false };
    const context = { deps, prefix: '', mailbox: null };
    const page = { name: 'payment', screen: shown.screen } as const;
    // A payout that came back after the failure.
    const inReview = { ...shown, screen: 'needs_review' } as const;
    return paymentView(context, { ...call, ...locale, base: path }, inReview, page).payment;
  };
  const before = await view();
  assert.deepEqual([before?.endedAtMs, before?.answerByMs], [null, null]);
  await operatorDoes(deps, id, { verb: 'fail', reason: 'no' });
  const { payment } = await readPayment(deps, site.tenant, id);
  const endedAtMs = payment.updatedAtMs;
  await deps.store.run(async (tx) => {
    const stored = await tx.payments.get(site.tenant, id);
    assert.ok(stored !== null);
    tx.payments.update({ ...stored, updatedAtMs: endedAtMs + DAY_MS });
  });
  const ended = await view();
  assert.deepEqual([ended?.endedAtMs, ended?.answerByMs], [endedAtMs, endedAtMs + 2 * DAY_MS]);
  advanceClock(2 * DAY_MS + 1);
  assert.equal((await view())?.answerByMs, endedAtMs + 2 * DAY_MS);
});

test('a tax id that the integrator sent is not shown if its end is not that of the seller', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const shown = await readPaymentPage(site.world.deps, path.slice('/r/'.length));
  const display = '{"sellerTaxId":"11.222.333/0001-81"}';
  const taxIdWith = (payeeTaxIdLast4: string | null) => {
    const changed = { ...shown, payeeTaxIdLast4, payment: { ...shown.payment, display } };
    return recipientView(site.world.deps, changed, 'en', { name: 'receipt' }).payment?.payeeTaxId;
  };
  assert.equal(taxIdWith('0181'), '11.222.333/0001-81');
  assert.equal(taxIdWith(null), '11.222.333/0001-81');
  assert.equal(taxIdWith('0195'), null);
});

test('amounts are written as the Spanish of the browser writes them', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const shown = async (language: string) => (await site.visitor({ language }).open(path)).words;
  assert.match(await shown('es-MX'), /USD 100\.00/);
  assert.match(await shown('es-ES'), /100,00 USD/);
});

test('a buyer asks on the page: once for each form, in words, if a mailbox answers', async (t) => {
  const site = await pageSite(t);
  const { world, tenant } = site;
  const { path, visitor, id } = await atThePrice(site);
  assert.doesNotMatch((await visitor.open(path)).text, /Ask a question/);
  await setSupportContact(world.deps, tenant.orgId, { supportEmail: 'help@acme.example' });
  assert.match((await visitor.open(path)).text, /\/question">Ask a question/);
  const form = await visitor.open(`${path}/question`);
  const [, key = ''] = /name="key" value="([^"]+)"/.exec(form.text) ?? [];
  const refused = await visitor.send('/question', { question: ' \u202e ' });
  assert.deepEqual([refused.status, refused.text.includes(key)], [422, true]);
  const long = await visitor.send('/question', { question: 'x'.repeat(501) });
  assert.equal(long.status, 422);
  const question = 'Why 12 bags?\r\n<b>Ten</b> came.';
  for (const again of [1, 2]) {
    const { text } = await visitor.post(`${path}/question`, {
      ...hiddenOf(form.text, '/question'),
      question,
    });
    assert.match(text, /Your question is on its way/, `${again}`);
  }
  await world.settle();
  const asked = world.mails.filter(({ to }) => to === 'help@acme.example');
  assert.equal(asked.length, 1);
  assert.deepEqual([asked[0]?.replyTo, asked[0]?.from], ['buyer@example.com', 'Acme Ltda']);
  assert.match(asked[0]?.text ?? '', /Why 12 bags\? <b>Ten<\/b> came\./);
  const { payment } = await readPayment(world.deps, tenant, id);
  const { entries } = await readTimeline(world.deps, payment, { after: null, limit: 99 });
  const questions = entries.filter(({ kind }) => kind === 'question');
  assert.deepEqual(
    questions.map((entry) => entry.kind === 'question' && entry.question),
    ['Why 12 bags? <b>Ten</b> came.'],
  );
  const types = await world.eventsOf(tenant, id);
  assert.deepEqual(types.slice(-2), ['payment_intent.question_asked', 'invoice.question_asked']);
});

test('who did not sign in asks nothing, and a payment is asked about five times a day', async (t) => {
  const site = await pageSite(t);
  const { world, tenant } = site;
  await setSupportContact(world.deps, tenant.orgId, { supportEmail: 'help@acme.example' });
  const { path, visitor } = await atThePrice(site);
  const stranger = await site.visitor().open(`${path}/question`);
  assert.doesNotMatch(stranger.text, /<textarea/);
  const statuses: number[] = [];
  for (let count = 0; count < 6; count += 1) {
    await visitor.open(`${path}/question`);
    statuses.push((await visitor.send('/question', { question: `Question ${count}` })).status);
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  await world.settle();
  assert.equal(world.mails.filter(({ to }) => to === 'help@acme.example').length, 5);
});

test('a colleague with a link sees the bank details, can do nothing, and loses it with the payment', async (t) => {
  const site = await pageSite(t, { payins: 'wait' });
  const { world, tenant } = site;
  const { id, path, visitor } = await atTheDetails(site, {
    display: JSON.stringify({
      title: 'Bags',
      notes: 'private notes',
      lineItems: [{ description: 'secret bag' }],
      sellerTaxId: '11.222.333/0001-81',
    }),
  });
  const own = await visitor.request('GET', `${path}/instructions.pdf`);
  const { text: onPaper } = await readPdf(new Uint8Array(await own.arrayBuffer()));
  assert.match(onPaper, /Tax id 11\.222\.333\/0001-81/);
  await visitor.open(`${path}/share`);
  const made = await visitor.send('/share');
  const [, link = ''] = /(http:[^<" ]*colleague\?token=[a-z0-9]{50})/.exec(made.text) ?? [];
  const colleague = site.visitor();
  const page = await colleague.open(link);
  assert.deepEqual([page.status, page.path], [200, `${path}/colleague`]);
  const seen = page.words;
  assert.match(seen, /USD 100\.00/);
  assert.match(seen, /Account number/);
  assert.match(seen, /Tax id 11\.222\.333\/0001-81/);
  assert.doesNotMatch(seen, /private notes|secret bag|Ask a question|Sign out/);
  assert.doesNotMatch(page.text, /<form|token=/);
  assert.doesNotMatch(page.text, new RegExp(`href="${path}/colleague"`), 'no way back to itself');
  const file = await colleague.request('GET', `${path}/colleague/instructions.pdf`);
  const { text: inFile } = await readPdf(new Uint8Array(await file.arrayBuffer()));
  assert.match(inFile, /Tax id 11\.222\.333\/0001-81/);
  assert.doesNotMatch(inFile, /private notes|secret bag/);
  const stranger = await site.visitor().request('GET', `${path}/colleague/instructions.pdf`);
  assert.equal(stranger.status, 404);
  for (const other of ['', '/share', '/question', '/instructions.pdf', '/receipt', '/payments']) {
    const { text } = await colleague.open(`${path}${other}`);
    assert.doesNotMatch(text, /Account number|name="csrf"/, other);
  }
  assert.match((await visitor.open(`${path}/share`)).text, /Last opened/);
  await operatorDoes(world.deps, id, { verb: 'cancel', reason: 'no' });
  assert.equal(await world.statusOf(id), 'cancelled');
  assert.equal((await colleague.open(`${path}/colleague`)).status, 404);
  assert.equal(tenant.mode, 'test');
});

test('a buyer ends a link of a colleague, of this payment only, and has at most five', async (t) => {
  const site = await pageSite(t, { payins: 'wait' });
  const { path, visitor } = await atTheDetails(site);
  const other = await atTheDetails(site);
  const linksOf = async (of: Visitor, at: string) => {
    const { text } = await of.open(`${at}/share`);
    return [...text.matchAll(/name="link" value="(\w+)"/g)].map(([, link = '']) => link);
  };
  await visitor.open(`${path}/share`);
  const { text } = await visitor.send('/share');
  const [, url = ''] = /(http:[^<" ]*colleague\?token=[a-z0-9]{50})/.exec(text) ?? [];
  const [link = ''] = await linksOf(visitor, path);
  const colleague = site.visitor();
  assert.equal((await colleague.open(url)).status, 200);
  await other.visitor.open(`${other.path}/share`);
  await other.visitor.send('/share');
  await other.visitor.send('/share/end', { link });
  assert.deepEqual(await linksOf(visitor, path), [link]);
  await visitor.open(`${path}/share`);
  await visitor.send('/share/end', { link });
  assert.deepEqual(await linksOf(visitor, path), []);
  assert.equal((await colleague.open(`${path}/colleague`)).status, 404);
  assert.equal((await colleague.open(url)).status, 404);
  for (let count = 0; count < 5; count += 1) {
    await visitor.open(`${path}/share`);
    await visitor.send('/share');
  }
  const full = await visitor.open(`${path}/share`);
  assert.equal((await linksOf(visitor, path)).length, 5);
  assert.doesNotMatch(full.text, /Make a link/);
});

test('a token that is no link of this payment opens nothing', async (t) => {
  const site = await pageSite(t, { payins: 'wait' });
  const { path, visitor } = await atTheDetails(site);
  const other = await atTheDetails(site);
  await visitor.open(`${path}/share`);
  const { text } = await visitor.send('/share');
  const [, token = ''] = /token=([a-z0-9]{50})/.exec(text) ?? [];
  for (const wrong of [`${other.path}/colleague?token=${token}`, `${path}/colleague?token=x`]) {
    assert.equal((await site.visitor().open(wrong)).status, 404, wrong);
  }
  assert.equal((await site.visitor().open(`${path}/colleague`)).status, 404);
  // The session of the buyer is not one of a colleague.
  assert.equal((await visitor.open(`${path}/colleague`)).status, 404);
});

/** A buyer who is signed in where the bank details are. */
async function atTheDetails(site: PageSite, fields: IntentFields = {}) {
  const { world, tenant } = site;
  const { id, path } = await site.newPayment(fields);
  await world.play(tenant, id, 'on_ramp_pending');
  await world.settle();
  return { id, path, visitor: await signedInBuyer(site, id) };
}
