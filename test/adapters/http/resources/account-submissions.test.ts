// Submitting connected accounts over HTTP: the partner's decision, and calls that go wrong.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { beforeEach, test } from 'node:test';
import type { SettlementPartner } from '../../../../core/ports/partner.js';
import { submitAccount } from '../../../../core/usecases/parties/accounts.js';
import {
  createUpload,
  listDocuments,
  receiveUpload,
} from '../../../../core/usecases/parties/documents.js';
import { makeIntent } from '../../../support/scenes/made-payments.js';
import type { Json } from '../../../support/servers/json-call.js';
import { refusalOf, sharedSite } from '../checked-site.js';
import { sellerDossier } from './account-calls.js';
import {
  type AccountClient,
  newAccountClient,
  personDossier,
  reportOn,
  withPartner,
  writtenBy,
} from './account-client.js';

const person = { ...personDossier, email: 'bo@example.com' } as const;

const site = sharedSite();
let api: AccountClient;

beforeEach(async () => {
  api = await newAccountClient(site);
});

test('a seller business is approved in the answer to its submit', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  const { body } = await api.submit(id, sellerDossier);
  assert.equal(body['status'], 'approved');
  assert.match(String(body['receiverId']), /^rcv_/);
  assert.equal(body['approvedAt'], body['updatedAt']);
  assert.equal(body['readyToCollect'], false);
  assert.deepEqual(await api.events(), ['created', 'kyb_approved']);
});

test('receiverId is ours and never null once submitted; no answer shows the partner’s ids', async () => {
  const made = await api.create({ role: 'seller', entityType: 'business' });
  assert.equal(made.body['receiverId'], null);
  const { id } = made.body;
  const answers = [made, await api.submit(id, sellerDossier), await api.payout(id)];
  const receiverId = answers[1]?.body['receiverId'];
  assert.match(String(receiverId), /^rcv_[0-9a-z]{26}$/);
  answers.push(await api.get(id), await api.list(''));
  assert.equal(answers[3]?.body['receiverId'], receiverId);
  const { store } = site.world.deps;
  const stored = await store.run((tx) => tx.accounts.get(api.tenant, String(id)));
  for (const inside of [stored?.partnerRef, stored?.destinationRef, stored?.railsRef]) {
    assert.ok(inside);
    for (const { text } of answers) assert.ok(!text.includes(inside), text);
  }
});

test('an individual is verifying, and the partner decides by message', async () => {
  for (const [firstName, status, event] of [
    ['Bo', 'approved', 'kyb_approved'],
    ['Fail', 'rejected', 'kyb_rejected'],
  ] as const) {
    for (const role of ['seller', 'buyer']) {
      api = await newAccountClient(site);
      const { id } = (await api.create({ role, entityType: 'individual' })).body;
      const submitted = await api.submit(id, { ...person, firstName });
      assert.equal(submitted.body['status'], 'verifying');
      assert.match(String(submitted.body['receiverId']), /^rcv_/);
      await site.world.settle();
      const { body } = await api.get(id);
      assert.equal(body['status'], status);
      assert.notEqual(body[`${status}At`], null);
      assert.deepEqual(await api.events(), ['created', event]);
    }
  }
});

test('an event carries the account as it stands, under the id of the event', async () => {
  const made = await api.create({ role: 'seller', entityType: 'business', externalId: 'e' });
  await api.submit(made.body['id'], sellerDossier);
  await site.world.settle();
  const feed = await site.world.deps.store.run((tx) => tx.feed.after(api.tenant, 0, 10));
  const bodies = feed.map(({ body }) => JSON.parse(body) as { event: string; data: Json });
  const fields = {
    connectedAccountId: made.body['id'],
    externalId: 'e',
    role: 'seller',
    entityType: 'business',
    readyToCollect: false,
  };
  assert.deepEqual(
    bodies.map(({ event, data: { externalEventId, occurredAt, ...data } }, index) => {
      assert.equal(externalEventId, feed[index]?.id);
      assert.equal(occurredAt, made.body['createdAt']);
      return { event, ...data };
    }),
    [
      { event: 'connected_account.created', ...fields, status: 'created' },
      { event: 'connected_account.kyb_approved', ...fields, status: 'approved' },
    ],
  );
});

test('while verifying or approved a submit answers with the account as it is', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'individual' })).body;
  const first = await api.submit(id, person);
  assert.equal(first.body['status'], 'verifying');
  for (const body of [person, {}, { ...person, firstName: 'Fail', tosId: 'unknown' }]) {
    assert.deepEqual((await api.submit(id, body)).body, first.body);
  }
  await site.world.settle();
  const approved = (await api.get(id)).body;
  assert.equal(approved['status'], 'approved');
  assert.deepEqual((await api.submit(id, {})).body, approved);
  assert.equal(approved['receiverId'], first.body['receiverId']);
});

