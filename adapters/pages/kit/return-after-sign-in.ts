// A session may end while a page is open. The request is refused, and a cookie keeps the page that
// it came from: after sign-in the same browser comes back to it. What a form had is not kept,
// because the next person at this browser may be another one.
import {
  type PageProof,
  type ProofRequest,
  provenActions,
} from '../../../core/domain/access/session-proof.js';
import type { CookieName } from './cookies.js';
import type { PageMatcher } from './page-match.js';
import { type PageAnswer, seeOther, withNotice } from './page-route.js';

interface Refused {
  readonly match: PageMatcher;
  readonly method: string;
  /** Without the prefix. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The path of the payment's or form's pages, with the prefix. */
  readonly base: string;
  readonly prefix: string;
  readonly cookies: ReadonlyMap<CookieName, string>;
}

/** To the page on which people sign in. */
export function signedOut(refused: Refused): PageAnswer {
  const { method, base, cookies } = refused;
  const isLost = method === 'POST';
  const back = backTo(refused);
  if (isLost) return seeOther(withNotice(base, 'unsaved'), back);
  const wasSignedIn = ['session', 'member', 'operator'].some((name) =>
    cookies.has(name as CookieName),
  );
  return seeOther(wasSignedIn ? withNotice(base, 'signed_out') : base, back);
}

/** To the page that asks for the code of the mail: pressing its link was no proof of a person. */
export function askForCode(refused: Omit<Refused, 'cookies'>): PageAnswer {
  return seeOther(`${refused.base}/enter`, backTo(refused));
}

function backTo(refused: Omit<Refused, 'cookies'>) {
  const place = pageOf(refused);
  return place === '' ? [] : [{ name: 'back', value: place, path: refused.base } as const];
}

/**
 * To the page that asks for a mailed code or a passkey, for what needs a fresh proof. The page of a
 * form needs it too, so that nobody types in vain.
 */
export function confirmFirst(
  refused: Omit<Refused, 'cookies'> & Readonly<{ missing: 'fresh' | 'passkey'; proof: PageProof }>,
): PageAnswer {
  const { base, method, missing, proof } = refused;
  const value = `${proof}:${pageOf(refused)}`;
  const back = { name: 'back', value, path: base } as const;
  const said = [
    ...(method === 'POST' ? ['late'] : []),
    ...(missing === 'passkey' ? ['passkey'] : []),
  ].join('&');
  return seeOther(`${base}/confirm${said === '' ? '' : `?${said}`}`, [back]);
}

/** The cookie: a page below `base`, behind the action that a proof was asked for. */
const backText = /^(?:(\w+):)?([\w-][\w/-]{0,200}(?:\?[\w*.+%=&-]+)?)?$/;

/** Where a person who signed in goes on. */
export function returnPath(base: string, cookies: ReadonlyMap<CookieName, string>): string {
  const [, , place = ''] = backText.exec(cookies.get('back') ?? '') ?? [];
  return place === '' ? base : `${base}/${place}`;
}

/** What the person who proves to be there goes on to do; null for nothing that asks for it. */
export function askedProof(cookies: ReadonlyMap<CookieName, string>): ProofRequest | null {
  const [, name, place = ''] = backText.exec(cookies.get('back') ?? '') ?? [];
  const action = provenActions.find((known) => known === name);
  const [orgId] = /^org_\w+(?=\/)/.exec(place) ?? [null];
  return action === undefined ? null : { action, orgId };
}

/** Below `base`: the page, or the one whose form was sent; empty for the base itself. */
function pageOf({ match, path, query, base, prefix }: Omit<Refused, 'method' | 'cookies'>): string {
  const root = base.slice(prefix.length);
  for (let page = path; page.length > root.length; page = page.slice(0, page.lastIndexOf('/'))) {
    const { route, params } = match('GET', page);
    const isPage = route !== null && route.auth !== 'none' && route.background !== true;
    if (!isPage || !/^\d*$/.test(params['owner'] ?? '')) continue;
    return `${page.slice(root.length + 1)}${page === path ? keptQuery(query) : ''}`;
  }
  return '';
}

/** Longer than the filters of a list. */
const QUERY_LENGTH_MAX = 800;

/** The query of a page, with a question mark, without what is shown once. */
export function keptQuery(query: URLSearchParams): string {
  const kept = new URLSearchParams([...query].filter(([name]) => !onceNames.includes(name)));
  const text = `${kept}`;
  return text === '' || text.length > QUERY_LENGTH_MAX ? '' : `?${text}`;
}

const onceNames: readonly string[] = ['done', 'notice', 'limit', 'until', 'sent_at'];
