// The matrix of commands, of who gives them, and of the second operator, from the declarations of
// the commands. In live mode nobody decides alone.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { before, describe, type TestContext, test } from 'node:test';
import { authorityOf, commandPath } from '../../cli/operator.js';
import type { Authority } from '../../cli/operator-key.js';
import { identify, operatorKeyPath } from '../../cli/operator-key.js';
import { createProgram } from '../../cli/program.js';
import { developmentOperator } from '../../core/domain/base/actor.js';
import { reviewName } from '../../core/domain/commands/report-check.js';
import { maskedAddress } from '../../core/domain/mail/mail.js';
import { PROPOSAL_LIFE_MS } from '../../core/domain/money-desk/proposal.js';
import type { ServiceAction } from '../../core/domain/money-desk/service-decisions.js';
import { authenticateKey, issueSecret, revokeKey } from '../../core/usecases/access/keys.js';
import { addMember, removeMember } from '../../core/usecases/access/members.js';
import { removeOperator } from '../../core/usecases/access/registered-operators.js';
import { closeMonth, readAccounting } from '../../core/usecases/accounting/accounting-settings.js';
import { retryCommand } from '../../core/usecases/commands/command-retries.js';
import {
  confirmProposal,
  decide,
  withdrawProposal,
} from '../../core/usecases/money-desk/money-desk.js';
import { type DeskRequest, itemOfEpoch } from '../../core/usecases/money-desk/service-items.js';
import { requireApproval, setSupportContact } from '../../core/usecases/parties/organizations.js';
import { currentEpoch, quarantineRestored } from '../../core/usecases/service/epochs.js';
import { currentKey } from '../../core/usecases/service/service-keys.js';
import { operatorDoes } from '../support/operator-action.js';
import { aKey, anOrganization, aPasskey, aProfile } from '../support/samples/domain-samples.js';
import { newKey, operatorNamed, registered } from '../support/samples/operator-samples.js';
import {
  anOrder,
  DeskScene,
  failedPayout,
  live,
  paidIn,
  refusedRefund,
} from '../support/scenes/desk-scene.js';
import { type World, world } from '../support/scenes/test-world.js';
import { loginOf } from '../support/servers/operator-login.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const declared = authorities();

describe('who gives a command', () => {
  const folder = temporaryFolder();
  const suite = suiteEnd();
  let made: World;
  let empty: World;

  before(async () => {
    made = await world(suite);
    empty = await world(suite);
    const people = await registered(made.deps, ['ana', 'bia', 'eva']);
    const stranger = { ...newKey(), actor: operatorNamed('stranger') };
    for (const { key, actor } of [...people, stranger]) {
      const path = operatorKeyPath(loginOf(folder, actor.name));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, key.export({ format: 'pem', type: 'pkcs8' }));
      chmodSync(path, 0o600);
    }
    await removeOperator(made.deps, 'eva', operatorNamed('ana'));
  });

  const admitted = (name: string, command: string, authority: Authority, at = made) => {
    const given = { command, arguments: { ids: ['x'] } };
    const config = { production: true };
    const asked = { authority, given };
    return identify(loginOf(folder, name), config, at.deps, asked).then(
      ({ actor }) => actor.name,
      ({ code, name: kind }: { readonly code?: string; readonly name: string }) => code ?? kind,
    );
  };

  for (const [command, authority] of declared) {
    test(`${command}: ${authority}`, async () => {
      const roles = ['ana', 'nobody', 'stranger', 'eva'];
      const found = await Promise.all(roles.map((name) => admitted(name, command, authority)));
      const refused = 'OperatorNotAllowed';
      const expected = ['ana', 'ConfigError', refused, refused];
      const open = roles.map(() => developmentOperator.name);
      assert.deepEqual(found, authority === 'none' ? open : expected);
      const isOpen = authority === 'none' || authority === 'first';
      const first = await admitted('ana', command, authority, empty);
      assert.equal(first, isOpen ? developmentOperator.name : refused);
    });
  }

  test('two commands of one operator at once are both admitted', async () => {
    for (const second of ['signed', 'read'] as const) {
      const both = [admitted('ana', 'org support', 'signed'), admitted('ana', 'org list', second)];
      assert.deepEqual(await Promise.all(both), ['ana', 'ana']);
    }
  });
});

interface Scene {
  readonly itemId: string;
  readonly request: DeskRequest;
  /** Whether it has taken effect. */
  isDone(): Promise<boolean>;
  /** Changes what the proposal relies on. */
  change(): Promise<unknown>;
}

type Prepare = (at: DeskScene) => Promise<Scene>;

