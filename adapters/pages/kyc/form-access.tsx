// Sign-in to a form without a payment and to the part of an owner: a mail with a link and a code,
// as for a payment. Signed in, the buyer sees the state of the form, the owner the own part.
import { z } from 'zod';
import type { HostedPage } from '../../../core/domain/hosted-page.js';
import { isCode, PonteError } from '../../../core/errors.js';
import { endSession } from '../../../core/usecases/page-sessions.js';
import {
  hashBrowser,
  linkState,
  redeemCode,
  redeemLink,
  requestLink,
} from '../../../core/usecases/sign-ins.js';
import { Button, Form } from '../components.js';
import type { Cookie } from '../cookies.js';
import type { ScreenContent } from '../layout.js';
import {
  html,
  type PageAnswer,
  type PageCall,
  type PageContext,
  type PageRoute,
  pageRow,
  seeOther,
  withNotice,
} from '../page-route.js';
import type { Page } from '../page-view.js';
import { localeFor } from '../payment-view.js';
import { renderContent, renderPage } from '../render.js';
import { nameOf } from '../scene.js';
import type { BareScene } from './kyc-scene.js';
import { kycCatalogues } from './kyc-texts.js';
import { type AnyCall, formView, loadForm } from './kyc-view.js';

type Subject = 'form' | 'owner';
type Handler = (context: PageContext, call: AnyCall, subject: Subject) => Promise<PageAnswer>;

const NONCE_BYTES = 16;
const noForm = z.object({});
const codeForm = z.object({ code: z.string().max(40) });

export function accessRows(subject: Subject, root: string): readonly PageRoute[] {
  const open = { subject, auth: 'none', csrf: 'none', limit: 'none' } as const;
  const run = (handler: Handler) => (context: PageContext, call: PageCall<'none', unknown>) =>
    handler(context, call, subject);
  const shows = { ...open, method: 'GET', form: 'none' } as const;
  const takes = { ...open, method: 'POST', form: noForm } as const;
  return [
    pageRow({ ...shows, path: root, handler: run(showEntry) }),
    pageRow({ ...shows, path: `${root}/enter`, handler: run(showEnter) }),
    pageRow({ ...takes, path: `${root}/enter`, handler: run(enter) }),
    pageRow({ ...takes, path: `${root}/link`, handler: run(sendLink) }),
    pageRow({
      ...{ ...open, method: 'POST', path: `${root}/code`, form: codeForm },
      handler: (context, call) => enterCode(context, call, subject),
    }),
    pageRow({
      ...{ subject, method: 'POST', path: `${root}/sign-out`, auth: 'kyc', csrf: 'form' },
      ...{ limit: 'none', form: noForm },
      handler: signOut,
    }),
  ];
}

function pageOf({ params }: Pick<AnyCall, 'params'>, subject: Subject): HostedPage {
  const flowId = params['flowId'] ?? '';
  if (subject === 'form') return { kind: 'form', flowId };
  const position = params['ownerIndex'] ?? '';
  if (!/^\d{1,6}$/.test(position)) throw new PonteError('NotFound');
  return { kind: 'owner', flowId, ownerIndex: Number.parseInt(position, 10) };
}

async function show(context: PageContext, call: AnyCall, page: Page): Promise<PageAnswer> {
  return html(renderPage(await formView(context, call, page, '')));
}

async function showEntry(
  context: PageContext,
  call: AnyCall,
  subject: Subject,
): Promise<PageAnswer> {
  const token = call.query.get('token');
  if (token !== null) {
    const value = /^[\w-]{1,100}$/.test(token) ? token : 'unknown';
    return seeOther(`${call.base}/enter`, [{ name: 'link', value, path: call.base }]);
  }
  if (call.session !== null) {
    const { view, form } = await loadForm(context, call, subject);
    const isOwn = subject === 'owner' && (form.state === 'form' || form.state === 'corrections');
    return isOwn ? seeOther(`${call.base}/kyc/owner`) : html(renderPage(view));
  }
  if (call.query.has('sent') && call.cookies.has('browser')) {
    return show(context, call, { name: 'sent' });
  }
  const view = await formView(context, call, { name: 'kyc', state: 'form' }, '');
  const words = kycCatalogues[view.locale];
  return html(renderContent(view, (scene) => askFormScreen({ ...scene, words }, subject)));
}

