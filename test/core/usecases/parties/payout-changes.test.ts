// Changed PIX destinations: who may change one, how long live mode holds it, and how it is stopped.
import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { HOUR_MS } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { codeOf } from '../../../../core/domain/mail/mail.js';
import {
  changeState,
  type DestinationChange,
} from '../../../../core/domain/parties/destination-change.js';
import type { Deps } from '../../../../core/ports/deps.js';
import { runMails } from '../../../../core/usecases/mail/mails.js';
import { configureAccountPayout, readAccount } from '../../../../core/usecases/parties/accounts.js';
import {
  listAccountChanges,
  readStop,
  stopChange,
} from '../../../../core/usecases/parties/payout-changes.js';
import { quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { operatorDoes } from '../../../support/operator-action.js';
import { changedPartner } from '../../../support/partners/changed-partner.js';
import { anAccount, anyAuthor } from '../../../support/samples/domain-samples.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { makeIntent } from '../../../support/scenes/made-payments.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import { valuesOf } from '../../../support/values-of.js';

let made: World;
let deps: Deps;
let live: Tenant;

const onlyFirst = { origin: 'key', changedBy: 'key_2', mayRedirect: false } as const;

beforeEach(async (t) => {
  made = await world(t as TestContext);
  const partner = changedPartner(made.partner, {
    // The name stands for the PIX key.
    registerPixDestination: async ({ accountHolderName }) => ({
      outcome: 'done',
      value: { destinationRef: accountHolderName },
    }),
  });
  deps = { ...made.deps, partners: { test: partner, live: partner } };
  live = { orgId: await made.organization(), mode: 'live' };
  await addActiveMember(deps, { orgId: live.orgId, email: 'owner@acme.example', role: 'owner' });
  await deps.store.run(async (tx) => {
    const profile = (await tx.organizations.profile(live)) ?? assert.fail();
    tx.organizations.updateProfile({ ...profile, status: 'approved', railsRef: 'va_1' });
    tx.accounts.insert(seller('acct_1', 'old'));
    tx.accounts.insert(seller('acct_2', null));
  });
});

function seller(id: string, destinationRef: string | null) {
  const email = 'loja@example.com';
  const readyAtMs = destinationRef === null ? null : 1;
  return anAccount({ ...live, id, externalId: id, email, destinationRef, readyAtMs });
}

function configure(
  name: string,
  id = 'acct_1',
  by: typeof anyAuthor | typeof onlyFirst = anyAuthor,
) {
  const destination = { pixKey: 'pix@example.com', accountHolderName: name };
  return configureAccountPayout(deps, live, id, destination, by);
}

/** Where a payment that is created now is paid. */
async function paidTo(sellerExternalId = 'acct_1'): Promise<string> {
  return (await makeIntent(deps, live, { sellerExternalId })).payment.destination;
}

/** The codes of the stop links in the mails of the last change. */
async function mailedCodes(): Promise<readonly string[]> {
  const sent = made.mails.length;
  await runMails(deps, deps.clock.nowMs(), 10);
  return made.mails.slice(sent).map(({ text }) => /\/stop\/([^\s?]+)/.exec(text)?.[1] ?? 'none');
}

function stateNow(change: DestinationChange) {
  return changeState(change, deps.clock.nowMs());
}

async function changesOf(id = 'acct_1') {
  const changes = await listAccountChanges(deps, live, id);
  return changes.map(({ fromRef, toRef, changedBy, stoppedAtMs }) => [
    `${fromRef} ${toRef} ${changedBy}`,
    stoppedAtMs,
  ]);
}

function hold(hours: number): Promise<void> {
  return operatorDoes(deps, live.orgId, { verb: 'payout-hold', hours });
}

async function eventsAbout(id: string) {
  const events = await deps.store.run((tx) => tx.feed.after(live, 0, 100));
  return events.filter(({ subjectId }) => subjectId === id);
}

test('in live mode new payments use the old destination for 24 hours', async () => {
  const { heldUntilMs, destinationRef } = await configure('new');
  assert.deepEqual([heldUntilMs, destinationRef], [deps.clock.nowMs() + 24 * HOUR_MS, 'old']);
  made.advanceClock(24 * HOUR_MS - 1);
  assert.equal(await paidTo(), 'old');
  made.advanceClock(1);
  assert.equal(await paidTo(), 'new');
  assert.deepEqual(await changesOf(), [['old new key_1', null]]);
});

test('an organization sets 0 to 72 hours; a change that is held keeps its time', async () => {
  for (const hours of [-1, 73, 1.5, Number.NaN]) {
    await assert.rejects(hold(hours), { code: 'ValidationError' });
  }
  await hold(72);
  await configure('slow');
  await hold(0);
  made.advanceClock(72 * HOUR_MS - 1);
  assert.equal(await paidTo(), 'old');
  await configure('fast');
  assert.equal(await paidTo(), 'fast');
});

test('a repeat does not hold a change longer, another one does, and changing back ends it', async () => {
  const { heldUntilMs } = await configure('new');
  made.advanceClock(HOUR_MS);
  assert.equal((await configure('new')).heldUntilMs, heldUntilMs);
  assert.equal((await configure('other')).heldUntilMs, deps.clock.nowMs() + 24 * HOUR_MS);
  assert.deepEqual((await configure('old')).heldUntilMs, null);
  made.advanceClock(48 * HOUR_MS);
  assert.equal(await paidTo(), 'old');
});

test('a first destination is held, and needs no right to change one', async () => {
  const configured = await configure('first', 'acct_2', onlyFirst);
  const untilMs = deps.clock.nowMs() + 24 * HOUR_MS;
  assert.deepEqual([configured.destinationRef, configured.heldUntilMs], [null, untilMs]);
  made.advanceClock(1);
  assert.equal((await configure('first', 'acct_2', onlyFirst)).heldUntilMs, untilMs);
  assert.deepEqual(await changesOf('acct_2'), [['null first key_2', null]]);
  const denied = { code: 'InsufficientScope', message: /payouts:write/ };
  await assert.rejects(configure('other', 'acct_2', onlyFirst), denied);
  assert.equal((await readAccount(deps, live, 'acct_2')).heldRef, 'first');
});

test('a seller can be paid once the hold of its first destination has ended', async () => {
  await configure('first', 'acct_2', onlyFirst);
  made.advanceClock(24 * HOUR_MS - 1);
  await made.settle();
  await assert.rejects(paidTo('acct_2'), { code: 'SellerNotReady' });
  made.advanceClock(1);
  await made.settle();
  assert.equal(await paidTo('acct_2'), 'first');
  const { destinationRef, heldRef, heldUntilMs } = await readAccount(deps, live, 'acct_2');
  assert.deepEqual([destinationRef, heldRef, heldUntilMs], ['first', null, null]);
  const types = valuesOf(await eventsAbout('acct_2'), 'type');
  const names = ['payout_changed', 'ready_to_collect'];
  assert.deepEqual(
    types,
    names.map((name) => `connected_account.${name}`),
  );
});

test('a first destination that was stopped is never paid to, and the next one is held', async () => {
  await configure('thief', 'acct_2', onlyFirst);
  const [code = ''] = await mailedCodes();
  made.advanceClock(HOUR_MS);
  assert.equal(await stopChange(deps, code, codeOf(code)), 'stopped');
  made.advanceClock(48 * HOUR_MS);
  await made.settle();
  await assert.rejects(paidTo('acct_2'), { code: 'SellerNotReady' });
  const next = await configure('right', 'acct_2');
  assert.deepEqual([next.destinationRef, next.heldRef], [null, 'right']);
});

test('the end of a hold is no second change', async () => {
  await configure('new');
  made.advanceClock(24 * HOUR_MS);
  await made.settle();
  const { destinationRef, heldUntilMs } = await readAccount(deps, live, 'acct_1');
  assert.deepEqual([destinationRef, heldUntilMs], ['new', null]);
  const types = valuesOf(await eventsAbout('acct_1'), 'type');
  assert.deepEqual(types, ['connected_account.payout_changed']);
});

test('each mail about a held change stops it, once, and only by its link', async () => {
  await configure('thief');
  const codes = await mailedCodes();
  assert.equal(codes.length, 2, 'the owner and the seller');
  const [code = ''] = codes;
  assert.deepEqual(new Set(codes), new Set([code]));
  for (const wrong of [`${code}0`, code.slice(0, -1), code.split('.')[0] ?? '', '', 'dst_0.0']) {
    await assert.rejects(stopChange(deps, wrong, codeOf(wrong)), { code: 'NotFound' }, wrong);
  }
  assert.equal(await readStop(deps, code), 'held');
  assert.equal(await readStop(deps, code), 'held', 'a look changes nothing');
  assert.equal(await stopChange(deps, code, codeOf(code)), 'stopped');
  assert.equal(await stopChange(deps, code, codeOf(code)), 'stopped');
  made.advanceClock(48 * HOUR_MS);
  assert.equal(await paidTo(), 'old');
  assert.equal((await changesOf())[0]?.[1], deps.clock.nowMs() - 48 * HOUR_MS);
});

test('a link stops what is held for its payee, also a change after its own', async () => {
  const changes = 25;
  for (let nth = 0; nth < changes; nth += 1) {
    await configure(`decoy-${nth}`);
    made.advanceClock(1);
  }
  await configure('thief', 'acct_1');
  while ((await runMails(deps, deps.clock.nowMs(), 10)) > 0);
  const codes = made.mails.map(({ text }) => /\/stop\/([^\s?]+)/.exec(text)?.[1] ?? 'none');
  assert.equal(codes.length, 2 * (changes + 1), 'each held change is mailed');
  assert.equal(new Set(codes).size, changes + 1, 'each mail has the link of its change');
  const [decoy = '', thief = ''] = [codes[0], codes.at(-1)];
  const states = async () => (await listAccountChanges(deps, live, 'acct_1')).map(stateNow);
  assert.deepEqual(await states(), ['held', ...Array(changes).fill('replaced')]);
  assert.equal(await readStop(deps, decoy), 'held');
  assert.equal(await stopChange(deps, decoy, codeOf(decoy)), 'stopped');
  assert.deepEqual(await states(), ['stopped', ...Array(changes).fill('replaced')]);
  for (const code of [decoy, thief]) assert.equal(await readStop(deps, code), 'stopped');
  made.advanceClock(48 * HOUR_MS);
  assert.equal(await paidTo(), 'old');
});

test('a link stops nothing once its change is in effect, or would be', async () => {
  await configure('one');
  const [one = ''] = await mailedCodes();
  made.advanceClock(24 * HOUR_MS);
  assert.equal(await stopChange(deps, one, codeOf(one)), 'effective');
  await configure('two');
  const [two = ''] = await mailedCodes();
  made.advanceClock(HOUR_MS);
  await configure('three');
  assert.equal(await stopChange(deps, one, codeOf(one)), 'effective');
  made.advanceClock(23 * HOUR_MS);
  assert.equal(
    await stopChange(deps, two, codeOf(two)),
    'replaced',
    'the mail about the later one stops it',
  );
  assert.equal((await readAccount(deps, live, 'acct_1')).heldRef, 'three');
});

test('the link of a seller stops nothing of another one', async () => {
  await deps.store.run(async (tx) => {
    tx.accounts.insert(seller('acct_3', 'old'));
  });
  await configure('one');
  const [one = ''] = await mailedCodes();
  await configure('thief', 'acct_3');
  assert.equal(await stopChange(deps, one, codeOf(one)), 'stopped');
  assert.equal((await readAccount(deps, live, 'acct_3')).heldRef, 'thief');
});

test('a held change is stopped in quarantine', async () => {
  await configure('thief');
  const [code = ''] = await mailedCodes();
  await quarantineRestored(deps);
  assert.equal(await stopChange(deps, code, codeOf(code)), 'stopped');
  assert.equal((await readAccount(deps, live, 'acct_1')).heldRef, null);
});

test('a change and its end are events, with the time from which new payments use it', async () => {
  await configure('new');
  const [code = ''] = await mailedCodes();
  await stopChange(deps, code, codeOf(code));
  await made.settle();
  const told = await eventsAbout('acct_1');
  const type = 'connected_account.payout_changed';
  assert.deepEqual(valuesOf(told, 'type'), [type, type]);
  const times = told.map(({ body }) => JSON.parse(body).data.effectiveAt);
  assert.deepEqual(times, ['2030-01-02T00:00:00.000Z', '2030-01-01T00:00:00.000Z']);
});

test('test mode holds nothing', async () => {
  const test: Tenant = { ...live, mode: 'test' };
  await deps.store.run(async (tx) => {
    tx.accounts.insert(anAccount({ ...test, id: 'acct_3', externalId: 'acct_3' }));
  });
  const destination = { pixKey: 'pix@example.com', accountHolderName: 'new' };
  const changed = await configureAccountPayout(deps, test, 'acct_3', destination, anyAuthor);
  assert.deepEqual([changed.destinationRef, changed.heldUntilMs], ['new', null]);
});
