// Starting a buyer's KYC: what is asked for, what is answered when there is one, and that nothing
// of it reaches another tenant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KycSubmission } from '../../../core/domain/buyer-kyc.js';
import { requestPurpose } from '../../../core/domain/partner-command.js';
import type { Tenant } from '../../../core/domain/tenant.js';
import { PonteError } from '../../../core/errors.js';
import type { Deps, PartnerAnswer, SettlementPartner } from '../../../core/ports.js';
import { decideKyc, signIn } from '../../../core/usecases/buyers.js';
import { createUpload, receiveUpload, runPurges } from '../../../core/usecases/documents.js';
import { type KycStart, readDraft, startBuyerKyc } from '../../../core/usecases/kyc.js';
import { createPayment, readPayment } from '../../../core/usecases/payments.js';
import { allOf, chunks } from '../../contract/document-storage.js';
import { type World, world } from '../../support/small-world.js';

const ana = {
  firstName: 'Ana',
  lastName: 'Lima',
  dateOfBirth: '1990-01-31',
  idDocCountry: 'PT',
  idDocType: 'PASSPORT',
  selfieFile: 'https://files.example/selfie.jpg',
  idDocFrontFile: 'https://files.example/front.jpg',
} as const;

const owner = {
  ...ana,
  role: 'beneficial_owner',
  taxId: '12-3456789',
  addressLine1: '1 Main St',
  city: 'Lisboa',
  stateProvinceRegion: 'Lisboa',
  postalCode: '1000-001',
  country: 'PT',
  proofOfAddressDocType: 'UTILITY_BILL',
  proofOfAddressDocFile: 'https://files.example/bill.pdf',
} as const;

const acme = {
  legalName: 'Acme GmbH',
  formationDate: '2001-02-03',
  taxId: 'DE123456789',
  website: 'https://acme.example',
  country: 'DE',
  addressLine1: 'Hauptstr. 1',
  city: 'Berlin',
  stateProvinceRegion: 'BE',
  postalCode: '10115',
  incorporationDocFile: 'https://files.example/incorporation.pdf',
  proofOfOwnershipDocFile: 'https://files.example/ownership.pdf',
  owners: [owner],
} as const;

const hosted: KycStart = {
  email: 'Buyer@Example.com',
  name: null,
  entityType: null,
  paymentId: null,
  dossier: {},
};
const individual: KycStart = { ...hosted, entityType: 'individual', dossier: ana };
const business: KycStart = { ...hosted, entityType: 'business', dossier: acme };

interface Scene extends World {
  readonly tenant: Tenant;
  start(start?: KycStart, by?: Tenant, deps?: Deps): Promise<KycSubmission>;
  pay(by?: Tenant): Promise<string>;
  statusOf(paymentId: string, by?: Tenant): Promise<string>;
  kycStatusOf(paymentId: string, by?: Tenant): Promise<string>;
}

async function scene(): Promise<Scene> {
  const made = await world();
  const { deps } = made;
  const tenant: Tenant = { orgId: await made.organization(), mode: 'test' };
  return {
    ...made,
    tenant,
    start: (start = individual, by = tenant, with_ = deps) => startBuyerKyc(with_, by, start),
    pay: async (by = tenant) => {
      const { payment } = await createPayment(deps, by, {
        origin: 'payment_intent',
        idempotencyKey: null,
        externalId: null,
        amount: { amountMinor: 10_000n, currency: 'USD' },
        buyer: { email: 'buyer@example.com', name: null, country: null, phone: null },
        sellerExternalId: null,
        returnUrl: null,
        display: null,
        metadata: '{}',
        expiresAtMs: null,
      });
      return payment.id;
    },
    statusOf: async (id, by = tenant) => (await readPayment(deps, by, id)).payment.status,
    kycStatusOf: async (id, by = tenant) => (await readPayment(deps, by, id)).kycStatus,
  };
}

function refuses(code: string, pattern = /./): (error: unknown) => boolean {
  return (error) =>
    error instanceof PonteError && error.code === code && pattern.test(error.message);
}

function withPartner(deps: Deps, changed: Partial<SettlementPartner>): Deps {
  const { test: partner } = deps.partners;
  assert.ok(partner !== null);
  return { ...deps, partners: { ...deps.partners, test: { ...partner, ...changed } } };
}

/** Those about buyers: the organizations' own KYB is an order too. */
async function commandsOf({ deps }: World) {
  const all = await deps.store.run((tx) => tx.commands.list({ stuck: false, limit: 100 }));
  return all.filter(({ kind }) => kind !== 'submit_organization');
}

