// The store over a database session: runs work, applies its writes as one guarded batch, and runs
// the work again when the batch lost a race. tables/ holds the rows and the SQL of each aggregate;
// what differs between databases is in the sessions.

import { ENTRY_DELAY_MS } from '../../core/domain/accounting/accounting.js';
import type { Actor } from '../../core/domain/base/actor.js';
import type { Tenant } from '../../core/domain/base/tenant.js';
import type { ChangedRow } from '../../core/domain/service/audit-record.js';
import { PonteError } from '../../core/errors.js';
import type { WorkKind } from '../../core/ports/deps.js';
import type { Log, RateLimits } from '../../core/ports/outside.js';
import type { DeliveryMonths, RunOptions, Sealer, Store, Tx } from '../../core/ports/storage.js';
import { newClaims } from './claims.js';
import { type Database, StoreConflict } from './database.js';
import type { NextDue } from './due-times.js';
import { heldPart } from './held-rows.js';
import { namesPart } from './name-words.js';
import type { StoredRows } from './row-counts.js';
import { storedPeoplePart } from './stored-people.js';
import { accountsPart, partyDraftsPart } from './tables/account-rows.js';
import { keyById, keysPart } from './tables/api-key-rows.js';
import { bankDetailsPart } from './tables/bank-details-rows.js';
import { buyersPart } from './tables/buyer-rows.js';
import { deliveriesPart, subscriptionsPart } from './tables/delivery-rows.js';
import { bookReadingsPart, depositsPart, reconciliationsPart } from './tables/deposit-rows.js';
import { destinationChangesPart } from './tables/destination-change-rows.js';
import { documentsPart, fingerprintsPart } from './tables/document-rows.js';
import { epochsPart, expectNoQuarantine, isInQuarantine } from './tables/epoch-rows.js';
import { feedPart } from './tables/event-rows.js';
import { mailsPart } from './tables/mail-rows.js';
import { membersPart, passkeysPart, peoplePart } from './tables/member-rows.js';
import { accountingPart, fundsPart, ledgerPart, quotesPart } from './tables/money-rows.js';
import { operatorsPart } from './tables/operator-rows.js';
import {
  logosPart,
  organizationsPart,
  productionRequestsPart,
} from './tables/organization-rows.js';
import { idempotencyPart, paymentsPart } from './tables/payment-rows.js';
import { moneyQueuesPart, proposalsPart } from './tables/proposal-rows.js';
import { queueStatsPart } from './tables/queue-stats-rows.js';
import { refusedRequestsPart } from './tables/refused-request-rows.js';
import { retentionPart } from './tables/retention-rows.js';
import { sealedPart } from './tables/sealed-rows.js';
import { expectInUse, keyCheckValuesPart, serviceKeysPart } from './tables/secret-key-rows.js';
import { sessionsPart } from './tables/session-rows.js';
import { viewById, viewsPart } from './tables/view-rows.js';
import { advancesPart, commandsPart, inboxPart, simulationsPart } from './tables/work-rows.js';
import { type TxPart, UnitOfWork } from './unit-of-work.js';

export type OnMessage = (work: WorkKind, tenants?: readonly Tenant[]) => void;

/** Connects the hosts that share a database. */
export interface ClusterChannel {
  /** Calls `onMessage` with work of other hosts and, after each reconnect, with every kind. */
  open(onMessage: OnMessage, log: Log): Promise<void>;
  /** Notifies the other hosts of stored work, within milliseconds. */
  publish(work: WorkKind, tenants?: readonly Tenant[]): void;
  /** Whether this process is the leader. True in at most one connected process. */
  leads(): Promise<boolean>;
  resign(): Promise<void>;
  /** Refreshes planner statistics of growing tables. Returns how many. */
  analyzeGrowingTables(): Promise<number>;
  /** Ends the leases of lost hosts. Only the leader calls it. Returns the number of owners. */
  endLostLeases(nowMs: number): Promise<number>;
  close(): Promise<void>;
}

export interface Server {
  readonly name: string;
  readonly sinceMs: number | null;
}

