// One simulated world: the real store in memory, processes that come and die, the partner, the
// receivers, and the time. A step lets something begin or lets waiting calls go on, in an order
// that the seed decides; after every step the invariants are held against what is there.
import { postingIds } from '../../../adapters/crypto/ids.js';
import { HOUR_MS } from '../../../core/domain/base/instant.js';
import type { Mode, Tenant } from '../../../core/domain/base/tenant.js';
import type { DocumentKind, DocumentOwner } from '../../../core/domain/parties/document.js';
import { newOrganization } from '../../../core/domain/parties/organization.js';
import { newParty } from '../../../core/domain/parties/party.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { Ids } from '../../../core/ports/outside.js';
import type { Store } from '../../../core/ports/storage.js';
import type { CreatePaymentInput } from '../../../core/usecases/payments/payments.js';
import { asService } from '../../../core/usecases/service/audit-log.js';
import { currentKey } from '../../../core/usecases/service/service-keys.js';
import { makeTwice, withdraw } from '../actions/bank-events.js';
import { operatorReleases, type Quarantine } from '../actions/quarantine-release.js';
import {
  always,
  atTheEnd,
  firstViolation,
  type Invariant,
  inTheLongRun,
  type Violation,
} from '../invariants/invariants.js';
import { ObservedState } from '../invariants/observed-state.js';
import {
  type HistoryPartner,
  type LateCall,
  partnerAbilities,
} from '../partner/history-partner.js';
import { PartnerLedger } from '../partner/partner-ledger.js';
import { SimulatedBlindPay } from '../partner/simulated-blindpay.js';
import { SimulatedPartner } from '../partner/simulated-partner.js';
import {
  type ActionName,
  drawProfile,
  type Focus,
  focused,
  type RunProfile,
  withoutFaults,
} from '../run-profile.js';
import { SeededRandom } from '../seeded-random.js';
import { CAREFUL_ORG, tenants } from './actors.js';
import { Faults } from './faults.js';
import { FeedReads } from './feed-reader.js';
import { openDocuments } from './gated-documents.js';
import { Gates } from './gates.js';
import { firstMembers, firstOperators, People, peopleOf } from './people.js';
import { copyNowAndThen, restorable, restore, type WorldCopy } from './restore.js';
import type { SimulatedDatabase } from './simulated-database.js';
import { openBox, SimulatedHost, type Surroundings } from './simulated-host.js';
import { SimulatedMailbox } from './simulated-mailbox.js';
import { SimulatedReceivers } from './simulated-receivers.js';

/** 2026-01-01T00:00:00Z: when every history begins. */
const BEGINNING_MS = 1_767_225_600_000;
/** Nobody waits at a gate for longer: the partner's key outlives ours by an hour. */
const STALL_MS_MAX = 2_400_000;

/** What begins when an action is picked. */
export type Acts<K extends ActionName> = Readonly<
  Record<K, (world: World, host: SimulatedHost) => void | Promise<void>>
>;
/** When an action would do nothing; those not named can always do something. */
export type Pointless = Partial<Readonly<Record<ActionName, (world: World) => boolean>>>;

/** A create as an integrator sends it, again and again if need be. */
export interface CreateRequest {
  readonly tenant: Tenant;
  readonly input: CreatePaymentInput;
}

/** The URLs that a party was given for one document. */
export interface GivenUpload {
  readonly tenant: Tenant;
  readonly owner: DocumentOwner;
  readonly documentId: string;
  readonly kind: DocumentKind;
  readonly uploadUrl: string;
  readonly publicUrl: string;
}

/** How often an operator looks after a restored database: per step. */
const RELEASE_CHANCE = 0.2;

export class World implements Surroundings {
  readonly random: SeededRandom;
  readonly #apart: SeededRandom;
  readonly #outside: SeededRandom;
  readonly faults: Faults;
  readonly gates: Gates;
  readonly partners: Readonly<Record<Mode, HistoryPartner>>;
  readonly receivers: SimulatedReceivers;
  readonly mailbox: SimulatedMailbox;
  readonly documents = openDocuments();
  readonly observed: ObservedState;
  readonly lateCalls: LateCall[] = [];
  readonly ids: Ids;
  readonly hosts: SimulatedHost[] = [];
  readonly counts = new Map<string, number>();
  /** Creates that integrators sent, to be sent again. */
  readonly requests: CreateRequest[] = [];
  readonly uploads: GivenUpload[] = [];
  readonly feedReads = new FeedReads();
  readonly people = new People();
  profile: RunProfile;
  nowMs = BEGINNING_MS;
  violation: (Violation & { readonly step: number }) | null = null;
  /** How often an invariant was checked. */
  checks = 0;
  readonly #trace: string[] = [];
  #step = 0;
  #hostCount = 0;
  #checked = '';
  /** Where each organization is paid, by mode. */
  readonly #destinations = new Map<string, string>();
  database: SimulatedDatabase;
  readonly copies: WorldCopy[] = [];
  /** Null while the database is released. */
  quarantine: Quarantine | null = null;

