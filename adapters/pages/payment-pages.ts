// The pages of a payment: what it asks for, sign-in, price, bank details, receipt. The screen of a
// signed-in buyer follows from the state of the payment, never from the page before.
import { z } from 'zod';
import type { Screen } from '../../core/domain/hosted-screen.js';
import { isCode, PonteError } from '../../core/errors.js';
import { confirmQuote, requestQuote } from '../../core/usecases/buyers.js';
import { endSession } from '../../core/usecases/page-sessions.js';
import { readPaymentPage } from '../../core/usecases/payment-page.js';
import { cancelPayment } from '../../core/usecases/payments.js';
import {
  hashBrowser,
  linkState,
  redeemCode,
  redeemLink,
  requestLink,
} from '../../core/usecases/sign-ins.js';
import { simulate } from '../../core/usecases/simulations.js';
import type { Cookie } from './cookies.js';
import {
  html,
  type PageAnswer,
  type PageCall,
  type PageContext,
  pageRow,
  seeOther,
  withNotice,
} from './page-route.js';
import type { Page } from './page-view.js';
import { localeFor, paymentView } from './payment-view.js';
import { renderPage } from './render.js';
import { statusStream } from './status-stream.js';

type Call<F = unknown> = PageCall<'none' | 'buyer', F>;

const noForm = z.object({});
/** The buyer must still send money. */
const withDetails = ['bank_details', 'short'] as const;
/** The version of the payment that the page showed. */
const versionText = z.string().regex(/^\d{1,15}$/);
const changeForm = z.object({ version: versionText });
const confirmForm = z.object({ version: versionText, quoteId: z.string().max(64) });
const codeForm = z.object({ code: z.string().max(40) });
const simulateForm = z.object({ event: z.string().max(64) });

const pages = { subject: 'payment', limit: 'none', csrf: 'none', form: 'none' } as const;
const actions = { subject: 'payment', method: 'POST', auth: 'buyer', csrf: 'form' } as const;

export const paymentPages = [
  pageRow({
    ...pages,
    ...{ method: 'GET', path: '/r/{publicId}', auth: 'none' },
    handler: showPayment,
  }),
  pageRow({
    ...pages,
    ...{ method: 'POST', path: '/r/{publicId}/link', auth: 'none', form: noForm },
    handler: sendLink,
  }),
  pageRow({
    ...pages,
    ...{ method: 'POST', path: '/r/{publicId}/code', auth: 'none', form: codeForm },
    handler: enterCode,
  }),
  pageRow({
    ...pages,
    ...{ method: 'GET', path: '/r/{publicId}/enter', auth: 'none' },
    handler: showEnter,
  }),
  pageRow({
    ...pages,
    ...{ method: 'POST', path: '/r/{publicId}/enter', auth: 'none', form: noForm },
    handler: enter,
  }),
  pageRow({
    ...{ ...actions, path: '/r/{publicId}/sign-out', limit: 'none', form: noForm },
    handler: signOut,
  }),
  pageRow({
    ...{ ...actions, path: '/r/{publicId}/quote', limit: 'quote', form: changeForm },
    handler: askQuote,
  }),
  pageRow({
    ...{ ...actions, path: '/r/{publicId}/confirm', limit: 'none', form: confirmForm },
    handler: confirm,
  }),
  pageRow({
    ...pages,
    ...{ method: 'GET', path: '/r/{publicId}/take-back', auth: 'buyer' },
    handler: (context, call) => showAt(context, call, ['short'], { name: 'take_back' }),
  }),
  pageRow({
    ...{ ...actions, path: '/r/{publicId}/take-back', limit: 'none', form: changeForm },
    handler: takeBack,
  }),
  pageRow({
    ...pages,
    ...{ method: 'GET', path: '/r/{publicId}/instructions', auth: 'buyer' },
    handler: (context, call) => showAt(context, call, withDetails, { name: 'instructions' }),
  }),
  pageRow({
    ...pages,
    ...{ method: 'GET', path: '/r/{publicId}/receipt', auth: 'buyer' },
    handler: (context, call) => showAt(context, call, ['paid'], { name: 'receipt' }),
  }),
  pageRow({
    ...pages,
    ...{ method: 'GET', path: '/r/{publicId}/status', auth: 'buyer', background: true },
    handler: statusStream,
  }),
  pageRow({
    ...{ ...actions, path: '/r/{publicId}/simulate', limit: 'none', form: simulateForm },
    handler: simulateEvent,
  }),
];

