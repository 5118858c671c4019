// The one order of steps for every page: route, origin, language, session, token of the form,
// limit, form, handler, answer. The row of the route says what each step requires.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { CONSOLE_ROOT } from '../../../core/domain/access/registered-operator.js';
import { kindsOpening, type PageSession } from '../../../core/domain/access/session.js';
import { actionProofs, missingProof } from '../../../core/domain/access/session-proof.js';
import { readsGzip } from '../../../core/domain/base/accept-encoding.js';
import { linkPath } from '../../../core/domain/base/link-text.js';
import { localeOf } from '../../../core/domain/base/locale.js';
import { modes, tenantOf } from '../../../core/domain/base/tenant.js';
import type { AuditAuthor } from '../../../core/domain/service/audit-record.js';
import { assert, type ErrorCode, expectFound, PonteError } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import { guarded } from '../../../core/usecases/access/guarded-changes.js';
import { requireScope } from '../../../core/usecases/access/keys.js';
import { guardSession, readSession } from '../../../core/usecases/access/open-sessions.js';
import {
  readOperatorSession,
  type SignedInOperator,
} from '../../../core/usecases/access/operator-sessions.js';
import { depsOfCommand } from '../../../core/usecases/access/registered-operators.js';
import {
  actIn,
  guardMember,
  needsOwnPasskey,
  readMemberSession,
} from '../../../core/usecases/access/sessions.js';
import { audited } from '../../../core/usecases/service/audit-log.js';
import { takePageSlot } from '../../../core/usecases/service/rate-limits.js';
import { budgeted } from '../../../core/usecases/service/stored-budget.js';
import { acceptedLocale, hasDecimalPoint } from './browser-languages.js';
import { contentPolicy } from './content-policy.js';
import { type Cookie, readCookies, writeCookie } from './cookies.js';
import { csrfToken, isCsrfToken } from './csrf-token.js';
import { inUploadSlot } from './files/uploaded-file.js';
import type { RefusalPlace } from './frame-of-call.js';
import type { PageNotice } from './frame-view.js';
import type { PageMatch, PageMatcher } from './page-match.js';
import { below } from './page-paths.js';
import {
  type PageAnswer,
  type PageAuth,
  type PageCall,
  type PageContext,
  type PageRequest,
  type PageRoute,
  seeOther,
  type Visit,
  withNotice,
} from './page-route.js';
import { askForCode, confirmFirst, signedOut } from './return-after-sign-in.js';

/** How long the parts of an answer may be made before other requests get a turn. */
const TURN_MAX_MS = 10;
/** A form with a text of every field. */
const FORM_BYTES_MAX = 64 * 1024;

const everyPage = {
  'content-security-policy': contentPolicy,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(), microphone=(), geolocation=(), payment=(), usb=(), interest-cohort=()',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
  vary: 'accept-language, cookie',
} as const;

/** Refusals that mean that the page shows an earlier state: the current one is shown instead. */
const notices: Partial<Record<ErrorCode, PageNotice>> = {
  PaymentStateConflict: 'out_of_date',
  QuoteExpired: 'out_of_date',
  // The session ended after the request began.
  InvalidToken: 'unsaved',
};

/** The pages of one host. */
export interface PageSite {
  readonly match: PageMatcher;
  readonly errorPage: (refusal: PonteError, where: RefusalPlace) => PageAnswer;
}

/** Answers the request; a refusal is a page too. */
export async function servePage(
  site: PageSite,
  context: PageContext,
  request: IncomingMessage,
  response: ServerResponse,
  about: PageRequest,
): Promise<void> {
  const said = saidBy(request, context);
  const match = site.match(said.method, said.path);
  const gone = goneSignal(response, about.stopping);
  let answer: PageAnswer;
  try {
    answer = await answerOf(site, context, request, { ...about, said, match, gone });
  } catch (error) {
    // The client has disconnected, or has ended its side in the middle of a body.
    if (response.destroyed || request.readableAborted) return;
    answer = refusalOf(site, context, error, { ...about, said, match });
  }
  answer = askingForCookies(said, answer);
  await send(context, request, response, answer, about.requestId);
  context.deps.metrics?.answered(match.route?.path ?? null, {
    status: answer.status,
    createMs: null,
  });
}

