// The handlers of documents in the KYC form: the page, an upload, a removal, and the way over a
// phone. A refused file is named in the address, so that a reload sends nothing again.
import type { PageSession } from '../../../core/domain/access/session.js';
import { linkTokenIn } from '../../../core/domain/base/link-text.js';
import { fileFieldOf } from '../../../core/domain/hosted/kyc-fields.js';
import { type VerificationKind, verificationKinds } from '../../../core/domain/parties/document.js';
import { PonteError } from '../../../core/errors.js';
import { readSession } from '../../../core/usecases/access/open-sessions.js';
import {
  documentLimits,
  redeemPhoneUpload,
  removePageDocument,
  startPhoneUpload,
  storePageDocument,
} from '../../../core/usecases/hosted/page-documents.js';
import { renderContent, type ScreenContent } from '../hosted/layout.js';
import type { AnyCall } from '../hosted/unpaid-view.js';
import type { Cookie } from '../kit/cookies.js';
import { fileRowId } from '../kit/fields.js';
import { readFile } from '../kit/files/uploaded-file.js';
import { html, type PageAnswer, type PageContext, seeOther } from '../kit/page-route.js';
import {
  documentsScreen,
  memberPhoneScreen,
  phoneEndedScreen,
  phoneEnterScreen,
  phoneScreen,
  phoneUploadsScreen,
  type RefusedFile,
} from './document-screens.js';
import { type BareScene, controlId, type Limits } from './kyc-scene.js';
import { kycCatalogues } from './kyc-texts.js';
import {
  type FormHandler,
  type FormPlace,
  formPage,
  type LoadedForm,
  type PhonePlace,
  urlOf,
} from './kyc-view.js';
import { ownDocumentsScreen } from './owner-screens.js';
import { kycEn } from './texts/kyc-en.js';

const kinds = Object.keys(verificationKinds) as readonly VerificationKind[];
const refusals = Object.keys(kycEn.documents.refusals) as readonly RefusedFile['reason'][];

/** Null where files are not stored. */
function limitsOf({ deps }: PageContext, { session }: LoadedForm): Limits | null {
  if (deps.documents === null) return null;
  const limits = kinds.map((kind) => [kind, documentLimits(deps, session, kind)]);
  return Object.fromEntries(limits) as Limits;
}

function refusedIn({ query }: AnyCall): RefusedFile | null {
  const reason = refusals.find((one) => one === query.get('refused'));
  return reason === undefined ? null : { reason, id: query.get('file') ?? '' };
}

export function documentsPage(context: PageContext, call: AnyCall, loaded: LoadedForm): PageAnswer {
  const limits = limitsOf(context, loaded);
  const { kind, ownerIndex } = loaded.session;
  const props = { limits, refused: refusedIn(call) };
  return formPage(loaded, (scene) => {
    if (kind === 'upload') return phoneUploadsScreen(scene, { ...props, payee: loaded.payee });
    if (ownerIndex !== null) return ownDocumentsScreen(scene, { ...props, owner: ownerIndex });
    const content = documentsScreen(scene, props);
    // A phone was given the link: its files appear by themselves.
    return call.query.has('phone') ? { ...content, live: true } : content;
  });
}

export const showDocuments: FormHandler = async (context, call, place) => {
  const loaded = await place.load(context, call);
  return loaded.isOpen ? documentsPage(context, call, loaded) : seeOther(place.home(call));
};

export const uploadFile: FormHandler = async (context, call, place) => {
  const loaded = await place.load(context, call);
  if (!loaded.isOpen) throw new PonteError('PaymentStateConflict');
  const { session } = loaded;
  const { kind, owner } = fileIn(call, loaded);
  const reason = await readFile(call, (file) =>
    storePageDocument(context.deps, session, { kind, owner, ...file }),
  );
  const id = controlId({ field: fileFieldOf(kind), owner });
  const page = documentsPath(place, call, loaded);
  if (reason === null) return seeOther(`${page}#${fileRowId(id)}`);
  return seeOther(`${page}?${new URLSearchParams({ refused: reason, file: id })}#${id}`);
};

