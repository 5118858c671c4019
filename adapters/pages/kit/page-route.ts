// A row of the page table: who may open it, how a form is checked, and what its handler gets. No
// field of access has a default.
import type { z } from 'zod';
import type { ScopeRule } from '../../../core/domain/access/scope.js';
import type {
  PageSession,
  SessionKind,
  sessionRules,
} from '../../../core/domain/access/session.js';
import type { missingProof, PageProof } from '../../../core/domain/access/session-proof.js';
import { SECOND_MS } from '../../../core/domain/base/instant.js';
import type { Locale } from '../../../core/domain/base/locale.js';
import type { HealthCheck } from '../../../core/domain/service/health-check.js';
import { isCode } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { ByteSource, Mailbox } from '../../../core/ports/outside.js';
import type { SignedInOperator } from '../../../core/usecases/access/operator-sessions.js';
import type { DashboardActor, SignedInPerson } from '../../../core/usecases/access/sessions.js';
import type { PageWatch } from '../../../core/usecases/hosted/page-watch.js';
import type { ConcurrencyLimiter } from '../../../core/usecases/service/concurrency-limiter.js';
import type { PageLimit } from '../../../core/usecases/service/rate-limits.js';
import type { Cookie, CookieName } from './cookies.js';
import type { PageNotice } from './frame-view.js';
import { type Limited, withLimit } from './limited.js';

/**
 * 'buyer': a session of the payment, form or seller in the path. 'person': such a session of a
 * person, for what a button decides: a press on a link may be a gateway's. 'kyc': that of a buyer,
 * or the session of a phone for the same form; below the part of an owner, that owner's alone.
 * 'member': a member, of the organization in the path if it has one. 'operator': an operator in the
 * console. 'none': anybody who has the address; the handler may still look at the session.
 */
export type PageAuth = 'none' | 'buyer' | 'person' | 'kyc' | 'member' | 'operator';

/** Who may open a page that is neither for members nor for operators. */
export type BuyerAuth = Exclude<PageAuth, 'member' | 'operator'>;

/** What a row of members requires. */
export interface MemberRule {
  readonly scope: ScopeRule;
  /** The action that a fresh proof is asked for, or `session`. */
  readonly proof: PageProof;
}

export interface Visit {
  readonly signedIn: SignedInPerson;
  /** Null on pages that belong to no organization. */
  readonly actor: DashboardActor | null;
  /** What the session lacks for the row; null: nothing. */
  readonly missing: ReturnType<typeof missingProof>;
}

/**
 * What the path names: a payment by its public id, for the buyer, for a colleague or for the
 * approver, a KYC form by its flow id, the part of an owner in such a form, a seller, a page of the
 * dashboard or of the console, or nothing of them.
 */
export type PageSubject = (typeof sessionRules)[SessionKind]['opens'][number] | 'none';

export interface PageRow<A extends PageAuth, F> {
  readonly method: 'GET' | 'POST';
  /** Below the path of the pay URL, as `/r/{publicId}/enter`. */
  readonly path: string;
  /** Declared as such (pages/declared-pages.tsx): tests try each of them. */
  readonly kind?: 'list' | 'form' | 'export';
  readonly subject: PageSubject;
  readonly auth: A;
  /** What rows for members require; undefined for others. */
  readonly member: A extends 'member' ? MemberRule : undefined;
  /** 'form': the POST carries the token of its session. 'none': no session, or a GET. */
  readonly csrf: 'form' | 'none';
  /** Made by the script, not by a person: it does not keep a session from idling out. */
  readonly background?: true;
  /**
   * Which hourly limit a request takes; use cases limit links, codes and uploads themselves. A form
   * of a person who is signed in also takes what it stores from the budget of the tenant.
   */
  readonly limit: PageLimit | 'none';
  /** 'multipart': the handler reads the stream. */
  readonly form: z.ZodType<F> | 'multipart' | 'none';
  /** The maximum of a form that holds a file as text; others have a text of every field. */
  readonly formBytesMax?: number;
  // A method, so that rows of different shapes fit one array.
  handler(context: PageContext, call: PageCall<A, F>): Promise<PageAnswer>;
}

export interface PageRoute extends PageRow<PageAuth, unknown> {}

/** Checks the types of one row, which is neither for members nor for operators. */
export function pageRow<const A extends BuyerAuth, F>(
  row: Omit<PageRow<A, F>, 'member'>,
): PageRoute {
  return { ...row, member: undefined } as PageRoute;
}

/** Rows of one subject below a path. A form that a session sends has its token. */
export function rowsAt(subject: PageSubject, root: string) {
  return {
    shows<const A extends BuyerAuth>(
      tail: string,
      auth: A,
      handler: PageRow<A, unknown>['handler'],
      limit: PageLimit | 'none' = 'none',
    ): PageRoute {
      const row = { subject, method: 'GET', path: `${root}${tail}`, csrf: 'none' } as const;
      return pageRow<A, unknown>({ ...row, auth, limit, form: 'none', handler });
    },
    takes<const A extends BuyerAuth, F>(
      tail: string,
      auth: A,
      limit: PageLimit | 'none',
      form: z.ZodType<F>,
      handler: PageRow<A, F>['handler'],
    ): PageRoute {
      const row = { subject, method: 'POST', path: `${root}${tail}` } as const;
      return pageRow<A, F>({
        ...row,
        auth,
        csrf: auth === 'none' ? 'none' : 'form',
        limit,
        form,
        handler,
      });
    },
  };
}