/** What a request says, apart from its body; the path is below the prefix. */
function saidBy({ method = '', url = '', headers }: IncomingMessage, context: PageContext) {
  const [path = '', ...parts] = url.split('?');
  const search = parts.length === 0 ? '' : `?${parts.join('?')}`;
  const languages = headers['accept-language'] ?? '';
  const cookies = readCookies(headers.cookie, context.secure);
  return {
    method,
    path: below(context.prefix, path),
    search,
    query: new URLSearchParams(search),
    cookies,
    chosenLocale: localeOf(cookies.get('language') ?? ''),
    browserLocale: acceptedLocale(languages),
    hasDecimalPoint: hasDecimalPoint(languages),
  };
}

/** The end of an address to which a browser takes its first cookie. */
const COOKIE_CHECK = 'cookie-check';
const cookieCheck = new RegExp(`[?&]${COOKIE_CHECK}$`);

/** A browser that keeps no cookie would see the page before the answer again, without a reason. */
function askingForCookies(
  { cookies }: Pick<ReturnType<typeof saidBy>, 'cookies'>,
  answer: PageAnswer,
): PageAnswer {
  const { location } = answer.headers;
  const givesCookie = answer.cookies.some(({ value }) => value !== '');
  if (location === undefined || !givesCookie || cookies.size > 0) return answer;
  const checked = `${location}${location.includes('?') ? '&' : '?'}${COOKIE_CHECK}`;
  return { ...answer, headers: { ...answer.headers, location: checked } };
}

interface Matched extends PageRequest {
  readonly said: ReturnType<typeof saidBy>;
  readonly match: PageMatch;
}

async function answerOf(
  site: PageSite,
  context: PageContext,
  request: IncomingMessage,
  about: Matched & { readonly gone: AbortSignal },
): Promise<PageAnswer> {
  const { deps, prefix } = context;
  const { said, match, requestId, client } = about;
  const { path, search, query, cookies } = said;
  const { route, params } = match;
  const linked = linkPath(path);
  if (linked !== path && ['GET', 'HEAD'].includes(said.method)) {
    if (site.match('GET', linked).route !== null) return seeOther(`${prefix}${linked}${search}`);
  }
  if (route === null) throw new PonteError(match.known ? 'MethodNotAllowed' : 'NotFound');
  const chosen = localeOf(query.get('lang') ?? '');
  const base = baseOf(context, match);
  if (cookieCheck.test(search)) {
    if (cookies.size === 0) return seeOther(withNotice(base, 'no_cookies'));
    return seeOther(`${prefix}${path}${search.replace(cookieCheck, '')}`);
  }
  const outOfDate = () => seeOther(withNotice(base, 'out_of_date'));
  if (route.method === 'POST' && isFromElsewhere(context, request)) return outOfDate();
  if (chosen !== null && said.method === 'GET') {
    // The address stays free of it, so that a forwarded link does not choose for others.
    query.delete('lang');
    const rest = query.size === 0 ? '' : `?${query}`;
    const cookie = { name: 'language', value: chosen, path: prefix } as const;
    return seeOther(`${prefix}${path}${rest}`, [cookie]);
  }
  const [session, visit, operator] = await Promise.all([
    sessionOf(deps, match, cookies.get('session')),
    visitOf(deps, match, cookies.get('member'), { client, requestId }),
    operatorOf(deps, match, cookies.get('operator')),
  ]);
  const asked = { ...said, match: site.match, method: route.method, base, prefix };
  const tokenOf = session ?? visit?.signedIn.session ?? operator?.session ?? null;
  if (tokenOf === null && route.auth !== 'none') {
    if (route.background) return seeOther(base);
    return signedOut(asked);
  }
  if (route.auth === 'person' && session?.began === 'press') return askForCode(asked);
  const missing = visit?.missing ?? null;
  if (missing !== null) {
    return confirmFirst({ ...asked, missing, proof: route.member?.proof ?? 'session' });
  }
  const csrf = tokenOf === null ? null : csrfToken(deps, tokenOf);
  const form = await readForm(request, route, about.readBody);
  if (route.csrf === 'form' && !isCsrfToken(form.get('csrf') ?? '', csrf)) {
    return outOfDate();
  }
  await takeSlot(deps, match, visit, operator);
  const values = typeof route.form === 'string' ? null : route.form.safeParse(valuesOf(form));
  if (values?.success === false) throw new PonteError('ValidationError');
  const call: PageCall<PageAuth, unknown> = {
    ...about,
    ...said,
    params,
    form: values?.data ?? null,
    body: request,
    contentType: request.headers['content-type'] ?? '',
    session: session as PageSession,
    visit: visit as Visit,
    operator: operator as SignedInOperator,
    csrf,
    base,
  };
  if (route.method !== 'POST') {
    const orgId = session?.orgId ?? visit?.actor?.orgId ?? null;
    if (orgId !== null) await about.turnOf(orgId);
    return route.handler(context, call);
  }
  const changing = depsOfChange(deps, match, { session, visit, operator }, { client, requestId });
  return handled({ ...context, deps: changing }, route, call);
}