const orgId = 'org_a';
const aPayment = { status: 'on_ramp_pending' } as const;

async function commandScene(at: DeskScene, id: string, request: DeskRequest): Promise<Scene> {
  const was = await at.command(id);
  return {
    itemId: id,
    request,
    isDone: async () => (await at.command(id)).version !== was.version,
    change: () => at.deps.store.run(async (tx) => tx.commands.update({ ...was, end: 'completed' })),
  };
}

async function organizationScene(
  at: DeskScene,
  request: ServiceAction,
  changed: (org: Awaited<ReturnType<typeof readOrg>>) => boolean,
  change: () => Promise<unknown>,
): Promise<Scene> {
  const isDone = async () => changed(await readOrg(at));
  return { itemId: orgId, request, isDone, change };
}

async function readOrg(at: DeskScene) {
  return at.deps.store.run(async (tx) => {
    const [organization, profile] = await Promise.all([
      tx.organizations.get(orgId),
      tx.organizations.profile(live),
    ]);
    assert.ok(organization !== null && profile !== null);
    return { organization, profile };
  });
}

async function storeOrg(at: DeskScene, organization = {}, profile = {}): Promise<void> {
  const rows = [aProfile({ ...live, mode: 'test' }), aProfile({ ...live, ...profile })];
  await at.deps.store.run(async (tx) =>
    tx.organizations.insert(anOrganization({ supportEmail: 'a@b.example', ...organization }), rows),
  );
}

const aReview = (text: string) =>
  JSON.stringify({
    kind: 'implausible',
    reason: text,
    fact: {
      kind: 'payin',
      reference: null,
      partnerRef: 'pa_odd',
      report: {
        status: 'completed',
        received: { amountMinor: '25000', currency: 'USD' },
        transactionHash: null,
        reason: null,
      },
    },
  });

async function endScene(at: DeskScene, verb: 'cancel' | 'fail'): Promise<Scene> {
  await at.payment([anOrder('payin', 'cmd_in')], aPayment);
  const status = async () =>
    (await at.deps.store.run((tx) => tx.payments.find('pi_1')))?.status ?? '';
  return {
    itemId: 'pi_1',
    request: { verb, reason: 'asked by phone' },
    isDone: async () => (await status()) === (verb === 'cancel' ? 'cancelled' : 'failed'),
    change: () => operatorDoes(at.deps, 'pi_1', { verb: 'cancel', reason: 'the buyer called' }),
  };
}

