// A payout that came back and was made again, as an integrator, an owner and an operator learn of
// it: the API, webhooks, files, mails, the log and the ledger agree.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvHeader, csvRow } from '../../../../adapters/pages/dashboard/payment-csv.js';
import { plainCsv } from '../../../../adapters/pages/kit/csv-line.js';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import { HOUR_MS } from '../../../../core/domain/base/instant.js';
import type { Locale } from '../../../../core/domain/base/locale.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { CommandEnd, MoneyKind } from '../../../../core/domain/commands/partner-command.js';
import { applyPartnerUpdate } from '../../../../core/usecases/commands/partner-inbox.js';
import { hashBrowser, requestLink } from '../../../../core/usecases/hosted/sign-ins.js';
import { decide } from '../../../../core/usecases/money-desk/money-desk.js';
import { findDifferences } from '../../../../core/usecases/payments/ledger-check.js';
import { readView } from '../../../../core/usecases/payments/payment-store.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import type { World } from '../../../support/scenes/test-world.js';
import type { Json } from '../../../support/servers/json-call.js';
import { checkedSite } from '../checked-site.js';

const first = [
  'brlSettledAmount',
  'fxRateAtSettlement',
  'effectiveRateAtSettlement',
  'settledAt',
  'endToEndId',
] as const;

async function commandOf({ deps }: World, tenant: Tenant, id: string, kind: MoneyKind) {
  const all = await deps.store.run((tx) => tx.commands.ofPayment(tenant, id));
  return all.findLast((command) => command.kind === kind) ?? assert.fail(`no ${kind}`);
}

/** The seller's bank sends the PIX back. */
async function comesBack(made: World, tenant: Tenant, id: string): Promise<void> {
  await simulate(made.deps, tenant, id, 'payout_returns');
  await made.settle();
}

async function paidAgain(made: World, tenant: Tenant, id: string): Promise<void> {
  const { id: itemId } = await commandOf(made, tenant, id, 'payout');
  const asked = { evidence: 'the seller asked for it', replace: false } as const;
  const operator = developmentOperator;
  await decide(made.deps, { itemId, request: { verb: 'pay_again' }, ...asked, operator });
  await made.settle();
  made.advanceClock(HOUR_MS);
  await made.settle();
}

/** The bank of the buyer takes the money back, or gives it back. */
async function payinReported(made: World, tenant: Tenant, id: string, status: CommandEnd) {
  const payin = await commandOf(made, tenant, id, 'payin');
  const { reference, partnerRef, version } = payin;
  const received = { ...payin.amount, amountMinor: payin.receivedMinor };
  assert.ok(partnerRef !== null);
  const report = { status, received, transactionHash: null, reason: null };
  const fact = { kind: 'payin', reference, partnerRef, report } as const;
  await applyPartnerUpdate(made.deps, payin, fact, { polledVersion: version });
  await made.settle();
}

/** A settled payment of an organization with an owner and an admin, and how it is read. */
async function scene(t: Parameters<typeof checkedSite>[0]) {
  const site = await checkedSite(t);
  const { world: made } = site;
  const tenant = await made.newTenant();
  const key = await made.key(tenant.orgId);
  for (const role of ['owner', 'admin'] as const)
    await addActiveMember(made.deps, { orgId: tenant.orgId, email: `${role}@acme.example`, role });
  const url = 'https://api.acme.example/hook';
  await site.call('POST', '/v1/webhook-subscriptions', {
    key,
    body: { url, eventTypes: ['payment_intent.*', 'invoice.*'] },
  });
  const id = await made.newPayment(tenant);
  await made.play(tenant, id, 'settled');
  made.advanceClock(HOUR_MS);
  await made.settle();
  const read = async () => (await site.call('GET', `/v1/payments/${id}`, { key })).body;
  /** The webhooks since then. */
  const told = async <T>(work: () => Promise<T>) => {
    const before = made.sent.length;
    await work();
    return made.sent.slice(before).map(({ body }) => JSON.parse(body) as WebhookBody);
  };
  return { site, made, tenant, key, id, read, told };
}

interface WebhookBody {
  readonly event: string;
  readonly data: Json;
}

test('a settlement that came back stays, and the second one is beside it', async (t) => {
  const { site, made, tenant, key, id, read } = await scene(t);
  const settled = await read();
  const [only, ...none] = settled['settlements'] as Json[];
  assert.deepEqual(none, []);
  for (const name of first) assert.equal(only?.[name], settled[name], name);
  assert.equal(only?.['returnedAt'], null);
  await comesBack(made, tenant, id);
  const back = await read();
  assert.equal(back['status'], 'settled');
  const [returned] = back['settlements'] as Json[];
  assert.ok(Date.parse(String(returned?.['returnedAt'])) > Date.parse(String(back['settledAt'])));
  assert.deepEqual({ ...returned, returnedAt: null }, only);
  await paidAgain(made, tenant, id);
  const again = await read();
  for (const name of first) assert.equal(again[name], settled[name], `${name} of the first one`);
  const [kept, second] = again['settlements'] as Json[];
  assert.deepEqual(kept, returned);
  assert.notEqual(second?.['endToEndId'], kept?.['endToEndId']);
  assert.equal(second?.['returnedAt'], null);
  // Lists and other paths say the same.
  const { data } = (await site.call('GET', '/v1/payments', { key })).body as { data: Json[] };
  assert.deepEqual(data[0]?.['settlements'], again['settlements']);
  const byExternalId = await site.call('GET', `/v1/payment-intents/${id}`, { key });
  assert.deepEqual(byExternalId.body['settlements'], again['settlements']);
  assert.deepEqual(await findDifferences(made.deps, 10), []);
});