async function decided({ deps, tenant }: Scene, { id }: KycSubmission): Promise<string> {
  const submission = await deps.store.run((tx) => tx.buyers.submissionById(tenant, id));
  assert.ok(submission !== null);
  return submission.status;
}

test('a dossier goes to the partner in the call and is verifying until the decision', async () => {
  for (const start of [individual, business]) {
    const made = await scene();
    const submission = await made.start(start);
    assert.equal(submission.status, 'verifying');
    assert.match(submission.receiverId, /^rcv_/);
    assert.notEqual(submission.partnerRef, null, 'the partner knows it when the call returns');
    assert.equal(submission.flowId, null);
    await made.settle();
    assert.equal(await decided(made, submission), 'approved');
    await made.close();
  }
});

test('the dossier is kept nowhere but sealed in the order to the partner', async () => {
  const made = await scene();
  await made.start(business);
  const [command] = await commandsOf(made);
  assert.ok(command?.request);
  for (const secret of ['Acme', 'DE123456789', 'Ana', 'selfie.jpg']) {
    const rows = await made.deps.store.run(async (tx) => [
      await tx.buyers.submissionById(made.tenant, command.submissionId ?? ''),
      await tx.buyers.byEmail('test', 'buyer@example.com'),
      command,
    ]);
    assert.ok(!JSON.stringify(rows, replaceBigint).includes(secret), secret);
  }
  const told: unknown = JSON.parse(
    made.deps.secretBox.open(command.request, requestPurpose(command)),
  );
  const order = { ...acme, email: 'Buyer@Example.com', kycTier: 'standard', role: 'buyer' };
  assert.deepEqual(told, { ...(told as object), ...order, entityType: 'business' });
  await made.close();
});

test('nothing of a dossier is logged', async () => {
  const made = await scene();
  await made.start(business);
  await made.settle();
  assert.doesNotMatch(JSON.stringify(made.log, replaceBigint), /Acme|DE123456789|selfie\.jpg/);
  await made.close();
});

test('what is missing for the entityType: TosIdMismatch naming the paths as the API has them', async () => {
  const made = await scene();
  const { taxId: _, ...taxless } = owner;
  const cases = [
    [
      { ...individual, dossier: {} },
      /: firstName, lastName, dateOfBirth, idDocCountry, idDocType, selfieFile, idDocFrontFile\./,
    ],
    [
      { ...business, dossier: {} },
      new RegExp(
        ': legalName, formationDate, taxId, website, buyerCountry, addressLine1, city, stateProvinceRegion, ' +
          'postalCode, incorporationDocFile, proofOfOwnershipDocFile, owners\\.',
      ),
    ],
    [{ ...business, dossier: { ...acme, owners: [owner, taxless] } }, /: owners\[1\]\.taxId\./],
    [{ ...business, dossier: { ...acme, owners: [] } }, /: owners\./],
  ] as const;
  for (const [start, pattern] of cases) {
    await assert.rejects(made.start(start), refuses('TosIdMismatch', pattern));
  }
  const asking = withPartner(made.deps, { requirements: () => ['phone', 'tosId'] });
  await assert.rejects(
    made.start(individual, made.tenant, asking),
    refuses('TosIdMismatch', /lacks: phone, tosId\./),
  );
  assert.deepEqual(await commandsOf(made), []);
  await made.close();
});

test('enhanced is for individuals: ValidationError for a business', async () => {
  const made = await scene();
  const tier = { kycTier: 'enhanced' } as const;
  await assert.rejects(
    made.start({ ...business, dossier: { ...acme, ...tier } }),
    refuses('ValidationError', /^kycTier: /),
  );
  const submission = await made.start({ ...individual, dossier: { ...ana, ...tier } });
  assert.equal(submission.status, 'verifying');
  await made.close();
});

test('file URLs must be https', async () => {
  const made = await scene();
  const dossier = { ...ana, selfieFile: 'http://files.example/selfie.jpg' };
  await assert.rejects(
    made.start({ ...individual, dossier }),
    refuses('ValidationError', /^selfieFile: send an https URL/),
  );
  assert.deepEqual(await commandsOf(made), []);
  await made.close();
});

test('invoiceId must be a payment of this tenant: NotFound', async () => {
  const made = await scene();
  const stranger: Tenant = { orgId: await made.organization(), mode: 'test' };
  const [own, foreign] = [await made.pay(), await made.pay(stranger)];
  for (const paymentId of [foreign, 'inv_unknown', '']) {
    for (const start of [individual, hosted]) {
      await assert.rejects(made.start({ ...start, paymentId }), refuses('NotFound'));
    }
  }
  assert.equal((await made.start({ ...individual, paymentId: own })).status, 'verifying');
  await made.close();
});

