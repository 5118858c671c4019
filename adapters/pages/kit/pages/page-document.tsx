// The frame of every page, for any audience: the document and its head, the link that skips to the
// content, the heading with its problems and notices, the places beside it, and the place where
// changes are read out. An audience gives the content of its header and footer.
import type { ComponentChildren, VNode } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import type { Locale } from '../../../../core/domain/base/locale.js';
import type { Mode } from '../../../../core/domain/base/tenant.js';
import { Note } from '../components.js';
import { ErrorSummary, type FieldError } from '../fields.js';
import { frameTexts } from '../frame-texts.js';
import { Icon, Mark } from '../icons.js';
import { FrameProvider, type PageFrame, useFrame } from '../page-frame.js';
import { withExactValues } from './exact-values.js';

interface DocumentProps {
  readonly locale: Locale;
  readonly title: string;
  /** More lines of the head, by name. */
  readonly meta: Readonly<Record<string, string>>;
  readonly head: ComponentChildren;
  /** The body. */
  readonly children: VNode;
}

function Document({ locale, title, meta, head, children }: DocumentProps): VNode {
  const metas = { viewport: 'width=device-width, initial-scale=1', 'color-scheme': 'light dark' };
  return (
    <html lang={locale}>
      <head>
        <meta charset="utf-8" />
        {Object.entries({ ...metas, ...meta }).map(([name, content]) => (
          <meta name={name} content={content} />
        ))}
        <title>{title}</title>
        {head}
      </head>
      {children}
    </html>
  );
}

export function renderDocument(props: DocumentProps): string {
  return `<!doctype html>\n${renderToStaticMarkup(<Document {...props} />)}\n`;
}

interface PageProps {
  readonly title: string;
  /** Then the title says so. */
  readonly errors?: readonly FieldError[];
  /** In their order. */
  readonly styles: readonly string[];
  /** On the tab of the browser. */
  readonly icon: string;
  /** Null for a page without one. */
  readonly script: string | null;
  /** Search engines may list it. */
  readonly isPublic?: true;
  /** Names that its sentences have, beside those that stand alone; null: it has no exact values. */
  readonly names: readonly (string | null)[] | null;
  /** Attributes of the body. */
  readonly body: Readonly<Record<string, string | number | undefined>>;
  /** Header, content with the id `main`, and footer. */
  readonly children: ComponentChildren;
}

export function renderPage(frame: PageFrame, page: PageProps): string {
  const { title, errors = [], styles, icon, script, isPublic, names, body, children } = page;
  const { locale } = frame.view;
  const texts = frameTexts[locale];
  const document = renderDocument({
    locale,
    title: errors.length > 0 ? texts.errorTitle(title) : title,
    meta: isPublic ? {} : { robots: 'noindex' },
    head: (
      <>
        <link rel="icon" href={icon} />
        {styles.map((style) => (
          <link rel="stylesheet" href={style} />
        ))}
        {script === null ? null : <script src={script} defer />}
      </>
    ),
    children: (
      <FrameProvider value={frame}>
        <body {...body} data-copied={texts.copied}>
          <a class="skip" href="#main">
            {texts.skip}
          </a>
          {children}
          <p class="vh" role="status" id="says" />
        </body>
      </FrameProvider>
    ),
  });
  return names === null ? document : withExactValues(document, names);
}

export interface PageHeading {
  /** The title of the window; also the heading, if no other one is given. */
  readonly title: string;
  readonly heading?: ComponentChildren;
  readonly lede?: ComponentChildren;
  /** Above the heading: the way to this page. */
  readonly crumbs?: ComponentChildren;
  /** Beside the heading. */
  readonly actions?: ComponentChildren;
  readonly errors?: readonly FieldError[];
}

/** `done` and `notice` are said once, and not beside problems. */
export function Heading({
  content: { title, heading = title, lede, crumbs, actions, errors = [] },
  done,
  notice,
}: {
  readonly content: PageHeading;
  readonly done: string | undefined;
  readonly notice: ComponentChildren;
}): VNode {
  return (
    <div class="stack">
      {crumbs === undefined ? null : <p class="crumb">{crumbs}</p>}
      <div class="line ends">
        <div class="stack-s">
          <h1>{heading}</h1>
          {lede === undefined ? null : <p class="lede">{lede}</p>}
        </div>
        {actions === undefined ? null : <div class="actions">{actions}</div>}
      </div>
      <Said errors={errors} done={done} notice={notice} />
    </div>
  );
}

/** What is wrong, or what a form before this page did and why. */
export function Said({
  errors,
  done,
  notice,
}: {
  readonly errors: readonly FieldError[];
  readonly done: string | undefined;
  readonly notice: ComponentChildren;
}): VNode {
  if (errors.length > 0) return <ErrorSummary errors={errors} />;
  return (
    <>
      {done === undefined ? null : (
        <Note look="ok" live>
          <p>{done}</p>
        </Note>
      )}
      {notice === undefined ? null : (
        <Note live>
          <p>{notice}</p>
        </Note>
      )}
    </>
  );
}

/** The header of a page with places beside it. `bar`: what is said above everything else. */
export function Top({
  bar,
  hasPlaces,
  mark = <Mark />,
  children,
}: {
  readonly bar?: VNode | null;
  /** Then a button opens them on a small screen. */
  readonly hasPlaces: boolean;
  readonly mark?: VNode;
  readonly children: ComponentChildren;
}): VNode {
  const { texts } = useFrame();
  return (
    <header class="top">
      {bar}
      <div class="wrap">
        {hasPlaces ? (
          <button class="btn sm menu" type="button" popovertarget="nav">
            <Icon name="menu" />
            {texts.menu}
          </button>
        ) : null}
        {mark}
        {children}
      </div>
    </header>
  );
}

export function Foot({ children }: { readonly children: ComponentChildren }): VNode {
  return (
    <footer class="foot">
      <div class="wrap line ends">{children}</div>
    </footer>
  );
}

/** Says in which mode the page is; nothing in live mode. */
export function TestBar({ mode, text }: { readonly mode: Mode; readonly text: string }) {
  const { texts } = useFrame();
  if (mode === 'live') return null;
  return (
    <p class="testbar">
      <b>{texts.test}</b> {text}
    </p>
  );
}

export interface PlaceLinks {
  readonly name?: string | null;
  readonly links: readonly {
    readonly href: string;
    readonly text: ComponentChildren;
    readonly isHere: boolean;
  }[];
}

/** The places beside the page, in groups. */
export function Places({
  label,
  groups,
}: {
  readonly label?: string;
  readonly groups: readonly PlaceLinks[];
}): VNode {
  const { texts } = useFrame();
  return (
    <nav class="nav" id="nav" popover="auto" aria-label={label ?? texts.main}>
      {groups.map(({ name = null, links }) => (
        <>
          {name === null ? null : <h2>{name}</h2>}
          <ul>
            {links.map(({ href, text, isHere }) => (
              <li>
                <a href={href} aria-current={isHere ? 'page' : undefined}>
                  {text}
                </a>
              </li>
            ))}
          </ul>
        </>
      ))}
    </nav>
  );
}
