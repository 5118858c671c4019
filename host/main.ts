// One serving process: database, API and workers, from a configuration to a graceful stop. Beside
// it the same wiring without workers, for operators' commands. What is printed is the CLI's matter.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { SecretKey } from '../adapters/crypto/secret-box.js';
import { createHttpServer, type HttpServer } from '../adapters/http/server.js';
import { SECOND_MS } from '../core/domain/instant.js';
import { assert } from '../core/errors.js';
import type { Deps } from '../core/ports.js';
import { plantCanary, secretKeysProblem } from '../core/usecases/secret-keys.js';
import { type Config, ConfigError, readConfig } from './config.js';
import { createContainer, tokens, urlOf } from './container.js';
import { type Demo, developmentSecret, makeDemo } from './development.js';
import { listeningProblem, openingProblem } from './mistakes.js';
import { startWorkers, type Workers, workerSteps } from './workers.js';

/** What runs when a stop is asked for has this long; the process is gone 10 s after the signal. */
const STOP_GRACE_MS = 8 * SECOND_MS;

export interface Host {
  /** Where it listens, as others reach it unless PONTE_BASE_URL says otherwise. */
  readonly url: string;
  readonly deps: Deps;
  /** Made at this start, on an empty development database. */
  readonly demo: Demo | null;
  /** Stops accepting, lets what runs finish, gives leases back, closes the database. */
  stop(): Promise<void>;
}

export interface OperatorAccess {
  readonly config: Config;
  readonly deps: Deps;
  readonly payUrl: string;
  /** Numbers of the migrations that were applied for this. */
  readonly migrated: readonly number[];
  /** Why the secret keys are not those of the database; null when they are. */
  readonly keysProblem: string | null;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Everything is ready when this resolves; refuses when another process serves the database. */
export async function startHost(config: Config): Promise<Host> {
  const container = opened(config);
  const [store, deps, signals, address] = [
    container.get(tokens.store),
    container.get(tokens.deps),
    container.get(tokens.signals),
    container.get(tokens.address),
  ];
  let workers: Workers | null = null;
  const http = createHttpServer(deps, {
    corsOrigins: config.corsOrigins,
    feedReaders: container.get(tokens.feedReaders),
    trustedProxies: config.trustedProxies,
    readiness: async () => ({
      ...(await store.health()),
      worker: workers !== null && workers.stalled().length === 0,
    }),
  });
  try {
    store.acquireServing();
    await store.migrate();
    const problem = await secretKeysProblem(deps);
    if (problem !== null) throw new ConfigError([`PONTE_SECRET_KEYS: ${problem}`]);
    await plantCanary(deps);
    // Alone on the database: what a killed process had taken in hand goes on at once.
    await store.claims.releaseAll(deps.clock.nowMs());
    const { port } = await http.listen(config.host, config.port).catch((error: unknown) => {
      throw listeningProblem(error, config);
    });
    if (config.baseUrl === null) address.baseUrl = urlOf(config.host, port);
    warnOfUnknown(config, deps);
    const demo = config.production ? null : await makeDemo(deps);
    const partners = container.get(tokens.partners);
    const runners = container.get(tokens.runners);
    const fakePartners = [partners.test, partners.live].filter((partner) => partner !== null);
    const steps = workerSteps({ deps, runners, fakePartners });
    workers = startWorkers({ steps, signals, clock: deps.clock, log: deps.log });
    const running = workers;
    const finished = async () => {
      await running.stop();
      await Promise.all([runners.commands.idle(), runners.deliveries.idle()]);
    };
    return {
      url: urlOf(config.host, port),
      deps,
      demo,
      stop: () => stop(deps, http, finished),
    };
  } catch (error) {
    await http.close(0);
    await deps.sender.close();
    await store.close();
    throw error;
  }
}

/** Opens the database beside a server that may be running; migrates one that nobody serves. */
export async function openForOperator(env: Environment): Promise<OperatorAccess> {
  const config = readConfig(env);
  const container = opened(config);
  const store = container.get(tokens.store);
  try {
    const { migrations } = await store.health();
    if (!migrations) store.acquireServing();
    const migrated = migrations ? [] : await store.migrate();
    const deps = container.get(tokens.deps);
    warnOfUnknown(config, deps);
    return {
      config,
      deps,
      payUrl: deps.settings.payUrl,
      migrated,
      keysProblem: await secretKeysProblem(deps),
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

/** Everything wired, and the database open. */
function opened(config: Config): ReturnType<typeof createContainer> {
  try {
    const container = createContainer(config, secretKeysOf(config));
    container.get(tokens.store);
    return container;
  } catch (error) {
    throw openingProblem(error, config);
  }
}

/** The directories and, in development, the secret key: made when they are missing. */
function secretKeysOf(config: Config): readonly SecretKey[] {
  for (const folder of [config.dataDir, dirname(config.databaseFile)]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  const keys = config.secretKeys ?? developmentSecret(config);
  assert(config.secretKeys !== null || !config.production, 'production brings its own keys');
  return keys;
}

async function stop(deps: Deps, http: HttpServer, finished: () => Promise<void>): Promise<void> {
  deps.log.info('stopping');
  const inTime = await Promise.race([
    Promise.all([http.close(STOP_GRACE_MS), finished()]).then(() => true),
    wait(STOP_GRACE_MS, false, { ref: false }),
  ]);
  if (!inTime) deps.log.warn('stopped with work under way; the next start goes on with it');
  await deps.store.claims.releaseAll(deps.clock.nowMs());
  await deps.sender.close();
  await deps.store.close();
  deps.log.info('stopped');
}

function warnOfUnknown({ unknownVariables }: Config, deps: Deps): void {
  for (const variable of unknownVariables) {
    deps.log.warn('unknown variable, misspelt perhaps: it has no effect', { variable });
  }
}
