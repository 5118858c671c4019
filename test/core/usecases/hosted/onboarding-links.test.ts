// The links of sellers: made for a seller alone, used once, over in time, and ended by a newer one;
// and the first PIX destination, which is all that a link sets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSessionToken, pageSessionKinds } from '../../../../core/domain/access/session.js';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { readyToCollect } from '../../../../core/domain/parties/connected-account.js';
import { noPayout } from '../../../../core/domain/parties/payee.js';
import type { Deps } from '../../../../core/ports/deps.js';
import { guarded } from '../../../../core/usecases/access/guarded-changes.js';
import { guardSession, readSession } from '../../../../core/usecases/access/open-sessions.js';
import {
  createOnboardingLink,
  onboardingLinkState,
  readOnboarding,
  redeemOnboardingLink,
  setFirstDestination,
} from '../../../../core/usecases/hosted/onboarding-links.js';
import {
  redeemPhoneUpload,
  startPhoneUpload,
} from '../../../../core/usecases/hosted/page-documents.js';
import { readAccount, submitAccount } from '../../../../core/usecases/parties/accounts.js';
import { listAccountChanges } from '../../../../core/usecases/parties/payout-changes.js';
import { scene, withPartner } from '../../../support/scenes/kyc-scene.js';
import { newSeller, sellerSession } from '../../../support/scenes/seller-scene.js';
import { valuesOf } from '../../../support/values-of.js';

function tokenOf({ url }: { readonly url: string }): string {
  return new URL(url).searchParams.get('token') ?? assert.fail('the link has a token');
}

async function newLink(deps: Deps, tenant: Tenant, id: string): Promise<string> {
  return tokenOf(await createOnboardingLink(deps, tenant, id));
}

/** A form of the session that stores something. */
async function sends(deps: Deps, { token }: { readonly token: string }): Promise<void> {
  const session =
    (await readSession(deps, pageSessionKinds, token)) ?? assert.fail('the session is open');
  const nowMs = deps.clock.nowMs();
  const acting = guarded(deps, (tx) => guardSession(tx, session, nowMs));
  await acting.store.run(async (tx) => tx.sessions.touch({ ...session, seenAtMs: nowMs + 1 }));
}

test('a link starts sessions of its seller until one stores something, which ends the rest', async (t) => {
  const { deps, tenant } = await scene(t);
  const { id } = await newSeller(deps, tenant);
  const token = await newLink(deps, tenant, id);
  const stateOf = async () => (await onboardingLinkState(deps, tenant, id, token)).state;
  assert.equal(await stateOf(), 'valid');
  const gateway = await redeemOnboardingLink(deps, tenant, id, token);
  assert.partialDeepStrictEqual(gateway?.session, { ...tenant, kind: 'seller', accountId: id });
  assert.equal(await stateOf(), 'valid', 'a gateway may have pressed the button');
  const person = (await redeemOnboardingLink(deps, tenant, id, token)) ?? assert.fail();
  await sends(deps, person);
  assert.equal(await stateOf(), 'used');
  assert.equal(await redeemOnboardingLink(deps, tenant, id, token), null);
  assert.equal(await readSession(deps, pageSessionKinds, gateway?.token ?? ''), null);
  await sends(deps, person);
});