test('both PIX that reached the seller are in the file of the organization', async (t) => {
  const { made, tenant, id, read } = await scene(t);
  await comesBack(made, tenant, id);
  await paidAgain(made, tenant, id);
  const [kept, second] = (await read())['settlements'] as Json[];
  const names = csvHeader(plainCsv).trim().split(',');
  const cells = csvRow(await readView(made.deps, tenant, id), plainCsv, 'UTC')
    .trim()
    .split(',');
  const cell = (name: string) => cells[names.indexOf(name)];
  assert.equal(cell('returnedAt'), kept?.['returnedAt']);
  assert.equal(cell('pixEndToEndId'), kept?.['endToEndId']);
  assert.equal(cell('paidAgain.pixEndToEndId'), second?.['endToEndId']);
  assert.equal(cell('paidAgain.brlSettledAmount'), second?.['brlSettledAmount']);
  assert.equal(cell('paidAgain.settledAt'), second?.['settledAt']);
  assert.equal(cell('paidAgain.returnedAt'), '');
  const asset = kept?.['asset'] as Json;
  assert.match(String(asset['transactionHash']), /^0x[0-9a-f]{64}$/);
  for (const name of ['token', 'network', 'quantity', 'transactionHash'])
    assert.equal(cell(`asset.${name}`), asset[name], name);
  assert.equal(cell('effectiveRateAtSettlement'), kept?.['effectiveRateAtSettlement']);
});

test('each change after the end has its event with amounts, in both namespaces', async (t) => {
  const { made, tenant, id, read, told } = await scene(t);
  const namesOf = (all: readonly WebhookBody[]) => all.map(({ event }) => event).toSorted();
  const back = await told(() => comesBack(made, tenant, id));
  assert.deepEqual(namesOf(back), ['invoice.payout_returned', 'payment_intent.payout_returned']);
  const again = await told(() => paidAgain(made, tenant, id));
  assert.deepEqual(namesOf(again), ['invoice.paid_again', 'payment_intent.paid_again']);
  const [kept, second] = (await read())['settlements'] as Json[];
  for (const [[event], settlement] of [
    [back, kept],
    [again, second],
  ] as const) {
    assert.equal(event?.data['payoutAmount'], '100.00');
    assert.equal(event?.data['brlSettledAmount'], settlement?.['brlSettledAmount']);
    assert.equal(event?.data['fxRateAtSettlement'], settlement?.['fxRateAtSettlement']);
    assert.equal(event?.data['status'], 'settled');
  }
  const recalled = await told(() => payinReported(made, tenant, id, 'returned'));
  assert.deepEqual(namesOf(recalled), ['invoice.payin_recalled', 'payment_intent.payin_recalled']);
  assert.equal(recalled[0]?.data['recalledAmount'], '100.00');
  const reversed = await told(() => payinReported(made, tenant, id, 'completed'));
  assert.deepEqual(namesOf(reversed), [
    'invoice.recall_reversed',
    'payment_intent.recall_reversed',
  ]);
  assert.deepEqual(await findDifferences(made.deps, 10), []);
});

test('its owners are mailed each of them, in the language in which they sign in', async (t) => {
  for (const [locale, ...subjects] of [
    ['en', /came back/, /was made again/, /was recalled by a bank/],
    ['pt-BR', /voltou/, /foi feito de novo/, /tomou de volta/],
    ['es', /volvió/, /se hizo de nuevo/, /retiró/],
  ] as const satisfies readonly (readonly [Locale, ...RegExp[]])[]) {
    const { made, tenant, id } = await scene(t);
    await requestLink(
      made.deps,
      { kind: 'dashboard', address: 'owner@acme.example' },
      { client: '192.0.2.1', locale, browserHash: hashBrowser('browser') },
    );
    await made.settle();
    const before = made.mails.length;
    await comesBack(made, tenant, id);
    await paidAgain(made, tenant, id);
    await payinReported(made, tenant, id, 'returned');
    const mails = made.mails.slice(before);
    assert.deepEqual(
      mails.map(({ to }) => to),
      subjects.map(() => 'owner@acme.example'),
    );
    for (const [at, pattern] of subjects.entries()) {
      assert.match(mails[at]?.subject ?? '', pattern);
      assert.match(mails[at]?.text ?? '', /\/dashboard\//);
    }
  }
});

test('the payee is mailed the second settlement too, with its own amount', async (t) => {
  const { made, tenant, id, read } = await scene(t);
  await made.changeOrganization(tenant.orgId, { sendsSettlementNotices: true });
  await comesBack(made, tenant, id);
  const before = made.mails.length;
  await paidAgain(made, tenant, id);
  const notices = made.mails.slice(before).filter(({ text }) => text.includes('/proof/'));
  const [, second] = (await read())['settlements'] as Json[];
  const [notice, ...others] = notices;
  assert.deepEqual(others, []);
  const reais = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2 });
  assert.ok(
    notice?.text.includes(reais.format(Number(second?.['brlSettledAmount']))),
    notice?.text,
  );
});

test('each of them is a line in the log, with the payment and the amount', async (t) => {
  const { made, tenant, id } = await scene(t);
  const before = made.log.length;
  await comesBack(made, tenant, id);
  await paidAgain(made, tenant, id);
  await payinReported(made, tenant, id, 'returned');
  const lines = made.log
    .slice(before)
    .filter(({ message }) => message === 'money of an ended payment moved')
    .map(({ fields: { event, paymentId, payoutAmount, recalledAmount } }) =>
      [event, paymentId, payoutAmount ?? recalledAmount].join(' '),
    );
  assert.deepEqual(
    lines.filter((line) => line.startsWith('payment_intent.')),
    ['payout_returned', 'paid_again', 'payin_recalled'].map(
      (name) => `payment_intent.${name} ${id} 100.00 USD`,
    ),
  );
});
