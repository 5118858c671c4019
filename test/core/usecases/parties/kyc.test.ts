// Starting a buyer's KYC: what is asked for, and what is answered when there is one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestPurpose } from '../../../../core/domain/commands/partner-command.js';
import type { KycStart } from '../../../../core/usecases/parties/kyc.js';
import { readPayment } from '../../../../core/usecases/payments/payments.js';
import type { PartnerChanges } from '../../../support/partners/changed-partner.js';
import { acme, ana, owner } from '../../../support/samples/dossiers.js';
import {
  business,
  commandsOf,
  decided,
  hosted,
  individual,
  replaceBigint,
  scene,
  withPartner,
} from '../../../support/scenes/kyc-scene.js';

test('a dossier goes to the partner in the call and is verifying until the decision', async (t) => {
  for (const start of [individual, business]) {
    const made = await scene(t);
    const submission = await made.start(start);
    assert.equal(submission.status, 'verifying');
    assert.match(submission.receiverId, /^rcv_/);
    assert.notEqual(submission.partnerRef, null, 'the partner knows it when the call returns');
    assert.equal(submission.flowId, null);
    await made.settle();
    assert.equal(await decided(made, submission), 'approved');
  }
});

/** A partner that takes no party now: its command waits. */
const busy: PartnerChanges = {
  party: { start: async () => ({ outcome: 'later', reason: 'busy' }) },
};

test('of the dossier name and country are kept, the rest sealed in the order to the partner', async (t) => {
  const made = await scene(t);
  await made.start(business, made.tenant, withPartner(made.deps, busy));
  const [command] = await commandsOf(made);
  assert.ok(command?.request);
  for (const secret of ['DE123456789', 'Ana', 'selfie.jpg']) {
    const rows = await made.deps.store.run(async (tx) => [
      await tx.buyers.submissionById(made.tenant, command.subject.id),
      await tx.buyers.byEmail('test', 'buyer@example.com'),
      command,
    ]);
    assert.ok(!JSON.stringify(rows, replaceBigint).includes(secret), secret);
  }
  const instructions: unknown = JSON.parse(
    made.deps.secretBox.open(command.request, requestPurpose(command)),
  );
  const input = { ...acme, email: 'Buyer@Example.com', kycTier: 'standard', role: 'buyer' };
  assert.deepEqual(instructions, { ...(instructions as object), ...input, entityType: 'business' });
});

test('nothing of a dossier is logged', async (t) => {
  const made = await scene(t);
  await made.start(business);
  await made.settle();
  assert.doesNotMatch(JSON.stringify(made.log, replaceBigint), /Acme|DE123456789|selfie\.jpg/);
});

test('what is missing for the entityType: TosIdMismatch naming the paths', async (t) => {
  const made = await scene(t);
  const { taxId: _, ...taxless } = owner;
  const cases = [
    [
      { ...individual, dossier: {} },
      /: firstName, lastName, dateOfBirth, idDocCountry, idDocType, selfieFile, idDocFrontFile\./,
    ],
    [
      { ...business, dossier: {} },
      new RegExp(
        [
          ': legalName, formationDate, taxId, website, buyerCountry, addressLine1, city,',
          'stateProvinceRegion, postalCode, incorporationDocFile, proofOfOwnershipDocFile,',
          'owners\\.',
        ].join(' '),
      ),
    ],
    [{ ...business, dossier: { ...acme, owners: [owner, taxless] } }, /: owners\[1\]\.taxId\./],
    [{ ...business, dossier: { ...acme, owners: [] } }, /: owners\./],
  ] as const;
  for (const [start, pattern] of cases) {
    await assert.rejects(made.start(start), { code: 'TosIdMismatch', message: pattern });
  }
  const asking = withPartner(made.deps, { requirements: () => ['phone', 'tosId'] });
  await assert.rejects(made.start(individual, made.tenant, asking), {
    code: 'TosIdMismatch',
    message: /lacks: phone, tosId\./,
  });
  assert.deepEqual(await commandsOf(made), []);
});

test('enhanced is for individuals: ValidationError for a business', async (t) => {
  const made = await scene(t);
  const tier = { kycTier: 'enhanced' } as const;
  await assert.rejects(made.start({ ...business, dossier: { ...acme, ...tier } }), {
    code: 'ValidationError',
    message: /^kycTier: /,
  });
  const submission = await made.start({ ...individual, dossier: { ...ana, ...tier } });
  assert.equal(submission.status, 'verifying');
});

test('kycTier defaults to standard', async (t) => {
  for (const [kycTier, asked] of [
    [undefined, 'standard'],
    [null, 'standard'],
    ['standard', 'standard'],
    ['enhanced', 'enhanced'],
  ] as const) {
    const made = await scene(t);
    const tiers: unknown[] = [];
    const watching = withPartner(made.deps, {
      party: {
        prepare: async (input) => {
          tiers.push(input.kycTier);
          return { outcome: 'refused', code: 'seen', message: 'seen' };
        },
      },
    });
    const start = { ...individual, dossier: { ...ana, kycTier } } as typeof individual;
    await assert.rejects(made.start(start, made.tenant, watching), { code: 'ValidationError' });
    assert.deepEqual(tiers, [asked]);
  }
});

