// A row of the route table: its fields and their defaults, what its handler gets and what it
// returns. The rows are in the files of their resources, joined by routes.ts.
import { z } from 'zod';
import type { ScopeByOrigin, ScopeRule } from '../../../core/domain/access/scope.js';
import type { Mode, Tenant } from '../../../core/domain/base/tenant.js';
import type { PaymentView } from '../../../core/domain/payments/change.js';
import type { ErrorCode } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { ByteSource } from '../../../core/ports/outside.js';
import type { KeyActor } from '../../../core/usecases/access/keys.js';
import type { SessionActor } from '../../../core/usecases/access/sessions.js';
import type { FeedReaders } from '../../../core/usecases/webhooks/feed-readers.js';
import type { PackedJson } from './packed-json.js';
import { emptyBody } from './schemas.js';

/**
 * Who makes a request, by the credential of its row: 'key' is X-API-Key, 'session' a bearer token,
 * 'either' one of them (a key comes first). 'keyElseSession' is the same, but refuses a request
 * without a credential as 'key' does: approvers read what the interface gives to keys. 'partner' is
 * a signature over the message, 'signature' one in a URL of ours; the use case verifies both.
 */
export interface ActorOf {
  readonly key: KeyActor;
  readonly session: SessionActor;
  readonly either: KeyActor | SessionActor;
  readonly keyElseSession: KeyActor | SessionActor;
  readonly partner: null;
  readonly signature: null;
  readonly none: null;
}

export type Auth = keyof ActorOf;

/** The scope of a row that reads the payment in its path. */
type ByOrigin = { readonly byOrigin: ScopeByOrigin };

/** The credentials that may be a session. */
type SessionAuth = 'session' | 'either' | 'keyElseSession';

/**
 * `fresh_live`: a session began within FRESH_MS if the request changes something of live mode: in
 * that mode, or as `changesMode` of the row says. Keys are not concerned.
 */
export type SessionProof = 'session' | 'fresh_live';

/** Who may call a row. Nothing here has a default. */
type Access<A extends Auth, S extends ScopeRule> = AccessOfAll<A, S> &
  (A extends SessionAuth ? { readonly proof: SessionProof } : { readonly proof?: undefined });

interface AccessOfAll<A extends Auth, S extends ScopeRule> {
  readonly auth: A;
  /**
   * `byOrigin`: the path names a payment as `{id}`. The pipeline requires the scope of its origin,
   * reads the payment and passes it to the handler.
   */
  readonly scope: S;
  /** 'test': a live credential gets NotFound. */
  readonly modes: 'both' | 'test';
  /**
   * 'create': limits of creates. 'stored': what it stores is taken from the budget of its tenant,
   * of an upload by its use case. 'none': it stores nothing for a tenant.
   */
  readonly rateLimit: 'create' | 'stored' | 'none';
}

// The parameter of a method, so that rows of different shapes fit one array.
type ChangesMode<P, B> = {
  of(
    deps: Deps,
    call: { readonly tenant: Tenant; readonly params: P; readonly body: B },
  ): Promise<Mode>;
}['of'];

interface RowOf<A extends Auth, S extends ScopeRule, P, Q, B> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path by operationId: one operation may have several paths. */
  readonly operations: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly access: Access<A, S>;
  /** 'key': an Idempotency-Key header is read; 'none' by default. */
  readonly idempotency?: 'key' | 'none';
  /** Whether a change is served in quarantine too; 'refused' by default. Reads always are. */
  readonly inQuarantine?: 'served' | 'refused';
  /** The mode of what a request changes; null: that of the credential, as for all by default. */
  readonly changesMode?: ChangesMode<P, B> | null;
  /** None by default. */
  readonly params?: z.ZodType<P>;
  /** None by default. */
  readonly query?: z.ZodType<Q>;
  /**
   * 'bytes': the raw body, of any content type. 'stream': the handler reads and bounds the body.
   * 'none': not read. By default 'none' for GET and DELETE, else an empty object.
   */
  readonly body?: z.ZodType<B> | 'bytes' | 'stream' | 'none';
  /**
   * Every answer that is not a refusal, by status: JSON, or `Content` of one of these types. An
   * empty list means no body. A row with a 304 sends an entity tag with its other answers.
   */
  readonly responses: Readonly<Record<number, z.ZodType | readonly string[]>>;
  /** Refusals of the use case, in addition to those that route-errors.ts derives from the row. */
  readonly errors?: readonly ErrorCode[];
  // A method, so that rows of different shapes fit one array.
  handler(context: HandlerContext, call: Call<A, P, Q, B, S>): Reply | Promise<Reply>;
}

