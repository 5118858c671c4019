// Rules about commands of money: pay-ins, payouts and refunds, each brought to its end.
import assert from 'node:assert/strict';
import { money, parseRate } from '../../core/domain/base/money.js';
import type { Asset } from '../../core/domain/commands/asset.js';
import type { Payer } from '../../core/domain/commands/payer.js';
import { QUOTE_EXPIRED } from '../../core/domain/commands/quote.js';
import type { PayinInput } from '../../core/ports/partner.js';
import {
  destinationOf,
  done,
  finalReport,
  type PartnerTraits,
  preparedPayout,
  type RuleCheck,
  STEPS_MAX,
  startedPayin,
} from './conformance-harness.js';

export function commandRules(traits: PartnerTraits, check: RuleCheck): void {
  payinRules(traits, check);
  payoutRules(traits, check);
  refundRules(traits, check);
}

function payinRules(traits: PartnerTraits, check: RuleCheck): void {
  check('a pay-in is open, then completed with everything received', async (harness) => {
    const { partner } = harness;
    const amount = traits.amounts.fine;
    const partnerRef = await startedPayin(harness, amount);
    const first = done(await partner.payin.read(partnerRef));
    assert.ok(first.status === 'open' || first.status === 'completed');
    const report = await finalReport(harness, () => partner.payin.read(partnerRef));
    assert.equal(report.status, 'completed');
    assert.deepEqual(report.received, amount);
    assert.ok(report.transactionHash);
    checkAsset(report.asset ?? null);
    checkPayer(report.payer ?? null);
    assert.equal(report.reason, null);
  });

  check('a failed pay-in is reported with a reason and without money', async (harness) => {
    const { partner } = harness;
    const partnerRef = await startedPayin(harness, traits.amounts.payinFails);
    const report = await finalReport(harness, () => partner.payin.read(partnerRef));
    assert.equal(report.status, 'failed');
    assert.equal(report.received.amountMinor, 0n);
    assert.ok(report.reason);
  });

  check('a pay-in that was started is known after a restart', async (harness) => {
    const partnerRef = await startedPayin(harness, traits.amounts.fine);
    const partner = harness.restarted();
    const report = await finalReport(harness, () => partner.payin.read(partnerRef));
    assert.equal(report.status, 'completed');
  });

  check('a pay-in of an expired quote is refused as quote_expired', async (harness) => {
    const { partner } = harness;
    const destination = await destinationOf(harness);
    const source = traits.amounts.fine;
    const quote = done(await partner.quote({ source, destination }));
    while (harness.nowMs() < quote.expiresAtMs) await harness.step();
    const input: PayinInput = { reference: 'cmd_late', quote, payerEmail: 'buyer@example.com' };
    const prepared = await partner.payin.prepare(input);
    const answer =
      prepared.outcome === 'done' ? await partner.payin.start(prepared.value) : prepared;
    assert.equal(answer.outcome === 'refused' ? answer.code : answer.outcome, QUOTE_EXPIRED);
  });

  check('unknown ids and requests that nobody prepared are refused', async ({ partner }) => {
    for (const ref of ['', 'nothing', 'fake_payin_AAAA']) {
      assert.equal((await partner.party.read(ref)).outcome, 'refused', ref);
      assert.equal((await partner.payin.read(ref)).outcome, 'refused', ref);
      assert.equal((await partner.payout.read(ref)).outcome, 'refused', ref);
      assert.equal((await partner.refund.read(ref)).outcome, 'refused', ref);
    }
    for (const request of unprepared) {
      assert.equal((await partner.payin.start(request)).outcome, 'refused', request);
      assert.equal((await partner.payout.start(request)).outcome, 'refused', request);
    }
  });

  check('a look-up of a request that another adapter prepared is no absence', async (harness) => {
    const { party, payin, payout, refund } = harness.partner;
    for (const request of unprepared) {
      for (const { find } of [party, payin, payout, refund]) {
        assert.equal((await find(request)).outcome, 'later', request);
      }
    }
  });
}

const unprepared = ['', '{}', 'null', '[', '{"kind":"payin"}', '{"kind":"refund","mode":"test"}'];