export interface PoolCounts {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface ServedStore extends Store {
  /**
   * Called before anything is served. `exclusive`: no other process serves this database until the
   * store is closed or this process ends; throws if another one does. `shared`: others may.
   */
  acquireServing(): 'exclusive' | 'shared';
  /** Called once the database is migrated: its writes block the event loop no more. */
  serve(): void;
  /** Called when a request arrives: it reads what other processes had committed by then. */
  arrived(): void;
  /** When the earliest row of each queue falls due. */
  nextDue(): Promise<NextDue>;
  /** Changes when another process writes; null if unknown. */
  writeMark(): number | null;
  onWrite(written: () => void): void;
  /** The database's clock, which all its hosts use; null if the machine's clock counts. */
  readonly clockMs: (() => Promise<number>) | null;
  /** After the machine's clock went back: keeps the remaining wait of every due time. */
  shiftDueTimes(step: { readonly fromMs: number; readonly toMs: number }): Promise<void>;
  /** Limits over all processes that serve this database. */
  readonly rateLimits: RateLimits;
  /** Null where the database has no such option. */
  readonly deliveryMonths: DeliveryMonths | null;
  /** Null where a process serves alone. */
  readonly channel: ClusterChannel | null;
  servers(): Promise<readonly Server[]>;
  /**
   * Calls `listener` when a new primary lacks, or may lack, commits that were acknowledged to this
   * process. Until its promise resolves, only the given store can use the database. The promise
   * must not reject. Only a process that was connected before the failover can detect the loss.
   */
  onLostCommits(listener: (timeline: number, store: Pick<Store, 'run'>) => Promise<void>): void;
  /** Problems between a host and the database that an operator must fix, one line each. */
  connectionProblems(): Promise<readonly string[]>;
  /** True while no migration is applied. Like `migrate`, it refuses a newer database. */
  isNew(): Promise<boolean>;
  rows(): Promise<StoredRows>;
  /** Shown to people: contains no secret. */
  readonly name: string;
  /** Applied batches, and the commits that they took. */
  readonly counts: { readonly commits: number; readonly applied: number };
  /** Null where there is no connection pool. */
  readonly connections: PoolCounts | null;
}

/** Runs of one piece of work before it gives up. Each lost run means that another write won. */
const RUNS_MAX = 8;

/**
 * Age at which the work of a batch with postings runs again. Readers of entries wait longer for the
 * postings of a time, and a month may be closed then: one that a process stored with the time from
 * before it stood still would be missed.
 */
const POSTINGS_AGE_MAX_MS = ENTRY_DELAY_MS / 2;

/** Ends a lease owner. `:`: a serving process, whose leases end with it. `.`: any other one. */
export type OwnerMark = ':' | '.';

/** Without a sealer, batches that contain sealed texts are not guarded. */
export function newStore(
  database: Database,
  sealer: Sealer | null = null,
  ownerMark: () => OwnerMark = () => '.',
): Pick<Store, 'run' | 'kept' | 'claims'> {
  return {
    kept: {
      key: (keyId) => database.kept(keyById, [keyId]),
      view: ({ orgId, mode }, id) => database.kept(viewById, [orgId, mode, id]),
    },
    claims: newClaims(database, ownerMark),
    async run(work, options = {}) {
      let lost: unknown = null;
      for (let runs = 0; runs < RUNS_MAX; runs += 1) {
        const unit = new UnitOfWork(database, runs === 0, options.known);
        const outcome = await runOnce(unit, database, sealer, work, options);
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
      /** The key of this process may not be in use. */
      readonly seals: boolean;
      /** The database may be in quarantine. */
      readonly gated: boolean;
    };

async function runOnce<T>(
  unit: UnitOfWork,
  database: Database,
  sealer: Sealer | null,
  work: (tx: Tx) => Promise<T>,
  options: RunOptions,
): Promise<Outcome<T>> {
  let stored = false;
  try {
    const outcome = await applied(unit, database, sealer, work, options);
    stored = outcome.kind === 'done';
    return outcome;
  } finally {
    unit.settle(stored);
  }
}

async function applied<T>(
  unit: UnitOfWork,
  database: Database,
  sealer: Sealer | null,
  work: (tx: Tx) => Promise<T>,
  { inQuarantine = false }: RunOptions,
): Promise<Outcome<T>> {
  let value: T;
  const beganMs = Date.now();
  try {
    value = await work(new RunTx(unit) as RunTx & Tx);
  } catch (cause) {
    // An error of the work counts only if its reads are consistent.
    const isStale = await unit.isStale();
    // By then no row is kept that an earlier commit has changed.
    await database.durable();
    if (isStale) return { kind: 'lost', cause, seals: false, gated: false };
    throw cause;
  } finally {
    unit.end();
  }
  const seals = sealer !== null && unit.isSealedUnder(sealer.keyId);
  if (seals) unit.guard(expectInUse(sealer.keyId));
  if (unit.isEmpty()) {
    const durable = database.durable();
    if (durable !== null) await durable;
    return { kind: 'done', value };
  }
  if (unit.writesTo('ledger_lines') && Date.now() - beganMs > POSTINGS_AGE_MAX_MS) {
    return { kind: 'lost', cause: 'the process stood still', seals: false, gated: false };
  }
  if (!inQuarantine) unit.guard(expectNoQuarantine());
  const statements = unit.statements();
  try {
    await database.batch(statements);
    return { kind: 'done', value };
  } catch (cause) {
    if (cause instanceof StoreConflict)
      return { kind: 'lost', cause, seals, gated: unit.hasGuardOn('epochs') };
    throw cause;
  }
}

const parts: {
  readonly [P in Exclude<keyof Tx, 'insertsFirst' | 'onEnd' | 'changes' | 'actAs'>]: TxPart<P>;
} = {
  organizations: organizationsPart,
  operators: operatorsPart,
  members: membersPart,
  keys: keysPart,
  payments: paymentsPart,
  names: namesPart,
  views: viewsPart,
  accounting: accountingPart,
  funds: fundsPart,
  bankDetails: bankDetailsPart,
  quotes: quotesPart,
  commands: commandsPart,
  ledger: ledgerPart,
  proposals: proposalsPart,
  moneyQueues: moneyQueuesPart,
  idempotency: idempotencyPart,
  buyers: buyersPart,
  accounts: accountsPart,
  documents: documentsPart,
  mails: mailsPart,
  sessions: sessionsPart,
  passkeys: passkeysPart,
  partyDrafts: partyDraftsPart,
  logos: logosPart,
  productionRequests: productionRequestsPart,
  destinationChanges: destinationChangesPart,
  feed: feedPart,
  subscriptions: subscriptionsPart,
  deliveries: deliveriesPart,
  inbox: inboxPart,
  deposits: depositsPart,
  bookReadings: bookReadingsPart,
  reconciliations: reconciliationsPart,
  advances: advancesPart,
  simulations: simulationsPart,
  retention: retentionPart,
  keyCheckValues: keyCheckValuesPart,
  fingerprints: fingerprintsPart,
  serviceKeys: serviceKeysPart,
  held: heldPart,
  sealed: sealedPart,
  epochs: epochsPart,
  refusedRequests: refusedRequestsPart,
  people: { ...peoplePart, ...storedPeoplePart },
  queueStats: queueStatsPart,
};

/** What belongs to one run. Its methods are on the prototype: a run allocates no function. */
class OfRun {
  readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }
}

class RunTx extends OfRun {
  get insertsFirst(): boolean {
    return this.unit.insertsFirst;
  }

  onEnd(listener: (stored: boolean) => void): void {
    this.unit.onEnd(listener);
  }

  changes(): readonly ChangedRow[] {
    return this.unit.changes();
  }

  actAs(actor: Actor): void {
    this.unit.actor = actor;
  }
}

for (const [name, part] of Object.entries(parts)) {
  const bind = binderOf(part);
  Object.defineProperty(RunTx.prototype, name, {
    get(this: RunTx) {
      return bind(this.unit);
    },
  });
}

type Methods = Readonly<Record<string, (unit: UnitOfWork, ...args: never[]) => unknown>>;

/** Gives the methods of a part the unit of a run. */
function binderOf(methods: Methods): (unit: UnitOfWork) => object {
  class BoundPart extends OfRun {}
  for (const [name, method] of Object.entries(methods)) {
    Object.defineProperty(BoundPart.prototype, name, {
      value(this: OfRun, ...args: never[]) {
        return method(this.unit, ...args);
      },
    });
  }
  return (unit) => new BoundPart(unit);
}
