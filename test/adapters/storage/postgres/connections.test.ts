// What PostgreSQL ends for its time, by the settings of our sessions: refused, never half stored.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import {
  openPostgresStore,
  type PostgresStore,
} from '../../../../adapters/storage/postgres/store.js';
import type { PonteError } from '../../../../core/errors.js';
import { localPostgres } from '../../../support/databases/local-postgres.js';
import {
  aBarePayment,
  anOrganization,
  aPayment,
  aProfile,
} from '../../../support/samples/domain-samples.js';

const postgres = localPostgres();
const opened: PostgresStore[] = [];
after(() => Promise.all(opened.map((store) => store.close())));

const anyDue = { nowMs: 1, limit: 5, after: null } as const;
const ids = ['pi_1', 'pi_2', 'pi_3', 'pi_4', 'pi_5'];

/** A store whose statements end after a while, beside a connection that never does. */
async function besideALock(setting: string, lock: string) {
  const url = await postgres.newDatabase();
  const store = openPostgresStore({ url });
  await store.migrate();
  await store.run(async (tx) => tx.organizations.insert(anOrganization(), [aProfile()]));
  await store.close();
  const impatient = openPostgresStore({
    url: url.replace('search_path', `${setting} -c search_path`),
  });
  opened.push(impatient);
  const holder = new pg.Client(url);
  await holder.connect();
  await holder.query(`begin; ${lock}`);
  return { impatient, holder };
}

for (const [what, setting] of [
  ['waits too long for a lock', 'lock_timeout=100ms'],
  ['takes too long', 'statement_timeout=1s'],
] as const) {
  test(`what ${what} is refused with a time to come back, and changes nothing`, async () => {
    const { impatient, holder } = await besideALock(setting, 'lock table payments, members');
    const create = () => impatient.run(async (tx) => tx.payments.insert(aPayment()));
    const read = () => impatient.run((tx) => tx.members.list('org_a'));
    const refusal = {
      code: 'StoreUnavailable',
      retryAfterSeconds: 2,
      message: /too long.*Nothing/,
    };
    await assert.rejects(create(), refusal);
    await assert.rejects(read(), refusal);
    await assert.rejects(impatient.claims.expiredPayments(anyDue), refusal);
    assert.deepEqual(await impatient.health(), { database: true, migrations: true });
    await holder.end();
    await create();
    assert.deepEqual(await read(), []);
  });
}

test('what waits for a row that another holds is refused with all that went with it', async () => {
  const { impatient, holder } = await besideALock(
    'lock_timeout=100ms',
    "update organizations set name = name where org_id = 'org_a'",
  );
  const [organization] = await impatient.run((tx) => tx.organizations.list());
  assert.ok(organization);
  const batches = () => [
    impatient.run(async (tx) => tx.organizations.update({ ...organization, name: 'new' })),
    ...ids.map((id) =>
      impatient.run(async (tx) => tx.payments.insert(aBarePayment({ id, publicId: id }))),
    ),
  ];
  const before = impatient.counts.commits;
  const ends = await Promise.allSettled(batches());
  assert.deepEqual([...new Set(ends.map(codeOf))], ['StoreUnavailable']);
  const many = { status: null, orgId: null, beforeId: null, limit: 9 } as const;
  assert.deepEqual(await impatient.run((tx) => tx.payments.list(many)), []);
  assert.equal(impatient.counts.commits, before, 'nobody waits once more for what others hold');
  await holder.end();
  await Promise.all(batches());
});

function codeOf(end: PromiseSettledResult<unknown>): unknown {
  return end.status === 'rejected' ? (end.reason as PonteError).code : end.status;
}
