// KYC around its form: why and what we ask, the wait, corrections and the decision. With a payment
// or without one.
import { deadline } from '../../../core/domain/base/deadline.js';
import type { KycState } from '../../../core/domain/parties/buyer-kyc.js';
import type { ScreenContent } from '../hosted/layout.js';
import { paymentScene, type Scene } from '../hosted/scene.js';
import {
  ButtonLink,
  CheckAgain,
  Form,
  HowTo,
  LiveNote,
  Note,
  Submit,
  Time,
} from '../kit/components.js';
import { TextField } from '../kit/fields.js';
import { Card } from '../kit/pages/card.js';
import { nameOf } from '../kit/plain-text.js';
import { FourAnswers, MoneyCard, whereMoney } from './money-parts.js';

export const kycScreens = {
  form: startScreen,
  verifying: verifyingScreen,
  corrections: correctionsScreen,
  approved: approvedScreen,
  rejected: rejectedScreen,
} as const satisfies Record<KycState, (scene: Scene) => ScreenContent>;

function startScreen(scene: Scene): ScreenContent {
  const { texts, view } = scene;
  const { kyc } = texts;
  return {
    title: view.payment === null ? kyc.alone : kyc.heading,
    lede: kyc.lede,
    station: 'payer',
    // Another tab, or a handed-over form, may go on; a rejection fails the payment a moment later.
    live: true,
    body: [
      view.kyc.asksFacts ? <Facts scene={scene} /> : null,
      <Card heading={kyc.hand} isStack>
        <h3>{kyc.company}</h3>
        <HowTo items={kyc.companyList} />
        <h3>{kyc.person}</h3>
        <HowTo items={kyc.personList} />
        <p class="quiet">{kyc.notAlone}</p>
        <div class="actions">
          <ButtonLink to="kyc/type" look="primary">
            {view.kyc.started ? kyc.resume : kyc.start}
          </ButtonLink>
          <span class="small quiet">{kyc.saved}</span>
        </div>
      </Card>,
      <section class="stack-s">
        <h2>{kyc.why}</h2>
        <p>{kyc.whyText}</p>
      </section>,
      <Received scene={scene} />,
    ],
  };
}

/** In place of the form: the buyer is known to another integrator. */
function Facts({ scene }: { readonly scene: Scene }) {
  const words = scene.texts.kyc.facts;
  return (
    <Card heading={words.heading} isStack>
      <p>{words.lede}</p>
      <Form to="facts" class="stack">
        <TextField name="born" type="date" label={words.born} hint={words.bornHint} />
        <TextField name="number" label={words.number} hint={words.numberHint} maxLength={64} />
        <Submit>{words.send}</Submit>
      </Form>
    </Card>
  );
}

function verifyingScreen(scene: Scene): ScreenContent {
  const { texts, view } = scene;
  const { usualHours, submittedAtMs } = view.kyc;
  return {
    title: texts.kyc.wait,
    station: 'payer',
    live: true,
    body: [
      <FourAnswers
        money={moneySoFar(scene)}
        next={
          <>
            {view.payment?.isLate ? texts.late : null}{' '}
            {usualHours === null ? null : texts.kyc.usual(usualHours)}{' '}
            {view.viewer === null ? null : texts.kyc.waitMail(<b>{view.viewer.email}</b>)}{' '}
            {view.payment === null ? null : texts.kyc.thenPrice}
          </>
        }
        todo={
          <>
            {texts.answers.doNothing} {view.payment === null ? null : texts.answers.notYet}
          </>
        }
      />,
      <div class="actions">
        <CheckAgain />
        <span class="small quiet">
          {submittedAtMs === null ? null : texts.kyc.sentOn(<Time atMs={submittedAtMs} />)}{' '}
          <LiveNote />
        </span>
      </div>,
      <Received scene={scene} />,
    ],
  };
}

function correctionsScreen(scene: Scene): ScreenContent {
  const { texts, view } = scene;
  const { corrections, correctByMs } = view.kyc;
  const count = corrections.length;
  return {
    title: count === 0 ? texts.kyc.correctAll : texts.kyc.correct(count),
    station: 'payer',
    body: [
      count === 0 ? null : (
        <Note look="warn">
          <HowTo items={corrections} />
        </Note>
      ),
      <div class="actions">
        <ButtonLink to="kyc/review" look="primary" text={texts.kyc.correctStart} />
      </div>,
      <FourAnswers
        money={moneySoFar(scene)}
        next={
          <>
            {texts.kyc.correctNext}{' '}
            {correctByMs === null
              ? null
              : deadline(correctByMs, view.nowMs, <Time atMs={correctByMs} />)(texts.kyc.correctBy)}
          </>
        }
        todo={texts.kyc.correctTodo}
      />,
      <Received scene={scene} />,
    ],
  };
}

function approvedScreen({ texts }: Scene): ScreenContent {
  return { title: texts.kyc.approved, lede: texts.kyc.approvedText, station: null, body: null };
}

function rejectedScreen(scene: Scene): ScreenContent {
  const { texts, view } = scene;
  const org = nameOf(view.organization?.name ?? '');
  return {
    title: texts.kyc.rejected,
    station: null,
    body: (
      <FourAnswers
        money={moneySoFar(scene)}
        next={texts.kyc.closed}
        todo={texts.kyc.rejectedText(org)}
      />
    ),
  };
}

/** Money that came in although no bank details were given. */
function Received({ scene }: { readonly scene: Scene }) {
  if (scene.view.payment === null) return null;
  return <MoneyCard scene={paymentScene(scene)} stops={null} rest="payee" />;
}

function moneySoFar(scene: Scene) {
  const { texts, view } = scene;
  return view.payment === null
    ? texts.kyc.noMoney
    : whereMoney(paymentScene(scene), texts.answers.nothingYet);
}
