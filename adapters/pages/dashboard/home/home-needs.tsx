// What needs somebody: first what the reader can act on, then what others work on.
import type { Scope } from '../../../../core/domain/access/scope.js';
import { lettersOf } from '../../../../core/domain/base/text-letters.js';
import type { Lack } from '../../../../core/domain/parties/organization.js';
import type { ShownView } from '../../../../core/domain/payments/change.js';
import { situationOf } from '../../../../core/domain/payments/situation.js';
import type { DeadLetters } from '../../../../core/usecases/webhooks/deliveries.js';
import type { Failing } from '../../../../core/usecases/webhooks/subscription-health.js';
import { Icon } from '../../kit/icons.js';
import { Card } from '../../kit/pages/card.js';
import { type DashboardScene, may, useDashboard } from '../dashboard-scene.js';
import { lastAnswerText } from '../developer/answer-text.js';
import { shownUrl } from '../developer/developer-parts.js';
import { buyerOf, referenceOf, situationIn } from '../payment-parts.js';
import { START_PATH, type StartLine } from '../setup/getting-started-pages.js';
import { OWN_NAME } from '../setup/team-pages.js';
import { sumText } from './plots.js';

/** Longer names are cut in sentences, in letters. */
const NAME_MAX = 48;
/** Each is named; more are the same again. */
const NAMED_MAX = 5;
/** Payments that the operator works on are read one by one. */
export const ATTENTION_MAX = 20;

export interface Needing {
  readonly lacks: readonly Lack[];
  readonly attention: readonly ShownView[];
  readonly short: readonly ShownView[];
  readonly approvals: readonly ShownView[];
  readonly overdue: readonly ShownView[];
  readonly dead: readonly DeadLetters[];
  readonly failing: readonly Failing[];
  readonly steps: readonly StartLine[];
}

interface Need {
  /** Who can act: members with the scope, the reader, or the operator of the service. */
  readonly who: Scope | 'reader' | 'operator';
  readonly look?: 'bad';
  readonly heading: string;
  readonly text: string;
  readonly link?: { readonly href: string; readonly text: string };
}

/** What the reader can act on, then what others work on. */
export function Needs({
  needs,
  isQuiet,
}: {
  readonly needs: readonly Need[];
  /** Says nothing if there is nothing. */
  readonly isQuiet: boolean;
}) {
  const { texts, view } = useDashboard();
  const isOwn = ({ who }: Need) => who === 'reader' || (who !== 'operator' && may(view, who));
  const own = needs.filter(isOwn);
  const others = needs.filter((need) => !isOwn(need));
  if (isQuiet && needs.every(({ who }) => who === 'reader')) return null;
  return (
    <Card
      heading={texts.home.needsYou}
      aside={own.length === 0 ? null : texts.home.things(own.length)}
    >
      {own.length === 0 ? (
        <p class="quiet">{texts.home.nothing}</p>
      ) : (
        <ul class="attention">
          {own.map((need) => (
            <NeedItem {...need} icon={iconOf(need)} />
          ))}
        </ul>
      )}
      {others.length === 0
        ? null
        : [
            <h3>{texts.home.others}</h3>,
            <ul class="attention">
              {others.map((need) => (
                <NeedItem {...need} icon="clock" />
              ))}
            </ul>,
          ]}
    </Card>
  );
}

function iconOf({ who, look }: Need) {
  if (who === 'reader') return 'people';
  return look === 'bad' ? 'alert' : 'warning';
}

function NeedItem({
  look,
  heading,
  text,
  link,
  icon,
}: Need & { readonly icon: 'alert' | 'warning' | 'clock' | 'people' }) {
  return (
    <li class={icon === 'clock' || icon === 'people' ? 'calm' : look}>
      <Icon name={icon} />
      <div>
        <b>{heading}</b>
        <p>{text}</p>
      </div>
      {link === undefined ? null : (
        <a class="btn sm" href={link.href}>
          {link.text}
          <span class="vh">: {heading}</span>
        </a>
      )}
    </li>
  );
}

