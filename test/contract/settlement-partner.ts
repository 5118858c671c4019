// What every settlement partner must do: a suite over the port. Each partner's harness supplies the
// amounts that fail, advances the time and collects the messages.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { money, parseRate } from '../../core/domain/money.js';
import {
  approvedParty,
  assertHides,
  type Check,
  destinationOf,
  done,
  ended,
  type PartnerHarness,
  type PartnerMessage,
  type PartnerTraits,
  payinFacts,
  person,
  preparedPayin,
  read,
  STEPS_MAX,
  startedPayin,
  submitted,
  until,
} from './partner-harness.js';
import { orderRules } from './partner-orders.js';

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
    orderRules(traits, check);
    messageRules(traits, check);
  });
}

function partyRules(traits: PartnerTraits, check: Check): void {
  check(
    'it lists the further fields of a dossier that it requires, without a call',
    async ({ partner }) => {
      for (const role of ['seller', 'buyer'] as const) {
        for (const entityType of ['business', 'individual'] as const) {
          const fields = partner.requirements(role, entityType);
          assert.equal(new Set(fields).size, fields.length);
        }
      }
    },
  );

  check('terms are accepted at a web address of each session', async ({ partner }) => {
    const redirectUrl = 'https://shop.example/terms?a=b';
    const urls = new Set<string>();
    for (const key of ['key-1', 'key-2', 'key-1']) {
      const { url } = done(await partner.startTos({ redirectUrl, key }));
      assert.match(url, /^https:\/\//);
      urls.add(url);
    }
    assert.equal(urls.size, 2);
  });

  check('a business or an individual is approved sooner or later', async (harness) => {
    for (const entityType of ['business', 'individual'] as const) {
      const { partnerRef } = await submitted(harness, { entityType });
      const report = await ended(harness, () => harness.partner.receiver.read(partnerRef));
      assert.deepEqual(report, { status: 'approved', reason: null });
    }
  });

  check('a rejected party is reported with a reason', async (harness) => {
    const { partnerRef } = await submitted(harness, traits.rejected);
    const report = await ended(harness, () => harness.partner.receiver.read(partnerRef));
    assert.equal(report.status, 'rejected');
    assert.ok(report.reason);
  });

  check('submitting the same request twice makes one party, which is found', async (harness) => {
    const { partner } = harness;
    const request = done(await partner.receiver.prepare(person({})));
    const { partnerRef } = done(await partner.receiver.start(request));
    assert.equal(done(await partner.receiver.start(request)).partnerRef, partnerRef);
    assert.equal(done(await partner.receiver.find(request))?.partnerRef, partnerRef);
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
  check('a quote states amount, fees, rate, BRL and expiry', async (harness) => {
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

function messageRules(traits: PartnerTraits, check: Check): void {
  check('messages report what a query returns, under our reference', async (harness) => {
    const { partner } = harness;
    const partnerRef = await startedPayin(harness, traits, traits.amounts.fine, 'cmd_told');
    const report = await ended(harness, () => partner.payin.read(partnerRef));
    await until(harness, () => payinFacts(harness).length > 0);
    const facts = payinFacts(harness).filter((fact) => fact.partnerRef === partnerRef);
    assert.deepEqual(facts.at(-1)?.report, report);
    for (const { reference } of facts) assert.ok(reference === null || reference === 'cmd_told');
  });

  check('a message that comes twice comes under one id', async (harness) => {
    const { partner } = harness;
    const request = await preparedPayin(harness, traits, traits.amounts.fine);
    const { partnerRef } = done(await partner.payin.start(request));
    await ended(harness, () => partner.payin.read(partnerRef));
    await until(harness, () => payinFacts(harness).length > 0);
    const first = harness.messages();
    done(await partner.payin.start(request));
    for (let count = 0; count < STEPS_MAX; count += 1) await harness.step();
    const ids = (messages: readonly PartnerMessage[]) =>
      new Set(messages.map((message) => read(harness, message)?.messageId));
    assert.deepEqual(ids(harness.messages()), ids(first));
  });

  check('a message is genuine only as it was sent, and when it was sent', async (harness) => {
    const { partner } = harness;
    const partnerRef = await startedPayin(harness, traits, traits.amounts.fine);
    await ended(harness, () => partner.payin.read(partnerRef));
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