/** The same for a row of members. Each of their forms carries the token of the session. */
export function memberRow<F>(
  row: Omit<PageRow<'member', F>, 'auth' | 'subject' | 'csrf' | 'limit' | 'member'> &
    MemberRule & { readonly limit?: PageLimit | 'none' },
): PageRoute {
  const { scope, proof, limit = 'none', ...rest } = row;
  // The token of a multipart form is a part of the body, which its handler reads.
  const csrf = row.method === 'POST' && row.form !== 'multipart' ? 'form' : 'none';
  const access = { auth: 'member', subject: 'dashboard', csrf, limit } as const;
  return { ...rest, ...access, member: { scope, proof } };
}

/** The same for a row of operators. */
export function operatorRow<F>(
  row: Omit<PageRow<'operator', F>, 'auth' | 'subject' | 'csrf' | 'limit' | 'member'>,
): PageRoute {
  const csrf = row.method === 'POST' ? 'form' : 'none';
  const access = { auth: 'operator', subject: 'console', csrf, limit: 'none' } as const;
  return { ...row, ...access, member: undefined } as PageRoute;
}

export interface PageRequest {
  readonly requestId: string;
  /** An IP address; null inside the process. */
  readonly client: string | null;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** The time limit of a form, of an upload until its file begins. */
  readonly timeoutMs: number;
  /** When a page of this organization may begin; null for now. */
  readonly turnOf: (orgId: string) => Promise<void> | null;
  /** Each with a new time limit on the store: an answer that is long takes one for each part. */
  readonly freshDeps: () => Deps;
  /** PayloadTooLarge, RequestTimeout; rejects also when the client disconnects. */
  readonly readBody: (bytesMax: number) => Promise<Uint8Array>;
}

/** What handlers need in addition to the request. */
export interface PageContext {
  readonly deps: Deps;
  readonly watch: PageWatch;
  /** The uploads that run, by session. */
  readonly uploads: ConcurrencyLimiter;
  /** The mails of a development host; null in production. */
  readonly mailbox: Mailbox | null;
  /** Looks at the service, for operators; null outside the console. */
  readonly checkHealth: (() => Promise<readonly HealthCheck[]>) | null;
  /** Below this path all pages are: empty, or as `/pay`. */
  readonly prefix: string;
  /** Whether cookies may require https. */
  readonly secure: boolean;
  /** The origin of the pages: forms come from it. */
  readonly origin: string;
}

export interface PageCall<A extends PageAuth, F> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly form: F;
  /** The time limit of a multipart row until its file begins. */
  readonly timeoutMs: number;
  /** The body of a multipart row. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly contentType: string;
  readonly session: A extends 'none' ? PageSession | null : PageSession;
  /** Who has a page of the dashboard open; null elsewhere. */
  readonly visit: A extends 'member' ? Visit : Visit | null;
  /** Who has a page of the console open; null elsewhere. */
  readonly operator: A extends 'operator' ? SignedInOperator : SignedInOperator | null;
  /** The CSRF token of the forms on the page; null without a session. */
  readonly csrf: string | null;
  readonly cookies: ReadonlyMap<CookieName, string>;
  /** The language that the buyer chose; null if none. */
  readonly chosenLocale: Locale | null;
  /** The first language of the browser that Ponte has. */
  readonly browserLocale: Locale | null;
  /** The browser reads Spanish with a decimal point. */
  readonly hasDecimalPoint: boolean;
  /** An IP address; null inside the process. */
  readonly client: string | null;
  readonly freshDeps: PageRequest['freshDeps'];
  /** The path of the payment's or form's pages, with the prefix. */
  readonly base: string;
  /** Aborted when the client is gone or the server stops. */
  readonly gone: AbortSignal;
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly Cookie[];
  /** The pipeline closes a source in every case. */
  readonly body: string | Uint8Array | AsyncIterable<string> | ByteSource;
}

export function html(text: string, status = 200): PageAnswer {
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  return { status, headers, cookies: [], body: text };
}

/** A file that the browser saves under a name in ASCII. */
export function download(name: string, type: string, body: PageAnswer['body']): PageAnswer {
  const headers = { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` };
  return { status: 200, headers, cookies: [], body };
}

/** 303: the browser follows with a GET, so that a reload repeats nothing. */
export function seeOther(location: string, cookies: readonly Cookie[] = []): PageAnswer {
  return { status: 303, headers: { location }, cookies, body: '' };
}

/** `notice` is shown once on the page. */
export function withNotice(path: string, notice: PageNotice): string {
  return `${path}?notice=${notice}`;
}

/** Leads back to the page, which says when the limit ends. Other errors are thrown. */
export function limitReached(
  { deps }: Pick<PageContext, 'deps'>,
  error: unknown,
  limit: Limited['limit'],
  path: string,
): PageAnswer {
  const isLimit = isCode(error, 'RateLimitExceeded') || isCode(error, 'InvitationLimitExceeded');
  if (!isLimit || error.retryAfterSeconds === null) throw error;
  const untilMs = deps.clock.nowMs() + error.retryAfterSeconds * SECOND_MS;
  return seeOther(withLimit(path, { limit, untilMs, sentAtMs: null }));
}
