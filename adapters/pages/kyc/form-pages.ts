// The handlers of the pages of the KYC form that take data: steps, owners, terms and review. After
// a change the buyer is sent to the next page that has something to do.
import type { EmailProblem } from '../../../core/domain/base/email-address.js';
import { partOf } from '../../../core/domain/hosted/kyc-draft.js';
import type { Typed } from '../../../core/domain/hosted/kyc-fields.js';
import {
  fieldsFor,
  type KycStep,
  kycSteps,
  kycStepsOf,
  nextKycStep,
  type OwnerPage,
} from '../../../core/domain/hosted/kyc-form.js';
import { TERMS } from '../../../core/domain/parties/party-due.js';
import { answered, expectFound, PonteError } from '../../../core/errors.js';
import {
  acceptKycTerms,
  kycTermsUrl,
  openKycForm,
  saveKycPage,
  submitKycForm,
} from '../../../core/usecases/hosted/kyc-forms.js';
import {
  addOwner,
  askOwner,
  finishOwnerPart,
  removeOwner,
  takeBackForm,
  takeBackOwner,
} from '../../../core/usecases/hosted/kyc-owners.js';
import type { ScreenContent } from '../hosted/layout.js';
import type { AnyCall } from '../hosted/unpaid-view.js';
import {
  limitReached,
  type PageAnswer,
  type PageAuth,
  type PageCall,
  type PageContext,
  seeOther,
  withNotice,
} from '../kit/page-route.js';
import { documentsPage } from './file-pages.js';
import type { KycScene } from './kyc-scene.js';
import { type FormHandler, type FormPlace, formPage, type LoadedForm, urlOf } from './kyc-view.js';
import { ownerScreen, ownersScreen, ownPartScreen } from './owner-screens.js';
import { reviewScreen } from './review-screen.js';
import { dataScreen, termsScreen, typeScreen } from './step-screens.js';

export type TypedCall = PageCall<PageAuth, Typed>;

/** Steps that are one form with one screen. */
const screens: Readonly<Partial<Record<KycStep, (scene: KycScene) => ScreenContent>>> = {
  type: typeScreen,
  person: (scene) => dataScreen(scene, 'person'),
  company: (scene) => dataScreen(scene, 'company'),
  address: (scene) => dataScreen(scene, 'address'),
  owners: ownersScreen,
  review: (scene) => reviewScreen(scene),
};

export const showStep: FormHandler = async (context, call, place) => {
  const loaded = await place.load(context, call);
  const { form } = loaded;
  if (!loaded.isOpen) return seeOther(place.home(call));
  const step = kycStepsOf(form).find((one) => one === call.params['step']);
  if (step === undefined) return seeOther(stepPath(place, call, nextKycStep(form.steps)));
  if (step === 'documents') return documentsPage(context, call, loaded);
  if (step === 'terms' && place.terms !== undefined) return seeOther(place.terms(call));
  if (step === 'terms') return showTerms(context, call, place, loaded);
  const screen = expectFound(screens[step]);
  return formPage(loaded, screen);
};

export async function saveStep(
  context: PageContext,
  call: TypedCall,
  place: FormPlace,
): Promise<PageAnswer> {
  const { deps } = context;
  const page = expectFound(kycSteps.find((one) => one === call.params['step']));
  const { session } = await openForm(context, call, place);
  if (page === 'review') return send(context, call, place);
  if (page === 'terms') return acceptTerms(context, call, place);
  const screen = screens[page];
  if (screen === undefined || page === 'owners') throw new PonteError('NotFound');
  const problems = await saveKycPage(deps, session, { page, typed: call.form });
  if (problems === null) return next(context, call, place, session, page);
  const facts = { typed: call.form, problems };
  return formPage(await place.load(context, call), screen, facts);
}

/** PaymentStateConflict if the form is closed: the page shows why. */
async function openForm(context: PageContext, call: AnyCall, place: FormPlace) {
  const loaded = await place.load(context, call);
  if (!loaded.isOpen) throw new PonteError('PaymentStateConflict');
  return loaded;
}

