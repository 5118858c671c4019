// The operator's console: the way in, its port, two operators who decide about money, and what it
// shows.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { consolePages } from '../../../../adapters/pages/console/console-pages.js';
import { fxText } from '../../../../adapters/pages/kit/files/fx-file.js';
import { pageRoutes } from '../../../../adapters/pages/page-routes.js';
import { DAY_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import { DEFAULT_TIME_ZONE, dayOf } from '../../../../core/domain/base/time-zone.js';
import { decisionNames } from '../../../../core/domain/money-desk/decisions.js';
import type { PartnerWallets } from '../../../../core/ports/partner.js';
import { createKey, unlimitedKey } from '../../../../core/usecases/access/keys.js';
import { addMember } from '../../../../core/usecases/access/members.js';
import { removeOperator } from '../../../../core/usecases/access/registered-operators.js';
import { fxReport } from '../../../../core/usecases/accounting/fx-reports.js';
import { listProposals } from '../../../../core/usecases/money-desk/money-queues.js';
import { audited, verifyAudit } from '../../../../core/usecases/service/audit-log.js';
import { changedPartner } from '../../../support/partners/changed-partner.js';
import { sampleInstructions } from '../../../support/samples/payin-samples.js';
import { failedPayout, paidIn } from '../../../support/scenes/desk-scene.js';
import { type SuiteEnd, suiteEnd } from '../../../support/suite-end.js';
import { signedInAs } from '../dashboard/dashboard-site.js';
import { formsOf, textOf, type Visitor } from '../visitor.js';
import { aRequest, type ConsoleSite, consoleSite, fillConsole } from './console-site.js';

const decision = { step: 'refund', evidence: 'wire 7781, 23 November' };
const refund = 'cmd_back';

async function anasDesk(t: SuiteEnd) {
  const site = await consoleSite(t);
  return { site, ana: await site.signedIn(site.ana) };
}

async function proposals({ world }: ConsoleSite) {
  return listProposals(world.deps, { orgId: null, mode: null, limit: 10, beforeId: null });
}

async function stateOf({ world }: ConsoleSite): Promise<string | undefined> {
  return (await world.deps.store.run((tx) => tx.commands.get(refund)))?.state;
}

/** What every row of the table takes besides the token. */
const anyForm = { key: `frm_${'0'.repeat(26)}`, reason: 'no', ...decision };

function pathOf(path: string): string {
  const names: Readonly<Record<string, string>> = { queue: 'owed', itemId: refund };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'unknown');
}

describe('the way in', () => {
  const suite = suiteEnd();
  let site: ConsoleSite;
  before(async () => {
    site = await consoleSite(suite);
  });

  test('a link signs its operator in once, by a button', async () => {
    const link = await site.linkOf(site.ana);
    const visitor = site.visitor();
    const shown = await visitor.open(link);
    assert.equal(shown.heading, 'Sign in as ana');
    assert.ok(!visitor.hasCookie('ponte-operator'), 'looking at it changes nothing');
    assert.equal((await visitor.send('/enter')).heading, 'Money desk');
    const again = await site.visitor().open(link);
    assert.equal(again.status, 410);
    assert.equal(again.heading, 'The link was used');
  });

  test('a link that nobody made, and one that a later link ended, open nothing', async () => {
    const former = await site.linkOf(site.ana);
    await site.linkOf(site.ana);
    for (const path of ['/operator?token=unknown', former]) {
      const visitor = site.visitor();
      const shown = await visitor.open(path);
      assert.equal(shown.status, 410);
      await visitor.post('/operator/enter', {});
      assert.ok(!visitor.hasCookie('ponte-operator'));
    }
  });

  test('a new link ends the session before it', async () => {
    const visitor = await site.signedIn(site.ana);
    await site.linkOf(site.ana);
    assert.equal((await visitor.open('/operator/money')).heading, 'Sign in');
  });

  test('a sign-out ends the session', async () => {
    const visitor = await site.signedIn(site.ana);
    const copy = visitor.copy();
    assert.equal((await visitor.send('/sign-out')).heading, 'Sign in');
    assert.equal((await copy.open('/operator/money')).heading, 'Sign in');
  });

  test('without a session each page leads to the sign-in, and each form changes nothing', async () => {
    const before = await site.world.audit();
    for (const { method, path, auth } of consolePages) {
      if (auth === 'none') continue;
      const body = new URLSearchParams(anyForm).toString();
      const sent = method === 'POST' ? body : undefined;
      const response = await site.visitor().request(method, pathOf(path), sent);
      assert.equal(response.status, 303, path);
      const location = response.headers.get('location') ?? '';
      assert.match(location, /^\/operator(?=$|\?)(\?|&|notice=unsaved|cookie-check)*$/);
    }
    const after = await site.world.audit();
    assert.deepEqual(after, before);
  });

  test('the session of a member opens nothing', async () => {
    const member = await signedInAs(site.main, 'owner');
    const visitor = member.at(site.origin);
    assert.equal((await visitor.open('/operator/money')).heading, 'Sign in');
  });
});

