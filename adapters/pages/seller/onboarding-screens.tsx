// The pages of a seller around its form: the link, how far the onboarding is, and the PIX key.
import {
  type ConnectedAccount,
  payeeNameOf,
  readyToCollect,
} from '../../../core/domain/parties/connected-account.js';
import { hadDestination } from '../../../core/domain/parties/payee.js';
import type {
  Onboarding,
  OnboardingLinkState,
} from '../../../core/usecases/hosted/onboarding-links.js';
import type { ScreenContent } from '../hosted/layout.js';
import type { Scene } from '../hosted/scene.js';
import { ButtonForm, ButtonLink, CheckAgain, HowTo, Note, Rows, Time } from '../kit/components.js';
import type { FieldError } from '../kit/fields.js';
import { FieldForm, showFields, type TypedForm } from '../kit/pages/form-page.js';
import { pixFields } from '../kit/pix/pix-form.js';
import { pixTexts } from '../kit/pix/pix-texts.js';
import { nameOf } from '../kit/plain-text.js';
import { correctionText, type KycScene } from '../kyc/kyc-scene.js';
import { onboardingTexts } from './onboarding-texts.js';

function wordsOf({ view }: Scene) {
  return onboardingTexts[view.locale];
}

function orgOf({ view }: Scene): string {
  return nameOf(view.organization?.name ?? '');
}

/** Without a session: the way in comes from the organization. */
export function closedScreen(scene: Scene): ScreenContent {
  const words = wordsOf(scene);
  const org = orgOf(scene);
  return {
    title: words.closed(org),
    lede: words.closedText(org),
    station: null,
    body: <p>{words.renew(org)}</p>,
  };
}

/** Before a link is used up. The name shows whose account it is: a link may go astray. */
export function enterScreen(scene: Scene, { account }: Onboarding): ScreenContent {
  const words = wordsOf(scene);
  const org = orgOf(scene);
  return {
    title: words.enter(org),
    lede: words.enterText,
    station: null,
    body: [
      <section class="card stack">
        <Rows
          rows={[
            { label: words.account, value: <b>{accountName(account)}</b> },
            { label: words.askedBy, value: org },
          ]}
        />
        <ButtonForm to="enter" class="actions" look="primary" text={scene.texts.frame.continue} />
      </section>,
      <p>{words.notYours(org)}</p>,
    ],
  };
}

function accountName(account: ConnectedAccount): string {
  const { displayName, externalId, id } = account;
  return nameOf(displayName ?? payeeNameOf(account) ?? externalId ?? id);
}

export function linkEndedScreen(scene: Scene, link: OnboardingLinkState): ScreenContent {
  const words = wordsOf(scene);
  const org = orgOf(scene);
  return {
    title: scene.texts.frame.linkEnded,
    lede: whatHappened(scene, link),
    station: null,
    body: [<p>{words.renew(org)}</p>, link.state === 'used' ? <p>{words.notYou(org)}</p> : null],
  };
}

function whatHappened(scene: Scene, link: OnboardingLinkState) {
  const words = wordsOf(scene);
  if (!('atMs' in link)) return words.unknown;
  return <>{words[link.state](<Time atMs={link.atMs} />)}</>;
}

/** How far the seller is, and what is next. */
export function homeScreen(scene: KycScene, onboarding: Onboarding): ScreenContent {
  const { form } = scene;
  if (form.state === 'verifying') return waitScreen(scene);
  if (form.state === 'approved') return approvedScreen(scene, onboarding);
  if (form.state === 'corrections') return correctionsScreen(scene);
  return startScreen(scene, onboarding);
}

function startScreen(scene: KycScene, { account }: Onboarding): ScreenContent {
  const { texts, form } = scene;
  const { kyc } = texts;
  const words = wordsOf(scene);
  const isCompany = account.entityType === 'business';
  return {
    title: kyc.alone,
    lede: words.lede(orgOf(scene)),
    station: null,
    body: (
      <section class="card stack">
        {account.status === 'rejected' ? <Note look="warn" text={words.rejected} /> : null}
        {isCompany ? null : [<h2>{kyc.hand}</h2>, <HowTo items={kyc.personList} />]}
        <p>{words.later}</p>
        <Go to="kyc/next" text={form.version === 0 ? kyc.start : kyc.resume} />
        <p class="small quiet">{kyc.saved}</p>
      </section>
    ),
  };
}

function Go({ to, text }: Readonly<{ to: string; text: string }>) {
  return <ButtonLink row to={to} look="primary" text={text} />;
}

function Again() {
  return (
    <div class="actions">
      <CheckAgain />
    </div>
  );
}

function waitScreen(scene: Scene): ScreenContent {
  return {
    title: scene.texts.kyc.wait,
    lede: wordsOf(scene).waitText(orgOf(scene)),
    station: null,
    body: <Again />,
  };
}

function correctionsScreen(scene: KycScene): ScreenContent {
  const { texts, form } = scene;
  const { kyc } = texts;
  return {
    title: kyc.correct(form.corrections.length),
    lede: kyc.correctNext,
    station: null,
    body: [
      <Note look="warn">
        <HowTo items={form.corrections.map((one) => correctionText(scene, one))} />
      </Note>,
      <Go to="kyc/review" text={kyc.correctStart} />,
    ],
  };
}

function approvedScreen(scene: Scene, { account, change }: Onboarding): ScreenContent {
  const words = wordsOf(scene);
  if (account.destinationRef === null && (hadDestination(account) || change !== null)) {
    return {
      title: words.addPix,
      lede: words.pixTaken(orgOf(scene)),
      station: null,
      body: <Again />,
    };
  }
  if (account.destinationRef === null) {
    return {
      title: words.addPix,
      lede: words.addPixText,
      station: null,
      body: <Go to="pix" text={words.addPixGo} />,
    };
  }
  const isReady = readyToCollect(account);
  const shown = { label: words.key, value: change === null ? null : change.pixKeyShown };
  return {
    title: isReady ? words.ready : words.preparing,
    lede: isReady ? words.readyText(orgOf(scene)) : words.preparingText,
    station: null,
    body: [
      <section class="card">
        <Rows rows={[shown]} />
      </section>,
      isReady ? null : <Again />,
    ],
  };
}

export function pixScreen(
  scene: Scene,
  typed: TypedForm,
  errors: readonly FieldError[],
): ScreenContent {
  const words = wordsOf(scene);
  const pixWords = pixTexts[scene.view.locale];
  return {
    title: words.key,
    lede: words.pixLede(orgOf(scene)),
    station: null,
    errors,
    body: (
      <FieldForm
        to="pix"
        back={scene.view.path}
        look={{ submit: pixWords.save }}
        shown={showFields(pixFields(pixWords), typed, errors)}
      />
    ),
  };
}
