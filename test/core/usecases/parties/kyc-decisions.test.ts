// What follows from a start of a buyer's KYC: decisions and whom they reach, calls in doubt, and
// the purge of the buyer's documents.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import {
  COMMAND_LEASE_MS,
  type MoneyCommand,
} from '../../../../core/domain/commands/partner-command.js';
import type { KycSubmission } from '../../../../core/domain/parties/buyer-kyc.js';
import type { PartnerAnswer } from '../../../../core/ports/partner.js';
import { BUYER_UNAPPROVED } from '../../../../core/usecases/commands/command-answers.js';
import { applyPartnerUpdate } from '../../../../core/usecases/commands/partner-inbox.js';
import {
  confirmQuote,
  requestQuote,
  signIn,
} from '../../../../core/usecases/hosted/buyer-steps.js';
import { decide } from '../../../../core/usecases/money-desk/money-desk.js';
import { listQueues } from '../../../../core/usecases/money-desk/money-queues.js';
import { moveWaiting } from '../../../../core/usecases/parties/buyer-decisions.js';
import {
  createUpload,
  receiveUpload,
  runPurges,
} from '../../../../core/usecases/parties/documents.js';
import { readPayment } from '../../../../core/usecases/payments/payments.js';
import { readTimeline } from '../../../../core/usecases/payments/timelines.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { allOf, chunks } from '../../../contract/document-storage.js';
import { operatorDoes } from '../../../support/operator-action.js';
import { dying } from '../../../support/racing-store.js';
import {
  aBarePayment,
  aBuyer,
  aSubmission,
  someFunds,
  T0,
} from '../../../support/samples/domain-samples.js';
import { ana } from '../../../support/samples/dossiers.js';
import { grantOf } from '../../../support/scenes/document-scene.js';
import {
  commandsOf,
  decided,
  decideKyc,
  hosted,
  individual,
  partyReported,
  type Scene,
  scene,
  sentByPerson,
  withPartner,
} from '../../../support/scenes/kyc-scene.js';

const failing = { ...individual, dossier: { ...ana, firstName: 'Fail' } };

/** A new payment whose buyer has signed in. */
async function signedIn(made: Scene, of = made.tenant): Promise<string> {
  const id = await made.pay(of);
  await signIn(made.deps, of, id);
  return id;
}

test('the decision moves the payments that wait for this buyer, of this tenant alone', async (t) => {
  const made = await scene(t);
  const other = await made.newTenant();
  const [here, there] = [await signedIn(made), await signedIn(made, other)];
  await made.start(failing);
  assert.equal(await made.kycStatusOf(here), 'verifying');
  assert.equal(await made.kycStatusOf(there, other), 'not_started', 'nothing of it shows there');
  await made.settle();
  assert.equal(await made.statusOf(here), 'failed');
  assert.equal(await made.statusOf(there), 'buyer_kyc_pending');
  assert.equal(await made.kycStatusOf(there, other), 'not_started');
  made.advanceClock(1);
  await made.start(individual, other);
  await made.settle();
  assert.equal(await made.statusOf(there), 'buyer_kyc_approved');
  assert.equal(await made.kycStatusOf(here), 'rejected');
});

test('a payment that a crash left waiting for an approved buyer goes on with its dossier', async (t) => {
  const made = await scene(t);
  const other = await made.newTenant();
  const waiting = await signedIn(made);
  await sentByPerson(made, await made.start(individual, other));
  await made.settle();
  const { deps, tenant } = made;
  const gone = signIn(dying(deps, 1), tenant, await made.pay(tenant));
  await assert.rejects(gone, /the process ends/);
  assert.equal(await made.kycStatusOf(waiting), 'approved');
  assert.equal(await made.statusOf(waiting), 'buyer_kyc_pending');
  await made.start(individual);
  assert.equal(await made.statusOf(waiting), 'buyer_kyc_approved');
});

/** Hosts' clocks differ: from then on, another one works whose clock is behind. */
const BEHIND_MS = 60_000;

