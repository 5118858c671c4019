// The store over any database session: runs work, stages its writes, applies them as one guarded
// batch and runs the work again when the batch lost a race. The rows and the SQL of each aggregate
// stand in tables/, what differs between databases in the session.
import type { Tenant } from '../../core/domain/tenant.js';
import { PonteError } from '../../core/errors.js';
import type { Log, RateLimits, RunOptions, Sealer, Store, Tx, WorkKind } from '../../core/ports.js';
import { newClaims } from './claims.js';
import { type Database, StoreConflict } from './database.js';
import type { StoredRows } from './row-counts.js';
import { Staging } from './staging.js';
import { accountsOf } from './tables/account-rows.js';
import { backlogOf } from './tables/backlog-rows.js';
import { deliveriesOf, subscriptionsOf } from './tables/delivery-rows.js';
import { documentsOf } from './tables/document-rows.js';
import { epochsOf, expectOpen, isInQuarantine } from './tables/epoch-rows.js';
import { feedOf, outboxOf } from './tables/event-rows.js';
import { mailsOf } from './tables/mail-rows.js';
import { expectInUse, keyCanariesOf, marksOf, serviceKeysOf } from './tables/mark-rows.js';
import { membersOf } from './tables/member-rows.js';
import { fundsOf, ledgerOf, quotesOf } from './tables/money-rows.js';
import { buyersOf } from './tables/party-rows.js';
import { idempotencyOf, paymentsOf } from './tables/payment-rows.js';
import { retentionOf } from './tables/retention-rows.js';
import { sealedOf } from './tables/sealed-rows.js';
import { keysOf, organizationsOf } from './tables/tenant-rows.js';
import { viewsOf } from './tables/view-rows.js';
import { advancesOf, commandsOf, inboxOf } from './tables/work-rows.js';
import type { NextDue } from './upkeep.js';

export type Hear = (work: WorkKind, tenants?: readonly Tenant[]) => void;

export interface HostLine {
  /** Hears what other hosts tell from now on, and after a broken line that anything may be. */
  open(hear: Hear, log: Log): Promise<void>;
  /** Told within milliseconds, together with whatever else is told until then. */
  tell(work: WorkKind, tenants?: readonly Tenant[]): void;
  /** Whether this process is the one that sequences: true for at most one that is connected. */
  leads(): Promise<boolean>;
  /** Leaves the lead to another host, if this one has it. */
  resign(): Promise<void>;
  /** What the database should do by itself and does too late; how much of it there was. */
  tend(): Promise<number>;
  /** Ends leases of hosts that are gone; for the one that leads. How many owners they had. */
  endLostLeases(nowMs: number): Promise<number>;
  close(): Promise<void>;
}

/** A process that serves a database. */
export interface Server {
  /** Shown to operators. */
  readonly name: string;
  /** Null when unknown. */
  readonly sinceMs: number | null;
}

export interface PoolCounts {
  readonly total: number;
  readonly idle: number;
  /** Callers that wait for one. */
  readonly waiting: number;
}

/** A store as a serving process has it. */
export interface ServedStore extends Store {
  /**
   * Called before anything is served. `alone`: no other process serves this database until the
   * store is closed, or this process dies; refuses when it can have one only and has one.
   * `together`: others may.
   */
  beginServing(): 'alone' | 'together';
  /**
   * Called when it is served: a thread of its own writes from when this resolves, and this one goes
   * on until then. Null where there is nothing to write to from here.
   */
  readonly startThread: (() => Promise<void>) | null;
  /** When the earliest row of each queue falls due. */
  nextDue(): Promise<NextDue>;
  /** As long as it stays the same, no other process wrote; null where nobody knows. */
  writeMark(): number | null;
  /** Calls it after each write of this process. */
  onWrite(written: () => void): void;
  /** Its clock, by which all its hosts go; null where the machine's clock counts. */
  readonly clockMs: (() => Promise<number>) | null;
  /** The machine's clock went back: what waits keeps its wait. */
  keepWaits(step: { readonly fromMs: number; readonly toMs: number }): Promise<void>;
  /** Limits that hold over all processes that serve this database. */
  readonly rateLimits: RateLimits;
  /** The line to the others; null when there are none. */
  readonly line: HostLine | null;
  /** Processes that serve this database now. */
  servers(): Promise<readonly Server[]>;
  /**
   * Calls `hear` when a new primary lacks commits that were acknowledged to this process, or may
   * lack them. Until the promise is fulfilled, which must not reject, the database is used through
   * the store that is given alone. Only a process that was connected before the failover can know.
   */
  onLostCommits(hear: (timeline: number, store: Pick<Store, 'run'>) => Promise<void>): void;
  /** What an operator has to mend between a host and the database, a line each. */
  connectionProblems(): Promise<readonly string[]>;
  /** True while no migration was applied; refuses a newer database, like `migrate`. */
  isNew(): Promise<boolean>;
  /** What every table holds at one moment. */
  rows(): Promise<StoredRows>;
  /** What is told to people: no secret. */
  readonly name: string;
  /** Batches of writes that were applied, and the commits that it took. */
  readonly counts: { readonly commits: number; readonly applied: number };
  /** Of its pool; null where there is none. */
  readonly connections: PoolCounts | null;
}

