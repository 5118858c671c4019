// The audit log: who changed what. It is the feed of the service itself: a record is an event,
// which the commit numbers and chains by hash, and which the database never changes or removes.
import type { SignedCommand } from '../access/registered-operator.js';
import type { Actor } from '../base/actor.js';
import { formatInstant } from '../base/instant.js';
import { type Mode, type Tenant, tenantKey } from '../base/tenant.js';
import {
  type DomainEvent,
  type FeedHead,
  headAfter,
  type NumberedEvent,
} from '../payments/event.js';
import { provenBody, type RecordProof } from './audit-proof.js';

/**
 * What a record calls a row of each table. Null: the row follows from another one, is chained
 * itself, or is about work in progress.
 */
export const objectTypes = {
  accounting: 'accounting',
  advances: 'sandbox_advance',
  api_keys: 'api_key',
  bank_detail_accounts: null,
  bank_details: 'bank_details',
  book_readings: null,
  // Shared between tenants; their submissions are objects.
  buyers: null,
  connected_accounts: 'connected_account',
  deliveries: 'webhook_delivery',
  delivery_attempts: null,
  destination_changes: 'destination_change',
  documents: 'document',
  epochs: 'epoch',
  // A new event is chained itself: only a removal is an object.
  events: 'event',
  feed_heads: null,
  funds: null,
  idempotency_keys: null,
  inbox: 'partner_message',
  key_check_values: 'secret_key',
  kyc_submissions: 'kyc_submission',
  ledger_lines: null,
  mails: 'mail',
  members: 'member',
  operators: 'operator',
  // The organization has its hash.
  // Follows from payments and accounts.
  name_words: null,
  organization_logos: null,
  organization_profiles: 'organization_profile',
  organizations: 'organization',
  partner_commands: 'partner_command',
  party_drafts: 'party_draft',
  passkeys: 'passkey',
  people: 'person',
  payments: 'payment',
  production_requests: 'production_request',
  proposals: 'proposal',
  quotes: 'quote',
  deposits: 'deposit',
  // Refusals change nothing.
  reconciliations: null,
  refused_requests: null,
  service_keys: 'service_key',
  sessions: 'session',
  simulated_reports: 'simulated_report',
  fingerprints: null,
  subscriptions: 'webhook_subscription',
} as const satisfies Readonly<Record<string, string | null>>;

type AuditedTable = keyof typeof objectTypes;
/** What a record calls a session: of the API or the dashboard, of the console, of hosted pages. */
function sessionType(kind: string | null): ObjectType {
  if (kind === 'operator') return 'operator_session';
  return kind === 'member' || kind === 'token' ? 'session' : 'page_session';
}

export type ObjectType =
  | NonNullable<(typeof objectTypes)[AuditedTable]>
  | 'operator_session'
  | 'page_session';

export const auditedTypes: readonly ObjectType[] = [
  ...Object.values(objectTypes).filter((type) => type !== null),
  'operator_session',
  'page_session',
];

/**
 * Rows that give authority, or say where money goes. They change with a record only, also when a
 * worker changes them, so each is as its newest record says.
 */
export const heldTypes = [
  'api_key',
  'connected_account',
  'destination_change',
  'member',
  'operator',
  'organization',
  'organization_profile',
  'passkey',
  'person',
  'production_request',
  'proposal',
] as const satisfies readonly ObjectType[];
export type HeldType = (typeof heldTypes)[number];

export function isHeldType(type: string): type is HeldType {
  return (heldTypes as readonly string[]).includes(type);
}

/** They follow from other changes, and are named only in a record that names nothing else. */
const consequences: readonly ObjectType[] = ['webhook_delivery', 'mail'];

/** They act by themselves. */
export const isMachine = ({ kind }: Actor): boolean => kind === 'partner' || kind === 'service';

/** Who acts, in one request, command or message. */
export interface AuditAuthor {
  readonly actor: Actor;
  /** The organization of the credential; null: that of what is changed. */
  readonly orgId: string | null;
  /**
   * The IP address of a client, or the name of an operator's machine; null if unknown, and once the
   * key of its month was removed. A record has it sealed.
   */
  readonly address: string | null;
  /** An operationId, the path of a page, the name of a command, or a kind of partner message. */
  readonly action: string;
  readonly requestId: string | null;
  /** The command as its operator signed it; null for other authors. */
  readonly signed: SignedCommand | null;
  /** The operator who made the token or the key of the author; null: none did. */
  readonly operator: string | null;
}

export interface AuditedObject {
  readonly type: ObjectType;
  /** Null for a change of many rows. */
  readonly id: string | null;
  /** The hash of the row but its version. Null for a new row, and one that was not read. */
  readonly before: string | null;
  /** Null for a removed row. Of a change of many rows the hash of its values. */
  readonly after: string | null;
}

/** What a member took out of the service as a file. */
export interface AuditedExport {
  /** The query of the list that was exported; empty: all of it. */
  readonly filter: string;
  /**
   * How many rows were sent. Null before a file whose rows are not counted: another record follows
   * at its end, also if the member ended the download, but not if the file never began.
   */
  readonly rows: number | null;
}

/** `orgId` is null where the service is concerned. */
export interface AuditRecord extends AuditAuthor, FeedHead {
  readonly id: string;
  readonly atMs: number;
  /** The mode of all objects; null if they have none, or several. */
  readonly mode: Mode | null;
  readonly objects: readonly AuditedObject[];
  /** Null for a change. */
  readonly exported: AuditedExport | null;
}