  constructor(seed: number, focus: Focus, database: SimulatedDatabase) {
    const random = new SeededRandom(seed);
    this.#apart = new SeededRandom(seed + 1_000_000);
    this.#outside = new SeededRandom(seed + 2_000_000);
    const streams = { random, apart: this.#apart, outside: this.#outside };
    const nowMs = () => this.nowMs;
    this.random = random;
    this.profile = focused(drawProfile(streams, focus.partner), focus);
    const faults = new Faults(streams, () => this.profile.faults);
    this.faults = faults;
    this.gates = new Gates(nowMs, () => random.chance(this.profile.gates));
    const books = new PartnerLedger(
      (reference) => this.observed.ownerOf(reference),
      (transfer) => this.observed.holdersOf(transfer),
    );
    const Partner = this.profile.partner === 'blindpay' ? SimulatedBlindPay : SimulatedPartner;
    const { lateCalls, trace } = this;
    const count = (what: string) => this.count(what);
    const partner = (mode: Mode) =>
      new Partner({ mode, random, nowMs, faults, books, lateCalls, trace, count });
    this.partners = { test: partner('test'), live: partner('live') };
    this.receivers = new SimulatedReceivers({
      gates: this.gates,
      nowMs,
      secretToSign: (process, deliveryId) => this.observed.secretToSign(process, deliveryId),
    });
    this.mailbox = new SimulatedMailbox({ gates: this.gates, faults });
    const { test, live } = this.partners;
    this.observed = new ObservedState({
      abilities: partnerAbilities[this.profile.partner],
      destinationOf: (tenant) => this.#destinations.get(`${tenant.orgId} ${tenant.mode}`) ?? '',
      turnedAway: () => [...test.desk.turnedAway, ...live.desk.turnedAway],
      destinations: () => [...test.desk.destinations, ...live.desk.destinations],
      rails: () => [...test.desk.rails, ...live.desk.rails],
      mails: () => this.mailbox.received,
      storedDocuments: () => this.documents.stored(),
      books,
      parties: () => [...test.desk.parties, ...live.desk.parties],
      messages: () => [...test.messages.waiting, ...live.messages.waiting],
      misuse: () => [...test.misuse, ...live.misuse],
      received: () => this.receivers.received,
      feedReads: this.feedReads,
    });
    this.ids = seededIds(random);
    this.database = database;
  }

  readonly trace = (line: string): void => {
    this.#trace.push(`${this.#step} +${this.nowMs - BEGINNING_MS} ${line}`);
  };

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Organizations that can collect, and the first processes. */
  async open(): Promise<void> {
    const { ids, store } = this;
    const clock = { nowMs: () => this.nowMs };
    const needs = { ids, store, clock, secretBox: openBox };
    const setUp = asService(needs as unknown as Deps, 'set up').store;
    for (const orgId of new Set(tenants.map((tenant) => tenant.orgId))) {
      await setUp.run(async (tx) => {
        const profile = (mode: Mode) => {
          const known = this.partners[mode].organization(orgId);
          this.#destinations.set(`${orgId} ${mode}`, known.destinationRef);
          return {
            ...newParty,
            orgId,
            mode,
            ...known,
            status: 'approved' as const,
            railsCommandId: null,
            tosAcceptedAtMs: null,
            intentsNeedApproval: false,
            heldRef: null,
            heldUntilMs: null,
            // The world knows where a seller is paid from the call on.
            payoutHoldHours: 0,
            version: 1,
          };
        };
        tx.organizations.insert(
          {
            ...newOrganization(orgId, orgId, this.nowMs),
            productionGrantedAtMs: this.nowMs,
            requiresApproval: orgId === CAREFUL_ORG,
          },
          [profile('test'), profile('live')],
        );
      });
    }
    const first = firstOperators(this.profile.people > 0);
    await setUp.run(async (tx) => {
      for (const operator of first) tx.operators.insert(operator);
    });
    for (const operator of first) this.observed.operators.set(operator.id, operator);
    if (this.profile.people > 0) await this.#addMembers(setUp);
    // As at a first start, so that every copy has it.
    await currentKey(needs, 'partner');
    this.populate();
    await this.look();
  }

  async #addMembers(setUp: Store): Promise<void> {
    const orgIds = [...new Set(tenants.map(({ orgId }) => orgId))];
    const members = orgIds.flatMap((orgId) => firstMembers(orgId, this.nowMs));
    await setUp.run(async (tx) => {
      for (const person of peopleOf(members)) tx.people.insert(person);
      for (const member of members) tx.members.insert(member);
    });
    for (const member of members) this.observed.members.set(member.id, member);
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  /** Lets a process die, or waiting calls go on, or something new begin by `act`. */
  async step(act: () => Promise<void>): Promise<void> {
    this.#step += 1;
    const { random, profile, faults, gates } = this;
    if (faults.occurs('clockJump')) this.setClock();
    this.#actOutside();
    if (faults.occurs('otherInstance')) await this.#workElsewhere();
    const copy = restorable(this);
    if (copy !== null && faults.occurs('restore')) await restore(this, copy);
    else if (faults.occurs('crash')) this.crash();
    else if (gates.waiting.length > 0 && random.chance(profile.patience)) this.openGates();
    else await act();
    if (this.quarantine !== null && random.chance(RELEASE_CHANCE)) this.#operatorReleases();
    await this.look();
    await copyNowAndThen(this);
  }

  /** What the partner does without a command of ours. */
  #actOutside(): void {
    const { faults } = this;
    const acts = { withdrawal: withdraw, madeTwice: makeTwice } as const;
    for (const kind of ['withdrawal', 'madeTwice'] as const) {
      const partner = this.#outside.pick(Object.values(this.partners));
      if (faults.occurs(kind)) acts[kind](this, partner, this.#outside);
    }
  }

  /** For a moment a process runs that has another instance: it must ask it nothing. */
  async #workElsewhere(): Promise<void> {
    this.trace('a process has another instance of the partner');
    this.count('worked at another instance');
    const host = new SimulatedHost(this, 'elsewhere', this.store, true);
    await this.gates.settle();
    host.work('commands');
    await this.gates.settle();
    this.gates.kill(host.process);
  }

