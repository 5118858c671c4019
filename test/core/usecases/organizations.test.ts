// Organizations on their way to collecting: in the sandbox at once, in live mode step by step, and
// through a partner whose answers get lost.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createFakePartner } from '../../../adapters/partner/fake.js';
import { mayCollect } from '../../../core/domain/organization.js';
import type { Mode } from '../../../core/domain/tenant.js';
import { type ErrorCode, PonteError } from '../../../core/errors.js';
import type { Deps, PartnerAnswer, SettlementPartner } from '../../../core/ports.js';
import {
  acceptTerms,
  approveKyb,
  configurePayout,
  createOrganization,
  grantProduction,
  listOrganizations,
  readOrganization,
  requireApproval,
  submitKyb,
} from '../../../core/usecases/organizations.js';
import { onboardingStatus } from '../../../core/usecases/sessions.js';
import { createPonte, type Ponte } from '../../../host/embed.js';

const pix = { pixKey: 'ana@example.com', accountHolderName: 'Ana' } as const;
const secret = `whsec_${Buffer.alloc(24).toString('base64')}`;

let ponte: Ponte;
let deps: Deps;
before(async () => {
  ponte = await createPonte();
  deps = { ...ponte.deps, partners: { test: partner('test'), live: partner('live') } };
});
after(() => ponte.close());

function partner(mode: Mode): SettlementPartner {
  const { clock } = ponte.deps;
  return createFakePartner({ mode, clock, delayMs: 0, secret, deliver: async () => undefined });
}

function refusal(code: ErrorCode) {
  return (error: unknown): error is PonteError =>
    error instanceof PonteError && error.code === code;
}

async function newOrganization(name = 'Exporter', sandboxKyb = false): Promise<string> {
  return (await createOrganization(deps, { name, sandboxKyb })).organization.id;
}

test('with the sandbox cleared an organization collects in test mode at once', async () => {
  const { organization, profiles } = await createOrganization(deps, {
    name: ' Exporter ',
    sandboxKyb: true,
  });
  assert.equal(organization.name, 'Exporter');
  assert.equal(mayCollect(profiles.test), true);
  assert.notEqual(profiles.test.destinationRef, null);
  assert.equal(profiles.live.kybStatus, null);
  assert.equal(mayCollect(profiles.live), false);
});

test('without the sandbox nothing is begun', async () => {
  const { profiles } = await createOrganization(deps, { name: 'Exporter', sandboxKyb: false });
  for (const mode of ['test', 'live'] as const) {
    const { kybStatus, receiverId, partnerRef, virtualAccountRef } = profiles[mode];
    assert.deepEqual([kybStatus, receiverId, partnerRef, virtualAccountRef], Array(4).fill(null));
  }
});

test('a name is needed', async () => {
  for (const name of ['', '  ', 'a'.repeat(201), 'a\0']) {
    const made = createOrganization(deps, { name, sandboxKyb: false });
    await assert.rejects(made, refusal('ValidationError'));
  }
});

test('all organizations are listed', async () => {
  const id = await newOrganization();
  const listed = await listOrganizations(deps);
  assert.equal(listed.filter((one) => one.id === id).length, 1);
});

test('what an unknown organization is asked for is not found', async () => {
  const tenant = { orgId: 'org_0', mode: 'test' } as const;
  for (const call of [
    readOrganization(deps, 'org_0'),
    submitKyb(deps, tenant),
    approveKyb(deps, tenant),
    acceptTerms(deps, tenant, null),
    configurePayout(deps, tenant, pix),
    grantProduction(deps, 'org_0'),
    requireApproval(deps, 'org_0', true),
  ]) {
    await assert.rejects(call, refusal('NotFound'));
  }
});

test('the virtual account comes with the last of KYB and PIX destination', async () => {
  const tenant = { orgId: await newOrganization(), mode: 'test' } as const;
  await assert.rejects(configurePayout(deps, tenant, pix), refusal('KybNotApproved'));
  const submitted = await submitKyb(deps, tenant);
  assert.equal(submitted.profiles.test.kybStatus, 'approved');
  assert.equal(mayCollect(submitted.profiles.test), false);
  const configured = await configurePayout(deps, tenant, pix);
  assert.equal(mayCollect(configured.profiles.test), true);
});

test('the PIX key is not kept, and another destination replaces the one before', async () => {
  const tenant = { orgId: await newOrganization('Exporter', true), mode: 'test' } as const;
  const first = await configurePayout(deps, tenant, pix);
  assert.doesNotMatch(JSON.stringify(first), /ana@example/);
  const again = await configurePayout(deps, tenant, pix);
  assert.equal(again.profiles.test.destinationRef, first.profiles.test.destinationRef);
  const other = await configurePayout(deps, tenant, { ...pix, pixKey: 'eva@example.com' });
  assert.notEqual(other.profiles.test.destinationRef, first.profiles.test.destinationRef);
});

test('an empty PIX key or holder is refused', async () => {
  const tenant = { orgId: await newOrganization('Exporter', true), mode: 'test' } as const;
  for (const change of [{ pixKey: ' ' }, { accountHolderName: '' }]) {
    const made = configurePayout(deps, tenant, { ...pix, ...change });
    await assert.rejects(made, refusal('ValidationError'));
  }
});

