// What every settlement partner must do, whatever is behind it: a suite over the port. Which amounts
// make things go wrong, how time passes and where messages come out is each partner's harness.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Money, money, parseRate } from '../../core/domain/money.js';
import type {
  PartnerAnswer,
  PartnerFact,
  PayinOrder,
  ReceiverOrder,
  SettlementPartner,
} from '../../core/ports.js';

export interface PartnerMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface PartnerHarness {
  readonly partner: SettlementPartner;
  readonly nowMs: () => number;
  /** Lets one step of the partner's time pass: orders go on, their messages are sent. */
  readonly step: () => Promise<void>;
  /** Everything sent so far, oldest first; repeats included. */
  readonly messages: () => readonly PartnerMessage[];
  /** The same partner after a restart of our side: nothing in memory, the same settings. */
  readonly restarted: () => SettlementPartner;
  readonly close: () => Promise<void>;
}

export interface PartnerTraits {
  readonly amounts: {
    readonly fine: Money;
    readonly payinFails: Money;
    readonly payoutFails: Money;
    /** Fails first, then the money is back; or only the latter. */
    readonly payoutReturns: Money;
  };
  readonly rejected: Pick<ReceiverOrder, 'firstName' | 'lastName'>;
  readonly pixKey: string;
  readonly badPixKey: string;
  /** Whether a refund can be had by a call; if not, it is refused for good. */
  readonly refunds: boolean;
}

/** The value of an answer that must be `done`. */
export function done<T>(answer: PartnerAnswer<T>): T {
  if (answer.outcome === 'done') return answer.value;
  return assert.fail(JSON.stringify(answer));
}

/** Far more than any order takes, so that a partner that never ends one fails the test. */
const STEPS_MAX = 20;

export function testSettlementPartner(
  name: string,
  traits: PartnerTraits,
  open: () => Promise<PartnerHarness>,
): void {
  const check = (rule: string, body: (harness: PartnerHarness) => Promise<void>) =>
    test(rule, async () => {
      const harness = await open();
      try {
        await body(harness);
      } finally {
        await harness.close();
      }
    });
  describe(`settlement partner: ${name}`, () => {
    partyRules(traits, check);
    quoteRules(traits, check);
    payinRules(traits, check);
    payoutRules(traits, check);
    refundRules(traits, check);
    messageRules(traits, check);
  });
}

type Check = (rule: string, body: (harness: PartnerHarness) => Promise<void>) => unknown;

function partyRules(traits: PartnerTraits, check: Check): void {
  check('a business or an individual is approved sooner or later', async (harness) => {
    for (const entityType of ['business', 'individual'] as const) {
      const { partnerRef } = await submitted(harness, { entityType });
      const report = await ended(harness, () => harness.partner.receiver(partnerRef));
      assert.deepEqual(report, { status: 'approved', reason: null });
    }
  });

  check('a party that is rejected is told so, with a reason', async (harness) => {
    const { partnerRef } = await submitted(harness, traits.rejected);
    const report = await ended(harness, () => harness.partner.receiver(partnerRef));
    assert.equal(report.status, 'rejected');
    assert.ok(report.reason);
  });

  check('submitting the same request twice makes one party, which is found', async (harness) => {
    const { partner } = harness;
    const request = done(await partner.prepareReceiver(person({})));
    const { partnerRef } = done(await partner.submitReceiver(request));
    assert.equal(done(await partner.submitReceiver(request)).partnerRef, partnerRef);
    assert.equal(done(await partner.findReceiver(request))?.partnerRef, partnerRef);
  });

  check('a PIX destination is one per key, and no id shows the PIX key', async (harness) => {
    const { partner } = harness;
    const receiverRef = await approvedParty(harness);
    const { pixKey } = traits;
    const input = { receiverRef, pixKey, accountHolderName: 'Ana Lima', key: 'key-1' };
    const { destinationRef } = done(await partner.registerPixDestination(input));
    assert.equal(done(await partner.registerPixDestination(input)).destinationRef, destinationRef);
    const rails = { receiverRef, destinationRef, key: 'key-2' };
    const { virtualAccountRef } = done(await partner.provisionRails(rails));
    const again = done(await partner.provisionRails(rails));
    assert.equal(again.virtualAccountRef, virtualAccountRef);
    for (const ref of [destinationRef, virtualAccountRef]) assertHides(ref, pixKey);
  });

  check('a malformed or empty PIX key is refused, and not repeated', async (harness) => {
    const receiverRef = await approvedParty(harness);
    for (const pixKey of [traits.badPixKey, '']) {
      const input = { receiverRef, pixKey, accountHolderName: 'Ana Lima', key: 'key-1' };
      const answer = await harness.partner.registerPixDestination(input);
      assert.equal(answer.outcome, 'refused');
      if (pixKey !== '') assertHides(JSON.stringify(answer), pixKey);
    }
  });

  check('PIX and rails of an unknown party are refused', async ({ partner }) => {
    const receiverRef = 'nobody';
    const { pixKey } = traits;
    const input = { receiverRef, pixKey, accountHolderName: 'Ana Lima', key: 'key-1' };
    assert.equal((await partner.registerPixDestination(input)).outcome, 'refused');
    const rails = { receiverRef, destinationRef: 'nowhere', key: 'key-2' };
    assert.equal((await partner.provisionRails(rails)).outcome, 'refused');
  });
}

