// The frame of every page of the dashboard: the organization, the mode and the member above, the
// places beside, the languages below.
import type { ComponentChildren, VNode } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import { modes } from '../../../core/domain/base/tenant.js';
import { Button, Foreign, Form, Languages, Note } from '../kit/components.js';
import { ErrorSummary, type FieldError } from '../kit/fields.js';
import { frameTexts } from '../kit/frame-texts.js';
import { Icon, Mark } from '../kit/icons.js';
import { FrameProvider } from '../kit/page-frame.js';
import { html, type PageAnswer } from '../kit/page-route.js';
import { plainText } from '../kit/plain-text.js';
import {
  DashboardProvider,
  type DashboardScene,
  type DashboardView,
  frameOf,
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

export interface DashboardContent {
  /** The title of the window; also the heading, if no other one is given. */
  readonly title: string;
  readonly heading?: ComponentChildren;
  readonly lede?: ComponentChildren;
  /** Null on pages that belong to no organization. */
  readonly place: DashboardPlace | null;
  /** Beside the heading. */
  readonly actions?: ComponentChildren;
  /** Above the heading: the way to this page. */
  readonly crumbs?: ComponentChildren;
  readonly body: ComponentChildren;
  readonly errors?: readonly FieldError[];
  /** The path of the event stream, as `liveOf` makes it. */
  readonly live?: string;
}

export function dashboardPage(
  view: DashboardView,
  content: (scene: DashboardScene) => DashboardContent,
  status = 200,
): PageAnswer {
  const scene = sceneOf(view);
  const document = (
    <FrameProvider value={frameOf(scene)}>
      <DashboardProvider value={scene}>
        <Document content={content(scene)} scene={scene} />
      </DashboardProvider>
    </FrameProvider>
  );
  return html(`<!doctype html>\n${renderToStaticMarkup(document)}\n`, status);
}

function Document({ content, scene }: { content: DashboardContent; scene: DashboardScene }): VNode {
  const { view, texts } = scene;
  const words = frameTexts[view.locale];
  const organization = view.organization === null ? null : plainText(view.organization.name);
  const title = texts.frame.title(content.title, organization);
  const isMarked = (content.errors ?? []).length > 0;
  return (
    <html lang={view.locale}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{isMarked ? words.errorTitle(title) : title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={view.assets.style} />
        <link rel="stylesheet" href={view.assets.dashboard} />
        <script src={view.assets.script} defer />
      </head>
      <body
        class={`dash ${view.mode}`}
        data-copied={words.copied}
        // A reload of a page with errors would send its form again.
        data-live={
          content.live === undefined || isMarked ? undefined : `${view.path}/${content.live}`
        }
        data-live-seconds={QUIET_SECONDS}
      >
        <a class="skip" href="#main">
          {words.skip}
        </a>
        <Top />
        <div class={content.place === null ? 'wrap narrow' : 'frame'}>
          {content.place === null ? null : <Places here={content.place} />}
          <main id="main" tabIndex={-1} class="stack-l">
            <Heading content={content} />
            {content.body}
          </main>
        </div>
        <Footer />
        <p class="vh" role="status" id="says" />
      </body>
    </html>
  );
}

function Top(): VNode {
  const { view, texts } = useDashboard();
  const { organization, viewer, modePaths, role } = view;
  const words = frameTexts[view.locale];
  return (
    <header class="top">
      {view.mode === 'test' ? (
        <p class="testbar">
          <b>{words.test}</b> {texts.frame.testBar}
        </p>
      ) : null}
      <div class="wrap">
        {modePaths === null ? null : (
          <button class="btn sm menu" type="button" popovertarget="nav">
            <Icon name="menu" />
            {texts.frame.menu}
          </button>
        )}
        <Mark />
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
      </div>
    </header>
  );
}

function Places({ here }: { readonly here: DashboardPlace }): VNode {
  const { view, texts } = useDashboard();
  const isShown = (place: DashboardPlace) => place !== 'activity' || may(view, 'audit:read');
  return (
    <nav class="nav" id="nav" popover="auto" aria-label={texts.frame.main}>
      {groups.map((places) => (
        <ul>
          {places.filter(isShown).map((place) => (
            <li>
              <a
                href={`${view.path}${placePaths[place]}`}
                aria-current={place === here ? 'page' : undefined}
              >
                {texts.places[place]}
              </a>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

function Heading({ content }: { readonly content: DashboardContent }): VNode {
  const { view, texts } = useDashboard();
  const { errors = [], crumbs, actions, lede } = content;
  const known: Readonly<Record<string, string>> = texts.notice;
  const notice = view.notice === null ? undefined : known[view.notice];
  return (
    <div class="stack">
      {crumbs === undefined ? null : <p class="crumb">{crumbs}</p>}
      <div class="line ends">
        <div class="stack-s">
          <h1>{content.heading ?? content.title}</h1>
          {lede === undefined ? null : <p class="lede">{lede}</p>}
        </div>
        {actions === undefined ? null : <div class="actions">{actions}</div>}
      </div>
      <ErrorSummary errors={errors} />
      {view.done === null || errors.length > 0 ? null : (
        <Note look="ok" live>
          <p>{texts.done[view.done]}</p>
        </Note>
      )}
      {notice === undefined || errors.length > 0 ? null : (
        <Note live>
          <p>{notice}</p>
        </Note>
      )}
    </div>
  );
}

function Footer(): VNode {
  const { view, texts } = useDashboard();
  return (
    <footer class="foot">
      <div class="wrap line ends">
        <p>{texts.frame.utc}</p>
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
      </div>
    </footer>
  );
}