function payoutRules(traits: PartnerTraits, check: RuleCheck): void {
  check('a completed payout reports BRL, rate, fees and the PIX id', async (harness) => {
    const { partner } = harness;
    const amount = traits.amounts.fine;
    const request = await preparedPayout(harness, amount);
    const { partnerRef } = done(await partner.payout.start(request));
    const report = await finalReport(harness, () => partner.payout.read(partnerRef));
    assert.equal(report.status, 'completed');
    assert.equal(report.settled?.currency, 'BRL');
    assert.ok(report.settled.amountMinor > 0n);
    assert.notEqual(parseRate(report.fxRate ?? ''), null);
    assert.equal(report.fees?.currency, amount.currency);
    assert.ok(report.fees.amountMinor >= 0n && report.fees.amountMinor < amount.amountMinor);
    assert.match(report.endToEndId ?? '', /^E[0-9]{20}[A-Za-z0-9]{11}$/);
    checkAsset(report.asset ?? null);
  });

  check('a failed payout stays failed and reports no amounts', async (harness) => {
    const { partner } = harness;
    const request = await preparedPayout(harness, traits.amounts.payoutFails);
    const { partnerRef } = done(await partner.payout.start(request));
    await finalReport(harness, () => partner.payout.read(partnerRef));
    for (let count = 0; count < STEPS_MAX; count += 1) await harness.step();
    const report = done(await partner.payout.read(partnerRef));
    assert.equal(report.status, 'failed');
    assert.ok(report.reason);
    const { settled, fxRate, fees, endToEndId } = report;
    assert.deepEqual([settled, fxRate, fees, endToEndId], [null, null, null, null]);
  });

  check('a failed payout whose money came back is reported as returned', async (harness) => {
    const { partner } = harness;
    const request = await preparedPayout(harness, traits.amounts.payoutReturns);
    const { partnerRef } = done(await partner.payout.start(request));
    const seen = new Set<string>();
    for (let count = 0; count < STEPS_MAX; count += 1) {
      seen.add(done(await partner.payout.read(partnerRef)).status);
      await harness.step();
    }
    assert.equal([...seen].at(-1), 'returned');
    assert.ok(!seen.has('completed'));
  });

  check('a payout to an unknown destination is refused', async ({ partner }) => {
    const amount = traits.amounts.fine;
    const input = {
      reference: 'cmd_x',
      amount,
      destination: 'nowhere',
      payinRefs: [],
      quote: null,
    };
    const prepared = await partner.payout.prepare(input);
    const answer =
      prepared.outcome === 'done' ? await partner.payout.start(prepared.value) : prepared;
    assert.equal(answer.outcome, 'refused');
  });
}

function refundRules(traits: PartnerTraits, check: RuleCheck): void {
  check('a pay-in is refunded once per request, or refunds are refused', async (harness) => {
    const { partner } = harness;
    const amount = traits.amounts.fine;
    const payinRef = await startedPayin(harness, amount);
    await finalReport(harness, () => partner.payin.read(payinRef));
    const prepared = await partner.refund.prepare({ reference: 'cmd_refund', payinRef, amount });
    if (!traits.refunds) {
      assert.equal(prepared.outcome, 'refused');
      return;
    }
    const request = done(prepared);
    const started = done(await partner.refund.start(request));
    assert.deepEqual(done(await partner.refund.start(request)), started);
    assert.deepEqual(done(await partner.refund.find(request)), started);
    const report = await finalReport(harness, () => partner.refund.read(started.partnerRef));
    assert.deepEqual(report, { status: 'completed', amount, reason: null });
  });

  check('no more is refunded than the pay-in brings', async (harness) => {
    if (!traits.refunds) return;
    const { partner } = harness;
    const { amountMinor, currency } = traits.amounts.fine;
    const payinRef = await startedPayin(harness, traits.amounts.fine);
    await finalReport(harness, () => partner.payin.read(payinRef));
    const amount = money(amountMinor + 1n, currency);
    const request = await partner.refund.prepare({ reference: 'cmd_refund', payinRef, amount });
    const answer = request.outcome === 'done' ? await partner.refund.start(request.value) : request;
    assert.equal(answer.outcome, 'refused');
  });
}

function checkPayer(payer: Payer | null): void {
  for (const text of [payer?.name, payer?.bank, payer?.trace, ...(payer?.texts ?? [])]) {
    assert.notEqual(text?.trim(), '', 'what the bank does not say is null');
  }
}

/** A regulator's file takes these as they are. */
function checkAsset(asset: Asset | null): void {
  if (asset === null) return;
  assert.match(asset.token, /^[A-Za-z0-9]{2,16}$/);
  assert.match(asset.quantity ?? '0', /^[0-9]+(\.[0-9]{1,18})?$/);
  for (const text of [asset.network, asset.transactionHash, asset.fromWallet, asset.toWallet]) {
    assert.notEqual(text?.trim(), '', 'what is not known is null');
  }
}
