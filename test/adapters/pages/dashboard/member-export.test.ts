// The export of a list as CSV: exactly the filtered rows, safe in a spreadsheet, in the audit log,
// and with a fresh proof of the mailbox if it is long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvHeader } from '../../../../adapters/pages/dashboard/payment-csv.js';
import { UNPROVEN_ROWS_MAX } from '../../../../adapters/pages/dashboard/payment-export-pages.js';
import { plainCsv } from '../../../../adapters/pages/kit/csv-line.js';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { auditFeed } from '../../../../core/domain/service/audit-record.js';
import { aBarePayment, someFunds } from '../../../support/samples/domain-samples.js';
import { makeInvoice } from '../../../support/scenes/made-payments.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { pageSite, type Visitor } from '../visitor.js';
import { fillDashboard, rootOf, signedInAs } from './dashboard-site.js';

const site = await pageSite(suiteEnd(), { payins: 'wait' });
await fillDashboard(site);
const finance = await signedInAs(site, 'finance');
const root = rootOf(site);

async function exported(
  visitor: Visitor,
  query: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> {
  await visitor.open(`${root}/payments/export${query}`);
  return (await visitor.send(`/export${query}`, fields)).text;
}

/** The cells of each row; none of these has a quote or a line feed. */
function cellsOf(text: string): readonly (readonly string[])[] {
  return text
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split(','));
}

