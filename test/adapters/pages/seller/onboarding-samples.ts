// The pages of a seller's onboarding with realistic facts, for their tests and for the gallery.

import type { ScreenContent } from '../../../../adapters/pages/hosted/layout.js';
import type { Scene } from '../../../../adapters/pages/hosted/scene.js';
import { pixTexts } from '../../../../adapters/pages/kit/pix/pix-texts.js';
import { nameOf } from '../../../../adapters/pages/kit/plain-text.js';
import { type KycScene, kycScene } from '../../../../adapters/pages/kyc/kyc-scene.js';
import { reviewScreen } from '../../../../adapters/pages/kyc/review-screen.js';
import { dataScreen } from '../../../../adapters/pages/kyc/step-screens.js';
import {
  closedScreen,
  enterScreen,
  homeScreen,
  linkEndedScreen,
  pixScreen,
} from '../../../../adapters/pages/seller/onboarding-screens.js';
import { onboardingTexts } from '../../../../adapters/pages/seller/onboarding-texts.js';
import { emptyDraft } from '../../../../core/domain/hosted/kyc-draft.js';
import { type FormFacts, stepViews } from '../../../../core/domain/hosted/kyc-form.js';
import type { ConnectedAccount } from '../../../../core/domain/parties/connected-account.js';
import type { Dossier } from '../../../../core/domain/parties/dossier.js';
import type { KycForm } from '../../../../core/usecases/hosted/kyc-forms.js';
import {
  aDestinationChange,
  anAccount,
  anOrganization,
} from '../../../support/samples/domain-samples.js';
import { viewOf } from '../buyer/page-facts.js';
import type { Sample } from '../buyer/page-samples.js';

const path = '/onboarding/org_1/live/acct_1';
const legalName = 'Café Serra Azul Exportadora Ltda';
const none = { destinationRef: null, railsRef: null, readyAtMs: null } as const;

function onboardingOf(changes: Partial<ConnectedAccount>) {
  const account = anAccount({ displayName: 'Café Serra Azul', legalName, ...changes });
  const pixKeyShown = 'ana…@serra.example';
  const change = account.destinationRef === null ? null : aDestinationChange({ pixKeyShown });
  return { organization: anOrganization(), account, change };
}

const begun = onboardingOf({ status: 'created', ...none });

function formOf(state: KycForm['state'], dossier: Dossier, isAsked = false): KycForm {
  const facts: FormFacts = {
    draft: { ...emptyDraft, entityType: 'business', dossier },
    role: 'seller',
    extra: ['formationDate', 'tosId', 'incorporationDocFile'],
    email: null,
    due: null,
    corrections: isAsked
      ? [{ place: { field: 'cnpj', owner: null }, reason: 'The register does not know it.' }]
      : [],
  };
  return {
    ...facts,
    state,
    author: 'buyer',
    steps: stepViews(facts),
    party: { party: 'account', id: 'acct_1' },
    submissionId: null,
    version: 2,
  };
}

function sample(name: string, content: (scene: Scene) => ScreenContent, isSignedIn = true): Sample {
  const signedOut = isSignedIn ? {} : { viewer: null, csrf: null };
  const view = viewOf({ name: 'kyc', state: 'form' }, { path, payment: null, ...signedOut });
  return { name: `onboarding-${name}`, view, content };
}

function ofForm(form: KycForm, screen: (scene: KycScene) => ScreenContent, problems = {}) {
  const facts = { form, typed: {}, problems, addressProblem: null };
  return (scene: Scene) => screen(kycScene(scene, facts));
}

function home(state: KycForm['state'], changes: Partial<ConnectedAccount>, isAsked = false) {
  const form = formOf(state, { legalName }, isAsked);
  return ofForm(form, (scene) => homeScreen(scene, onboardingOf(changes)));
}

function pix(field: 'again' | 'pixKey') {
  return (scene: Scene) => {
    const { locale, organization } = scene.view;
    const taken = onboardingTexts[locale].pixTaken(nameOf(organization?.name ?? ''));
    const text = field === 'again' ? pixTexts[locale].differs : taken;
    return pixScreen(scene, { holder: legalName }, [{ field, text }]);
  };
}

const atMs = Date.parse('2026-11-17T15:20:00Z');

export const onboardingSamples: readonly Sample[] = [
  sample('closed', closedScreen, false),
  sample('enter', (scene) => enterScreen(scene, begun), false),
  sample('link-used', (scene) => linkEndedScreen(scene, { state: 'used', atMs }), false),
  sample('link-over', (scene) => linkEndedScreen(scene, { state: 'over', atMs }), false),
  sample('link-unknown', (scene) => linkEndedScreen(scene, { state: 'unknown' }), false),
  sample('start', home('form', { status: 'created', ...none })),
  sample('start-person', home('form', { entityType: 'individual', status: 'created', ...none })),
  sample('start-again', home('form', { status: 'rejected', ...none })),
  sample(
    'company',
    ofForm(formOf('form', { legalName }), (scene) => dataScreen(scene, 'company'), {
      email: 'not_an_address',
      cnpj: 'missing',
    }),
  ),
  sample(
    'review',
    ofForm(formOf('form', { legalName }), (scene) => reviewScreen(scene)),
  ),
  sample('verifying', home('verifying', { status: 'verifying', ...none })),
  sample('corrections', home('corrections', { status: 'verifying', ...none }, true)),
  sample('approved', home('approved', { status: 'approved', ...none })),
  sample('approved-again', home('approved', { status: 'approved', ...none, readyAtMs: atMs })),
  sample('pix', pix('again')),
  sample('pix-taken', pix('pixKey')),
  sample('preparing', home('approved', { status: 'approved', railsRef: null })),
  sample('ready', home('approved', { status: 'approved' })),
];