/** Runs of one piece of work before it gives up: each lost to a write that did go through. */
export const RUNS_MAX = 8;

/** Whether the leases of a process end with it: those of a serving one that is connected do. */
export type OwnerMark = ':' | '.';

/** Without a sealer, batches with sealed texts are not guarded. */
export function newStore(
  database: Database,
  sealer: Sealer | null = null,
  ownerMark: () => OwnerMark = () => '.',
): Pick<Store, 'run' | 'claims'> {
  return {
    claims: newClaims(database, ownerMark),
    async run(work, options = {}) {
      let lost: unknown = null;
      for (let runs = 0; runs < RUNS_MAX; runs += 1) {
        const outcome = await runOnce(database, sealer, work, options);
        if (outcome.kind === 'done') return outcome.value;
        lost = outcome.cause;
        if (outcome.gated && (await isInQuarantine(database))) throw new PonteError('InQuarantine');
        if (outcome.seals) await sealer?.registerKey();
      }
      throw new PonteError('StoreContention', undefined, { cause: lost });
    },
  };
}

type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | {
      readonly kind: 'lost';
      readonly cause: unknown;
      /** The conflict may be that the key of this process is not in use. */
      readonly seals: boolean;
      /** The conflict may be that the database is in quarantine. */
      readonly gated: boolean;
    };

async function runOnce<T>(
  database: Database,
  sealer: Sealer | null,
  work: (tx: Tx) => Promise<T>,
  { inQuarantine = false }: RunOptions,
): Promise<Outcome<T>> {
  const staging = new Staging(database);
  let value: T;
  try {
    value = await work(txOver(staging));
  } catch (cause) {
    // A refusal counts if what it was decided on stood so at one moment.
    if (await staging.isStale()) return { kind: 'lost', cause, seals: false, gated: false };
    throw cause;
  } finally {
    staging.end();
  }
  const seals = sealer !== null && staging.isSealedUnder(sealer.keyId);
  if (seals) staging.guard(expectInUse(sealer.keyId));
  if (staging.isEmpty()) return { kind: 'done', value };
  if (!inQuarantine) staging.guard(expectOpen());
  const statements = staging.statements();
  try {
    await database.batch(statements);
    return { kind: 'done', value };
  } catch (cause) {
    if (cause instanceof StoreConflict)
      return { kind: 'lost', cause, seals, gated: staging.relies('epochs') };
    throw cause;
  }
}

const partsOf: { readonly [Part in keyof Tx]: (staging: Staging) => Tx[Part] } = {
  organizations: organizationsOf,
  members: membersOf,
  keys: keysOf,
  payments: paymentsOf,
  views: viewsOf,
  funds: fundsOf,
  quotes: quotesOf,
  commands: commandsOf,
  ledger: ledgerOf,
  idempotency: idempotencyOf,
  buyers: buyersOf,
  accounts: accountsOf,
  documents: documentsOf,
  mails: mailsOf,
  outbox: outboxOf,
  feed: feedOf,
  subscriptions: subscriptionsOf,
  deliveries: deliveriesOf,
  inbox: inboxOf,
  advances: advancesOf,
  retention: retentionOf,
  keyCanaries: keyCanariesOf,
  marks: marksOf,
  serviceKeys: serviceKeysOf,
  sealed: sealedOf,
  epochs: epochsOf,
  backlog: backlogOf,
};

/** Every part of a Tx is made when it is first asked for: work uses a few of the many. */
class LazyTx {
  readonly staging: Staging;
  readonly made: Partial<Record<keyof Tx, unknown>> = {};

  constructor(staging: Staging) {
    this.staging = staging;
  }
}

for (const part of Object.keys(partsOf) as readonly (keyof Tx)[]) {
  Object.defineProperty(LazyTx.prototype, part, {
    get(this: LazyTx) {
      this.made[part] ??= partsOf[part](this.staging);
      return this.made[part];
    },
  });
}

function txOver(staging: Staging): Tx {
  return new LazyTx(staging) as unknown as Tx;
}