function quoteRules(traits: PartnerTraits, check: Check): void {
  check('a quote tells amount, fees, rate, BRL and expiry', async (harness) => {
    const destination = await destinationOf(harness, traits);
    const source = traits.amounts.fine;
    const quote = done(await harness.partner.quote({ source, destination }));
    assert.deepEqual(quote.source, source);
    assert.equal(quote.fees.currency, source.currency);
    assert.ok(quote.fees.amountMinor >= 0n && quote.fees.amountMinor < source.amountMinor);
    assert.notEqual(parseRate(quote.rate), null);
    assert.equal(quote.target.currency, 'BRL');
    assert.ok(quote.target.amountMinor > 0n);
    assert.ok(quote.expiresAtMs > harness.nowMs());
    assert.equal(quote.lockedUntilMs !== null, quote.rateKind === 'locked');
  });

  check('a currency that is not listed, or an unknown destination, is refused', async (harness) => {
    const { partner } = harness;
    const destination = await destinationOf(harness, traits);
    assert.ok(partner.currencies.includes(traits.amounts.fine.currency));
    const foreign = money(100_000n, 'XTS');
    assert.equal((await partner.quote({ source: foreign, destination })).outcome, 'refused');
    const source = traits.amounts.fine;
    assert.equal((await partner.quote({ source, destination: 'nowhere' })).outcome, 'refused');
  });
}