test('a rejected organization is submitted anew as another party', async () => {
  const { organization, profiles } = await createOrganization(deps, {
    name: 'Fail',
    sandboxKyb: true,
  });
  assert.equal(profiles.test.kybStatus, 'rejected');
  const again = await submitKyb(deps, { orgId: organization.id, mode: 'test' });
  assert.equal(again.profiles.test.kybStatus, 'rejected');
  assert.notEqual(again.profiles.test.receiverId, profiles.test.receiverId);
});

describe('live mode', () => {
  test('needs production access before an approval', async () => {
    const tenant = { orgId: await newOrganization(), mode: 'live' } as const;
    await assert.rejects(approveKyb(deps, tenant), refusal('ProductionAccessNotApproved'));
    await grantProduction(deps, tenant.orgId);
    const approved = await approveKyb(deps, tenant);
    assert.equal(approved.profiles.live.kybStatus, 'approved');
    const { profiles } = await configurePayout(deps, tenant, pix);
    assert.equal(mayCollect(profiles.live), true);
    assert.equal(profiles.test.kybStatus, null, 'the other mode is another matter');
  });

  test('gets its virtual account with production access when all else was there', async () => {
    const tenant = { orgId: await newOrganization(), mode: 'live' } as const;
    await submitKyb(deps, tenant);
    const waiting = await configurePayout(deps, tenant, pix);
    assert.equal(mayCollect(waiting.profiles.live), false);
    const granted = await grantProduction(deps, tenant.orgId);
    assert.equal(mayCollect(granted.profiles.live), true);
    const grantedAtMs = granted.organization.productionGrantedAtMs;
    await ponte.advanceTime(1);
    const again = await grantProduction(deps, tenant.orgId);
    assert.equal(again.organization.productionGrantedAtMs, grantedAtMs, 'granted once');
  });

  test('is activated by its KYB and production access together, in either order', async () => {
    const tenant = { orgId: await newOrganization(), mode: 'live' } as const;
    const status = async () => (await onboardingStatus(deps, tenant)).needsOnboarding;
    await submitKyb(deps, tenant);
    assert.equal(await status(), true);
    await grantProduction(deps, tenant.orgId);
    assert.equal(await status(), false);
    const other = { orgId: await newOrganization(), mode: 'live' } as const;
    await grantProduction(deps, other.orgId);
    assert.equal((await onboardingStatus(deps, other)).needsOnboarding, true);
    await submitKyb(deps, other);
    assert.equal((await onboardingStatus(deps, other)).needsOnboarding, false);
  });

  test('without a partner is refused; production access is not', async () => {
    const none: Deps = { ...deps, partners: { ...deps.partners, live: null } };
    const orgId = await newOrganization();
    const submitted = submitKyb(none, { orgId, mode: 'live' });
    await assert.rejects(submitted, refusal('ValidationError'));
    await grantProduction(none, orgId);
  });
});

test('whether invoices need approval is switched on and off', async () => {
  const orgId = await newOrganization();
  for (const on of [true, true, false]) {
    const { organization } = await requireApproval(deps, orgId, on);
    assert.equal(organization.requiresApproval, on);
  }
});

describe('a partner whose answers get lost', () => {
  const calls = ['submitReceiver', 'registerPixDestination', 'provisionRails'] as const;

  /** The call has its effect, and its answer never comes. */
  function losing(call: (typeof calls)[number]): { deps: Deps; parties: Set<string> } {
    const real = partner('test');
    const parties = new Set<string>();
    let lost = false;
    const lossy: SettlementPartner = {
      ...real,
      submitReceiver: async (request) => {
        const answer = await real.submitReceiver(request);
        if (answer.outcome === 'done') parties.add(answer.value.partnerRef);
        return once('submitReceiver', answer);
      },
      registerPixDestination: async (input) =>
        once('registerPixDestination', await real.registerPixDestination(input)),
      provisionRails: async (input) => once('provisionRails', await real.provisionRails(input)),
    };
    const once = <T>(name: string, answer: PartnerAnswer<T>): PartnerAnswer<T> => {
      if (name !== call || lost) return answer;
      lost = true;
      return { outcome: 'unknown', reason: 'no answer' };
    };
    return { deps: { ...deps, partners: { ...deps.partners, test: lossy } }, parties };
  }

  for (const call of calls) {
    test(`${call}: a create says what is not ready, repeats complete it`, async () => {
      const lossy = losing(call);
      const made = createOrganization(lossy.deps, { name: 'Exporter', sandboxKyb: true });
      const error = await made.then(
        () => assert.fail('the answer was lost'),
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof PonteError && error.code === 'PartnerUnavailable');
      const orgId = /org_\w+/.exec(error.message)?.[0] ?? '';
      const tenant = { orgId, mode: 'test' } as const;
      await submitKyb(lossy.deps, tenant);
      const { profiles } = await configurePayout(lossy.deps, tenant, pix);
      assert.equal(mayCollect(profiles.test), true);
      assert.equal(lossy.parties.size, 1, 'one party at the partner');
    });
  }
});