/** A write that a batch stages. */
export interface ChangedRow {
  readonly table: string;
  readonly kind: 'insert' | 'change' | 'remove';
  readonly isOne: boolean;
  /** Whether the row is known as a whole. */
  readonly isWhole: boolean;
  /** About what its values take. */
  readonly sizeBytes: () => number;
  /** Costs more than the rest. */
  readonly details: () => ChangeDetails;
}

export interface ChangeDetails extends Omit<AuditedObject, 'type'> {
  /** The word in its column `kind`. */
  readonly word: string | null;
  readonly orgId: string | null;
  readonly mode: Mode | null;
}

/** What a record is about: the changes of one organization, or what was exported of it. */
export type Audited = Pick<AuditRecord, 'orgId' | 'mode' | 'objects' | 'exported'>;

/** Behind the tenants in their order, in which commits lock the heads of feeds. */
export const auditFeed: Tenant = { orgId: 'service', mode: 'live' };

/** By which the records about an organization are found, in one mode or both. */
export function auditSubject({ orgId, mode }: Pick<AuditRecord, 'orgId' | 'mode'>): string {
  if (orgId === null) return auditFeed.orgId;
  return mode === null ? orgId : tenantKey({ orgId, mode });
}

/**
 * What a batch changes, by organization. Nothing for a created payment: its `created` event names
 * its creator, in the chain of the tenant's feed. Nothing for mails that a person with only a link
 * asks for or tries codes of: rows of mails are removed after a while, and records are not. Of what
 * the service does by itself, only changes of held rows.
 */
export function auditedOf(
  rows: readonly ChangedRow[],
  author: Pick<AuditAuthor, 'actor' | 'orgId'>,
): readonly Audited[] {
  if (rows.some(({ table, kind }) => table === 'payments' && kind === 'insert')) return [];
  if (author.actor.kind === 'link' && rows.every(({ table }) => table === 'mails')) return [];
  const isService = author.actor.kind === 'service';
  const known = rows.flatMap(({ table, kind, isOne, isWhole, details }) => {
    const type = objectTypes[table as AuditedTable] ?? null;
    const isNewEvent = type === 'event' && kind === 'insert';
    if (type === null || isNewEvent) return [];
    if (isService && !(isHeldType(type) && isWhole)) return [];
    return [{ type, isMain: isOne && !consequences.includes(type), details }];
  });
  const main = known.filter(({ isMain }) => isMain);
  const written = (main.length > 0 ? main : known).map(({ type, details }) => {
    const { word, ...change } = details();
    return { ...change, type: type === 'session' ? sessionType(word) : type };
  });
  // A row that is written as it was guards the batch, unless the batch does nothing else.
  const differing = written.filter(({ before, after }) => before === null || before !== after);
  const changed = differing.length > 0 ? differing : written;
  const [first = null, ...others] = new Set(changed.flatMap((one) => one.orgId ?? []));
  // A row without an organization is part of the change of the only one.
  const only = others.length === 0 ? first : null;
  const byOrganization = Map.groupBy(changed, (one) => author.orgId ?? one.orgId ?? only);
  return [...byOrganization].map(([orgId, ofOne]) => {
    const [mode = null, ...otherModes] = new Set(ofOne.flatMap((one) => one.mode ?? []));
    return {
      orgId,
      mode: otherModes.length === 0 ? mode : null,
      objects: ofOne.map(({ type, id, before, after }) => ({ type, id, before, after })),
      exported: null,
    };
  });
}

export function auditEvent(
  { actor, address, action, requestId, signed, operator }: AuditAuthor,
  { orgId, mode, objects, exported }: Audited,
  { id, atMs }: { readonly id: string; readonly atMs: number },
  proof: RecordProof,
): DomainEvent {
  const at = formatInstant(atMs);
  const about = { id, at, actor, address, action, orgId, mode, requestId, objects };
  return {
    ...auditFeed,
    id,
    type: action,
    subjectId: auditSubject({ orgId, mode }),
    createdAtMs: atMs,
    body: provenBody(proof, {
      ...about,
      ...(signed === null ? {} : { signed }),
      ...(operator === null ? {} : { operator }),
      ...(exported === null ? {} : { exported }),
    }),
  };
}

export function auditRecord({
  body,
  createdAtMs,
  sequence,
  chainHash,
}: NumberedEvent): AuditRecord {
  const parsed = JSON.parse(body);
  const { at: _at, mac: _mac, cited: _cited, ...stored } = parsed;
  const none = { signed: null, operator: null, exported: null };
  return Object.freeze({ ...none, ...stored, atMs: createdAtMs, sequence, chainHash });
}

/** The head that a record cites; null: none. */
export function citedIn({ body }: Pick<NumberedEvent, 'body'>): FeedHead | null {
  return JSON.parse(body).cited ?? null;
}

/** What is wrong with a record behind the one with this head; null if nothing is. */
export function defectOf(record: NumberedEvent, last: FeedHead | null): string | null {
  const { sequence, chainHash } = headAfter(last, record.body);
  if (record.sequence !== sequence) return `entry ${sequence} is missing`;
  if (record.chainHash !== chainHash) return 'the entry, or one before it, was changed';
  // Columns beside the body, by which records are found.
  const { id, at, action, ...about } = JSON.parse(record.body);
  const isSame =
    id === record.id &&
    action === record.type &&
    auditSubject(about) === record.subjectId &&
    at === formatInstant(record.createdAtMs);
  return isSame ? null : 'the columns of the entry differ from its body';
}
