// Before sign-in: the request, the mail on its way, the opened link. They show no more than the
// mail did.
import type { VNode } from 'preact';
import { isTerminal } from '../../../core/domain/payments/payment.js';
import { isWebAddress, paymentRows, type ScreenContent } from '../hosted/layout.js';
import type { PaymentScene, Scene } from '../hosted/scene.js';
import type { AccessPage, LinkEnded } from '../kit/access-pages.js';
import { CodeForm, EnterForm } from '../kit/code-form.js';
import { Amount, ButtonForm, Form, Rows, Submit, Time } from '../kit/components.js';
import { nameOf } from '../kit/plain-text.js';
import { FourAnswers } from './money-parts.js';

export function askScreen(scene: PaymentScene): ScreenContent {
  const { texts, format, payment, payee, org } = scene;
  // Whether it was paid is not shown before sign-in.
  const isEnded = isTerminal(payment.status);
  const heading = isEnded ? texts.ask.over(payee) : texts.ask.heading(payee);
  return {
    title: `${heading} ${format.money(payment.amount)}`,
    heading: (
      <>
        <span class="asks">{heading}</span> <Amount money={payment.amount} />
      </>
    ),
    ...(isEnded ? { lede: texts.ask.closed } : {}),
    station: null,
    about: <WhoAsks scene={scene} />,
    body: [
      <section class="card stack">
        <Rows rows={paymentRows(scene)} />
        <Form to="link" class="stack-s">
          <Submit>{texts.ask.send}</Submit>
          <p class="small quiet">{isEnded ? texts.ask.paidHint : texts.ask.sendHint(org)}</p>
        </Form>
      </section>,
      isEnded ? null : (
        <section class="stack-s">
          <h2>{texts.ask.how}</h2>
          <ol class="howto">
            {texts.ask.steps.map((step) => (
              <li>{step}</li>
            ))}
          </ol>
        </section>
      ),
    ],
  };
}

export function WhoAsks({ scene }: { readonly scene: PaymentScene }) {
  const { texts, org, payee, organization } = scene;
  const { website } = organization;
  return (
    <section>
      <h2>{texts.ask.who(org)}</h2>
      <p>{texts.ask.whoText(org, payee)}</p>
      {website === null || !isWebAddress(website) ? null : (
        <p>
          <a href={website}>{new URL(website).host}</a>
        </p>
      )}
    </section>
  );
}

export function sentScreen(scene: Scene): ScreenContent {
  const { texts, view } = scene;
  const org = giverOf(scene);
  const error =
    view.notice === 'code_wrong' || view.notice === 'code_expired'
      ? texts.notice[view.notice]
      : undefined;
  return {
    title: texts.sent.heading,
    lede: texts.sent.lede(org),
    station: isForApprover(scene) ? null : 'signIn',
    errors: error === undefined ? [] : [{ field: 'code', text: error }],
    body: [
      <CodeForm mailbox={view.mailbox} error={error} />,
      <section class="stack-s">
        <h2>{texts.sent.noMail}</h2>
        <ul class="howto">
          <li>{texts.sent.spam}</li>
          <li>{texts.sent.wait}</li>
          {isForApprover(scene) ? null : <li>{texts.sent.address(org)}</li>}
        </ul>
        <ButtonForm to="link" class="gap" text={texts.sent.again} />
      </section>,
    ],
  };
}

type Enter = Extract<AccessPage, { name: 'enter' }>;

export function enterScreen(scene: Scene, { email, auto, asksCode }: Enter): ScreenContent {
  const { texts, format, view } = scene;
  const { payment } = view;
  const org = giverOf(scene);
  const request = isForApprover(scene) ? texts.enter.approval : texts.enter.request;
  const error = asksCode && view.notice === 'code_wrong' ? texts.notice.code_wrong : undefined;
  return {
    title: texts.enter.heading(email),
    errors: error === undefined ? [] : [{ field: 'code', text: error }],
    heading: breakable(texts.enter.heading(email)),
    station: isForApprover(scene) ? null : 'signIn',
    body: [
      <section class="card stack">
        <p>
          {payment === null
            ? texts.enter.form(org)
            : request(
                <b>{nameOf(payment.payee)}</b>,
                <b class="num">{format.money(payment.amount)}</b>,
                org,
              )}
        </p>
        <EnterForm {...{ asksCode, auto, error }} />
      </section>,
      <p>{texts.enter.notYou}</p>,
    ],
  };
}

/** Who gave us the address. */
function giverOf(scene: Scene): string {
  const { texts, view } = scene;
  return isForApprover(scene) ? texts.approval.colleague : nameOf(view.organization?.name ?? '');
}

function isForApprover({ view: { payment } }: Scene): boolean {
  return payment?.isForApprover === true;
}

/** A long address breaks after its @ first. */
function breakable(text: string) {
  const [before = '', ...after] = text.split('@');
  return [
    before,
    after.map((part) => (
      <>
        @<wbr />
        {part}
      </>
    )),
  ];
}

export function linkEndedScreen(scene: Scene, page: LinkEnded): ScreenContent {
  const { texts } = scene;
  const { cause, maskedEmail } = page;
  const org = giverOf(scene);
  return {
    title: texts.frame.linkEnded,
    lede: texts.linkEnded.lede,
    station: null,
    body: [
      <ButtonForm to="link" class="actions" look="primary">
        {maskedEmail === null ? texts.linkEnded.send : texts.linkEnded.sendTo(maskedEmail)}
      </ButtonForm>,
      <FourAnswers
        money={texts.linkEnded.money}
        next={
          <>
            {whatHappened(scene, page)} {texts.linkEnded.next}
          </>
        }
        todo={cause === 'used' ? texts.linkEnded.notYou(org) : texts.linkEnded.todo}
      />,
    ],
  };
}

function whatHappened({ texts }: Scene, { cause, atMs }: LinkEnded): VNode | string {
  if (cause === 'unknown' || atMs === null) return texts.linkEnded.unknown;
  const when = <Time atMs={atMs} />;
  return cause === 'used' ? texts.linkEnded.used(when) : texts.linkEnded.over(when);
}
