// Every list and every form that is declared, of the dashboard and of the console: the rules of
// their engine, from outside. A new one is covered when its row is in a table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consolePages } from '../../../../adapters/pages/console/console-pages.js';
import { PAGE_SIZE } from '../../../../adapters/pages/kit/pages/declared-pages.js';
import { pageRoutes } from '../../../../adapters/pages/page-routes.js';
import { DAY_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { locales } from '../../../../core/domain/base/locale.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { DEFAULT_TIME_ZONE, dayOf } from '../../../../core/domain/base/time-zone.js';
import { addMember } from '../../../../core/usecases/access/members.js';
import { audited } from '../../../../core/usecases/service/audit-log.js';
import { anAccount } from '../../../support/samples/domain-samples.js';
import { makeInvoice } from '../../../support/scenes/made-payments.js';
import type { SuiteEnd } from '../../../support/suite-end.js';
import { consoleSite, fillConsole } from '../console/console-site.js';
import {
  anyFields,
  memberToken,
  objectsOf,
  openLive,
  rootOf,
  signedInAs,
} from '../dashboard/dashboard-site.js';
import { formsOf, type PageSite, pageSite, type Shown, textOf, type Visitor } from '../visitor.js';

const lists = pageRoutes.filter(({ kind }) => kind === 'list');
const forms = pageRoutes.filter(({ kind, method }) => kind === 'form' && method === 'POST');
const operatorForms = consolePages.filter(
  ({ kind, method }) => kind === 'form' && method === 'POST',
);
const operatorLists = consolePages.filter(({ kind }) => kind === 'list');

/** Path of a row, with the names that it has. */
function pathOf(path: string, { orgId, mode }: Tenant, ids: Readonly<Record<string, string>> = {}) {
  const names: Readonly<Record<string, string>> = { orgId, mode, ...ids };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'unknown');
}

const mainOf = ({ text }: Shown) => /<main.*<\/main>/s.exec(text)?.[0] ?? assert.fail('no main');

/** Where a link of the pages of a list leads, by its text. */
function pagerLinks({ text }: Shown): ReadonlyMap<string, string> {
  const [pager = ''] = /<nav class="pager".*?<\/nav>/s.exec(text) ?? [];
  const links = [...pager.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs)];
  return new Map(links.map(([, href = '', inner = '']) => [textOf(inner), unescaped(href)]));
}

const unescaped = (text: string) => text.replaceAll('&amp;', '&');

/** The first cells of the rows of a table. */
function rowsOf(shown: Shown): readonly string[] {
  return [...mainOf(shown).matchAll(/<tbody>(.*?)<\/tbody>/gs)].flatMap(([, body = '']) =>
    [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) => row),
  );
}

/** A site with more of everything than one page of a list shows. */
async function fullSite(t: SuiteEnd): Promise<PageSite> {
  const site = await pageSite(t);
  const { world, tenant } = site;
  for (let index = 0; index <= 2 * PAGE_SIZE; index += 1) {
    const author = { orgId: tenant.orgId, actor: { kind: 'key', id: `key_${index}` } } as const;
    const deps = audited(world.deps, { ...author, action: `step ${index}` });
    const member = { email: `m${index}@x.example`, role: 'viewer' } as const;
    await addMember(deps, { orgId: tenant.orgId, ...member });
    await world.newPayment(tenant, { externalId: `order-${index}` });
    await makeInvoice(world.deps, tenant, { externalId: `invoice-${index}` });
  }
  await world.deps.store.run(async (tx) => {
    for (let index = 0; index <= 2 * PAGE_SIZE; index += 1) {
      const id = `acct_${String(index).padStart(3, '0')}`;
      tx.accounts.insert(anAccount({ ...tenant, id, externalId: null }));
    }
  });
  return site;
}

test('there are declared lists and forms of members and of operators', () => {
  assert.deepEqual(lists.map(({ path }) => path.split('/').at(-1)).toSorted(), [
    'activity',
    'events',
    'invoices',
    'payments',
    'sellers',
  ]);
  assert.ok(forms.length >= 11);
  assert.ok(operatorForms.length >= 2);
  assert.ok(operatorLists.length >= 2);
});