/** A form with a file may take minutes. */
function handled(context: PageContext, route: PageRoute, call: PageCall<PageAuth, unknown>) {
  const handle = () => route.handler(context, call);
  return route.form === 'multipart' ? inUploadSlot(context, call, handle) : handle();
}

interface Visitors {
  readonly session: PageSession | null;
  readonly visit: Visit | null;
  readonly operator: SignedInOperator | null;
}

/** The audit log names who sent the form; nothing is stored once that session was ended. */
function depsOfChange(
  deps: Deps,
  match: PageMatch,
  { session, visit, operator }: Visitors,
  { client: address, requestId }: Pick<PageRequest, 'client' | 'requestId'>,
): Deps {
  const author = { ...authorOf(match, session, visit), address, requestId };
  if (operator === null) {
    const counted = countedFor(deps, session, visit);
    return audited(guardedBy(counted, match, session, visit), author);
  }
  const { signed } = operator.session;
  const { action } = author;
  return depsOfCommand(deps, { ...operator, signed }, { action, address, requestId });
}

function countedFor(deps: Deps, session: PageSession | null, visit: Visit | null): Deps {
  if (session !== null) return budgeted(deps, tenantOf(session), 'visitors');
  const actor = visit?.actor ?? null;
  return actor === null ? deps : budgeted(deps, tenantOf(actor), 'members');
}

/** The session may have ended since it was read: the body arrives, and the partner is called. */
function guardedBy(
  deps: Deps,
  { route }: PageMatch,
  session: PageSession | null,
  visit: Visit | null,
): Deps {
  if (route === null || route.auth === 'none') return deps;
  if (session !== null) return guarded(deps, (tx) => guardSession(tx, session, deps.clock.nowMs()));
  if (visit === null) return deps;
  const { signedIn, actor } = visit;
  const { member: rule } = route;
  const acts = actor === null || rule === undefined ? null : { actor, ...rule };
  return guarded(deps, (tx) => guardMember(tx, signedIn, acts));
}

/** Counts against the limit that the row names: of who is signed in, or of what the path names. */
async function takeSlot(
  deps: Deps,
  { route, params }: PageMatch,
  visit: Visit | null,
  operator: SignedInOperator | null,
) {
  const limit = route?.limit ?? 'none';
  if (limit === 'none') return;
  const { publicId, flowId, accountId } = params;
  const person = visit?.signedIn.person.id ?? operator?.actor.id;
  const about = person ?? publicId ?? flowId ?? accountId ?? '';
  await takePageSlot(deps, limit, about);
}

/** Who is recorded as the author of what a form changes. */
function authorOf(
  { route, params }: PageMatch,
  session: PageSession | null,
  visit: Visit | null,
): Pick<AuditAuthor, 'actor' | 'orgId' | 'action'> {
  const action = route?.path ?? '';
  if (visit !== null) {
    const { signedIn, actor } = visit;
    // No organization learns what a person does outside it.
    if (actor === null) {
      return { action, actor: { kind: 'person', id: signedIn.person.id }, orgId: null };
    }
    return { action, actor: { kind: 'member', id: actor.memberId }, orgId: actor.orgId };
  }
  if (session === null) {
    const [first = ''] = Object.values(params);
    const named = params['accountId'] ?? first;
    // What follows a dot is a secret of the link, and entries stay.
    const id = named.replace(/\..*/s, '');
    return { action, actor: { kind: 'link', id }, orgId: null };
  }
  const { paymentId, submissionId, accountId, ownerIndex } = session;
  if (accountId !== null) {
    return { action, actor: { kind: 'seller', id: accountId }, orgId: session.orgId };
  }
  const subject = paymentId ?? submissionId ?? '';
  const part = session.kind === 'approver' ? '/approver' : '';
  const id = ownerIndex === null ? `${subject}${part}` : `${subject}/owners/${ownerIndex}`;
  return { action, actor: { kind: 'buyer', id }, orgId: session.orgId };
}