describe('its port', () => {
  const suite = suiteEnd();
  let site: ConsoleSite;
  before(async () => {
    site = await consoleSite(suite);
  });

  test('has nothing but the console', async () => {
    const visitor = await site.signedIn(site.ana);
    const others = ['/', '/healthz', '/readyz', '/docs-json', '/v1/payment-intents', '/verify'];
    for (const path of [...others, '/dashboard', '/r/unknown', '/dev/mailbox']) {
      assert.equal((await visitor.request('GET', path)).status, 404, path);
    }
  });

  test('has its own pages alone: the port of the API has none of them', async () => {
    assert.ok(consolePages.every(({ path }) => path.startsWith('/operator')));
    assert.ok(pageRoutes.every(({ path }) => !path.startsWith('/operator')));
    const visitor = (await site.signedIn(site.ana)).at(site.main.origin);
    for (const { method, path } of consolePages) {
      const body = method === 'POST' ? '' : undefined;
      assert.equal((await visitor.request(method, pathOf(path), body)).status, 404, path);
    }
  });

  test('every form carries the token of its session', () => {
    for (const { method, path, auth, csrf, subject } of consolePages) {
      assert.equal(subject, 'console', path);
      const isOpen = auth === 'none';
      assert.equal(csrf, method === 'POST' && !isOpen ? 'form' : 'none', path);
      assert.ok(!isOpen || ['/operator', '/operator/enter'].includes(path), path);
    }
  });

  test('a form without the token, or from another site, changes nothing', async () => {
    const visitor = await site.signedIn(site.ana);
    const stranger = await tokenOf(await site.signedIn(site.bia));
    const csrf = await tokenOf(visitor);
    const entries = () => site.world.audit();
    const before = (await entries()).length;
    for (const { path } of consolePages.filter((row) => row.csrf === 'form')) {
      for (const token of ['', stranger]) {
        await visitor.post(pathOf(path), { ...anyForm, csrf: token });
      }
      await visitor.post(pathOf(path), { ...anyForm, csrf }, { origin: 'https://evil.example' });
      await visitor.post(pathOf(path), { ...anyForm, csrf }, { 'sec-fetch-site': 'cross-site' });
    }
    assert.equal((await entries()).length, before);
    assert.deepEqual(await proposals(site), []);
  });
});

async function tokenOf(visitor: Visitor): Promise<string> {
  const { text } = await visitor.open('/operator/money');
  return formsOf(text)[0]?.hidden['csrf'] ?? assert.fail('a page has the token');
}

test('one operator proposes, and another one confirms with the evidence in view', async (t) => {
  const { site, ana } = await anasDesk(t);
  const bia = await site.signedIn(site.bia);
  const desk = await ana.open('/operator/money');
  assert.match(desk.words, /USD 100\.00 .* The partner refused or failed the refund/);
  await ana.open(site.owed);
  const proposed = await ana.send('/owed/cmd_back', decision);
  assert.match(proposed.words, /Nothing is booked until another operator confirms it/);
  assert.equal(await stateOf(site), 'refused');
  assert.match(proposed.words, /Another operator confirms it; you cannot/);
  assert.ok(!formsOf(proposed.text).some(({ action }) => action.endsWith('/confirm')));
  const waiting = await bia.open('/operator/money');
  assert.match(waiting.words, /Needs you to confirm/);
  assert.match(waiting.words, /Money desk , need you: 1 Proposals , need you: 1 Payments /);
  const [proposal] = await proposals(site);
  const seen = await bia.open(`/operator/proposals/${proposal?.id}`);
  assert.match(seen.words, /wire 7781, 23 November/);
  const done = await bia.send('/confirm');
  assert.match(done.words, /The decision has taken effect/);
  assert.equal((await proposals(site))[0]?.state, 'done');
  assert.notEqual(await stateOf(site), 'refused');
});

