// The lists of BlindPay as a statement: entries, deposits that nobody ordered, pages in any order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done } from '../../../adapters/partner-kit/conformance-harness.js';
import type { EntryKind } from '../../../core/domain/deposits/book-reading.js';
import type { PartnerEntry, PartnerStatement } from '../../../core/ports/partner.js';
import {
  type BlindPayScene,
  blindPay,
  destinationAt,
  preparedPayin,
  preparedPayout,
  START_MS,
  usd,
} from '../../support/blindpay/blindpay-scene.js';

const withAccounts = { route: { bankingPartner: 'cfsb' } };

async function accountAt(scene: BlindPayScene) {
  const destinationRef = await destinationAt(scene);
  const [partyRef = ''] = destinationRef.split('.');
  const rails = { partyRef, destinationRef, key: 'key-2' };
  const { virtualAccountRef } = done(await scene.partner.provisionRails(rails));
  return { partyRef, virtualAccountId: virtualAccountRef };
}

function statementOf({ partner }: BlindPayScene): PartnerStatement {
  return partner.statement ?? assert.fail('a statement');
}

async function pagesOf(
  scene: BlindPayScene,
  kind: EntryKind,
  sinceMs = 0,
): Promise<readonly (readonly PartnerEntry[])[]> {
  const pages: (readonly PartnerEntry[])[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<PartnerStatement['page']>> = await statementOf(scene).page(
      kind,
      { sinceMs, cursor },
    );
    const { entries, nextCursor } = done(page);
    pages.push(entries);
    if (nextCursor === null) return pages;
    cursor = nextCursor;
  }
}

test('a pay-in that was ordered names the quote of its command', async (t) => {
  const scene = await blindPay(t);
  const request = await preparedPayin(scene, usd(125_000n));
  const { partnerRef } = done(await scene.partner.payin.start(request));
  scene.pass(60_000);
  const { customerId, quoteId } = JSON.parse(request) as Record<string, string>;
  const entry = done(await statementOf(scene).read('payin', partnerRef));
  assert.deepEqual(entry, {
    kind: 'payin',
    partnerRef,
    reference: null,
    partyRef: customerId,
    partnerQuoteId: `${customerId}.${quoteId}`,
    status: 'completed',
    amount: usd(125_000n),
    createdAtMs: START_MS + 60_000,
    transactionHash: entry.transactionHash,
    asset: entry.asset,
    payer: { name: null, bank: null, texts: entry.payer?.texts, trace: null },
  });
  assert.match(entry.transactionHash ?? '', /^0x[0-9a-f]{64}$/);
  assert.deepEqual(await pagesOf(scene, 'payin'), [[entry]]);
});

test('a deposit is a pay-in with its payer, and with no quote of ours', async (t) => {
  const scene = await blindPay(t, withAccounts);
  const { partyRef, virtualAccountId } = await accountAt(scene);
  const partnerRef = scene.server.state.deposit({
    virtualAccountId,
    amountMinor: 125_000,
    description: 'INV-7 thanks',
    trace: '0210001',
    sender: { name: 'Ana Buyer', bank: 'First Bank' },
    isQuoted: false,
  });
  const entry = done(await statementOf(scene).read('payin', partnerRef));
  assert.deepEqual(entry, {
    kind: 'payin',
    partnerRef,
    reference: null,
    partnerQuoteId: null,
    partyRef,
    status: 'open',
    amount: usd(125_000n),
    createdAtMs: scene.nowMs,
    transactionHash: null,
    asset: null,
    payer: { name: 'Ana Buyer', bank: 'First Bank', texts: ['INV-7 thanks'], trace: '0210001' },
  });
  scene.pass(60_000);
  const later = done(await statementOf(scene).read('payin', partnerRef));
  const { transactionHash } = later;
  assert.deepEqual(later, { ...entry, status: 'completed', transactionHash });
  const events = scene.server.state.messages
    .map(({ text }) => JSON.parse(text) as Record<string, unknown>)
    .filter(({ id }) => id === partnerRef);
  assert.deepEqual(
    events.map((message) => [message['webhook_event'], message['status']]),
    [
      ['payin.new', 'processing'],
      ['payin.update', 'processing'],
      ['payin.complete', 'completed'],
    ],
  );
  assert.ok(events.every((message) => !('payin_quote_id' in message)));
  const quoted = scene.server.state.deposit({ virtualAccountId, amountMinor: 66_600 });
  scene.pass(60_000);
  const failed = done(await statementOf(scene).read('payin', quoted));
  assert.partialDeepStrictEqual(failed, { status: 'failed', payer: null });
  const quotes = scene.server.state.payinQuotes.map(({ id }) => `${partyRef}.${id}`);
  assert.ok(failed.partnerQuoteId !== null && !quotes.includes(failed.partnerQuoteId));
});