function payinRules(traits: PartnerTraits, check: Check): void {
  check('preparing sends nothing', async (harness) => {
    await preparedPayin(harness, traits, traits.amounts.fine);
    for (let count = 0; count < STEPS_MAX; count += 1) await harness.step();
    assert.deepEqual(payinFacts(harness), []);
  });

  check('the same request twice is one pay-in, which is found', async (harness) => {
    const { partner } = harness;
    const request = await preparedPayin(harness, traits, traits.amounts.fine);
    const started = done(await partner.startPayin(request));
    assert.ok(started.instructions.length > 0);
    assert.deepEqual(done(await partner.startPayin(request)), started);
    assert.deepEqual(done(await partner.findPayin(request)), started);
    assert.deepEqual(done(await harness.restarted().startPayin(request)), started);
  });

  check('requests of two references are two pay-ins', async (harness) => {
    const destination = await destinationOf(harness, traits);
    const source = traits.amounts.fine;
    const refs = [];
    for (const reference of ['cmd_a', 'cmd_b']) {
      const quote = done(await harness.partner.quote({ source, destination }));
      const order: PayinOrder = { reference, quote, payerEmail: 'buyer@example.com' };
      const request = done(await harness.partner.preparePayin(order));
      refs.push(done(await harness.partner.startPayin(request)).partnerRef);
    }
    assert.equal(new Set(refs).size, 2);
  });

  check('a pay-in is open, then completed with everything received', async (harness) => {
    const { partner } = harness;
    const amount = traits.amounts.fine;
    const partnerRef = await startedPayin(harness, traits, amount);
    const first = done(await partner.payin(partnerRef));
    assert.ok(first.status === 'open' || first.status === 'completed');
    const report = await ended(harness, () => partner.payin(partnerRef));
    assert.equal(report.status, 'completed');
    assert.equal(report.receivedMinor, amount.amountMinor);
    assert.ok(report.transactionHash);
    assert.equal(report.reason, null);
  });

  check('a pay-in that fails is told so, with a reason and without money', async (harness) => {
    const { partner } = harness;
    const partnerRef = await startedPayin(harness, traits, traits.amounts.payinFails);
    const report = await ended(harness, () => partner.payin(partnerRef));
    assert.equal(report.status, 'failed');
    assert.equal(report.receivedMinor, 0n);
    assert.ok(report.reason);
  });

  check('a pay-in that was started is known after a restart', async (harness) => {
    const partnerRef = await startedPayin(harness, traits, traits.amounts.fine);
    const partner = harness.restarted();
    const report = await ended(harness, () => partner.payin(partnerRef));
    assert.equal(report.status, 'completed');
  });

  check('a pay-in of an expired quote is refused as quote_expired', async (harness) => {
    const { partner } = harness;
    const destination = await destinationOf(harness, traits);
    const source = traits.amounts.fine;
    const quote = done(await partner.quote({ source, destination }));
    while (harness.nowMs() < quote.expiresAtMs) await harness.step();
    const order: PayinOrder = { reference: 'cmd_late', quote, payerEmail: 'buyer@example.com' };
    const prepared = await partner.preparePayin(order);
    const answer =
      prepared.outcome === 'done' ? await partner.startPayin(prepared.value) : prepared;
    assert.equal(answer.outcome === 'refused' ? answer.code : answer.outcome, 'quote_expired');
  });

  check('unknown ids and requests that nobody prepared are refused', async ({ partner }) => {
    for (const ref of ['', 'nothing', 'fake_payin_AAAA']) {
      assert.equal((await partner.receiver(ref)).outcome, 'refused', ref);
      assert.equal((await partner.payin(ref)).outcome, 'refused', ref);
      assert.equal((await partner.payout(ref)).outcome, 'refused', ref);
      assert.equal((await partner.refund(ref)).outcome, 'refused', ref);
    }
    for (const request of ['', '{}', 'null', '[', '{"kind":"payin"}']) {
      assert.equal((await partner.startPayin(request)).outcome, 'refused', request);
      assert.equal((await partner.startPayout(request)).outcome, 'refused', request);
    }
  });
}

function payoutRules(traits: PartnerTraits, check: Check): void {
  check('the same request twice is one payout, which is found', async (harness) => {
    const { partner } = harness;
    const request = await preparedPayout(harness, traits, traits.amounts.fine);
    const started = done(await partner.startPayout(request));
    assert.deepEqual(done(await partner.startPayout(request)), started);
    assert.deepEqual(done(await partner.findPayout(request)), started);
    assert.deepEqual(done(await harness.restarted().startPayout(request)), started);
  });

  check('a payout completes and tells BRL, rate, fees and the PIX id', async (harness) => {
    const { partner } = harness;
    const amount = traits.amounts.fine;
    const request = await preparedPayout(harness, traits, amount);
    const { partnerRef } = done(await partner.startPayout(request));
    const report = await ended(harness, () => partner.payout(partnerRef));
    assert.equal(report.status, 'completed');
    assert.equal(report.settled?.currency, 'BRL');
    assert.ok(report.settled.amountMinor > 0n);
    assert.notEqual(parseRate(report.fxRate ?? ''), null);
    assert.equal(report.fees?.currency, amount.currency);
    assert.ok(report.fees.amountMinor >= 0n && report.fees.amountMinor < amount.amountMinor);
    assert.match(report.endToEndId ?? '', /^E[0-9]{20}[A-Za-z0-9]{11}$/);
  });

  check('a payout that fails stays failed and tells no sums', async (harness) => {
    const { partner } = harness;
    const request = await preparedPayout(harness, traits, traits.amounts.payoutFails);
    const { partnerRef } = done(await partner.startPayout(request));
    await ended(harness, () => partner.payout(partnerRef));
    for (let count = 0; count < STEPS_MAX; count += 1) await harness.step();
    const report = done(await partner.payout(partnerRef));
    assert.equal(report.status, 'failed');
    assert.ok(report.reason);
    const { settled, fxRate, fees, endToEndId } = report;
    assert.deepEqual([settled, fxRate, fees, endToEndId], [null, null, null, null]);
  });

  check('money of a failed payout that came back is told as returned', async (harness) => {
    const { partner } = harness;
    const request = await preparedPayout(harness, traits, traits.amounts.payoutReturns);
    const { partnerRef } = done(await partner.startPayout(request));
    const seen = new Set<string>();
    for (let count = 0; count < STEPS_MAX; count += 1) {
      seen.add(done(await partner.payout(partnerRef)).status);
      await harness.step();
    }
    assert.equal([...seen].at(-1), 'returned');
    assert.ok(!seen.has('completed'));
  });

  check('a payout to an unknown destination is refused', async ({ partner }) => {
    const amount = traits.amounts.fine;
    const order = { reference: 'cmd_x', amount, destination: 'nowhere' };
    const prepared = await partner.preparePayout(order);
    const answer =
      prepared.outcome === 'done' ? await partner.startPayout(prepared.value) : prepared;
    assert.equal(answer.outcome, 'refused');
  });
}

