// The frame of every page of the operator's console, in English only, as the CLI is.
import type { ComponentChildren, VNode } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import { CONSOLE_ROOT } from '../../../core/domain/access/registered-operator.js';
import type { ErrorCode, PonteError } from '../../../core/errors.js';
import { assetPaths } from '../kit/assets.js';
import { Button, ButtonLink, Form, Note } from '../kit/components.js';
import { ErrorSummary, type FieldError } from '../kit/fields.js';
import { formatOf } from '../kit/format.js';
import { frameTexts } from '../kit/frame-texts.js';
import { Icon, Mark } from '../kit/icons.js';
import { FrameProvider, type PageFrame } from '../kit/page-frame.js';
import {
  html,
  type PageAnswer,
  type PageAuth,
  type PageCall,
  type PageContext,
} from '../kit/page-route.js';
import { plainText } from '../kit/plain-text.js';
import type { RefusalPlace } from '../kit/refusal.js';

export type ConsoleCall<F = unknown> = PageCall<'operator', F>;

/** The places beside the page, in groups, with their paths. */
const groups = [
  [
    ['money', 'Money desk'],
    ['proposals', 'Proposals'],
  ],
  [['production', 'Production requests']],
  [
    ['health', 'Health'],
    ['commands', 'Commands'],
    ['audit', 'Audit log'],
  ],
] as const;
export type ConsolePlace = (typeof groups)[number][number][0];

/** What a form before this page did. */
const doneTexts = {
  done: 'Done. The decision has taken effect.',
  proposed: 'Proposed. Nothing is booked until another operator confirms it.',
  waiting: 'It was proposed before. Nothing was changed.',
  repeated: 'It was done before. Nothing was changed.',
  withdrawn: 'The proposal was withdrawn. Nobody can confirm it any more.',
  retried: 'The command runs again.',
  refused: 'The request was refused. The member who asked is mailed the reason.',
} as const;
export type ConsoleDone = keyof typeof doneTexts;

const noticeTexts: Readonly<Record<string, string>> = {
  out_of_date: 'The page was out of date. Nothing was changed. Check it and try again.',
  signed_out: 'Your session has ended. Ask for another link.',
  unsaved: 'Your session has ended, and nothing was changed. Ask for another link.',
};

export interface ConsoleView {
  readonly root: string;
  readonly nowMs: number;
  /** Null without a session. */
  readonly csrf: string | null;
  /** Who has the page open; null before sign-in. */
  readonly operator: string | null;
  readonly done: string | null;
  readonly notice: string | null;
}

export interface ConsoleContent {
  readonly title: string;
  readonly heading?: ComponentChildren;
  readonly lede?: ComponentChildren;
  /** Null before sign-in. */
  readonly place: ConsolePlace | null;
  readonly crumbs?: ComponentChildren;
  readonly body: ComponentChildren;
  readonly errors?: readonly FieldError[];
}

export const format = formatOf('en');

export function consoleViewOf({ deps, prefix }: PageContext, call: PageCall<PageAuth, unknown>) {
  const { csrf, operator, query } = call;
  return {
    root: prefix,
    nowMs: deps.clock.nowMs(),
    csrf,
    operator: operator?.actor.name ?? null,
    done: query.get('done'),
    notice: query.get('notice'),
  } satisfies ConsoleView;
}

/** `done` is shown once on the page. */
export function withConsoleDone(path: string, done: ConsoleDone): string {
  return `${path}?done=${done}`;
}

export function consolePage(view: ConsoleView, content: ConsoleContent, status = 200): PageAnswer {
  const document = (
    <FrameProvider value={frameOf(view)}>
      <Document view={view} content={content} />
    </FrameProvider>
  );
  return html(`<!doctype html>\n${renderToStaticMarkup(document)}\n`, status);
}

function frameOf({ root, csrf, nowMs }: ConsoleView): PageFrame {
  return {
    view: { locale: 'en', root, path: `${root}${CONSOLE_ROOT}`, csrf, nowMs },
    formVersion: undefined,
    format,
  };
}

