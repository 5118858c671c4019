// A serving process: database, API and workers, from the configuration to a graceful stop.
import { setTimeout as wait } from 'node:timers/promises';
import { createHttpServer, type HttpServer } from '../adapters/http/server.js';
import type { PrometheusMetrics } from '../adapters/metrics/prometheus.js';
import { operatorConsole } from '../adapters/pages/operator-console.js';
import type { ServedStore } from '../adapters/storage/store.js';
import { CONSOLE_ROOT } from '../core/domain/access/registered-operator.js';
import { SECOND_MS } from '../core/domain/base/instant.js';
import { modes } from '../core/domain/base/tenant.js';
import type { HealthCheck } from '../core/domain/service/health-check.js';
import type { Deps } from '../core/ports/deps.js';
import { currentEpoch } from '../core/usecases/service/epochs.js';
import {
  bindPartners,
  documentStorageProblem,
  fingerprintDocuments,
  partnerProblems,
} from '../core/usecases/service/fingerprints.js';
import { readQueueStats } from '../core/usecases/service/queue-stats.js';
import { recordKeyCheckValue, secretKeysProblem } from '../core/usecases/service/secret-keys.js';
import { currentKey } from '../core/usecases/service/service-keys.js';
import { missingSearch } from '../core/usecases/webhooks/event-deliveries.js';
import { anchorStep } from './anchor-place.js';
import { type Config, ConfigError } from './config.js';
import { hostUrl, tokens } from './container.js';
import type { Creation } from './database-place.js';
import { createDemo, type Demo } from './development.js';
import { dueAlarm } from './due-alarm.js';
import { clockStep, type HostClock, whileAccurate } from './host-clock.js';
import { startQuarantine } from './lost-commits.js';
import { type Container, continuePostings, open, warnOfSettings } from './opening.js';
import { productVersion } from './product-version.js';
import { explainErrors, listeningProblem } from './startup-errors.js';
import {
  localSteps,
  reconciliationStep,
  startWorkers,
  type Workers,
  workerSteps,
} from './workers.js';

/** For work that runs when the drain ends; the process exits 10 s after the drain. */
const STOP_GRACE_MS = 8 * SECOND_MS;
/** The part of it for webhooks: attempts that still run then end and are recorded as failed. */
const SEND_GRACE_MS = 6 * SECOND_MS;

export interface Host {
  /** A file, or a URL without its password. */
  readonly databaseName: string;
  readonly url: string;
  /** The page with the mails of a development host; null where mails are sent. */
  readonly mailboxUrl: string | null;
  readonly metricsUrl: string | null;
  /** The operator's console; null where it is off. */
  readonly consoleUrl: string | null;
  readonly deps: Deps;
  /** Created by this start, in an empty development database. */
  readonly demo: Demo | null;
  /** Drains, stops accepting, finishes running work, releases leases, closes the database. */
  stop(): Promise<void>;
}

/** An `api` has no workers: another host must run as `worker`. */
export type HostRole = 'all' | 'api' | 'worker';

/** Resolves when the host is ready; refuses when another process serves the file. */
export async function startHost(
  config: Config,
  role: HostRole = 'all',
  creation: Creation = 'first',
): Promise<Host> {
  return explainErrors(config, () => start(config, role, creation));
}