async function next(
  { deps }: PageContext,
  call: AnyCall,
  place: FormPlace,
  session: LoadedForm['session'],
  after: KycStep,
): Promise<PageAnswer> {
  const { steps } = await openKycForm(deps, session);
  return seeOther(stepPath(place, call, nextKycStep(steps, after)));
}

function stepPath(place: FormPlace, call: AnyCall, step: string): string {
  return `${place.base(call)}/kyc/${step}`;
}

async function send(context: PageContext, call: TypedCall, place: FormPlace) {
  const { session } = await openForm(context, call, place);
  const version = Number.parseInt(call.form['form'] ?? '', 10);
  const sent = await submitKycForm(context.deps, session, version);
  if (sent.outcome === 'submitted') return seeOther(place.sent?.(call) ?? place.home(call));
  if (sent.outcome === 'refused') {
    const loaded = await place.load(context, call);
    return formPage(loaded, (scene) => reviewScreen(scene, sent.corrections));
  }
  const review = stepPath(place, call, 'review');
  return seeOther(sent.outcome === 'changed' ? withNotice(review, 'out_of_date') : review);
}

async function showTerms(
  context: PageContext,
  call: AnyCall,
  place: FormPlace,
  loaded: LoadedForm,
) {
  const { form, session } = loaded;
  const tosId = call.query.get('tos_id');
  const isRefused = form.corrections.some((one) => one.place?.field === TERMS);
  const isAccepted = !isRefused && (form.draft.dossier.tosId ?? null) !== null;
  const back = urlOf(context, stepPath(place, call, 'terms'));
  const needsUrl = !isAccepted && tosId === null;
  const url = needsUrl ? await kycTermsUrl(context.deps, session, back) : null;
  return formPage(loaded, (scene) => termsScreen(scene, { url, tosId }));
}

async function acceptTerms(context: PageContext, call: TypedCall, place: FormPlace) {
  const { session } = await openForm(context, call, place);
  const tosId = call.form['tosId'] ?? '';
  if (tosId !== '') {
    const accepted = acceptKycTerms(context.deps, session, tosId);
    // The first terms stay accepted.
    await accepted.catch(answered({ TosIdMismatch: () => undefined }));
  }
  return next(context, call, place, session, 'terms');
}

export async function handOverForm(context: PageContext, call: TypedCall, place: FormPlace) {
  const sent = await ask(context, call, place, {
    owner: null,
    page: stepPath(place, call, 'type'),
  });
  if (typeof sent !== 'string') return sent;
  const loaded = await place.load(context, call);
  return formPage(loaded, typeScreen, { addressProblem: sent });
}

/** Where it leads, or why the address is none. */
async function ask(
  context: PageContext,
  call: TypedCall,
  place: FormPlace,
  { owner, page }: { readonly owner: number | null; readonly page: string },
): Promise<PageAnswer | EmailProblem> {
  const { session, view } = await openForm(context, call, place);
  const { client } = call;
  const asked = { owner, email: call.form['email'] ?? '', locale: view.locale, client };
  try {
    return (await askOwner(context.deps, session, asked)) ?? seeOther(page);
  } catch (error) {
    return limitReached(context, error, 'mail_too_soon', page);
  }
}

export async function takeBackHandOver(context: PageContext, call: AnyCall, place: FormPlace) {
  const { session } = await openForm(context, call, place);
  await takeBackForm(context.deps, session, call.session?.id ?? '');
  return seeOther(stepPath(place, call, 'type'));
}

export async function addOwnerTo(context: PageContext, call: AnyCall, place: FormPlace) {
  const { session } = await openForm(context, call, place);
  const owner = await addOwner(context.deps, session);
  return seeOther(stepPath(place, call, `owners/${owner}`));
}

/** The number in the path. NotFound for anything else. */
function ownerIn({ params }: Pick<AnyCall, 'params'>): number {
  const owner = params['owner'] ?? '';
  if (!/^\d{1,6}$/.test(owner)) throw new PonteError('NotFound');
  return Number.parseInt(owner, 10);
}

/** The other page of an owner, where it has something to fill in; null behind the last. */
function otherPage(
  { form }: Pick<LoadedForm, 'form'>,
  owner: number,
  page: OwnerPage,
): 'papers' | null {
  const hasPapers = fieldsFor(form, 'owner_papers', owner, form.author).length > 0;
  return page === 'owner' && hasPapers ? 'papers' : null;
}

