// `ponte-payments/partner-kit`: what every settlement partner must do, as a suite for node:test. It
// runs an adapter against a simulator, the sandbox of its vendor or recorded answers. The harness
// supplies the amounts that fail, advances the time and collects the messages; the report says what
// ran.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { money, parseRate, withoutHundredths } from '../../core/domain/base/money.js';
import { commandRules } from './command-rules.js';
import {
  approvedParty,
  assertHides,
  type CallFault,
  destinationOf,
  done,
  finalReport,
  type PartnerHarness,
  type PartnerTraits,
  payinFacts,
  person,
  preparedPayin,
  type RuleCheck,
  read,
  type SentMessage,
  STEPS_MAX,
  startedPayin,
  submitted,
  until,
} from './conformance-harness.js';
import { type ConformanceReport, type Group, groups, notShown } from './conformance-report.js';
import { connectionRules } from './connection-rules.js';
import { requirementRules, withdrawalRules } from './due-rules.js';
import { type OperationName, operationKinds, recorded } from './operation-kinds.js';
import { depositRules, readBackRules } from './read-back-rules.js';
import { determinismRules, faultRules, onceRules } from './repeat-rules.js';

export {
  type CallFault,
  callFaults,
  type FailableCall,
  type PartnerHarness,
  type PartnerTraits,
  type PartyEvent,
  type SentMessage,
} from './conformance-harness.js';
export { type ConformanceReport, formatReport } from './conformance-report.js';
export type { OperationName } from './operation-kinds.js';

export interface Conformance {
  /** The adapter and its version, for the report. */
  readonly partner: string;
  readonly against: ConformanceReport['against'];
  /** What the adapter or the simulator was built from. */
  readonly source?: string;
  readonly traits: PartnerTraits;
  /** Operations that the partner does not have, each with the reason. */
  readonly unsupported?: Readonly<Partial<Record<OperationName, string>>>;
  /** Faults that the harness can cause; none by default. */
  readonly faults?: readonly CallFault[];
  /** Entries on a page of its books; without it, the rules about books do not run. */
  readonly pageSize?: number;
  /** Whether the harness can cause a deposit. */
  readonly deposits?: boolean;
  /** Where its messages are to arrive; without it, the rules about its checks do not run. */
  readonly inboundUrl?: string;
  /** The harness can cause what happens to an approved party. */
  readonly withdrawals?: boolean;
  /** A partner of each rule, with nothing in it. */
  readonly open: () => Promise<PartnerHarness>;
  /** Called after the last rule. */
  readonly onReport?: (report: ConformanceReport) => void;
}

/** Defines the suite. */
export function partnerConformance(given: Conformance): void {
  const { partner, against, source = null, traits, unsupported = {}, onReport } = given;
  const called = new Set<string>();
  const results = new Map<Group, 'passed' | 'failed'>();
  const checkIn =
    (group: Group): RuleCheck =>
    (rule, body) =>
      test(rule, async () => {
        const harness = await given.open();
        try {
          await body({
            ...harness,
            traits,
            partner: recorded(harness.partner, called),
            nowMs: () => harness.nowMs(),
            restarted: () => recorded(harness.restarted(), called),
          });
          if (results.get(group) !== 'failed') results.set(group, 'passed');
        } catch (error) {
          results.set(group, 'failed');
          throw error;
        } finally {
          await harness.close();
        }
      });
  describe(`settlement partner: ${partner}`, () => {
    partyRules(traits, checkIn('parties'));
    if (traits.asked !== undefined) requirementRules(traits.asked, checkIn('requirements'));
    if (given.withdrawals === true) withdrawalRules(checkIn('withdrawals'));
    quoteRules(traits, checkIn('quote'));
    determinismRules(traits, checkIn('determinism'));
    onceRules(traits, checkIn('once'));
    faultRules(given.faults ?? [], checkIn('faults'));
    commandRules(traits, checkIn('money'));
    messageRules(traits, checkIn('inbound'));
    if (given.pageSize !== undefined) {
      readBackRules(traits, given.pageSize, checkIn('read-back'));
      if (given.deposits === true) depositRules(traits, checkIn('deposits'));
    }
    if (given.inboundUrl !== undefined) {
      connectionRules(given.inboundUrl, checkIn('connection'));
    }
    checkIn('operations')(groups.operations, async () => {
      const uncalled = Object.entries(operationKinds).flatMap(([name, kind]) =>
        kind === 'optional' || called.has(name) || name in unsupported ? [] : [name],
      );
      assert.deepEqual(uncalled, []);
    });
    after(() => {
      const all = Object.keys(groups) as Group[];
      const result = (group: Group) => results.get(group) ?? 'declared only';
      const shown = Object.fromEntries(all.map((group) => [group, result(group)]));
      const report = { partner, against, source, unsupported, notShown };
      onReport?.({ ...report, groups: shown as ConformanceReport['groups'] });
    });
  });
}

