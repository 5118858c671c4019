// Payments that ended without a settlement or must not go on, and money that goes back. None of
// these screens has a way to pay.
import type { ComponentChildren } from 'preact';
import { deadline } from '../../../core/domain/base/deadline.js';
import type { Screen } from '../../../core/domain/hosted/hosted-screen.js';
import type { ScreenContent } from '../hosted/layout.js';
import type { PaymentScene } from '../hosted/scene.js';
import { Time } from '../kit/components.js';
import {
  type Answered,
  FourAnswers,
  hasMoneyMoved,
  isZero,
  MoneyCard,
  payoutRoute,
  refundRoute,
  shownSums,
  whereMoney,
} from './money-parts.js';

export type EndedScreen = Extract<
  Screen,
  | 'unapproved'
  | 'kyc_rejected'
  | 'failed'
  | 'needs_review'
  | 'refund_coming'
  | 'refunded'
  | 'refund_review'
  | 'cancelled'
  | 'expired'
>;

interface Ended extends Pick<ScreenContent, 'title' | 'lede' | 'live'> {
  readonly end: NonNullable<ScreenContent['end']>;
  readonly answers: Answered;
  readonly stops?: Parameters<typeof MoneyCard>[0]['stops'];
}

/** A payment that ended without its payout. `nothing`: where the money is if none has moved. */
function closed(
  of: (scene: PaymentScene) => Readonly<{ title: string; nothing: string; todo: string }>,
): (scene: PaymentScene) => Ended {
  return (scene) => {
    const { title, nothing, todo } = of(scene);
    const { closed: isClosed, arrives } = scene.texts.answers;
    return {
      title,
      end: 'failed',
      answers: {
        money: spaced(whereMoney(scene, nothing), arrives),
        next: spaced(isClosed, endedOn(scene)),
        todo,
      },
    };
  };
}