  #operatorReleases(): void {
    const host = this.host();
    if (host !== null) operatorReleases(this, host);
  }

  /** Lets one waiting call go on, or several at once. */
  openGates(): void {
    const { random, profile, gates } = this;
    const several = random.chance(profile.bursts) ? random.between(2, 5) : 1;
    for (let count = 0; count < several && gates.waiting.length > 0; count += 1) {
      const gate = random.pick(gates.waiting);
      this.trace(`${gate.process.name} goes on: ${gate.label}`);
      gates.open(gate);
    }
  }

  /** Lets everything under way come to its end. */
  async drain(): Promise<void> {
    for (let turn = 0; this.gates.waiting.length > 0 && this.violation === null; turn += 1) {
      if (turn > 5_000) throw new Error('the processes never come to rest');
      this.openGates();
      await this.look();
    }
  }

  /** Time passes, and calls that were still on their way arrive. */
  async pass(ms: number): Promise<void> {
    const stalledMs = this.gates.waiting.reduce(
      (longest, { sinceMs }) => Math.max(longest, this.nowMs - sinceMs),
      0,
    );
    if (stalledMs + ms > STALL_MS_MAX) await this.drain();
    this.trace(`time passes: ${ms} ms`);
    const endsAtMs = this.nowMs + ms;
    for (;;) {
      const lateCall = this.#nextArrival(endsAtMs);
      if (lateCall === null) break;
      this.lateCalls.splice(this.lateCalls.indexOf(lateCall), 1);
      this.nowMs = Math.max(this.nowMs, lateCall.arrivesAtMs);
      this.trace(`arrives late: ${lateCall.label}`);
      lateCall.arrive();
      // The one who is called reads the clock of its arrival.
      await this.gates.settle();
    }
    if (endsAtMs - this.nowMs > STALL_MS_MAX) await this.drain();
    this.nowMs = endsAtMs;
  }

  /** The first call that arrives until then. */
  #nextArrival(endsAtMs: number): LateCall | null {
    const [first] = this.lateCalls
      .filter(({ arrivesAtMs }) => arrivesAtMs <= endsAtMs)
      .sort((a, b) => a.arrivesAtMs - b.arrivesAtMs);
    return first ?? null;
  }

  setClock(): void {
    const host = this.#apart.pick(this.hosts);
    host.machineAheadMs = this.#apart.pick([0, 0, HOUR_MS, -HOUR_MS]);
    this.trace(`the clock of ${host.process.name} is ${host.machineAheadMs} ms ahead`);
  }

  /** A process dies, and a new one takes its place. */
  crash(): void {
    this.kill(this.random.pick(this.hosts));
    this.populate();
  }

  /** A process dies; what it had sent may still arrive. */
  kill(host: SimulatedHost): void {
    this.trace(`${host.process.name} dies`);
    for (const { afterlife } of this.gates.kill(host.process)) {
      if (afterlife !== null && this.random.chance(0.5)) afterlife();
    }
    this.hosts.splice(this.hosts.indexOf(host), 1);
  }

  get store(): Store {
    return this.database.store;
  }

  /** A process that has started. */
  host(): SimulatedHost | null {
    const ready = this.hosts.filter((host) => host.ready);
    return ready.length === 0 ? null : this.random.pick(ready);
  }

  /** Waits until all is at rest, reads what changed, and judges. */
  async look(): Promise<void> {
    await this.gates.settle();
    if (this.violation !== null) return;
    const changed = this.observed.touched;
    if (changed) await this.observed.refresh(this.store);
    const outside = this.#outsideVersion();
    if (!changed && outside === this.#checked) return;
    this.#checked = outside;
    this.observed.receive();
    this.judge(always);
  }

  judge(invariants: Readonly<Record<string, Invariant>>): void {
    this.checks += Object.keys(invariants).length;
    const found = firstViolation(invariants, this.observed);
    if (found !== null) this.violate(found);
  }

  violate(found: Violation): void {
    this.violation ??= { ...found, step: this.#step };
    this.trace(`VIOLATION ${found.invariant}: ${found.detail}`);
  }

  stopFaults(): void {
    this.profile = withoutFaults(this.profile);
    for (const host of this.hosts) host.machineAheadMs = 0;
  }

  async finish(): Promise<void> {
    await this.observed.audit(this.store);
    this.judge(always);
    if (this.violation === null) this.judge({ ...atTheEnd, ...inTheLongRun });
    for (const { status } of this.observed.deliveries.values()) this.count(`delivery ${status}`);
    const { accounts, kyc, documents, mails } = this.observed.parties;
    for (const { role, status, readyAtMs } of accounts.values()) {
      this.count(`${role} ${status}${readyAtMs === null ? '' : ', ready once'}`);
    }
    for (const { status } of kyc.values()) this.count(`KYC ${status}`);
    for (const { status } of documents.values()) this.count(`document ${status}`);
    for (const { purpose, status } of mails.values()) this.count(`${purpose} mail ${status}`);
    for (const { payment, funds } of this.observed.payments.values()) {
      if (payment.sellerExternalId !== null) this.count(`to a seller, ${payment.status}`);
      this.count(`ended ${payment.status}, funds ${funds.position}, refund ${funds.refund}`);
    }
  }

  /** Everything that happened, a line each. */
  get lines(): readonly string[] {
    return this.#trace;
  }

  get steps(): number {
    return this.#step;
  }

  /** Starts as many processes as there should be. */
  populate(): void {
    while (this.hosts.length < this.profile.hosts) {
      this.#hostCount += 1;
      const host = new SimulatedHost(this, `host${this.#hostCount}`, this.store);
      this.hosts.push(host);
      host.start(this.profile.hosts === 1);
    }
  }

  /** Changes when something that the invariants look at happened outside the database. */
  #outsideVersion(): string {
    const { observed, partners, receivers } = this;
    const sizes = [
      observed.acknowledged.length,
      observed.surprises.length,
      receivers.received.length,
      this.mailbox.received.length,
      ...[observed.trespasses, observed.misreads, observed.linksUsed, observed.intrusions].map(
        ({ length }) => length,
      ),
      observed.quarantine.done.length,
      this.feedReads.pages,
      observed.outside.books.changes,
      ...Object.values(partners).map(({ changes }) => changes),
    ];
    return sizes.join(' ');
  }
}

/** Sortable by time, unique, without an `i` at the end, and the same for the same seed. */
function seededIds(random: SeededRandom): Ids {
  let count = 0;
  const timeText = (atMs: number) => atMs.toString(36).padStart(9, '0');
  const next: Ids['next'] = (prefix, nowMs) => {
    count += 1;
    return `${prefix}_${timeText(nowMs)}${count.toString(16).padStart(6, '0')}`;
  };
  return {
    next,
    ...postingIds(next),
    named: (prefix, id, name) => `${prefix}_${id.slice(id.indexOf('_') + 1)}/${name}`,
    randomBytes: (length) => Uint8Array.from({ length }, () => random.between(0, 255)),
  };
}

export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