async function start(config: Config, role: HostRole, creation: Creation): Promise<Host> {
  const metrics = await metricsOf(config);
  const { container } = await open(config, { world: { metrics }, creation });
  const [store, deps, signals, address, clock] = [
    container.get(tokens.store),
    container.get(tokens.deps),
    container.get(tokens.signals),
    container.get(tokens.address),
    container.get(tokens.hostClock),
  ];
  const console = role === 'worker' ? null : consoleOf(container, config);
  let workers: Workers | null = null;
  let serving = true;
  const http = createHttpServer(deps, {
    corsOrigins: config.corsOrigins,
    hostNames: config.hostNames,
    feedReaders: container.get(tokens.feedReaders),
    pages: container.get(tokens.pages),
    trustedProxies: config.trustedProxies,
    keepAliveSeconds: config.keepAliveSeconds,
    surface: role === 'worker' ? 'health' : 'all',
    onArrival: () => store.arrived(),
    readiness: async () => ({
      ...(await healthOf(store)),
      worker: workers !== null && workers.stalled().length === 0,
      clock: clock.isAccurate(),
      serving,
      version: productVersion,
    }),
  });
  try {
    await clock.measure();
    await acquireDatabase(store, deps, role);
    await checkDocuments(deps);
    await checkPartners(deps);
    const { channel } = store;
    if (channel !== null) {
      await channel.open(signals.wakeLocal, deps.log);
      signals.publishWith((...work) => channel.publish(...work));
    }
    const { port } = await http.listen(config.host, config.port).catch((error: unknown) => {
      throw listeningProblem(error, config);
    });
    if (config.baseUrl === null) address.baseUrl = hostUrl(config.host, port);
    const consoleUrl = (await console?.listen()) ?? null;
    const metricsUrl = metrics && (await serveMetrics(metrics, config, deps, { store, clock }));
    warnOfSettings(config, deps);
    const demo = config.production ? null : await createDemo(deps);
    workers = startWork(container, role, config);
    const running = workers;
    return {
      databaseName: store.name,
      url: hostUrl(config.host, port),
      mailboxUrl: container.get(tokens.pages).mailboxUrl(),
      metricsUrl,
      consoleUrl,
      deps,
      demo,
      stop: async () => {
        serving = false;
        if (role !== 'worker') await drain(deps, http, config);
        const servers = console === null ? [http] : [http, console];
        await stop(deps, servers, () => finishWork(container, running, metrics));
      },
    };
  } catch (error) {
    await metrics?.close();
    await console?.close(0);
    await http.close(0);
    await deps.sender.close();
    await store.close();
    throw error;
  }
}

/** The operator's console: another server, which has nothing else. Null without its port. */
function consoleOf(container: Container, config: Config) {
  const { console: place, trustedProxies } = config;
  if (place === null) return null;
  const { host, port } = place;
  let url = place.url ?? '';
  const server = createHttpServer(container.get(tokens.deps), {
    corsOrigins: [],
    hostNames: place.url === null ? [] : [new URL(place.url).hostname],
    feedReaders: container.get(tokens.feedReaders),
    pages: operatorConsole({
      watch: container.get(tokens.pageWatch),
      url: () => url,
      checkHealth: () => checkHealth(container, config),
    }),
    trustedProxies,
    surface: 'health',
    readiness: () => Promise.reject(new Error('the console has no probes')),
  });
  return {
    /** The address at which operators open it. */
    async listen(): Promise<string> {
      const bound = await server.listen(host, port).catch((error: unknown) => {
        throw listeningProblem(error, place, 'PONTE_OPERATOR_PORT');
      });
      url ||= hostUrl(host, bound.port);
      return `${url}${CONSOLE_ROOT}`;
    },
    close: (graceMs: number) => server.close(graceMs),
  };
}

/** As `ponte doctor`, of the database that this host serves, but for the ledger. */
async function checkHealth(container: Container, config: Config): Promise<readonly HealthCheck[]> {
  const { diagnose, examine } = await import('./health-checks.js');
  const store = container.get(tokens.store);
  const examined = {
    config,
    deps: container.get(tokens.deps),
    databaseName: store.name,
    // The start refuses other keys.
    keysProblem: null,
    clockSkewMs: container.get(tokens.hostClock).skewMs(),
    servers: () => store.servers(),
    connectionProblems: () => store.connectionProblems(),
  };
  const findings = await examine(examined, { comparesLedger: false });
  return diagnose(findings);
}

function startWork(
  container: Container,
  role: HostRole,
  { auditAnchor, retentionMs }: Pick<Config, 'auditAnchor' | 'retentionMs'>,
): Workers {
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
  const parts = { deps, runners: container.get(tokens.runners), retentionMs, ...shared };
  const anchored = auditAnchor === null ? [] : [anchorStep(deps, auditAnchor, shared.leads)];
  const comparing = reconciliationStep(container.get(tokens.reconciliations), shared.leads);
  const steps = [
    ...(role === 'api' ? [] : [...workerSteps(parts), ...anchored, comparing]).map((step) =>
      whileAccurate(step, clock, channel),
    ),
    ...localSteps({ deps, partners: container.get(tokens.partners) }),
    ...(role === 'api' ? [] : [dueAlarm(store, container.get(tokens.signals))]),
    clockStep({ clock, log: deps.log, shiftDueTimes: store.shiftDueTimes }),
  ];
  return startWorkers({ steps, signals: container.get(tokens.signals), clock, log: deps.log });
}

