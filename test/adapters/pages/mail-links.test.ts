// A gateway that opens the links of mails and presses every button behind them, before the person,
// for each kind of link: it decides nothing and locks nobody out. What it does is reported of
// Microsoft Safe Links, Proofpoint and Barracuda: HEAD, GET, GET with scripts, and the forms.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../core/domain/base/instant.js';
import type { Locale } from '../../../core/domain/base/locale.js';
import { money } from '../../../core/domain/base/money.js';
import { codeOf } from '../../../core/domain/mail/mail.js';
import { linkRules } from '../../../core/domain/mail/mail-links.js';
import { inviteMember } from '../../../core/usecases/access/member-invitations.js';
import { findMember } from '../../../core/usecases/access/members.js';
import { askApprover } from '../../../core/usecases/hosted/colleague-approvals.js';
import { createColleagueLink } from '../../../core/usecases/hosted/colleague-links.js';
import { createOnboardingLink } from '../../../core/usecases/hosted/onboarding-links.js';
import { stageOwnerLink } from '../../../core/usecases/hosted/owner-links.js';
import { stopCode } from '../../../core/usecases/mail/stop-codes.js';
import { startBuyerKyc } from '../../../core/usecases/parties/kyc.js';
import { inviteBuyer } from '../../../core/usecases/payments/invoices.js';
import { aDestinationChange, anAccount } from '../../support/samples/domain-samples.js';
import { makeInvoice } from '../../support/scenes/made-payments.js';
import { newSeller } from '../../support/scenes/seller-scene.js';
import { openLive } from './dashboard/dashboard-site.js';
import { formsOf, linkIn, type PageSite, pageSite, type Shown, type Visitor } from './visitor.js';

interface Scene {
  readonly url: string;
  /** Of the mail; null: no mail of ours has the link. */
  readonly code: string | null;
  /** What nobody but a person may change. */
  readonly state: () => Promise<unknown>;
  /** Whether a page behind the link is open. */
  readonly isIn: (shown: Shown) => boolean;
  /** What the person does there, and its effect on `state`. */
  readonly acts?: (person: Visitor) => Promise<unknown>;
}

const codeIn = (mail: string) => /\n(\d{6})\n/.exec(mail)?.[1] ?? null;
const isSignedIn = ({ text }: Shown) => text.includes('/sign-out"');

async function fromMail(site: PageSite) {
  const mail = await site.newestMail();
  return { url: linkIn(mail), code: codeIn(mail) };
}

async function statusOf({ world }: PageSite, id: string) {
  const { status, colleagueApproval } = await world.payment(id);
  return [status, colleagueApproval?.state];
}

