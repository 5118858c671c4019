// Writes the audit log, in the batch of the change that it records, and verifies it.
import { hasSigned, type RegisteredOperator } from '../../domain/access/registered-operator.js';
import { type Actor, developmentOperator } from '../../domain/base/actor.js';
import { MINUTE_MS } from '../../domain/base/instant.js';
import { modes, type Tenant } from '../../domain/base/tenant.js';
import type { FeedHead, NumberedEvent } from '../../domain/payments/event.js';
import { openAddress, sealAddress } from '../../domain/service/audit-address.js';
import { isProvenBody, macKey, type RecordProof } from '../../domain/service/audit-proof.js';
import {
  type AuditAuthor,
  type Audited,
  type AuditedExport,
  type AuditRecord,
  auditEvent,
  auditedOf,
  auditFeed,
  auditRecord,
  auditSubject,
  citedIn,
  defectOf,
  isMachine,
} from '../../domain/service/audit-record.js';
import type { OpenedKey } from '../../domain/service/service-key.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { NewestPage, RunOptions, Store, Tx } from '../../ports/storage.js';
import { addressKey, currentKey, type KeyNeeds, openedKeys } from './service-keys.js';

const PAGE = 500;
const DEFECTS_MAX = 100;
const ofAnyType = { type: null, fromSequence: 0 } as const;
const unwritten = 'no key of this service made the MAC of the entry';
const uncited = 'the entry cites a head that the log does not have: an earlier entry was removed';
const unproven = 'no signature proves that its operator gave the command then';

/**
 * Dependencies for the work of one author: each batch that changes an object gets a record. Within
 * such work it names another author of the same request.
 */
export function audited(
  deps: Deps,
  author: Pick<AuditAuthor, 'actor' | 'action'> & Partial<AuditAuthor>,
): Deps {
  const outer = deps.store instanceof AuditedStore ? deps.store : null;
  const needs = { ...deps, store: outer?.unaudited ?? deps.store };
  const unnamed = { orgId: null, address: null, requestId: null, signed: null, operator: null };
  const whole = { ...unnamed, ...outer?.author, ...author };
  return { ...deps, store: new AuditedStore(needs, whole) };
}

/**
 * Dependencies for what the service does by itself, such as polls and expiry: changes of held rows
 * have records, and nothing else has.
 */
export function asService(deps: Deps, action: string): Deps {
  return audited(deps, { actor: { kind: 'service', id: 'ponte' }, action });
}

class AuditedStore implements Store {
  readonly author: AuditAuthor;
  readonly #needs: KeyNeeds;

  constructor(needs: KeyNeeds, author: AuditAuthor) {
    this.#needs = needs;
    this.author = author;
  }

  get unaudited(): Store {
    return this.#needs.store;
  }

  get kept(): Store['kept'] {
    return this.#needs.store.kept;
  }

  get claims(): Store['claims'] {
    return this.#needs.store.claims;
  }

  run<T>(work: (tx: Tx) => Promise<T>, options?: RunOptions): Promise<T> {
    const runWith = (proof: KnownProof) =>
      this.#needs.store.run(async (tx) => {
        tx.actAs(this.author.actor);
        const value = await work(tx);
        const changed = auditedOf(tx.changes(), this.author);
        for (const one of changed) this.#append(tx, one, proof);
        return value;
      }, options);
    const known = knownProof(this.#needs);
    return known === null ? readProof(this.#needs).then(runWith) : runWith(known);
  }

  migrate(): ReturnType<Store['migrate']> {
    return this.#needs.store.migrate();
  }

  health(): ReturnType<Store['health']> {
    return this.#needs.store.health();
  }

  close(): Promise<void> {
    return this.#needs.store.close();
  }

  async recordExport({ orgId, mode }: ExportedOf, exported: AuditedExport): Promise<void> {
    const proof = knownProof(this.#needs) ?? (await readProof(this.#needs));
    await this.unaudited.run(async (tx) =>
      this.#append(tx, { orgId, mode, objects: [], exported }, proof),
    );
  }

  #append(tx: Tx, about: Audited, proof: KnownProof): void {
    const { ids, clock } = this.#needs;
    const atMs = clock.nowMs();
    const place = { id: ids.next('aud', atMs), atMs };
    const { address } = this.author;
    const sealed = address && sealAddress(proof.addressKey, place.id, address);
    // No subscription has events of this feed.
    tx.feed.append(auditEvent({ ...this.author, address: sealed }, about, place, proof));
  }
}

/** A record that is removed within it is not missed by the records of this process. */
const PROOF_AGE_MAX_MS = MINUTE_MS;

interface KnownProof extends RecordProof {
  /** The key of the month. */
  readonly addressKey: OpenedKey;
  readonly readAtMs: number;
}

/** By what stores over one connection to a database share. */
const proofs = new WeakMap<Store['claims'], KnownProof>();

