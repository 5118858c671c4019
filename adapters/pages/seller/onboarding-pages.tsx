// The onboarding of a seller, by the link that its organization made: the form of its details, the
// partner's terms, documents, and the PIX key. The form is that of a buyer (pages/kyc).
import { modes, type Tenant } from '../../../core/domain/base/tenant.js';
import { payeeNameOf } from '../../../core/domain/parties/connected-account.js';
import { hadDestination } from '../../../core/domain/parties/payee.js';
import { expectFound, isCode } from '../../../core/errors.js';
import { openKycForm } from '../../../core/usecases/hosted/kyc-forms.js';
import {
  onboardingLinkState,
  readOnboarding,
  redeemOnboardingLink,
  setFirstDestination,
} from '../../../core/usecases/hosted/onboarding-links.js';
import type { ScreenContent } from '../hosted/layout.js';
import type { Scene } from '../hosted/scene.js';
import { type AnyCall, unpaidView } from '../hosted/unpaid-view.js';
import { openedLink, signOutRow } from '../kit/access-pages.js';
import type { FieldError } from '../kit/fields.js';
import { type PageAnswer, type PageContext, type PageRoute, seeOther } from '../kit/page-route.js';
import { readFields, type TypedForm } from '../kit/pages/form-page.js';
import { destinationOf, pixFields } from '../kit/pix/pix-form.js';
import { pixTexts } from '../kit/pix/pix-texts.js';
import { nameOf } from '../kit/plain-text.js';
import { returnPath } from '../kit/return-after-sign-in.js';
import type { TypedCall } from '../kyc/form-pages.js';
import { hostedFormRows, hostedRows } from '../kyc/form-rows.js';
import { formPage, inFrame, type PhonePlace, sessionOf } from '../kyc/kyc-view.js';
import {
  closedScreen,
  enterScreen,
  homeScreen,
  linkEndedScreen,
  pixScreen,
} from './onboarding-screens.js';
import { onboardingTexts } from './onboarding-texts.js';

const at = { subject: 'seller', root: '/onboarding/{orgId}/{mode}/{accountId}' } as const;

const sellerPlace: PhonePlace = {
  async load(context, call) {
    const session = sessionOf(call);
    const form = await openKycForm(context.deps, session);
    const isOpen = form.state === 'form' || form.state === 'corrections';
    const view = await viewOf(context, call);
    return { ...inFrame(view), form, session, payee: null, isOpen };
  },
  base: ({ base }) => base,
  home: ({ base }) => base,
  bare: viewOf,
  async isOf(_, { params }, { orgId, mode, accountId }) {
    const isTenant = orgId === params['orgId'] && mode === params['mode'];
    return isTenant && accountId !== null && accountId === params['accountId'];
  },
};

const anybody = hostedRows(at, sellerPlace, 'none');
const seller = hostedRows(at, sellerPlace, 'buyer');

export const onboardingPages: readonly PageRoute[] = [
  anybody.shows('', showHome),
  anybody.shows('/enter', showEnter),
  anybody.takes('/enter', enter),
  signOutRow(at.subject, at.root, 'kyc'),
  seller.shows('/pix', (context, call) => showPix(context, call, null)),
  seller.takes('/pix', setPix),
  ...hostedFormRows(at, sellerPlace),
];

/** What the path names. NotFound for another mode. */
function sellerIn({ params }: AnyCall): { readonly tenant: Tenant; readonly accountId: string } {
  const mode = expectFound(modes.find((known) => known === params['mode']));
  return { tenant: { orgId: params['orgId'] ?? '', mode }, accountId: params['accountId'] ?? '' };
}

function read({ deps }: PageContext, call: AnyCall) {
  const { tenant, accountId } = sellerIn(call);
  return readOnboarding(deps, tenant, accountId);
}