test('a new start counts with any clock of the host that took the rejection', async (t) => {
  const made = await scene(t);
  const first = await made.start(failing);
  await made.settle();
  made.advanceClock(-BEHIND_MS);
  const second = await made.start(failing);
  assert.equal(second.status, 'verifying');
  assert.ok(second.createdAtMs > first.createdAtMs);
  await made.settle();
  const third = await made.start();
  assert.equal(new Set([first.id, second.id, third.id]).size, 3);
  assert.deepEqual(await made.start(), third, 'there is one that stands');
  await made.settle();
  const payment = await signedIn(made);
  assert.equal(await made.statusOf(payment), 'buyer_kyc_approved');
});

test('a rejection fails the payments that wait for it, with any clocks', async (t) => {
  const made = await scene(t);
  const payment = await signedIn(made);
  made.advanceClock(-BEHIND_MS);
  await made.start(failing);
  await made.settle();
  assert.equal(await made.statusOf(payment), 'failed');
});

test('a repeated rejection fails no payment that started to wait later, with any clocks', async (t) => {
  const made = await scene(t);
  const { deps, tenant } = made;
  const submission = await made.start(failing);
  await made.settle();
  made.advanceClock(-BEHIND_MS);
  const payment = await signedIn(made);
  await decideKyc(deps, tenant, submission.id, { status: 'rejected', reason: null });
  assert.equal(await made.statusOf(payment), 'buyer_kyc_pending');
});

test('two tenants start the same buyer apart from each other', async (t) => {
  const made = await scene(t);
  const other = await made.newTenant();
  const one = await made.start({ ...individual, dossier: { ...ana, tosId: 'tos_1' } });
  await made.settle();
  const two = await made.start({ ...individual, dossier: { ...ana, tosId: 'tos_2' } }, other);
  assert.equal(two.buyerId, one.buyerId);
  assert.notEqual(two.id, one.id);
  assert.deepEqual([two.status, two.tosId], ['verifying', 'tos_2']);
});

const taken = { status: 'rejected', reason: 'sanctions list' } as const;

test('an approval taken back turns the record rejected, and a payment up to the quote fails', async (t) => {
  for (const to of ['buyer_kyc_approved', 'fx_quoted'] as const) {
    const made = await scene(t);
    const { deps, tenant } = made;
    const submission = await made.start();
    await made.settle();
    const running = await signedIn(made);
    if (to === 'fx_quoted') await requestQuote(deps, tenant, running);
    assert.equal(await made.statusOf(running), to);
    made.advanceClock(1);
    await decideKyc(deps, tenant, submission.id, taken);
    assert.equal(await decided(made, submission), 'rejected');
    const { payment } = await readPayment(deps, tenant, running);
    assert.deepEqual([payment.status, payment.failureReason], ['failed', 'sanctions list']);
    made.advanceClock(1);
    const next = await signedIn(made);
    assert.equal(await made.statusOf(next), 'buyer_kyc_pending');
  }
});

/** The partner rejects the buyer; the payments that this concerns are not moved yet. */
async function rejectOnly({ deps, tenant }: Scene, { id }: KycSubmission): Promise<void> {
  await deps.store.run(async (tx) => {
    const submission = (await tx.buyers.submissionById(tenant, id)) ?? assert.fail();
    tx.buyers.updateSubmission({ ...submission, ...taken, rejectedAtMs: T0 });
  });
}

test('a rejected buyer gets no quote and confirms none, before its payments fail', async (t) => {
  const made = await scene(t);
  const { deps, tenant } = made;
  const submission = await made.start();
  await made.settle();
  const [approved, priced] = [await signedIn(made), await signedIn(made)];
  const quote = await requestQuote(deps, tenant, priced);
  await rejectOnly(made, submission);
  const conflict = { code: 'PaymentStateConflict' };
  await assert.rejects(requestQuote(deps, tenant, approved), conflict);
  await assert.rejects(confirmQuote(deps, tenant, priced, quote?.id ?? ''), conflict);
  assert.equal(await made.statusOf(approved), 'buyer_kyc_approved');
  assert.equal(await made.statusOf(priced), 'fx_quoted');
});

/** A payment that waits for the money of its approved buyer. */
async function awaitingMoney(made: Scene): Promise<readonly [string, KycSubmission]> {
  const { deps, tenant } = made;
  const submission = await made.start();
  await made.settle();
  const id = await signedIn(made);
  const quote = await requestQuote(deps, tenant, id);
  await confirmQuote(deps, tenant, id, quote?.id ?? '');
  return [id, submission];
}

