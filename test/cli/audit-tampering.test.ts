// What somebody does who writes to the database and has no key: SQL alone, on a file of a real
// service. `ponte audit verify` and `ponte doctor` find each change, under a chain that is right.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import SqliteConnection from 'better-sqlite3';
import { type FeedHead, headAfter } from '../../core/domain/payments/event.js';
import { runCommand } from '../support/servers/command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

type Sql = InstanceType<typeof SqliteConnection>;

interface Check {
  readonly sound: boolean;
  readonly problems: readonly { readonly sequence: number | null; readonly problem: string }[];
}

const origin = temporaryFolder();
let orgId = '';

async function ponte(folder: string, words: string) {
  const env = { PONTE_DATA_DIR: folder, PONTE_LOG_LEVEL: 'silent' };
  const { stdout, stderr, status } = await runCommand(env, [...words.split(' '), '--json']);
  return { status, stderr, json: JSON.parse(stdout === '' ? '{}' : stdout) };
}

orgId = (await ponte(origin, 'org create --name Acme')).json.id;
for (const words of [
  `member add --org ${orgId} --email ana@acme.example --role viewer`,
  `key create --org ${orgId} --mode test --name erp`,
  `org support ${orgId} --email help@acme.example`,
  `org grant-production ${orgId}`,
  `member add --org ${orgId} --email bia@acme.example --role finance`,
  `org require-approval ${orgId} on`,
]) {
  const { status, stderr } = await ponte(origin, words);
  assert.equal(status, 0, stderr);
}

/** Verifies a copy of the database that somebody has changed. */
async function problemsAfter(change: (sql: Sql) => void): Promise<readonly string[]> {
  const folder = temporaryFolder();
  cpSync(origin, folder, { recursive: true });
  const sql = new SqliteConnection(join(folder, 'ponte.db'));
  change(sql);
  sql.close();
  const { json, status } = await ponte(folder, 'audit verify');
  const { sound, problems } = json as Check;
  assert.equal(status, sound ? 0 : 8);
  const { checks } = (await ponte(folder, 'doctor')).json as {
    readonly checks: readonly { readonly name: string; readonly severity: string }[];
  };
  const severity = checks.find(({ name }) => name === 'audit log')?.severity;
  assert.equal(severity, sound ? 'ok' : 'critical');
  return problems.map(({ sequence, problem }) => `${sequence ?? '-'} ${problem}`);
}

/** Writes the chain and its head again, as the entries are now. */
function chained(sql: Sql): void {
  const rows = sql
    .prepare("select id, body from events where org_id = 'service' order by sequence")
    .all() as readonly { readonly id: string; readonly body: string }[];
  const move = sql.prepare('update events set sequence = ?, chain_hash = ? where id = ?');
  let head: FeedHead | null = null;
  for (const { id, body } of rows) {
    head = headAfter(head, body);
    move.run(head.sequence, head.chainHash, id);
  }
  sql
    .prepare("update feed_heads set sequence = ?, chain_hash = ? where org_id = 'service'")
    .run(head?.sequence, head?.chainHash);
}

function withoutTriggers(sql: Sql): void {
  for (const name of ['update', 'delete', 'insert']) {
    sql.exec(`drop trigger events_keep_audit_${name}`);
  }
}

test('a database as it was written has no problem', async () => {
  assert.deepEqual(await problemsAfter(() => undefined), []);
});

const changed: Readonly<Record<string, readonly [sql: string, problem: RegExp]>> = {
  'a viewer who is made an owner': [
    "update members set role = 'owner' where email like 'ana%'",
    /^\d+ member mem_\w+: differs from its newest entry$/,
  ],
  'the address of a member': [
    `update members set email = 'eva@evil.example', email_key = 'eva@evil.example'
       where email like 'bia%'`,
    /^\d+ member mem_\w+: differs from its newest entry$/,
  ],
  'a member without an entry': [
    `create temp table evil as select * from members limit 1;
     update evil set id = 'mem_evil', email = 'eva@evil.example', email_key = 'eva@evil.example';
     insert into members select * from evil`,
    /^- member mem_evil: no entry made it$/,
  ],
  'a member who is gone': [
    "delete from members where email like 'bia%'",
    /^\d+ member mem_\w+: was removed without an entry$/,
  ],
  'a key with more scopes': [
    `update api_keys set scopes = '["payouts:write"]'`,
    /^\d+ api_key key_\w+: differs from its newest entry$/,
  ],
  'the evidence of a decision': [
    "update proposals set evidence = 'the seller asked'",
    /^\d+ proposal dec_\w+: differs from its newest entry$/,
  ],
  'the names of a decision': [
    "update proposals set proposed_by = 'carol', ended_by = 'dora', ended_by_id = 'opr_dora'",
    /^\d+ proposal dec_\w+: differs from its newest entry$/,
  ],
  'second approval that is switched off': [
    'update organizations set requires_approval = 0',
    /^\d+ organization org_\w+: differs from its newest entry$/,
  ],
  'a PIX destination': [
    "update organization_profiles set destination_ref = 'dst_evil' where mode = 'test'",
    /^\d+ organization_profile org_\w+\/test: differs from its newest entry$/,
  ],
  'the history of destinations': [
    "update destination_changes set changed_by = 'opr_dora'",
    /^\d+ destination_change dst_\w+: differs from its newest entry$/,
  ],
};

for (const [name, [sql, problem]] of Object.entries(changed)) {
  test(`found: ${name}`, async () => {
    const [found = '', ...others] = await problemsAfter((it) => it.exec(sql));
    assert.match(found, problem);
    assert.deepEqual(others, []);
  });
}

test('found: a change that a later command overwrites', async () => {
  const folder = temporaryFolder();
  cpSync(origin, folder, { recursive: true });
  const sql = new SqliteConnection(join(folder, 'ponte.db'));
  sql.exec('update organizations set requires_approval = 0');
  sql.close();
  await ponte(folder, `org support ${orgId} --email other@acme.example`);
  const { problems } = (await ponte(folder, 'audit verify')).json as Check;
  assert.deepEqual(
    problems.map(({ problem }) => problem),
    [`organization ${orgId}: was changed before this entry, without an entry`],
  );
});

test('found: an entry that is deleted under a chain that is right', async () => {
  const found = await problemsAfter((sql) => {
    withoutTriggers(sql);
    sql.exec("delete from events where org_id = 'service' and type = 'key create'");
    chained(sql);
  });
  assert.match(found.join('\n'), /cites a head that the log does not have/);
  assert.match(found.join('\n'), /api_key key_\w+: no entry made it/);
});

test('found: an entry that is rewritten under a chain that is right', async () => {
  const found = await problemsAfter((sql) => {
    withoutTriggers(sql);
    sql.exec(`update events set body = replace(body, '"kind":"operator"', '"kind":"member"')
      where org_id = 'service' and type = 'key create'`);
    chained(sql);
  });
  assert.match(found[0] ?? '', /^\d+ no key of this service made the MAC of the entry$/);
});

test('found: a last entry that is deleted with its change undone', async () => {
  const found = await problemsAfter((sql) => {
    withoutTriggers(sql);
    sql.exec("delete from events where org_id = 'service' and type = 'org require-approval'");
    chained(sql);
  });
  assert.match(found.join('\n'), /organization org_\w+: differs from its newest entry/);
});
