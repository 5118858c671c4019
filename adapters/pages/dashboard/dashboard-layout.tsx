// The frame of every page of the dashboard: the organization, the mode and the member above, the
// places beside, the languages below.
import type { VNode } from 'preact';
import { modes } from '../../../core/domain/base/tenant.js';
import { Button, Foreign, Form, Languages } from '../kit/components.js';
import { html, type PageAnswer } from '../kit/page-route.js';
import type { PageContent } from '../kit/pages/declared-pages.js';
import {
  Foot,
  Heading,
  type PlaceLinks,
  Places,
  renderPage,
  TestBar,
  Top,
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
  ['home', 'payments', 'invoices', 'sellers'],
  ['webhooks', 'events', 'keys'],
  ['gettingStarted', 'team', 'activity', 'settings'],
] as const;
export type DashboardPlace = (typeof groups)[number][number];

/** How long a page is open before a change loads it again: busy lists change all the time. */
const QUIET_SECONDS = 10;

/** Below the path of the mode. */
const placePaths = {
  home: '',
  payments: '/payments',
  invoices: '/invoices',
  sellers: '/sellers',
  webhooks: '/webhooks',
  events: '/events',
  keys: '/keys',
  gettingStarted: '/getting-started',
  team: '/team',
  activity: '/activity',
  settings: '/settings',
} as const satisfies Record<DashboardPlace, string>;

export type DashboardContent = PageContent<DashboardPlace>;

export function dashboardPage(
  view: DashboardView,
  content: (scene: DashboardScene) => DashboardContent,
  status = 200,
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
      title: texts.frame.title(title, organization),
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
          <Header />
          <div class={place === null ? 'wrap narrow' : 'frame'}>
            {place === null ? null : <Places groups={placesOf(scene, place)} />}
            <main id="main" tabIndex={-1} class="stack-l">
              <Heading
                content={shown}
                done={view.done === null ? undefined : texts.done[view.done]}
                notice={view.notice === null ? undefined : notices[view.notice]}
              />
              {body}
            </main>
          </div>
          <Footer />
        </DashboardProvider>
      ),
    },
  );
  return html(text, status);
}

function Header(): VNode {
  const { view, texts } = useDashboard();
  const { organization, viewer, modePaths, role } = view;
  return (
    <Top
      bar={<TestBar mode={view.mode} text={texts.frame.testBar} />}
      hasPlaces={modePaths !== null}
    >
      {organization === null ? null : (
        <p class="crumb">
          <a href={`${view.root}/dashboard?choose`}>
            <Foreign text={organization.name} />
          </a>
        </p>
      )}
      {modePaths === null ? null : (
        <nav class="modes" aria-label={texts.frame.mode}>
          {modes.map((mode) => (
            <a href={modePaths[mode]} aria-current={mode === view.mode ? 'true' : undefined}>
              {texts.frame.modes[mode]}
            </a>
          ))}
        </nav>
      )}
      {viewer === null ? null : (
        <p class="crumb">
          <a href={`${view.root}/dashboard/sessions`}>
            {viewer.email}
            {role === null ? null : `, ${texts.roles[role]}`}
          </a>
        </p>
      )}
    </Top>
  );
}

function placesOf({ view, texts }: DashboardScene, here: DashboardPlace): readonly PlaceLinks[] {
  const isShown = (place: DashboardPlace) => place !== 'activity' || may(view, 'audit:read');
  return groups.map((places) => ({
    links: places.filter(isShown).map((place) => ({
      href: `${view.path}${placePaths[place]}`,
      text: texts.places[place],
      isHere: place === here,
    })),
  }));
}

function Footer(): VNode {
  const { view, texts } = useDashboard();
  return (
    <Foot>
      <p>{texts.frame.times(view.timeZone)}</p>
      <ul>
        {view.docs === null ? null : (
          <li>
            <a href={view.docs}>{texts.frame.docs}</a>
          </li>
        )}
        {view.viewer === null ? null : (
          <li>
            <Form to="/dashboard/sign-out">
              <Button look="link">{texts.signIn.signOut}</Button>
            </Form>
          </li>
        )}
      </ul>
      <Languages query={view.query} />
    </Foot>
  );
}
