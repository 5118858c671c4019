// The configuration of Patroni and HAProxy that adapters/docs/failover.md shows, with addresses of
// this machine, and which of their programs are installed.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../source-tree.js';
import { freePort } from './local-postgres.js';

const SERVERS = '/usr/lib/postgresql';

/** Changed from what the manual shows: waits as short as Patroni allows, and no watchdog here. */
const changes: readonly (readonly [from: string, to: string])[] = [
  ['ttl: 30', 'ttl: 20'],
  ['loop_wait: 10', 'loop_wait: 1'],
  ['retry_timeout: 10', 'retry_timeout: 3'],
  ['mode: required', "mode: 'off'"],
];

export interface MemberPlace {
  readonly name: string;
  readonly data: string;
  readonly restPort: number;
  readonly postgresPort: number;
}

/** The first program that is missing, in words; null when all are there. */
export function patroniMissing(): string | null {
  const programs = [
    ['patroni', '--version'],
    ['etcd', '--version'],
    ['haproxy', '-v'],
  ] as const;
  for (const [program, flag] of programs) {
    if (output(program, flag) === null) return `${program} is not installed`;
  }
  if (serverFolder() === null) return `${SERVERS} has no server`;
  if (isRoot() && output('id', '-u', 'postgres') === null) return 'there is no user postgres';
  return null;
}

/** Of Patroni, etcd, HAProxy and PostgreSQL. */
export function patroniVersions(): string {
  const postgres = join(serverFolder() ?? '', 'postgres');
  return [
    output('patroni', '--version'),
    output('etcd', '--version'),
    output('haproxy', '-v'),
    output(postgres, '--version'),
  ]
    .map((text) => /\d+(\.\d+)+/.exec(text ?? '')?.[0])
    .join(' ');
}

/** PostgreSQL refuses to run as root. Null when the process is not root. */
export function serverOwner(): { readonly uid: number; readonly gid: number } | null {
  if (!isRoot()) return null;
  return {
    uid: Number(output('id', '-u', 'postgres')),
    gid: Number(output('id', '-g', 'postgres')),
  };
}

export function patroniConfig(): string {
  let config = manualBlock('yaml', 'bootstrap:');
  for (const [from, to] of changes) {
    if (!config.includes(from)) throw new Error(`failover.md has no "${from}" for Patroni`);
    config = config.replace(from, to);
  }
  return config;
}

/** What each machine has for itself. */
export function patroniEnvironment(member: MemberPlace, etcdPort: number): NodeJS.ProcessEnv {
  const rest = `127.0.0.1:${member.restPort}`;
  const postgres = `127.0.0.1:${member.postgresPort}`;
  return {
    ...process.env,
    PATRONI_NAME: member.name,
    PATRONI_SCOPE: 'ponte',
    PATRONI_ETCD3_HOSTS: `127.0.0.1:${etcdPort}`,
    PATRONI_RESTAPI_LISTEN: rest,
    PATRONI_RESTAPI_CONNECT_ADDRESS: rest,
    PATRONI_POSTGRESQL_LISTEN: postgres,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: postgres,
    PATRONI_POSTGRESQL_DATA_DIR: member.data,
    PATRONI_POSTGRESQL_PGPASS: `${member.data}.pgpass`,
    PATRONI_POSTGRESQL_BIN_DIR: serverFolder() ?? '',
    PATRONI_SUPERUSER_USERNAME: 'postgres',
    PATRONI_SUPERUSER_PASSWORD: 'postgres',
    PATRONI_REPLICATION_USERNAME: 'replicator',
    PATRONI_REPLICATION_PASSWORD: 'replicator',
  };
}

export function haproxyConfig(port: number, members: readonly MemberPlace[]): string {
  const shown = manualBlock('', 'listen ponte').split('\n');
  const lines = shown.filter((line) => !/^\s*server /.test(line));
  const servers = members.map(
    ({ name, postgresPort, restPort }) =>
      `  server ${name} 127.0.0.1:${postgresPort} check port ${restPort}`,
  );
  return `${[...lines, ...servers].join('\n').replace('*:5000', `127.0.0.1:${port}`)}\n`;
}

export async function etcdWords(
  folder: string,
  port: number,
): Promise<readonly [string, ...string[]]> {
  const [own, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${await freePort()}`];
  return [
    'etcd',
    '--data-dir',
    folder,
    '--listen-client-urls',
    own,
    '--advertise-client-urls',
    own,
    '--listen-peer-urls',
    peer,
    '--initial-advertise-peer-urls',
    peer,
    '--initial-cluster',
    `default=${peer}`,
    '--unsafe-no-fsync',
  ];
}

/** The block of code in failover.md that has this line. */
function manualBlock(language: string, line: string): string {
  const manual = readFileSync(join(projectRoot, 'adapters/docs/failover.md'), 'utf8');
  const blocks = manual.split(/^```/m);
  const block = blocks.find((text) => text.startsWith(`${language}\n`) && text.includes(line));
  if (block === undefined) throw new Error(`failover.md shows no "${line}"`);
  return block.slice(language.length + 1);
}

/** Where the newest server's programs are; null when there is none. */
function serverFolder(): string | null {
  const versions = output('ls', SERVERS)?.trim().split('\n').map(Number) ?? [];
  const newest = Math.max(...versions.filter((version) => version > 0));
  return Number.isFinite(newest) ? join(SERVERS, `${newest}`, 'bin') : null;
}

function output(program: string, ...words: readonly string[]): string | null {
  try {
    return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