export function needsOf(scene: DashboardScene, home: Needing): readonly Need[] {
  const { texts, view, format } = scene;
  const { lacks, attention, short, approvals, overdue, steps } = home;
  const words = texts.home;
  const ofPayment = (one: ShownView, who: Need['who']): Need => {
    const buyer = shortName(buyerOf(one.payment));
    const { what: heading, next: text } = situationIn(scene, one, buyer);
    const link = { href: `${view.path}/payments/${one.payment.id}`, text: words.seePayment };
    return { who, heading, text, link };
  };
  const sums = (views: readonly ShownView[]) => sumText(scene, views);
  const needs: Need[] = [];
  const isStarting = steps.some(({ state }) => state !== 'done');
  // The first steps say it already.
  if (lacks.length > 0 && !isStarting) {
    needs.push({
      who: 'org:write',
      heading: words.missing,
      text: words.missingText(lacks.map(({ need }) => words.needs[need]).join(', ')),
      link: { href: `${view.path}${START_PATH}`, text: texts.places.gettingStarted },
    });
  }
  const [oldest] = approvals.slice(-1);
  if (oldest !== undefined) {
    // Intents may wait for an approval, too.
    const isInvoices = approvals.every(({ payment }) => payment.origin === 'invoice');
    const since = format.day(oldest.payment.createdAtMs);
    needs.push({
      who: 'invoices:write',
      look: 'bad',
      heading: words.approve(approvals.length),
      text: words.approveText(since, referenceOf(oldest.payment), sums(approvals)),
      link: {
        href: `${view.path}/${isInvoices ? 'invoices' : 'payments'}?status=you`,
        text: words.seeInvoices,
      },
    });
  }
  needs.push(...short.slice(0, NAMED_MAX).map((one) => ofPayment(one, 'invoices:write')));
  const [first] = overdue;
  if (first !== undefined) {
    needs.push({
      who: 'invoices:write',
      heading: words.overdue(overdue.length),
      text: words.overdueText(
        format.shortDate(first.payment.dueDate ?? ''),
        referenceOf(first.payment),
        sums(overdue),
      ),
      link: { href: `${view.path}/invoices?status=overdue`, text: words.seeInvoices },
    });
  }
  const bySituation = Map.groupBy(attention, (one) => situationOf(one));
  const operated = [...bySituation.values()].flatMap((views) => {
    const [one] = views;
    if (one === undefined) return [];
    const need = ofPayment(one, 'operator');
    if (views.length === 1) return [need];
    const { pill } = situationIn(scene, one);
    const count = format.count(views.length);
    const shown = views.length === ATTENTION_MAX ? words.orMore(count) : count;
    const named = views.map(({ payment }) => referenceOf(payment));
    return [
      {
        who: 'operator' as const,
        heading: words.together(pill.text, shown, sums(views)),
        text: `${need.text} ${shortened(named)}`,
      },
    ];
  });
  const called = view.person ?? '';
  const name: Need = {
    who: 'reader',
    heading: words.yourName(called),
    text: texts.setup.team.nameLede,
    link: { href: `${view.path}${OWN_NAME}`, text: texts.setup.team.yourName },
  };
  const isNamed = called !== view.viewer?.email;
  return [...needs, ...webhookNeeds(scene, home), ...(isNamed ? [] : [name]), ...operated];
}

/** Its page has all of it. */
function shortName(name: string): string {
  const shown = lettersOf(name);
  if (shown.length <= NAME_MAX) return name;
  return `${shown.slice(0, NAME_MAX).join('').trimEnd()}…`;
}

function shortened(names: readonly string[]): string {
  const first = names.slice(0, NAMED_MAX).join(', ');
  return names.length > NAMED_MAX ? `${first} …` : first;
}

/** One need for all endpoints; one that gave up counts once, although it may fail too. */
function webhookNeeds(
  { texts, view, format }: DashboardScene,
  { dead, failing }: Pick<Needing, 'dead' | 'failing'>,
): readonly Need[] {
  const words = texts.home;
  const who = 'webhooks:write';
  const gaveUp = dead.flatMap(({ subscription, dead: [latest, ...others] }): readonly Need[] => {
    if (latest === undefined) return [];
    const day = format.day(latest.createdAtMs);
    return [
      {
        who,
        look: 'bad',
        heading: words.gaveUp(others.length + 1),
        text: words.gaveUpText(
          shownUrl(subscription.url),
          latest.eventType,
          day,
          lastAnswerText({ texts }, latest),
        ),
        link: {
          href: `${view.path}/webhooks/${subscription.id}?status=dead_letter`,
          text: words.seeWebhooks,
        },
      },
    ];
  });
  const lost = new Set(dead.map(({ subscription }) => subscription.id));
  const retrying = failing.filter(({ subscription }) => !lost.has(subscription.id));
  const [one, ...others] = [
    ...gaveUp,
    ...retrying.map(({ subscription, delivery }): Need => {
      const url = shownUrl(subscription.url);
      return {
        who,
        heading: words.failing(1),
        text: words.failingText(url, delivery.eventType, lastAnswerText({ texts }, delivery)),
        link: {
          href: `${view.path}/webhooks/${subscription.id}?status=pending`,
          text: words.seeWebhooks,
        },
      };
    }),
  ];
  if (one === undefined) return [];
  if (others.length === 0) return [one];
  const hosts = [...dead, ...retrying].map(({ subscription }) => new URL(subscription.url).host);
  const named = [...new Set(hosts)];
  return [
    {
      who,
      look: 'bad',
      heading: words.failing(others.length + 1),
      text: shortened(named),
      link: { href: `${view.path}/webhooks`, text: words.seeWebhooks },
    },
  ];
}
