// The frame of every page, for any audience: the document and its head, the link that skips to the
// content, the heading with its problems and notices, and the place where changes are read out. The
// shell is what the dashboard and the console have beside a page; an audience declares it.
import type { ComponentChildren, VNode } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import type { Locale } from '../../../../core/domain/base/locale.js';
import type { Mode } from '../../../../core/domain/base/tenant.js';
import { Foreign, Note } from '../components.js';
import { ErrorSummary, type FieldError } from '../fields.js';
import { frameTexts } from '../frame-texts.js';
import { Icon, type IconName, Mark } from '../icons.js';
import { FrameProvider, type PageFrame, useFrame } from '../page-frame.js';
import { plainText } from '../plain-text.js';
import { withExactValues } from './exact-values.js';
import { SearchField, type SearchLook } from './search-field.js';

interface DocumentProps {
  readonly locale: Locale;
  readonly title: string;
  /** More lines of the head, by name. */
  readonly meta: Readonly<Record<string, string>>;
  readonly head: ComponentChildren;
  /** The body. */
  readonly children: VNode;
}

function Document({ locale, title, meta, head, children }: DocumentProps) {
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
    head: [
      <link rel="icon" href={icon} />,
      styles.map((style) => <link rel="stylesheet" href={style} />),
      script === null ? null : <script src={script} defer />,
    ],
    children: (
      <FrameProvider value={frame}>
        <body {...body} data-copied={texts.copied} data-saving={texts.saving}>
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
  /** Above the heading: the pages on the way to this one, and what it is there. */
  readonly crumbs?: readonly ComponentChildren[];
  /** Beside the heading. */
  readonly actions?: ComponentChildren;
  /** In place of that of the audience. */
  readonly search?: SearchLook | undefined;
  readonly errors?: readonly FieldError[];
}

/** `done` and `notice` are said once, and not beside problems. */
interface HeadingProps {
  readonly content: PageHeading;
  readonly done: string | undefined;
  readonly notice: ComponentChildren;
  /** Null before sign-in. */
  readonly search: SearchLook | null;
}

function Heading({
  content: { title, heading = title, lede, crumbs, actions, errors = [], search },
  done,
  notice,
  ...of
}: HeadingProps) {
  const looked = search ?? of.search;
  const field = looked === null ? null : <SearchField {...looked} />;
  const said = lede === undefined ? null : <p class="lede">{lede}</p>;
  return (
    <div class="stack head">
      {crumbs === undefined ? null : (
        <div class="line ends">
          <p class="crumb">{crumbs.map((crumb, at) => [at === 0 ? null : ' / ', crumb])}</p>
          {field}
        </div>
      )}
      <div class="line ends">
        {crumbs === undefined ? (
          [<h1>{heading}</h1>, field]
        ) : (
          <div class="stack-s about">
            <h1>{heading}</h1>
            {said}
          </div>
        )}
        {actions === undefined ? null : <div class="actions">{actions}</div>}
      </div>
      {crumbs === undefined ? said : null}
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
}) {
  if (errors.length > 0) return <ErrorSummary errors={errors} />;
  return [
    done === undefined ? null : <Note look="ok" live text={done} />,
    notice === undefined ? null : <Note live text={notice} />,
  ];
}

export function Foot({ children }: { readonly children: ComponentChildren }) {
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

/** Counts of the menu have one digit. */
const COUNTED_MAX = 9;

export interface PlaceLinks {
  readonly name?: string | null;
  readonly links: readonly {
    readonly href: string;
    readonly text: ComponentChildren;
    readonly isHere: boolean;
    readonly icon?: IconName;
    /** How many things there need somebody. */
    readonly count?: number;
  }[];
}

/** The places beside the page, in groups. */
export function Places({
  label,
  groups,
}: Readonly<{ label?: string; groups: readonly PlaceLinks[] }>) {
  const { texts } = useFrame();
  return (
    <nav class="nav" aria-label={label ?? texts.main}>
      {groups.map(({ name = null, links }) => [
        name === null ? null : <h2>{name}</h2>,
        <ul>
          {links.map(({ href, text, isHere, icon, count = 0 }) => (
            <li>
              <a href={href} aria-current={isHere ? 'page' : undefined}>
                {icon === undefined ? null : <Icon name={icon} />}
                {text}
                {count === 0 ? null : (
                  <b>
                    <span class="vh">, {texts.needYou}: </span>
                    {count > COUNTED_MAX ? `${COUNTED_MAX}+` : count}
                  </b>
                )}
              </a>
            </li>
          ))}
        </ul>,
      ])}
    </nav>
  );
}

/** On a small screen a button opens it; without popovers it stands above the page. */
export function SideMenu({ children }: { readonly children: ComponentChildren }) {
  const { texts } = useFrame();
  return [
    <button class="btn sm menu" type="button" popovertarget="menu">
      <Icon name="menu" />
      {texts.menu}
    </button>,
    <div class="places" id="menu" popover="auto">
      {children}
    </div>,
  ];
}

/** What is beside a page of the dashboard and of the console. */
export interface ShellLook {
  /** Said above everything else. */
  readonly bar: VNode | null;
  /** Whose pages they are; null where they are nobody's. */
  readonly owner: {
    readonly name: string;
    readonly href: string;
    /** Path of the picture. */
    readonly logo: string | null;
  } | null;
  readonly modes: {
    readonly label: string;
    readonly links: readonly Readonly<{ href: string; text: string; isHere: boolean }>[];
  } | null;
  readonly groups: readonly PlaceLinks[];
  readonly foot: ComponentChildren;
  /** Null before sign-in. */
  readonly search: SearchLook | null;
  /** Who has the page open; null before sign-in. */
  readonly person: Readonly<{ name: string; about: string | null; href: string | null }> | null;
}

interface ShellProps extends Omit<HeadingProps, 'search'> {
  readonly look: ShellLook;
  /** A page without a place is one column. */
  readonly isNarrow: boolean;
  readonly children: ComponentChildren;
}

export function Shell({ look, isNarrow, children, ...heading }: ShellProps) {
  const { bar, owner, modes, groups, foot, search, person } = look;
  return [
    bar,
    <div class="shell">
      <header class="rail">
        {owner === null ? (
          <Mark />
        ) : (
          <a class="owner" href={owner.href}>
            <Face name={owner.name} logo={owner.logo} />
            <span class="cut" title={plainText(owner.name)}>
              <Foreign text={owner.name} />
            </span>
          </a>
        )}
        <SideMenu>
          {modes === null ? null : (
            <nav class="modes" aria-label={modes.label}>
              {modes.links.map(({ href, text, isHere }) => (
                <a href={href} aria-current={isHere ? 'true' : undefined}>
                  {text}
                </a>
              ))}
            </nav>
          )}
          <Places groups={groups} />
          <div class="base">
            {foot}
            {person === null ? null : <Person {...person} />}
          </div>
        </SideMenu>
      </header>
      <main id="main" tabIndex={-1} class={isNarrow ? 'stack-l narrow' : 'stack-l'}>
        <Heading {...heading} search={search} />
        {children}
      </main>
    </div>,
  ];
}

function Person({ name, about, href }: NonNullable<ShellLook['person']>) {
  const shown = (
    <>
      <Face name={name} logo={null} />
      <span class="cut" title={name}>
        {name}
        {about === null ? null : [<span class="vh">, </span>, <small>{about}</small>]}
      </span>
    </>
  );
  if (href === null) return <p class="owner person">{shown}</p>;
  return (
    <a class="owner person" href={href}>
      {shown}
    </a>
  );
}

/** The logo, or the first signs of two words of the name. */
function Face({ name, logo }: { readonly name: string; readonly logo: string | null }) {
  if (logo !== null) return <img class="face" src={logo} alt="" />;
  const words = plainText(name).split(/[\s@.]+/);
  const signs = words.flatMap((word) => word.match(/[\p{L}\p{N}]/u) ?? []).slice(0, 2);
  return (
    <span class="face" aria-hidden="true">
      {signs.join('').toLocaleUpperCase('en')}
    </span>
  );
}