test('a seller who is a person has the names of its dossier, and buyers see them', async () => {
  const externalId = 'bo';
  const { id } = (await api.create({ role: 'seller', entityType: 'individual', externalId })).body;
  await api.submit(id, person);
  await site.world.settle();
  assert.equal((await api.get(id)).body['legalName'], `${person.firstName} ${person.lastName}`);
  assert.equal((await api.payout(id)).body['readyToCollect'], true);
  const { payment } = await makeIntent(site.world.deps, api.tenant, {
    sellerExternalId: externalId,
  });
  assert.equal(payment.payeeName, 'Bo Ek');
});

test('submits that race make one party at the partner', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  const { start } = site.world.partner.party;
  const requests = new Set<string>();
  const counted: typeof start = (request) => {
    requests.add(request);
    return start(request);
  };
  await withPartner(site.world, { party: { start: counted } }, async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => api.submit(id, sellerDossier)),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    await site.world.settle();
  });
  assert.equal(requests.size, 1);
  assert.equal((await api.get(id)).body['status'], 'approved');
  assert.deepEqual(await api.events(), ['created', 'kyb_approved']);
});

test('after a rejection a submit opens a fresh submission as a fresh receiver', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  const rejected = (await api.submit(id, { ...sellerDossier, legalName: 'Fail' })).body;
  assert.equal(rejected['status'], 'rejected');
  assert.notEqual(rejected['rejectedAt'], null);
  const firstCommand = await api.submissionOf(id);
  const again = (await api.submit(id, sellerDossier)).body;
  assert.equal(again['status'], 'approved');
  assert.equal(again['rejectedAt'], null);
  assert.notEqual(again['receiverId'], rejected['receiverId']);
  // A late report on the previous submission decides nothing.
  await reportOn(site.world, firstCommand, { status: 'rejected', reason: 'late' });
  assert.deepEqual((await api.get(id)).body, again);
  assert.deepEqual(await api.events(), ['created', 'kyb_rejected', 'kyb_approved']);
});

test('a partner that refuses a dossier for good has rejected it', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  const start = async () => ({ outcome: 'refused', code: 'sanctioned', message: 'no' }) as const;
  const find = async () => ({ outcome: 'done', value: null }) as const;
  await withPartner(site.world, { party: { start, find } }, async () => {
    assert.equal((await api.submit(id, sellerDossier)).body['status'], 'rejected');
  });
  assert.equal((await api.submit(id, sellerDossier)).body['status'], 'approved');
});

test('a call whose answer is lost leaves it verifying; the workers do the rest', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  const lost: readonly SettlementPartner['party']['start'][] = [
    async () => ({ outcome: 'unknown', reason: 'time-out' }),
    async () => Promise.reject(new Error('reset')),
  ];
  for (const start of lost) {
    await withPartner(site.world, { party: { start } }, async () => {
      const { body } = await api.submit(id, sellerDossier);
      assert.equal(body['status'], 'verifying');
    });
  }
  site.world.advanceClock(5_000);
  await site.world.settle();
  assert.equal((await api.get(id)).body['status'], 'approved');
});

test('a crash between the record and the call is healed when the lease runs out', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  const called = Promise.withResolvers<void>();
  const start: SettlementPartner['party']['start'] = () => {
    called.resolve();
    return new Promise(() => undefined);
  };
  await withPartner(site.world, { party: { start } }, async () => {
    // Nobody answers this request any more: its process is dead.
    void submitAccount(site.world.deps, api.tenant, String(id), sellerDossier);
    await called.promise;
  });
  await site.world.settle();
  assert.equal((await api.get(id)).body['status'], 'verifying');
  site.world.advanceClock(60_000);
  await site.world.settle();
  assert.equal((await api.get(id)).body['status'], 'approved');
});

test('a partner that cannot prepare a submission: 503, and nothing is recorded', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  const prepare = async () => ({ outcome: 'later', reason: 'down' }) as const;
  await withPartner(site.world, { party: { prepare } }, async () => {
    assert.equal(refusalOf(await api.submit(id, sellerDossier)), '503 PartnerUnavailable');
  });
  assert.equal((await api.get(id)).body['status'], 'created');
});

test('an approval that the partner takes back turns the account rejected', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  await api.submit(id, sellerDossier);
  await reportOn(site.world, await api.submissionOf(id), {
    status: 'rejected',
    reason: 'sanctions list',
  });
  const { body } = await api.get(id);
  assert.equal(body['status'], 'rejected');
  assert.notEqual(body['rejectedAt'], null);
  await reportOn(site.world, await api.submissionOf(id), { status: 'approved', reason: null });
  assert.deepEqual((await api.get(id)).body, body);
  assert.deepEqual(await api.events(), ['created', 'kyb_approved', 'kyb_rejected']);
});

test('tax ids and dossiers are readable nowhere: answers, rows, events, log', async () => {
  const answers: string[] = [];
  const written = await writtenBy(async () => {
    const account = { role: 'buyer', entityType: 'individual', taxId: 'TAX-777777' };
    const made = await api.create(account);
    const { id } = made.body;
    const dossier = { ...person, lastName: 'Zxywvut', taxId: 'TAX-888888' };
    answers.push(made.text, (await api.submit(id, dossier)).text);
    await site.world.settle();
    const { body, text } = await api.get(id);
    assert.equal(body['taxIdLast4'], '8888');
    answers.push(text, (await api.list('')).text);
  });
  const { log, sent } = site.world;
  const outputs = [...written, ...answers, JSON.stringify(log), JSON.stringify(sent)];
  for (const secret of ['TAX-777777', 'TAX-888888', 'Zxywvut']) {
    assert.ok(!outputs.some((text) => text.includes(secret)), secret);
  }
});

