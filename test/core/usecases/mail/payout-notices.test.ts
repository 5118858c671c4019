// Who is notified of a changed PIX destination, and which payments keep the old one.
import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { memberRoles } from '../../../../core/domain/access/member.js';
import { HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { ConnectedAccount } from '../../../../core/domain/parties/connected-account.js';
import type { PayoutInput } from '../../../../core/ports/partner.js';
import { removeMember } from '../../../../core/usecases/access/members.js';
import {
  configureAccountPayout,
  createAccount,
  setAccountLocale,
  submitAccount,
} from '../../../../core/usecases/parties/accounts.js';
import { configurePayout } from '../../../../core/usecases/parties/organizations.js';
import { readPayment } from '../../../../core/usecases/payments/payments.js';
import { changePartner } from '../../../support/partners/changed-partner.js';
import { anyAuthor } from '../../../support/samples/domain-samples.js';
import { aMail } from '../../../support/samples/mail-samples.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { partyReported } from '../../../support/scenes/kyc-scene.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import { valuesOf } from '../../../support/values-of.js';

const dossier = { legalName: 'Loja Ltda', cnpj: '11.222.333/0001-81' } as const;
const pixOf = (name: string) => ({ pixKey: `${name}@pix.example`, accountHolderName: 'Loja Ltda' });

let made: World;
let tenant: Tenant;

beforeEach(async (t) => {
  made = await world(t as TestContext);
  tenant = await made.newTenant();
  for (const role of memberRoles) await member(role);
});

function member(role: (typeof memberRoles)[number], email = `${role}@acme.example`) {
  return addActiveMember(made.deps, { orgId: tenant.orgId, email, role });
}

/** An approved seller without a destination. */
async function newSeller(
  email = 'loja@example.com',
  externalId = 'seller-1',
): Promise<ConnectedAccount> {
  const { account } = await createAccount(made.deps, tenant, {
    role: 'seller',
    entityType: 'business',
    externalId,
    email,
    legalName: null,
    displayName: 'Loja',
    country: null,
    taxId: null,
  });
  return submitAccount(made.deps, tenant, account.id, dossier);
}

/** Configures a payout; returns who was mailed because of it, and the alerts. */
async function configured({ id }: ConnectedAccount, name: string) {
  await made.settle();
  const [mailed, logged] = [made.mails.length, made.log.length];
  await configureAccountPayout(made.deps, tenant, id, pixOf(name), anyAuthor);
  await made.settle();
  return since(mailed, logged);
}

function since(mailed: number, logged: number) {
  return {
    to: made.mails
      .slice(mailed)
      .map(({ to }) => to)
      .toSorted(),
    alerts: made.log.slice(logged).flatMap(({ level, message, fields }) => {
      return message === 'alert' ? [`${level}: ${fields['alert']}`] : [];
    }),
  };
}

const nobody = { to: [], alerts: [] };
const changed = {
  to: ['admin@acme.example', 'loja@example.com', 'owner@acme.example'],
  alerts: ['error: the PIX destination of a seller was changed'],
};

test('a first destination sends no notice; a change notifies owners, admins and the seller', async () => {
  const seller = await newSeller();
  assert.deepEqual(await configured(seller, 'first'), nobody);
  assert.deepEqual(await configured(seller, 'first'), nobody, 'the same again');
  assert.deepEqual(await configured(seller, 'thief'), changed);
  assert.deepEqual(await configured(seller, 'thief'), nobody);
  assert.deepEqual(await configured(seller, 'first'), changed, 'and back');
  const notices = made.mails.filter(({ text }) => !text.includes('Your team was changed'));
  for (const { to, locale, subject, text } of notices) {
    const isSeller = to === 'loja@example.com';
    assert.equal(locale, isSeller ? 'pt-BR' : 'en');
    const english = '[Test] The PIX destination of Loja was changed';
    assert.equal(subject === english, !isSeller, subject);
    assert.ok(text.includes(seller.id));
    assert.ok(text.includes(anyAuthor.changedBy));
    assert.doesNotMatch(text, /pix\.example|token=/);
  }
});

test('the seller is notified in the language that was chosen for it, a member in its own', async () => {
  const seller = await newSeller();
  await configured(seller, 'first');
  const people = { orgId: 'service', mode: 'live' } as const;
  const toKey = 'owner@acme.example';
  await made.deps.store.run(async (tx) => {
    tx.mails.insert({ ...aMail({ to: toKey, toKey, locale: 'pt-BR' }), ...people, id: 'mail_in' });
  });
  await setAccountLocale(made.deps, tenant, seller.id, 'es');
  const from = made.mails.length;
  await configured(seller, 'other');
  const ofPeople = made.mails.slice(from).map(({ to, locale }) => `${to} ${locale}`);
  assert.deepEqual(ofPeople.toSorted(), [
    'admin@acme.example en',
    'loja@example.com es',
    'owner@acme.example pt-BR',
  ]);
});

test('a removed member is not notified; an owner who is also the seller is notified once', async () => {
  await removeMember(made.deps, tenant.orgId, 'admin@acme.example');
  const seller = await newSeller(' Owner@acme.example');
  await configured(seller, 'first');
  const { to } = await configured(seller, 'other');
  assert.deepEqual(
    to.map((address) => address.toLowerCase()),
    ['owner@acme.example'],
  );
});

test('of changes that are not held an address gets five notices an hour, the log has all', async () => {
  const seller = await newSeller();
  await configured(seller, 'first');
  for (let count = 0; count < 5; count += 1) {
    assert.deepEqual(await configured(seller, `thief-${count}`), changed);
    made.advanceClock(MINUTE_MS);
  }
  assert.deepEqual(await configured(seller, 'quiet'), { ...changed, to: [] });
  made.advanceClock(HOUR_MS);
  assert.deepEqual(await configured(seller, 'again'), changed);
});

test('changes of other sellers do not use up the notices about one', async () => {
  const [decoy, seller] = [await newSeller('decoy@example.com', 'decoy'), await newSeller()];
  await configured(decoy, 'first');
  await configured(seller, 'first');
  for (let count = 0; count < 6; count += 1) await configured(decoy, `thief-${count}`);
  assert.deepEqual(await configured(seller, 'thief'), changed);
});

test('of changes that are not held an address gets five notices an hour for each seller', async () => {
  const [decoy, seller] = [await newSeller('decoy@example.com', 'decoy'), await newSeller()];
  await configured(decoy, 'first');
  await configured(seller, 'first');
  for (let count = 0; count < 5; count += 1) {
    assert.deepEqual(await configured(seller, `thief-${count}`), changed);
    await configured(decoy, `decoy-${count}`);
  }
  assert.deepEqual(await configured(seller, 'sixth'), { ...changed, to: [] });
});

test('concurrent changes are notified once each', async () => {
  const seller = await newSeller();
  await configured(seller, 'first');
  const mailed = made.mails.length;
  await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      configureAccountPayout(made.deps, tenant, seller.id, pixOf(name), anyAuthor),
    ),
  );
  await made.settle();
  assert.equal(made.mails.length - mailed, 3 * changed.to.length);
});

