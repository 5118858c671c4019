// One simulated process of the service: the real use cases and workers over gated ports. It can be
// killed at any gate; what it began and did not finish is then nobody's. Errors that a caller of
// the use cases must never see are written down as surprises.

import { AsyncLocalStorage } from 'node:async_hooks';
import { createHmac } from 'node:crypto';
import { createTokenSigner, fixedKeys } from '../../../adapters/crypto/jwt.js';
import { createPasskeyVerifier } from '../../../adapters/crypto/passkey-verifier.js';
import { createLetters } from '../../../adapters/pages/letters/letters.js';
import type { SignedCommand } from '../../../core/domain/access/registered-operator.js';
import type { Actor } from '../../../core/domain/base/actor.js';
import { developmentOperator, type OperatorActor } from '../../../core/domain/base/actor.js';
import { schedules } from '../../../core/domain/base/schedules.js';
import type { Mode, Tenant } from '../../../core/domain/base/tenant.js';
import { defaultDrift } from '../../../core/domain/commands/report-check.js';
import { Refusals } from '../../../core/domain/service/refused-request.js';
import { defaultStorageLimits } from '../../../core/domain/service/storage-limits.js';
import { PonteError } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { DocumentStorage, Ids, Log, SecretBox } from '../../../core/ports/outside.js';
import type { SettlementPartner } from '../../../core/ports/partner.js';
import type { Store } from '../../../core/ports/storage.js';
import {
  admitOperator,
  depsOfCommand,
  signCommand,
} from '../../../core/usecases/access/registered-operators.js';
import { commandRunner, runInline } from '../../../core/usecases/commands/command-runner.js';
import { runInbox } from '../../../core/usecases/commands/partner-inbox.js';
import { runBookReadings } from '../../../core/usecases/deposits/book-readings.js';
import { runMails } from '../../../core/usecases/mail/mails.js';
import { runPurges } from '../../../core/usecases/parties/documents.js';
import { readDossierFile } from '../../../core/usecases/parties/dossier-files.js';
import { runExpiry } from '../../../core/usecases/payments/payments.js';
import { runAdvances } from '../../../core/usecases/sandbox/sandbox.js';
import { asService, audited } from '../../../core/usecases/service/audit-log.js';
import type { Runner } from '../../../core/usecases/service/concurrency-limiter.js';
import {
  type DeliveryRunner,
  deliveryRunner,
} from '../../../core/usecases/webhooks/delivery-runner.js';
import {
  type MissingSearch,
  missingSearch,
} from '../../../core/usecases/webhooks/event-deliveries.js';
import { type HostClock, newHostClock } from '../../../host/host-clock.js';
import type { ObservedState } from '../invariants/observed-state.js';
import { monitorSends } from '../invariants/quarantine-monitor.js';
import { foreignRowIn } from '../invariants/tenant-invariants.js';
import type { AdapterSetup, HistoryPartner } from '../partner/history-partner.js';
import type { RunProfile } from '../run-profile.js';
import type { SeededRandom } from '../seeded-random.js';
import type { Faults } from './faults.js';
import { gatedDocuments } from './gated-documents.js';
import { gatedStore } from './gated-store.js';
import { type Gates, SimulatedProcess } from './gates.js';
import type { Signer } from './people.js';
import type { SimulatedMailbox } from './simulated-mailbox.js';
import type { SimulatedReceivers } from './simulated-receivers.js';

export const workers = [
  'commands',
  'deliveries',
  'missing',
  'inbox',
  'expiry',
  'advances',
  'purges',
  'mails',
] as const;
/** Of a partner that lists what it has done. */
export const bookWorkers = ['readings'] as const;
export type WorkerName = (typeof workers)[number] | (typeof bookWorkers)[number];

/** The world as a process meets it. */
export interface Surroundings {
  readonly gates: Gates;
  readonly random: SeededRandom;
  readonly profile: RunProfile;
  readonly faults: Faults;
  readonly partners: Readonly<Record<Mode, HistoryPartner>>;
  readonly receivers: SimulatedReceivers;
  readonly mailbox: SimulatedMailbox;
  readonly documents: DocumentStorage;
  readonly observed: ObservedState;
  readonly ids: Ids;
  readonly nowMs: number;
  readonly trace: (line: string) => void;
}

/** Rows that a worker takes at most, so that several runs share the work. */
const LIMIT = 10;
/** The tenant in whose name a call is made, wherever that call leads. */
const acting = new AsyncLocalStorage<Tenant>();

interface Acting {
  readonly actor: Actor;
  /** Those of its call. */
  readonly deps: Deps;
}

/** Who makes a call, wherever that call leads; workers have no actor. */
const authored = new AsyncLocalStorage<Acting>();

/**
 * `by` is the tenant who asks; it must be shown nothing of others. `actor` is by default a key of
 * it, or the development operator, and `signed` what an operator has signed.
 */
export interface Beginning<T> {
  readonly by?: Tenant;
  readonly actor?: Actor;
  readonly signed?: SignedCommand;
  readonly done?: (value: T) => void;
  readonly refused?: (error: PonteError) => void;
}

