// The view of the pages of the KYC form: of a payment's buyer, of a form without a payment, of one
// owner, and of a phone. Each sees the frame that its session may see.
import { type PageSession, sessionEnd } from '../../../../core/domain/access/page-session.js';
import type { Mode } from '../../../../core/domain/base/tenant.js';
import { askedOf } from '../../../../core/domain/hosted/kyc-draft.js';
import type { Organization } from '../../../../core/domain/parties/organization.js';
import { PonteError } from '../../../../core/errors.js';
import type { KycSession } from '../../../../core/usecases/hosted/form-subjects.js';
import { type KycForm, openKycForm } from '../../../../core/usecases/hosted/kyc-forms.js';
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
import type { Scene } from '../scene.js';
import { correctionLines } from './correction-lines.js';
import { type KycFacts, type KycScene, kycScene } from './kyc-scene.js';

export type AnyCall = PageCall<PageAuth, unknown>;

/** The pages of a form: whose it is, where they are, and the frame around them. */
export interface FormPlace {
  /** NotFound without a session. */
  load(context: PageContext, call: AnyCall): Promise<LoadedForm>;
  /** Below it the paths of the form begin, as `/kyc/company`. */
  base(call: AnyCall): string;
  /** What says how far the form is. */
  home(call: AnyCall): string;
  /** Where the sent form leads; to its home if this is absent. */
  sent?(call: AnyCall): string;
  /** The page of the partner's terms; absent where it is a step of the form. */
  terms?(call: AnyCall): string;
}

/** A place whose form also takes files from a phone. */
export interface PhonePlace extends FormPlace {
  /** The view without a session: it has nothing of the form. */
  bare(context: PageContext, call: AnyCall): Promise<PageView>;
  /** Whether a session is about the form in the path. */
  isOf(context: PageContext, call: AnyCall, session: PageSession): Promise<boolean>;
}

export interface LoadedForm {
  readonly view: Pick<PageView, 'locale'>;
  readonly form: KycForm;
  readonly session: KycSession;
  /** Who is paid; null without a payment. */
  readonly payee: string | null;
  /** Whether the form can be filled in; else the home of the form says more. */
  readonly isOpen: boolean;
  show(content: (scene: Scene) => ScreenContent, status: number): PageAnswer;
}

export const paymentPlace: PhonePlace = {
  async load(context, call) {
    const { deps } = context;
    const session = sessionOf(call);
    const form = await openKycForm(deps, session);
    const shown = await readPaymentPage(deps, call.params['publicId'] ?? '');
    const view = paymentView(context, call, shown, { name: 'kyc', state: form.state });
    // A phone shows nothing of the payment.
    const seen = session.kind === 'upload' ? { ...view, payment: null, viewer: null } : view;
    const isOpen = shown.screen === 'kyc_form' || shown.screen === 'kyc_corrections';
    const payee = view.payment?.payee ?? null;
    return { ...inFrame({ ...seen, simulate: null }), form, session, payee, isOpen };
  },
  base: ({ base }) => base,
  home: ({ base }) => base,
  async bare(context, call) {
    const page = { name: 'kyc', state: 'form' } as const;
    const shown = await readPaymentPage(context.deps, call.params['publicId'] ?? '');
    const view = paymentView(context, call, shown, page);
    return { ...view, payment: null, viewer: null, simulate: null };
  },
  async isOf({ deps }, { params }, { paymentId }) {
    const publicId = params['publicId'] ?? '';
    const payment = await deps.store.run((tx) => tx.payments.byPublicId(publicId));
    return payment !== null && payment.id === paymentId;
  },
};