/** One for each command that another operator confirms. */
const scenes: Readonly<Record<string, Prepare>> = {
  'money assign': async (at) => {
    await at.payment([anOrder('payin', 'cmd_in')], aPayment);
    return depositScene(at, { verb: 'assign', paymentId: 'pi_1' });
  },
  'money refund': async (at) => {
    await at.payment([paidIn(), refusedRefund()]);
    return commandScene(at, 'cmd_back', { verb: 'refund' });
  },
  'money pay-again': async (at) => {
    const back = { end: 'returned', isUndecided: true } as const;
    await at.payment([paidIn(), anOrder('payout', 'cmd_out', back)], {
      status: 'settled',
    });
    await storeOrg(at, {}, { destinationRef: 'dest_1' });
    return commandScene(at, 'cmd_out', { verb: 'pay_again' });
  },
  'money write-off': async (at) => {
    const lost = refusedRefund({ state: 'done', end: 'completed', partnerRef: 'pa_lost' });
    await at.payment([paidIn(4_000n), lost]);
    const funds = async () => at.deps.store.run((tx) => tx.funds.get(live, 'pi_1'));
    return {
      itemId: 'pi_1',
      request: { verb: 'write_off' },
      isDone: async () => ((await funds())?.writtenOffMinor ?? 0n) > 0n,
      change: async () => {
        const was = await funds();
        assert.ok(was !== null);
        const written = { ...was, writtenOffMinor: 1n };
        await at.deps.store.run(async (tx) => tx.funds.put(written));
      },
    };
  },
  'money resolve': async (at) => {
    await at.payment([paidIn(), failedPayout()]);
    return commandScene(at, 'cmd_out', { verb: 'returned' });
  },
  'org grant-production': async (at) => {
    await storeOrg(at, { productionGrantedAtMs: null });
    return organizationScene(
      at,
      { verb: 'grant-production' },
      ({ organization }) => organization.productionGrantedAtMs !== null,
      () => operatorDoes(at.deps, orgId, { verb: 'grant-production' }),
    );
  },
  'org approve-kyb': async (at) => {
    await storeOrg(at, {}, { status: 'verifying', partnerRef: 'rc_1' });
    return organizationScene(
      at,
      { verb: 'approve-kyb', mode: 'live' },
      ({ profile }) => profile.status === 'approved',
      () => changeProfile(at, { status: 'rejected' }),
    );
  },
  'org payout-config': async (at) => {
    const known = { partnerRef: 'rc_1', destinationRef: null, railsRef: 'va_1' };
    await storeOrg(at, {}, { status: 'approved', ...known });
    const shown = { accountHolderName: 'Acme', pixKeyShown: '+55…0099' };
    const registered = { partyRef: 'rc_1', destinationRef: 'dest_2' };
    return organizationScene(
      at,
      { verb: 'payout-config', mode: 'live', ...registered, ...shown },
      ({ profile }) => profile.destinationRef === 'dest_2',
      () => changeProfile(at, { destinationRef: 'dest_9' }),
    );
  },
  'org require-approval': async (at) => {
    await storeOrg(at, { requiresApproval: true });
    return organizationScene(
      at,
      { verb: 'require-approval', origin: 'invoice' },
      ({ organization }) => !organization.requiresApproval,
      () => requireApproval(at.deps, orgId, false),
    );
  },
  'commands accept': async (at) => {
    const review = aReview('received 25000 minor units, 10000 were requested');
    await at.payment([anOrder('payin', 'cmd_odd', { review })], aPayment);
    const was = await at.command('cmd_odd');
    return {
      itemId: 'cmd_odd',
      request: { verb: 'accept', report: reviewName(review) },
      isDone: async () => (await at.command('cmd_odd')).review === null,
      change: () =>
        at.deps.store.run(async (tx) => tx.commands.update({ ...was, review: aReview('other') })),
    };
  },
  'payments cancel': (at) => endScene(at, 'cancel'),
  'payments fail': (at) => endScene(at, 'fail'),
  release: async (at) => {
    const epoch = await quarantineRestored(at.deps);
    return {
      itemId: itemOfEpoch(epoch),
      request: { verb: 'release', reason: 'the partner is gone' },
      isDone: async () => (await currentEpoch(at.deps)).state === 'open',
      change: async () => {
        (at.made as World).advanceClock(5_000);
        await quarantineRestored(at.deps);
      },
    };
  },
  'member add': async (at) => {
    await storeOrg(at);
    const member = () => at.deps.store.run((tx) => tx.members.byEmail(orgId, 'eve@acme.example'));
    const what = { role: 'owner', keptBy: null, locale: 'en' } as const;
    const input = { orgId, email: 'eve@acme.example', role: 'viewer' } as const;
    return {
      itemId: orgId,
      request: { verb: 'set-member', email: input.email, ...what },
      isDone: async () => (await member())?.role === 'owner',
      change: () => addMember(at.deps, input),
    };
  },
  'key create': async (at) => {
    await storeOrg(at);
    const { secret, ...issued } = issueSecret(at.deps, 'live');
    const open = { name: 'erp', scopes: [], networks: [], expiresAtMs: null };
    return {
      itemId: orgId,
      request: { verb: 'create-key', mode: 'live', ...issued, ...open },
      isDone: () => opens(at, secret),
      change: async () => {
        const made = aKey({ id: issued.keyId, orgId, mode: 'live' });
        await at.deps.store.run(async (tx) => tx.keys.insert(made));
      },
    };
  },
  'key roll': async (at) => {
    await storeOrg(at);
    const was = aKey({
      orgId,
      mode: 'live',
      networks: [],
      createdBy: 'opr_ana',
      keptBy: null,
      revokedAtMs: null,
      rolledAtMs: null,
      expiresAtMs: null,
      slot: 1,
    });
    await at.deps.store.run(async (tx) => tx.keys.insert(was));
    const { secret, ...issued } = issueSecret(at.deps, 'live');
    return {
      itemId: was.id,
      request: { verb: 'roll-key', overlapHours: 24, ...issued },
      isDone: () => opens(at, secret),
      change: () => revokeKey(at.deps, null, was.id),
    };
  },
  'org payout-hold': async (at) => {
    await storeOrg(at, {}, { payoutHoldHours: 24 });
    return organizationScene(
      at,
      { verb: 'payout-hold', hours: 0 },
      ({ profile }) => profile.payoutHoldHours === 0,
      () => operatorDoes(at.deps, orgId, { verb: 'payout-hold', hours: 48 }),
    );
  },
  'org close-month': async (at) => {
    await storeOrg(at);
    const tenant = { orgId, mode: 'live' } as const;
    const closed = async () => (await readAccounting(at.deps, tenant)).closed.at(-1)?.month;
    return {
      itemId: orgId,
      request: { verb: 'close-month', mode: 'live', month: '2020-02' },
      isDone: async () => (await closed()) === '2020-02',
      change: () => closeMonth(at.deps, tenant, '2020-01'),
    };
  },
  'org support': async (at) => {
    await storeOrg(at);
    const supportEmail = 'eve@evil.example';
    return organizationScene(
      at,
      { verb: 'support', supportEmail },
      ({ organization }) => organization.supportEmail === supportEmail,
      () => setSupportContact(at.deps, orgId, { supportEmail: 'new@acme.example' }),
    );
  },
  'person erase': async (at) => {
    await storeOrg(at);
    const email = 'eve@acme.example';
    const { id } = await addMember(at.deps, { orgId, email, role: 'viewer' });
    await removeMember(at.deps, orgId, email);
    const stored = () => at.deps.store.run((tx) => tx.members.get(orgId, id));
    return {
      itemId: id,
      request: { verb: 'erase-person', address: maskedAddress(email) },
      isDone: async () => !(await stored())?.email.includes('eve'),
      change: async () => {
        await at.deps.store.run((tx) => tx.people.erase(email));
      },
    };
  },
  'person reset-passkeys': async (at) => {
    await storeOrg(at);
    const email = 'eve@acme.example';
    const { personId } = await addMember(at.deps, { orgId, email, role: 'owner' });
    const passkey = aPasskey({ personId });
    await at.deps.store.run(async (tx) => tx.passkeys.insert(passkey));
    const own = () => at.deps.store.run((tx) => tx.passkeys.ofPerson(personId));
    return {
      itemId: personId,
      request: { verb: 'reset-passkeys', address: maskedAddress(email) },
      isDone: async () => (await own()).length === 0,
      change: () =>
        at.deps.store.run(async (tx) => {
          tx.passkeys.insert(aPasskey({ personId, id: 'psk_2' }));
        }),
    };
  },
  'operator add': async (at) => {
    const { publicKey } = newKey();
    const known = () => at.deps.store.run((tx) => tx.operators.list());
    return {
      itemId: 'noa',
      request: { verb: 'add-operator', name: 'noa', publicKey },
      isDone: async () => (await known()).some(({ name }) => name === 'noa'),
      change: () => registeredLater(at, 'noa'),
    };
  },
  'partner change': async (at) => {
    const bind = (value: string) =>
      at.deps.store.run(async (tx) => {
        tx.fingerprints.put({ name: 'partner_live', value, createdAtMs: at.deps.clock.nowMs() });
      });
    await bind('one');
    const bound = () => at.deps.store.run((tx) => tx.fingerprints.get('partner_live'));
    const change = { from: 'one', to: 'two', hasCommands: false };
    return {
      itemId: 'partner_live',
      request: { verb: 'change-partner', mode: 'live', ...change },
      isDone: async () => (await bound())?.value === 'two',
      change: () => bind('three'),
    };
  },
};