export class SimulatedHost {
  readonly process: SimulatedProcess;
  readonly #deps: Deps;
  /** A command guards its batches below its entries. */
  readonly #unaudited: Deps;
  /** Of its machine; the clock of the database is right. */
  machineAheadMs = 0;
  readonly #clock: HostClock;
  readonly #world: Surroundings;
  readonly #isElsewhere: boolean;
  readonly #commands: Runner;
  readonly #deliveries: DeliveryRunner;
  readonly #searchMissing: MissingSearch;
  readonly #working = new Set<WorkerName>();
  /** False until it has started: then it works and answers. */
  ready = false;

  /** `isElsewhere`: it has another instance of the partner, which knows nothing. */
  constructor(world: Surroundings, name: string, store: Store, isElsewhere = false) {
    this.#world = world;
    this.#isElsewhere = isElsewhere;
    this.process = new SimulatedProcess(name);
    this.#clock = newHostClock({
      machineMs: () => world.nowMs + this.machineAheadMs,
      steadyMs: () => world.nowMs,
      databaseMs: async () => world.nowMs,
    });
    void this.#clock.measure();
    const deps = this.#depsOf(store);
    this.#unaudited = deps;
    this.#deps = asService(deps, 'workers');
    this.#commands = commandRunner(this.#deps);
    this.#deliveries = deliveryRunner(deps);
    this.#searchMissing = missingSearch(this.#deps);
  }

  /** Those of the actor who makes the call under way. */
  get deps(): Deps {
    return authored.getStore()?.deps ?? this.#deps;
  }

  /** As a process starts: alone on the database, it ends the leases of the one before it. */
  start(alone: boolean): void {
    if (!alone) {
      this.ready = true;
      return;
    }
    const resume = async () => {
      await this.deps.store.claims.releaseAll(this.deps.clock.nowMs());
      await this.#searchMissing({ all: true });
    };
    this.#begin('start', resume, {
      done: () => {
        this.ready = true;
      },
    });
  }

  /** Begins what an actor asks for; `done` is called unless the process dies before. */
  begin<T>(label: string, what: () => Promise<T>, beginning: Beginning<T> = {}): void {
    const { by, signed = null } = beginning;
    const usual: Actor =
      by === undefined
        ? { kind: 'operator', id: developmentOperator.id }
        : { kind: 'key', id: by.orgId };
    const actor = beginning.actor ?? usual;
    const author = { actor, orgId: by?.orgId ?? null, action: label, signed };
    const deps = audited(this.#deps, author);
    authored.run({ actor, deps }, () => this.#begin(label, what, beginning));
  }

  /** Begins a command that this person signs: it is admitted, or refused, and then runs. */
  command<T>(
    label: string,
    { name, key, publicKey }: Signer,
    what: (operator: OperatorActor) => Promise<T>,
    beginning: Pick<Beginning<T>, 'done' | 'refused'> = {},
  ): void {
    const given = { command: label, arguments: {} };
    const run = async () => {
      const signed = await signCommand(this.#deps, given, key);
      const admission = { signed, publicKey };
      const actor = await admitOperator(this.#deps, given, admission, { records: true });
      const author = { action: label, address: null };
      const deps = depsOfCommand(this.#unaudited, { actor, signed }, author);
      return authored.run({ actor, deps }, () => what(actor));
    };
    this.#begin(`${name}: ${label}`, run, beginning);
  }

  #begin<T>(label: string, what: () => Promise<T>, { by, done, refused }: Beginning<T> = {}): void {
    const { trace, observed } = this.#world;
    trace(`${this.process.name} begins ${label}`);
    const begun = by === undefined ? what() : acting.run(by, what);
    begun.then(
      (value) => {
        trace(`${this.process.name} ended ${label}`);
        const foreign = by === undefined ? null : foreignRowIn(value, by);
        if (foreign !== null) observed.trespasses.push(`${label} showed ${foreign}`);
        done?.(value);
      },
      (error: unknown) => {
        trace(`${this.process.name} ${label}: ${error}`);
        if (error instanceof PonteError && error.code !== 'InternalError') refused?.(error);
        else observed.surprises.push(`${label}: ${stackOf(error)}`);
      },
    );
  }

  /** One run of a worker, unless one is under way; each loop of a process runs by itself. */
  work(worker: WorkerName): boolean {
    if (this.#working.has(worker) || !this.#clock.isAccurate()) return false;
    this.#working.add(worker);
    const nowMs = this.deps.clock.nowMs();
    this.#begin(worker, () => this.#run(worker, nowMs).finally(() => this.#working.delete(worker)));
    return true;
  }

  #run(worker: WorkerName, nowMs: number): Promise<number> {
    switch (worker) {
      case 'commands':
        return this.#commands.runOnce(nowMs, LIMIT);
      case 'deliveries':
        return this.#deliveries.runOnce(nowMs, LIMIT);
      case 'missing':
        return this.#storeMissing(nowMs);
      case 'inbox':
        return runInbox(this.deps, nowMs, LIMIT);
      case 'readings':
        return runBookReadings(this.deps);
      case 'expiry':
        return runExpiry(this.deps, nowMs, LIMIT);
      case 'advances':
        return runAdvances(this.deps, nowMs, LIMIT);
      case 'purges':
        return runPurges(this.deps, nowMs, LIMIT);
      case 'mails':
        return runMails(this.deps, nowMs, LIMIT);
    }
  }

  async #storeMissing(nowMs: number): Promise<number> {
    await this.#deliveries.storeSlow(nowMs);
    return this.#searchMissing();
  }

  #depsOf(store: Store): Deps {
    const world = this.#world;
    const { gates, random, faults, partners } = world;
    const setup: AdapterSetup = {
      process: this.process,
      gates,
      clock: this.#clock,
      log: this.#log(),
      readFile: (url) => readDossierFile(this.deps, url),
    };
    const adapterOf = (mode: Mode) => {
      const adapter = partners[mode].adapter(setup);
      return this.#isElsewhere ? anotherInstance(adapter, world.observed) : adapter;
    };
    const ways = {
      partners: { test: adapterOf('test'), live: adapterOf('live') },
      sender: world.receivers.sender(this.process),
      mailer: world.mailbox.mailer(this.process),
    };
    return {
      letters: createLetters(),
      ...monitorSends(ways, (what) => world.observed.quarantine.note(what)),
      store: gatedStore({
        store,
        process: this.process,
        gates,
        observer: world.observed,
        random,
        slowReads: () => world.profile.slowReads,
        by: () => acting.getStore() ?? null,
        actor: () => authored.getStore()?.actor ?? null,
        trace: world.trace,
      }),
      keyUses: new Map(),
      refusals: new Refusals(),
      secretBox: openBox,
      documents: gatedDocuments({ storage: world.documents, process: this.process, gates, faults }),
      tokenSigner: {
        sign: (claims) => gates.real(() => tokenSigner.sign(claims)),
        verify: (token, nowMs) => gates.real(() => tokenSigner.verify(token, nowMs)),
      },
      passkeyVerifier,
      deliveryMonths: null,
      rateLimits: { take: async () => ({ retryAfterSeconds: null, tatMicros: new Map() }) },
      clock: this.#clock,
      ids: {
        ...world.ids,
        named: (prefix, id, name) => {
          const named = world.ids.named(prefix, id, name);
          if (prefix === 'whd') world.observed.namedDelivery(this.process.name, named);
          return named;
        },
      },
      log: this.#log(),
      metrics: null,
      mailedFiles: {},
      wake: () => undefined,
      dispatch: () => this.#deliveries.dispatch(),
      runCommand: runInline,
      settings: {
        baseUrl: 'https://api.example',
        payUrl: 'https://pay.example',
        retryDelaysMs: schedules.webhookAttempt.waitsMs,
        rateLimitPerMinute: 0,
        storage: defaultStorageLimits,
        rateLimitBurst: 1,
        securityContact: null,
        legal: { privacyUrl: null, termsUrl: null },
        answerDays: null,
        drift: defaultDrift,
        regime: 'unstated',
      },
    };
  }

  /** Workers swallow errors and log them: what is no refusal of the catalogue is a surprise. */
  #log(): Log {
    const note = (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
      const { error, ...rest } = fields;
      this.#world.trace(`${this.process.name} logs ${message} ${JSON.stringify(rest)}`);
      if (error === undefined || error instanceof PonteError) return;
      this.#world.observed.surprises.push(`${message}: ${stackOf(error)}`);
    };
    return { debug: note, info: note, warn: note, error: note };
  }
}

