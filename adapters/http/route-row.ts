// What a row of the route table is: its fields, what its handler is given and what it gives back.
// The rows themselves stand in routes.ts.
import type { z } from 'zod';
import type { Scope } from '../../core/domain/scope.js';
import type { Tenant } from '../../core/domain/tenant.js';
import type { ErrorCode } from '../../core/errors.js';
import type { Deps } from '../../core/ports.js';
import type { FeedReaders } from '../../core/usecases/feed-readers.js';
import type { KeyActor } from '../../core/usecases/keys.js';
import type { SessionActor } from '../../core/usecases/sessions.js';
import type { Readiness } from './present.js';

/**
 * Whoever a request speaks for, by who is let in: 'key' by X-API-Key, 'session' by a bearer token,
 * 'either' by one of them (a key counts first), 'partner' by a signature that the use case checks.
 */
export interface ActorOf {
  readonly key: KeyActor;
  readonly session: SessionActor;
  readonly either: KeyActor | SessionActor;
  readonly partner: null;
  readonly none: null;
}

export type Auth = keyof ActorOf;

interface RouteOf<A extends Auth, P, Q, B> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path by operationId: one operation may be served under several path forms. */
  readonly operations: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly auth: A;
  readonly scope: Scope | 'none';
  /** 'test': a live credential finds nothing here. */
  readonly modes: 'both' | 'test';
  readonly rateLimit: 'create' | 'none';
  /** 'key': an Idempotency-Key header is read. */
  readonly idempotency: 'key' | 'none';
  readonly params: z.ZodType<P>;
  readonly query: z.ZodType<Q>;
  /** 'bytes': taken as they come, of any content type. 'none': not read. */
  readonly body: z.ZodType<B> | 'bytes' | 'none';
  /** Every answer that is no refusal, by status. */
  readonly responses: Readonly<Record<number, z.ZodType>>;
  /** Refusals of the use case beyond those that follow from the row (openapi.ts). */
  readonly errors: readonly ErrorCode[];
  // A method, so that rows of different shapes fit one array.
  handler(site: Site, call: Call<A, P, Q, B>): Promise<Reply>;
}

export interface Route extends RouteOf<Auth, unknown, unknown, unknown> {}

/** What handlers need besides the request. */
export interface Site {
  readonly deps: Deps;
  readonly feedReaders: FeedReaders;
  readonly readiness: () => Promise<Readiness>;
  /** The text of /docs-json and its entity tag. */
  readonly description: { readonly json: string; readonly etag: string };
}

/** A request that passed every check of its row. */
export interface Call<A extends Auth, P, Q, B> {
  readonly actor: ActorOf[A];
  readonly tenant: A extends 'partner' | 'none' ? null : Tenant;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The body as it came; empty where the row reads none. */
  readonly bytes: Uint8Array;
  /** The headers that a partner signs; empty on other routes. */
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

/** Checks one row and forgets its own shapes. */
export function route<const A extends Auth, P, Q, B>(row: RouteOf<A, P, Q, B>): Route {
  return row;
}

export function reply(status: number, body: unknown): Reply {
  return { status, body, headers: {} };
}
