// One serving process: database, API and workers, from a configuration to a graceful stop. Beside
// it the same wiring without workers, for operators' commands. What is printed is the CLI's matter.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createHttpServer, type HttpServer } from '../adapters/http/server.js';
import type { PrometheusMetrics } from '../adapters/metrics/prometheus.js';
import type { StoredRows } from '../adapters/storage/row-counts.js';
import type { ServedStore, Server } from '../adapters/storage/store.js';
import { SECOND_MS } from '../core/domain/instant.js';
import { assert, StoreRefusal } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import { currentEpoch } from '../core/usecases/epochs.js';
import { readQueueStats } from '../core/usecases/queue-stats.js';
import { recordKeyCheckValue, secretKeysProblem } from '../core/usecases/secret-keys.js';
import { currentKey } from '../core/usecases/service-keys.js';
import {
  documentStorageProblem,
  fingerprintDocuments,
} from '../core/usecases/storage-fingerprint.js';
import { readBackupAgeMs } from './backup-schedule.js';
import { type Config, ConfigError, readConfig } from './config.js';
import { createContainer, tokens, urlOf, type World } from './container.js';
import { type Making, noDatabase, placeProblem } from './database-place.js';
import { type Demo, developmentSecret, makeDemo, throwawaySecret } from './development.js';
import { dueAlarm } from './due-alarm.js';
import { clockStep, type HostClock, whileRight } from './host-clock.js';
import { quarantined } from './lost-commits.js';
import { listeningProblem, openingProblem } from './startup-errors.js';
import { startWorkers, stepsOfApi, type Workers, workerSteps } from './workers.js';

/** What runs when the drain is over has this long; the process is gone 10 s after the drain. */
const STOP_GRACE_MS = 8 * SECOND_MS;
/** Receivers have this long of it: attempts that hang then are ended and recorded as failed. */
const SEND_GRACE_MS = 6 * SECOND_MS;

const NO_KEYS =
  'set the keys that the database was served with; there are none in the data directory';

type Container = ReturnType<typeof createContainer>;

export interface Host {
  /** The database as people know it: a file, or a URL without its password. */
  readonly databaseName: string;
  /** Where it listens, as others reach it unless PONTE_BASE_URL says otherwise. */
  readonly url: string;
  /** Where metrics are read; null when they are off. */
  readonly metricsUrl: string | null;
  readonly deps: Deps;
  /** Made at this start, on an empty development database. */
  readonly demo: Demo | null;
  /** Drains, stops accepting, lets what runs finish, gives leases back, closes the database. */
  stop(): Promise<void>;
}