/** It has none of the commands: who asks it takes them for absent. */
function anotherInstance(
  partner: SettlementPartner,
  { surprises }: ObservedState,
): SettlementPartner {
  const asked = async () => {
    surprises.push('another instance was asked about a command');
    return { outcome: 'done', value: null } as never;
  };
  const calls = { prepare: asked, start: asked, find: asked, read: asked };
  const { party, payin, payout, refund } = {
    party: calls,
    payin: calls,
    payout: calls,
    refund: calls,
  };
  return { ...partner, instance: 'elsewhere', party, payin, payout, refund, findCommand: asked };
}

const passkeyVerifier = createPasskeyVerifier();
const tokenSigner = createTokenSigner(fixedKeys([{ id: 'simulated', bytes: Buffer.alloc(32) }]));

/** A secret box without secrecy, so that the simulator can look inside. */
export const openBox: SecretBox = {
  keyId: 'simulated',
  seal: (plain, purpose) => `sealed for ${purpose}|${plain}`,
  open: (sealed, purpose) => {
    const prefix = `sealed for ${purpose}|`;
    if (!sealed.startsWith(prefix)) throw new Error(`not sealed for ${purpose}: ${sealed}`);
    return sealed.slice(prefix.length);
  },
  mac: (text, purpose) => createHmac('sha256', purpose).update(text).digest('hex'),
  isMac: (text, purpose, mac) => openBox.mac(text, purpose) === mac,
};

export function plainOf(sealed: string): string {
  return sealed.slice(sealed.indexOf('|') + 1);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