async function viewOf(context: PageContext, call: AnyCall) {
  const { organization, account } = await read(context, call);
  const page = { name: 'kyc', state: 'form' } as const;
  const email = account.email ?? '';
  return unpaidView(context, call, { organization, mode: account.mode, page, email });
}

async function show(
  context: PageContext,
  call: AnyCall,
  screen: (scene: Scene) => ScreenContent,
  status = 200,
): Promise<PageAnswer> {
  return inFrame(await viewOf(context, call)).show(screen, status);
}

async function showHome(context: PageContext, call: AnyCall): Promise<PageAnswer> {
  const opened = openedLink(call);
  if (opened !== null) return opened;
  if (call.session === null) return show(context, call, closedScreen);
  const [loaded, onboarding] = await Promise.all([
    sellerPlace.load(context, call),
    read(context, call),
  ]);
  return formPage(loaded, (scene) => homeScreen(scene, onboarding));
}

async function showEnter(context: PageContext, call: AnyCall): Promise<PageAnswer> {
  const token = call.cookies.get('link');
  if (token === undefined) return seeOther(call.base);
  const { tenant, accountId } = sellerIn(call);
  const onboarding = await read(context, call);
  const link = await onboardingLinkState(context.deps, tenant, accountId, token);
  // Who is in opens the link again to come back.
  if (link.state !== 'valid' && call.session !== null) return seeOther(call.base);
  return show(context, call, (scene) =>
    link.state === 'valid' ? enterScreen(scene, onboarding) : linkEndedScreen(scene, link),
  );
}

async function enter(context: PageContext, call: AnyCall): Promise<PageAnswer> {
  const { tenant, accountId } = sellerIn(call);
  const token = call.cookies.get('link');
  if (token === undefined) return seeOther(call.base);
  const made = await redeemOnboardingLink(context.deps, tenant, accountId, token);
  // The page says whether the link is used or over. A second click comes after the first.
  if (made === null) return seeOther(call.session === null ? `${call.base}/enter` : call.base);
  return seeOther(returnPath(call.base, call.cookies), [
    { name: 'session', value: made.token, path: call.base },
    { name: 'link', value: '', path: call.base },
    { name: 'back', value: '', path: call.base },
  ]);
}

/** The page of the state says more where no PIX key can be set. */
async function showPix(
  context: PageContext,
  call: AnyCall,
  sent: { readonly typed: TypedForm; readonly errors: readonly FieldError[] } | null,
): Promise<PageAnswer> {
  const { account, change } = await read(context, call);
  const isSet = hadDestination(account) || change !== null;
  if (account.status !== 'approved' || isSet) return seeOther(call.base);
  const { typed, errors } = sent ?? { typed: { holder: payeeNameOf(account) ?? '' }, errors: [] };
  const screen = (scene: Scene) => pixScreen(scene, typed, errors);
  return show(context, call, screen, errors.length === 0 ? 200 : 422);
}

async function setPix(context: PageContext, call: TypedCall): Promise<PageAnswer> {
  const { form: typed } = call;
  const again = (errors: readonly FieldError[]) => showPix(context, call, { typed, errors });
  const { locale, organization } = await viewOf(context, call);
  const words = pixTexts[locale];
  const { values, errors } = readFields(pixFields(words), typed);
  if (values === null) return again(errors);
  const { tenant, accountId } = sellerIn(call);
  const refused = (text: string) => again([{ field: 'pixKey', text }]);
  try {
    await setFirstDestination(context.deps, tenant, accountId, destinationOf(values));
  } catch (error) {
    if (isCode(error, 'ValidationError')) return refused(words.refused);
    if (isCode(error, 'InsufficientScope')) {
      return refused(onboardingTexts[locale].pixTaken(nameOf(organization?.name ?? '')));
    }
    // The approval was withdrawn meanwhile: the page shows it.
    if (!isCode(error, 'ConnectedAccountNotApproved')) throw error;
  }
  return seeOther(call.base);
}
