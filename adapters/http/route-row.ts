// What a row of the route table is: its fields, what its handler is given and what it gives back.
// The rows themselves stand in routes.ts.
import type { z } from 'zod';
import type { PaymentView } from '../../core/domain/change.js';
import type { ScopeByOrigin, ScopeRule } from '../../core/domain/scope.js';
import type { Tenant } from '../../core/domain/tenant.js';
import type { ErrorCode } from '../../core/errors.js';
import type { ByteSource, Deps } from '../../core/ports.js';
import type { FeedReaders } from '../../core/usecases/feed-readers.js';
import type { KeyActor } from '../../core/usecases/keys.js';
import type { SessionActor } from '../../core/usecases/sessions.js';
import type { Readiness } from './present.js';

/**
 * Whoever a request speaks for, by who is let in: 'key' by X-API-Key, 'session' by a bearer token,
 * 'either' by one of them (a key counts first); by a signature that the use case checks, 'partner'
 * over the message and 'signature' in a URL of ours.
 */
export interface ActorOf {
  readonly key: KeyActor;
  readonly session: SessionActor;
  readonly either: KeyActor | SessionActor;
  readonly partner: null;
  readonly signature: null;
  readonly none: null;
}

export type Auth = keyof ActorOf;

/** The scope of a row that finds payments. */
type ByOrigin = { readonly byOrigin: ScopeByOrigin };

interface RouteOf<A extends Auth, S extends ScopeRule, P, Q, B> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path by operationId: one operation may be served under several path forms. */
  readonly operations: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly auth: A;
  /**
   * `byOrigin`: the path names a payment as `{id}`. The pipeline refuses without the scope of its
   * origin, finds the payment and hands it to the handler.
   */
  readonly scope: S;
  /** 'test': a live credential finds nothing here. */
  readonly modes: 'both' | 'test';
  readonly rateLimit: 'create' | 'none';
  /** 'key': an Idempotency-Key header is read. */
  readonly idempotency: 'key' | 'none';
  readonly params: z.ZodType<P>;
  readonly query: z.ZodType<Q>;
  /**
   * 'bytes': taken as they come, of any content type; 'stream': the handler takes them in, and
   * bounds them. 'none': not read.
   */
  readonly body: z.ZodType<B> | 'bytes' | 'stream' | 'none';
  /**
   * Every answer that is no refusal, by status: JSON, or `Content` of one of these types; of none,
   * there is no body. With a 304 the others carry an entity tag.
   */
  readonly responses: Readonly<Record<number, z.ZodType | readonly string[]>>;
  /** Of a row that changes something: it is served while the database is in quarantine, too. */
  readonly inQuarantine?: 'served';
  /** Refusals of the use case beyond those that follow from the row (openapi.ts). */
  readonly errors: readonly ErrorCode[];
  // A method, so that rows of different shapes fit one array.
  handler(site: Site, call: Call<A, P, Q, B, S>): Promise<Reply>;
}

export interface Route extends RouteOf<Auth, ScopeRule, unknown, unknown, unknown> {}

/** What handlers need besides the request. */
export interface Site {
  readonly deps: Deps;
  readonly feedReaders: FeedReaders;
  readonly readiness: () => Promise<Readiness>;
  /** The text of /docs-json and its entity tag. */
  readonly description: { readonly json: string; readonly etag: string };
}

/** A request that passed every check of its row. */
export interface Call<A extends Auth, P, Q, B, S extends ScopeRule = Exclude<ScopeRule, ByOrigin>> {
  readonly actor: ActorOf[A];
  readonly tenant: A extends 'partner' | 'signature' | 'none' ? null : Tenant;
  /** The payment that the path names, of a row whose scope is by origin. */
  readonly found: S extends ByOrigin ? PaymentView : null;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The body as it came; empty where the row reads none. */
  readonly bytes: Uint8Array;
  /** The body on its way; empty where the row takes no stream. */
  readonly stream: AsyncIterable<Uint8Array>;
  /** The headers of requests that are let in by a signature; empty on other routes. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly idempotencyKey: string | null;
  /** Aborted after this long; before that when the client is gone or the server stops. */
  readonly waitAtMost: (waitMs: number) => AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer's body that is no JSON; the pipeline closes `bytes`, however the answer ends. */
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

/** Checks one row and forgets its own shapes. */
export function route<const A extends Auth, const S extends ScopeRule, P, Q, B>(
  row: RouteOf<A, S, P, Q, B>,
): Route {
  return row;
}

export function reply(status: number, body: unknown): Reply {
  return { status, body, headers: {} };
}
