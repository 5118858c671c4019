// An organization's own KYB and terms at the partner: submitted once, decided by any report, and
// resumed after a lost answer.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { type Mode, modes, type Tenant } from '../../../../core/domain/base/tenant.js';
import { mayCollect } from '../../../../core/domain/parties/organization.js';
import { readCnpj } from '../../../../core/domain/parties/tax-id.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type {
  AcceptedCommand,
  PartnerAnswer,
  PartyInput,
  PartyReport,
  SettlementPartner,
} from '../../../../core/ports/partner.js';
import { onboardingStatus } from '../../../../core/usecases/access/sessions.js';
import { commandRunner } from '../../../../core/usecases/commands/command-runner.js';
import { applyPartnerUpdate } from '../../../../core/usecases/commands/partner-inbox.js';
import {
  acceptOrganizationTerms,
  configurePayout,
  createOrganization,
  readOrganization,
  submitKyb,
} from '../../../../core/usecases/parties/organizations.js';
import { operatorApproves } from '../../../support/operator-action.js';
import { changedPartner } from '../../../support/partners/changed-partner.js';
import { goLive, kyb, organizationScene, pix } from '../../../support/scenes/organization-scene.js';
import { rowsOf } from '../../../support/values-of.js';

const scene = organizationScene();

describe('the KYB is a command to the partner', () => {
  interface Desk {
    readonly deps: Deps;
    /** The exact requests that were submitted. */
    readonly requests: string[];
    answer: PartnerAnswer<AcceptedCommand>;
    /** What a look-up by the request finds. */
    found: PartnerAnswer<{ partnerRef: string } | null>;
    report: PartyReport;
  }

  function desk(): Desk {
    const verifying = { status: 'verifying', reason: null } as const;
    const made: Desk = {
      requests: [],
      answer: { outcome: 'done', value: { partnerRef: 're_1', report: verifying } },
      found: { outcome: 'done', value: null },
      report: verifying,
      deps: {
        ...scene.deps,
        partners: {
          ...scene.deps.partners,
          test: changedPartner(scene.partner('test'), {
            party: {
              start: async (request) => {
                made.requests.push(request);
                return made.answer;
              },
              find: async () => made.found,
              read: async () => ({ outcome: 'done', value: made.report }),
            },
          }),
        },
      },
    };
    return made;
  }

  async function begun(): Promise<Tenant> {
    return { orgId: await scene.newOrganization(), mode: 'test' };
  }

  const kybOf = async (tenant: Tenant) =>
    (await readOrganization(scene.deps, tenant.orgId)).profiles[tenant.mode];

  const inputOf = async (tenant: Tenant) => {
    const { commandId } = await kybOf(tenant);
    const command = await scene.deps.store.run((tx) => tx.commands.get(commandId ?? ''));
    assert.ok(command !== null);
    return command;
  };

  /** What the workers of these ports do a minute later. */
  async function workLater(at: Deps): Promise<void> {
    const nowMs = at.clock.nowMs() + MINUTE_MS;
    const runner = commandRunner({ ...at, clock: { nowMs: () => nowMs } });
    await runner.runOnce(nowMs, 100);
    await runner.idle();
  }

  test('it is submitted once, however often it is asked about', async () => {
    const [at, tenant] = [desk(), await begun()];
    for (let count = 0; count < 3; count += 1) {
      const { profiles } = await submitKyb(at.deps, tenant, kyb);
      assert.equal(profiles.test.status, 'verifying');
    }
    assert.equal(at.requests.length, 1);
    const command = await inputOf(tenant);
    assert.deepEqual([command.kind, command.state], ['submit_organization', 'done']);
  });

  test('asked again, it brings the decision', async () => {
    for (const status of ['approved', 'rejected'] as const) {
      const [at, tenant] = [desk(), await begun()];
      await submitKyb(at.deps, tenant, kyb);
      at.report = { status, reason: null };
      const { profiles } = await submitKyb(at.deps, tenant, kyb);
      assert.equal(profiles.test.status, status);
    }
  });

  test('the workers find a decision without a request', async () => {
    const [at, tenant] = [desk(), await begun()];
    await submitKyb(at.deps, tenant, kyb);
    at.report = { status: 'approved', reason: null };
    await workLater(at.deps);
    assert.equal((await kybOf(tenant)).status, 'approved');
  });

  test('a decision is taken by message, also one that takes an approval back', async () => {
    const [at, tenant] = [desk(), await begun()];
    await submitKyb(at.deps, tenant, kyb);
    const command = await inputOf(tenant);
    for (const status of ['approved', 'rejected'] as const) {
      const report = { status, reason: null };
      const fact = { kind: 'party', reference: null, partnerRef: 're_1', report } as const;
      await applyPartnerUpdate(at.deps, command, fact);
      assert.equal((await kybOf(tenant)).status, status);
    }
  });

  test('a late report on an earlier submission does not decide the next one', async () => {
    const [at, tenant] = [desk(), await begun()];
    await submitKyb(at.deps, tenant, kyb);
    const first = await inputOf(tenant);
    const decide = async (status: 'approved' | 'rejected') => {
      const report = { status, reason: null };
      const fact = { kind: 'party', reference: null, partnerRef: 're_1', report } as const;
      await applyPartnerUpdate(at.deps, first, fact);
    };
    await decide('rejected');
    at.answer = { outcome: 'unknown', reason: 'no answer' };
    await assert.rejects(submitKyb(at.deps, tenant, kyb), { code: 'PartnerUnavailable' });
    await decide('approved');
    const { status, partnerRef } = await kybOf(tenant);
    assert.deepEqual([status, partnerRef], ['verifying', null]);
  });

  test('a submission whose answer was lost is found at the partner', async () => {
    const [at, tenant] = [desk(), await begun()];
    at.answer = { outcome: 'unknown', reason: 'no answer' };
    await assert.rejects(submitKyb(at.deps, tenant, kyb), { code: 'PartnerUnavailable' });
    at.found = { outcome: 'done', value: { partnerRef: 're_1' } };
    await workLater(at.deps);
    const { status, partnerRef } = await kybOf(tenant);
    assert.deepEqual([status, partnerRef], ['verifying', 're_1']);
    assert.equal(at.requests.length, 1);
  });

  test('a submission that a look-up does not find goes out with the very same request', async () => {
    const [at, tenant] = [desk(), await begun()];
    const { answer } = at;
    at.answer = { outcome: 'unknown', reason: 'no answer' };
    await assert.rejects(submitKyb(at.deps, tenant, kyb), { code: 'PartnerUnavailable' });
    at.answer = answer;
    await workLater(at.deps);
    assert.equal((await kybOf(tenant)).partnerRef, 're_1');
    // The workers see the commands of other tests too.
    const { commandId } = await kybOf(tenant);
    const sent = at.requests.filter((request) => request.includes(String(commandId)));
    assert.deepEqual([sent.length, new Set(sent).size], [2, 1]);
  });

  test('a partner that refuses the party, and does not have it, has rejected it', async () => {
    const [at, tenant] = [desk(), await begun()];
    at.answer = { outcome: 'refused', code: 'name_taken', message: 'There is such a party.' };
    const { profiles } = await submitKyb(at.deps, tenant, kyb);
    assert.equal(profiles.test.status, 'rejected');
    await submitKyb(at.deps, tenant, kyb);
    await operatorApproves(at.deps, tenant, kyb);
    assert.equal((await kybOf(tenant)).status, 'approved', 'an operator’s word counts');
  });

  test('a partner that refuses a party that it has goes on with it', async () => {
    const [at, tenant] = [desk(), await begun()];
    at.answer = { outcome: 'refused', code: 'name_taken', message: 'There is such a party.' };
    at.found = { outcome: 'done', value: { partnerRef: 're_1' } };
    const { profiles } = await submitKyb(at.deps, tenant, kyb);
    const { status, partnerRef } = profiles.test;
    assert.deepEqual([status, partnerRef], ['verifying', 're_1']);
  });

  test('two concurrent requests make one submission', async () => {
    const [at, tenant] = [desk(), await begun()];
    const both = await Promise.allSettled([
      submitKyb(at.deps, tenant, kyb),
      submitKyb(at.deps, tenant, kyb),
    ]);
    assert.equal(both.filter(({ status }) => status === 'fulfilled').length > 0, true);
    assert.equal(at.requests.length, 1);
  });

  test('a party after a rejection has no account and no destination before its own', async () => {
    const tenant = { orgId: await scene.newOrganization('Exporter', true), mode: 'test' } as const;
    assert.equal(mayCollect(await kybOf(tenant)), true);
    const command = await inputOf(tenant);
    const report = { status: 'rejected', reason: null } as const;
    const fact = { kind: 'party', reference: null, partnerRef: 're_1', report } as const;
    await applyPartnerUpdate(scene.deps, command, fact);
    const { profiles } = await submitKyb(scene.deps, tenant, kyb);
    const { status, railsRef, destinationRef } = profiles.test;
    assert.deepEqual([status, railsRef, destinationRef], ['approved', null, null]);
    const { profiles: ready } = await configurePayout(scene.deps, tenant, pix, 'opr_1');
    assert.equal(mayCollect(ready.test), true);
  });
});