test('with a virtual account, pay-ins show its own numbers', async (t) => {
  const scene = await blindPay(t, withAccounts);
  const destination = await destinationAt(scene);
  const [partyRef = ''] = destination.split('.');
  done(
    await scene.partner.provisionRails({
      partyRef,
      destinationRef: destination,
      key: 'key-2',
    }),
  );
  const quote = done(await scene.partner.quote({ source: usd(125_000n), destination }));
  const input = { reference: 'reference-1', quote, payerEmail: 'buyer@example.com' };
  const request = done(await scene.partner.payin.prepare(input));
  const { instructions } = done(await scene.partner.payin.start(request));
  const account = scene.server.state.virtualAccounts[0]?.['us'] as { account_number: string };
  const numbers = instructions?.rails[0]?.fields.find(({ name }) => name === 'accountNumber');
  assert.equal(numbers?.value, account.account_number);
});

test('a payout names our reference, the amount it pays out, and what the seller got', async (t) => {
  const scene = await blindPay(t);
  const request = await preparedPayout(scene, usd(125_000n));
  const { partnerRef } = done(await scene.partner.payout.start(request));
  const open = done(await statementOf(scene).read('payout', partnerRef));
  assert.partialDeepStrictEqual(open, {
    kind: 'payout',
    partnerRef,
    reference: 'reference-2',
    partnerQuoteId: null,
    status: 'open',
    amount: usd(125_000n),
    payer: null,
    settled: null,
    fxRate: null,
  });
  scene.pass(60_000);
  const report = done(await scene.partner.payout.read(partnerRef));
  const { settled, fxRate } = report;
  assert.ok(settled !== null);
  assert.deepEqual(await pagesOf(scene, 'payout'), [
    [{ ...open, status: 'completed', settled, fxRate }],
  ]);
});

/** One a minute, in pages of three. */
async function deposited(t: Parameters<typeof blindPay>[0], count: number) {
  const scene = await blindPay(t, withAccounts);
  const { virtualAccountId } = await accountAt(scene);
  scene.server.state.pageMax = 3;
  const refs: string[] = [];
  const add = () => {
    scene.pass(60_000);
    refs.push(scene.server.state.deposit({ virtualAccountId, amountMinor: 1_000 }));
  };
  for (let at = 0; at < count; at += 1) add();
  const pageCalls = () =>
    scene.server.calls.filter(({ method, path }) => `${method} ${path}` === 'GET /payins').length;
  return { scene, refs, add, pageCalls };
}

test('a completed payout without an amount is left out of its page', async (t) => {
  const scene = await blindPay(t);
  const request = await preparedPayout(scene, usd(125_000n));
  const { partnerRef } = done(await scene.partner.payout.start(request));
  scene.pass(60_000);
  const [payout] = scene.server.state.payouts;
  assert.ok(payout !== undefined);
  Object.assign(payout, { receiver_amount: null });
  const page = done(await statementOf(scene).page('payout', { sinceMs: 0, cursor: null }));
  const unreadable = [{ partnerRef, reason: 'the payout has no amounts' }];
  assert.deepEqual(page, { entries: [], unreadable, nextCursor: null });
});

