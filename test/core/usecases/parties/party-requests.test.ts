// The dossier of a party goes to the partner sealed in its order. Nothing of it is left in the
// database once the partner has answered: every table is read for the sealed text.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Deps } from '../../../../core/ports/deps.js';
import type { PartnerAnswer, SettlementPartner } from '../../../../core/ports/partner.js';
import { signIn } from '../../../../core/usecases/hosted/buyer-steps.js';
import {
  type CreateAccountInput,
  createAccount,
  submitAccount,
} from '../../../../core/usecases/parties/accounts.js';
import { submitKyb } from '../../../../core/usecases/parties/organizations.js';
import { storedBy } from '../../../support/databases/test-store.js';
import { ana } from '../../../support/samples/dossiers.js';
import {
  commandsOf,
  decided,
  individual,
  type Scene,
  scene,
  sentByPerson,
  withPartner,
} from '../../../support/scenes/kyc-scene.js';
import { kyb } from '../../../support/scenes/organization-scene.js';

const account: CreateAccountInput = {
  role: 'seller',
  entityType: 'business',
  externalId: null,
  email: 's@acme.example',
  legalName: 'Acme',
  displayName: null,
  country: null,
  taxId: null,
};
const refused = { outcome: 'refused', code: 'no', message: 'not this one' } as const;
const later = { outcome: 'later', reason: 'busy' } as const;
const unknown = { outcome: 'unknown', reason: 'no answer' } as const;
const failing = { ...individual, dossier: { ...ana, firstName: 'Fail' } };

type Submit = SettlementPartner['party']['start'];

/** The sealed requests that are stored while the partner is called, and how it answers. */
function watched(made: Scene, answer: (real: () => ReturnType<Submit>) => ReturnType<Submit>) {
  const sealed: string[] = [];
  const { start, find } = made.partner.party;
  let isRefused = false;
  const deps = withPartner(made.deps, {
    party: {
      find: async (request) => (isRefused ? { outcome: 'done', value: null } : find(request)),
      start: async (request) => {
        const commands = await made.deps.store.run((tx) =>
          tx.commands.list({ stuck: false, limit: 100 }),
        );
        sealed.push(...commands.flatMap((one) => one.request ?? []));
        const answered = await answer(() => start(request));
        isRefused = answered.outcome === 'refused';
        return answered;
      },
    },
  });
  return { sealed, deps };
}

async function isStored(made: Scene, sealed: readonly string[]): Promise<boolean> {
  assert.ok(sealed.length > 0 && sealed.every((text) => text.length > 100), 'there is a request');
  // `storedBy` finds the database by a write.
  const stored = await storedBy(() => made.organization({ sandboxKyb: false }));
  return sealed.some((text) => stored.includes(JSON.stringify(text).slice(1, -1)));
}

const parties: Readonly<Record<string, (made: Scene, deps: Deps) => Promise<unknown>>> = {
  'a buyer, approved': (made, deps) => made.start(individual, made.tenant, deps),
  'a buyer, rejected': (made, deps) => made.start(failing, made.tenant, deps),
  'an account': async ({ tenant }, deps) => {
    const { account: created } = await createAccount(deps, tenant, account);
    const dossier = { legalName: 'Acme', cnpj: '11.222.333/0001-81' };
    return submitAccount(deps, tenant, created.id, dossier);
  },
  'an organization': async (made, deps) =>
    submitKyb(deps, { orgId: await made.organization({ sandboxKyb: false }), mode: 'test' }, kyb),
};

describe('once the partner has answered, the request is erased', () => {
  for (const [party, submit] of Object.entries(parties)) {
    for (const [how, answer] of [
      ['in its answer', (real: () => ReturnType<Submit>) => real()],
      ['by refusing the party', async () => refused],
    ] as const) {
      test(`${party}, ${how}`, async (t) => {
        const made = await scene(t);
        const { sealed, deps } = watched(made, answer);
        await submit(made, deps);
        assert.equal(await isStored(made, sealed), false);
        await made.settle();
        assert.equal(await isStored(made, sealed), false);
      });
    }

    test(`${party}, after a call in doubt, which needs it until then`, async (t) => {
      const made = await scene(t);
      const { sealed, deps } = watched(made, async (real) => {
        await real();
        return unknown;
      });
      await submit(made, deps).catch(() => undefined);
      assert.equal(await isStored(made, sealed), true);
      made.advanceClock(60_000);
      await made.settle();
      assert.equal(await isStored(made, sealed), false);
    });
  }
});

test('what the partner says of a party is not kept with its command', async (t) => {
  const quoted = '11222333000181';
  const message = `the CNPJ ${quoted} is not active`;
  const answers: readonly (() => ReturnType<Submit>)[] = [
    async () => ({ outcome: 'refused', code: 'inactive', message }),
    async () => ({ outcome: 'later', reason: message }),
    async () => ({ outcome: 'unknown', reason: message }),
    async () => {
      throw new Error(message);
    },
  ];
  for (const answer of answers) {
    const made = await scene(t);
    const { deps } = watched(made, answer);
    await parties['a buyer, approved']?.(made, deps).catch(() => undefined);
    const [command] = await commandsOf(made);
    assert.ok(command?.lastError, 'it says that something went wrong');
    assert.doesNotMatch(command.lastError, new RegExp(quoted));
  }
});

test('a command that was not sent yet is taken back when its buyer brings an approval', async (t) => {
  const made = await scene(t);
  const other = await made.newTenant();
  await sentByPerson(made, await made.start(individual, other));
  await made.settle();
  const calls: PartnerAnswer<unknown>[] = [];
  const { sealed, deps } = watched(made, async () => {
    calls.push(later);
    return later;
  });
  const submission = await made.start(individual, made.tenant, deps);
  assert.equal(await isStored(made, sealed), true, 'it is tried again');
  await signIn(made.deps, made.tenant, await made.pay());
  assert.equal(await decided(made, submission), 'approved');
  assert.equal(await isStored(made, sealed), false);
  const command = (await commandsOf(made)).find(({ orgId }) => orgId === made.tenant.orgId);
  assert.deepEqual([command?.state, command?.dueAtMs], ['void', null]);
  made.advanceClock(3_600_000);
  await made.settle();
  assert.equal(calls.length, 1, 'nobody sends it any more');
  assert.equal(await decided(made, submission), 'approved');
});