describe('the terms of the partner', () => {
  test('are accepted per mode, and onboarding says so', async () => {
    const tenant = { orgId: await scene.newOrganization(), mode: 'test' } as const;
    assert.equal((await onboardingStatus(scene.deps, tenant)).tosAccepted, false);
    await acceptOrganizationTerms(scene.deps, tenant, null);
    assert.equal((await onboardingStatus(scene.deps, tenant)).tosAccepted, true);
    const live = await onboardingStatus(scene.deps, { ...tenant, mode: 'live' });
    assert.equal(live.tosAccepted, false);
  });

  test('if the partner needs an id of the terms, a request without it is refused with its source', async () => {
    const strict: SettlementPartner = { ...scene.partner('test'), requirements: () => ['tosId'] };
    const asking: Deps = { ...scene.deps, partners: { ...scene.deps.partners, test: strict } };
    const tenant = { orgId: await scene.newOrganization(), mode: 'test' } as const;
    await assert.rejects(acceptOrganizationTerms(asking, tenant, null), {
      code: 'ValidationError',
      message: /^tosId: .*tos_id=/,
    });
    const { profiles } = await acceptOrganizationTerms(asking, tenant, 'tos_1');
    assert.equal(profiles.test.tosId, 'tos_1');
    await acceptOrganizationTerms(asking, tenant, null);
    await assert.rejects(acceptOrganizationTerms(asking, tenant, 'tos_2'), {
      code: 'TosIdMismatch',
    });
    await assert.rejects(acceptOrganizationTerms(asking, tenant, ' '), { code: 'ValidationError' });
  });

  test('go with the KYB that is submitted after them', async () => {
    const { noted, inputs } = notingInputs();
    const tenant = { orgId: await scene.newOrganization(), mode: 'test' } as const;
    await acceptOrganizationTerms(noted, tenant, 'tos_1');
    await submitKyb(noted, tenant, kyb);
    assert.deepEqual(rowsOf(inputs, 'tosId', 'role', 'entityType'), [
      ['tos_1', 'seller', 'business'],
    ]);
  });
});