test('one buyer per mode and address: found if known, made if not, never changed', async () => {
  const made = await scene();
  const paymentId = await made.pay();
  const { payment } = await readPayment(made.deps, made.tenant, paymentId);
  const submission = await made.start({ ...individual, email: ' BUYER@example.COM' });
  assert.equal(submission.buyerId, payment.buyerId);
  const buyer = await made.deps.store.run((tx) => tx.buyers.get('test', payment.buyerId));
  assert.equal(buyer?.email, 'buyer@example.com', 'as first given');
  const other = await made.start({ ...individual, email: 'other@example.com' });
  assert.notEqual(other.buyerId, payment.buyerId);
  await made.close();
});

test('while verifying or approved a start answers with the submission there is', async () => {
  const made = await scene();
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
  assert.equal((await commandsOf(made)).length, 1, 'one order to the partner');
  await made.close();
});

test('starts that race are one submission and one order', async () => {
  const made = await scene();
  const all = await Promise.all(Array.from({ length: 5 }, () => made.start()));
  assert.equal(new Set(all.map(({ id }) => id)).size, 1);
  assert.equal((await commandsOf(made)).length, 1);
  await made.close();
});

test('after a rejection a start opens a fresh submission, verifying', async () => {
  const made = await scene();
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
  await made.close();
});

test('the first tosId told is recorded; another later: TosIdMismatch, also after a rejection', async () => {
  const made = await scene();
  const withTos = (start: KycStart, tosId: string): KycStart => ({
    ...start,
    dossier: { ...start.dossier, tosId },
  });
  const failing = { ...individual, dossier: { ...ana, firstName: 'Fail' } };
  assert.equal((await made.start(failing)).tosId, null);
  const told = await made.start(withTos(failing, 'tos_1'));
  assert.deepEqual([told.status, told.tosId], ['verifying', 'tos_1']);
  await assert.rejects(made.start(withTos(failing, 'tos_2')), refuses('TosIdMismatch'));
  await made.settle();
  made.advanceClock(1);
  await assert.rejects(made.start(withTos(individual, 'tos_2')), refuses('TosIdMismatch'));
  await assert.rejects(made.start(withTos(hosted, 'tos_2')), refuses('TosIdMismatch'));
  const fresh = await made.start();
  assert.deepEqual([fresh.status, fresh.tosId], ['verifying', 'tos_1']);
  const [command] = await commandsOf(made);
  assert.ok(command?.request);
  const order = made.deps.secretBox.open(command.request, requestPurpose(command));
  assert.equal((JSON.parse(order) as { tosId: string }).tosId, 'tos_1');
  await made.close();
});

test('without entityType a submission waits for the hosted form, under one unguessable id', async () => {
  const made = await scene();
  const said = { ...hosted, name: 'Ana Lima', dossier: { country: 'PT', phone: '+351 1' } };
  const first = await made.start(said);
  assert.equal(first.status, 'pending');
  assert.match(first.flowId ?? '', /^[\w-]{24}$/);
  const again = await made.start({ ...hosted, dossier: { phone: '+351 2' } });
  assert.deepEqual([again.id, again.flowId], [first.id, first.flowId]);
  const draft = readDraft(made.deps, again);
  assert.deepEqual(draft, { name: 'Ana Lima', dossier: { country: 'PT', phone: '+351 2' } });
  assert.ok(!again.draftSealed?.includes('Lima'));
  const found = await made.deps.store.run((tx) => tx.buyers.submissionByFlow(first.flowId ?? ''));
  assert.deepEqual(found, again);
  assert.deepEqual(await commandsOf(made), []);
  await made.close();
});

test('a dossier takes the submission that waits for the hosted form further', async () => {
  const made = await scene();
  const waiting = await made.start(hosted);
  made.advanceClock(5);
  const submission = await made.start();
  assert.deepEqual(
    [submission.id, submission.status, submission.draftSealed],
    [waiting.id, 'verifying', null],
  );
  assert.equal(submission.submittedAtMs, waiting.submittedAtMs + 5);
  await made.close();
});

test('the decision moves the payments that wait for this buyer, of this tenant alone', async () => {
  const made = await scene();
  const other: Tenant = { orgId: await made.organization(), mode: 'test' };
  const [here, there] = [await made.pay(), await made.pay(other)];
  await signIn(made.deps, made.tenant, here);
  await signIn(made.deps, other, there);
  await made.start({ ...individual, dossier: { ...ana, firstName: 'Fail' } });
  assert.equal(await made.kycStatusOf(here), 'verifying');
  assert.equal(await made.kycStatusOf(there, other), 'not_started', 'nothing of it shows there');
  await made.settle();
  assert.equal(await made.statusOf(here), 'failed');
  assert.equal(await made.statusOf(there, other), 'buyer_kyc_pending');
  assert.equal(await made.kycStatusOf(there, other), 'not_started');
  made.advanceClock(1);
  await made.start(individual, other);
  await made.settle();
  assert.equal(await made.statusOf(there, other), 'buyer_kyc_approved');
  assert.equal(await made.kycStatusOf(here), 'rejected');
  await made.close();
});