test('a form that is sent twice proposes once, also after it was withdrawn', async (t) => {
  const { site, ana } = await anasDesk(t);
  const { text } = await ana.open(site.owed);
  const form = formsOf(text).find(({ action }) => action.endsWith('/owed/cmd_back'));
  const fields = { ...form?.hidden, ...decision };
  await ana.post(site.owed, fields);
  const again = await ana.post(site.owed, fields);
  assert.match(again.words, /It was proposed before\. Nothing was changed/);
  await ana.send('/withdraw');
  const late = await ana.post(site.owed, fields);
  assert.equal(late.status, 422);
  assert.match(late.words, /The proposal dec_\w+ is withdrawn/);
  assert.deepEqual(
    (await proposals(site)).map(({ state }) => state),
    ['withdrawn'],
  );
});

test('a decision needs its evidence, and a choice', async (t) => {
  const { site, ana } = await anasDesk(t);
  await ana.open(site.owed);
  const empty = await ana.send('/owed/cmd_back', { step: 'refund', evidence: ' ' });
  assert.equal(empty.status, 422);
  assert.match(empty.words, /What you checked: give 1 to 500 characters/);
  await fillConsole(site);
  await ana.open('/operator/money/in_review/cmd_out_2');
  const none = await ana.send('/in_review/cmd_out_2', { evidence: 'letter' });
  assert.equal(none.status, 422);
  assert.match(none.words, /Choose a decision/);
  const own = (await proposals(site)).filter(({ proposedBy }) => proposedBy === 'ana');
  assert.deepEqual(own, []);
});

test('the page of a decision names who pays whom, and asks below a choice what it needs', async (t) => {
  const site = await consoleSite(t);
  const paths = await fillConsole(site);
  const ana = await site.signedIn(site.ana);
  const payment = await site.world.payment('pi_2');
  let reads = 0;
  const wallets: PartnerWallets = {
    walletOf: () => 'wallet_1',
    async balance() {
      reads += 1;
      return { outcome: 'done', value: money(25_000n, 'USD') };
    },
  };
  const { partners } = site.world.deps;
  const partner = changedPartner(partners.test ?? assert.fail(), {});
  Object.assign(partners, { live: Object.assign(partner, { wallets }) });
  const shown = await ana.open(`${paths['payout']}`);
  const text = shown.words;
  assert.ok(text.includes(`${payment?.buyer.email} pays USD 100.00 to `), text);
  assert.match(text, /Failed *no PIX end-to-end id/);
  assert.match(text, /Our books hold of this payment *USD 100\.00.*Ask the partner/);
  assert.equal(reads, 0);
  for (const path of [paths['payment'], paths['payout']]) {
    const asked = (await ana.open(`${path}?wallet`)).words;
    assert.match(asked, /as the partner says *USD 250\.00 *for all its payments, read/);
  }
  assert.equal(reads, 2);
  assert.match(shown.text, /href="\/operator\/payments\/pi_2"/);
  for (const known of ['pa_out_2', 'Our books and the partner’s', 'What happened', 'Created']) {
    assert.ok(text.includes(known), known);
  }
  const [, below = ''] = shown.text.split(/value="paid"(?:(?!<label).)*<\/label>/s);
  for (const name of ['settled', 'fees', 'endToEndId']) {
    assert.match(
      below,
      new RegExp(`^<div class="inside">(?:(?!type="radio").)*name="${name}"`, 's'),
    );
  }
  const wrong = await ana.send('/in_review/cmd_out_2', {
    step: 'paid',
    settled: 'much',
    evidence: 'call of 11:40',
  });
  assert.equal(wrong.status, 422);
  assert.match(wrong.words, /BRL that the seller received: give an amount/);
  assert.doesNotMatch(wrong.words, /settled:|--/);
});

test('the money desk has what is in doubt first', async (t) => {
  const site = await consoleSite(t);
  await fillConsole(site);
  const ana = await site.signedIn(site.ana);
  const { text } = await ana.open('/operator/money');
  const order = [...text.matchAll(/aria-labelledby="(\w+)"/g)].map(([, kind = '']) => kind);
  const byStake = ['in_review', 'unmatched', 'lost', 'owed', 'unapproved', 'short'];
  assert.deepEqual(
    order,
    byStake.filter((kind) => order.includes(kind)),
  );
  assert.ok(order.includes('in_review') && order.includes('owed'));
});

