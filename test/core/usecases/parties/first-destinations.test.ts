// The first PIX destination of a payee, by everyone who can set one: whether it is held, and who is
// mailed.
import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import type { DestinationOrigin } from '../../../../core/domain/parties/destination-change.js';
import { noPayout } from '../../../../core/domain/parties/payee.js';
import type { Deps } from '../../../../core/ports/deps.js';
import { setFirstDestination } from '../../../../core/usecases/hosted/onboarding-links.js';
import {
  configureAccountPayout,
  createAccount,
  readAccount,
  submitAccount,
} from '../../../../core/usecases/parties/accounts.js';
import {
  configurePayout,
  readOrganization,
  registerPayout,
  stagePayout,
} from '../../../../core/usecases/parties/organizations.js';
import type { PixDestination } from '../../../../core/usecases/parties/party-payouts.js';
import { operatorDoes } from '../../../support/operator-action.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { type World, world } from '../../../support/scenes/test-world.js';

const cnpj = '11.222.333/0001-81';
const seller = 'loja@example.com';
const owner = 'owner@acme.example';
const notTheirs = {
  'an address': 'thief@evil.example',
  'the CNPJ of another': '99999999000191',
  'a phone number': '+5511999999999',
  'a random key': '123e4567-e89b-12d3-a456-426655440000',
  'a CPF of somebody': '52998224725',
};
const theirs = { 'their CNPJ': '11222333000181' };

let made: World;
let deps: Deps;
let live: Tenant;
let memberId: string;

beforeEach(async (t) => {
  made = await world(t as TestContext);
  deps = { ...made.deps, partners: { test: made.partner, live: made.partner } };
  const orgId = await made.organization();
  live = { orgId, mode: 'live' };
  memberId = (await addActiveMember(deps, { orgId, email: owner, role: 'owner' })).id;
  await deps.store.run(async (tx) => {
    const of = async (mode: Tenant['mode']) =>
      (await tx.organizations.profile({ orgId, mode })) ?? assert.fail('no profile');
    const { status, partnerRef } = await of('test');
    tx.organizations.updateProfile({ ...(await of('live')), status, partnerRef });
    tx.organizations.updateProfile({ ...(await of('test')), ...noPayout });
  });
  await made.settle();
});

interface Set {
  /** When it counts; null: at once. */
  readonly heldUntilMs: number | null;
  readonly destinationRef: string | null;
}

/** Each sets the first destination of a payee in its way, and returns the payee. */
const ways: Readonly<
  Record<DestinationOrigin, (tenant: Tenant, destination: PixDestination) => Promise<Set>>
> = {
  async key(tenant, destination) {
    const id = await newSeller(tenant);
    const by = { origin: 'key', changedBy: 'key_1', mayRedirect: false } as const;
    return configureAccountPayout(deps, tenant, id, destination, by);
  },
  async seller(tenant, destination) {
    const id = await newSeller(tenant);
    await setFirstDestination(deps, tenant, id, destination);
    return readAccount(deps, tenant, id);
  },
  async member(tenant, destination) {
    return (await configurePayout(deps, tenant, destination, memberId)).profiles[tenant.mode];
  },
  async operator(tenant, destination) {
    const registered = await registerPayout(deps, tenant, destination);
    const nowMs = deps.clock.nowMs();
    await deps.store.run((tx) => stagePayout({ deps, tx, nowMs }, tenant, registered, 'opr_1'));
    return (await readOrganization(deps, tenant.orgId)).profiles[tenant.mode];
  },
};
const origins = Object.keys(ways) as readonly DestinationOrigin[];

async function newSeller(tenant: Tenant): Promise<string> {
  const { account } = await createAccount(deps, tenant, {
    role: 'seller',
    entityType: 'business',
    externalId: null,
    email: seller,
    legalName: null,
    displayName: 'Loja',
    country: null,
    taxId: null,
  });
  const dossier = { legalName: 'Loja Ltda', cnpj };
  assert.equal((await submitAccount(deps, tenant, account.id, dossier)).status, 'approved');
  return account.id;
}