test('file URLs must be https', async (t) => {
  const made = await scene(t);
  const dossier = { ...ana, selfieFile: 'http://files.example/selfie.jpg' };
  await assert.rejects(made.start({ ...individual, dossier }), {
    code: 'ValidationError',
    message: /^selfieFile: send an https URL/,
  });
  assert.deepEqual(await commandsOf(made), []);
});

test('invoiceId must be a payment of this tenant: NotFound', async (t) => {
  const made = await scene(t);
  const stranger = await made.newTenant();
  const [own, foreign] = [await made.pay(), await made.pay(stranger)];
  for (const paymentId of [foreign, 'inv_unknown', '']) {
    for (const start of [individual, hosted]) {
      await assert.rejects(made.start({ ...start, paymentId }), { code: 'NotFound' });
    }
  }
  assert.equal((await made.start({ ...individual, paymentId: own })).status, 'verifying');
});

test('one buyer per mode and address: found if known, made if not, never changed', async (t) => {
  const made = await scene(t);
  const paymentId = await made.pay();
  const { payment } = await readPayment(made.deps, made.tenant, paymentId);
  const submission = await made.start({ ...individual, email: ' BUYER@example.COM' });
  assert.equal(submission.buyerId, payment.buyerId);
  const buyer = await made.deps.store.run((tx) => tx.buyers.get('test', payment.buyerId));
  assert.equal(buyer?.email, 'buyer@example.com', 'as first given');
  const other = await made.start({ ...individual, email: 'other@example.com' });
  assert.notEqual(other.buyerId, payment.buyerId);
});

test('while verifying or approved a start answers with the submission there is', async (t) => {
  const made = await scene(t);
  const first = await made.start();
  const other = { ...individual, dossier: { ...ana, firstName: 'Bea' } };
  for (const start of [individual, other, business, hosted, { ...individual, dossier: {} }]) {
    assert.deepEqual(await made.start(start), first);
  }
  await made.settle();
  const approved = await made.start();
  assert.deepEqual(
    [approved.id, approved.status, approved.approvedAtMs],
    [first.id, 'approved', made.deps.clock.nowMs()],
  );
  assert.deepEqual(await made.start(hosted), approved);
  assert.equal((await commandsOf(made)).length, 1, 'one command to the partner');
});

test('starts that race are one submission and one command', async (t) => {
  const made = await scene(t);
  const all = await Promise.all(Array.from({ length: 5 }, () => made.start()));
  assert.equal(new Set(all.map(({ id }) => id)).size, 1);
  assert.equal((await commandsOf(made)).length, 1);
});

test('after a rejection a start opens a fresh submission, verifying', async (t) => {
  const made = await scene(t);
  const rejected = await made.start({ ...individual, dossier: { ...ana, firstName: 'Fail' } });
  await made.settle();
  assert.equal(await decided(made, rejected), 'rejected');
  made.advanceClock(1);
  const fresh = await made.start();
  assert.notEqual(fresh.id, rejected.id);
  assert.notEqual(fresh.receiverId, rejected.receiverId);
  assert.equal(fresh.status, 'verifying');
  await made.settle();
  assert.equal(await decided(made, fresh), 'approved');
});

test('the first tosId of a party is recorded; a different one later is TosIdMismatch', async (t) => {
  const made = await scene(t);
  const withTos = (start: KycStart, tosId: string): KycStart => ({
    ...start,
    dossier: { ...start.dossier, tosId },
  });
  const failing = { ...individual, dossier: { ...ana, firstName: 'Fail' } };
  assert.equal((await made.start(failing)).tosId, null);
  const started = await made.start(withTos(failing, 'tos_1'));
  assert.deepEqual([started.status, started.tosId], ['verifying', 'tos_1']);
  await assert.rejects(made.start(withTos(failing, 'tos_2')), { code: 'TosIdMismatch' });
  await made.settle();
  made.advanceClock(1);
  // The first terms served the party that was rejected.
  const again = withTos(individual, 'tos_2');
  const fresh = await made.start(again, made.tenant, withPartner(made.deps, busy));
  assert.deepEqual([fresh.status, fresh.tosId], ['verifying', 'tos_2']);
  await assert.rejects(made.start(withTos(hosted, 'tos_3')), { code: 'TosIdMismatch' });
  const [command] = await commandsOf(made);
  assert.ok(command?.request);
  const input = made.deps.secretBox.open(command.request, requestPurpose(command));
  assert.equal((JSON.parse(input) as { tosId: string }).tosId, 'tos_2');
});
