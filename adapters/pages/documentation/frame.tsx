// The frame of every page of the documentation: its parts above, the pages of the part beside, the
// headings of the page on the other side.
import type { ComponentChildren, VNode } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import { assetPaths } from '../kit/assets.js';
import { Icon, Mark } from '../kit/icons.js';
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

export function documentPage(content: DocContent, frame: DocumentFrame): string {
  return `<!doctype html>\n${renderToStaticMarkup(<Page content={content} frame={frame} />)}\n`;
}

interface PageProps {
  readonly content: DocContent;
  readonly frame: DocumentFrame;
}

function Page({ content, frame }: PageProps): VNode {
  const { path, title } = content;
  const assets = assetPaths(linkFrom(path, ''));
  const part = partOf(path);
  const headings = (content.headings ?? []).filter(({ depth }) => depth === 2);
  const name = part === null || title === parts[part] ? title : `${title} – ${parts[part]}`;
  const hasPlaces = frame.groups.length > 0;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${name} – Ponte`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={assets.style} />
        <link rel="stylesheet" href={assets.dashboard} />
        <link rel="stylesheet" href={assets.documentation} />
        <script src={assets.documentationScript} defer />
      </head>
      <body class="dash docs">
        <a class="skip" href="#main">
          Skip to content
        </a>
        <Top path={path} searchPath={frame.searchPath} hasPlaces={hasPlaces} />
        <div class={frameClass(hasPlaces, headings.length > 1)}>
          {hasPlaces ? <Places path={path} groups={frame.groups} /> : null}
          <main id="main" tabIndex={-1}>
            <Article content={content} headings={headings} />
          </main>
          {headings.length > 1 ? (
            <nav class="toc" aria-labelledby="toc">
              <h2 id="toc">On this page</h2>
              <HeadingLinks headings={headings} />
            </nav>
          ) : null}
        </div>
        <footer class="foot">
          <div class="wrap line ends">
            <p>For version {frame.version} of the API.</p>
            <ul>
              <li>
                <a href={`${rootFrom(path)}docs-json`}>OpenAPI 3.1</a>
              </li>
            </ul>
          </div>
        </footer>
      </body>
    </html>
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
}: {
  readonly content: DocContent;
  readonly headings: readonly Heading[];
}): VNode {
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

function HeadingLinks({ headings }: { readonly headings: readonly Heading[] }): VNode {
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

function Top({
  path,
  searchPath,
  hasPlaces,
}: {
  readonly path: string;
  readonly searchPath: string;
  readonly hasPlaces: boolean;
}): VNode {
  const here = partOf(path);
  return (
    <header class="top">
      <div class="wrap">
        {hasPlaces ? (
          <button class="btn sm menu" type="button" popovertarget="nav">
            <Icon name="menu" />
            Menu
          </button>
        ) : null}
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
          <input id="find" type="search" autocomplete="off" placeholder="Search" />
          <ul id="found" hidden />
          <p class="vh" role="status" id="says" />
        </search>
      </div>
    </header>
  );
}

function Places({
  path,
  groups,
}: {
  readonly path: string;
  readonly groups: readonly PlaceGroup[];
}): VNode {
  return (
    <nav class="nav" id="nav" popover="auto" aria-label="Pages">
      {groups.map(({ name, places }) => (
        <>
          {name === null ? null : <h2>{name}</h2>}
          <ul>
            {places.map((place) => (
              <li>
                <a
                  href={linkFrom(path, place.path)}
                  aria-current={place.path === path ? 'page' : undefined}
                >
                  {broken(place.label)}
                </a>
              </li>
            ))}
          </ul>
        </>
      ))}
    </nav>
  );
}

/** A long name of code may break before a capital or after a dot. */
export function broken(name: string): ComponentChildren {
  if (!/^[\w.]{16,}$/.test(name)) return name;
  return name.split(/(?<=[._])|(?<=[a-z])(?=[A-Z])/).map((word, index) => (
    <>
      {index === 0 ? null : <wbr />}
      {word}
    </>
  ));
}