const scenes = {
  async payment(site) {
    const { id, path } = await site.newPayment();
    await site.world.play(site.tenant, id, 'fx_quoted');
    const asker = site.visitor();
    await asker.post(`${path}/link`, {});
    const isIn = (shown: Shown) => /action="[^"]*\/confirm"/.test(shown.text);
    const acts = (person: Visitor) => person.send('/confirm');
    return { ...(await fromMail(site)), state: () => statusOf(site, id), isIn, acts };
  },
  async submission(site) {
    const { deps } = site.world;
    const start = { email: 'a@b.example', name: null, entityType: null, paymentId: null } as const;
    const { id, flowId } = await startBuyerKyc(deps, site.tenant, { ...start, dossier: {} });
    const part = { ...site.tenant, submissionId: id, ownerIndex: null };
    const to = { address: 'cfo@b.example', locale: 'en' } as const;
    await deps.store.run((tx) => stageOwnerLink(deps, tx, { ...part, ...to }));
    const read = () => deps.store.run((tx) => tx.buyers.submissionById(site.tenant, id));
    assert.ok(flowId !== null);
    const isIn = isSignedIn;
    return { ...(await fromMail(site)), state: async () => (await read())?.status, isIn };
  },
  async approval(site) {
    const { deps } = site.world;
    const { id, path } = await site.newPayment();
    await site.world.play(site.tenant, id, 'fx_quoted');
    const payment = await site.world.payment(id);
    await askApprover(deps, payment, { email: 'cfo@b.example', locale: 'en', client: null });
    const isIn = (shown: Shown) => /action="[^"]*\/approve"/.test(shown.text);
    const acts = (person: Visitor) => person.send('/approve');
    assert.ok(path.length > 0);
    return { ...(await fromMail(site)), state: () => statusOf(site, id), isIn, acts };
  },
  async member(site) {
    const { deps } = site.world;
    const email = 'marina@rotanorte.example';
    const invited = { orgId: site.tenant.orgId, email, role: 'owner' } as const;
    await inviteMember(deps, invited, { memberId: null, keptBy: null }, 'en');
    const read = () => findMember(deps, site.tenant.orgId, email);
    const state = async () => [(await read()).role, (await read()).removedAtMs];
    return { ...(await fromMail(site)), state, isIn: isSignedIn };
  },
  async person(site) {
    const { url: invitation } = await scenes.member(site);
    assert.ok(invitation.length > 0);
    const address = 'marina@rotanorte.example';
    await site.visitor().post('/dashboard/link', { address });
    const read = () => findMember(site.world.deps, site.tenant.orgId, address);
    const state = async () => (await read()).role;
    return { ...(await fromMail(site)), state, isIn: isSignedIn };
  },
  async account(site) {
    const { deps } = site.world;
    const effectiveAtMs = deps.clock.nowMs() + MINUTE_MS;
    const change = aDestinationChange({ ...site.tenant, effectiveAtMs });
    const held = { heldRef: change.toRef, heldUntilMs: change.effectiveAtMs };
    await deps.store.run(async (tx) => {
      tx.destinationChanges.insert(change);
      tx.accounts.insert(anAccount({ ...site.tenant, id: 'acct_1', ...held }));
    });
    const named = stopCode(deps, change);
    const url = `http://pages.test/stop/${named}`;
    const read = () => deps.store.run((tx) => tx.accounts.get(site.tenant, 'acct_1'));
    const isIn = ({ heading }: Shown) => /was stopped/.test(heading);
    return { url, code: codeOf(named), state: async () => (await read())?.heldRef, isIn };
  },
  async onboarding(site) {
    const { deps } = site.world;
    const { id } = await newSeller(deps, site.tenant, {});
    const { url } = await createOnboardingLink(deps, site.tenant, id);
    const path = new URL(url).pathname;
    const read = () => deps.store.run((tx) => tx.accounts.get(site.tenant, id));
    const acts = async (person: Visitor) => {
      await person.open(`${path}/kyc/company`);
      const typed = { email: 'ana@serra.example', legalName: 'Serra Ltda' };
      await person.send('/kyc/company', { ...typed, cnpj: '11.222.333/0001-81' });
      await person.send('/kyc/review');
    };
    const state = async () => (await read())?.status;
    return { url, code: null, state, isIn: isSignedIn, acts };
  },
  async colleague(site) {
    const { deps } = site.world;
    // One unit less arrives, so the payment stays at its bank details.
    const { id } = await site.newPayment({ amount: money(10_055n, 'USD') });
    await site.world.play(site.tenant, id, 'on_ramp_pending');
    const payment = await site.world.payment(id);
    const url = await createColleagueLink(deps, payment);
    const isIn = (shown: Shown) => shown.text.includes('instructions.pdf');
    return { url, code: null, state: () => statusOf(site, id), isIn };
  },
} as const satisfies Record<keyof typeof linkRules, (site: PageSite) => Promise<Scene>>;

/** Another program: opens the link in each way, then presses what it finds, three pages deep. */
async function gatewayVisits(site: PageSite, url: string): Promise<Visitor> {
  const headers = { 'user-agent': 'Mozilla/5.0 (compatible; Gateway)' };
  const { pathname, search } = new URL(url);
  const head = await site.visitor({ headers }).request('HEAD', `${pathname}${search}`);
  assert.ok(head.status < 400, `HEAD: ${head.status}`);
  await site.visitor({ headers }).open(url);
  const gateway = site.visitor({ headers });
  const first = await gateway.open(url);
  await pressesAll(gateway, first.text, 3);
  return gateway;
}

async function pressesAll(gateway: Visitor, text: string, depth: number): Promise<void> {
  for (const { action, hidden } of formsOf(text)) {
    if (action.endsWith('/sign-out')) continue;
    const shown = await gateway.post(action, hidden);
    if (depth > 1) await pressesAll(gateway, shown.text, depth - 1);
  }
}

const linkKinds = Object.keys(linkRules) as readonly (keyof typeof linkRules)[];