export interface OperatorAccess {
  readonly config: Config;
  /** The database as people know it: a file, or a URL without its password. */
  readonly databaseName: string;
  readonly deps: Deps;
  readonly payUrl: string;
  /** Numbers of the migrations that were applied for this. */
  readonly migrated: readonly number[];
  /** Why the secret keys are not those of the database; null when they are. */
  readonly keysProblem: string | null;
  /** Processes that serve the database now. */
  readonly servers: () => Promise<readonly Server[]>;
  /** What every table holds at one moment. */
  readonly rows: () => Promise<StoredRows>;
  /** How far the clock of this machine is ahead of the database's. */
  readonly clockSkewMs: number;
  /** What has to be mended between a host and the database, a line each. */
  readonly connectionProblems: () => Promise<readonly string[]>;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What a process does of the service: hosts of an `api` need a `worker` beside them. */
export type HostRole = 'all' | 'api' | 'worker';

/** Everything is ready when this resolves; refuses when another process serves the file. */
export async function startHost(
  config: Config,
  role: HostRole = 'all',
  making: Making = 'first',
): Promise<Host> {
  return inWords(config, () => start(config, role, making));
}

async function start(config: Config, role: HostRole, making: Making): Promise<Host> {
  const metrics = await metricsOf(config);
  const { container } = await opened(config, { world: { metrics }, making });
  const [store, deps, signals, address, clock] = [
    container.get(tokens.store),
    container.get(tokens.deps),
    container.get(tokens.signals),
    container.get(tokens.address),
    container.get(tokens.hostClock),
  ];
  let workers: Workers | null = null;
  let serving = true;
  const http = createHttpServer(deps, {
    corsOrigins: config.corsOrigins,
    feedReaders: container.get(tokens.feedReaders),
    trustedProxies: config.trustedProxies,
    surface: role === 'worker' ? 'health' : 'all',
    readiness: async () => ({
      ...(await healthOf(store)),
      worker: workers !== null && workers.stalled().length === 0,
      clock: clock.isRight(),
      serving,
    }),
  });
  try {
    await clock.measure();
    await takeDatabase(store, deps, role);
    await takeDocuments(deps);
    const { channel } = store;
    if (channel !== null) {
      await channel.open(signals.heard, deps.log);
      signals.publishWith((...work) => channel.publish(...work));
    }
    const { port } = await http.listen(config.host, config.port).catch((error: unknown) => {
      throw listeningProblem(error, config);
    });
    if (config.baseUrl === null) address.baseUrl = urlOf(config.host, port);
    const metricsUrl = metrics && (await serveMetrics(metrics, config, deps, { store, clock }));
    warnOfUnknown(config, deps);
    const demo = config.production ? null : await makeDemo(deps);
    workers = begunWork(container, role);
    const running = workers;
    // Last: nothing that must be done before the first answer waits for it.
    store.startThread?.().catch((error: unknown) => {
      deps.log.error('the writer goes on without a thread of its own', { error });
    });
    return {
      databaseName: store.name,
      url: urlOf(config.host, port),
      metricsUrl,
      deps,
      demo,
      stop: async () => {
        serving = false;
        if (role !== 'worker') await drained(deps, http, config);
        await stop(deps, http, () => finished(container, running, metrics));
      },
    };
  } catch (error) {
    await metrics?.close();
    await http.close(0);
    await deps.sender.close();
    await store.close();
    throw error;
  }
}

function begunWork(container: Container, role: HostRole): Workers {
  const [deps, store, clock] = [
    container.get(tokens.deps),
    container.get(tokens.store),
    container.get(tokens.hostClock),
  ];
  const { channel } = store;
  const shared =
    channel === null
      ? {}
      : {
          leads: () => channel.leads(),
          analyzeGrowingTables: () => channel.analyzeGrowingTables(),
          endLostLeases: (nowMs: number) => channel.endLostLeases(nowMs),
        };
  const parts = { deps, runners: container.get(tokens.runners), ...shared };
  const steps = [
    ...(role === 'api' ? [] : workerSteps(parts)).map((step) => whileRight(step, clock, channel)),
    ...stepsOfApi({ deps, partners: container.get(tokens.partners) }),
    ...(role === 'api' ? [] : [dueAlarm(store, container.get(tokens.signals))]),
    clockStep({ clock, log: deps.log, keepWaits: store.keepWaits }),
  ];
  return startWorkers({ steps, signals: container.get(tokens.signals), clock, log: deps.log });
}

/**
 * What an operator's command does with the database: it `makes` one where there is none; it `finds`
 * one, and brings it to this version if nobody serves it; it `reads` one of this version; or it
 * only `looks` at whatever is there, perhaps of a version that this one cannot read.
 */
export type Opening = 'makes' | 'finds' | 'reads' | 'looks';

/** Opens the database beside a server that may be running. */
export async function openForOperator(
  env: Environment,
  { opening = 'finds' }: { readonly opening?: Opening } = {},
): Promise<OperatorAccess> {
  const config = readConfig(env);
  return inWords(config, () => openedForOperator(config, opening));
}

async function openedForOperator(config: Config, opening: Opening): Promise<OperatorAccess> {
  const making = opening === 'makes' ? 'first' : 'none';
  const { container, hasKeys } = await opened(config, { making });
  const store = container.get(tokens.store);
  try {
    const { migrations } = await store.health();
    const migrates = !migrations && opening !== 'looks';
    if (migrates && opening !== 'makes') await refuseToMake(store, config, opening);
    if (migrates) takeForMigration(store);
    const migrated = migrates ? await store.migrate() : [];
    const [deps, clock] = [container.get(tokens.deps), container.get(tokens.hostClock)];
    // Without the database there is nothing to compare with, and nothing to change.
    await clock.measure().catch(() => undefined);
    warnOfUnknown(config, deps);
    return {
      config,
      databaseName: store.name,
      deps,
      payUrl: deps.settings.payUrl,
      migrated,
      keysProblem: hasKeys ? await keysProblemOf(deps, migrations || migrates) : NO_KEYS,
      servers: () => store.servers(),
      rows: () => store.rows(),
      clockSkewMs: clock.skewMs(),
      connectionProblems: () => store.connectionProblems(),
      close: async () => {
        await deps.sender.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Null for a database that this version cannot read. */
async function keysProblemOf(deps: Deps, isReadable: boolean): Promise<string | null> {
  return isReadable ? secretKeysProblem(deps) : null;
}

async function refuseToMake(store: ServedStore, config: Config, opening: Opening): Promise<void> {
  if (await store.isNew()) throw new StoreRefusal(noDatabase(config, store.name));
  if (opening === 'finds') return;
  throw new StoreRefusal(`${store.name} is of an older version. Run ponte migrate first.`);
}

/** Turns an operator's mistake into a line, wherever it is noticed. */
export async function inWords<T>(config: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw openingProblem(error, config);
  }
}

/** Wires everything and opens the database. StoreRefusal if there is none and none is made. */
async function opened(
  config: Config,
  { world = {}, making }: { readonly world?: World; readonly making: Making },
): Promise<{ readonly container: Container; readonly hasKeys: boolean }> {
  const problem = await placeProblem(config, making);
  if (problem !== null) throw new StoreRefusal(problem);
  const makes = making !== 'none';
  if (makes) makeFolders(config);
  assert(config.secretKeys !== null || !config.production, 'production brings its own keys');
  const keys = config.secretKeys ?? developmentSecret(config, { makes });
  const container = createContainer(config, keys ?? throwawaySecret(), world);
  container.get(tokens.store);
  return { container, hasKeys: keys !== null };
}

function makeFolders({ dataDir, database }: Config): void {
  const folders = database.kind === 'sqlite' ? [dataDir, dirname(database.file)] : [dataDir];
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** A server that runs meanwhile is of an older version, which knows nothing of the newer schema. */
function takeForMigration(store: ServedStore): void {
  try {
    store.acquireServing();
  } catch (error) {
    if (!(error instanceof StoreRefusal)) throw error;
    const why = `${store.name} is of an older version and must be migrated for this command.`;
    throw new StoreRefusal(`${why} ${error.message}`, { cause: error });
  }
}

/** Migrates it, and refuses one that is served or that has other secret keys. */
async function takeDatabase(store: ServedStore, deps: Deps, role: HostRole): Promise<void> {
  const access = store.acquireServing();
  store.onLostCommits((timeline, whileHeld) => quarantined(deps, whileHeld, timeline));
  if (role !== 'all' && access === 'exclusive') {
    throw new ConfigError(['--role: api and worker are for hosts that share a PostgreSQL']);
  }
  await store.migrate();
  const problem = await secretKeysProblem(deps);
  if (problem !== null) throw new ConfigError([`PONTE_SECRET_KEYS: ${problem}`]);
  await recordKeyCheckValue(deps);
  await currentKey(deps, 'partner');
  // What a killed process had taken in hand goes on at once; beside others, when its lease ends.
  if (access === 'exclusive') await store.claims.releaseAll(deps.clock.nowMs());
  await tellQuarantine(deps);
}

/** Refuses a place that is not that of the database; a new database takes any. */
async function takeDocuments(deps: Deps): Promise<void> {
  await fingerprintDocuments(deps);
  const problem = await documentStorageProblem(deps);
  if (problem !== null) throw new ConfigError([`PONTE_DOCUMENTS: ${problem}`]);
}

/** Loaded only where they are asked for; null when they are off. */
async function metricsOf({ metricsPort }: Config): Promise<PrometheusMetrics | null> {
  if (metricsPort === null) return null;
  const { createPrometheusMetrics } = await import('../adapters/metrics/prometheus.js');
  return createPrometheusMetrics();
}

async function serveMetrics(
  metrics: PrometheusMetrics,
  { host, metricsPort, backups: plan }: Config,
  deps: Deps,
  { store, clock }: { readonly store: ServedStore; readonly clock: HostClock },
): Promise<string> {
  const wanted = { host, port: metricsPort ?? 0 };
  const ageMs = async (to: string) =>
    (await readBackupAgeMs(deps, store.name, to)) ?? Number.POSITIVE_INFINITY;
  const backupAge = plan === null ? null : () => ageMs(plan.to);
  const gauges = { backupAgeMs: backupAge, clockSkewMs: clock.skewMs };
  const sources = { queueStats: () => readQueueStats(deps), store, ...gauges };
  const { port } = await metrics.listen(host, wanted.port, sources).catch((error: unknown) => {
    throw listeningProblem(error, wanted, 'PONTE_METRICS_PORT');
  });
  return `${urlOf(host, port)}/metrics`;
}

async function finished(
  container: Container,
  workers: Workers,
  metrics: PrometheusMetrics | null,
): Promise<void> {
  await workers.stop();
  // Another host leads while what runs here finishes.
  await container.get(tokens.store).channel?.resign();
  const { commands, deliveries } = container.get(tokens.runners);
  await Promise.all([commands.idle(), deliveries.idle()]);
  await metrics?.close();
}

/** Balancers see that it is unready and send nothing more; what still comes is served. */
async function drained({ log }: Deps, http: HttpServer, { drainMs }: Config): Promise<void> {
  if (drainMs === 0) return;
  log.info('draining', { seconds: drainMs / SECOND_MS });
  http.drain();
  await wait(drainMs);
}

async function stop(deps: Deps, http: HttpServer, finished: () => Promise<void>): Promise<void> {
  deps.log.info('stopping');
  const endSending = setTimeout(() => void deps.sender.close(), SEND_GRACE_MS);
  const inTime = await Promise.race([
    Promise.all([http.close(STOP_GRACE_MS), finished()]).then(() => true),
    wait(STOP_GRACE_MS, false, { ref: false }),
  ]);
  clearTimeout(endSending);
  if (!inTime) deps.log.warn('stopped with work under way; the next start goes on with it');
  await deps.store.claims.releaseOwn(deps.clock.nowMs()).catch((err: unknown) => {
    deps.log.warn('leases could not be given back: they end by themselves', { err });
  });
  await deps.sender.close();
  await deps.store.close();
  deps.log.info('stopped');
}

/** In quarantine a host serves reads. */
async function healthOf(store: ServedStore) {
  const health = await store.health();
  const isReadable = health.database && health.migrations;
  const quarantine = isReadable && (await currentEpoch({ store })).state === 'quarantine';
  return { ...health, quarantine };
}

async function tellQuarantine(deps: Deps): Promise<void> {
  const { state, number } = await currentEpoch(deps);
  if (state !== 'quarantine') return;
  const next = 'run ponte restore --check, then ponte release';
  deps.log.warn(`the database is in quarantine: ${next}`, { epoch: number });
}

function warnOfUnknown({ unknownVariables }: Config, deps: Deps): void {
  for (const { name, meant } of unknownVariables) {
    const hint = meant === null ? 'check its spelling' : `did you mean ${meant}?`;
    deps.log.warn(`${name} is no variable of Ponte and has no effect: ${hint}`);
  }
}
