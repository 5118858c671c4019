// What a partner wants of a party that it knows, and approvals that do not last.
import assert from 'node:assert/strict';
import type { PartyInput, PartyReport } from '../../core/ports/partner.js';
import {
  approvedParty,
  done,
  finalReport,
  type PartnerHarness,
  type PartnerTraits,
  person,
  type RuleCheck,
  submitted,
  until,
} from './conformance-harness.js';

type Asked = NonNullable<PartnerTraits['asked']>;

/** `asked`: a party that the partner wants more of. */
export function requirementRules({ party, answer }: Asked, check: RuleCheck): void {
  check('a party that is asked for more says what, and an answer is enough', async (harness) => {
    const { partner } = harness;
    const previousRef = await askedParty(harness, party);
    const { corrections = [], answerByMs = null } = done(await partner.party.read(previousRef));
    for (const { field } of corrections) assert.notEqual(field, '');
    assert.ok(answerByMs === null || answerByMs > harness.nowMs());
    const input = person({ ...party, ...answer, reference: 'cmd_answer', previousRef });
    const request = done(await partner.party.prepare(input));
    const { partnerRef } = done(await partner.party.start(request));
    assert.deepEqual(await decided(harness, partnerRef), { status: 'approved', reason: null });
  });

  check('the same answer twice is one, and it is found', async (harness) => {
    const { partner } = harness;
    const previousRef = await askedParty(harness, party);
    const input = person({ ...party, ...answer, reference: 'cmd_answer', previousRef });
    const request = done(await partner.party.prepare(input));
    const { partnerRef } = done(await partner.party.start(request));
    assert.equal(done(await partner.party.start(request)).partnerRef, partnerRef);
    assert.equal(done(await partner.party.find(request))?.partnerRef, partnerRef);
  });
}

/** The rules for a harness that can withdraw an approval. */
export function withdrawalRules(check: RuleCheck): void {
  check('an approval that is taken back is a rejection with a reason', async (harness) => {
    const partnerRef = await approvedParty(harness);
    await causing(harness)('takes the approval back', partnerRef);
    const { status, reason, corrections } = done(await harness.partner.party.read(partnerRef));
    assert.deepEqual([status, corrections], ['rejected', undefined]);
    assert.ok(reason);
  });

  check('new terms of an approved party are due, and have a web address', async (harness) => {
    const { partner } = harness;
    const partyRef = await approvedParty(harness);
    await causing(harness)('changes the terms', partyRef);
    const { status, corrections = [] } = done(await partner.party.read(partyRef));
    assert.equal(status, 'approved');
    assert.ok(corrections.some(({ field }) => field === 'tosId'));
    const session = { redirectUrl: 'https://shop.example/', key: 'key-1', partyRef };
    assert.match(done(await partner.startTos(session)).url, /^https:\/\//);
  });
}

/** The report once nothing is due any more. */
async function decided(harness: PartnerHarness, partnerRef: string): Promise<PartyReport> {
  const read = () => harness.partner.party.read(partnerRef);
  await until(harness, async () => (done(await read()).corrections ?? []).length === 0);
  return finalReport(harness, read);
}

async function askedParty(harness: PartnerHarness, party: Partial<PartyInput>): Promise<string> {
  const { partnerRef } = await submitted(harness, party);
  const read = async () => done(await harness.partner.party.read(partnerRef));
  if (harness.cause !== undefined) {
    await finalReport(harness, () => harness.partner.party.read(partnerRef));
    await harness.cause('asks for more', partnerRef);
  }
  await until(harness, async () => ((await read()).corrections ?? []).length > 0);
  return partnerRef;
}

function causing({ cause }: PartnerHarness): NonNullable<PartnerHarness['cause']> {
  assert.ok(cause !== undefined, 'the harness causes what happens to parties');
  return cause;
}
