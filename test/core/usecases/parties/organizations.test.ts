// Organizations on their way to collecting: in the sandbox at once, in live mode step by step, and
// through a partner whose answers get lost.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { mayCollect } from '../../../../core/domain/parties/organization.js';
import { PonteError } from '../../../../core/errors.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type { PartnerAnswer, SettlementPartner } from '../../../../core/ports/partner.js';
import { removeMember } from '../../../../core/usecases/access/members.js';
import { onboardingStatus } from '../../../../core/usecases/access/sessions.js';
import { commandRunner } from '../../../../core/usecases/commands/command-runner.js';
import {
  acceptOrganizationTerms,
  configurePayout,
  createOrganization,
  listOrganizations,
  readOrganization,
  requireApproval,
  setSupportContact,
  submitKyb,
} from '../../../../core/usecases/parties/organizations.js';
import { operatorApproves, operatorDoes } from '../../../support/operator-action.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { goLive, kyb, organizationScene, pix } from '../../../support/scenes/organization-scene.js';

const scene = organizationScene();

const grant = { verb: 'grant-production' } as const;

test('with sandboxKyb an organization collects in test mode immediately', async () => {
  const { organization, profiles } = await createOrganization(scene.deps, {
    name: ' Exporter ',
    sandboxKyb: true,
  });
  assert.deepEqual([organization.name, mayCollect(profiles.test)], ['Exporter', true]);
  assert.notEqual(profiles.test.destinationRef, null);
  assert.deepEqual([profiles.live.status, mayCollect(profiles.live)], [null, false]);
});

test('without sandboxKyb no KYB starts', async () => {
  const { profiles } = await createOrganization(scene.deps, {
    name: 'Exporter',
    sandboxKyb: false,
  });
  for (const mode of ['test', 'live'] as const) {
    const { status, commandId, partnerRef, railsRef } = profiles[mode];
    assert.deepEqual([status, commandId, partnerRef, railsRef], Array(4).fill(null));
  }
});

test('a name is needed', async () => {
  for (const name of ['', '  ', 'a'.repeat(201), 'a\0']) {
    const made = createOrganization(scene.deps, { name, sandboxKyb: false });
    await assert.rejects(made, { code: 'ValidationError' });
  }
});

test('all organizations are listed', async () => {
  const id = await scene.newOrganization();
  const listed = await listOrganizations(scene.deps);
  assert.equal(listed.filter((one) => one.id === id).length, 1);
});

test('what an unknown organization is asked for is not found', async () => {
  const tenant = { orgId: 'org_0', mode: 'test' } as const;
  for (const call of [
    readOrganization(scene.deps, 'org_0'),
    submitKyb(scene.deps, tenant, kyb),
    operatorApproves(scene.deps, tenant, kyb),
    acceptOrganizationTerms(scene.deps, tenant, null),
    configurePayout(scene.deps, tenant, pix, 'opr_1'),
    operatorDoes(scene.deps, 'org_0', grant),
    requireApproval(scene.deps, 'org_0', true),
    setSupportContact(scene.deps, 'org_0', { supportEmail: 'help@acme.example' }),
  ]) {
    await assert.rejects(call, { code: 'NotFound' });
  }
});

test('a support contact is set by parts; an empty text removes one', async () => {
  const orgId = await scene.newOrganization();
  const set = async (given: Parameters<typeof setSupportContact>[2]) => {
    const { organization } = await setSupportContact(scene.deps, orgId, given);
    return [organization.supportEmail, organization.supportPhone, organization.website];
  };
  const website = 'https://acme.example';
  assert.deepEqual(await set({ supportEmail: ' help@acme.example ', website }), [
    'help@acme.example',
    null,
    'https://acme.example/',
  ]);
  assert.deepEqual(await set({ supportPhone: '+55 11 5555-0100', website: '' }), [
    'help@acme.example',
    '+55 11 5555-0100',
    null,
  ]);
  const { version } = (await readOrganization(scene.deps, orgId)).organization;
  await set({ supportEmail: 'help@acme.example' });
  assert.equal((await readOrganization(scene.deps, orgId)).organization.version, version);
  for (const wrong of [{ supportEmail: 'help' }, { supportPhone: 'call' }, { website: 'acme' }]) {
    const [name] = Object.keys(wrong);
    await assert.rejects(set(wrong), { code: 'ValidationError', message: RegExp(`^${name}: `) });
  }
});

test('live mode requires an e-mail address or a phone number for buyers, and keeps one', async () => {
  const orgId = await scene.newOrganization();
  const set = (given: Parameters<typeof setSupportContact>[2]) =>
    setSupportContact(scene.deps, orgId, given);
  const refusal = { code: 'ValidationError', message: /ponte org support/ };
  await set({ website: 'https://acme.example' });
  await assert.rejects(operatorDoes(scene.deps, orgId, grant), refusal);
  await set({ supportPhone: '+55 11 5555-0100' });
  await operatorDoes(scene.deps, orgId, grant);
  await assert.rejects(set({ supportPhone: '' }), refusal);
  await set({ supportPhone: '', supportEmail: 'help@acme.example' });
});