export interface Route
  extends Required<Omit<RowOf<Auth, ScopeRule, unknown, unknown, unknown>, 'access'>> {
  readonly access: AccessOfAll<Auth, ScopeRule> & { readonly proof?: SessionProof | undefined };
}

/** What handlers need in addition to the request. */
export interface HandlerContext {
  readonly deps: Deps;
  readonly feedReaders: FeedReaders;
  readonly readiness: () => Promise<Readiness>;
  /** /docs-json and its entity tag. */
  readonly description: () => { readonly body: PackedJson; readonly etag: string };
  /** A page of /docs, or a file that it loads, by its path below /docs; null if there is none. */
  readonly document: (path: string) => Promise<PageFile | null>;
  /** What a browser is shown at an address that the server does not have. */
  readonly missingPage: (url: string) => Promise<PageFile | null>;
}

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly headers: Reply['headers'];
}

/** What readiness probes check; true means well. */
export interface Readiness {
  /** Version of the package and commit of its sources. */
  readonly version: string;
  readonly database: boolean;
  readonly migrations: boolean;
  readonly worker: boolean;
  /** Whether the database is in quarantine after a restore: reads are served. */
  readonly quarantine?: boolean;
  /** False: the clocks of this machine and of the database differ by too much. */
  readonly clock: boolean;
  /** False after a signal to stop. */
  readonly serving: boolean;
}

/** A request that passed every check of its row. */
export interface Call<A extends Auth, P, Q, B, S extends ScopeRule = Exclude<ScopeRule, ByOrigin>> {
  readonly actor: ActorOf[A];
  readonly tenant: A extends 'partner' | 'signature' | 'none' ? null : Tenant;
  /** The payment in the path, if the scope is by origin. */
  readonly found: S extends ByOrigin ? PaymentView : null;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The body as received; empty if the row reads none. */
  readonly bytes: Uint8Array;
  /** The body while it is received; empty unless the row takes a stream. */
  readonly stream: AsyncIterable<Uint8Array>;
  /** The headers, on rows whose use case verifies a signature; empty on others. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly idempotencyKey: string | null;
  /** Aborted after `waitMs`, or earlier when the client disconnects or the server stops. */
  readonly waitAtMost: (waitMs: number) => AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A body that is not JSON. The pipeline closes `bytes` in every case. */
export class Content {
  readonly type: string;
  readonly sizeBytes: number;
  readonly bytes: ByteSource;

  constructor(content: Pick<Content, 'type' | 'sizeBytes' | 'bytes'>) {
    this.type = content.type;
    this.sizeBytes = content.sizeBytes;
    this.bytes = content.bytes;
  }
}

/** An answer that is not JSON, from memory. */
export function contentReply(body: Buffer, type: string, headers: Reply['headers']): Reply {
  const bytes = {
    async *[Symbol.asyncIterator]() {
      yield body;
    },
    close: async () => undefined,
  };
  return { status: 200, body: new Content({ type, sizeBytes: body.length, bytes }), headers };
}

export const noQuery = z.object({});
export const noParams = z.object({});

/** Checks the types of one row and adds its defaults. */
export function route<const A extends Auth, const S extends ScopeRule, P, Q, B>(
  row: RowOf<A, S, P, Q, B>,
): Route {
  const body = row.method === 'GET' || row.method === 'DELETE' ? 'none' : emptyBody;
  return {
    params: noParams,
    query: noQuery,
    body,
    errors: [],
    idempotency: 'none',
    inQuarantine: 'refused',
    changesMode: null,
    ...row,
  };
}

export function reply(status: number, body: unknown): Reply {
  return { status, body, headers: {} };
}