function pageOf(call: Pick<Call, 'params'>) {
  return { kind: 'payment', publicId: publicIdOf(call) } as const;
}

async function localeOfPage(deps: PageContext['deps'], call: Call) {
  const { payment } = await readPaymentPage(deps, publicIdOf(call));
  return localeFor(call, payment.display);
}

function publicIdOf({ params }: Pick<Call, 'params'>): string {
  return params['publicId'] ?? '';
}

async function show(context: PageContext, call: Call, page: Page): Promise<PageAnswer> {
  const shown = await readPaymentPage(context.deps, publicIdOf(call));
  return html(renderPage(paymentView(context, call, shown, page)));
}

/** A page that belongs to these screens: at another one its bank details or sums are wrong. */
async function showAt(
  context: PageContext,
  call: Call,
  screens: readonly Screen[],
  page: Page,
): Promise<PageAnswer> {
  const shown = await readPaymentPage(context.deps, publicIdOf(call));
  if (!screens.includes(shown.screen)) return seeOther(call.base);
  return html(renderPage(paymentView(context, call, shown, page)));
}

async function showPayment(context: PageContext, call: Call): Promise<PageAnswer> {
  const { deps } = context;
  const token = call.query.get('token');
  if (token !== null) {
    // The token leaves the address bar, the history and the referrer. Nothing is used up.
    const cookie = { name: 'link', value: linkText(token), path: call.base } as const;
    return seeOther(`${call.base}/enter`, [cookie]);
  }
  const shown = await readPaymentPage(deps, publicIdOf(call));
  if (call.session === null) {
    const isSent = call.query.has('sent') && call.cookies.has('browser');
    const page = { name: isSent ? 'sent' : 'ask' } as const;
    return html(renderPage(paymentView(context, call, shown, page)));
  }
  const before = call.query.get('shown');
  if (before !== null && shown.screen === 'price' && before !== shown.payment.quoteId) {
    const quote = await deps.store.run((tx) => tx.quotes.get(shown.payment, before));
    const ofThis = quote?.paymentId === shown.payment.id ? quote : null;
    const page = { name: 'price_changed', shown: ofThis } as const;
    return html(renderPage(paymentView(context, call, shown, page)));
  }
  const page = { name: 'payment', screen: shown.screen } as const;
  return html(renderPage(paymentView(context, call, shown, page)));
}

/** Only what a token can be: it becomes the value of a cookie. */
function linkText(token: string): string {
  return /^[\w-]{1,100}$/.test(token) ? token : 'unknown';
}

async function sendLink({ deps }: PageContext, call: Call<object>): Promise<PageAnswer> {
  const browser =
    call.cookies.get('browser') ?? Buffer.from(deps.ids.randomBytes(16)).toString('base64url');
  const locale = await localeOfPage(deps, call);
  try {
    const browserHash = hashBrowser(browser);
    await requestLink(deps, pageOf(call), { client: call.client, locale, browserHash });
  } catch (error) {
    if (!isCode(error, 'RateLimitExceeded')) throw error;
    return seeOther(withNotice(call.base, 'link_too_soon'));
  }
  return seeOther(`${call.base}?sent`, [{ name: 'browser', value: browser, path: call.base }]);
}

async function enterCode({ deps }: PageContext, call: Call<{ code: string }>): Promise<PageAnswer> {
  const browser = call.cookies.get('browser');
  if (browser === undefined) return seeOther(withNotice(call.base, 'code_over'));
  const code = { browserHash: hashBrowser(browser), code: call.form.code };
  try {
    const { token } = await redeemCode(deps, pageOf(call), code, await localeOfPage(deps, call));
    return await signedIn(deps, call, token);
  } catch (error) {
    if (isCode(error, 'InvalidSignInCode')) return seeOther(`${call.base}?sent&notice=code_wrong`);
    if (isCode(error, 'SignInCodeOver')) return seeOther(withNotice(call.base, 'code_over'));
    throw error;
  }
}

