// Sign-in by a mailed link or code, the same for a payment, a KYC form, the part of an owner and
// the dashboard.
import { z } from 'zod';
import { emailKey, readEmail } from '../../../core/domain/base/email-address.js';
import { linkTokenIn } from '../../../core/domain/base/link-text.js';
import type { Locale } from '../../../core/domain/base/locale.js';
import type { HostedPage } from '../../../core/domain/hosted/hosted-page.js';
import { maskedAddress } from '../../../core/domain/mail/mail.js';
import { isCode } from '../../../core/errors.js';
import { endSession } from '../../../core/usecases/access/open-sessions.js';
import {
  hashBrowser,
  linkState,
  redeemCode,
  redeemLink,
  requestLink,
} from '../../../core/usecases/hosted/sign-ins.js';
import { withLimit } from './limited.js';
import {
  type BuyerAuth,
  limitReached,
  type PageAnswer,
  type PageCall,
  type PageContext,
  type PageRoute,
  type PageSubject,
  rowsAt,
  seeOther,
  withNotice,
} from './page-route.js';
import { askedProof, returnPath } from './return-after-sign-in.js';

export type AccessPage =
  /** S2, after a mail was asked for. */
  | { readonly name: 'sent' }
  /** S2, a link was opened. `auto`: this browser asked for it, so the script may go on. */
  | {
      readonly name: 'enter';
      readonly email: string;
      readonly auto: boolean;
      /** The page asks for the code of the mail. */
      readonly asksCode: boolean;
    }
  | LinkEnded;

export interface LinkEnded {
  readonly name: 'link_ended';
  readonly cause: 'used' | 'over' | 'unknown';
  /** When it was opened or ran out; null for an unknown link. */
  readonly atMs: number | null;
  /** Masked; null for an unknown link. */
  readonly maskedEmail: string | null;
}

/** What differs between the pages that people sign in to. */
export interface SignInPlace {
  readonly subject: PageSubject;
  /** As `/r/{publicId}`. */
  readonly root: string;
  readonly sessionCookie: 'session' | 'member';
  /**
   * Whether people type an address: then no answer shows whether it is known. Else the page belongs
   * to one address.
   */
  readonly asksAddress: boolean;
  pageOf(call: AccessCall): HostedPage;
  localeOf(context: PageContext, call: AccessCall): Promise<Locale>;
  show(context: PageContext, call: AccessCall, page: AccessPage): Promise<PageAnswer>;
  /** Before the first page after sign-in. */
  entered(context: PageContext, call: AccessCall): Promise<void>;
}

export type AccessCall<F = unknown> = PageCall<'none', F>;

const NONCE_BYTES = 16;
const noForm = z.object({});
const linkForm = z.object({ address: z.string().max(320).default('') });
const codeForm = z.object({ code: z.string().max(40) });
const enterForm = z.object({ code: z.string().max(40).default('') });

export function accessRows(at: SignInPlace): readonly PageRoute[] {
  const { shows, takes } = rowsAt(at.subject, at.root);
  return [
    shows('/enter', 'none', (context, call) => showEnter(at, context, call)),
    takes('/enter', 'none', 'none', enterForm, (context, call) => enter(at, context, call)),
    takes('/link', 'none', 'none', linkForm, (context, call) => sendLink(at, context, call)),
    takes('/code', 'none', 'none', codeForm, (context, call) => enterCode(at, context, call)),
  ];
}

/** `auth`: who may sign out. */
export function signOutRow(subject: PageSubject, root: string, auth: BuyerAuth): PageRoute {
  return rowsAt(subject, root).takes('/sign-out', auth, 'none', noForm, signOut);
}

/**
 * Where the link of a mail leads: its token leaves the address bar, the history and the referrer,
 * and is not used up. Null for another address.
 */
export function openedLink({ query, base }: Pick<AccessCall, 'query' | 'base'>): PageAnswer | null {
  const token = linkTokenIn(query);
  if (token === null) return null;
  const value = token || 'unknown';
  return seeOther(`${base}/enter`, [{ name: 'link', value, path: base }]);
}

/** The address that the person typed in this browser; null if none. */
export function typedAddress({ cookies }: Pick<AccessCall, 'cookies'>): string | null {
  const value = cookies.get('address');
  return value === undefined ? null : Buffer.from(value, 'base64url').toString('utf8');
}

async function sendLink(
  at: SignInPlace,
  context: PageContext,
  call: AccessCall<z.infer<typeof linkForm>>,
): Promise<PageAnswer> {
  const { deps } = context;
  const random = () => Buffer.from(deps.ids.randomBytes(NONCE_BYTES)).toString('base64url');
  const browser = call.cookies.get('browser') ?? random();
  const locale = await at.localeOf(context, call);
  const asked = { client: call.client, locale, browserHash: hashBrowser(browser) };
  const cookies = [{ name: 'browser', value: browser, path: call.base } as const];
  if (at.asksAddress) {
    const address = call.form.address.trim();
    // What is no address at all is nobody's.
    if (readEmail(address) !== null) {
      const proof = isOwn(call, address) ? askedProof(call.cookies) : null;
      await requestLink(deps, { kind: 'dashboard', address }, { ...asked, proof });
    }
    const typed = { name: 'address', value: Buffer.from(address).toString('base64url') } as const;
    return seeOther(`${call.base}?sent`, [...cookies, { ...typed, path: call.base }]);
  }
  const answer = await requestLink(deps, at.pageOf(call), asked);
  if (answer.outcome === 'too_soon') {
    const { untilMs, sentAtMs } = answer;
    const limit = sentAtMs === null ? 'mail_too_soon' : 'link_sent';
    return seeOther(withLimit(call.base, { limit, untilMs, sentAtMs }));
  }
  return seeOther(`${call.base}?sent`, cookies);
}