test('what waits for a buyer is folded with its day, and so is a long text of the partner', async (t) => {
  const site = await consoleSite(t);
  const { desk } = site;
  const payByMs = Date.parse('2030-02-05T12:00:00Z');
  await desk.payment([{ ...paidIn(9_900n), id: 'cmd_in_4', reference: 'in_4' }], {
    id: 'pi_4',
    publicId: 'four',
    externalId: 'four',
    status: 'on_ramp_pending',
    payinInstructions: sampleInstructions({ payByMs }),
  });
  const lastError = `The bank of the payee ${'answered that it asks its branch, '.repeat(9)}twice`;
  const failed = { ...failedPayout({ lastError }), id: 'cmd_out_5', partnerRef: 'pa_out_5' };
  await desk.payment(
    [
      { ...paidIn(), id: 'cmd_in_5', partnerRef: 'pa_in_5', reference: 'in_5' },
      { ...failed, reference: 'out_5' },
    ],
    { id: 'pi_5', publicId: 'five', externalId: 'five' },
  );
  const ana = await site.signedIn(site.ana);
  const { text } = await ana.open('/operator/money');
  const folded = [
    ...text.matchAll(/<details>\s*<summary[^>]*>([\s\S]*?)<\/summary>([\s\S]*?)<\/details>/g),
  ];
  const [long, short] = folded.map(([, summary = '', rest = '']) => [
    textOf(summary),
    textOf(rest),
  ]);
  assert.match(long?.[0] ?? '', /^The payout failed.* …$/);
  assert.ok((long?.[0] ?? '').length <= 170 && long?.[1]?.endsWith('twice.'), long?.join());
  assert.match(short?.[0] ?? '', /^One waits for the buyer, the first until 5 February 2030$/);
  assert.match(short?.[1] ?? '', /USD 1\.00|99\.00 USD of 100\.00 USD/);
  assert.equal(folded.length, 2);
});

test('a choice of one is a button', async (t) => {
  const { site, ana } = await anasDesk(t);
  const shown = await ana.open(site.owed);
  const offers = formsOf(shown.text).filter(({ action }) => action.endsWith('/owed/cmd_back'));
  assert.equal(offers.length, 1);
  assert.doesNotMatch(shown.text, /type="radio"/);
  const { evidence } = decision;
  await ana.send('/owed/cmd_back', { evidence });
  assert.equal((await proposals(site)).length, 1);
});

test('a payment is found by its id, and by its externalId in its organization', async (t) => {
  const { site, ana } = await anasDesk(t);
  await site.desk.payment(
    [{ ...paidIn(), id: 'cmd_in_3', partnerRef: 'pa_in_3', reference: 'in_3' }],
    { id: 'pi_3', externalId: 'order-7' },
  );
  const known = await site.world.payment('pi_3');
  const path = '/operator/payments';
  const payment = `${path}/pi_3`;
  const found = async (query: Record<string, string>) => {
    const response = await ana.request('GET', `${path}?${new URLSearchParams(query)}`);
    return response.headers.get('location');
  };
  assert.equal(await found({ q: 'pi_3' }), payment);
  assert.equal(await found({ q: 'order-7', org: `${known?.orgId}` }), payment);
  assert.equal(await found({ q: 'order-7' }), null);
  assert.equal(await found({ q: 'order-7', org: 'org_0' }), null);
  const shown = await ana.open(payment);
  assert.match(shown.words, /Our books and the partner’s .* Who did what/);
  assert.equal((await ana.open(`${path}/pi_0`)).status, 404);
});

test('the bar says real money in live mode, and not in test mode', async (t) => {
  const { ana } = await anasDesk(t);
  const live = await ana.open('/operator/money?mode=live');
  assert.match(live.words, /What is done here moves real money/);
  const inTest = await ana.open('/operator/money?mode=test');
  assert.match(inTest.words, /Test mode\. No money moves/);
  assert.match(inTest.text, /<body class="dash op test"/);
});

test('an operator who is removed is signed out with the next request', async (t) => {
  const site = await consoleSite(t);
  const bia = await site.signedIn(site.bia);
  await bia.open(site.owed);
  await removeOperator(site.world.deps, 'bia', site.ana.actor);
  await bia.send('/owed/cmd_back', decision);
  assert.equal(bia.shown?.heading, 'Sign in');
  assert.deepEqual(await proposals(site), []);
});

