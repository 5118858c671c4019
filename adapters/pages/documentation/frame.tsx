// The frame of every page of the documentation: its parts above, the pages of the part beside, the
// headings of the page on the other side.
import type { ComponentChildren } from 'preact';
import { assetPaths } from '../kit/assets.js';
import { formatOf } from '../kit/format.js';
import { Mark } from '../kit/icons.js';
import { Foot, type PlaceLinks, Places, renderPage, SideMenu } from '../kit/pages/page-document.js';
import type { Heading } from './markdown.js';

export const parts = {
  guides: 'Guides',
  reference: 'API reference',
  errors: 'Errors',
  events: 'Events',
  manual: 'Operation',
} as const;

export type DocPart = keyof typeof parts;

export interface PlaceGroup {
  readonly name: string | null;
  readonly places: readonly { readonly path: string; readonly label: string }[];
}

export interface DocContent {
  /** Below /docs; '' is the start. */
  readonly path: string;
  readonly title: string;
  readonly lede?: ComponentChildren;
  /** The title is a name of code. */
  readonly isCode?: boolean;
  readonly headings?: readonly Heading[];
  /** Wider than a text. */
  readonly isWide?: boolean;
  readonly body: ComponentChildren;
}

export interface DocumentFrame {
  readonly groups: readonly PlaceGroup[];
  /** Below /docs, with a hash of its content. */
  readonly searchPath: string;
  readonly version: string;
}

/** What leads from a page to the root: links are relative, for any prefix of a proxy. */
export function rootFrom(path: string): string {
  return path === '' ? '' : '../'.repeat(path.split('/').length);
}

/** From a page to another one; '' is the start. */
export function linkFrom(path: string, to: string): string {
  return `${rootFrom(path)}docs${to === '' ? '' : `/${to}`}`;
}

const format = formatOf('en');

export function documentPage(content: DocContent, frame: DocumentFrame): string {
  const { path, title } = content;
  const assets = assetPaths(linkFrom(path, ''));
  const part = partOf(path);
  const headings = (content.headings ?? []).filter(({ depth }) => depth === 2);
  const name = part === null || title === parts[part] ? title : `${title} – ${parts[part]}`;
  const hasPlaces = frame.groups.length > 0;
  const view = { locale: 'en', root: '', path: '', csrf: null, nowMs: 0 } as const;
  return renderPage(
    { view, formVersion: undefined, format },
    {
      title: `${name} – Ponte`,
      styles: [assets.style, assets.dashboard, assets.documentation],
      icon: assets.icon,
      script: assets.documentationScript,
      names: [],
      isPublic: true,
      body: { class: 'dash docs' },
      children: [
        <Header path={path} searchPath={frame.searchPath} />,
        <div class={frameClass(hasPlaces, headings.length > 1)}>
          {hasPlaces ? (
            <SideMenu>
              <Places label="Pages" groups={placesOf(path, frame.groups)} />
            </SideMenu>
          ) : null}
          <main id="main" tabIndex={-1}>
            <Article content={content} headings={headings} />
          </main>
          {headings.length > 1 ? (
            <nav class="toc" aria-labelledby="toc">
              <h2 id="toc">On this page</h2>
              <HeadingLinks headings={headings} />
            </nav>
          ) : null}
        </div>,
        <Foot>
          <p>For version {frame.version} of the API.</p>
          <ul>
            <li>
              <a href={`${rootFrom(path)}docs-json`}>OpenAPI 3.1</a>
            </li>
          </ul>
        </Foot>,
      ],
    },
  );
}

function frameClass(hasPlaces: boolean, hasHeadings: boolean): string {
  if (!hasPlaces) return 'wrap';
  return hasHeadings ? 'frame three' : 'frame';
}

function partOf(path: string): DocPart | null {
  const [first = ''] = path.split('/');
  return Object.hasOwn(parts, first) ? (first as DocPart) : null;
}

function Article({
  content,
  headings,
}: Readonly<{ content: DocContent; headings: readonly Heading[] }>) {
  const { path, title, lede, isCode, isWide, body } = content;
  const part = partOf(path);
  return (
    <article class={isWide ? 'stack' : 'stack prose'}>
      {part === null || path === part ? null : (
        <p class="crumb">
          <a href={linkFrom(path, part)}>{parts[part]}</a>
        </p>
      )}
      <h1 class={isCode ? 'code' : undefined}>{title}</h1>
      {lede === undefined ? null : <p class="lede">{lede}</p>}
      {headings.length > 1 ? (
        <details class="toc-small">
          <summary>On this page</summary>
          <HeadingLinks headings={headings} />
        </details>
      ) : null}
      {body}
    </article>
  );
}

function HeadingLinks({ headings }: { readonly headings: readonly Heading[] }) {
  return (
    <ul>
      {headings.map(({ id, words }) => (
        <li>
          <a href={`#${id}`}>{words}</a>
        </li>
      ))}
    </ul>
  );
}

function Header({ path, searchPath }: Readonly<{ path: string; searchPath: string }>) {
  const here = partOf(path);
  return (
    <header class="top">
      <div class="wrap">
        <a class="home" href={linkFrom(path, '')}>
          <Mark />
        </a>
        <nav class="topnav" aria-label="Parts of the documentation">
          {Object.entries(parts).map(([part, label]) => (
            <a
              href={linkFrom(path, part)}
              aria-current={part === here ? (path === part ? 'page' : 'true') : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
        <search class="finder" data-finder={linkFrom(path, searchPath)} hidden>
          <label class="vh" for="find">
            Search the documentation
          </label>
          <input
            id="find"
            type="search"
            autocomplete="off"
            placeholder="Search (press /)"
            aria-keyshortcuts="/"
          />
          <ul id="found" hidden />
        </search>
      </div>
    </header>
  );
}

function placesOf(path: string, groups: readonly PlaceGroup[]): readonly PlaceLinks[] {
  return groups.map(({ name, places }) => ({
    name,
    links: places.map((place) => ({
      href: linkFrom(path, place.path),
      text: broken(place.label),
      isHere: place.path === path,
    })),
  }));
}

/** A long name of code may break before a capital or after a dot. */
export function broken(name: string): ComponentChildren {
  if (!/^[\w.]{10,}$/.test(name)) return name;
  return name
    .split(/(?<=[._])|(?<=[a-z])(?=[A-Z])/)
    .map((word, index) => [index === 0 ? null : <wbr />, word]);
}