test('of sessions of a link that store something at once, one goes on', async (t) => {
  const { deps, tenant } = await scene(t);
  const { id } = await newSeller(deps, tenant);
  const token = await newLink(deps, tenant, id);
  const uses = [1, 2, 3].map(() => redeemOnboardingLink(deps, tenant, id, token));
  const made = (await Promise.all(uses)).filter((one) => one !== null);
  const sent = await Promise.allSettled(made.map((one) => sends(deps, one)));
  assert.equal(sent.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('of links that are made at once, one is valid', async (t) => {
  const { deps, tenant } = await scene(t);
  const { id } = await newSeller(deps, tenant);
  const tokens = await Promise.all([1, 2, 3].map(() => newLink(deps, tenant, id)));
  const states = tokens.map((token) => onboardingLinkState(deps, tenant, id, token));
  const valid = (await Promise.all(states)).filter(({ state }) => state === 'valid');
  assert.equal(valid.length, 1);
});

test('a newer link ends the links and sessions before it', async (t) => {
  const { deps, tenant } = await scene(t);
  const { id } = await newSeller(deps, tenant);
  const unused = await newLink(deps, tenant, id);
  const used = await newLink(deps, tenant, id);
  assert.equal(await redeemOnboardingLink(deps, tenant, id, unused), null);
  const made = await redeemOnboardingLink(deps, tenant, id, used);
  const newest = await newLink(deps, tenant, id);
  assert.equal(await readSession(deps, pageSessionKinds, made?.token ?? ''), null);
  assert.deepEqual(await onboardingLinkState(deps, tenant, id, newest), { state: 'valid' });
});

test('a newer link ends few rows, however often a phone was asked for', async (t) => {
  const { deps, tenant } = await scene(t);
  const { id } = await newSeller(deps, tenant);
  const made = await redeemOnboardingLink(deps, tenant, id, await newLink(deps, tenant, id));
  const session = sellerSession(tenant, id);
  const first = await startPhoneUpload(deps, session);
  const phone = await redeemPhoneUpload(deps, await startPhoneUpload(deps, session));
  const last = await startPhoneUpload(deps, session);
  assert.equal(await readSession(deps, pageSessionKinds, first), null);
  assert.equal(await readSession(deps, pageSessionKinds, phone?.token ?? ''), null);
  const open = await deps.store.run((tx) =>
    tx.sessions.open(tenant, pageSessionKinds, { accountId: id }),
  );
  assert.deepEqual(open.map(({ kind }) => kind).toSorted(), ['seller', 'seller_link', 'upload']);
  await newLink(deps, tenant, id);
  for (const token of [last, made?.token ?? ''])
    assert.equal(await readSession(deps, pageSessionKinds, token), null);
});

test('a link works for 7 days, whenever it is opened first', async (t) => {
  const world = await scene(t);
  const { deps, tenant } = world;
  const { id } = await newSeller(deps, tenant);
  const { expiresAtMs, ...link } = await createOnboardingLink(deps, tenant, id);
  assert.equal(expiresAtMs, deps.clock.nowMs() + 7 * DAY_MS);
  world.advanceClock(7 * DAY_MS - 1);
  assert.deepEqual(await onboardingLinkState(deps, tenant, id, tokenOf(link)), { state: 'valid' });
  world.advanceClock(1);
  const over = { state: 'over', atMs: expiresAtMs };
  assert.deepEqual(await onboardingLinkState(deps, tenant, id, tokenOf(link)), over);
  assert.equal(await redeemOnboardingLink(deps, tenant, id, tokenOf(link)), null);
});

test('a link opens its own seller alone, and the store has only the hash of its token', async (t) => {
  const world = await scene(t);
  const { deps, tenant } = world;
  const { id } = await newSeller(deps, tenant);
  const { id: other } = await newSeller(deps, tenant);
  const token = await newLink(deps, tenant, id);
  const elsewhere = await world.newTenant();
  const wrong: readonly (readonly [Tenant, string, string])[] = [
    [tenant, other, token],
    [elsewhere, id, token],
    [{ ...tenant, mode: 'live' }, id, token],
    [tenant, id, `${token}x`],
  ];
  for (const [by, account, given] of wrong) {
    const { state } = await onboardingLinkState(deps, by, account, given);
    assert.equal(state, 'unknown');
    assert.equal(await redeemOnboardingLink(deps, by, account, given), null);
  }
  const stored = await deps.store.run((tx) =>
    tx.sessions.byToken(['seller_link'], hashSessionToken(token)),
  );
  assert.ok(stored !== null && !JSON.stringify(stored).includes(token));
});

test('only a seller of the tenant has a link', async (t) => {
  const world = await scene(t);
  const { deps, tenant } = world;
  const { id } = await newSeller(deps, tenant);
  const account = await newSeller(deps, tenant, { role: 'buyer' });
  const refused = createOnboardingLink(deps, tenant, account.id);
  await assert.rejects(refused, { code: 'ValidationError' });
  await assert.rejects(readOnboarding(deps, tenant, account.id), { code: 'NotFound' });
  const foreign = createOnboardingLink(deps, await world.newTenant(), id);
  await assert.rejects(foreign, { code: 'NotFound' });
});

test('the seller sets its first PIX destination, and never another', async (t) => {
  const { deps, tenant } = await scene(t);
  const { id } = await newSeller(deps, tenant);
  const pix = { pixKey: 'ana@seller.example', accountHolderName: 'Ana Ltda' };
  const early = setFirstDestination(deps, tenant, id, pix);
  await assert.rejects(early, { code: 'ConnectedAccountNotApproved' });
  const dossier = { email: 'ana@seller.example', legalName: 'Ana Ltda', cnpj: '11222333000181' };
  await submitAccount(deps, tenant, id, dossier);
  await setFirstDestination(deps, tenant, id, pix);
  assert.equal(readyToCollect(await readAccount(deps, tenant, id)), true);
  await setFirstDestination(deps, tenant, id, pix);
  const other = setFirstDestination(deps, tenant, id, { ...pix, pixKey: 'thief@evil.example' });
  await assert.rejects(other, { code: 'InsufficientScope' });
  const changes = await listAccountChanges(deps, tenant, id);
  assert.deepEqual(valuesOf(changes, 'changedBy'), [id]);
});

test('a seller that had a destination as another party sets none, ready or not', async (t) => {
  const { deps, tenant } = await scene(t);
  const { id } = await newSeller(deps, tenant);
  const pix = { pixKey: 'ana@seller.example', accountHolderName: 'Ana Ltda' };
  const dossier = { email: 'ana@seller.example', legalName: 'Ana Ltda', cnpj: '11222333000181' };
  await submitAccount(deps, tenant, id, dossier);
  await setFirstDestination(deps, tenant, id, pix);
  await deps.store.run(async (tx) => {
    const account = (await tx.accounts.get(tenant, id)) ?? assert.fail('no account');
    const other = { ...account, ...noPayout, partnerRef: 're_other', readyAtMs: null };
    tx.accounts.update(Object.freeze(other));
  });
  const partner = withPartner(deps, {
    registerPixDestination: async () => ({
      outcome: 'done',
      value: { destinationRef: 'pix_other' },
    }),
  });
  const again = setFirstDestination(partner, tenant, id, pix);
  await assert.rejects(again, { code: 'InsufficientScope' });
});