test('the audit log has each change with the signature of the link', async (t) => {
  const site = await consoleSite(t);
  const { deps } = site.world;
  const ana = await site.signedIn(site.ana);
  await ana.open(site.owed);
  await ana.send('/owed/cmd_back', decision);
  const entries = await site.world.audit();
  const own = entries.filter(({ actor }) => actor.id === site.ana.actor.id);
  assert.deepEqual(
    own.map(({ action }) => action),
    ['/operator/money/{queue}/{itemId}', '/operator/enter'],
  );
  assert.ok(own.every(({ address }) => address === '127.0.0.1'));
  const { defects, signatures } = await verifyAudit(deps);
  assert.deepEqual(defects, []);
  assert.equal(signatures, own.length);
  const shown = (await ana.open('/operator/audit')).words;
  assert.match(shown, /ana Operator/);
  assert.doesNotMatch(shown, /\{\w+\}|\/operator\/enter/, 'no pattern of a route');
});

test('the audit log names keys, members and organizations, and is filtered by who and where', async (t) => {
  const site = await consoleSite(t);
  const { deps } = site.world;
  const { orgId } = site.tenant;
  const key = { ...unlimitedKey, ...site.tenant, createdBy: 'development', name: 'ERP Protheus' };
  const { id: keyId } = (await createKey(deps, key)).key;
  for (const [kind, id] of [
    ['key', keyId],
    ['partner', 'fake'],
  ] as const) {
    const author = audited(deps, { orgId, actor: { kind, id }, action: `by ${kind}` });
    await addMember(author, { orgId, email: `${kind}@x.example`, role: 'viewer' });
  }
  const ana = await site.signedIn(site.ana);
  const shown = async (query: string) => {
    const { text } = await ana.open(`/operator/audit${query}`);
    return /<tbody>[\s\S]*<\/tbody>/.exec(text)?.map(textOf)[0] ?? '';
  };
  const { name } = (await deps.store.run((tx) => tx.organizations.get(orgId))) ?? {};
  const people = await shown('');
  assert.match(people, /ERP Protheus Key member key@x\.example/);
  assert.ok(people.includes(`${name}`), people);
  assert.doesNotMatch(people, /by partner/);
  assert.match(await shown('?kind=all'), /by partner/);
  assert.match(await shown('?kind=partner'), /^((?!by key|ana).)*by partner((?!by key|ana).)*$/);
  assert.match(
    await shown(`?who=${keyId}`),
    /^((?!by partner|ana).)*by key((?!by partner|ana).)*$/,
  );
  assert.doesNotMatch(await shown(`?kind=all&org=${orgId}`), /ana/);
  assert.equal(await shown('?org=org_unknown'), '');
});

test('a request for production access is refused with a reason', async (t) => {
  const site = await consoleSite(t);
  const { deps } = site.world;
  const { orgId } = site.tenant;
  await deps.store.run(async (tx) =>
    tx.productionRequests.insert({ ...aRequest, orgId, createdAtMs: deps.clock.nowMs() }),
  );
  const ana = await site.signedIn(site.ana);
  assert.match((await ana.open('/operator/production')).text, /Coffee &lt;b>/);
  const { text: stale } = await ana.open(`/operator/production/${orgId}`);
  const summary = /22 ok, 1 failed, 1 not seen, on 2026-01-02 rotation, feed-reset/;
  assert.match(textOf(stale), summary);
  const [form] = formsOf(stale).filter(({ action }) => action.endsWith(`/${orgId}`));
  const late = { ...form?.hidden, request: 'prq_before', reason: 'not yet' };
  const refused = await ana.post(`/operator/production/${orgId}`, late);
  assert.equal(refused.status, 422);
  assert.match(refused.words, /has asked again since/);
  await ana.open(`/operator/production/${orgId}`);
  const taken = await ana.send(`/production/${orgId}`, { reason: 'not yet' });
  assert.match(taken.words, /was refused/);
  const newest = await deps.store.run((tx) => tx.productionRequests.newest(orgId));
  assert.deepEqual([newest?.state, newest?.decidedBy], ['refused', 'ana']);
});

