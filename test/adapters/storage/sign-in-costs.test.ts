// What a sign-in to the dashboard reads and writes before its answer: the same for any address that
// is typed. Else the time of an answer would show whose address is a member's.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { newStore } from '../../../adapters/storage/store.js';
import { MINUTE_MS } from '../../../core/domain/base/instant.js';
import { isCode } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import { addMember, removeMember } from '../../../core/usecases/access/members.js';
import {
  hashBrowser,
  redeemCode,
  redeemLink,
  requestLink,
} from '../../../core/usecases/hosted/sign-ins.js';
import { runMails } from '../../../core/usecases/mail/mails.js';
import { createOrganization } from '../../../core/usecases/parties/organizations.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import { notedSession } from '../../support/databases/noted-session.js';
import { openWorld, type World } from '../../support/scenes/test-world.js';

const opened: { close(): unknown }[] = [];
after(async () => {
  for (const one of opened.toReversed()) await one.close();
});
const postgres = localPostgres();

const addresses = ['member@example.com', 'nobody@example.com', 'former@example.com'] as const;
const client = '203.0.113.7';

interface Served {
  readonly world: World;
  readonly deps: Deps;
}

/** A member, and one whose last membership has ended. */
async function serving(parts: Pick<Deps, 'rateLimits'> & { store: object }): Promise<Served> {
  const world = await openWorld();
  opened.push(world);
  const store = { ...world.deps.store, ...parts.store };
  const deps: Deps = { ...world.deps, store, rateLimits: parts.rateLimits };
  const { organization } = await createOrganization(deps, { name: 'Acme', sandboxKyb: true });
  const orgId = organization.id;
  await addMember(deps, { orgId, email: 'owner@example.com', role: 'owner' });
  await addMember(deps, { orgId, email: addresses[0], role: 'finance' });
  await addMember(deps, { orgId, email: addresses[2], role: 'finance' });
  await removeMember(deps, orgId, addresses[2]);
  return { world, deps };
}

/** What each step of somebody costs who asks for mails and types wrong codes. */
async function costs<T>(
  { world, deps }: Served,
  address: string,
  costOf: (act: () => Promise<unknown>) => Promise<T>,
): Promise<readonly { readonly step: string; readonly cost: T }[]> {
  const page = { kind: 'dashboard', address } as const;
  const ask = (browser: string) => () => {
    const browserHash = hashBrowser(browser);
    return requestLink(deps, page, { client, locale: 'en', browserHash });
  };
  const type = (browser: string) => async () => {
    const tried = { client: null, browserHash: hashBrowser(browser), code: 'x' };
    const codes = ['InvalidSignInCode', 'SignInCodeExpired'] as const;
    await assert.rejects(redeemCode(deps, page, tried, 'en'), (error) =>
      codes.some((code) => isCode(error, code)),
    );
  };
  const follow = () =>
    assert.rejects(redeemLink(deps, page, 'x', 'en'), { code: 'InvalidSignInLink' });
  const steps: (readonly [string, () => Promise<unknown>])[] = [
    ['the first request', ask('a')],
    ['too soon', ask('a')],
    ['another browser', ask('b')],
    ['a code before the mail is sent', type('a')],
    ['a code without a request', type('c')],
  ];
  const later: typeof steps = [
    ['the next request', ask('a')],
    ...[1, 2, 3, 4, 5].map((n) => [`code ${n}`, type('a')] as const),
    ['a link that is none', follow],
  ];
  const measured: { readonly step: string; readonly cost: T }[] = [];
  for (const [step, act] of steps) measured.push({ step, cost: await costOf(act) });
  await runMails(deps, deps.clock.nowMs(), 100);
  world.advanceClock(2 * MINUTE_MS);
  for (const [step, act] of later) measured.push({ step, cost: await costOf(act) });
  await runMails(deps, deps.clock.nowMs(), 100);
  return measured;
}

async function expectEqual<T>(
  served: Served,
  costOf: (act: () => Promise<unknown>) => Promise<T>,
): Promise<void> {
  // What a host learns from the first request, such as the time of a client, is known to all later.
  await costs(served, 'warm-up@example.com', costOf);
  const { world } = served;
  const before = world.mails.length;
  const [member, ...others] = addresses;
  const expected = await costs(served, member, costOf);
  assert.equal(world.mails.length, before + 3, 'a member is mailed');
  for (const address of others) {
    assert.deepEqual(await costs(served, address, costOf), expected, address);
  }
  assert.equal(world.mails.length, before + 3, 'nobody else is');
}

test('on SQLite a typed address takes the same statements, a member’s or not', async () => {
  const done: string[] = [];
  const { session, database } = notedSession((_, ...statements) => void done.push(...statements));
  opened.push(session);
  const limits = (await openWorld()).deps.rateLimits;
  const rateLimits: Deps['rateLimits'] = {
    take: (request) => {
      done.push(`take from ${request.buckets.length}`);
      return limits.take(request);
    },
  };
  const served = await serving({ store: newStore(database), rateLimits });
  await expectEqual(served, async (act) => {
    done.length = 0;
    await act();
    assert.ok(done.length > 0, 'a step is recorded');
    return [...done];
  });
});

test('on PostgreSQL a typed address takes as many reads and commits, a member’s or not', async () => {
  const store = openPostgresStore({ url: await postgres.migrated() });
  opened.push(store);
  const { run, claims, rateLimits } = store;
  const served = await serving({ store: { run, claims }, rateLimits });
  await expectEqual(served, async (act) => {
    const before = store.counts;
    await act();
    const { reads, commits } = store.counts;
    return { reads: reads - before.reads, commits: commits - before.commits };
  });
});