async function payoutOf({ deps, tenant }: Scene, id: string): Promise<MoneyCommand | undefined> {
  const commands = await deps.store.run((tx) => tx.commands.ofPayment(tenant, id));
  return commands.find(({ kind }) => kind === 'payout');
}

test('the payout to a rejected buyer waits for an operator: alert, money list, timeline', async (t) => {
  const made = await scene(t);
  const { deps, tenant } = made;
  const [id, submission] = await awaitingMoney(made);
  const [command] = await commandsOf(made);
  assert.ok(command !== undefined && submission.partnerRef !== null);
  await partyReported(deps, command, submission.partnerRef, taken);
  await simulate(deps, tenant, id, 'money_arrives');
  await made.pass(20, 60_000);
  const { payment, funds } = await readPayment(deps, tenant, id);
  assert.deepEqual([payment.status, funds.position], ['on_chain_confirmed', 'received']);
  const held = { state: 'pending', lastError: BUYER_UNAPPROVED };
  assert.partialDeepStrictEqual(await payoutOf(made, id), held);
  const alert = 'the buyer was rejected after its approval: the payout waits for an operator';
  assert.ok(made.log.some(({ fields }) => fields['alert'] === alert));
  const every = { queue: null, after: null, limit: 10, orgId: null, mode: null };
  const [row] = await listQueues(deps, every);
  assert.deepEqual([row?.queue, row?.id, row?.steps], ['unapproved', id, ['fail']]);
  const { entries } = await readTimeline(deps, payment, { after: null, limit: 100 });
  assert.ok(entries.some(({ kind }) => kind === 'approval_lost'));
  await operatorDoes(deps, id, { verb: 'fail', reason: 'sanctions' });
  await made.settle();
  assert.deepEqual(await listQueues(deps, every), []);
  assert.equal((await readPayment(deps, tenant, id)).funds.position, 'returned_to_buyer');
});

test('the payout goes out once the partner approves the buyer again', async (t) => {
  const made = await scene(t);
  const { deps, tenant } = made;
  const [id, submission] = await awaitingMoney(made);
  await decideKyc(deps, tenant, submission.id, taken);
  await simulate(deps, tenant, id, 'money_arrives');
  await made.settle();
  assert.equal(await made.statusOf(id), 'on_chain_confirmed');
  made.advanceClock(1);
  await made.start();
  await made.pass(20, 60_000);
  assert.equal(await made.statusOf(id), 'settled');
});

test('a new approval ends the loss of the last one, and a second rejection is one again', async (t) => {
  const made = await scene(t);
  const { deps, tenant } = made;
  const [id, first] = await awaitingMoney(made);
  const lostAtMs = async () => (await readPayment(deps, tenant, id)).payment.approvalLostAtMs;
  await decideKyc(deps, tenant, first.id, taken);
  assert.notEqual(await lostAtMs(), null);
  made.advanceClock(1);
  const second = await made.start();
  await decideKyc(deps, tenant, second.id, { status: 'approved', reason: null });
  assert.equal(await lostAtMs(), null);
  await decideKyc(deps, tenant, second.id, taken);
  assert.notEqual(await lostAtMs(), null);
});

test('the seller is not paid again while the buyer is rejected: an operator decides again', async (t) => {
  const made = await scene(t);
  const { deps, tenant } = made;
  const [id, submission] = await awaitingMoney(made);
  await simulate(deps, tenant, id, 'money_arrives');
  await made.pass(20, 1_000);
  assert.equal(await made.statusOf(id), 'settled');
  const payout = await payoutOf(made, id);
  assert.ok(payout !== undefined && payout.partnerRef !== null);
  const { id: itemId, reference, partnerRef, version } = payout;
  const nothing = { settled: null, fxRate: null, fees: null, endToEndId: null, reason: null };
  const report = { status: 'returned', ...nothing } as const;
  const fact = { kind: 'payout', reference, partnerRef, report } as const;
  await applyPartnerUpdate(deps, payout, fact, { polledVersion: version });
  await decideKyc(deps, tenant, submission.id, taken);
  const asked = { evidence: 'asked', operator: developmentOperator, replace: false };
  await decide(deps, { itemId, request: { verb: 'pay_again' }, ...asked });
  await made.settle();
  const every = { queue: null, after: null, limit: 10, orgId: null, mode: null };
  const [row, ...more] = await listQueues(deps, every);
  assert.deepEqual([row?.queue, row?.kind, more], ['in_review', 'payout', []]);
  assert.notEqual(row?.id, itemId);
  assert.equal((await readPayment(deps, tenant, id)).funds.position, 'needs_review');
});

