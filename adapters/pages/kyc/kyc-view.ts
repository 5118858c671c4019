// Where the KYC form is, whose it is, and the frame around its pages.
import type { PageSession } from '../../../core/domain/access/session.js';
import { PonteError } from '../../../core/errors.js';
import type { KycSession } from '../../../core/usecases/hosted/form-subjects.js';
import type { KycForm } from '../../../core/usecases/hosted/kyc-forms.js';
import { renderContent, type ScreenContent } from '../hosted/layout.js';
import type { PageView } from '../hosted/page-view.js';
import type { Scene } from '../hosted/scene.js';
import type { AnyCall } from '../hosted/unpaid-view.js';
import { html, type PageAnswer, type PageContext } from '../kit/page-route.js';
import { type KycFacts, type KycScene, kycScene } from './kyc-scene.js';

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

/** Answers a request of the form in any of its places. */
export type FormHandler<P = FormPlace> = (
  context: PageContext,
  call: AnyCall,
  place: P,
) => Promise<PageAnswer>;

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

/** A page of the form; `facts` are those of what was typed. */
export function formPage(
  { show, form }: Pick<LoadedForm, 'show' | 'form'>,
  screen: (scene: KycScene) => ScreenContent,
  facts: Partial<KycFacts> = {},
): PageAnswer {
  const known = { form, typed: {}, problems: null, addressProblem: null, ...facts };
  const isWrong = facts.problems != null || facts.addressProblem != null;
  return show((scene) => screen(kycScene(scene, known)), isWrong ? UNPROCESSABLE : 200);
}

/** The form is shown again, with what is wrong. */
const UNPROCESSABLE = 422;

/** The full address of a path of the pages. */
export function urlOf({ deps }: PageContext, path: string): string {
  return new URL(path, deps.settings.payUrl).href;
}