test('an entry of another form is left out of its page, and the others are listed', async (t) => {
  const { scene, refs } = await deposited(t, 3);
  const [first] = scene.server.state.payins;
  assert.ok(first !== undefined);
  Object.assign(first, { sender_amount: 'none' });
  const pageSince = async (sinceMs: number) =>
    done(await statementOf(scene).page('payin', { sinceMs, cursor: null }));
  const { entries, unreadable } = await pageSince(0);
  assert.deepEqual(entries.map(({ partnerRef }) => partnerRef).sort(), refs.slice(1).sort());
  assert.deepEqual(unreadable, [{ partnerRef: refs[0], reason: 'another form: sender_amount' }]);
  assert.deepEqual((await pageSince(scene.nowMs)).unreadable, [], 'it is before the start');
});

test('all pages are read in any order of the list; only from new to old they end early', async (t) => {
  for (const listOrder of ['newest first', 'oldest first', 'mixed'] as const) {
    const { scene, refs, pageCalls } = await deposited(t, 30);
    scene.server.state.listOrder = listOrder;
    const all = (await pagesOf(scene, 'payin')).flat();
    assert.deepEqual(all.map(({ partnerRef }) => partnerRef).sort(), refs.toSorted(), listOrder);
    assert.equal(pageCalls(), 10);
    const sinceMs = scene.nowMs - 90_000;
    const since = (await pagesOf(scene, 'payin', sinceMs)).flat();
    assert.deepEqual(
      since.map(({ partnerRef }) => partnerRef).sort(),
      refs.slice(-2).toSorted(),
      listOrder,
    );
    assert.equal(pageCalls() - 10, listOrder === 'newest first' ? 4 : 10, listOrder);
  }
});

test('entries of one time prove no command', async (t) => {
  const scene = await blindPay(t, withAccounts);
  const { virtualAccountId } = await accountAt(scene);
  const { state } = scene.server;
  state.pageMax = 3;
  for (let at = 0; at < 4; at += 1) state.deposit({ virtualAccountId, amountMinor: 1_000 });
  scene.pass(60_000);
  const last = state.deposit({ virtualAccountId, amountMinor: 1_000 });
  state.listOrder = 'oldest first';
  const found = (await pagesOf(scene, 'payin', scene.nowMs)).flat();
  assert.deepEqual(
    found.map(({ partnerRef }) => partnerRef),
    [last],
  );
});

test('an entry that comes between two pages doubles and hides none', async (t) => {
  const { scene, refs, add } = await deposited(t, 5);
  const seen: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<PartnerStatement['page']>> = await statementOf(scene).page(
      'payin',
      { sinceMs: 0, cursor },
    );
    const { entries, nextCursor } = done(page);
    seen.push(...entries.map(({ partnerRef }) => partnerRef));
    if (cursor === null) add();
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  assert.deepEqual(seen.toSorted(), refs.slice(0, 5).toSorted());
});

test('a cursor that is none of ours, and an unknown id, are refused', async (t) => {
  const scene = await blindPay(t);
  const statement = statementOf(scene);
  for (const cursor of ['', 'x', 'pi_1.2.rising', 'pi_1.now.falling', 'pi/1.2.falling']) {
    assert.equal((await statement.page('payin', { sinceMs: 0, cursor })).outcome, 'refused');
  }
  assert.equal((await statement.read('payin', 'pi_none')).outcome, 'refused');
  assert.equal((await statement.read('payout', '../customers')).outcome, 'refused');
});

test('a list that cannot be read is tried again', async (t) => {
  const scene = await blindPay(t);
  for (const fault of ['500 before', '403 page', 'cut before', '429'] as const) {
    scene.server.failNext('GET /payins', fault);
    const page = await statementOf(scene).page('payin', { sinceMs: 0, cursor: null });
    assert.equal(page.outcome, 'later', fault);
    scene.pass(10_000);
  }
});