for (const kind of linkKinds) {
  const { press, usedUpBy } = linkRules[kind];
  test(`${kind}: a gateway presses first, decides nothing, and the person gets in`, async (t) => {
    const site = await pageSite(t);
    const { url, code, state, isIn, acts }: Scene = await scenes[kind](site);
    const was = await state();
    const gateway = await gatewayVisits(site, url);
    assert.deepEqual(await state(), was, 'nothing is decided');
    if (press === 'asks_code') assert.equal(isIn(await gateway.open(url)), false);

    const person = site.visitor();
    let shown = await person.open(url);
    const hasField = /name="code"/.test(shown.text);
    assert.equal(hasField, usedUpBy === 'press' || usedUpBy === 'code', 'the page asks the code');
    const action = press === 'none' ? null : (formsOf(shown.text)[0]?.action ?? '');
    if (action !== null && hasField) {
      const wrong = code === '000000' ? '000001' : '000000';
      shown = await person.send(action, { code: wrong });
      assert.match(shown.words, /code (is not right|does not work)/);
      assert.deepEqual([isIn(shown), await state()], [false, was]);
      shown = await person.send(action, { code: `${code?.slice(0, 3)} ${code?.slice(3)}` });
    } else if (action !== null) {
      shown = await person.send(action);
    }
    assert.ok(isIn(shown), `the person is in: ${shown.path} ${shown.heading}`);
    await acts?.(person);
    if (acts !== undefined || kind === 'account') assert.notDeepEqual(await state(), was);

    const stranger = site.visitor();
    const later = await stranger.open(url);
    if (usedUpBy === 'never' || kind === 'account') return;
    await pressesAll(stranger, later.text, 1);
    assert.equal(isIn(await stranger.open(new URL(url).pathname)), false, 'from a history');
  });
}

test('an invitation by a gateway: the buyer types the code, and every page of a link mails another', async (t) => {
  const site = await pageSite(t);
  const { deps } = site.world;
  const { payment } = await makeInvoice(deps, site.tenant);
  await inviteBuyer(deps, site.tenant, payment.id);
  const { url, code } = await fromMail(site);
  await gatewayVisits(site, url);
  const buyer = site.visitor();
  await buyer.open(url);
  await buyer.send('/enter', { code: code ?? '' });
  assert.ok(buyer.hasCookie('ponte-session'));
  const late = site.visitor();
  assert.match((await late.open(url)).heading, /no longer works/);
  const sent = await late.send('/link');
  assert.match(sent.path, /\?sent$/);
});

test('in live mode the dashboard session of a press is no fresh proof, and the code is', async (t) => {
  const site = await pageSite(t);
  const { orgId } = site.tenant;
  await openLive(site);
  const { url, code } = await scenes.member(site);
  const team = `/dashboard/${orgId}/live/team`;
  const invites = async (proof: Readonly<Record<string, string>>) => {
    const guest = site.visitor();
    await guest.open(url);
    await guest.send('/enter', proof);
    const shown = await guest.open(team);
    const csrf = formsOf(shown.text).find(({ hidden }) => hidden['csrf'] !== undefined)?.hidden;
    const fields = { ...csrf, email: 'eve@rotanorte.example', role: 'viewer' };
    return (await guest.post(`${team}/invite`, fields)).path;
  };
  assert.match(await invites({}), /^\/dashboard\/confirm/);
  assert.match(await invites({ code: code ?? '' }), /done=member_invited/);
});

const behind = (signs: string) => (url: string) => `${url}${signs}`;
const inQuery = (change: (query: string) => string) => (url: string) =>
  url.includes('?') ? url.replace(/\?(.*)$/, (_, query: string) => `?${change(query)}`) : url;

/** What programs make of a link, as people report it. All lead to the same page. */
const linkHabits = {
  // Click tracking, and the analytics of a mail provider.
  'parameters behind': (url) => `${url}${url.includes('?') ? '&' : '?'}utm_source=mail&fbclid=Iw-1`,
  'parameters in front': inQuery((query) => `mc_cid=1&mc_eid=2&${query}`),
  // devise-passwordless#66, django-magiclink#34: the source of an HTML mail.
  'an ampersand as in HTML': inQuery((query) => `utm_source=a&amp;${query}&amp;utm_medium=b`),
  // etalab/admin_api_entreprise#933: Quoted-Printable that nobody decoded.
  'an equals sign as in Quoted-Printable': inQuery((query) => query.replace('=', '=3D')),
  // vaultwarden#7401: the soft line break of a long link; browsers drop the line end itself.
  'a soft line break': inQuery((query) => `${query.slice(0, 20)}=${query.slice(20)}`),
  'a line break as a blank': inQuery((query) => `${query.slice(0, 20)}%20${query.slice(20)}`),
  'a line break, encoded': inQuery((query) => `${query.slice(0, 20)}%0D%0A${query.slice(20)}`),
  // A gateway that encodes what it rewrites, twice.
  'an encoded equals sign': inQuery((query) => query.replace('=', '%3D')),
  // From a text: "(see <https://…>)."
  'a full stop': behind('.'),
  'a bracket and a comma': behind('),'),
  'an angle bracket': behind('>'),
  'an angle bracket, encoded': behind('%3E'),
  'a quotation mark': behind('%E2%80%9D'),
  'an asterisk of bold text': behind('*'),
  'a slash of the path': (url) => url.replace(/(\?|$)/, '/$1'),
  'a blank, encoded': behind('%20'),
} as const satisfies Record<string, (url: string) => string>;

