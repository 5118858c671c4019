// Sign-in to a form without a payment and to the part of an owner: a mail with a link and a code,
// as for a payment. Signed in, the buyer sees the state of the form, the owner their own part.
import type { HostedPage } from '../../../core/domain/hosted/hosted-page.js';
import { PonteError } from '../../../core/errors.js';
import { renderContent, type ScreenContent } from '../hosted/layout.js';
import type { Page } from '../hosted/page-view.js';
import { type AnyCall, localeFor } from '../hosted/unpaid-view.js';
import { accessRows, openedLink, signOutRow } from '../kit/access-pages.js';
import { Form, Submit } from '../kit/components.js';
import {
  html,
  type PageAnswer,
  type PageContext,
  type PageRoute,
  rowsAt,
  seeOther,
} from '../kit/page-route.js';
import { nameOf } from '../kit/plain-text.js';
import type { BareScene } from '../kyc/kyc-scene.js';
import { kycCatalogues } from '../kyc/kyc-texts.js';
import { formPlace, formView } from './kyc-places.js';
import { renderPage } from './render.js';

type Subject = 'form' | 'owner';

export function formAccess(subject: Subject, root: string): readonly PageRoute[] {
  return [
    rowsAt(subject, root).shows('', 'none', (context, call) => showEntry(context, call, subject)),
    ...accessRows({
      subject,
      root,
      sessionCookie: 'session',
      asksAddress: false,
      show,
      pageOf: (call) => pageOf(call, subject),
      localeOf: async (_, call) => localeFor(call, null),
      entered: async () => undefined,
    }),
    signOutRow(subject, root, 'kyc'),
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

async function showEntry(context: PageContext, call: AnyCall, subject: Subject) {
  const opened = openedLink(call);
  if (opened !== null) return opened;
  if (call.session !== null) {
    const { view, form } = await formPlace.load(context, call);
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
  const { texts, words, view } = scene;
  return {
    title: words.ask.heading(nameOf(view.organization?.name ?? '')),
    lede: subject === 'owner' ? words.ask.owner : words.ask.lede,
    station: null,
    body: (
      <Form to="link" class="card stack-s">
        <Submit>{texts.ask.send}</Submit>
        <p class="small quiet">{words.ask.sendHint}</p>
      </Form>
    ),
  };
}