const endings = {
  unapproved: (scene) => {
    const { texts } = scene;
    return {
      title: texts.ended.review,
      lede: texts.ended.unapprovedLede,
      end: 'review',
      live: true,
      answers: {
        money: whereMoney(scene, texts.answers.nothing),
        next: spaced(texts.ended.unapprovedNext, answerBy(scene), texts.answers.mailed),
        todo: <b>{texts.ended.unapprovedTodo}</b>,
      },
    };
  },
  kyc_rejected: closed(({ texts, payee }) => ({
    title: texts.ended.rejected,
    nothing: texts.answers.nothing,
    todo: texts.answers.otherWay(payee),
  })),
  failed: closed(({ texts, payee }) => ({
    title: texts.ended.failed,
    nothing: texts.ended.failedMoney,
    todo: texts.ended.failedTodo(payee),
  })),
  needs_review: (scene) => {
    const { texts, format, payee, payment } = scene;
    const { kept } = shownSums(scene);
    const words = texts.ended;
    const [lede, money, next] = payment.isPayoutBack
      ? [words.backLede(payee), words.backMoney(payee), words.backNext(payee)]
      : isZero(kept)
        ? [words.reviewLedePlain, words.reviewMoneyPlain, words.reviewNext]
        : [words.reviewLede(format.money(kept)), words.reviewMoney(payee), words.reviewNext];
    const mail = payment.isPayoutBack ? null : words.reviewMail;
    return {
      title: words.review,
      lede,
      end: 'review',
      live: true,
      answers: {
        money,
        next: spaced(next, answerBy(scene), mail),
        todo: <b>{texts.answers.notAgain}</b>,
      },
      stops: payoutRoute(scene, 'partner'),
    };
  },
  refund_coming: (scene) => {
    const { texts, format, payment } = scene;
    const { goingBack } = shownSums(scene);
    const isOrdered = payment.money.refundOrderedMinor > 0n;
    const amount = format.money(goingBack);
    const { status } = payment;
    const isKnown = status === 'cancelled' || status === 'expired' || status === 'failed';
    return {
      title: texts.refund.heading,
      end: 'back',
      lede: isKnown ? texts.refund.cause[status] : undefined,
      live: true,
      answers: {
        money: isOrdered ? texts.refund.money(amount) : texts.refund.owed(amount),
        next: spaced(refundOrdered(scene), texts.refund.sameAccount, texts.answers.mailed),
        todo: spaced(texts.answers.notOldDetails, texts.answers.notAgain),
      },
      stops: refundRoute(scene, isOrdered ? 'banks' : 'partner'),
    };
  },
  refunded: (scene) => {
    const { texts, format, payment, org } = scene;
    const { refundedAtMs } = payment.money;
    const amount = format.money(shownSums(scene).refunded);
    return {
      title: texts.refund.done,
      end: 'back',
      answers: {
        money:
          refundedAtMs === null
            ? texts.refund.doneLede(amount)
            : texts.refund.doneOn(amount, <Time atMs={refundedAtMs} as="day" />),
        next: texts.answers.closed,
        todo: texts.refund.doneTodo(org),
      },
      stops: refundRoute(scene, 'end'),
    };
  },
  refund_review: (scene) => {
    const { texts, format } = scene;
    return {
      title: texts.refund.review,
      end: 'review',
      live: true,
      answers: {
        money: texts.refund.reviewMoney(format.money(shownSums(scene).goingBack)),
        next: spaced(texts.refund.reviewNext, answerBy(scene)),
        todo: <b>{texts.answers.notAgain}</b>,
      },
      stops: refundRoute(scene, 'partner'),
    };
  },
  cancelled: (scene) => {
    const { texts, payee } = scene;
    return {
      title: texts.ended.cancelled(payee),
      end: 'over',
      answers: {
        money: whereMoney(scene, texts.answers.nothing),
        next: spaced(texts.ended.expiredNext, endedOn(scene)),
        todo: texts.answers.notOldDetails,
      },
    };
  },
  expired: (scene) => {
    const { texts, payee } = scene;
    return {
      title: texts.ended.expired,
      end: 'over',
      answers: {
        money: whereMoney(scene, texts.answers.nothing),
        next: spaced(endedOn(scene), texts.ended.expiredNext),
        todo: texts.ended.expiredTodo(payee),
      },
    };
  },
} as const satisfies Record<EndedScreen, (scene: PaymentScene) => Ended>;

export function endedScreen(name: EndedScreen): (scene: PaymentScene) => ScreenContent {
  return (scene) => {
    const { answers, stops = null, ...content }: Ended = endings[name](scene);
    const rest =
      name === 'needs_review' || name === 'failed' || name === 'unapproved' ? 'review' : 'payee';
    return {
      ...content,
      station: null,
      body: [
        <FourAnswers {...answers} />,
        hasMoneyMoved(scene) ? <MoneyCard scene={scene} stops={stops} rest={rest} /> : null,
      ],
    };
  };
}

function refundOrdered({ texts, payment }: PaymentScene): ComponentChildren {
  const { refundOrderedMinor, refundOrderedAtMs } = payment.money;
  if (refundOrderedMinor === 0n) return texts.refund.ordering;
  return refundOrderedAtMs === null
    ? texts.refund.orderedPlain
    : texts.refund.ordered(<Time atMs={refundOrderedAtMs} as="day" />);
}

function endedOn({ texts, payment }: PaymentScene): ComponentChildren {
  const { endedAtMs } = payment;
  return endedAtMs === null ? null : texts.ended.endedOn(<Time atMs={endedAtMs} />);
}

function answerBy({ texts, payment: { answerByMs }, view }: PaymentScene): ComponentChildren {
  if (answerByMs === null) return null;
  const day = <Time atMs={answerByMs} as="day" />;
  return deadline(answerByMs, view.nowMs, day)(texts.ended.answerBy);
}

/** Sentences one after the other. */
function spaced(...sentences: readonly ComponentChildren[]): ComponentChildren {
  return sentences.map((sentence) => (sentence === null ? null : <>{sentence} </>));
}