test('the virtual account comes with the last of KYB and PIX destination', async () => {
  const tenant = { orgId: await scene.newOrganization(), mode: 'test' } as const;
  await assert.rejects(configurePayout(scene.deps, tenant, pix, 'opr_1'), {
    code: 'KybNotApproved',
  });
  const submitted = await submitKyb(scene.deps, tenant, kyb);
  assert.equal(submitted.profiles.test.status, 'approved');
  assert.equal(mayCollect(submitted.profiles.test), false);
  const configured = await configurePayout(scene.deps, tenant, pix, 'opr_1');
  assert.equal(mayCollect(configured.profiles.test), true);
});

test('a member who is removed while the partner is asked changes no PIX destination', async () => {
  const orgId = await scene.newOrganization();
  const tenant = { orgId, mode: 'test' } as const;
  await submitKyb(scene.deps, tenant, kyb);
  await addActiveMember(scene.deps, { orgId, email: 'stays@acme.example', role: 'owner' });
  const input = { orgId, email: 'goes@acme.example', role: 'owner' } as const;
  const { id } = await addActiveMember(scene.deps, input);
  const partner = scene.partner('test');
  const test = {
    ...partner,
    registerPixDestination: async (given: Parameters<typeof partner.registerPixDestination>[0]) => {
      await removeMember(scene.deps, orgId, input.email);
      return partner.registerPixDestination(given);
    },
  };
  const deps = { ...scene.deps, partners: { ...scene.deps.partners, test } };
  await assert.rejects(configurePayout(deps, tenant, pix, id), { code: 'InvalidToken' });
  const { profiles } = await readOrganization(scene.deps, orgId);
  assert.equal(mayCollect(profiles.test), false);
});

describe('the virtual account is a command to the partner', () => {
  async function approved(): Promise<Tenant> {
    const tenant = { orgId: await scene.newOrganization(), mode: 'test' } as const;
    await submitKyb(scene.deps, tenant, kyb);
    return tenant;
  }

  function withRails(provisionRails: SettlementPartner['provisionRails']): Deps {
    const test = { ...scene.partner('test'), provisionRails };
    return { ...scene.deps, partners: { ...scene.deps.partners, test } };
  }

  const orderOf = (tenant: Tenant) =>
    scene.deps.store.run(async (tx) => {
      const profile = await tx.organizations.profile(tenant);
      return tx.commands.get(profile?.railsCommandId ?? '');
    });

  test('it is stored as sent before the call', async () => {
    const tenant = await approved();
    const states: unknown[] = [];
    const deps = withRails(async (input) => {
      states.push((await orderOf(tenant))?.state);
      return scene.partner('test').provisionRails(input);
    });
    await configurePayout(deps, tenant, pix, 'opr_1');
    assert.deepEqual([states, (await orderOf(tenant))?.state], [['sent'], 'done']);
  });

  test('after a lost answer the workers repeat it under the same key', async () => {
    const tenant = await approved();
    const keys: string[] = [];
    const lost = withRails(async ({ key }) => {
      keys.push(key);
      return { outcome: 'unknown', reason: 'time-out' };
    });
    const configured = configurePayout(lost, tenant, pix, 'opr_1');
    await assert.rejects(configured, { code: 'PartnerUnavailable' });
    const noting = withRails((input) => {
      keys.push(input.key);
      return scene.partner('test').provisionRails(input);
    });
    const nowMs = scene.deps.clock.nowMs() + MINUTE_MS;
    const runner = commandRunner({ ...noting, clock: { nowMs: () => nowMs } });
    await runner.runOnce(nowMs, 100);
    await runner.idle();
    const { profiles } = await readOrganization(scene.deps, tenant.orgId);
    assert.equal(mayCollect(profiles.test), true);
    assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
  });

  test('a refusal is shown with its code; another configuration commands it again', async () => {
    const tenant = await approved();
    const refusing = withRails(async () => ({
      outcome: 'refused',
      code: 'no_accounts',
      message: 'no',
    }));
    for (let count = 0; count < 2; count += 1) {
      const configured = configurePayout(refusing, tenant, pix, 'opr_1');
      await assert.rejects(configured, { code: 'ValidationError', message: /no_accounts/ });
    }
    const { profiles } = await configurePayout(scene.deps, tenant, pix, 'opr_1');
    assert.equal(mayCollect(profiles.test), true);
  });
});

test('the PIX key is not kept, and another destination replaces the one before', async () => {
  const tenant = { orgId: await scene.newOrganization('Exporter', true), mode: 'test' } as const;
  const first = await configurePayout(scene.deps, tenant, pix, 'opr_1');
  assert.doesNotMatch(JSON.stringify(first), /ana@example/);
  const again = await configurePayout(scene.deps, tenant, pix, 'opr_1');
  assert.equal(again.profiles.test.destinationRef, first.profiles.test.destinationRef);
  const other = await configurePayout(
    scene.deps,
    tenant,
    { ...pix, pixKey: 'eva@example.com' },
    'opr_1',
  );
  assert.notEqual(other.profiles.test.destinationRef, first.profiles.test.destinationRef);
});

