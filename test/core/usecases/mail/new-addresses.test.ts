// How many addresses an organization mails that it has not mailed before, over all purposes.
import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { inviteMember } from '../../../../core/usecases/access/member-invitations.js';
import { inviteBuyer } from '../../../../core/usecases/payments/invoices.js';
import { newAddressWaitMs } from '../../../../core/usecases/service/rate-limits.js';
import { askForLink, makeIntent, makeInvoice } from '../../../support/scenes/made-payments.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import { codeOf, projectFiles } from '../../../support/source-tree.js';
import { valuesOf } from '../../../support/values-of.js';

const AN_HOUR_MAX = 50;
let made: World;
let tenant: Tenant;
let names = 0;

beforeEach(async (t) => {
  made = await world(t as TestContext);
  tenant = await made.newTenant();
});

function stranger(): string {
  names += 1;
  return `stranger${names}@example.com`;
}

const buyer = (email = stranger()) => ({ email, name: null, country: null, phone: null });

/** Each mails an address, by another purpose. */
const purposes: Readonly<Record<string, (home: Tenant) => Promise<unknown>>> = {
  invitation: async (home) => {
    const { payment } = await makeInvoice(made.deps, home, { buyer: buyer() });
    await inviteBuyer(made.deps, home, payment.id);
  },
  signIn: async (home) => {
    const { payment } = await makeIntent(made.deps, home, { buyer: buyer() });
    await askForLink(made.deps, payment);
  },
  team: ({ orgId }) =>
    inviteMember(
      made.deps,
      { orgId, email: stranger(), role: 'viewer' },
      { memberId: null, keptBy: null },
      'en',
    ),
};

const mailedTo = () => new Set(made.mails.map(({ to }) => to));

test('invitations, sign-ins and the team share the new addresses of a sandbox tenant', async () => {
  for (let round = 0; round < 25; round += 1) {
    for (const mail of Object.values(purposes)) await mail(tenant);
  }
  await made.settle();
  const first = mailedTo().size;
  assert.ok(first >= 20 && first <= AN_HOUR_MAX, `${first} were mailed`);
  const counts: number[] = [first];
  for (let minutes = 0; minutes < 240; minutes += 10) {
    made.advanceClock(10 * MINUTE_MS);
    await made.settle();
    counts.push(mailedTo().size);
  }
  const hours = counts.slice(6).map((count, at) => count - (counts[at] ?? 0));
  assert.ok(Math.max(...hours) <= AN_HOUR_MAX && (counts[5] ?? 0) <= AN_HOUR_MAX, `${counts}`);
  assert.ok((counts.at(-1) ?? 0) > first, 'mails that are still of use are sent later');
});

test('a waiting mail says why, and is dropped once its link has ended', async () => {
  for (let count = 0; count < 40; count += 1) await purposes['signIn']?.(tenant);
  await made.settle();
  const list = () =>
    made.deps.store.run((tx) => tx.mails.list({ status: null, beforeId: null, limit: 100 }));
  const waiting = (await list()).filter(({ status }) => status === 'pending');
  assert.equal(waiting.length, 10);
  for (const { lastError } of waiting) assert.match(lastError ?? '', /many new addresses/);
  made.advanceClock(HOUR_MS);
  await made.settle();
  assert.ok(!(await list()).some(({ status }) => status === 'pending'));
});

test('an address that was mailed before is mailed at once, and other tenants have their own budget', async () => {
  const known = stranger();
  const { payment } = await makeIntent(made.deps, tenant, { buyer: buyer(known) });
  await askForLink(made.deps, payment);
  await made.settle();
  for (let count = 0; count < 40; count += 1) await purposes['invitation']?.(tenant);
  await made.settle();
  const before = made.mails.length;
  made.advanceClock(2 * MINUTE_MS);
  await askForLink(made.deps, payment);
  await made.settle();
  assert.deepEqual(valuesOf(made.mails.slice(before), 'to'), [known]);
  await purposes['invitation']?.(await made.newTenant());
  await made.settle();
  assert.equal(made.mails.length, before + 2);
});

test('live mode has more, and mails that nobody asked for leave sign-ins their part', async () => {
  await made.deps.store.run(async (tx) => {
    const organization = (await tx.organizations.get(tenant.orgId)) ?? assert.fail();
    tx.organizations.update({ ...organization, productionGrantedAtMs: made.deps.clock.nowMs() });
  });
  // Mails to members are of live mode.
  for (let count = 0; count < 510; count += 1) await purposes['team']?.(tenant);
  await made.settle();
  assert.equal(mailedTo().size, 500);
  const of = { orgId: tenant.orgId, mode: 'live' } as const;
  assert.notEqual(await newAddressWaitMs(made.deps, of, false), null);
  assert.equal(await newAddressWaitMs(made.deps, of, true), null);
});

test('one function sends mails, so no purpose passes the budget', () => {
  const senders = projectFiles().flatMap((file) => {
    const isProduct = /^(core|adapters|host|cli)\//.test(file.path);
    return isProduct && /\bmailer\.send\(/.test(codeOf(file)) ? [file.path] : [];
  });
  assert.deepEqual(senders, ['core/usecases/mail/mails.ts']);
});