test('the file has exactly the rows of the list, in any language', async () => {
  const text = await exported(finance, '?status=paid&from=2030-01-04');
  const [names = [], ...rows] = cellsOf(text);
  const at = (name: string) => names.indexOf(name);
  assert.deepEqual(
    rows.map((row) => row[at('externalId')]),
    ['order-88028', 'order-88007'],
  );
  const [newest = []] = rows;
  assert.equal(newest[at('amount')], '4125.00');
  assert.equal(newest[at('currency')], 'USD');
  assert.equal(newest[at('status')], 'settled');
  assert.match(newest[at('createdAt')] ?? '', /^2030-01-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { text: again } = await (async () => {
    await finance.open(`${root}/payments/export?lang=pt-BR`);
    return { text: await exported(finance, '?status=paid&from=2030-01-04') };
  })();
  assert.equal(again, text, 'the language changes nothing');
  assert.match((await finance.open(`${root}/payments?status=paid`)).text, /export\?status=paid/);
  await finance.open(`${root}/payments/export?lang=en`);
});

test('the answer is a file that no cache keeps, with a mark for Excel if it is asked for', async () => {
  const plain = await exported(finance, '?q=order-88007');
  assert.ok(plain.startsWith(csvHeader(plainCsv)));
  assert.match(finance.shown?.headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/);
  const name = finance.shown?.headers.get('content-disposition') ?? '';
  assert.match(name, /^attachment; filename="payments-test-2030-\d\d-\d\d\.csv"$/);
  assert.equal(finance.shown?.headers.get('cache-control'), 'no-store');
  await finance.open(`${root}/payments/export?q=order-88007`);
  const [form] = [finance.shown?.text ?? ''];
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(form) ?? [];
  const body = new URLSearchParams({ csrf, bom: 'yes' }).toString();
  const path = `${root}/payments/export?q=order-88007`;
  const marked = new Uint8Array(await (await finance.request('POST', path, body)).arrayBuffer());
  assert.deepEqual([...marked.slice(0, 3)], [0xef, 0xbb, 0xbf]);
  const [head] = new TextDecoder().decode(marked).split('\r\n');
  assert.equal(`${head}\r\n`, csvHeader(plainCsv));
});

test('no cell begins like a formula, and quotes are doubled', async () => {
  const { deps } = site.world;
  const cells = ['=1+1', '+55 11', '-2', '@SUM(A1)', '\tx', '\rx', 'say "hi", twice\r\nor more'];
  for (const number of cells) {
    await makeInvoice(deps, site.tenant, { number, externalId: 'formulas' }).catch(() => undefined);
    await makeInvoice(deps, site.tenant, { number, metadata: '{"x": "=1"}' });
  }
  const text = await exported(finance, '?origin=invoice');
  for (const safe of [`,'=1+1,`, `,'+55 11,`, `,'-2,`, `,'@SUM(A1),`, `,'\tx,`, `,"'\rx",`]) {
    assert.ok(text.includes(safe), safe);
  }
  assert.ok(text.includes('"say ""hi"", twice\r\nor more"'));
  assert.ok(text.includes('"{""x"": ""=1""}"'));
  assert.doesNotMatch(text, /(^|,|\r\n)"?[=+@\t-]/);
});

test('more than 1,000 rows need a fresh proof, and come whole in pages', async (t) => {
  const own = await pageSite(t);
  const { deps } = own.world;
  const rows = UNPROVEN_ROWS_MAX + 5;
  const many = Array.from({ length: rows }, (_, at) => `${at}`.padStart(5, '0'));
  for (let from = 0; from < rows; from += 500) {
    await deps.store.run(async (tx) => {
      for (const at of many.slice(from, from + 500)) {
        const id = `pi_0000000001${at}`;
        tx.payments.insert(
          aBarePayment({ ...own.tenant, id, publicId: id, externalId: `order-${at}` }),
        );
        tx.funds.put(someFunds({ ...own.tenant, paymentId: id }));
      }
    });
  }
  const visitor = await signedInAs(own, 'finance');
  own.world.advanceClock(30 * MINUTE_MS);
  const path = `${rootOf(own)}/payments/export`;
  await visitor.open(`${path}?from=1960-01-01`);
  const refused = await visitor.send('/export?from=1960-01-01');
  assert.equal(refused.path, '/dashboard/confirm', 'the session is not fresh');
  const sent = await deps.store.run((tx) => tx.feed.head(auditFeed));
  const fresh = await signedInAs(own, 'finance');
  await fresh.open(`${path}?from=1960-01-01`);
  const shown = await fresh.send('/export?from=1960-01-01');
  assert.equal(shown.path, `${path}/all?from=1960-01-01`);
  const { text } = await fresh.send('/all?from=1960-01-01');
  const found = [...text.matchAll(/order-\d+/g)].map(([name]) => name);
  assert.deepEqual(found, many.map((at) => `order-${at}`).toReversed(), 'newest first, each once');
  const [ended, begun] = await own.world.audit(own.tenant.orgId);
  assert.deepEqual(ended?.exported, { filter: 'from=1960-01-01', rows });
  assert.deepEqual(begun?.exported, { filter: 'from=1960-01-01', rows: null });
  assert.ok((begun?.sequence ?? 0) > (sent?.sequence ?? 0));
});

test('a download that its reader leaves has an entry of the rows that were sent', async (t) => {
  const own = await pageSite(t);
  for (let at = 0; at < 3; at += 1) await own.newPayment({ externalId: `order-${at}` });
  const visitor = await signedInAs(own, 'owner');
  await visitor.open(`${rootOf(own)}/payments/export/all`);
  const { csrf } = visitor;
  const body = new URLSearchParams({ csrf }).toString();
  const response = await visitor.request('POST', `${rootOf(own)}/payments/export/all`, body);
  await response.body?.cancel();
  const [entry] = await own.world.audit(own.tenant.orgId);
  assert.notEqual(entry?.exported, null);
});

test('a member exports 20 times an hour', async (t) => {
  const own = await pageSite(t);
  const visitor = await signedInAs(own, 'owner');
  const path = `${rootOf(own)}/payments/export`;
  for (let at = 0; at < 20; at += 1) {
    await visitor.open(path);
    assert.equal((await visitor.send('/export')).status, 200);
  }
  await visitor.open(path);
  assert.equal((await visitor.send('/export')).status, 429);
  own.world.advanceClock(4 * MINUTE_MS);
  await visitor.open(path);
  assert.equal((await visitor.send('/export')).status, 200);
});