test('each command that another operator confirms is in this matrix, and no other', () => {
  const second = [...declared].filter(([, authority]) =>
    ['confirmed', 'first'].includes(authority),
  );
  assert.deepEqual(Object.keys(scenes).sort(), second.map(([command]) => command).sort());
});

const notAllowed = { code: 'DecisionNotAllowed' };
const [ana, bia, eva] = ['ana', 'bia', 'eva'].map(operatorNamed);
assert.ok(ana !== undefined && bia !== undefined && eva !== undefined);

for (const [command, prepare] of Object.entries(scenes)) {
  describe(`${command} in live mode`, () => {
    const proposed = async (t: TestContext) => {
      const made = await world(t);
      const at = new DeskScene(made);
      // It is older than any payment.
      await currentKey(at.deps, 'partner');
      await registered(at.deps, ['ana', 'bia', 'eva', 'ivo']);
      const scene = await prepare(at);
      const { itemId, request } = scene;
      const asked = { itemId, request, evidence: 'letter 7', operator: ana, replace: false };
      const { kind, decision } = await decide(at.deps, asked);
      assert.equal(kind, 'proposed');
      assert.equal(await scene.isDone(), false);
      const confirm = (by = bia) => confirmProposal(at.deps, decision.id, by);
      return { made, at, scene, confirm, decision };
    };

    test('takes effect when another operator confirms it, once', async (t) => {
      const { scene, confirm } = await proposed(t);
      const { kind, decision } = await confirm();
      assert.deepEqual([kind, decision.state], ['done', 'done']);
      assert.deepEqual([decision.proposedById, decision.endedById], [ana.id, bia.id]);
      assert.equal(await scene.isDone(), true);
      assert.equal((await confirm(eva)).kind, 'repeated');
    });

    test('has no effect by one person, whose proposal expires', async (t) => {
      const { made, scene, confirm } = await proposed(t);
      await assert.rejects(confirm(ana), notAllowed);
      await assert.rejects(confirm(operatorNamed('nobody')), { code: 'OperatorNotAllowed' });
      await assert.rejects(confirm(developmentOperator), { code: 'OperatorNotAllowed' });
      made.advanceClock(PROPOSAL_LIFE_MS);
      await assert.rejects(confirm(), notAllowed);
      assert.equal(await scene.isDone(), false);
    });

    test('is withdrawn by any operator, once, and not confirmed any more', async (t) => {
      const { at, scene, confirm, decision } = await proposed(t);
      const withdraw = (by = eva) => withdrawProposal(at.deps, decision.id, by);
      await assert.rejects(withdraw(operatorNamed('nobody')), { code: 'OperatorNotAllowed' });
      const { state, endedById } = await withdraw();
      assert.deepEqual([state, endedById], ['withdrawn', eva.id]);
      await assert.rejects(withdraw(), notAllowed);
      await assert.rejects(confirm(), notAllowed);
      assert.equal(await scene.isDone(), false);
    });

    test('has no effect if the facts have changed since, or the proposer is gone', async (t) => {
      const { at, confirm } = await proposed(t);
      await removeOperator(at.deps, 'ana', bia);
      await assert.rejects(confirm(), { code: 'DecisionNotAllowed', message: /is void: ana/ });
      const other = await proposed(t);
      await other.scene.change();
      await assert.rejects(other.confirm());
      const rows = await other.at.decisions();
      assert.ok(rows.every(({ state }) => state === 'proposed'));
    });
  });
}