test('a list without rows says so, and has no other page', async (t) => {
  const site = await pageSite(t);
  const orgId = await site.world.organization({ sandboxKyb: false });
  const visitor = await signedInAs(site, 'owner', orgId);
  for (const row of lists) {
    const shown = await visitor.open(pathOf(row.path, { orgId, mode: 'test' }));
    assert.equal(shown.status, 200, row.path);
    // The audit log has the organization itself.
    const isEmpty = rowsOf(shown).length === 0;
    const hasEntries = row.path.endsWith('/activity') && (await entriesOf(site, orgId)) > 0;
    assert.equal(isEmpty, !hasEntries, row.path);
    assert.equal(/<div class="card empty"><h2>[^<]+<\/h2><p>/.test(shown.text), isEmpty, row.path);
    assert.equal(pagerLinks(shown).size, 0, row.path);
  }
});

async function entriesOf({ world }: PageSite, orgId: string): Promise<number> {
  return (await world.audit(orgId)).length;
}

test('what no page says of filters and pages is left out', async (t) => {
  const site = await fullSite(t);
  const visitor = await signedInAs(site, 'owner');
  for (const row of lists) {
    const path = pathOf(row.path, site.tenant);
    const plain = mainOf(await visitor.open(path));
    for (const before of ['0', '-1', '1e9', 'x', '<b>', `acct_${'0'.repeat(65)}`, '9'.repeat(16)]) {
      const days = { settledFrom: '2027-02-30', dueFrom: '31/03/2027', from: 'x' };
      const others = { type: 'none', kind: '<i>', status: 'x', ...days };
      const query = new URLSearchParams({ before, ...others });
      const shown = await visitor.open(`${path}?${query}`);
      assert.equal(shown.status, 200);
      assert.equal(mainOf(shown), plain, `${path}?${query}`);
    }
  }
});

/** The rows of this page of a list, and of all to which the link of this text leads. */
async function rowsFrom(visitor: Visitor, start: string, link: string) {
  const pages: (readonly string[])[] = [];
  for (let path: string | undefined = start; path !== undefined; ) {
    const shown = await visitor.open(path);
    pages.push(rowsOf(shown));
    path = pagerLinks(shown).get(link);
  }
  return pages;
}

test('the pages of a list have each row once, there and back, and lead to the newest', async (t) => {
  const site = await fullSite(t);
  const visitor = await signedInAs(site, 'owner');
  for (const row of lists) {
    const path = pathOf(row.path, site.tenant);
    const there = await rowsFrom(visitor, path, 'Older');
    assert.ok(there.length > 2, path);
    assert.ok(there.slice(0, -1).every(({ length }) => length === PAGE_SIZE));
    assert.equal(new Set(there.flat()).size, there.flat().length, path);
    const last = visitor.shown ?? assert.fail();
    if (pagerLinks(last).has('Newer')) {
      const back = await rowsFrom(visitor, last.path, 'Newer');
      assert.deepEqual(back.toReversed().flat(), there.flat(), path);
    }
    const newest = await visitor.open(pagerLinks(last).get('Newest') ?? '');
    assert.deepEqual(rowsOf(newest), there[0], path);
    assert.deepEqual([...pagerLinks(newest).keys()], ['Older'], path);
  }
});

test('a page is in the language of its reader, and another one keeps its query', async (t) => {
  const { site, ids } = await formSite(t);
  const cookie = `ponte-member=${await memberToken(site, 'owner')}`;
  const query = 'q=a+b&subject=c&before=5';
  for (const locale of locales) {
    const visitor = site.visitor({ headers: { cookie, 'accept-language': locale } });
    for (const row of [...lists, ...forms]) {
      const path = pathOf(row.path, site.tenant, ids);
      const { text } = await visitor.open(`${path}?${query}&done=cancelled`);
      assert.match(text, new RegExp(`<html lang="${locale}">`), path);
      if (row.kind !== 'list') continue;
      const [, href = ''] = /href="(\?[^"]*lang=[^"]*)"/.exec(text) ?? [];
      const { headers } = await visitor.request('GET', `${path}${unescaped(href)}`);
      assert.equal(headers.get('location'), `${path}?${query}`);
    }
  }
});