function partyRules(traits: PartnerTraits, check: RuleCheck): void {
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
      const { partnerRef } = await submitted(harness, {
        reference: `cmd_${entityType}`,
        entityType,
      });
      const report = await finalReport(harness, () => harness.partner.party.read(partnerRef));
      assert.deepEqual(report, { status: 'approved', reason: null });
    }
  });

  check('a rejected party is reported with a reason', async (harness) => {
    const { partnerRef } = await submitted(harness, traits.rejected);
    const report = await finalReport(harness, () => harness.partner.party.read(partnerRef));
    assert.equal(report.status, 'rejected');
    assert.ok(report.reason);
  });

  check('submitting the same request twice makes one party, which is found', async (harness) => {
    const { partner } = harness;
    const request = done(await partner.party.prepare(person({})));
    const { partnerRef } = done(await partner.party.start(request));
    assert.equal(done(await partner.party.start(request)).partnerRef, partnerRef);
    assert.equal(done(await partner.party.find(request))?.partnerRef, partnerRef);
  });

  check('a PIX destination is one per key, and no id shows the PIX key', async (harness) => {
    const { partner } = harness;
    const partyRef = await approvedParty(harness);
    const { pixKey } = traits;
    const input = { partyRef, pixKey, accountHolderName: 'Ana Lima', key: 'key-1' };
    const { destinationRef } = done(await partner.registerPixDestination(input));
    assert.equal(done(await partner.registerPixDestination(input)).destinationRef, destinationRef);
    const rails = { partyRef, destinationRef, key: 'key-2' };
    const { virtualAccountRef } = done(await partner.provisionRails(rails));
    const again = done(await partner.provisionRails(rails));
    assert.equal(again.virtualAccountRef, virtualAccountRef);
    for (const ref of [destinationRef, virtualAccountRef]) assertHides(ref, pixKey);
  });

  check('a malformed or empty PIX key is refused, and not repeated', async (harness) => {
    const partyRef = await approvedParty(harness);
    for (const pixKey of [traits.badPixKey, '']) {
      const input = { partyRef, pixKey, accountHolderName: 'Ana Lima', key: 'key-1' };
      const answer = await harness.partner.registerPixDestination(input);
      assert.equal(answer.outcome, 'refused');
      if (pixKey !== '') assertHides(JSON.stringify(answer), pixKey);
    }
  });

  check('PIX and rails of an unknown party are refused', async ({ partner }) => {
    const partyRef = 'nobody';
    const { pixKey } = traits;
    const input = { partyRef, pixKey, accountHolderName: 'Ana Lima', key: 'key-1' };
    assert.equal((await partner.registerPixDestination(input)).outcome, 'refused');
    const rails = { partyRef, destinationRef: 'nowhere', key: 'key-2' };
    assert.equal((await partner.provisionRails(rails)).outcome, 'refused');
  });
}

function quoteRules(traits: PartnerTraits, check: RuleCheck): void {
  check('a quote states amount, fees, rate, BRL and expiry', async (harness) => {
    const destination = await destinationOf(harness);
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
    const destination = await destinationOf(harness);
    assert.ok(partner.currencies.includes(traits.amounts.fine.currency));
    assert.deepEqual(withoutHundredths(partner.currencies), []);
    const foreign = money(100_000n, 'XTS');
    assert.equal((await partner.quote({ source: foreign, destination })).outcome, 'refused');
    const source = traits.amounts.fine;
    assert.equal((await partner.quote({ source, destination: 'nowhere' })).outcome, 'refused');
  });
}

function messageRules(traits: PartnerTraits, check: RuleCheck): void {
  check('messages report what a query returns, under our reference', async (harness) => {
    const { partner } = harness;
    const partnerRef = await startedPayin(harness, traits.amounts.fine, 'cmd_told');
    const report = await finalReport(harness, () => partner.payin.read(partnerRef));
    await until(harness, () => payinFacts(harness).length > 0);
    const facts = payinFacts(harness).filter((fact) => fact.partnerRef === partnerRef);
    const known = facts.at(-1)?.report ?? done(await partner.payin.read(partnerRef));
    assert.deepEqual(known, report);
    for (const { reference } of facts) assert.ok(reference === null || reference === 'cmd_told');
  });

  check('a message that comes twice comes under one id', async (harness) => {
    const { partner } = harness;
    const request = await preparedPayin(harness, traits.amounts.fine);
    const { partnerRef } = done(await partner.payin.start(request));
    await finalReport(harness, () => partner.payin.read(partnerRef));
    await until(harness, () => payinFacts(harness).length > 0);
    const first = harness.messages();
    done(await partner.payin.start(request));
    for (let count = 0; count < STEPS_MAX; count += 1) await harness.step();
    const ids = (messages: readonly SentMessage[]) =>
      new Set(messages.map((message) => read(harness, message)?.messageId));
    assert.deepEqual(ids(harness.messages()), ids(first));
  });

  check('a message is genuine only as it was sent, and when it was sent', async (harness) => {
    const { partner } = harness;
    const partnerRef = await startedPayin(harness, traits.amounts.fine);
    await finalReport(harness, () => partner.payin.read(partnerRef));
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
