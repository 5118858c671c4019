import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import type { SessionSubject } from '../../../../core/domain/access/session.js';
import { pageSessionKinds } from '../../../../core/domain/access/session.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../core/domain/base/instant.js';
import {
  endSession,
  readSession,
  runSessionDeletion,
} from '../../../../core/usecases/access/open-sessions.js';
import { quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { startSession } from '../../../support/scenes/started-session.js';
import { type World, world } from '../../../support/scenes/test-world.js';

let made: World;
let subject: SessionSubject;

beforeEach(async (t) => {
  made = await world(t as TestContext);
  const form = { paymentId: null, accountId: null, submissionId: 'kyc_1', ownerIndex: null };
  subject = { ...(await made.newTenant()), kind: 'buyer', ...form };
});

const read = (token: string) => readSession(made.deps, pageSessionKinds, token);

test('a session is found by its token, of which only a hash is stored', async () => {
  const { token, session } = await startSession(made.deps, subject);
  assert.deepEqual(await read(token), session);
  assert.equal(JSON.stringify(session).includes(token), false);
  for (const other of ['', session.id, `${token} `]) assert.equal(await read(other), null);
});

test('a page that it shows is recorded, a request in the background is not', async () => {
  const { token, session } = await startSession(made.deps, subject);
  made.advanceClock(SECOND_MS);
  await readSession(made.deps, pageSessionKinds, token, { background: true });
  made.advanceClock(SECOND_MS);
  const seenAtMs = (session.seenAtMs ?? 0) + 2 * SECOND_MS;
  assert.equal((await read(token))?.seenAtMs, seenAtMs);
  made.advanceClock(SECOND_MS);
  const after = await readSession(made.deps, pageSessionKinds, token, { background: true });
  assert.equal(after?.seenAtMs, seenAtMs);
});

test('pages within a second are recorded once', async () => {
  const { token, session } = await startSession(made.deps, subject);
  made.advanceClock(SECOND_MS - 1);
  assert.deepEqual(await read(token), session);
});

test('it ends after an hour without use', async () => {
  const { token } = await startSession(made.deps, subject);
  made.advanceClock(HOUR_MS - 1);
  assert.notEqual(await read(token), null);
  made.advanceClock(HOUR_MS);
  assert.equal(await read(token), null);
});

test('it ends after twelve hours of use, one for uploads after ten minutes', async () => {
  const kinds = { buyer: 12 * HOUR_MS, owner: 12 * HOUR_MS, upload: 10 * MINUTE_MS } as const;
  for (const [kind, lifeMs] of Object.entries(kinds)) {
    const of = { ...subject, kind: kind as 'buyer', ownerIndex: kind === 'owner' ? 0 : null };
    const { token } = await startSession(made.deps, of);
    for (let usedMs = 0; usedMs < lifeMs; usedMs += 10 * MINUTE_MS) {
      assert.notEqual(await read(token), null, kind);
      made.advanceClock(10 * MINUTE_MS);
    }
    assert.equal(await read(token), null, kind);
  }
});

test('a signed-out session is over on every host', async () => {
  const { token, session } = await startSession(made.deps, subject);
  await endSession(made.deps, { ...session, kind: 'seller' });
  assert.notEqual(await read(token), null, 'of another kind');
  await endSession(made.deps, session);
  assert.equal(await read(token), null);
  await endSession(made.deps, session);
  await endSession(made.deps, { ...session, id: 'unknown' });
});

test('in quarantine a page can be read and a session ended', async () => {
  const { token, session } = await startSession(made.deps, subject);
  await quarantineRestored(made.deps);
  made.advanceClock(2 * MINUTE_MS);
  assert.notEqual(await read(token), null);
  await endSession(made.deps, session);
  assert.equal(await read(token), null);
});

test('a session is deleted thirty days after its start', async () => {
  await startSession(made.deps, subject);
  const run = () => runSessionDeletion(made.deps, made.deps.clock.nowMs(), 100);
  made.advanceClock(30 * DAY_MS);
  assert.equal(await run(), 0);
  made.advanceClock(1);
  assert.deepEqual([await run(), await run()], [1, 0]);
});