test('a seller that could collect before is notified after it was verified again', async () => {
  const seller = await newSeller();
  await configured(seller, 'first');
  const command = await made.deps.store.run((tx) => tx.commands.get(seller.commandId ?? ''));
  assert.ok(command?.kind === 'submit_account');
  const rejected = { status: 'rejected', reason: null } as const;
  await partyReported(made.deps, command, command.partnerRef ?? '', rejected);
  const again = await submitAccount(made.deps, tenant, seller.id, dossier);
  assert.deepEqual([again.status, again.destinationRef], ['approved', null]);
  assert.deepEqual(await configured(seller, 'thief'), changed);
});

test('existing payments keep their destination, new ones get the new one', async () => {
  const seller = await newSeller();
  await configured(seller, 'first');
  const before = await made.newPayment(tenant, { sellerExternalId: 'seller-1' });
  await configured(seller, 'thief');
  const after = await made.newPayment(tenant, { sellerExternalId: 'seller-1' });
  const inputs: PayoutInput[] = [];
  const { payout } = made.partner;
  const prepare = (input: PayoutInput) => {
    inputs.push(input);
    return payout.prepare(input);
  };
  changePartner(made.partner, { payout: { prepare } });
  for (const id of [before, after]) {
    await made.play(tenant, id, 'settled');
  }
  const kept = [before, after].map(async (id) => {
    const { payment } = await readPayment(made.deps, tenant, id);
    return payment.destination;
  });
  const [old, fresh] = await Promise.all(kept);
  assert.notEqual(old, fresh);
  assert.deepEqual(valuesOf(inputs, 'destination'), [old, fresh]);
});

test('a change of the organization’s own destination notifies its owners and admins', async () => {
  await made.settle();
  const [mailed, logged] = [made.mails.length, made.log.length];
  await configurePayout(made.deps, tenant, pixOf('elsewhere'), 'opr_1');
  await configurePayout(made.deps, tenant, pixOf('elsewhere'), 'opr_1');
  await made.settle();
  assert.deepEqual(since(mailed, logged), {
    to: ['admin@acme.example', 'owner@acme.example'],
    alerts: ['error: the PIX destination of an organization was changed'],
  });
  assert.equal(made.mails.at(-1)?.subject, '[Test] The PIX destination of Acme Ltda was changed');
});

test('a notice is tried for a week', async () => {
  const seller = await newSeller();
  await configured(seller, 'first');
  await configureAccountPayout(made.deps, tenant, seller.id, pixOf('other'), anyAuthor);
  made.advanceClock(7 * 24 * HOUR_MS);
  await made.settle();
  const filter = { status: 'dropped', beforeId: null, limit: 9 } as const;
  const dropped = await made.deps.store.run((tx) => tx.mails.list(filter));
  assert.deepEqual(valuesOf(dropped, 'lastError'), Array(3).fill('it is too old'));
});