test('the retry of a command that has ended changes nothing, and shows the list', async (t) => {
  const { site, ana } = await anasDesk(t);
  const { text } = await ana.open(site.owed);
  const form = formsOf(text).find(({ action }) => action.endsWith('/retry'));
  const retried = (item: string) => ana.post(`/operator/money/${item}/retry`, { ...form?.hidden });
  const late = await retried(`owed/${paidIn().id}`);
  assert.equal(late.status, 200);
  assert.match(late.words, /The page was out of date\. Nothing was changed/);
  assert.equal((await retried('nowhere/cmd_back')).status, 404);
});

test('the health of the service is shown with what is worst first', async (t) => {
  const { ana } = await anasDesk(t);
  const { heading, text } = await ana.open('/operator/health');
  assert.equal(heading, 'Health');
  const shown = textOf(text);
  assert.match(shown, /2 of 3 checks need an operator/);
  assert.match(shown, /ledger At risk does not balance.* disk Look at it only 0\.7 GiB .* node Ok/);
  assert.doesNotMatch(text, /<b>\/data/);
});

test('the extract of a month is shown and downloaded as the command prints it', async (t) => {
  const site = await consoleSite(t);
  const { deps } = site.world;
  site.world.advanceClock(DAY_MS);
  const tenant = await site.world.newTenant();
  const id = await site.world.newPayment(tenant, { purpose: 'services' });
  await site.world.play(tenant, id, 'settled');
  site.world.advanceClock(5 * MINUTE_MS);
  const [year = 0, month = 0] = dayOf(DEFAULT_TIME_ZONE, deps.clock.nowMs()).split('-').map(Number);
  const query = `?month=${year}-${`${month}`.padStart(2, '0')}&mode=test`;
  const report = await fxReport(deps, 'test', { year, month });
  const ana = await site.signedIn(site.ana);
  const shown = (await ana.open(`/operator/fx${query}`)).words;
  assert.match(shown, /1 PIX, BRL [1-9]/);
  assert.match(shown, /payout_paid payerRelation/);
  const file = await ana.send('/fx/file');
  assert.equal(file.text, fxText(report.lines));
  assert.match(file.headers.get('content-disposition') ?? '', /fx-test-[0-9]{4}-[0-9]{2}\.csv/);
  assert.match((await ana.open('/operator/fx')).words, /0 PIX, BRL 0\.00/);
});

test('one operator alone proposes, by every form of the console and every decision', async (t) => {
  const site = await consoleSite(t);
  const paths = await fillConsole(site);
  const ana = await site.signedIn(site.ana);
  const csrf = await tokenOf(ana);
  const forms = consolePages.filter(({ method, auth, path }) => {
    return method === 'POST' && auth !== 'none' && !path.endsWith('/sign-out');
  });
  const items = [site.owed, paths['payout'], paths['deposit']].map((path) => `${path}`.split('/'));
  const given = {
    payment: 'pi_1',
    settled: '1.00',
    fees: '0.00',
    endToEndId: 'E1',
    replace: 'yes',
    request: aRequest.id,
  };
  let tries = 0;
  const send = async (path: string, step: string) => {
    tries += 1;
    const key = `frm_${`${tries}`.padStart(26, '0')}`;
    await ana.post(path, { csrf, key, step, ...given, evidence: 'wire 7781', reason: 'no' });
  };
  const own = async () => {
    const [proposal] = (await proposals(site)).filter(({ proposedBy }) => proposedBy === 'ana');
    return proposal?.id ?? 'none';
  };
  for (const { path } of forms) {
    for (const [queue = '', itemId = ''] of items.map((parts) => parts.slice(3))) {
      for (const step of path.includes('{itemId}') ? decisionNames : ['']) {
        const names: Readonly<Record<string, string>> = { queue, itemId };
        const id = path.includes('proposals') ? await own() : site.tenant.orgId;
        await send(
          path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? id),
          step,
        );
      }
    }
  }
  assert.ok(tries > 20, `${tries} forms`);
  const made = await proposals(site);
  assert.ok(made.some(({ proposedBy }) => proposedBy === 'ana'));
  assert.ok(made.every(({ state }) => state !== 'done'));
  const entries = await site.world.audit();
  const changed = entries
    .filter(({ actor }) => actor.id === site.ana.actor.id)
    .flatMap(({ objects }) => objects.map(({ type }) => `${type}`));
  const without = ['operator_session', 'production_request', 'proposal'];
  assert.deepEqual([...new Set(changed)].sort(), without);
});
