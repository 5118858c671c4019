// The real store as one simulated process sees it: with a gate before and after every statement and
// every batch, so that the process can die there, and with an observer that sees what was truly
// applied. It changes nothing that passes through.

import type { Actor } from '../../../core/domain/base/actor.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { PartnerCommand } from '../../../core/domain/commands/partner-command.js';
import type { Mail } from '../../../core/domain/mail/mail.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import type { ClaimedDelivery, Claims, Store, Tx } from '../../../core/ports/storage.js';
import type { SeededRandom } from '../seeded-random.js';
import type { Gates, SimulatedProcess } from './gates.js';

export interface StagedWrite {
  readonly group: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

export interface ObservedBatch {
  readonly writes: readonly StagedWrite[];
  /** The tenant in whose name it was done; null for workers and operators. */
  readonly by: Tenant | null;
  /** Null for workers. */
  readonly actor: Actor | null;
}

export interface BatchObserver {
  applied(batch: ObservedBatch): void;
  /** Applied by a run that a quarantine must refuse. */
  gatedWrites(writes: readonly StagedWrite[]): void;
  claimedMails(mails: readonly Mail[]): void;
  claimedCommands(commands: readonly PartnerCommand[]): void;
  claimedDeliveries(process: string, claimed: readonly ClaimedDelivery[]): void;
  leasesEnded(): void;
}

export interface GatedStoreInput {
  readonly store: Store;
  readonly process: SimulatedProcess;
  readonly gates: Gates;
  readonly observer: BatchObserver;
  readonly random: SeededRandom;
  /** How often the reads of one `work` are apart, so that other batches fall between them. */
  readonly slowReads: () => number;
  /** In whose name the call under way is made. */
  readonly by: () => Tenant | null;
  readonly actor: () => Actor | null;
  readonly trace: (line: string) => void;
}

/** The methods of Tx that stage; all others read. */
const writes: ReadonlySet<string> = new Set([
  'insert',
  'update',
  'updateProfile',
  'touch',
  'append',
  'bind',
  'remove',
  'insertOnce',
  'insertSubmission',
  'updateSubmission',
  'logAttempt',
  'put',
  'expectProfile',
  'expectSubmission',
  'expect',
  'expectNoQuarantine',
  'requestPurge',
  'advance',
  'removeDeliveries',
  'removeMessages',
  'removeEvents',
]);

type Methods = Readonly<Record<string, (...args: unknown[]) => unknown>>;

export function gatedStore(input: GatedStoreInput): Store {
  const { store, process, gates, observer, random, by, actor, trace } = input;
  const run: Store['run'] = async (work, options) => {
    let staged: StagedWrite[] = [];
    const slow = random.chance(input.slowReads());
    const result = await gates.real(() =>
      store.run(
        (tx) =>
          gates.outside(async () => {
            staged = [];
            const value = await work(gatedTx(tx, input, slow, staged));
            if (staged.length > 0) await gates.pass(process, `batch ${named(staged)}`);
            return value;
          }),
        options,
      ),
    );
    if (options?.inQuarantine !== true) observer.gatedWrites(staged);
    observer.applied({ writes: staged, by: by(), actor: actor() });
    if (staged.length > 0) trace(`${process.name} wrote ${described(staged)}`);
    if (staged.length > 0) await gates.pass(process, 'batch applied');
    else if (slow) await gates.pass(process, 'read done');
    return result;
  };
  return {
    run,
    // Every read passes the gates.
    kept: { key: () => null, view: () => null },
    claims: gatedClaims(input),
    migrate: () => store.migrate(),
    health: () => store.health(),
    close: () => store.close(),
  };
}

function gatedClaims({ store, process, gates, observer }: GatedStoreInput): Claims {
  const { claims } = store;
  const gated = async <T>(label: string, call: () => Promise<T>, seen: (result: T) => void) => {
    const result = await gates.real(call);
    seen(result);
    // What found nothing decides nothing, so that nothing can come between.
    if (!Array.isArray(result) || result.length > 0) await gates.pass(process, `${label}: taken`);
    return result;
  };
  const unseen = () => undefined;
  return {
    owner: claims.owner,
    newLease: () => claims.newLease(),
    // Without a gate: what is sent is signed with what was read.
    sendingSubscriptions: (tenant) => gates.real(() => claims.sendingSubscriptions(tenant)),
    commands: (claim) =>
      gated(
        'claim commands',
        () => claims.commands(claim),
        (taken) => observer.claimedCommands(taken),
      ),
    deliveries: (claim) =>
      gated(
        'claim deliveries',
        () => claims.deliveries(claim),
        (taken) => observer.claimedDeliveries(process.name, taken),
      ),
    mails: (claim) =>
      gated(
        'claim mails',
        () => claims.mails(claim),
        (taken) => observer.claimedMails(taken),
      ),
    dueSubscriptions: (nowMs) =>
      gated('due subscriptions', () => claims.dueSubscriptions(nowMs), unseen),
    lostDeliveries: (nowMs, limit) =>
      gated('spent deliveries', () => claims.lostDeliveries(nowMs, limit), unseen),
    expiredPayments: (page) =>
      gated('expired payments', () => claims.expiredPayments(page), unseen),
    accountsToUnhold: (page) =>
      gated('sellers to unhold', () => claims.accountsToUnhold(page), unseen),
    paymentsToRemind: (page) =>
      gated('payments to remind', () => claims.paymentsToRemind(page), unseen),
    releaseAll: (nowMs) =>
      gated(
        'release all',
        () => claims.releaseAll(nowMs),
        () => observer.leasesEnded(),
      ),
    releaseOwn: (nowMs) => gated('release own', () => claims.releaseOwn(nowMs), unseen),
    nextDueAtMs: () => gated('next due', () => claims.nextDueAtMs(), unseen),
  };
}

/** Reads pass a gate where `slow`; what stages a write is noted. A read is what gives a promise. */
function gatedTx(
  tx: Tx,
  { gates, process }: GatedStoreInput,
  slow: boolean,
  staged: StagedWrite[],
): Tx {
  const gatedGroup = (group: string, methods: Methods): Methods =>
    new Proxy(methods, {
      get: (target, method: string) => {
        const real = target[method];
        if (typeof real !== 'function') return real;
        return (...args: unknown[]) => {
          if (!writes.has(method)) {
            return readThrough(`${group}.${method}`, () => Reflect.apply(real, target, args));
          }
          staged.push({ group, method, args });
          return Reflect.apply(real, target, args);
        };
      },
    });
  const readThrough = async (label: string, read: () => unknown) => {
    const result = await gates.real(async () => read());
    if (slow) await gates.pass(process, `read ${label}`);
    return result;
  };
  return new Proxy(tx, {
    get: (target, group: string) => {
      if (group === 'insertsFirst') return target.insertsFirst;
      if (group === 'changes') return () => target.changes();
      if (group === 'actAs') return (actor: Actor) => target.actAs(actor);
      const methods = Reflect.get(target, group) as Methods;
      return gatedGroup(group, methods);
    },
  });
}

function named(staged: readonly StagedWrite[]): string {
  return staged.map(({ group, method }) => `${group}.${method}`).join(' ');
}

/** With the states of payments and commands, which most histories are about. */
function described(staged: readonly StagedWrite[]): string {
  return staged
    .map(({ group, method, args: [row] }) => {
      if (group === 'payments') {
        const { id, status } = row as Payment;
        return `${group}.${method}(${id} ${status})`;
      }
      if (group !== 'commands') return `${group}.${method}`;
      const { kind, id, state, end } = row as PartnerCommand;
      return `${group}.${method}(${kind} ${id} ${state} ${end})`;
    })
    .join(' ');
}