test('no payout is sent in the batch that a rejection overtakes', async (t) => {
  const made = await scene(t);
  const { deps, tenant } = made;
  const [id, submission] = await awaitingMoney(made);
  await rejectOnly(made, submission);
  await simulate(deps, tenant, id, 'money_arrives');
  await made.settle();
  assert.equal((await payoutOf(made, id))?.lastSentAtMs, null);
});

test('a revoked approval is revoked for every tenant that adopted it, and their payments fail', async (t) => {
  const made = await scene(t);
  const { deps } = made;
  const other = await made.newTenant();
  const third = await made.newTenant();
  const waiting = await signedIn(made, other);
  const first = await made.start();
  const { partnerRef } = first;
  await sentByPerson(made, first);
  await made.settle();
  const [running, elsewhere] = [await signedIn(made, other), await signedIn(made, third)];
  assert.equal(await made.statusOf(waiting), 'buyer_kyc_approved');
  const [command] = await commandsOf(made);
  assert.ok(command !== undefined && partnerRef !== null);
  made.advanceClock(1);
  await partyReported(deps, command, partnerRef, taken);
  await partyReported(deps, command, partnerRef, taken);
  for (const [tenant, id] of [
    [other, waiting],
    [other, running],
    [third, elsewhere],
  ] as const) {
    const { payment, kycStatus } = await readPayment(deps, tenant, id);
    const reason = 'buyer KYC rejected';
    assert.deepEqual([payment.status, payment.failureReason], ['failed', reason], 'not why');
    assert.equal(kycStatus, 'rejected');
  }
  for (const tenant of [made.tenant, other, third]) {
    const next = await signedIn(made, tenant);
    assert.equal(await made.statusOf(next), 'buyer_kyc_pending', 'it asks for KYC again');
  }
  await made.start(individual, other);
  await made.settle();
  assert.equal(await made.kycStatusOf(waiting, other), 'approved');
});

test('a tenant’s approval holds when one that it adopted before is revoked', async (t) => {
  const made = await scene(t);
  const { deps } = made;
  const other = await made.newTenant();
  const theirs = await made.start(individual, other);
  await sentByPerson(made, theirs);
  await made.settle();
  const [command] = await commandsOf(made);
  const own = await made.start();
  await signedIn(made);
  assert.equal(await decided(made, own), 'approved');
  await made.settle();
  assert.ok(command !== undefined && theirs.partnerRef !== null);
  await partyReported(deps, command, theirs.partnerRef, { status: 'rejected', reason: null });
  assert.equal(await decided(made, own), 'approved');
});

test('a call in doubt is answered as verifying, and workers continue it', async (t) => {
  const made = await scene(t);
  const lost: PartnerAnswer<never> = { outcome: 'unknown', reason: 'no answer' };
  const silent = withPartner(made.deps, { party: { start: async () => lost } });
  const submission = await made.start(individual, made.tenant, silent);
  assert.deepEqual([submission.status, submission.partnerRef], ['verifying', null]);
  assert.deepEqual(await made.start(individual, made.tenant, silent), submission);
  made.advanceClock(60_000);
  await made.settle();
  assert.equal(await decided(made, submission), 'approved');
  assert.equal((await commandsOf(made)).length, 1);
});

test('a partner that cannot be asked: PartnerUnavailable, and nothing is recorded', async (t) => {
  const made = await scene(t);
  const away = withPartner(made.deps, {
    party: { prepare: async () => ({ outcome: 'later', reason: 'down' }) },
  });
  await assert.rejects(made.start(individual, made.tenant, away), { code: 'PartnerUnavailable' });
  assert.deepEqual(await commandsOf(made), []);
  await assert.rejects(made.start(individual, { ...made.tenant, mode: 'live' }), {
    code: 'PartnerUnavailable',
  });
});