/** Ports whose partners record the commands of parties. */
function notingInputs(): { readonly noted: Deps; readonly inputs: readonly PartyInput[] } {
  const inputs: PartyInput[] = [];
  const noting = (mode: Mode): SettlementPartner => {
    const real = scene.partner(mode);
    const prepare = (input: PartyInput) => {
      inputs.push(input);
      return real.party.prepare(input);
    };
    return changedPartner(real, { party: { prepare } });
  };
  return {
    noted: { ...scene.deps, partners: { test: noting('test'), live: noting('live') } },
    inputs,
  };
}

describe('the dossier of an organization', () => {
  test('reaches the partner as it was given, without invented fields', async () => {
    for (const mode of modes) {
      const { noted, inputs } = notingInputs();
      const tenant = { orgId: await scene.newOrganization(), mode } as const;
      const website = 'https://exporter.example';
      await submitKyb(noted, tenant, { ...kyb, website });
      await submitKyb(noted, tenant);
      const [{ reference: _, ...input }, ...more] = inputs as [PartyInput, ...PartyInput[]];
      assert.deepEqual(more, [], 'asking again submits nothing');
      const party = { role: 'seller', entityType: 'business', country: 'BR', tosId: null };
      assert.deepEqual(input, { ...kyb, website, ...party, previousRef: null });
    }
  });

  test('must be complete: missing fields are listed and nothing is submitted', async () => {
    for (const mode of modes) {
      const { noted, inputs } = notingInputs();
      const tenant = { orgId: await scene.newOrganization(), mode } as const;
      await goLive(noted, tenant.orgId);
      for (const [given, paths] of [
        [{}, 'email, legalName, cnpj'],
        [{ ...kyb, cnpj: null }, 'cnpj'],
        [{ cnpj: kyb.cnpj, email: kyb.email }, 'legalName'],
      ] as const) {
        for (const call of [submitKyb, operatorApproves]) {
          const missing = new RegExp(`^${paths}: `);
          await assert.rejects(call(noted, tenant, given), {
            code: 'ValidationError',
            message: missing,
          });
        }
      }
      const { profiles } = await readOrganization(noted, tenant.orgId);
      assert.equal(profiles[mode].status, null);
      assert.deepEqual(inputs, []);
    }
  });

  test('has the fields that the partner requires in addition', async () => {
    const strict: SettlementPartner = {
      ...scene.partner('test'),
      requirements: () => ['website', 'tosId'],
    };
    const asking: Deps = { ...scene.deps, partners: { ...scene.deps.partners, test: strict } };
    const tenant = { orgId: await scene.newOrganization(), mode: 'test' } as const;
    await assert.rejects(submitKyb(asking, tenant, kyb), { message: /^website, tosId: / });
    await acceptOrganizationTerms(asking, tenant, 'tos_1');
    const whole = { ...kyb, website: 'https://exporter.example' };
    const { profiles } = await submitKyb(asking, tenant, whole);
    assert.equal(profiles.test.status, 'approved');
  });

  test('is given again after a rejection', async () => {
    const tenant = { orgId: await scene.newOrganization(), mode: 'live' } as const;
    await submitKyb(scene.deps, tenant, { ...kyb, legalName: 'Fail' });
    await assert.rejects(submitKyb(scene.deps, tenant), { code: 'ValidationError' });
    const { profiles } = await submitKyb(scene.deps, tenant, kyb);
    assert.equal(profiles.live.status, 'approved');
  });

  test('has recognisable sandbox values for an organization with sandbox KYB', async () => {
    const { noted, inputs } = notingInputs();
    const { organization } = await createOrganization(noted, { name: 'Acme', sandboxKyb: true });
    assert.deepEqual(rowsOf(inputs, 'email', 'legalName', 'cnpj', 'country'), [
      [`${organization.id}@sandbox.invalid`, 'Acme', '99.999.999/0001-91', 'BR'],
    ]);
    assert.ok(readCnpj(inputs[0]?.cnpj ?? '') !== null);
  });
});
