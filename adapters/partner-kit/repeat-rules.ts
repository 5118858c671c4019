// Rules about repeats: a request is one text and one order, however often it is started and with
// any call lost.
import assert from 'node:assert/strict';
import type { PayinInput } from '../../core/ports/partner.js';
import {
  assertHides,
  type CallFault,
  destinationOf,
  done,
  type FailableCall,
  type PartnerTraits,
  payinFacts,
  person,
  preparedPayin,
  preparedPayout,
  type RuleCheck,
  type RuleHarness,
  STEPS_MAX,
} from './conformance-harness.js';

export function determinismRules(traits: PartnerTraits, check: RuleCheck): void {
  check('preparing sends nothing', async (harness) => {
    await preparedPayin(harness, traits.amounts.fine);
    for (let count = 0; count < STEPS_MAX; count += 1) await harness.step();
    assert.deepEqual(payinFacts(harness), []);
  });

  check('preparing twice at one time gives one text, without the PIX key', async (harness) => {
    const { partner } = harness;
    const amount = traits.amounts.fine;
    const destination = await destinationOf(harness);
    const quote = done(await partner.quote({ source: amount, destination }));
    const payin = { reference: 'cmd_one', quote, payerEmail: 'buyer@example.com' };
    const texts = async () => [
      done(await partner.party.prepare(person({}))),
      done(await partner.payin.prepare(payin)),
    ];
    const first = await texts();
    assert.deepEqual(await texts(), first);
    for (const text of first) assertHides(text, traits.pixKey);
  });
}

export function onceRules(traits: PartnerTraits, check: RuleCheck): void {
  check('the same request twice is one pay-in, which is found', async (harness) => {
    const { partner } = harness;
    const request = await preparedPayin(harness, traits.amounts.fine);
    const started = done(await partner.payin.start(request));
    assert.ok(started.instructions);
    assert.deepEqual(done(await partner.payin.start(request)), started);
    assert.deepEqual(done(await partner.payin.find(request)), started);
    assert.deepEqual(done(await harness.restarted().payin.start(request)), started);
  });

  check('requests of two references are two pay-ins', async (harness) => {
    const destination = await destinationOf(harness);
    const source = traits.amounts.fine;
    const refs = [];
    for (const reference of ['cmd_a', 'cmd_b']) {
      const quote = done(await harness.partner.quote({ source, destination }));
      const input: PayinInput = { reference, quote, payerEmail: 'buyer@example.com' };
      const request = done(await harness.partner.payin.prepare(input));
      refs.push(done(await harness.partner.payin.start(request)).partnerRef);
    }
    assert.equal(new Set(refs).size, 2);
  });

  check('the same request twice is one payout, which is found', async (harness) => {
    const { partner } = harness;
    const request = await preparedPayout(harness, traits.amounts.fine);
    const started = done(await partner.payout.start(request));
    assert.deepEqual(done(await partner.payout.start(request)), started);
    assert.deepEqual(done(await partner.payout.find(request)), started);
    assert.deepEqual(done(await harness.restarted().payout.start(request)), started);
  });

  check(
    'a command is found by our reference alone, or that cannot be looked up',
    async (harness) => {
      const { partner } = harness;
      const request = await preparedPayin(harness, traits.amounts.fine, 'cmd_found');
      const { partnerRef } = done(await partner.payin.start(request));
      const found = await partner.findCommand('payin', 'cmd_found');
      if (found.outcome === 'done') assert.equal(found.value?.partnerRef, partnerRef);
      else assert.equal(found.outcome, 'later');
      const absent = await partner.findCommand('payin', 'cmd_nothing');
      if (absent.outcome === 'done') assert.equal(absent.value, null);
      else assert.equal(absent.outcome, 'later');
    },
  );
}

const prepared: Readonly<Record<FailableCall, (harness: RuleHarness) => Promise<string>>> = {
  party: async ({ partner }) => done(await partner.party.prepare(person({}))),
  payin: (harness) => preparedPayin(harness, harness.traits.amounts.fine),
  payout: (harness) => preparedPayout(harness, harness.traits.amounts.fine),
};

export function faultRules(faults: readonly CallFault[], check: RuleCheck): void {
  for (const kind of Object.keys(prepared) as FailableCall[]) {
    for (const fault of faults) {
      check(`${kind}: a call ${fault} is no refusal, and a repeat makes no second one`, (harness) =>
        survives(harness, kind, fault),
      );
    }
  }
}

async function survives(harness: RuleHarness, kind: FailableCall, fault: CallFault): Promise<void> {
  const calls = harness.partner[kind];
  const request = await prepared[kind](harness);
  assert.ok(harness.failNext !== undefined, 'the harness fails calls on demand');
  harness.failNext(kind, fault);
  const lost = await calls.start(request);
  assert.ok(lost.outcome === 'unknown' || lost.outcome === 'later', lost.outcome);
  const found = await calls.find(request);
  const isThere = fault === 'lost after its effect';
  if (found.outcome === 'done') assert.equal(found.value !== null, isThere);
  else assert.equal(found.outcome, 'later');
  const { partnerRef } = done(await calls.start(request));
  if (found.outcome === 'done' && found.value !== null) {
    assert.equal(partnerRef, found.value.partnerRef);
  }
  assert.equal(done(await calls.find(request))?.partnerRef, partnerRef);
  assert.equal(done(await harness.restarted()[kind].find(request))?.partnerRef, partnerRef);
}