test('production access is not proposed for an organization without a support contact', async (t) => {
  const at = new DeskScene(await world(t));
  await registered(at.deps, ['ana', 'bia']);
  await storeOrg(at, { productionGrantedAtMs: null, supportEmail: null, supportPhone: null });
  const request = { verb: 'grant-production' } as const;
  const asked = { itemId: orgId, request, evidence: null, operator: ana, replace: false };
  await assert.rejects(decide(at.deps, asked), { code: 'ValidationError' });
  assert.deepEqual(await at.decisions(), []);
});

test('a refused refund is sent again in live mode by one operator', async (t) => {
  const at = new DeskScene(await world(t));
  await currentKey(at.deps, 'partner');
  await at.payment([paidIn(), refusedRefund()]);
  const { test: partner } = at.deps.partners;
  const deps = { ...at.deps, partners: { test: partner, live: partner } };
  const { mode, id } = await retryCommand(deps, 'cmd_back');
  assert.deepEqual([mode, id === 'cmd_back'], ['live', false]);
  assert.deepEqual((await at.command(id)).amount, (await at.command('cmd_back')).amount);
  assert.deepEqual(await at.decisions(), []);
});

async function depositScene(at: DeskScene, request: DeskRequest): Promise<Scene> {
  const deposit = await at.deposit();
  const read = () => at.deps.store.run((tx) => tx.deposits.get(deposit.id));
  return {
    itemId: deposit.id,
    request,
    isDone: async () => (await read())?.state !== deposit.state,
    change: async () => at.books.change(deposit.partnerRef, { status: 'returned' }),
  };
}

function opens(at: DeskScene, secret: string): Promise<boolean> {
  return authenticateKey(at.deps, secret).then(
    () => true,
    () => false,
  );
}

async function changeProfile(at: DeskScene, fields: object): Promise<void> {
  const { profile } = await readOrg(at);
  await at.deps.store.run(async (tx) => tx.organizations.updateProfile({ ...profile, ...fields }));
}

async function registeredLater(at: DeskScene, name: string): Promise<void> {
  const { id } = operatorNamed(name);
  const { publicKey } = newKey();
  const row = { id, name, publicKey, number: 9, createdBy: null, createdAtMs: 1, version: 1 };
  const open = { removedBy: null, removedAtMs: null, signedAtMs: 0, series: 0 };
  await at.deps.store.run(async (tx) => tx.operators.insert({ ...row, ...open }));
}

/** Each command with its authority. */
function authorities(): ReadonlyMap<string, Authority> {
  const stdio = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  const groups = [createProgram({ env: {}, ...stdio, exitCode: 0 })];
  const found = new Map<string, Authority>();
  for (const group of groups) {
    for (const command of group.commands) {
      if (command.commands.length > 0) {
        groups.push(command);
        continue;
      }
      const authority = authorityOf(command);
      assert.ok(authority !== undefined, `${commandPath(command)} says who may give it`);
      found.set(commandPath(command), authority);
    }
  }
  return found;
}