function Document({ view, content }: { view: ConsoleView; content: ConsoleContent }): VNode {
  const assets = assetPaths(view.root);
  const { place, title, errors = [] } = content;
  const { skip, copied, errorTitle } = frameTexts.en;
  const full = `${plainText(title)} – Operator’s console – Ponte`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{errors.length > 0 ? errorTitle(full) : full}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={assets.style} />
        <link rel="stylesheet" href={assets.dashboard} />
        <script src={assets.script} defer />
      </head>
      <body class="dash op" data-copied={copied}>
        <a class="skip" href="#main">
          {skip}
        </a>
        <Top view={view} hasPlaces={place !== null} />
        <div class={place === null ? 'wrap narrow' : 'frame'}>
          {place === null ? null : <Places here={place} root={view.root} />}
          <main id="main" tabIndex={-1} class="stack-l">
            <Heading view={view} content={content} />
            {content.body}
          </main>
        </div>
        <Footer view={view} />
        <p class="vh" role="status" id="says" />
      </body>
    </html>
  );
}

function Top({ view, hasPlaces }: { view: ConsoleView; hasPlaces: boolean }): VNode {
  return (
    <header class="top">
      <p class="opbar">
        <b>OPERATOR</b> What is done here moves real money.
      </p>
      <div class="wrap">
        {hasPlaces ? (
          <button class="btn sm menu" type="button" popovertarget="nav">
            <Icon name="menu" />
            Menu
          </button>
        ) : null}
        <Mark />
        <p class="crumb">Operator’s console</p>
        {view.operator === null ? null : <p class="opmode">{view.operator}</p>}
      </div>
    </header>
  );
}

function Places({ here, root }: { readonly here: ConsolePlace; readonly root: string }): VNode {
  return (
    <nav class="nav" id="nav" popover="auto" aria-label="Main">
      {groups.map((places) => (
        <ul>
          {places.map(([place, text]) => (
            <li>
              <a
                href={`${root}${CONSOLE_ROOT}/${place}`}
                aria-current={place === here ? 'page' : undefined}
              >
                {text}
              </a>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

function Heading({ view, content }: { view: ConsoleView; content: ConsoleContent }): VNode {
  const { errors = [], crumbs, lede } = content;
  const done = Object.entries(doneTexts).find(([name]) => name === view.done)?.[1];
  const notice = noticeTexts[view.notice ?? ''];
  return (
    <div class="stack">
      {crumbs === undefined ? null : <p class="crumb">{crumbs}</p>}
      <div class="stack-s">
        <h1>{content.heading ?? content.title}</h1>
        {lede === undefined ? null : <p class="lede">{lede}</p>}
      </div>
      <ErrorSummary errors={errors} />
      {done === undefined || errors.length > 0 ? null : (
        <Note look="ok" live>
          <p>{done}</p>
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

function Footer({ view }: { readonly view: ConsoleView }): VNode {
  return (
    <footer class="foot">
      <div class="wrap line ends">
        <p>Times are UTC. The audit log has what is done here, and who did it.</p>
        {view.operator === null ? null : (
          <Form to="sign-out">
            <Button look="link">Sign out</Button>
          </Form>
        )}
      </div>
    </footer>
  );
}

const errorHeadings: Partial<Record<ErrorCode, string>> = {
  NotFound: 'This page does not exist, or no longer waits',
  MethodNotAllowed: 'This page does not exist',
  InQuarantine: 'The database is in quarantine and read-only',
};

/** A refusal as a page. It knows no session. */
export function consoleError(refusal: PonteError, { prefix, nowMs }: RefusalPlace): PageAnswer {
  const view = { root: prefix, nowMs, csrf: null, operator: null, done: null, notice: null };
  const title = errorHeadings[refusal.code] ?? 'This did not work';
  const body = (
    <div class="card stack">
      {refusal.code === 'NotFound' ? null : <p>{refusal.message}</p>}
      <p class="actions">
        <ButtonLink href={`${prefix}${CONSOLE_ROOT}/money`}>Money desk</ButtonLink>
      </p>
    </div>
  );
  return consolePage(view, { title, place: null, body }, refusal.status);
}
