// The approval of a payment by a colleague: the form in which the buyer asks for it, its state
// beside the price, and what the approver sees.
import {
  type ColleagueApproval,
  lacksColleagueApproval,
} from '../../../../core/domain/payments/colleague-approval.js';
import { DISPLAY_TEXT_LENGTH_MAX } from '../../../../core/domain/payments/display.js';
import { takesColleagueApproval } from '../../../../core/domain/payments/payment-transitions.js';
import { assert } from '../../../../core/errors.js';
import { attachmentRow, paymentRows, type ScreenContent, taxIdNote } from '../../hosted/layout.js';
import type { Page } from '../../hosted/page-view.js';
import type { PaymentScene } from '../../hosted/scene.js';
import {
  Amount,
  ButtonLink,
  Foreign,
  Form,
  Note,
  Rows,
  Submit,
  Time,
} from '../../kit/components.js';
import { TextArea, TextField } from '../../kit/fields.js';
import { nameOf } from '../../kit/plain-text.js';
import { WhoAsks } from '../access-screens.js';
import { FoldedItems } from '../line-items.js';
import { PaymentsLink } from '../payments-screen.js';

type ApprovalProps = Readonly<{ scene: PaymentScene }>;

/** Beside the price: who must approve and has not, or the way to ask somebody. */
export function ApprovalPart({ scene }: ApprovalProps) {
  const { texts, view, payment } = scene;
  const { colleagueApproval } = payment;
  const words = texts.approval;
  const form = `${view.path}/ask-approver`;
  if (colleagueApproval === null) {
    return (
      <p class="small">
        <a href={form}>{words.link}</a>
      </p>
    );
  }
  return [
    <ApprovalNote scene={scene} approval={colleagueApproval} />,
    lacksColleagueApproval(payment) ? (
      <ButtonLink row href={form}>
        {words.again}
      </ButtonLink>
    ) : null,
  ];
}

function ApprovalNote({
  scene: { texts },
  approval: { state, email, askedAtMs, decidedAtMs, reason },
}: ApprovalProps & { readonly approval: ColleagueApproval }) {
  const words = texts.approval;
  const who = <b>{email}</b>;
  const decidedAt = <Time atMs={decidedAtMs ?? askedAtMs} />;
  switch (state) {
    case 'asked':
      return (
        <Note>
          <p>{words.waits(who, <Time atMs={askedAtMs} />)}</p>
          <p>{words.waitsText}</p>
        </Note>
      );
    case 'approved':
      return <Note look="ok" text={words.given(who, decidedAt)} />;
    case 'declined':
      return (
        <Note look="warn">
          <p>{words.declined(who, decidedAt)}</p>
          {reason === null ? null : <p>{words.reason(<Foreign text={reason} />)}</p>}
          <p>{words.declinedText}</p>
        </Note>
      );
  }
}

export function askApproverScreen(
  scene: PaymentScene,
  { typed, problem }: Extract<Page, { name: 'ask_approver' }>,
): ScreenContent {
  const { texts, view } = scene;
  const words = texts.approval;
  const error = problem === null ? undefined : words.problems[problem];
  return {
    title: words.heading,
    lede: words.lede,
    station: 'price',
    errors: error === undefined ? [] : [{ field: 'email', text: error }],
    body: [
      <Form to="ask-approver" class="card stack">
        <TextField name="email" type="email" label={words.email} value={typed} error={error} />
        <p class="small quiet">{words.stays}</p>
        <Submit beside={<ButtonLink href={view.path}>{texts.frame.back}</ButtonLink>}>
          {words.send}
        </Submit>
      </Form>,
      <PaymentsLink scene={scene} />,
    ],
  };
}

/** What the approver sees: before sign-in, to decide, and afterwards. */
export function approvalScreen(
  scene: PaymentScene,
  page: Extract<Page, { name: 'approval' }>,
): ScreenContent {
  const { view, payment } = scene;
  if (view.viewer === null) return signInScreen(scene);
  const { colleagueApproval } = payment;
  assert(colleagueApproval !== null, 'an approver was asked');
  if (colleagueApproval.state !== 'asked') return decidedScreen(scene, colleagueApproval);
  return takesColleagueApproval(payment) ? decideScreen(scene, page) : overScreen(scene);
}

function signInScreen(scene: PaymentScene): ScreenContent {
  const { texts } = scene;
  return {
    ...headingOf(scene),
    station: null,
    about: <WhoAsks scene={scene} />,
    body: (
      <section class="card stack">
        <Rows rows={paymentRows(scene)} />
        <Form to="link" class="stack-s">
          <Submit>{texts.ask.send}</Submit>
          <p class="small quiet">{texts.approval.sendHint}</p>
        </Form>
      </section>
    ),
  };
}

function decideScreen(
  scene: PaymentScene,
  { typed, isRefused }: Extract<Page, { name: 'approval' }>,
): ScreenContent {
  const { texts, format, payee } = scene;
  const words = texts.approval;
  const amount = format.money(scene.payment.amount);
  const error = isRefused ? words.refused : undefined;
  const payeeName = <b>{nameOf(scene.payment.payee)}</b>;
  return {
    ...headingOf(scene),
    lede: words.asks(scene.payment.askedBy ?? ''),
    station: null,
    about: <WhoAsks scene={scene} />,
    errors: error === undefined ? [] : [{ field: 'reason', text: error }],
    body: [
      <section class="card stack">
        <Rows
          rows={[
            { label: texts.frame.to, value: payeeName, ...taxIdNote(scene.payment, texts) },
            { label: texts.frame.amount, value: <b class="num">{amount}</b> },
            ...paymentRows(scene),
            attachmentRow(scene),
          ]}
        />
        <p class="small quiet">{words.rule(amount, payee)}</p>
        <Form to="approve" class="stack-s">
          <Submit beside={<span class="small quiet">{words.approveHint}</span>}>
            {words.approve(amount)}
          </Submit>
        </Form>
      </section>,
      <FoldedItems scene={scene} />,
      <details open={isRefused}>
        <summary>{words.decline}</summary>
        <Form to="decline" class="stack">
          <TextArea
            name="reason"
            label={words.why}
            hint={words.whyHint}
            value={typed}
            error={error}
            maxLength={DISPLAY_TEXT_LENGTH_MAX}
            rows={3}
          />
          <Submit look="danger">{words.declineIt}</Submit>
        </Form>
      </details>,
    ],
  };
}

function decidedScreen(scene: PaymentScene, { state, reason }: ColleagueApproval): ScreenContent {
  const words = scene.texts.approval;
  return {
    title: state === 'approved' ? words.didApprove : words.didDecline,
    lede: words.didText(scene.payment.askedBy ?? ''),
    station: null,
    body: reason === null ? null : <p>{words.reason(<Foreign text={reason} />)}</p>,
  };
}

/** It was confirmed before a decision was awaited again, or it has ended. */
function overScreen(scene: PaymentScene): ScreenContent {
  const words = scene.texts.approval;
  return { title: words.over, lede: words.overText, station: null, body: null };
}

function headingOf({ texts, format, payment, payee }: PaymentScene) {
  const heading = texts.approval.decide(payee);
  return {
    title: `${heading} ${format.money(payment.amount)}`,
    heading: (
      <>
        <span class="asks">{heading}</span> <Amount money={payment.amount} />
      </>
    ),
  };
}