for (const [decision, firstName] of [
  ['approved', 'Ana'],
  ['rejected', 'Fail'],
] as const) {
  test(`documents are purged when the buyer is ${decision}, and stay until then`, async (t) => {
    const made = await scene(t);
    const { deps } = made;
    const storage = deps.documents ?? assert.fail();
    const { buyerId } = await made.start(hosted);
    const files = {
      selfieFile: await uploaded(made, buyerId, 'selfie'),
      idDocFrontFile: await uploaded(made, buyerId, 'id_doc_front'),
    };
    const dossier = { ...ana, ...files, firstName };
    const submission = await made.start({ ...individual, dossier });
    const purges = () => runPurges(deps, deps.clock.nowMs(), 100);
    await purges();
    assert.equal((await allOf(storage)).length, 2, 'the partner reads them');
    await made.settle();
    assert.equal(await decided(made, submission), decision);
    await purges();
    assert.deepEqual(await allOf(storage), []);
  });
}

test('a worker that lost its lease decides on no party any more', async (t) => {
  const made = await scene(t);
  const late = Promise.withResolvers<PartnerAnswer<never>>();
  const called = Promise.withResolvers<void>();
  const slow = withPartner(made.deps, {
    party: {
      start: () => {
        called.resolve();
        return late.promise;
      },
    },
  });
  const starting = made.start(individual, made.tenant, slow);
  await called.promise;
  made.advanceClock(COMMAND_LEASE_MS + 1);
  await made.settle();
  late.resolve({ outcome: 'refused', code: 'too_late', message: 'of a lease that ran out' });
  const submission = await starting;
  assert.notEqual(await decided(made, submission), 'rejected');
  await made.settle();
  assert.equal(await decided(made, submission), 'approved');
});

test('an approval found by signing in ends the wait for the form, and its documents go', async (t) => {
  const made = await scene(t);
  const { deps } = made;
  const storage = deps.documents ?? assert.fail();
  const other = await made.newTenant();
  await sentByPerson(made, await made.start(individual, other));
  await made.settle();
  const waiting = await made.start({ ...hosted, name: 'Ana Lima' });
  await uploaded(made, waiting.buyerId, 'selfie');
  await signedIn(made);
  assert.equal(await decided(made, waiting), 'approved');
  const adopted = await made.start(hosted);
  assert.deepEqual([adopted.id, adopted.draftSealed], [waiting.id, null]);
  await runPurges(deps, deps.clock.nowMs(), 100);
  assert.deepEqual(await allOf(storage), []);
});

/** Uploads a document of the buyer, and answers with its public URL. */
async function uploaded(
  { deps, tenant }: Scene,
  buyerId: string,
  kind: 'selfie' | 'id_doc_front',
): Promise<string> {
  const upload = await createUpload(deps, tenant, {
    owner: { party: 'buyer', id: buyerId },
    kind,
    contentType: 'image/png',
    ownerIndex: null,
  });
  const sent = { contentType: 'image/png', sizeBytes: null, bytes: chunks(kind) };
  await receiveUpload(deps, { ...grantOf(upload.uploadUrl), ...sent });
  return upload.publicUrl;
}

test('a rejection reaches the payments that waited for it, behind any number of later ones', async (t) => {
  const made = await scene(t);
  const { deps, tenant } = made;
  const waits = { ...tenant, buyerId: 'byr_1', status: 'buyer_kyc_pending' } as const;
  const [early, late] = [[] as string[], [] as string[]];
  await deps.store.run(async (tx) => {
    const rejected = { status: 'rejected', rejectedAtMs: T0 } as const;
    tx.buyers.insert(aBuyer());
    tx.buyers.insertSubmission(aSubmission({ ...tenant, ...rejected }));
    for (let nth = 0; nth < 130; nth += 1) {
      const waitedInTime = nth % 60 === 59;
      const id = `pi_${String(nth).padStart(3, '0')}`;
      const updatedAtMs = waitedInTime ? T0 : T0 + 1;
      (waitedInTime ? early : late).push(id);
      tx.payments.insert(aBarePayment({ ...waits, id, createdAtMs: T0 - 200 + nth, updatedAtMs }));
      tx.funds.put(someFunds({ ...tenant, paymentId: id }));
    }
  });
  await moveWaiting(deps, tenant, 'byr_1');
  assert.equal(early.length, 2);
  for (const id of early) assert.equal(await made.statusOf(id), 'failed', id);
  for (const id of late) assert.equal(await made.statusOf(id), 'buyer_kyc_pending', id);
});
