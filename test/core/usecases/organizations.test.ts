// Organizations on their way to collecting: in the sandbox at once, in live mode step by step, and
// through a partner whose answers get lost.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createFakePartner } from '../../../adapters/partner/fake.js';
import { MINUTE_MS } from '../../../core/domain/instant.js';
import { mayCollect } from '../../../core/domain/organization.js';
import type { Mode, Tenant } from '../../../core/domain/tenant.js';
import { type ErrorCode, PonteError } from '../../../core/errors.js';
import type {
  Deps,
  PartnerAnswer,
  ReceiverOrder,
  ReceiverReport,
  SettlementPartner,
} from '../../../core/ports.js';
import { runCommands } from '../../../core/usecases/commands.js';
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
import { applyFact } from '../../../core/usecases/settlement.js';
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

describe('the KYB is an order to the partner', () => {
  interface Desk {
    readonly deps: Deps;
    /** The exact requests that were submitted. */
    readonly requests: string[];
    answer: PartnerAnswer<{ partnerRef: string } & ReceiverReport>;
    report: ReceiverReport;
  }

  function desk(): Desk {
    const verifying = { status: 'verifying', reason: null } as const;
    const made: Desk = {
      requests: [],
      answer: { outcome: 'done', value: { partnerRef: 're_1', ...verifying } },
      report: verifying,
      deps: {
        ...deps,
        partners: {
          ...deps.partners,
          test: {
            ...partner('test'),
            submitReceiver: async (request) => {
              made.requests.push(request);
              return made.answer;
            },
            receiver: async () => ({ outcome: 'done', value: made.report }),
          },
        },
      },
    };
    return made;
  }

  async function begun(): Promise<Tenant> {
    return { orgId: await newOrganization(), mode: 'test' };
  }

  const kybOf = async (tenant: Tenant) =>
    (await readOrganization(deps, tenant.orgId)).profiles[tenant.mode];

  const orderOf = async (tenant: Tenant) => {
    const { kybCommandId } = await kybOf(tenant);
    return deps.store.run((tx) => tx.commands.get(kybCommandId ?? ''));
  };

  /** What the workers of these ports do a minute later; those of `ponte` have others. */
  async function workLater(at: Deps): Promise<void> {
    const nowMs = at.clock.nowMs() + MINUTE_MS;
    await runCommands({ ...at, clock: { nowMs: () => nowMs } }, nowMs, 100);
  }

  test('it is submitted once, however often it is asked about', async () => {
    const [at, tenant] = [desk(), await begun()];
    for (let count = 0; count < 3; count += 1) {
      const { profiles } = await submitKyb(at.deps, tenant);
      assert.equal(profiles.test.kybStatus, 'verifying');
    }
    assert.equal(at.requests.length, 1);
    const order = await orderOf(tenant);
    assert.deepEqual([order?.kind, order?.state], ['submit_organization', 'done']);
  });

  test('asked again, it brings the decision', async () => {
    for (const status of ['approved', 'rejected'] as const) {
      const [at, tenant] = [desk(), await begun()];
      await submitKyb(at.deps, tenant);
      at.report = { status, reason: null };
      const { profiles } = await submitKyb(at.deps, tenant);
      assert.equal(profiles.test.kybStatus, status);
    }
  });

  test('a decision that nobody asks for is found by the workers', async () => {
    const [at, tenant] = [desk(), await begun()];
    await submitKyb(at.deps, tenant);
    at.report = { status: 'approved', reason: null };
    await workLater(at.deps);
    assert.equal((await kybOf(tenant)).kybStatus, 'approved');
  });

  test('a decision is taken by message, also one that takes an approval back', async () => {
    const [at, tenant] = [desk(), await begun()];
    await submitKyb(at.deps, tenant);
    const order = await orderOf(tenant);
    for (const status of ['approved', 'rejected'] as const) {
      const report = { status, reason: null };
      const fact = { kind: 'receiver', reference: null, partnerRef: 're_1', report } as const;
      await applyFact(at.deps, order?.id ?? '', fact);
      assert.equal((await kybOf(tenant)).kybStatus, status);
    }
  });

  test('news of an earlier submission decides nothing on the next one', async () => {
    const [at, tenant] = [desk(), await begun()];
    await submitKyb(at.deps, tenant);
    const first = await orderOf(tenant);
    const told = async (status: 'approved' | 'rejected') => {
      const report = { status, reason: null };
      const fact = { kind: 'receiver', reference: null, partnerRef: 're_1', report } as const;
      await applyFact(at.deps, first?.id ?? '', fact);
    };
    await told('rejected');
    at.answer = { outcome: 'unknown', reason: 'no answer' };
    await assert.rejects(submitKyb(at.deps, tenant), refusal('PartnerUnavailable'));
    await told('approved');
    const { kybStatus, partnerRef } = await kybOf(tenant);
    assert.deepEqual([kybStatus, partnerRef], ['verifying', null]);
  });

  test('a submission whose answer was lost goes out again with the very same request', async () => {
    const [at, tenant] = [desk(), await begun()];
    const { answer } = at;
    at.answer = { outcome: 'unknown', reason: 'no answer' };
    await assert.rejects(submitKyb(at.deps, tenant), refusal('PartnerUnavailable'));
    await assert.rejects(submitKyb(at.deps, tenant), refusal('PartnerUnavailable'));
    at.answer = answer;
    await workLater(at.deps);
    assert.equal((await kybOf(tenant)).partnerRef, 're_1');
    // The workers see the orders of other tests too.
    const { kybCommandId } = await kybOf(tenant);
    const sent = at.requests.filter((request) => request.includes(String(kybCommandId)));
    assert.equal(sent.length, 3);
    assert.equal(new Set(sent).size, 1);
  });

  test('a partner that refuses the party has rejected it', async () => {
    const [at, tenant] = [desk(), await begun()];
    at.answer = { outcome: 'refused', code: 'name_taken', message: 'There is such a party.' };
    const { profiles } = await submitKyb(at.deps, tenant);
    assert.equal(profiles.test.kybStatus, 'rejected');
    await submitKyb(at.deps, tenant);
    await approveKyb(at.deps, tenant);
    assert.equal((await kybOf(tenant)).kybStatus, 'approved', 'an operator’s word counts');
  });

  test('two at once make one submission', async () => {
    const [at, tenant] = [desk(), await begun()];
    const both = await Promise.allSettled([submitKyb(at.deps, tenant), submitKyb(at.deps, tenant)]);
    assert.equal(both.filter(({ status }) => status === 'fulfilled').length > 0, true);
    assert.equal(at.requests.length, 1);
  });

  test('a party after a rejection has no account and no destination of the one before', async () => {
    const tenant = { orgId: await newOrganization('Exporter', true), mode: 'test' } as const;
    assert.equal(mayCollect(await kybOf(tenant)), true);
    const order = await orderOf(tenant);
    const report = { status: 'rejected', reason: null } as const;
    const fact = { kind: 'receiver', reference: null, partnerRef: 're_1', report } as const;
    await applyFact(deps, order?.id ?? '', fact);
    const { profiles } = await submitKyb(deps, tenant);
    const { kybStatus, virtualAccountRef, destinationRef } = profiles.test;
    assert.deepEqual([kybStatus, virtualAccountRef, destinationRef], ['approved', null, null]);
    const { profiles: ready } = await configurePayout(deps, tenant, pix);
    assert.equal(mayCollect(ready.test), true);
  });
});

