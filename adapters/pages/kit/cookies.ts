// The cookies of the pages. Each belongs to the path of one payment or form, so that two payments
// in two tabs do not mix; the session of a member or an operator belongs to the whole host. A page
// over https gets cookies that only https carries.

/**
 * `session`: the token of a session of the hosted pages. `member`: of a member's session.
 * `operator`: of an operator's session. `link`: an opened link, until its button is pressed.
 * `browser`: a random value of the browser that requested a mail. `back`: the page to which it
 * comes back after sign-in. `address`: what a person typed to sign in. `language`: the chosen one.
 */
export const cookieLivesSeconds = {
  session: 43_200,
  member: 43_200,
  operator: 43_200,
  link: 600,
  browser: 86_400,
  back: 1_200,
  address: 1_200,
  language: 31_536_000,
} as const;
export type CookieName = keyof typeof cookieLivesSeconds;

export interface Cookie {
  readonly name: CookieName;
  /** Empty: the cookie is removed. */
  readonly value: string;
  readonly path: string;
}

/** The value of a Set-Cookie header. */
export function writeCookie({ name, value, path }: Cookie, secure: boolean): string {
  const seconds = value === '' ? 0 : cookieLivesSeconds[name];
  const parts = [
    `${nameOf(name, secure)}=${value}`,
    `Path=${path === '' || isOfHost(name) ? '/' : path}`,
    `Max-Age=${seconds}`,
    'HttpOnly',
    // Strict would drop it on the way back from a mail, a bank or the partner's terms.
    'SameSite=Lax',
    ...(secure ? ['Secure'] : []),
  ];
  return parts.join('; ');
}

/** Cookies of a header that are read: browsers send those of the longest paths first. */
const COOKIES_MAX = 50;

/** By name, without names of others. Browsers send the cookie of the longest path first. */
export function readCookies(
  header: string | undefined,
  secure: boolean,
): ReadonlyMap<CookieName, string> {
  const found = new Map<CookieName, string>();
  for (const part of (header ?? '').split(';', COOKIES_MAX)) {
    const equals = part.indexOf('=');
    const name = names.find((known) => nameOf(known, secure) === part.slice(0, equals).trim());
    if (name !== undefined && !found.has(name)) found.set(name, part.slice(equals + 1).trim());
  }
  return found;
}

const names = Object.keys(cookieLivesSeconds) as readonly CookieName[];

function nameOf(name: CookieName, secure: boolean): string {
  // __Host- also binds the cookie to this host and to the path `/`.
  const prefix = isOfHost(name) ? '__Host-' : '__Secure-';
  return `${secure ? prefix : ''}ponte-${name}`;
}

function isOfHost(name: CookieName): boolean {
  return name === 'member' || name === 'operator';
}