/** The session of the payment or form in the path, of a kind that the row accepts. */
async function sessionOf(
  deps: Deps,
  { route, params }: PageMatch,
  token: string | undefined,
): Promise<PageSession | null> {
  if (route === null || token === undefined) return null;
  const { subject } = route;
  // The page after a POST is its use: signing out shows none.
  const background = route.background === true || route.method === 'POST';
  const kinds = kindsOpening(subject).filter((kind) => kind !== 'upload' || route.auth === 'kyc');
  const session = kinds.length === 0 ? null : await readSession(deps, kinds, token, { background });
  if (session === null) return null;
  const belongs = await deps.store.run(async (tx) => {
    if (subject === 'payment' || subject === 'colleague' || subject === 'approver') {
      const payment = await tx.payments.byPublicId(params['publicId'] ?? '');
      return payment !== null && payment.id === session.paymentId;
    }
    if (subject === 'proof') return session.paymentId === params['paymentId'];
    if (route.subject === 'seller') return isOfSeller(session, params);
    const submission = await tx.buyers.submissionByFlow(params['flowId'] ?? '');
    if (submission === null || submission.id !== session.submissionId) return false;
    return route.subject === 'form' || `${session.ownerIndex}` === params['ownerIndex'];
  });
  return belongs ? session : null;
}

function isOfSeller(session: PageSession, params: PageMatch['params']): boolean {
  const { orgId, mode, accountId } = session;
  const isTenant = orgId === params['orgId'] && mode === params['mode'];
  return isTenant && accountId !== null && accountId === params['accountId'];
}

/** The member, in the organization and mode of the path if it has them. */
async function visitOf(
  deps: Deps,
  { route, params }: PageMatch,
  token: string | undefined,
  { client: address, requestId }: Pick<PageRequest, 'client' | 'requestId'>,
): Promise<Visit | null> {
  if (route?.subject !== 'dashboard' || token === undefined) return null;
  const background = route.background === true || route.method === 'POST';
  const signedIn = await readMemberSession(deps, token, { background });
  const { orgId, mode: name } = params;
  if (signedIn === null) return null;
  const rule = actionProofs[route.member?.proof ?? 'session'];
  const nowMs = deps.clock.nowMs();
  if (orgId === undefined) {
    const { session, person } = signedIn;
    const requiresPasskey =
      rule !== 'session' && (await deps.store.run((tx) => needsOwnPasskey(tx, person.id)));
    const asked = { rule, mode: null, role: null, requiresPasskey };
    return { signedIn, actor: null, missing: missingProof(session, asked, nowMs) };
  }
  const mode = expectFound(modes.find((known) => known === name));
  const opens = background ? null : { action: route.path, address, requestId };
  const actor = await actIn(deps, signedIn, { orgId, mode }, opens);
  if (route.member !== undefined) requireScope(actor, route.member.scope);
  const missing = missingProof(signedIn.session, { ...actor, rule }, nowMs);
  return { signedIn, actor, missing };
}

async function operatorOf(
  deps: Deps,
  { route }: PageMatch,
  token: string | undefined,
): Promise<SignedInOperator | null> {
  if (route?.subject !== 'console' || token === undefined) return null;
  return readOperatorSession(deps, token, { background: route.method === 'POST' });
}

/**
 * Whether a form was sent by another site. Without a referrer browsers send `Origin: null` for
 * forms of the page itself, so Sec-Fetch-Site decides, where a browser sends it.
 */
function isFromElsewhere({ origin: ours }: PageContext, { headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const foreignSite = site !== undefined && site !== 'same-origin';
  const foreignOrigin = origin !== undefined && origin !== 'null' && origin !== ours;
  return foreignSite || foreignOrigin;
}

async function readForm(
  request: IncomingMessage,
  { form, formBytesMax = FORM_BYTES_MAX }: Pick<PageRoute, 'form' | 'formBytesMax'>,
  readBody: PageRequest['readBody'],
): Promise<URLSearchParams> {
  if (form === 'none' || form === 'multipart') return new URLSearchParams();
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    throw new PonteError('UnsupportedMediaType');
  }
  return new URLSearchParams(Buffer.from(await readBody(formBytesMax)).toString('utf8'));
}

/** The last value of a repeated name counts. */
function valuesOf(form: URLSearchParams): Readonly<Record<string, string>> {
  return Object.fromEntries(form);
}