/** Only who is signed in chooses what a mail names, and only in a mail to itself. */
function isOwn({ visit }: AccessCall, address: string): boolean {
  return visit !== null && emailKey(visit.signedIn.person.email) === emailKey(address);
}

async function enterCode(
  at: SignInPlace,
  context: PageContext,
  call: AccessCall<{ readonly code: string }>,
): Promise<PageAnswer> {
  const browser = call.cookies.get('browser');
  if (browser === undefined) return seeOther(withNotice(call.base, 'code_expired'));
  const code = { client: call.client, browserHash: hashBrowser(browser), code: call.form.code };
  try {
    const locale = await at.localeOf(context, call);
    const { token } = await redeemCode(context.deps, at.pageOf(call), code, locale);
    return await signedIn(at, context, call, token);
  } catch (error) {
    if (at.asksAddress && isOfCode(error)) return seeOther(`${call.base}?sent&notice=code_wrong`);
    if (isCode(error, 'InvalidSignInCode')) return seeOther(`${call.base}?sent&notice=code_wrong`);
    if (isCode(error, 'SignInCodeExpired')) return seeOther(withNotice(call.base, 'code_expired'));
    return limitReached(context, error, 'code_too_often', call.base);
  }
}

/** A code that opens nothing. */
function isOfCode(error: unknown): boolean {
  const codes = ['InvalidSignInCode', 'SignInCodeExpired', 'InvalidSignInLink'] as const;
  return codes.some((code) => isCode(error, code));
}

async function showEnter(at: SignInPlace, context: PageContext, call: AccessCall) {
  const unknown = { name: 'link_ended', cause: 'unknown', atMs: null, maskedEmail: null } as const;
  const token = call.cookies.get('link');
  // A press is no proof of the person, and another mail is.
  if (token === undefined && call.session?.began === 'press')
    return at.show(context, call, unknown);
  if (token === undefined) return seeOther(call.base);
  // Requested in this browser: a scanner of mails has no such cookie.
  const browser = browserOf(call);
  const link = await linkState(context.deps, at.pageOf(call), token, browser);
  if (link.state === 'unknown') return at.show(context, call, unknown);
  if (link.state !== 'valid') {
    const { state: cause, maskedAddress: maskedEmail } = link;
    // Who is in presses the link of the same mail again to come back.
    if (isIn(at, call, maskedEmail)) {
      return seeOther(call.base, [{ name: 'link', value: '', path: call.base }]);
    }
    const atMs = link.state === 'used' ? link.usedAtMs : link.endsAtMs;
    return at.show(context, call, { name: 'link_ended', cause, atMs, maskedEmail });
  }
  const auto = browser !== null && link.browserHash === browser;
  const asksCode = link.takes === 'code';
  return at.show(context, call, { name: 'enter', email: link.address, auto, asksCode });
}

/** Whether this browser has a session of the mailbox that the link was mailed to. */
function isIn({ asksAddress }: SignInPlace, { session, visit }: AccessCall, mailedTo: string) {
  if (!asksAddress) return session !== null;
  return visit !== null && maskedAddress(visit.signedIn.person.email) === mailedTo;
}

function browserOf({ cookies }: AccessCall): string | null {
  const browser = cookies.get('browser');
  return browser === undefined ? null : hashBrowser(browser);
}

async function enter(
  at: SignInPlace,
  context: PageContext,
  call: AccessCall<z.infer<typeof enterForm>>,
): Promise<PageAnswer> {
  const link = call.cookies.get('link');
  if (link === undefined) return seeOther(call.base);
  try {
    const locale = await at.localeOf(context, call);
    const proof = { code: call.form.code.trim(), browserHash: browserOf(call) };
    const page = at.pageOf(call);
    const { token, session } = await redeemLink(context.deps, page, link, locale, proof);
    const answer = await signedIn(at, context, call, token);
    if (session?.began !== 'press') return answer;
    // Its page asks for the code once the person decides something.
    return { ...answer, cookies: answer.cookies.filter(({ name }) => name !== 'link') };
  } catch (error) {
    const isWrong = isCode(error, 'InvalidSignInCode');
    if (isWrong) return seeOther(withNotice(`${call.base}/enter`, 'code_wrong'));
    // The page says whether it was used or is over.
    if (isCode(error, 'InvalidSignInLink')) return seeOther(`${call.base}/enter`);
    throw error;
  }
}

/** Where the person goes on, with the cookie of the new session. */
export async function signedIn(
  at: Pick<SignInPlace, 'sessionCookie' | 'entered'>,
  context: PageContext,
  call: AccessCall,
  token: string,
): Promise<PageAnswer> {
  await at.entered(context, call);
  return seeOther(returnPath(call.base, call.cookies), [
    { name: at.sessionCookie, value: token, path: call.base },
    { name: 'link', value: '', path: call.base },
    { name: 'back', value: '', path: call.base },
  ]);
}

async function signOut({ deps }: PageContext, call: PageCall<'buyer' | 'kyc', unknown>) {
  await endSession(deps, call.session);
  return seeOther(call.base, [{ name: 'session', value: '', path: call.base }]);
}