test('two tenants start the same buyer apart from each other', async () => {
  const made = await scene();
  const other: Tenant = { orgId: await made.organization(), mode: 'test' };
  const one = await made.start({ ...individual, dossier: { ...ana, tosId: 'tos_1' } });
  await made.settle();
  const two = await made.start({ ...individual, dossier: { ...ana, tosId: 'tos_2' } }, other);
  assert.equal(two.buyerId, one.buyerId);
  assert.notEqual(two.id, one.id);
  assert.deepEqual([two.status, two.tosId], ['verifying', 'tos_2']);
  await made.close();
});

test('an approval taken back turns the record rejected; running payments go on', async () => {
  const made = await scene();
  const submission = await made.start();
  await made.settle();
  const running = await made.pay();
  await signIn(made.deps, made.tenant, running);
  assert.equal(await made.statusOf(running), 'buyer_kyc_approved');
  made.advanceClock(1);
  const taken = { status: 'rejected', reason: 'sanctions list' } as const;
  await decideKyc(made.deps, made.tenant, submission.id, taken);
  assert.equal(await decided(made, submission), 'rejected');
  assert.equal(await made.statusOf(running), 'buyer_kyc_approved');
  made.advanceClock(1);
  const next = await made.pay();
  await signIn(made.deps, made.tenant, next);
  assert.equal(await made.statusOf(next), 'buyer_kyc_pending');
  await made.close();
});

test('a call in doubt is answered as verifying, and goes on by itself under the same order', async () => {
  const made = await scene();
  const lost: PartnerAnswer<never> = { outcome: 'unknown', reason: 'no answer' };
  const silent = withPartner(made.deps, { submitReceiver: async () => lost });
  const submission = await made.start(individual, made.tenant, silent);
  assert.deepEqual([submission.status, submission.partnerRef], ['verifying', null]);
  assert.deepEqual(await made.start(individual, made.tenant, silent), submission);
  made.advanceClock(60_000);
  await made.settle();
  assert.equal(await decided(made, submission), 'approved');
  assert.equal((await commandsOf(made)).length, 1);
  await made.close();
});

test('a partner that cannot be asked: PartnerUnavailable, and nothing is recorded', async () => {
  const made = await scene();
  const away = withPartner(made.deps, {
    prepareReceiver: async () => ({ outcome: 'later', reason: 'down' }),
  });
  await assert.rejects(made.start(individual, made.tenant, away), refuses('PartnerUnavailable'));
  assert.deepEqual(await commandsOf(made), []);
  await assert.rejects(
    made.start(individual, { ...made.tenant, mode: 'live' }),
    refuses('PartnerUnavailable'),
  );
  await made.close();
});

for (const [decision, firstName] of [
  ['approved', 'Ana'],
  ['rejected', 'Fail'],
] as const) {
  test(`documents are purged when the buyer is ${decision}, and stay until then`, async () => {
    const made = await scene();
    const { deps, tenant } = made;
    const { documents: storage } = deps;
    assert.ok(storage !== null);
    const { buyerId } = await made.start(hosted);
    const url = async (kind: 'selfie' | 'id_doc_front') => {
      const upload = await createUpload(deps, tenant, {
        ...{ owner: { party: 'buyer', id: buyerId }, kind },
        ...{ contentType: 'image/png', ownerIndex: null },
      });
      const [, documentId = '', signature = ''] =
        /documents\/(\w+)\/content\?signature=(\w+)$/.exec(upload.uploadUrl) ?? [];
      const bytes = chunks(kind);
      const sent = { documentId, signature, contentType: 'image/png', sizeBytes: null, bytes };
      await receiveUpload(deps, sent);
      return upload.publicUrl;
    };
    const files = { selfieFile: await url('selfie'), idDocFrontFile: await url('id_doc_front') };
    const dossier = { ...ana, ...files, firstName };
    const submission = await made.start({ ...individual, dossier });
    const purges = () => runPurges(deps, deps.clock.nowMs(), 100);
    await purges();
    assert.equal((await allOf(storage)).length, 2, 'the partner reads them');
    await made.settle();
    assert.equal(await decided(made, submission), decision);
    await purges();
    assert.deepEqual(await allOf(storage), []);
    await made.close();
  });
}

function replaceBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}