test('each choice of a filter keeps the filter in the links of its pages and its form', async (t) => {
  const site = await fullSite(t);
  const visitor = await signedInAs(site, 'owner');
  for (const row of lists) {
    const path = pathOf(row.path, site.tenant);
    const { text } = await visitor.open(path);
    const options = [...text.matchAll(/<select [^>]*name="(\w+)".*?<\/select>/gs)].flatMap(
      ([select, name = '']) =>
        [...select.matchAll(/<option value="([^"]+)"/g)].map(([, value = '']) => ({ name, value })),
    );
    const tabs = [...text.matchAll(/<a href="[^"]*\/\w+\?(status)=(\w+)"/g)];
    const chosen = [...options, ...tabs.map(([, name = '', value = '']) => ({ name, value }))];
    assert.ok(chosen.length > 0, path);
    for (const { name, value } of chosen) {
      const shown = await visitor.open(`${path}?${new URLSearchParams({ [name]: value })}`);
      const isMarked =
        shown.text.includes(`<option value="${value}" selected`) ||
        new RegExp(`\\?${name}=${value}" aria-current="true"`).test(shown.text);
      assert.ok(isMarked, `${path}: ${name}=${value}`);
      for (const href of pagerLinks(shown).values()) {
        assert.equal(new URL(href, site.origin).searchParams.get(name), value);
      }
    }
  }
});

test('the lists of operators take no cursor that no page says', async (t) => {
  const site = await consoleSite(t);
  const visitor = await site.signedIn(site.ana);
  for (const { path } of operatorLists) {
    const plain = mainOf(await visitor.open(path));
    for (const before of ['0', '<b>', 'x y', '-1', `dec_${'0'.repeat(65)}`]) {
      const shown = await visitor.open(`${path}?${new URLSearchParams({ before })}`);
      assert.equal(mainOf(shown), plain, `${path} ${before}`);
    }
  }
});

/** The fields of the form of a page that people type. */
function typedFields(main: string): readonly string[] {
  const form = main.replace(/<form class="find".*?<\/form>/s, '');
  const controls = [...form.matchAll(/<(?:input|textarea)[^>]*>/g)].map(([control]) => control);
  const typed = controls.filter((control) => !/type="(hidden|checkbox|radio|file)"/.test(control));
  const names = typed.map((control) => /name="([^"]*)"/.exec(control)?.[1] ?? '');
  // A PIX key is typed again after each problem.
  return names.filter((name) => name !== 'pixKey' && name !== 'again');
}

const checkedRadios = /<input type="radio"[^>]* name="(\w+)" value="(\w+)" checked/g;

async function formSite(t: SuiteEnd) {
  const site = await pageSite(t);
  await openLive(site);
  const ids = await objectsOf(site, site.tenant, 'own');
  // A form that sends invoices has one.
  await makeInvoice(site.world.deps, site.tenant, { externalId: 'unsent' });
  const visitor = await signedInAs(site, 'owner');
  const open = (path: string, by: Visitor = visitor) => by.open(pathOf(path, site.tenant, ids));
  return { site, visitor, ids, open };
}

/** A page of each declared form, of members and of operators, by who may open it. */
async function formPages(t: SuiteEnd) {
  const { site, visitor } = await formSite(t);
  const ids = await objectsOf(site, site.tenant, 'shown');
  const desk = await consoleSite(t);
  await fillConsole(desk);
  const ana = await desk.signedIn(desk.ana);
  const item = { queue: 'owed', itemId: 'cmd_back' };
  return [
    ...forms.map(({ path }) => ({ visitor, path: pathOf(path, site.tenant, ids) })),
    ...operatorForms.map(({ path }) => ({ visitor: ana, path: pathOf(path, desk.tenant, item) })),
  ];
}

test('a form that is wrong is 422, names each problem, and keeps what was typed', async (t) => {
  const tried: string[] = [];
  for (const { visitor, path } of await formPages(t)) {
    const main = mainOf(await visitor.open(path));
    const names = typedFields(main);
    if (names.length === 0) continue;
    tried.push(path);
    const keyIn = (text: string) => formsOf(text).find(({ action }) => action === path)?.hidden;
    const key = keyIn(main)?.['key'];
    const long = `<b>"é${'x'.repeat(3_000)}`;
    const typed = Object.fromEntries(names.map((name) => [name, long]));
    for (const [, name = '', value = ''] of main.matchAll(checkedRadios)) typed[name] = value;
    const refused = await visitor.send(path, typed);
    assert.equal(refused.status, 422, path);
    assert.match(refused.text, /<title>Error: /, path);
    const problems = [...refused.text.matchAll(/<li><a href="#([^"]*)"[^>]*>([^<]+)<\/a><\/li>/g)];
    assert.ok(problems.length >= names.length, path);
    for (const [, id = '', text = ''] of problems) {
      assert.ok(refused.text.includes(`id="${id}"`), `${path}: ${id}`);
      assert.ok(refused.text.includes(`id="${id}-error"`), `${path}: ${id}`);
      assert.match(text, /[.!]$/, path);
    }
    for (const name of names) {
      assert.ok(
        problems.some(([, id]) => id === name),
        `${path}: ${name}`,
      );
    }
    const kept = refused.text.split(long.replace('<', '&lt;').replaceAll('"', '&quot;')).length - 1;
    assert.equal(kept, names.length, path);
    assert.equal(keyIn(mainOf(refused))?.['key'], key, path);
  }
  assert.ok(tried.length >= 8, tried.join());
});