function refundRules(traits: PartnerTraits, check: Check): void {
  check('a pay-in is refunded once per request, or refunds are refused', async (harness) => {
    const { partner } = harness;
    const amount = traits.amounts.fine;
    const payinRef = await startedPayin(harness, traits, amount);
    await ended(harness, () => partner.payin(payinRef));
    const prepared = await partner.prepareRefund({ reference: 'cmd_refund', payinRef, amount });
    if (!traits.refunds) {
      assert.equal(prepared.outcome, 'refused');
      return;
    }
    const request = done(prepared);
    const started = done(await partner.startRefund(request));
    assert.deepEqual(done(await partner.startRefund(request)), started);
    assert.deepEqual(done(await partner.findRefund(request)), started);
    const report = await ended(harness, () => partner.refund(started.partnerRef));
    assert.deepEqual(report, { status: 'completed', reason: null });
  });

  check('no more is refunded than the pay-in brings', async (harness) => {
    if (!traits.refunds) return;
    const { partner } = harness;
    const { amountMinor, currency } = traits.amounts.fine;
    const payinRef = await startedPayin(harness, traits, traits.amounts.fine);
    await ended(harness, () => partner.payin(payinRef));
    const amount = money(amountMinor + 1n, currency);
    const request = await partner.prepareRefund({ reference: 'cmd_refund', payinRef, amount });
    const answer = request.outcome === 'done' ? await partner.startRefund(request.value) : request;
    assert.equal(answer.outcome, 'refused');
  });
}

function messageRules(traits: PartnerTraits, check: Check): void {
  check('messages tell what asking tells, under our reference', async (harness) => {
    const { partner } = harness;
    const partnerRef = await startedPayin(harness, traits, traits.amounts.fine, 'cmd_told');
    const report = await ended(harness, () => partner.payin(partnerRef));
    await until(harness, () => payinFacts(harness).length > 0);
    const told = payinFacts(harness).filter((fact) => fact.partnerRef === partnerRef);
    assert.deepEqual(told.at(-1)?.report, report);
    for (const { reference } of told) assert.ok(reference === null || reference === 'cmd_told');
  });

  check('a message that comes twice comes under one id', async (harness) => {
    const { partner } = harness;
    const request = await preparedPayin(harness, traits, traits.amounts.fine);
    const { partnerRef } = done(await partner.startPayin(request));
    await ended(harness, () => partner.payin(partnerRef));
    await until(harness, () => payinFacts(harness).length > 0);
    const first = harness.messages();
    done(await partner.startPayin(request));
    for (let count = 0; count < STEPS_MAX; count += 1) await harness.step();
    const ids = (messages: readonly PartnerMessage[]) =>
      new Set(messages.map((message) => read(harness, message)?.messageId));
    assert.deepEqual(ids(harness.messages()), ids(first));
  });

  check('a message is genuine only as it was sent, and when it was sent', async (harness) => {
    const { partner } = harness;
    const partnerRef = await startedPayin(harness, traits, traits.amounts.fine);
    await ended(harness, () => partner.payin(partnerRef));
    await until(harness, () => harness.messages().length > 0);
    const message = harness.messages().at(-1);
    assert.ok(message !== undefined);
    const { headers, body } = message;
    const nowMs = harness.nowMs();
    assert.notEqual(partner.readInbound(headers, body, nowMs), null);
    for (let at = 0; at < body.length; at += 1) {
      const changed = Uint8Array.from(body);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.equal(partner.readInbound(headers, changed, nowMs), null, `byte ${at}`);
    }
    for (const signed of ['svix-id', 'svix-timestamp', 'svix-signature']) {
      const changed = { ...headers, [signed]: `${headers[signed]}1` };
      assert.equal(partner.readInbound(changed, body, nowMs), null, signed);
      const missing = { ...headers, [signed]: undefined };
      assert.equal(partner.readInbound(missing, body, nowMs), null, signed);
    }
    assert.equal(partner.readInbound(headers, body, nowMs + 3_600_000), null);
    assert.equal(partner.readInbound(headers, body, nowMs - 3_600_000), null);
    assert.equal(partner.readInbound({}, new Uint8Array([255, 0]), nowMs), null);
  });
}