/** What the form is, and the way in. */
export function askFormScreen(scene: BareScene, subject: Subject): ScreenContent {
  const { words, view } = scene;
  return {
    title: words.ask.heading(nameOf(view.organization?.name ?? '')),
    lede: subject === 'owner' ? words.ask.owner : words.ask.lede,
    station: null,
    body: (
      <Form to="link" class="card stack-s">
        <div class="actions">
          <Button look="primary">{words.ask.send}</Button>
        </div>
        <p class="small quiet">{words.ask.sendHint}</p>
      </Form>
    ),
  };
}

async function sendLink(
  { deps }: PageContext,
  call: AnyCall,
  subject: Subject,
): Promise<PageAnswer> {
  const random = () => Buffer.from(deps.ids.randomBytes(NONCE_BYTES)).toString('base64url');
  const browser = call.cookies.get('browser') ?? random();
  const asked = { client: call.client, locale: localeFor(call, null) };
  try {
    await requestLink(deps, pageOf(call, subject), {
      ...asked,
      browserHash: hashBrowser(browser),
    });
  } catch (error) {
    if (!isCode(error, 'RateLimitExceeded')) throw error;
    return seeOther(withNotice(call.base, 'link_too_soon'));
  }
  return seeOther(`${call.base}?sent`, [{ name: 'browser', value: browser, path: call.base }]);
}

async function enterCode(
  { deps }: PageContext,
  call: PageCall<'none', { code: string }>,
  subject: Subject,
): Promise<PageAnswer> {
  const browser = call.cookies.get('browser');
  if (browser === undefined) return seeOther(withNotice(call.base, 'code_over'));
  const code = { browserHash: hashBrowser(browser), code: call.form.code };
  try {
    const page = pageOf(call, subject);
    const { token } = await redeemCode(deps, page, code, localeFor(call, null));
    return signedIn(call, token);
  } catch (error) {
    if (isCode(error, 'InvalidSignInCode')) return seeOther(`${call.base}?sent&notice=code_wrong`);
    if (isCode(error, 'SignInCodeOver')) return seeOther(withNotice(call.base, 'code_over'));
    throw error;
  }
}

async function showEnter(
  context: PageContext,
  call: AnyCall,
  subject: Subject,
): Promise<PageAnswer> {
  const token = call.cookies.get('link');
  if (token === undefined) return seeOther(call.base);
  const link = await linkState(context.deps, pageOf(call, subject), token);
  if (link.state === 'unknown') {
    const unknown = { cause: 'unknown', atMs: null, maskedEmail: null } as const;
    return show(context, call, { name: 'link_over', ...unknown });
  }
  if (link.state !== 'valid') {
    const { state: cause, maskedAddress: maskedEmail } = link;
    const atMs = link.state === 'used' ? link.usedAtMs : link.endsAtMs;
    return show(context, call, { name: 'link_over', cause, atMs, maskedEmail });
  }
  const browser = call.cookies.get('browser');
  const auto = browser !== undefined && link.browserHash === hashBrowser(browser);
  return show(context, call, { name: 'enter', email: link.address, auto });
}

async function enter({ deps }: PageContext, call: AnyCall, subject: Subject): Promise<PageAnswer> {
  const link = call.cookies.get('link');
  if (link === undefined) return seeOther(call.base);
  try {
    const page = pageOf(call, subject);
    return signedIn(call, (await redeemLink(deps, page, link, localeFor(call, null))).token);
  } catch (error) {
    // The page says whether it was used or is over.
    if (isCode(error, 'InvalidSignInLink')) return seeOther(`${call.base}/enter`);
    throw error;
  }
}

function signedIn({ base }: Pick<AnyCall, 'base'>, token: string): PageAnswer {
  const cookies: readonly Cookie[] = [
    { name: 'session', value: token, path: base },
    { name: 'link', value: '', path: base },
  ];
  return seeOther(base, cookies);
}

async function signOut({ deps }: PageContext, call: AnyCall): Promise<PageAnswer> {
  await endSession(deps, call.cookies.get('session') ?? '');
  return seeOther(call.base, [{ name: 'session', value: '', path: call.base }]);
}