function baseOf({ prefix }: PageContext, { route, params }: PageMatch): string {
  if (route?.subject === 'payment') return `${prefix}/r/${params['publicId']}`;
  if (route?.subject === 'colleague') return `${prefix}/r/${params['publicId']}/colleague`;
  if (route?.subject === 'proof') return `${prefix}/proof/${params['paymentId']}`;
  if (route?.subject === 'approver') return `${prefix}/r/${params['publicId']}/approval`;
  if (route?.subject === 'dashboard') return `${prefix}/dashboard`;
  if (route?.subject === 'console') return `${prefix}${CONSOLE_ROOT}`;
  if (route?.subject === 'form') return `${prefix}/kyc/${params['flowId']}`;
  if (route?.subject === 'seller') {
    return `${prefix}/onboarding/${params['orgId']}/${params['mode']}/${params['accountId']}`;
  }
  if (route?.subject !== 'owner') return prefix;
  return `${prefix}/owner/${params['flowId']}/${params['ownerIndex']}`;
}

function goneSignal(response: ServerResponse, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, stopping]);
}

function refusalOf(
  site: PageSite,
  context: PageContext,
  error: unknown,
  { requestId, client, said, match }: Matched,
): PageAnswer {
  const { log } = context.deps;
  const refusal = error instanceof PonteError ? error : new PonteError('InternalError');
  const { status, code } = refusal;
  const notice = notices[code];
  if (notice !== undefined && said.method === 'POST') {
    return seeOther(withNotice(baseOf(context, match), notice));
  }
  const fields = { requestId, page: match.route?.path ?? null, status, code, client };
  if (status < 500) log.info('page refused', fields);
  else if (refusal.transient) log.warn('page refused', fields);
  else log.error('page failed', { ...fields, err: error });
  const page = site.errorPage(refusal, {
    locale: said.chosenLocale ?? said.browserLocale ?? 'en',
    base: baseOf(context, match),
    path: said.path,
    prefix: context.prefix,
    nowMs: context.deps.clock.nowMs(),
    query: said.query,
  });
  const headers: Record<string, string> = { ...page.headers };
  const { retryAfterSeconds } = refusal;
  if (retryAfterSeconds !== null) headers['retry-after'] = `${retryAfterSeconds}`;
  // The rest of the form may never arrive, so no other request can follow it. A form that is too
  // large keeps its connection, unlike a body of the API: a browser that still sends would see a
  // reset, and not read the answer. Node discards the rest.
  if (code === 'RequestTimeout') headers['connection'] = 'close';
  return { ...page, headers };
}

async function send(
  { secure }: PageContext,
  request: IncomingMessage,
  response: ServerResponse,
  answer: PageAnswer,
  requestId: string,
): Promise<void> {
  const { body } = answer;
  try {
    await write(secure, request, response, answer, requestId);
  } finally {
    if (typeof body === 'object' && 'close' in body) await body.close();
  }
}

/** Files are kept packed; a client that does not read gzip gets them as they are. */
function readableFor({ headers: asked }: IncomingMessage, answer: PageAnswer): PageAnswer {
  const { 'content-encoding': coding, ...headers } = answer.headers;
  if (coding !== 'gzip' || readsGzip(`${asked['accept-encoding'] ?? ''}`)) return answer;
  assert(answer.body instanceof Uint8Array, 'a packed file is in memory');
  return { ...answer, headers, body: gunzipSync(answer.body) };
}

async function write(
  secure: boolean,
  request: IncomingMessage,
  response: ServerResponse,
  answer: PageAnswer,
  requestId: string,
): Promise<void> {
  if (response.destroyed) return;
  const { status, headers, cookies, body } = readableFor(request, answer);
  const setCookies = cookies.map((cookie: Cookie) => writeCookie(cookie, secure));
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  response.writeHead(status, {
    ...everyPage,
    'x-request-id': requestId,
    ...(isWhole ? { 'content-length': Buffer.byteLength(body) } : {}),
    ...headers,
    ...(setCookies.length === 0 ? {} : { 'set-cookie': setCookies }),
  });
  if (request.method === 'HEAD' || isWhole) {
    response.end(request.method === 'HEAD' ? undefined : body);
    return;
  }
  let turnMs = performance.now();
  for await (const part of body) {
    if (response.destroyed) return;
    if (!response.write(part)) await drained(response);
    // A client that reads fast must not keep others waiting while the parts are made.
    if (performance.now() - turnMs < TURN_MAX_MS) continue;
    await setImmediate();
    turnMs = performance.now();
  }
  response.end();
}

/** Also if the client is gone. A long answer waits often: no listener stays behind. */
async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  over.abort();
}
