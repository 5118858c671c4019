// What a command of an operator does with the database, next to a server that may be running.
import { logOfCommand } from '../adapters/log/pino.js';
import type { StoredRows } from '../adapters/storage/row-counts.js';
import type { ServedStore, Server } from '../adapters/storage/store.js';
import type { Mode } from '../core/domain/base/tenant.js';
import { StoreRefusal } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import { partnerProblems } from '../core/usecases/service/fingerprints.js';
import { withoutAnswers } from '../core/usecases/service/partner-calls.js';
import { secretKeysProblem } from '../core/usecases/service/secret-keys.js';
import { type Config, readConfig } from './config.js';
import { tokens } from './container.js';
import { missingDatabaseText } from './database-place.js';
import { continuePostings, open, warnOfUnknown } from './opening.js';
import { explainErrors } from './startup-errors.js';

const NO_KEYS = 'set the keys that the database was served with; the data directory has none';

export interface OperatorAccess {
  readonly config: Config;
  /** A file, or a URL without its password. */
  readonly databaseName: string;
  /** A partner that does not have the commands of the database answers nothing. */
  readonly deps: Deps;
  readonly configuredPartners: Deps['partners'];
  readonly payUrl: string;
  /** Numbers of the migrations that this opening applied. */
  readonly migrated: readonly number[];
  /** Why the secret keys are not those of the database; null if they are. */
  readonly keysProblem: string | null;
  readonly servers: () => Promise<readonly Server[]>;
  readonly rows: () => Promise<StoredRows>;
  /** How far the clock of this machine is ahead of the database's. */
  readonly clockSkewMs: number;
  /** Problems between a host and the database, one line each. */
  readonly connectionProblems: () => Promise<readonly string[]>;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * How a command opens the database. `makes`: creates a missing one. `finds`: requires one, and
 * migrates it unless it is served. `reads`: requires one of this version. `looks`: accepts any
 * version.
 */
export type Opening = 'makes' | 'finds' | 'reads' | 'looks';

type CommandStream = Parameters<typeof logOfCommand>[1];

interface CommandOpening {
  readonly opening?: Opening;
  /** Where the command logs; null: on the stderr of this process. */
  readonly stderr?: CommandStream | null;
}

/** Opens the database next to a server that may be running. */
export async function openForOperator(
  env: Environment,
  { opening = 'finds', stderr = null }: CommandOpening = {},
): Promise<OperatorAccess> {
  const config = readConfig(env);
  return explainErrors(config, () => openedForOperator(config, opening, stderr));
}

async function openedForOperator(
  config: Config,
  opening: Opening,
  stderr: CommandStream | null,
): Promise<OperatorAccess> {
  const creation = opening === 'makes' ? 'first' : 'none';
  const world = stderr === null ? {} : { log: logOfCommand(config.logLevel, stderr) };
  const { container, hasKeys } = await open(config, { creation, world });
  const store = container.get(tokens.store);
  try {
    const { migrations } = await store.health();
    const migrates = !migrations && opening !== 'looks';
    if (migrates && opening !== 'makes') await refuseMissing(store, config, opening);
    if (migrates) acquireForMigration(store);
    const migrated = migrates ? await store.migrate() : [];
    const { channel } = store;
    if (channel !== null) {
      container.get(tokens.signals).publishWith((...work) => channel.publish(...work));
    }
    const [deps, clock] = [container.get(tokens.deps), container.get(tokens.hostClock)];
    // An unreachable database has no clock, and cannot be changed.
    await clock.measure().catch(() => undefined);
    warnOfUnknown(config, deps);
    const isUsable = migrations || migrates;
    if (isUsable && opening !== 'looks') await continuePostings(deps);
    const keysProblem = isUsable ? secretKeysProblem(deps) : null;
    return {
      config,
      databaseName: store.name,
      deps: isUsable ? await withOwnPartners(deps) : deps,
      configuredPartners: deps.partners,
      payUrl: deps.settings.payUrl,
      migrated,
      keysProblem: hasKeys ? await keysProblem : NO_KEYS,
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

async function withOwnPartners(deps: Deps): Promise<Deps> {
  const problems = await partnerProblems(deps);
  const own = (mode: Mode) => {
    const [partner, problem] = [deps.partners[mode], problems[mode]];
    return partner === null || problem === null ? partner : withoutAnswers(partner, problem);
  };
  return { ...deps, partners: { test: own('test'), live: own('live') } };
}

async function refuseMissing(store: ServedStore, config: Config, opening: Opening): Promise<void> {
  if (await store.isNew()) throw new StoreRefusal(missingDatabaseText(config, store.name));
  if (opening === 'finds') return;
  throw new StoreRefusal(`${store.name} is of an older version. Run ponte migrate first.`);
}

/** A running server is of an older version, which cannot use the newer schema. */
function acquireForMigration(store: ServedStore): void {
  try {
    store.acquireServing();
  } catch (error) {
    if (!(error instanceof StoreRefusal)) throw error;
    const why = `${store.name} is of an older version and must be migrated for this command.`;
    throw new StoreRefusal(`${why} ${error.message}`, { cause: error });
  }
}