/** What was read within a minute, so that a record costs no read; null if nothing was. */
function knownProof({ store, clock }: KeyNeeds): KnownProof | null {
  const known = proofs.get(store.claims);
  const isFresh =
    known !== undefined && Math.abs(clock.nowMs() - known.readAtMs) < PROOF_AGE_MAX_MS;
  return isFresh ? known : null;
}

async function readProof(needs: KeyNeeds): Promise<KnownProof> {
  const readAtMs = needs.clock.nowMs();
  const key = macKey(await currentKey(needs, 'record'));
  const ofMonth = await addressKey(needs);
  const proof = { key, addressKey: ofMonth, cited: await auditHead(needs), readAtMs };
  proofs.set(needs.store.claims, proof);
  return proof;
}

/** The database lost commits: what was read of it may be gone. */
export function forgetProof({ store }: Pick<Deps, 'store'>): void {
  proofs.delete(store.claims);
}

/** What an export is of: a tenant or, with null, all organizations in a mode. */
export type ExportedOf = Pick<Tenant, 'mode'> & { readonly orgId: string | null };

/** An export changes nothing, so its record is written by itself. */
export async function recordExport(
  { store }: Pick<Deps, 'store'>,
  of: ExportedOf,
  exported: AuditedExport,
): Promise<void> {
  assert(store instanceof AuditedStore, 'an export has an author');
  await store.recordExport(of, exported);
}

type LogReader = Pick<Deps, 'store' | 'secretBox'>;

/** Records about an organization in one mode or in both, newest first. */
export function listAuditRecords(
  deps: LogReader,
  { orgId, mode }: Tenant,
  page: NewestPage,
): Promise<readonly AuditRecord[]> {
  return newestAbout(
    deps,
    [
      { orgId, mode },
      { orgId, mode: null },
    ],
    page,
  );
}

interface AuditSearch extends NewestPage {
  /** Null: people, since machines act many times for each act of a person. */
  readonly kind: Actor['kind'] | 'all' | null;
  /** Null: anyone. One actor is of any kind. */
  readonly actorId: string | null;
}

/** A search looks at so many records. */
export const AUDIT_SEARCHED_MAX = 2_000;

/**
 * Records of some kinds of actors, or of one actor, about an organization or all. No index has
 * actors, so a page may have fewer records than its limit although `next`, the `beforeSequence` of
 * the next one, is not null.
 */
export async function searchAuditRecords(
  deps: LogReader,
  about: Tenant | { readonly orgId: string | null },
  { kind, actorId, beforeSequence, limit }: AuditSearch,
): Promise<{ readonly records: readonly AuditRecord[]; readonly next: number | null }> {
  const anyKind = actorId !== null || kind === 'all';
  const isSearch = actorId !== null || kind !== 'all';
  // One more shows whether there is a next page.
  const size = isSearch ? PAGE : limit + 1;
  const records: AuditRecord[] = [];
  let before = beforeSequence;
  for (let seen = 0; seen < AUDIT_SEARCHED_MAX; seen += size) {
    const asked = { beforeSequence: before, limit: size };
    const page =
      'mode' in about
        ? await listAuditRecords(deps, about, asked)
        : await newestAuditRecords(deps, about.orgId, asked);
    for (const record of page) {
      const { actor } = record;
      if (!anyKind && (kind === null ? isMachine(actor) : actor.kind !== kind)) continue;
      if (actorId !== null && actor.id !== actorId) continue;
      if (records.length === limit) return { records, next: records.at(-1)?.sequence ?? null };
      records.push(record);
    }
    if (page.length < size) return { records, next: null };
    before = page.at(-1)?.sequence ?? null;
  }
  return { records, next: before };
}

/** The same in any mode, for operators; null: all records. */
export async function newestAuditRecords(
  deps: LogReader,
  orgId: string | null,
  page: NewestPage,
): Promise<readonly AuditRecord[]> {
  if (orgId !== null) {
    const ofModes = modes.map((mode) => ({ orgId, mode }));
    return newestAbout(deps, [...ofModes, { orgId, mode: null }], page);
  }
  const events = await deps.store.run((tx) =>
    tx.feed.newest(auditFeed, { subjectId: null, ...ofAnyType }, page),
  );
  return opened(deps, events);
}

async function newestAbout(
  deps: LogReader,
  subjects: readonly Parameters<typeof auditSubject>[0][],
  page: NewestPage,
): Promise<readonly AuditRecord[]> {
  const found = await deps.store.run((tx) =>
    Promise.all(
      subjects.map((about) => {
        const filter = { subjectId: auditSubject(about), ...ofAnyType };
        return tx.feed.newest(auditFeed, filter, page);
      }),
    ),
  );
  const newest = found.flat().toSorted((one, other) => other.sequence - one.sequence);
  return opened(deps, newest.slice(0, page.limit));
}