for (const kind of linkKinds) {
  test(`${kind}: a link that programs have changed leads to its page`, async (t) => {
    const site = await pageSite(t);
    const { url }: Scene = await scenes[kind](site);
    const headingAt = async (link: string) => {
      const { status, heading } = await site.visitor().open(link);
      return `${status} ${heading}`;
    };
    const right = await headingAt(url);
    for (const [habit, change] of Object.entries(linkHabits)) {
      assert.equal(await headingAt(change(url)), right, habit);
    }
    // Another token is another link.
    for (const wrong of [
      url.slice(0, -1),
      url.replace(/.$/, (sign) => (sign === '0' ? '1' : '0')),
    ]) {
      assert.notEqual(await headingAt(wrong), right, wrong);
    }
  });
}

test('a link without a token, as in a receipt, leads to its page', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const right = (await site.visitor().open(path)).heading;
  for (const [habit, change] of Object.entries(linkHabits)) {
    assert.equal((await site.visitor().open(change(path))).heading, right, habit);
  }
  // cryptpad#86: a program ends a link before the `-` at its end.
  for (let made = 0; made < 40; made += 1) {
    assert.match((await site.newPayment()).path, /^\/r\/[a-z0-9]{28}$/);
  }
});

test('the host of a link in capitals is the host of the pages', async (t) => {
  const settings = { baseUrl: 'http://api.test', payUrl: 'http://pay.test' } as const;
  const site = await pageSite(t, { settings });
  const { path } = await site.newPayment();
  const statusAt = async (host: string) => {
    const socket = connect(Number(new URL(site.origin).port), '127.0.0.1');
    socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    return (await text(socket)).split(' ', 2)[1];
  };
  assert.equal(await statusAt('pay.test'), '200');
  assert.equal(await statusAt('PAY.Test'), '200');
  assert.equal(await statusAt('api.test'), '404');
});

const noCookies = {
  en: /Your browser sent us no cookie/,
  'pt-BR': /Seu navegador não nos enviou nenhum cookie/,
  es: /Su navegador no nos envió ninguna cookie/,
} as const satisfies Record<Locale, RegExp>;

for (const kind of linkKinds) {
  test(`${kind}: a browser that refuses cookies learns why its link does not open`, async (t) => {
    const site = await pageSite(t);
    const { url, isIn }: Scene = await scenes[kind](site);
    for (const [language, reason] of Object.entries(noCookies)) {
      const shown = await site.visitor({ language, refusesCookies: true }).open(url);
      // The page of a stop link needs no session.
      if (kind === 'account') assert.ok(shown.status < 400);
      else assert.match(shown.words, reason);
    }
    const person = site.visitor();
    const shown = await person.open(url);
    assert.doesNotMatch(`${shown.path} ${shown.words}`, /cookie/);
    if (linkRules[kind].press === 'none') assert.ok(isIn(shown));
  });
}

test('a browser that refuses cookies and asks for a mail or a language learns why', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  for (const [language, reason] of Object.entries(noCookies)) {
    const visitor = site.visitor({ language, refusesCookies: true });
    for (const page of [path, '/dashboard']) {
      const sent = await visitor.post(`${page}/link`, { address: 'marina@rotanorte.example' });
      assert.match(sent.words, reason);
      const chosen = await visitor.open(`${page}?lang=${language}`);
      assert.match(chosen.words, reason);
    }
  }
});

test('what follows the first cookie is shown without a trace of the check', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const visitor = site.visitor();
  const sent = await visitor.post(`${path}/link`, {});
  assert.equal(sent.path, `${path}?sent`);
  assert.equal((await visitor.open(`${path}?lang=es`)).path, path);
});