/** An answer may ask for something of the second page alone. */
function isPassed({ form }: Pick<LoadedForm, 'form'>, owner: number, page: OwnerPage): boolean {
  return page === 'owner' && fieldsFor(form, page, owner, form.author).length === 0;
}

export const showOwner =
  (page: OwnerPage) => async (context: PageContext, call: AnyCall, place: FormPlace) => {
    const loaded = await place.load(context, call);
    if (!loaded.isOpen) return seeOther(place.home(call));
    const owner = ownerIn(call);
    if (partOf(loaded.form.draft, owner) === null) return seeOther(stepPath(place, call, 'owners'));
    if (isPassed(loaded, owner, page)) {
      return seeOther(stepPath(place, call, `owners/${owner}/papers`));
    }
    return formPage(loaded, (scene) => ownerScreen(scene, owner, page));
  };

export const saveOwner =
  (page: OwnerPage) => async (context: PageContext, call: TypedCall, place: FormPlace) => {
    const owner = ownerIn(call);
    const { session } = await openForm(context, call, place);
    const typed = call.form;
    const problems = await saveKycPage(context.deps, session, { page, owner, typed });
    const loaded = await place.load(context, call);
    if (problems !== null) {
      return formPage(loaded, (scene) => ownerScreen(scene, owner, page), { typed, problems });
    }
    const other = otherPage(loaded, owner, page);
    return seeOther(stepPath(place, call, other === null ? 'owners' : `owners/${owner}/${other}`));
  };

export async function removeOwnerFrom(context: PageContext, call: AnyCall, place: FormPlace) {
  const { session } = await openForm(context, call, place);
  await removeOwner(context.deps, session, ownerIn(call));
  return seeOther(stepPath(place, call, 'owners'));
}

export async function askOwnerFor(context: PageContext, call: TypedCall, place: FormPlace) {
  const owner = ownerIn(call);
  const typed = call.form;
  const sent = await ask(context, call, place, { owner, page: stepPath(place, call, 'owners') });
  if (typeof sent !== 'string') return sent;
  const loaded = await place.load(context, call);
  return formPage(loaded, (scene) => ownerScreen(scene, owner), { typed, addressProblem: sent });
}

export async function takeBackPart(context: PageContext, call: AnyCall, place: FormPlace) {
  const { session } = await openForm(context, call, place);
  const owner = ownerIn(call);
  await takeBackOwner(context.deps, session, owner);
  return seeOther(stepPath(place, call, `owners/${owner}`));
}

/** The part of the owner whose session it is. */
export const showOwnPart =
  (page: OwnerPage) => async (context: PageContext, call: AnyCall, place: FormPlace) => {
    const loaded = await place.load(context, call);
    if (!loaded.isOpen) return seeOther(place.home(call));
    const owner = ownOf(loaded);
    if (isPassed(loaded, owner, page)) return seeOther(stepPath(place, call, 'owner/papers'));
    return formPage(loaded, (scene) => ownPartScreen(scene, owner, page));
  };

export const saveOwnPart =
  (page: OwnerPage) => async (context: PageContext, call: TypedCall, place: FormPlace) => {
    const { session, ...opened } = await openForm(context, call, place);
    const owner = ownOf({ session, ...opened });
    const typed = call.form;
    const problems = await saveKycPage(context.deps, session, { page, owner, typed });
    const loaded = await place.load(context, call);
    if (problems !== null) {
      return formPage(loaded, (scene) => ownPartScreen(scene, owner, page), { typed, problems });
    }
    const other = otherPage(loaded, owner, page);
    return seeOther(stepPath(place, call, other === null ? 'documents' : `owner/${other}`));
  };

export async function finishOwnPart(context: PageContext, call: AnyCall, place: FormPlace) {
  const { session } = await openForm(context, call, place);
  await finishOwnerPart(context.deps, session);
  return seeOther(stepPath(place, call, 'documents'));
}

function ownOf({ session }: Pick<LoadedForm, 'session'>): number {
  if (session.ownerIndex === null) throw new PonteError('NotFound');
  return session.ownerIndex;
}
