// Patroni itself over etcd, with HAProxy in front, all of this machine and ended with the cluster.
import assert from 'node:assert/strict';
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { temporaryFolder } from '../temporary-folder.js';
import { freePort } from './local-postgres.js';
import {
  etcdWords,
  haproxyConfig,
  type MemberPlace,
  patroniConfig,
  patroniEnvironment,
  serverOwner,
} from './patroni-config.js';
import { postmasterIn, signalAll } from './postgres-pair.js';

const MEMBERS = 3;
const READ_EVERY_MS = 100;
const LOOK_TIMEOUT_MS = 1_000;
/** Longer than any start or rejoin takes. */
const PATIENCE_MS = 90_000;

/** Characters of each log that a failure shows. */
const LOG_SHOWN = 1_000;

/** Fails until every other member streams, one of them synchronously. */
const followed =
  `select 1 / (count(*) = ${MEMBERS - 1} and bool_or(sync_state = 'sync'))::int ` +
  "from pg_stat_replication where state = 'streaming'";

export interface PatroniMember {
  readonly name: string;
  readonly url: string;
}

export interface PatroniCluster {
  /** Naming all servers. */
  readonly url: string;
  /** Through HAProxy. */
  readonly balancedUrl: string;
  readonly members: readonly PatroniMember[];
  /** The one that holds the leader's key and is a primary. */
  leader(): Promise<PatroniMember | null>;
  /** Ends Patroni and PostgreSQL of a member as a crash of its machine would. */
  kill(member: PatroniMember): Promise<void>;
  /** Starts its Patroni again. */
  start(member: PatroniMember): void;
  /** Resolves when every member but the leader streams from it. */
  whole(): Promise<void>;
}

type Member = PatroniMember & MemberPlace;

/** A leader takes writes when this resolves, and the others follow it, until `after` ends all. */
export async function startPatroni(
  after: (cleanup: () => unknown) => void,
): Promise<PatroniCluster> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const programs = programsIn(folder);
  const owner = serverOwner();
  const members = await placesIn(folder, owner);
  const memberOf = ({ name }: PatroniMember) => {
    return members.find((member) => member.name === name) as Member;
  };
  after(async () => {
    for (const { data } of members) killServer(data);
    await programs.endAll();
  });

  const etcdPort = await freePort();
  programs.run('etcd', await etcdWords(join(folder, 'etcd-data'), etcdPort));
  const config = join(folder, 'patroni.yml');
  writeFileSync(config, patroniConfig());
  const start = (member: PatroniMember) => {
    const env = patroniEnvironment(memberOf(member), etcdPort);
    programs.run(member.name, ['patroni', config], { env, ...owner });
  };
  const kill = async (member: PatroniMember) => {
    const patroni = programs.end(member.name);
    killServer(memberOf(member).data);
    await patroni;
  };
  for (const member of members) start(member);

  const leader = async () => {
    const leads = await Promise.all(members.map(({ restPort }) => isPrimary(restPort)));
    return members.find((_, at) => leads[at] === true) ?? null;
  };
  const whole = async () => {
    const endsAtMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = await leader();
      if (found !== null && (await accepts(found, followed))) return;
      assert.ok(performance.now() < endsAtMs, `not every member follows\n${lastLines(folder)}`);
      await wait(READ_EVERY_MS);
    }
  };
  await whole();
  const balancerPort = await freePort();
  const balancer = join(folder, 'haproxy.cfg');
  writeFileSync(balancer, haproxyConfig(balancerPort, members));
  programs.run('haproxy', ['haproxy', '-db', '-f', balancer]);
  return {
    url: urlOf(members.map(({ postgresPort }) => postgresPort)),
    balancedUrl: urlOf([balancerPort]),
    members,
    leader,
    kill,
    start,
    whole,
  };
}

function urlOf(ports: readonly number[]): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  return `postgres://postgres:postgres@${hosts}/postgres`;
}

async function placesIn(
  folder: string,
  owner: ReturnType<typeof serverOwner>,
): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (let nth = 1; nth <= MEMBERS; nth += 1) {
    const [name, postgresPort, restPort] = [`db-${nth}`, await freePort(), await freePort()];
    const own = join(folder, name);
    mkdirSync(own);
    if (owner !== null) chownSync(own, owner.uid, owner.gid);
    const data = join(own, 'data');
    members.push({ name, url: urlOf([postgresPort]), data, restPort, postgresPort });
  }
  return members;
}

/** Programs that run until they are ended; each writes a log of its name into the folder. */
function programsIn(folder: string) {
  const running = new Map<string, ChildProcess>();
  const end = async (name: string) => {
    const child = running.get(name);
    running.delete(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    run(
      name: string,
      [command, ...words]: readonly [string, ...string[]],
      options: SpawnOptions = {},
    ) {
      const log = openSync(join(folder, `${name}.log`), 'a');
      running.set(name, spawn(command, words, { ...options, stdio: ['ignore', log, log] }));
      closeSync(log);
    },
    end,
    endAll: () => Promise.all([...running.keys()].map(end)),
  };
}

/** Whether the statement succeeds. */
export async function accepts({ url }: PatroniMember, sql: string): Promise<boolean> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(sql);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The server of this folder, if it runs. */
function killServer(data: string): void {
  if (existsSync(join(data, 'postmaster.pid'))) signalAll(postmasterIn(data), 'SIGKILL');
}

function lastLines(folder: string): string {
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
  return logs
    .map((name) => `${name}: ${readFileSync(join(folder, name), 'utf8').slice(-LOG_SHOWN)}`)
    .join('\n');
}

async function isPrimary(restPort: number): Promise<boolean> {
  const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
  const response = await fetch(`http://127.0.0.1:${restPort}/primary`, { signal }).catch(
    () => null,
  );
  return response?.ok === true;
}
