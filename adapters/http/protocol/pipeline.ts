// The one order of steps for every request: id, preflight, Host, route, authentication, scope, rate
// limit, content type, size, JSON and schema, the payment in the path, handler, answer. A refusal
// at any step ends it. The row of the route says what each step requires.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { originsAllowed, ruleFor } from '../../../core/domain/access/scope.js';
import { missingProof } from '../../../core/domain/access/session-proof.js';
import type { Actor } from '../../../core/domain/base/actor.js';
import { type Mode, type Tenant, tenantOf } from '../../../core/domain/base/tenant.js';
import type { PaymentView } from '../../../core/domain/payments/change.js';
import type { AuditAuthor } from '../../../core/domain/service/audit-record.js';
import { assert, invalid, PonteError, reasonOf } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import { noteScopes, requireScope } from '../../../core/usecases/access/keys.js';
import { byPasskeyOnly } from '../../../core/usecases/access/sessions.js';
import { keptPayment, readPayment } from '../../../core/usecases/payments/payments.js';
import { audited } from '../../../core/usecases/service/audit-log.js';
import {
  type CreateQuota,
  rateLimited,
  takeCreateToken,
  takeLargeBody,
} from '../../../core/usecases/service/rate-limits.js';
import { noteRefusal } from '../../../core/usecases/service/request-log.js';
import { budgeted } from '../../../core/usecases/service/stored-budget.js';
import { authenticate } from './authentication.js';
import type { ClientAddress } from './client-address.js';
import { corsHeaders, preflightReply } from './cross-origin.js';
import { asksForPage } from './page-request.js';
import {
  announcedBytes,
  type BodyLimits,
  ClientGone,
  hasForeignHost,
  header,
  headerTexts,
  hostsIn,
  inputWithoutBody,
  readInput,
  requestIdOf,
} from './request-input.js';
import { endOfTurn, refusalReply, send } from './response-output.js';
import {
  type ActorOf,
  type Auth,
  Content,
  contentReply,
  type HandlerContext,
  noQuery,
  type Reply,
  type Route,
} from './route-row.js';
import type { RouteMatch, Router } from './router.js';
import { withStoreTimeout } from './store-timeout.js';
import type { TurnOf } from './tenant-turns.js';

export interface Pipeline {
  readonly context: HandlerContext;
  readonly router: Router;
  readonly turnOf: TurnOf;
  readonly limits: BodyLimits;
  readonly corsOrigins: ReadonlySet<string>;
  readonly clientAddress: ClientAddress;
  /** Null: any Host is served (`HttpOptions`). */
  readonly hostNames: readonly string[] | null;
  /** Aborted when the server closes: requests that wait for events are answered. */
  readonly stopping: AbortSignal;
  readonly isLastAnswer: () => boolean;
}

interface Seen {
  readonly requestId: string;
  match: RouteMatch | null;
  actor: ActorOf[Auth];
  /** The limit that it counted against, on a row with one. */
  quota: CreateQuota | null;
}

/** Rows whose use case verifies a signature over the headers. */
const signedAuths: readonly Auth[] = ['partner', 'signature'];

export async function serve(
  pipeline: Pipeline,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedMs = performance.now();
  const turnEnds = endOfTurn();
  const requestId = requestIdOf(request);
  const seen: Seen = { requestId, match: null, actor: null, quota: null };
  let reply: Reply;
  try {
    const { corsOrigins, router } = pipeline;
    const preflight = preflightReply(corsOrigins, router.methods, request);
    reply = preflight ?? (await answer(pipeline, request, response, seen));
  } catch (error) {
    if (error instanceof ClientGone) return;
    reply = await pageInstead(pipeline, request, refused(pipeline, request, error, seen));
  }
  const { body } = reply;
  try {
    reply = unlessUnchanged(request, reply);
    const { corsOrigins, context, limits } = pipeline;
    const { baseUrl } = context.deps.settings;
    const { bytesMax } = limits;
    await turnEnds;
    const origin = corsHeaders(corsOrigins, request);
    const last = pipeline.isLastAnswer();
    const ending = { requestId, quota: seen.quota, bytesMax, baseUrl, origin, last };
    const sending = send(request, response, reply, ending);
    if (sending !== null) await sending;
  } finally {
    // Also after a 304 and when the client is gone.
    if (body instanceof Content) await body.bytes.close();
  }
  measure(pipeline.context.deps, seen.match, reply, startedMs);
}