/** Acquires and migrates the database. Refuses a served one, and one with other secret keys. */
async function acquireDatabase(store: ServedStore, deps: Deps, role: HostRole): Promise<void> {
  const access = store.acquireServing();
  store.onLostCommits((timeline, whileSuspended) =>
    startQuarantine(deps, whileSuspended, timeline),
  );
  if (role !== 'all' && access === 'exclusive') {
    throw new ConfigError(['--role: api and worker are for hosts that share a PostgreSQL']);
  }
  await store.migrate();
  store.serve();
  const problem = await secretKeysProblem(deps);
  if (problem !== null) throw new ConfigError([`PONTE_SECRET_KEYS: ${problem}`]);
  await recordKeyCheckValue(deps);
  await currentKey(deps, 'partner');
  await continuePostings(deps);
  // Work of a killed process resumes immediately; with other hosts, when its leases end.
  if (access === 'exclusive') {
    await store.claims.releaseAll(deps.clock.nowMs());
    await missingSearch(deps)({ all: true });
  }
  await warnOfQuarantine(deps);
}

/** Refuses a document folder of another database; a new database accepts any. */
async function checkDocuments(deps: Deps): Promise<void> {
  await fingerprintDocuments(deps);
  const problem = await documentStorageProblem(deps);
  if (problem !== null) throw new ConfigError([`PONTE_DOCUMENTS: ${problem}`]);
}

/** Refuses another instance of a partner than the one that has the commands. */
async function checkPartners(deps: Deps): Promise<void> {
  await bindPartners(deps);
  const problems = await partnerProblems(deps);
  const wrong = modes.flatMap((mode) => {
    const problem = problems[mode];
    return problem === null ? [] : [`PONTE_PARTNER_${mode.toUpperCase()}: ${problem}`];
  });
  if (wrong.length > 0) throw new ConfigError(wrong);
}

/** Null, and not loaded, without metrics. */
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
  const ageMs = async (to: string) => {
    const { readBackupAgeMs } = await import('./backup-schedule.js');
    return (await readBackupAgeMs(deps, store.name, to)) ?? Number.POSITIVE_INFINITY;
  };
  const backupAge = plan === null ? null : () => ageMs(plan.to);
  const gauges = { backupAgeMs: backupAge, clockSkewMs: clock.skewMs };
  const sources = { queueStats: () => readQueueStats(deps), store, ...gauges };
  const { port } = await metrics.listen(host, wanted.port, sources).catch((error: unknown) => {
    throw listeningProblem(error, wanted, 'PONTE_METRICS_PORT');
  });
  return `${hostUrl(host, port)}/metrics`;
}

async function finishWork(
  container: Container,
  workers: Workers,
  metrics: PrometheusMetrics | null,
): Promise<void> {
  await workers.stop();
  await container.get(tokens.reconciliations).stop();
  // Another host can lead while work finishes here.
  await container.get(tokens.store).channel?.resign();
  const { commands, deliveries } = container.get(tokens.runners);
  await Promise.all([commands.idle(), deliveries.idle()]);
  await metrics?.close();
}

/** Load balancers see that the host is unready. Requests that still arrive are served. */
async function drain({ log }: Deps, http: HttpServer, { drainMs }: Config): Promise<void> {
  if (drainMs === 0) return;
  log.info('draining', { seconds: drainMs / SECOND_MS });
  http.drain();
  await wait(drainMs);
}

async function stop(
  deps: Deps,
  servers: readonly Pick<HttpServer, 'close'>[],
  finished: () => Promise<void>,
): Promise<void> {
  deps.log.info('stopping');
  const endSending = setTimeout(() => void deps.sender.close(), SEND_GRACE_MS);
  const inTime = await Promise.race([
    Promise.all([...servers.map((one) => one.close(STOP_GRACE_MS)), finished()]).then(() => true),
    wait(STOP_GRACE_MS, false, { ref: false }),
  ]);
  clearTimeout(endSending);
  if (!inTime) deps.log.warn('stopped with running work; the next start resumes it');
  await deps.store.claims.releaseOwn(deps.clock.nowMs()).catch((err: unknown) => {
    deps.log.warn('leases could not be released; they will expire', { err });
  });
  await deps.sender.close();
  await deps.store.close();
  deps.log.info('stopped');
}

async function healthOf(store: ServedStore) {
  const health = await store.health();
  const isReadable = health.database && health.migrations;
  const quarantine = isReadable && (await currentEpoch({ store })).state === 'quarantine';
  return { ...health, quarantine };
}

async function warnOfQuarantine(deps: Deps): Promise<void> {
  const { state, number } = await currentEpoch(deps);
  if (state !== 'quarantine') return;
  const next = 'run ponte restore --check, then ponte release';
  deps.log.warn(`the database is in quarantine: ${next}`, { epoch: number });
}