async function showEnter(context: PageContext, call: Call): Promise<PageAnswer> {
  const token = call.cookies.get('link');
  if (token === undefined) return seeOther(call.base);
  const link = await linkState(context.deps, pageOf(call), token);
  if (link.state === 'unknown') {
    const unknown = { cause: 'unknown', atMs: null, maskedEmail: null } as const;
    return show(context, call, { name: 'link_over', ...unknown });
  }
  if (link.state !== 'valid') {
    const { state: cause, maskedAddress: maskedEmail } = link;
    const atMs = link.state === 'used' ? link.usedAtMs : link.endsAtMs;
    return show(context, call, { name: 'link_over', cause, atMs, maskedEmail });
  }
  // Requested in this browser: a scanner of mails has no such cookie.
  const browser = call.cookies.get('browser');
  const auto = browser !== undefined && link.browserHash === hashBrowser(browser);
  return show(context, call, { name: 'enter', email: link.address, auto });
}

async function enter({ deps }: PageContext, call: Call<object>): Promise<PageAnswer> {
  const link = call.cookies.get('link');
  if (link === undefined) return seeOther(call.base);
  try {
    const { token } = await redeemLink(deps, pageOf(call), link, await localeOfPage(deps, call));
    return await signedIn(deps, call, token);
  } catch (error) {
    // The page says whether it was used or is over.
    if (isCode(error, 'InvalidSignInLink')) return seeOther(`${call.base}/enter`);
    throw error;
  }
}

/** A buyer who needs no KYC lands on the price. */
async function signedIn(
  deps: PageContext['deps'],
  call: Pick<Call, 'base' | 'params'>,
  sessionToken: string,
): Promise<PageAnswer> {
  const { payment, screen } = await readPaymentPage(deps, publicIdOf(call));
  if (screen === 'price_ask') await requestQuote(deps, payment, payment.id).catch(() => undefined);
  const cookies: readonly Cookie[] = [
    { name: 'session', value: sessionToken, path: call.base },
    { name: 'link', value: '', path: call.base },
  ];
  return seeOther(call.base, cookies);
}

async function signOut({ deps }: PageContext, call: PageCall<'buyer', object>) {
  await endSession(deps, call.cookies.get('session') ?? '');
  return seeOther(call.base, [{ name: 'session', value: '', path: call.base }]);
}

/** The payment, if the page that sent the form showed its current state. */
async function unchanged(deps: PageContext['deps'], call: Call<{ version: string }>) {
  const shown = await readPaymentPage(deps, publicIdOf(call));
  if (`${shown.payment.version}` !== call.form.version) {
    throw new PonteError('PaymentStateConflict');
  }
  return shown;
}

async function askQuote({ deps }: PageContext, call: Call<{ version: string }>) {
  const { payment } = await unchanged(deps, call);
  try {
    await requestQuote(deps, payment, payment.id);
  } catch (error) {
    if (isCode(error, 'PartnerUnavailable')) {
      return seeOther(withNotice(call.base, 'quote_unavailable'));
    }
    throw error;
  }
  return seeOther(call.base);
}

async function confirm({ deps }: PageContext, call: Call<{ version: string; quoteId: string }>) {
  const { quoteId } = call.form;
  const { payment, screen } = await readPaymentPage(deps, publicIdOf(call));
  // The second click on the button.
  if (payment.quoteId === quoteId && screen !== 'price') return seeOther(call.base);
  try {
    const locale = localeFor(call, payment.display);
    await confirmQuote(deps, payment, payment.id, quoteId, locale);
    return seeOther(call.base);
  } catch (error) {
    if (isCode(error, 'QuoteChanged')) {
      return seeOther(`${call.base}?shown=${encodeURIComponent(quoteId)}`);
    }
    throw error;
  }
}

/** The buyer of a short payment gets its money back. */
async function takeBack({ deps }: PageContext, call: Call<{ version: string }>) {
  const { payment, screen } = await unchanged(deps, call);
  if (screen !== 'short') throw new PonteError('PaymentStateConflict');
  await cancelPayment(deps, payment, payment.id, 'the buyer asked for the money back');
  return seeOther(withNotice(call.base, 'take_back_asked'));
}

async function simulateEvent({ deps }: PageContext, call: Call<{ event: string }>) {
  const { payment } = await readPaymentPage(deps, publicIdOf(call));
  await simulate(deps, payment, payment.id, call.form.event);
  return seeOther(call.base);
}