export const removeFile: FormHandler = async (context, call, place) => {
  const loaded = await place.load(context, call);
  if (!loaded.isOpen) throw new PonteError('PaymentStateConflict');
  await removePageDocument(context.deps, loaded.session, fileIn(call, loaded));
  return seeOther(documentsPath(place, call, loaded));
};

function documentsPath(place: FormPlace, call: AnyCall, { session }: LoadedForm): string {
  return `${place.base(call)}/kyc/${session.kind === 'upload' ? 'phone' : 'documents'}`;
}

/** NotFound for an unknown kind. The files of an owner's session are the owner's. */
function fileIn({ params }: AnyCall, { session }: LoadedForm) {
  const kind = kinds.find((one) => one === params['kind']);
  const owner = params['owner'] ?? `${session.ownerIndex ?? ''}`;
  if (kind === undefined || !/^\d{0,6}$/.test(owner)) throw new PonteError('NotFound');
  return { kind, owner: owner === '' ? null : Number.parseInt(owner, 10) };
}

/** Shows the code for a phone. */
export const startPhone: FormHandler<PhonePlace> = async (context, call, place) => {
  const { isOpen, session } = await place.load(context, call);
  if (!isOpen) throw new PonteError('PaymentStateConflict');
  const token = await startPhoneUpload(context.deps, session);
  const url = urlOf(context, `${call.base}/kyc/phone/enter?token=${token}`);
  // Starting it stores the form: the page reports what changes after that.
  const loaded = await place.load(context, call);
  return formPage(loaded, (scene) => phoneScreen(scene, url));
};

/** Shows a member the code of the documents, for a phone. */
export const showMemberPhone: FormHandler = async (context, call, place) => {
  const loaded = await place.load(context, call);
  if (!loaded.isOpen) return seeOther(place.home(call));
  const url = urlOf(context, `${place.base(call)}/kyc/documents`);
  return formPage(loaded, (scene) => memberPhoneScreen(scene, url));
};

/** What a phone may do; a buyer has the page of the documents. */
export const showPhone: FormHandler<PhonePlace> = async (context, call, place) => {
  const loaded = await place.load(context, call);
  if (loaded.session.kind !== 'upload') return seeOther(`${call.base}/kyc/documents`);
  return loaded.isOpen ? documentsPage(context, call, loaded) : seeOther(place.home(call));
};

/** The link in the code. Nothing is used up before the button is pressed. */
export const showPhoneEnter: FormHandler<PhonePlace> = async (context, call, place) => {
  const token = linkTokenIn(call.query);
  if (token !== null) {
    const value = token || 'unknown';
    return seeOther(`${call.base}/kyc/phone/enter`, [{ name: 'link', value, path: call.base }]);
  }
  const session = await linkedSession(context, call, place);
  if (session === null) return bare(context, call, place, phoneEndedScreen);
  const loaded = await place.load(context, { ...call, session });
  return formPage(loaded, (scene) => phoneEnterScreen(scene, loaded));
};

/** The session of the opened link; null if the link is used, over, or for another form. */
async function linkedSession(
  context: PageContext,
  call: AnyCall,
  place: PhonePlace,
): Promise<PageSession | null> {
  const token = call.cookies.get('link') ?? '';
  const session = await readSession(context.deps, ['upload'], token, { background: true });
  if (session === null) return null;
  return (await place.isOf(context, call, session)) ? session : null;
}

export const enterPhone: FormHandler<PhonePlace> = async (context, call, place) => {
  const made = await redeemPhoneUpload(context.deps, call.cookies.get('link') ?? '');
  if (made === null) return bare(context, call, place, phoneEndedScreen);
  const cookies: readonly Cookie[] = [
    { name: 'session', value: made.token, path: call.base },
    { name: 'link', value: '', path: call.base },
  ];
  return seeOther(`${call.base}/kyc/phone`, cookies);
};

/** A page that is shown without a session. */
async function bare(
  context: PageContext,
  call: AnyCall,
  place: PhonePlace,
  screen: (scene: BareScene) => ScreenContent,
): Promise<PageAnswer> {
  const view = await place.bare(context, call);
  return html(
    renderContent(view, (scene) => screen({ ...scene, words: kycCatalogues[view.locale] })),
  );
}
