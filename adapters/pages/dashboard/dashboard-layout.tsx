// The frame of every page of the dashboard: beside it the organization, the mode, the places, the
// time zone, the languages and the member.
import { modes } from '../../../core/domain/base/tenant.js';
import type { OrganizationNeeds } from '../../../core/usecases/payments/organization-needs.js';
import { Button, Form, Languages } from '../kit/components.js';
import type { IconName } from '../kit/icons.js';
import { html, type PageAnswer } from '../kit/page-route.js';
import type { PageContent } from '../kit/pages/declared-pages.js';
import {
  type PlaceLinks,
  renderPage,
  Shell,
  type ShellLook,
  TestBar,
} from '../kit/pages/page-document.js';
import { plainText } from '../kit/plain-text.js';
import {
  DashboardProvider,
  type DashboardScene,
  type DashboardView,
  may,
  sceneOf,
  useDashboard,
} from './dashboard-scene.js';

/** The places beside the page, in groups. */
const groups = [
  ['home', 'payments', 'invoices', 'sellers', 'accounting'],
  ['webhooks', 'events', 'keys'],
  ['gettingStarted', 'team', 'activity', 'settings'],
] as const;
export type DashboardPlace = (typeof groups)[number][number];

/** How long a page is open before a change loads it again: busy lists change all the time. */
const QUIET_SECONDS = 10;

/** Each path is below that of the mode. */
const places = {
  home: ['', 'home'],
  payments: ['/payments', 'swap'],
  invoices: ['/invoices', 'invoice'],
  sellers: ['/sellers', 'store'],
  accounting: ['/accounting', 'book'],
  webhooks: ['/webhooks', 'bolt'],
  events: ['/events', 'list'],
  keys: ['/keys', 'key'],
  gettingStarted: ['/getting-started', 'flag'],
  team: ['/team', 'people'],
  activity: ['/activity', 'pulse'],
  settings: ['/settings', 'gear'],
} as const satisfies Record<DashboardPlace, readonly [path: string, icon: IconName]>;

export type DashboardContent = PageContent<DashboardPlace>;

/** The first of the crumbs of a page. */
export function ToPlace({ of: place }: { readonly of: DashboardPlace }) {
  const { view, texts } = useDashboard();
  return <a href={`${view.path}${places[place][0]}`}>{texts.places[place]}</a>;
}

/** With what needs the reader beside the page. */
export async function organizationPage(
  view: DashboardView,
  content: (scene: DashboardScene) => DashboardContent,
  status = 200,
): Promise<PageAnswer> {
  return dashboardPage(view, content, status, await view.readNeeds());
}

export function dashboardPage(
  view: DashboardView,
  content: (scene: DashboardScene) => DashboardContent,
  status = 200,
  needs: OrganizationNeeds | null = null,
): PageAnswer {
  const scene = sceneOf(view);
  const shown = content(scene);
  const { title, errors = [], live, place, body } = shown;
  const { texts, format } = scene;
  const organization = view.organization === null ? null : plainText(view.organization.name);
  const notices: Readonly<Record<string, string>> = texts.notice;
  const text = renderPage(
    { view, formVersion: undefined, format },
    {
      title: [title, organization, 'Ponte'].filter((part) => part !== null).join(' – '),
      errors,
      styles: [view.assets.style, view.assets.dashboard],
      icon: view.mode === 'test' ? view.assets.testIcon : view.assets.icon,
      script: view.assets.script,
      names: [organization],
      body: {
        class: `dash ${view.mode}`,
        // A reload of a page with errors would send its form again.
        'data-live': live === undefined || errors.length > 0 ? undefined : `${view.path}/${live}`,
        'data-live-seconds': QUIET_SECONDS,
      },
      children: (
        <DashboardProvider value={scene}>
          <Shell
            look={shellOf(scene, place, needs)}
            isNarrow={place === null}
            content={shown}
            done={view.done === null ? undefined : texts.done[view.done]}
            notice={view.notice === null ? undefined : notices[view.notice]}
          >
            {body}
          </Shell>
        </DashboardProvider>
      ),
    },
  );
  return html(text, status);
}

/** Pages of no organization have one place: the way back. */
function shellOf(
  scene: DashboardScene,
  here: DashboardPlace | null,
  needs: OrganizationNeeds | null,
): ShellLook {
  const { view, texts } = scene;
  const { root, organization, viewer, person, modePaths, role, docs } = view;
  const dashboard = `${root}/dashboard`;
  const back = { href: dashboard, text: texts.frame.dashboard, isHere: false } as const;
  return {
    bar: <TestBar mode={view.mode} text={texts.frame.testBar} />,
    owner: organization && { ...organization, href: `${dashboard}?choose` },
    modes: modePaths && {
      label: texts.frame.mode,
      links: modes.map((mode) => ({
        href: modePaths[mode],
        text: texts.frame.modes[mode],
        isHere: mode === view.mode,
      })),
    },
    groups:
      organization === null
        ? [{ links: [{ ...back, icon: 'home' }] }]
        : placesOf(scene, here, needs),
    foot: [
      <p>{texts.frame.times(view.timeZone)}</p>,
      <ul class="links">
        {docs === null ? null : (
          <li>
            <a href={docs}>{texts.frame.docs}</a>
          </li>
        )}
        {viewer === null ? null : (
          <li>
            <Form to="/dashboard/sign-out">
              <Button look="link">{texts.frame.signOut}</Button>
            </Form>
          </li>
        )}
      </ul>,
      <Languages query={view.query} />,
    ],
    search: organization && {
      path: `${view.path}/payments`,
      of: texts.places.payments,
      by: texts.payments.search,
    },
    person:
      person === null
        ? null
        : { name: person, about: role && texts.roles[role], href: `${dashboard}/sessions` },
  };
}

/** The reader can act on them: others work on the rest. */
function countsOf(
  { view }: DashboardScene,
  needs: OrganizationNeeds | null,
): Readonly<Partial<Record<DashboardPlace, number>>> {
  if (needs === null) return {};
  const isWriter = may(view, 'invoices:write');
  return {
    payments: isWriter ? needs.approvals : 0,
    invoices: isWriter ? needs.overdue : 0,
    webhooks: may(view, 'webhooks:write') ? needs.failing : 0,
  };
}

function placesOf(
  scene: DashboardScene,
  here: DashboardPlace | null,
  needs: OrganizationNeeds | null,
): readonly PlaceLinks[] {
  const { view, texts } = scene;
  const counts = countsOf(scene, needs);
  const isShown = (place: DashboardPlace) => place !== 'activity' || may(view, 'audit:read');
  return groups.map((group) => ({
    links: group.filter(isShown).map((place) => {
      const [path, icon] = places[place];
      const text = texts.places[place];
      const count = counts[place] ?? 0;
      return { href: `${view.path}${path}`, text, isHere: place === here, icon, count };
    }),
  }));
}