describe('the terms of the partner', () => {
  test('are accepted per mode, and onboarding says so', async () => {
    const tenant = { orgId: await newOrganization(), mode: 'test' } as const;
    assert.equal((await onboardingStatus(deps, tenant)).tosAccepted, false);
    await acceptTerms(deps, tenant, null);
    assert.equal((await onboardingStatus(deps, tenant)).tosAccepted, true);
    const live = await onboardingStatus(deps, { ...tenant, mode: 'live' });
    assert.equal(live.tosAccepted, false);
  });

  test('where the partner gives them an id: without it, where to get it is told', async () => {
    const strict: SettlementPartner = { ...partner('test'), requirements: () => ['tosId'] };
    const asking: Deps = { ...deps, partners: { ...deps.partners, test: strict } };
    const tenant = { orgId: await newOrganization(), mode: 'test' } as const;
    await assert.rejects(
      acceptTerms(asking, tenant, null),
      (error) =>
        refusal('ValidationError')(error) && /^tosId: .*tos_id=/.test(String(error.message)),
    );
    const { profiles } = await acceptTerms(asking, tenant, 'tos_1');
    assert.equal(profiles.test.tosId, 'tos_1');
    await acceptTerms(asking, tenant, null);
    await assert.rejects(acceptTerms(asking, tenant, 'tos_2'), refusal('TosIdMismatch'));
    await assert.rejects(acceptTerms(asking, tenant, ' '), refusal('ValidationError'));
  });

  test('go with the KYB that is submitted after them', async () => {
    const orders: ReceiverOrder[] = [];
    const real = partner('test');
    const noting: SettlementPartner = {
      ...real,
      prepareReceiver: (order) => {
        orders.push(order);
        return real.prepareReceiver(order);
      },
    };
    const noted: Deps = { ...deps, partners: { ...deps.partners, test: noting } };
    const tenant = { orgId: await newOrganization(), mode: 'test' } as const;
    await acceptTerms(noted, tenant, 'tos_1');
    await submitKyb(noted, tenant);
    assert.deepEqual(
      orders.map(({ tosId, role, entityType, legalName }) => [tosId, role, entityType, legalName]),
      [['tos_1', 'seller', 'business', 'Exporter']],
    );
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
