// The view of the pages of the KYC form: of a payment's buyer, of a form without a payment, of one
// owner, and of a phone. Each sees the frame that its session may see.
import { sessionEnd } from '../../../../core/domain/access/page-session.js';
import { askedOf } from '../../../../core/domain/hosted/kyc-draft.js';
import { PonteError } from '../../../../core/errors.js';
import {
  type KycForm,
  type KycSession,
  openKycForm,
} from '../../../../core/usecases/hosted/kyc-forms.js';
import { readPaymentPage } from '../../../../core/usecases/hosted/payment-page.js';
import { assetPaths } from '../../kit/assets.js';
import { notices } from '../../kit/frame-view.js';
import { limitIn } from '../../kit/limited.js';
import {
  html,
  type PageAnswer,
  type PageAuth,
  type PageCall,
  type PageContext,
} from '../../kit/page-route.js';
import type { ScreenContent } from '../layout.js';
import { noKyc, type Page, type PageView } from '../page-view.js';
import { legalView, localeFor, organizationView, paymentView } from '../payment-view.js';
import { renderContent } from '../render.js';
import { correctionLines } from './correction-lines.js';
import { type KycFacts, type KycScene, kycScene } from './kyc-scene.js';

export type AnyCall = PageCall<PageAuth, unknown>;
export type KycSubject = 'payment' | 'form' | 'owner';

export interface LoadedForm {
  readonly view: PageView;
  readonly form: KycForm;
  readonly session: KycSession;
  /** Who is paid; null without a payment. */
  readonly payee: string | null;
  /** Whether the form can be filled in; else the page of the payment or form says more. */
  readonly isOpen: boolean;
}

/** NotFound without a session. */
export async function loadForm(
  context: PageContext,
  call: AnyCall,
  subject: KycSubject,
): Promise<LoadedForm> {
  const { deps } = context;
  const session = sessionOf(call);
  const form = await openKycForm(deps, session);
  const page = { name: 'kyc', state: form.state } as const;
  if (subject !== 'payment') {
    const asked = session.kind === 'owner' ? askedOf(form.draft, session.ownerIndex) : null;
    const view = await formView(context, call, page, asked?.email ?? form.email);
    const isOpen = form.state === 'form' || form.state === 'corrections';
    return { view, form, session, payee: null, isOpen };
  }
  const shown = await readPaymentPage(deps, call.params['publicId'] ?? '');
  const view = paymentView(context, call, shown, page);
  // A phone shows nothing of the payment.
  const seen = session.kind === 'upload' ? { ...view, payment: null, viewer: null } : view;
  const isOpen = shown.screen === 'kyc_form' || shown.screen === 'kyc_corrections';
  const payee = view.payment?.payee ?? null;
  return { view: { ...seen, simulate: null }, form, session, payee, isOpen };
}

function sessionOf({ session }: AnyCall): KycSession {
  if (session === null) throw new PonteError('NotFound');
  const { orgId, mode, kind, paymentId, submissionId, ownerIndex } = session;
  return { orgId, mode, kind, paymentId, submissionId, ownerIndex };
}

/** The view of a form without a payment, or of an owner. NotFound for an unknown address. */
export async function formView(
  { deps, prefix, mailbox }: PageContext,
  call: AnyCall,
  page: Page,
  email: string,
): Promise<PageView> {
  const { organization, submission } = await deps.store.run(async (tx) => {
    const found = await tx.buyers.submissionByFlow(call.params['flowId'] ?? '');
    const of = found === null ? null : await tx.organizations.get(found.orgId);
    if (found === null || of === null) throw new PonteError('NotFound');
    return { organization: of, submission: found };
  });
  const { session } = call;
  const isSignedIn = session !== null && session.kind !== 'upload';
  const locale = localeFor(call, null);
  return {
    locale,
    hasDecimalPoint: call.hasDecimalPoint,
    root: prefix,
    path: call.base,
    assets: assetPaths(prefix),
    nowMs: deps.clock.nowMs(),
    mode: submission.mode,
    csrf: call.csrf,
    viewer: isSignedIn ? { email, sessionEndsAtMs: sessionEnd(session) } : null,
    organization: organizationView(organization),
    legal: legalView(organization, deps.settings),
    payment: null,
    kyc: {
      ...noKyc,
      started: true,
      submittedAtMs: submission.submittedAtMs,
      correctByMs: session?.kind === 'buyer' ? submission.answerByMs : null,
      corrections: session?.kind === 'buyer' ? correctionLines(deps, submission, locale) : [],
    },
    version: null,
    mailbox: mailbox === null ? null : `${prefix}/dev/mailbox`,
    notice: notices.find((notice) => notice === call.query.get('notice')) ?? null,
    limited: limitIn(call.query, deps.clock.nowMs()),
    simulate: null,
    page,
  };
}

/** The view without a session: it has nothing of the payment and nothing of the form. */
export async function bareView(
  context: PageContext,
  call: AnyCall,
  subject: KycSubject,
): Promise<PageView> {
  const page = { name: 'kyc', state: 'form' } as const;
  if (subject !== 'payment') return formView(context, call, page, '');
  const shown = await readPaymentPage(context.deps, call.params['publicId'] ?? '');
  const view = paymentView(context, call, shown, page);
  return { ...view, payment: null, viewer: null, simulate: null };
}

/** A page of the form; `facts` are those of what was typed. */
export function formPage(
  { view, form }: Pick<LoadedForm, 'view' | 'form'>,
  screen: (scene: KycScene) => ScreenContent,
  facts: Partial<KycFacts> = {},
): PageAnswer {
  const known = { form, typed: {}, problems: null, isAddressWrong: false, ...facts };
  const isWrong = facts.problems != null || facts.isAddressWrong === true;
  const text = renderContent(view, (scene) => screen(kycScene(scene, known)));
  return html(text, isWrong ? UNPROCESSABLE : 200);
}

/** The form is shown again, with what is wrong. */
const UNPROCESSABLE = 422;

/** The full address of a path of the pages. */
export function urlOf({ deps }: PageContext, path: string): string {
  return new URL(path, deps.settings.payUrl).href;
}