function measure(
  { metrics }: Deps,
  match: RouteMatch | null,
  { status }: Reply,
  startedMs: number,
) {
  if (metrics === null) return;
  const created = match?.route.access.rateLimit === 'create' && status < 300;
  const createMs = created ? performance.now() - startedMs : null;
  metrics.answered(match?.operation ?? null, { status, createMs });
}

async function answer(
  { context: unlimited, router, turnOf, limits, clientAddress, stopping, hostNames }: Pipeline,
  request: IncomingMessage,
  response: ServerResponse,
  seen: Seen,
): Promise<Reply> {
  expectHost(request, hostNames);
  const deps = withStoreTimeout(unlimited.deps);
  const match = router.match(request.method ?? '', request.url ?? '');
  const { route } = match;
  seen.match = match;
  const known = authenticate(deps, route, request, clientAddress);
  const actor = known instanceof Promise ? await known : known;
  seen.actor = actor;
  const rule = ruleFor(route.access.scope, match.params['id']);
  const scopes = actor === null ? [] : requireScope(actor, rule);
  const tenant = actor === null ? null : tenantOf(actor);
  const key = actor !== null && 'keyId' in actor ? actor : null;
  if (key !== null) noteScopes(deps, key, scopes);
  const keyId = key?.keyId ?? null;
  if (tenant !== null && keyId !== null && route.access.rateLimit === 'create') {
    const sizeBytes = Math.min(announcedBytes(request), limits.bytesMax);
    seen.quota = await takeCreateToken(deps, tenant, { keyId, sizeBytes });
    const waitMs = seen.quota?.waitMs ?? null;
    if (waitMs !== null) throw rateLimited(waitMs);
  }
  const admit = async (sizeBytes: number) => {
    if (tenant !== null) await takeLargeBody(deps, tenant, sizeBytes);
  };
  const input =
    route.body === 'none'
      ? inputWithoutBody(match, request)
      : await readInput(match, request, response, { ...limits, admit });
  if (route.access.proof === 'fresh_live') await expectProof(deps, route, actor, input);
  const turn = tenant !== null && looksForRows(route) ? turnOf(tenant.orgId) : null;
  if (turn !== null) {
    await turn;
    if (response.destroyed) throw new ClientGone();
  }
  const handlerDeps =
    route.method === 'GET'
      ? deps
      : audited(countedFor(deps, route, tenant, key !== null), {
          ...authorOf(match, actor),
          address: clientAddress(request),
          requestId: seen.requestId,
        });
  const found = foundPayment(deps, match, actor);
  return route.handler(
    { ...unlimited, deps: handlerDeps },
    {
      ...input,
      actor,
      found: found instanceof Promise ? await found : found,
      tenant,
      headers: signedAuths.includes(route.access.auth) ? headerTexts(request) : {},
      waitAtMost: (waitMs) => endOfWait(response, stopping, waitMs),
    },
  );
}

/** A read by id is one row. */
function looksForRows({ method, query }: Route): boolean {
  return method === 'GET' && query !== noQuery;
}

/** A stolen token, or an open browser, is older than its member's proof. SessionNotFresh. */
async function expectProof(
  deps: Deps,
  { changesMode }: Route,
  actor: ActorOf[Auth],
  input: { readonly params: unknown; readonly body: unknown },
): Promise<void> {
  if (actor === null || !('session' in actor)) return;
  const { session, role, requiresPasskey } = actor;
  const nowMs = deps.clock.nowMs();
  const missingIn = (mode: Mode) =>
    missingProof(session, { rule: 'fresh_live', mode, role, requiresPasskey }, nowMs);
  if (missingIn('live') === null) return;
  const tenant = tenantOf(actor);
  const mode = changesMode === null ? tenant.mode : await changesMode(deps, { ...input, tenant });
  const missing = missingIn(mode);
  if (missing === null) return;
  throw new PonteError('SessionNotFresh', missing === 'passkey' ? byPasskeyOnly : undefined);
}

/** Creates were counted before their body was read. */
function countedFor(deps: Deps, { access }: Route, tenant: Tenant | null, isKey: boolean): Deps {
  if (tenant === null || access.rateLimit !== 'stored') return deps;
  return budgeted(deps, tenant, isKey ? 'keys' : 'members');
}

/** Who is recorded as the author of what the request changes. */
function authorOf(
  { operation, route, params }: RouteMatch,
  actor: ActorOf[Auth],
): Pick<AuditAuthor, 'actor' | 'orgId' | 'action'> & Partial<AuditAuthor> {
  const action = operation;
  if (actor !== null) {
    const { orgId } = actor;
    if ('keyId' in actor) {
      const { keyId, operatorId: operator } = actor;
      return { action, orgId, actor: { kind: 'key', id: keyId }, operator };
    }
    const { memberId, session } = actor;
    return { action, orgId, actor: { kind: 'member', id: memberId }, operator: session.operatorId };
  }
  const isPartner = route.access.auth === 'partner';
  const who: Actor = isPartner
    ? { kind: 'partner', id: params['partner'] ?? '' }
    : { kind: 'link', id: params['id'] ?? '' };
  return { action, actor: who, orgId: null };
}