function person(fields: Partial<ReceiverOrder>): ReceiverOrder {
  return {
    reference: 'cmd_party',
    entityType: 'individual',
    email: 'buyer@example.com',
    firstName: 'Ana',
    lastName: 'Lima',
    legalName: fields.entityType === 'business' ? 'Lima Ltda' : null,
    country: 'BR',
    ...fields,
  };
}

async function submitted({ partner }: PartnerHarness, fields: Partial<ReceiverOrder>) {
  const request = done(await partner.prepareReceiver(person(fields)));
  return done(await partner.submitReceiver(request));
}

async function approvedParty(harness: PartnerHarness): Promise<string> {
  const { partnerRef } = await submitted(harness, { entityType: 'business' });
  await ended(harness, () => harness.partner.receiver(partnerRef));
  return partnerRef;
}

async function destinationOf(harness: PartnerHarness, { pixKey }: PartnerTraits): Promise<string> {
  const receiverRef = await approvedParty(harness);
  const input = { receiverRef, pixKey, accountHolderName: 'Ana Lima', key: 'key-1' };
  return done(await harness.partner.registerPixDestination(input)).destinationRef;
}

async function preparedPayin(
  harness: PartnerHarness,
  traits: PartnerTraits,
  source: Money,
  reference = 'cmd_payin',
): Promise<string> {
  const destination = await destinationOf(harness, traits);
  const quote = done(await harness.partner.quote({ source, destination }));
  const order: PayinOrder = { reference, quote, payerEmail: 'buyer@example.com' };
  return done(await harness.partner.preparePayin(order));
}

async function startedPayin(
  harness: PartnerHarness,
  traits: PartnerTraits,
  source: Money,
  reference = 'cmd_payin',
): Promise<string> {
  const request = await preparedPayin(harness, traits, source, reference);
  return done(await harness.partner.startPayin(request)).partnerRef;
}

async function preparedPayout(
  harness: PartnerHarness,
  traits: PartnerTraits,
  amount: Money,
): Promise<string> {
  const destination = await destinationOf(harness, traits);
  const order = { reference: 'cmd_payout', amount, destination };
  return done(await harness.partner.preparePayout(order));
}

/** The first report that is no longer `open` or `verifying`. */
async function ended<R extends { readonly status: string }>(
  harness: PartnerHarness,
  ask: () => Promise<PartnerAnswer<R>>,
): Promise<R> {
  let report = done(await ask());
  await until(harness, async () => {
    report = done(await ask());
    return report.status !== 'open' && report.status !== 'verifying';
  });
  return report;
}

async function until(
  harness: PartnerHarness,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  for (let count = 0; count < STEPS_MAX; count += 1) {
    if (await isSo()) return;
    await harness.step();
  }
  assert.fail(`not so after ${STEPS_MAX} steps`);
}

function read(harness: PartnerHarness, { headers, body }: PartnerMessage) {
  // Read as of its own time: the test may have let much time pass since.
  const sentAtMs = Number.parseInt(headers['svix-timestamp'] ?? '', 10) * 1_000;
  return harness.partner.readInbound(headers, body, sentAtMs);
}

function payinFacts(harness: PartnerHarness) {
  return harness
    .messages()
    .flatMap((message) => read(harness, message)?.facts ?? [])
    .filter((fact): fact is Extract<PartnerFact, { kind: 'payin' }> => fact.kind === 'payin');
}

/** Neither as it is nor in the usual encodings. */
function assertHides(text: string, secret: string): void {
  for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) {
    const written = Buffer.from(secret).toString(encoding).replace(/=+$/, '');
    assert.ok(!text.includes(written));
    for (const part of text.split(/[._]/)) {
      assert.ok(!Buffer.from(part, 'base64url').toString('utf8').includes(secret));
    }
  }
}