test('an empty PIX key or holder is refused', async () => {
  const tenant = { orgId: await scene.newOrganization('Exporter', true), mode: 'test' } as const;
  for (const change of [{ pixKey: ' ' }, { accountHolderName: '' }]) {
    const made = configurePayout(scene.deps, tenant, { ...pix, ...change }, 'opr_1');
    await assert.rejects(made, { code: 'ValidationError' });
  }
});

test('a rejected organization is submitted again as another party', async () => {
  const { organization, profiles } = await createOrganization(scene.deps, {
    name: 'Fail',
    sandboxKyb: true,
  });
  assert.equal(profiles.test.status, 'rejected');
  const failing = { ...kyb, legalName: 'Fail' };
  const again = await submitKyb(scene.deps, { orgId: organization.id, mode: 'test' }, failing);
  assert.equal(again.profiles.test.status, 'rejected');
  assert.notEqual(again.profiles.test.commandId, profiles.test.commandId);
});

describe('live mode', () => {
  test('needs production access before an approval', async () => {
    const tenant = { orgId: await scene.newOrganization(), mode: 'live' } as const;
    await assert.rejects(operatorApproves(scene.deps, tenant, kyb), {
      code: 'ProductionAccessNotApproved',
    });
    await goLive(scene.deps, tenant.orgId);
    await operatorApproves(scene.deps, tenant, kyb);
    const approved = await readOrganization(scene.deps, tenant.orgId);
    assert.equal(approved.profiles.live.status, 'approved');
    const { profiles } = await configurePayout(scene.deps, tenant, pix, 'opr_1');
    assert.equal(mayCollect(profiles.live), true);
    assert.equal(profiles.test.status, null, 'the other mode is another matter');
  });

  test('gets its virtual account with production access when all else was there', async () => {
    const tenant = { orgId: await scene.newOrganization(), mode: 'live' } as const;
    await submitKyb(scene.deps, tenant, kyb);
    const waiting = await configurePayout(scene.deps, tenant, pix, 'opr_1');
    assert.equal(mayCollect(waiting.profiles.live), false);
    const granted = await goLive(scene.deps, tenant.orgId);
    assert.equal(mayCollect(granted.profiles.live), true);
    const grantedAtMs = granted.organization.productionGrantedAtMs;
    scene.made.advanceClock(1);
    const again = await goLive(scene.deps, tenant.orgId);
    assert.equal(again.organization.productionGrantedAtMs, grantedAtMs, 'granted once');
  });

  test('is activated by its KYB and production access together, in either order', async () => {
    const tenant = { orgId: await scene.newOrganization(), mode: 'live' } as const;
    const status = async () => (await onboardingStatus(scene.deps, tenant)).needsOnboarding;
    await submitKyb(scene.deps, tenant, kyb);
    assert.equal(await status(), true);
    await goLive(scene.deps, tenant.orgId);
    assert.equal(await status(), false);
    const other = { orgId: await scene.newOrganization(), mode: 'live' } as const;
    await goLive(scene.deps, other.orgId);
    assert.equal((await onboardingStatus(scene.deps, other)).needsOnboarding, true);
    await submitKyb(scene.deps, other, kyb);
    assert.equal((await onboardingStatus(scene.deps, other)).needsOnboarding, false);
  });

  test('without a partner is refused; production access is not', async () => {
    const none: Deps = { ...scene.deps, partners: { ...scene.deps.partners, live: null } };
    const orgId = await scene.newOrganization();
    const submitted = submitKyb(none, { orgId, mode: 'live' }, kyb);
    await assert.rejects(submitted, { code: 'ValidationError' });
    await goLive(none, orgId);
  });
});

test('whether invoices need approval is switched on and off', async () => {
  const orgId = await scene.newOrganization();
  for (const on of [true, true, false]) {
    const { organization } = await requireApproval(scene.deps, orgId, on);
    assert.equal(organization.requiresApproval, on);
  }
});

describe('a partner whose answers get lost', () => {
  const calls = ['party.start', 'registerPixDestination', 'provisionRails'] as const;

  /** The call has its effect, and its answer never comes. */
  function losing(call: (typeof calls)[number]): { deps: Deps; parties: Set<string> } {
    const real = scene.partner('test');
    const parties = new Set<string>();
    let lost = false;
    const lossy: SettlementPartner = {
      ...real,
      party: {
        ...real.party,
        start: async (request) => {
          const answer = await real.party.start(request);
          if (answer.outcome === 'done') parties.add(answer.value.partnerRef);
          return once('party.start', answer);
        },
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
    return { deps: { ...scene.deps, partners: { ...scene.deps.partners, test: lossy } }, parties };
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
      await submitKyb(lossy.deps, tenant, kyb);
      const { profiles } = await configurePayout(lossy.deps, tenant, pix, 'opr_1');
      assert.equal(mayCollect(profiles.test), true);
      assert.equal(lossy.parties.size, 1, 'one party at the partner');
    });
  }
});