/** How a way sets a destination: held or not, and who is mailed with what. */
async function setBy(origin: DestinationOrigin, tenant: Tenant, pixKey: string) {
  await made.settle();
  const [mailed, logged] = [made.mails.length, made.log.length];
  const set = await ways[origin](tenant, { pixKey, accountHolderName: 'Loja Ltda' });
  await made.settle();
  const mails = made.mails.slice(mailed);
  return {
    isHeld: set.heldUntilMs !== null,
    counts: set.destinationRef !== null,
    to: mails.map(({ to }) => to).toSorted(),
    stopLinks: mails.filter(({ text }) => text.includes('/stop/')).length,
    alerts: made.log.slice(logged).filter(({ message }) => message === 'alert').length,
  };
}

for (const origin of origins) {
  const recipients = origin === 'key' || origin === 'seller' ? [seller, owner] : [owner];
  const heldOf = (isOwnNumber: boolean) => origin === 'key' && !isOwnNumber;
  const keys = [
    ...Object.entries(notTheirs).map(([name, key]) => [name, key, heldOf(false)] as const),
    ...Object.entries(theirs).map(([name, key]) => [name, key, heldOf(true)] as const),
  ];
  for (const [name, pixKey, isHeld] of keys) {
    const what = isHeld ? 'held' : 'not held';
    test(`live: a first destination by a ${origin}, ${name}, is mailed and ${what}`, async () => {
      assert.deepEqual(await setBy(origin, live, pixKey), {
        isHeld,
        counts: !isHeld,
        to: recipients,
        stopLinks: isHeld ? recipients.length : 0,
        alerts: isHeld ? 1 : 0,
      });
    });
  }

  test(`a first destination by a ${origin} is mailed even if nothing is held`, async () => {
    await operatorDoes(deps, live.orgId, { verb: 'payout-hold', hours: 0 });
    const { isHeld, to } = await setBy(origin, live, 'thief@evil.example');
    assert.deepEqual([isHeld, to], [false, recipients]);
  });

  test(`test mode: a first destination by a ${origin} is neither held nor mailed`, async () => {
    const set = await setBy(origin, { ...live, mode: 'test' }, 'thief@evil.example');
    assert.deepEqual([set.isHeld, set.counts, set.to], [false, true, []]);
  });
}

test('a tax id that the partner has not verified yet proves nothing', async () => {
  const id = await newSeller(live);
  const thief = '99999999000191';
  await deps.store.run(async (tx) => {
    const account = (await tx.accounts.get(live, id)) ?? assert.fail('no account');
    const asked = JSON.stringify([{ field: 'taxId', reason: '' }]);
    tx.accounts.update({ ...account, corrections: asked });
  });
  made.advanceClock(1);
  const slow = { ...deps, runCommand: () => Promise.resolve() };
  const { status } = await submitAccount(slow, live, id, { cnpj: thief });
  assert.equal(status, 'approved');
  const destination = { pixKey: thief, accountHolderName: 'Loja Ltda' };
  const by = { origin: 'key', changedBy: 'key_1', mayRedirect: true } as const;
  const { heldUntilMs } = await configureAccountPayout(slow, live, id, destination, by);
  assert.notEqual(heldUntilMs, null);
});

test('the letter about a first destination says so, and what the link stops', async () => {
  await setBy('key', live, 'thief@evil.example');
  const ofMembers = made.mails.slice(-2).filter(({ locale }) => locale === 'en');
  assert.equal(ofMembers.length, 1, 'that of the seller is in its language');
  for (const { subject, text } of ofMembers) {
    assert.equal(subject, 'The PIX destination of Loja was set');
    assert.match(text, /by the API key key_1/);
    assert.match(text, /None can be created before\./);
    assert.doesNotMatch(text, /keep the old one|evil\.example/);
  }
});