test('a form of what must exist once needs its key, and makes it once', async (t) => {
  const { site, visitor, open } = await formSite(t);
  const tried: string[] = [];
  for (const { path } of forms) {
    const [form] = formsOf(mainOf(await open(path)));
    if (form?.hidden['key'] === undefined) continue;
    tried.push(path);
    const seller = { kind: 'business', email: 'new@seller.example' };
    const fields = { ...anyFields, ...seller, ...form.hidden };
    for (const key of ['', 'frm_1', `frm_${'z'.repeat(26)}`]) {
      assert.equal((await visitor.post(form.action, { ...fields, key })).status, 400, path);
    }
    const before = await entriesOf(site, site.tenant.orgId);
    // Two clicks, and a reload of the answer.
    const [first, second] = [visitor.copy(), visitor.copy()];
    const clicks = await Promise.all([first, second].map((one) => one.post(form.action, fields)));
    const made = await entriesOf(site, site.tenant.orgId);
    assert.ok(made > before, path);
    const shown = [...clicks, await visitor.post(form.action, fields)];
    const isRepeat = ({ path: to }: Shown) => to.endsWith('?notice=out_of_date');
    assert.equal(shown.filter(isRepeat).length, 2, path);
    assert.equal(await entriesOf(site, site.tenant.orgId), made, path);
  }
  assert.ok(tried.length >= 2);
});

test('each file of many rows has an entry before it, of its taker and what was asked', async (t) => {
  const site = await consoleSite(t);
  const { world, tenant, main } = site;
  world.advanceClock(DAY_MS);
  const id = await world.newPayment(tenant);
  await world.play(tenant, id, 'settled');
  world.advanceClock(5 * MINUTE_MS);
  const month = dayOf(DEFAULT_TIME_ZONE, world.deps.clock.nowMs()).slice(0, 7);
  const asked = { month, mode: 'test', form: 'csv', seller: '' };
  const takers = {
    member: await signedInAs(main, 'owner'),
    operator: await site.signedIn(site.ana),
  };
  const files = [...new Set([...pageRoutes, ...consolePages])].filter(
    ({ kind, limit }) => kind === 'export' || limit === 'export',
  );
  for (const { path, kind, auth } of files) {
    // This one makes a link, which has another entry.
    if (path.endsWith('/proof/link')) continue;
    assert.equal(kind, 'export', path);
    const taker = takers[auth === 'operator' ? 'operator' : 'member'];
    const home = await taker.open(auth === 'operator' ? '/operator/fx' : rootOf(main));
    const { csrf = '' } = formsOf(home.text)[0]?.hidden ?? {};
    const file = await taker.post(pathOf(path, tenant), { ...asked, csrf });
    assert.equal(file.status, 200, path);
    const entries = await world.audit();
    const [last, first] = entries.filter(({ action }) => action === path);
    assert.equal(last?.actor.kind, auth, path);
    assert.ok((last.exported?.rows ?? 0) > 0, path);
    if (first !== undefined) assert.deepEqual(first.exported, { ...last.exported, rows: null });
    assert.match(last.exported?.filter ?? '', path.includes('/payments/') ? /^$/ : RegExp(month));
  }
  assert.ok(files.length >= 6);
});

test('a form that asks before something ends leads back', async (t) => {
  const { visitor, open } = await formSite(t);
  const tried: string[] = [];
  for (const { path } of forms) {
    const shown = await open(path);
    if (!/class="btn danger"/.test(mainOf(shown)) || !/note warn/.test(mainOf(shown))) continue;
    tried.push(path);
    const [, back = ''] = /<\/button><a href="([^"]*)">/.exec(mainOf(shown)) ?? [];
    assert.equal((await visitor.open(back)).status, 200, path);
  }
  assert.ok(tried.length >= 3, tried.join());
});