/** A form without a payment, and the part of an owner in any form of a buyer. */
export const formPlace = {
  async load(context: PageContext, call: AnyCall) {
    const session = sessionOf(call);
    const form = await openKycForm(context.deps, session);
    const page = { name: 'kyc', state: form.state } as const;
    const asked = session.kind === 'owner' ? askedOf(form.draft, session.ownerIndex) : null;
    const view = await formView(context, call, page, asked?.email ?? form.email ?? '');
    const isOpen = form.state === 'form' || form.state === 'corrections';
    return { ...inFrame(view), form, session, payee: null, isOpen };
  },
  base: ({ base }: AnyCall) => base,
  home: ({ base }: AnyCall) => base,
  bare: (context: PageContext, call: AnyCall) =>
    formView(context, call, { name: 'kyc', state: 'form' }, ''),
  async isOf({ deps }: PageContext, { params }: AnyCall, { submissionId }: PageSession) {
    const flowId = params['flowId'] ?? '';
    const submission = await deps.store.run((tx) => tx.buyers.submissionByFlow(flowId));
    return submission !== null && submission.id === submissionId;
  },
} satisfies PhonePlace;

/** In the frame of the hosted pages. */
export function inFrame(view: PageView) {
  const show: LoadedForm['show'] = (content, status) => html(renderContent(view, content), status);
  return { view, show };
}

export function sessionOf({ session }: AnyCall): KycSession {
  if (session === null) throw new PonteError('NotFound');
  const { orgId, mode, kind, paymentId, submissionId, accountId, ownerIndex } = session;
  return { orgId, mode, kind, paymentId, submissionId, accountId, ownerIndex };
}

/** The view of a form without a payment, or of an owner. NotFound for an unknown address. */
export async function formView(
  context: PageContext,
  call: AnyCall,
  page: Page,
  email: string,
): Promise<PageView> {
  const { deps } = context;
  const { organization, submission } = await deps.store.run(async (tx) => {
    const found = await tx.buyers.submissionByFlow(call.params['flowId'] ?? '');
    const of = found === null ? null : await tx.organizations.get(found.orgId);
    if (found === null || of === null) throw new PonteError('NotFound');
    return { organization: of, submission: found };
  });
  const { session } = call;
  const { mode } = submission;
  const view = unpaidView(context, call, { organization, mode, page, email });
  const corrections = correctionLines(deps, submission, view.locale);
  const isBuyer = session?.kind === 'buyer';
  return {
    ...view,
    kyc: {
      ...noKyc,
      started: true,
      submittedAtMs: submission.submittedAtMs,
      correctByMs: isBuyer ? submission.answerByMs : null,
      corrections: isBuyer ? corrections : [],
    },
  };
}

/** The view of a page without a payment. */
export function unpaidView(
  { deps, prefix, mailbox }: PageContext,
  call: AnyCall,
  {
    organization,
    mode,
    page,
    email,
  }: {
    readonly organization: Organization;
    readonly mode: Mode;
    readonly page: Page;
    readonly email: string;
  },
): PageView {
  const { session } = call;
  const isSignedIn = session !== null && session.kind !== 'upload';
  return {
    locale: localeFor(call, null),
    hasDecimalPoint: call.hasDecimalPoint,
    root: prefix,
    path: call.base,
    assets: assetPaths(prefix),
    nowMs: deps.clock.nowMs(),
    mode,
    csrf: call.csrf,
    viewer: isSignedIn ? { email, sessionEndsAtMs: sessionEnd(session) } : null,
    organization: organizationView(organization),
    legal: legalView(organization, deps.settings),
    payment: null,
    kyc: noKyc,
    version: null,
    mailbox: mailbox === null ? null : `${prefix}/dev/mailbox`,
    notice: notices.find((notice) => notice === call.query.get('notice')) ?? null,
    limited: limitIn(call.query, deps.clock.nowMs()),
    simulate: null,
    page,
  };
}

/** A page of the form; `facts` are those of what was typed. */
export function formPage(
  { show, form }: Pick<LoadedForm, 'show' | 'form'>,
  screen: (scene: KycScene) => ScreenContent,
  facts: Partial<KycFacts> = {},
): PageAnswer {
  const known = { form, typed: {}, problems: null, isAddressWrong: false, ...facts };
  const isWrong = facts.problems != null || facts.isAddressWrong === true;
  return show((scene) => screen(kycScene(scene, known)), isWrong ? UNPROCESSABLE : 200);
}

/** The form is shown again, with what is wrong. */
const UNPROCESSABLE = 422;

/** The full address of a path of the pages. */
export function urlOf({ deps }: PageContext, path: string): string {
  return new URL(path, deps.settings.payUrl).href;
}