/** The payment in the path, if the scope of the row is by origin; null otherwise. */
function foundPayment(
  deps: Deps,
  { route: { access }, params: { id } }: RouteMatch,
  actor: ActorOf[Auth],
): PaymentView | null | Promise<PaymentView> {
  const { scope } = access;
  if (typeof scope === 'string' || !('byOrigin' in scope)) return null;
  assert(actor !== null && id !== undefined, 'a row by origin has a credential and an id');
  const tenant = tenantOf(actor);
  const origins = originsAllowed(scope, actor.scopes);
  return keptPayment(deps, tenant, id, origins) ?? readPayment(deps, tenant, id, origins);
}

/** The timer and the listeners are removed once the response closes. */
function endOfWait(response: ServerResponse, stopping: AbortSignal, waitMs: number): AbortSignal {
  const ended = new AbortController();
  const end = () => {
    clearTimeout(timer);
    ended.abort();
  };
  const timer = setTimeout(end, waitMs);
  response.once('close', end);
  if (stopping.aborted || response.destroyed) end();
  else stopping.addEventListener('abort', end, { signal: ended.signal });
  return ended.signal;
}

/** HTTP/1.1 requires one Host header (RFC 9112, 3.2). */
function expectHost(request: IncomingMessage, hostNames: Pipeline['hostNames']): void {
  const count = hostsIn(request);
  if (count > 1) throw invalid('Host: send this header once.');
  if (count === 0 && request.httpVersion !== '1.0') throw invalid('Host: this header is required.');
  if (hostNames === null || !hasForeignHost(request, hostNames)) return;
  throw invalid('Host: it names another server. Use localhost, or set PONTE_BASE_URL.');
}

/** Only what is found has a tag, or can be unchanged (RFC 9110, 13.2.1). */
function unlessUnchanged(request: IncomingMessage, reply: Reply): Reply {
  if (reply.headers.etag === undefined) return reply;
  const { etag, ...headers } = reply.headers;
  if (reply.status !== 200) return { ...reply, headers };
  return header(request, 'if-none-match') === etag ? { ...reply, status: 304, body: null } : reply;
}

/** Logs every refusal under its request id. Only the log gets the cause of an internal error. */
function refused(
  { context: { deps }, router, clientAddress }: Pipeline,
  request: IncomingMessage,
  error: unknown,
  { requestId, match, actor }: Seen,
): Reply {
  const operation = match?.operation ?? null;
  const refusal = error instanceof PonteError ? error : new PonteError('InternalError');
  const client = clientAddress(request);
  const fields = { requestId, operation, status: refusal.status, code: refusal.code, client };
  if (refusal.status < 500) deps.log.info('refused', fields);
  // Every request fails like this while the database is down, and the log counts it: no stack.
  else if (refusal.transient) deps.log.warn('refused', { ...fields, reason: reasonOf(refusal) });
  else deps.log.error('failed', { ...fields, err: error });
  noteRefusal(deps, refusal, { requestId, operation, ...credentialOf(refusal, actor) });
  const reply = refusalReply(refusal);
  if (refusal.code !== 'MethodNotAllowed') return reply;
  return { ...reply, headers: { allow: (router.allowed(request.url ?? '') ?? []).join(', ') } };
}

/** A browser at an unknown address gets a page; the refusal without one. */
async function pageInstead(
  { context }: Pipeline,
  request: IncomingMessage,
  refusal: Reply,
): Promise<Reply> {
  if (refusal.status !== 404 || !asksForPage(request)) return refusal;
  const page = await context.missingPage(request.url ?? '');
  if (page === null) return refusal;
  const headers = { ...page.headers, 'cache-control': 'no-store', vary: 'Accept, Accept-Encoding' };
  return { ...contentReply(page.bytes, page.type, headers), status: 404 };
}

function credentialOf({ ofKey }: PonteError, actor: ActorOf[Auth]) {
  if (actor !== null) {
    const credentialId = 'keyId' in actor ? actor.keyId : actor.memberId;
    return { ...tenantOf(actor), credentialId };
  }
  if (ofKey !== null) return { ...tenantOf(ofKey), credentialId: ofKey.id };
  return { orgId: null, mode: null, credentialId: null };
}