/** The records with their addresses, as long as these are kept. */
async function opened(
  deps: LogReader,
  events: readonly NumberedEvent[],
): Promise<readonly AuditRecord[]> {
  if (events.length === 0) return [];
  const keys = await openedKeys(deps, 'address');
  return events.map((event) => {
    const record = auditRecord(event);
    const { id, address } = record;
    return Object.freeze({ ...record, address: address && openAddress(keys, id, address) });
  });
}

/** All records, in order. */
export function allAuditRecords(deps: Pick<Deps, 'store'>): AsyncGenerator<NumberedEvent> {
  return auditRecordsAfter(deps, 0);
}

export async function* auditRecordsAfter(
  { store }: Pick<Deps, 'store'>,
  sequence: number,
): AsyncGenerator<NumberedEvent> {
  for (let after = sequence; ; ) {
    const page = await store.run((tx) => tx.feed.after(auditFeed, after, PAGE));
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.sequence;
  }
}

/** Null before the first record. */
export function auditHead({ store }: Pick<Deps, 'store'>): Promise<FeedHead | null> {
  return store.run((tx) => tx.feed.head(auditFeed));
}

export interface AuditDefect {
  /** Null: no record is about it. */
  readonly sequence: number | null;
  readonly problem: string;
}

/**
 * Reads the whole log, verifies the signatures of operators, and compares it with its head and with
 * heads that somebody kept outside the database (`anchors`) or that its records cite. With the keys
 * for records it also verifies the MAC of each record.
 */
export async function verifyAudit(
  deps: Pick<Deps, 'store'>,
  anchors: readonly (FeedHead & { readonly epoch?: number })[] = [],
  keys: readonly OpenedKey[] | null = null,
) {
  // Read first: records that are added during the check come after it.
  const head = await auditHead(deps);
  const end = head?.sequence ?? 0;
  const operators = await deps.store.run((tx) => tx.operators.list());
  const expected = Map.groupBy(anchors, ({ sequence }) => sequence);
  const defects: AuditDefect[] = [];
  const note = (sequence: number, problem: string) => {
    if (defects.length < DEFECTS_MAX) defects.push({ sequence, problem });
  };
  const macKeys = keys?.map(macKey) ?? null;
  let last: FeedHead | null = null;
  let compared: FeedHead | null = null;
  let records = 0;
  let signatures = 0;
  for await (const record of allAuditRecords(deps)) {
    const { sequence, chainHash } = record;
    const defect = defectOf(record, last);
    if (defect !== null) note(sequence, defect);
    else {
      const proven = isProven(auditRecord(record), operators);
      if (proven === true) signatures += 1;
      if (proven === false) note(sequence, unproven);
      if (macKeys !== null && !isProvenBody(macKeys, record.body)) note(sequence, unwritten);
    }
    const cited = citedIn(record);
    // Records of a minute cite the same head.
    if (cited !== null && !isSameHead(cited, compared)) {
      compared = cited;
      const found = await deps.store.run((tx) => tx.feed.after(auditFeed, cited.sequence - 1, 1));
      const [there = null] = found;
      if (cited.sequence >= sequence || !isSameHead(cited, there)) note(sequence, uncited);
    }
    for (const anchor of expected.get(sequence) ?? []) {
      if (anchor.chainHash === chainHash) continue;
      note(sequence, `the entry differs from an anchor${epochText(anchor)}`);
    }
    if (sequence === end && chainHash !== head?.chainHash) {
      note(sequence, 'the entry differs from the head');
    }
    records += 1;
    last = { sequence, chainHash };
  }
  const found = last?.sequence ?? 0;
  if (found < end) note(end, `the log ends at ${found}, its head is ${end}`);
  for (const anchor of anchors) {
    if (anchor.sequence <= found) continue;
    note(anchor.sequence, `the log ends at ${found}, before an anchor${epochText(anchor)}`);
  }
  return { head, records, signatures, defects };
}

function isSameHead(one: FeedHead, other: FeedHead | null): boolean {
  return one.sequence === other?.sequence && one.chainHash === other.chainHash;
}

/** Whether its signature proves the record of an operator; null for any other record. */
function isProven(
  { actor: { kind, id }, action, signed, atMs }: AuditRecord,
  operators: readonly RegisteredOperator[],
): boolean | null {
  // The development operator has no key.
  if (kind !== 'operator' || id === developmentOperator.id) return null;
  const operator = operators.find((one) => one.id === id);
  if (operator === undefined || signed === null) return false;
  const firstOperator = operators.find(({ number }) => number === 1)?.id ?? '';
  return hasSigned(operator, signed, { command: action, firstOperator, atMs });
}

/** A restore begins an epoch, and loses the records after its backup. */
function epochText({ epoch }: { readonly epoch?: number }): string {
  return epoch === undefined ? '' : ` of epoch ${epoch}`;
}