test('documents of an account are bound by its submission, purged by its decision', async () => {
  const { deps } = site.world;
  for (const firstName of ['Bo', 'Fail']) {
    const { id } = (await api.create({ role: 'buyer', entityType: 'individual' })).body;
    const selfieFile = await uploaded(String(id));
    const other = (await api.create({ role: 'buyer', entityType: 'individual' })).body['id'];
    const stolen = await api.submit(other, { ...person, selfieFile });
    assert.equal(refusalOf(stolen), '400 ValidationError');
    assert.match(String(stolen.body['message']), /^selfieFile: /);
    const submitted = await api.submit(id, { ...person, firstName, selfieFile });
    assert.equal(submitted.body['status'], 'verifying');
    const kept = () => listDocuments(deps, { kept: true, beforeId: null, limit: 10 });
    assert.deepEqual(
      (await kept()).map(({ row }) => row?.status),
      ['submitted'],
    );
    await site.world.settle();
    assert.deepEqual(await kept(), []);
  }
});

/** The public URL of a selfie that was uploaded for this account. */
async function uploaded(id: string): Promise<string> {
  const { deps } = site.world;
  const owner = { party: 'account', id } as const;
  const upload = { owner, kind: 'selfie', contentType: 'image/png', ownerIndex: null } as const;
  const { uploadUrl, publicUrl } = await createUpload(deps, api.tenant, upload);
  const [, documentId = '', signature = ''] =
    /documents\/(\w+)\/content\?signature=(\w+)$/.exec(uploadUrl) ?? [];
  const bytes = Readable.from([Buffer.from('png')]);
  const contentType = 'image/png';
  await receiveUpload(deps, { documentId, signature, contentType, sizeBytes: null, bytes });
  return publicUrl;
}

test('a create takes any text, and the submit judges what it then needs', async () => {
  const whole = { email: 'shop@example.com', legalName: 'Loja', country: 'BR', taxId: '1' };
  const judged = [
    ['email', 'n/a', 'email: send an e-mail address.'],
    ['country', 'BRA', 'country: send text of exactly 2 characters.'],
    ['legalName', 'x'.repeat(201), 'legalName: send text of 1 to 200 characters.'],
    ['taxId', 'x'.repeat(65), 'taxId: send text of 1 to 64 characters.'],
  ] as const;
  const { cnpj } = sellerDossier;
  for (const [name, value, message] of judged) {
    const account = { role: 'seller', entityType: 'business', ...whole, [name]: value };
    const made = await api.create(account);
    assert.equal(made.status, 201, name);
    if (name !== 'taxId') assert.equal(made.body[name], value);
    const refused = await api.submit(made.body['id'], { cnpj });
    assert.equal(refusalOf(refused), '400 ValidationError', name);
    assert.equal(refused.body['message'], message);
    assert.equal((await api.get(made.body['id'])).body['status'], 'created');
    const dossier = { cnpj, [name]: whole[name] };
    assert.equal((await api.submit(made.body['id'], dossier)).body['status'], 'approved', name);
  }
});

test('text of a create that is blank says nothing, and blanks around an address do not count', async () => {
  const kind = { role: 'seller', entityType: 'business' };
  const blank = { email: '', legalName: ' ', displayName: '', country: '', taxId: '' };
  const made = await api.create({ ...kind, ...blank });
  assert.equal(made.status, 201);
  const { cnpj, ...rest } = sellerDossier;
  const refused = await api.submit(made.body['id'], { cnpj });
  assert.equal(refusalOf(refused), '400 ConnectedAccountMissingFields');
  assert.match(String(refused.body['message']), /lacks: email, legalName\./);
  const submitted = await api.submit(made.body['id'], { ...rest, cnpj });
  assert.deepEqual([submitted.body['status'], submitted.body['country']], ['approved', null]);
  const padded = await api.create({ ...kind, email: ' Shop@Example.com\n', legalName: 'Loja' });
  assert.equal(padded.body['email'], ' Shop@Example.com\n');
  const { body } = await api.submit(padded.body['id'], { cnpj });
  assert.deepEqual([body['status'], body['email']], ['approved', 'Shop@Example.com']);
});

test('a create takes text as long as a body may be, on every database', async () => {
  const long = 'x'.repeat(40_000);
  for (const role of ['seller', 'buyer']) {
    const account = { role, entityType: 'business', email: long, legalName: long };
    const made = await api.create({ ...account, displayName: long, country: long, taxId: long });
    assert.equal(made.status, 201);
    assert.deepEqual((await api.get(made.body['id'])).body, made.body);
    const refused = await api.submit(made.body['id'], { cnpj: sellerDossier.cnpj });
    assert.equal(refusalOf(refused), '400 ValidationError');
  }
});
