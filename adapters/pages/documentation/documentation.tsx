// The documentation as pages: guides and manual from Markdown, the reference from the description
// of the API. Each is rendered when it is first asked for, and kept: their number is fixed.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { VNode } from 'preact';
import { assetFile } from '../kit/assets.js';
import { contentPolicy } from '../kit/content-policy.js';
import { clientCalls, clientLanguages, clientText, isClientPath } from './clients.js';
import { KeyField, RequestTabs } from './code-blocks.js';
import {
  type Contents,
  type ListedGroup,
  listedPages,
  readClientFrame,
  readContents,
  readText,
} from './contents.js';
import { type Description, errorsIn, operationsOf } from './description-view.js';
import { type ClientCalls, parseRequest } from './example-request.js';
import {
  type DocContent,
  type DocPart,
  documentPage,
  linkFrom,
  type PlaceGroup,
  parts,
  rootFrom,
} from './frame.js';
import { renderMarkdown, type Surroundings } from './markdown.js';
import { LLMS_PATH, llmsText, markdownText } from './plain-pages.js';
import { COLLECTION_PATH, postmanCollection } from './postman.js';
import { ErrorTable, errorPage, eventPage, operationPage, words } from './reference-pages.js';
import { searchIndex } from './search-index.js';

/** A page of /docs, or a file that it loads. */
export interface DocumentAnswer {
  readonly type: string;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Documentation {
  /** The path below /docs, '' for the start; null if there is no such page. */
  read(path: string): Promise<DocumentAnswer | null>;
  /** For a browser at an address of the host that nothing has. */
  missingPage(url: string): DocumentAnswer;
}

/** A year: the path has a hash of the content. */
const KEEP = 'public, max-age=31536000, immutable';
const HASH_LENGTH = 12;

export interface DocumentationSource {
  /** The text of /docs-json. */
  readonly json: string;
  /** Where requests of the examples go. */
  readonly baseUrl: string;
  /** Where the dashboard is. */
  readonly payUrl: string;
}

/** What pages are made from, read once. */
interface Docs {
  readonly contents: Contents;
  readonly description: Description;
  readonly callOf: ClientCalls;
  readonly baseUrl: string;
  /** The address of the dashboard; null where it is beside the documentation. */
  readonly dashboardUrl: string | null;
  readonly search: { readonly path: string; readonly bytes: Buffer };
}

export async function documentation(source: DocumentationSource): Promise<Documentation> {
  const { baseUrl, payUrl } = source;
  const contents = await readContents();
  const description = JSON.parse(source.json) as Description;
  const text = JSON.stringify(await searchIndex(contents, description));
  const search = { path: `assets/${hashOf(text)}/search.json`, bytes: gzipSync(text) };
  const dashboardUrl = payUrl === baseUrl ? null : `${payUrl}/dashboard`;
  const callOf = clientCalls(description);
  const docs: Docs = { contents, description, callOf, baseUrl, dashboardUrl, search };
  const rendered = new Map<string, DocumentAnswer>();
  return {
    async read(path) {
      const [first, hash = '', name = ''] = path.split('/');
      if (first === 'assets') return asset(docs, hash, name);
      const known = rendered.get(path);
      if (known !== undefined) return known;
      const answer = await answerTo(docs, path);
      if (answer === null) return null;
      rendered.set(path, answer);
      return answer;
    },
    missingPage: (url) => answerOf(docs, missingPage(docs, url)),
  };
}

function asset({ search }: Docs, hash: string, name: string): DocumentAnswer | null {
  const found =
    search.path === `assets/${hash}/${name}`
      ? { type: 'application/json', bytes: search.bytes }
      : assetFile(hash, name);
  if (found === null) return null;
  const headers = { 'content-encoding': 'gzip', 'cache-control': KEEP, vary: 'Accept-Encoding' };
  return { type: found.type, bytes: found.bytes, headers };
}

async function answerTo(docs: Docs, path: string): Promise<DocumentAnswer | null> {
  if (path === COLLECTION_PATH) return collectionAnswer(docs);
  if (isClientPath(path)) {
    const frame = await readClientFrame(clientLanguages[path].file);
    return textAnswer('text/plain; charset=utf-8', clientText(docs.description, path, frame));
  }
  const source = { ...docs, groupsOf: (part: DocPart) => groupsOf(docs, part) };
  if (path === LLMS_PATH) return textAnswer('text/plain; charset=utf-8', llmsText(source));
  if (path.endsWith('.md')) {
    const text = await markdownText(source, path.slice(0, -'.md'.length));
    return text === null ? null : textAnswer('text/markdown; charset=utf-8', text);
  }
  const content = await contentOf(docs, path);
  return content === null ? null : answerOf(docs, content);
}

function collectionAnswer({ description, baseUrl }: Docs): DocumentAnswer {
  const text = JSON.stringify(postmanCollection(description, baseUrl), null, 2);
  return textAnswer('application/json', text);
}

function textAnswer(type: string, text: string): DocumentAnswer {
  const bytes = Buffer.from(text);
  return { type, bytes, headers: { 'cache-control': 'no-cache', etag: `"${hashOf(bytes)}"` } };
}

function answerOf(docs: Docs, content: DocContent): DocumentAnswer {
  const [part = ''] = content.path.split('/');
  const frame = {
    groups: Object.hasOwn(parts, part) ? groupsOf(docs, part as DocPart) : [],
    searchPath: docs.search.path,
    version: docs.description.info.version,
  };
  const text = documentPage(content, frame);
  return {
    type: 'text/html; charset=utf-8',
    bytes: gzipSync(text),
    headers: {
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
      'content-security-policy': contentPolicy,
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      // Weak: it is the same packed.
      etag: `W/"${hashOf(text)}"`,
    },
  };
}

function groupsOf({ contents, description }: Docs, part: DocPart): readonly PlaceGroup[] {
  switch (part) {
    case 'guides':
    case 'manual':
      return contents[part].map(({ name, pages }) => ({ name, places: pages }));
    case 'reference': {
      const operations = operationsOf(description).filter(({ sameAs }) => sameAs === null);
      return description.tags.map(({ name }) => ({
        name,
        places: operations
          .filter(({ tags }) => tags.includes(name))
          .map(({ operationId, label }) => ({ path: `reference/${operationId}`, label })),
      }));
    }
    case 'errors': {
      const byStatus = Map.groupBy(errorsIn(description), ({ statusCode }) => `${statusCode}`);
      return [...byStatus].map(([name, errors]) => ({
        name,
        places: errors.map(({ error }) => ({ path: `errors/${error}`, label: error })),
      }));
    }
    case 'events': {
      const types = Object.keys(description.webhooks);
      const byNamespace = Map.groupBy(types, (type) => type.split('.')[0] ?? '');
      return [...byNamespace].map(([name, all]) => ({
        name,
        places: all.map((type) => ({ path: `events/${type}`, label: type })),
      }));
    }
  }
}

async function contentOf(docs: Docs, path: string): Promise<DocContent | null> {
  const [part = '', name, ...rest] = path.split('/');
  if (path === '') return startPage(docs);
  if (!Object.hasOwn(parts, part) || rest.length > 0) return null;
  if (name === undefined) return partPage(docs, part as DocPart);
  const { description, baseUrl, callOf } = docs;
  switch (part as DocPart) {
    case 'guides':
    case 'manual':
      return markdownPage(docs, path);
    case 'reference': {
      const found = operationsOf(description).find(({ operationId }) => operationId === name);
      return found === undefined ? null : operationPage({ description, baseUrl, callOf }, found);
    }
    case 'errors': {
      const found = errorsIn(description).find(({ error }) => error === name);
      return found === undefined ? null : errorPage(description, found);
    }
    case 'events':
      return Object.hasOwn(description.webhooks, name) ? eventPage(description, name) : null;
  }
}

async function markdownPage(docs: Docs, path: string): Promise<DocContent | null> {
  const page = listedPages(docs.contents).find((one) => one.path === path);
  if (page === undefined) return null;
  const { title, lede, headings, body } = renderMarkdown(
    await readText(page),
    surroundings(docs, page.path, page.file),
  );
  const keyField = path.startsWith('guides/') ? <KeyField /> : null;
  return { path, title, lede, headings, body: [keyField, body] };
}

function surroundings(docs: Docs, path: string, file: string): Surroundings {
  const pages = listedPages(docs.contents);
  let number = 0;
  return {
    addressOf(target) {
      if (/^(https?:|#)/.test(target)) return target;
      const [to = '', anchor] = target.split('#');
      const { pathname } = new URL(to, `file:///${file}`);
      const found = pages.find((one) => `/${one.file}` === pathname);
      // Files of the package that the service does not serve.
      if (found === undefined) return null;
      return `${linkFrom(path, found.path)}${anchor === undefined ? '' : `#${anchor}`}`;
    },
    request(text): VNode {
      number += 1;
      return (
        <RequestTabs
          request={parseRequest(text)}
          number={number}
          baseUrl={docs.baseUrl}
          callOf={docs.callOf}
        />
      );
    },
  };
}

const aboutParts = {
  guides: 'From a test key to real money, step by step.',
  reference: 'Every operation with its fields, answers, errors and a request in four languages.',
  errors: 'Each code: what it means, and what to do.',
  events: 'Each type of webhook and feed, with an example.',
  manual: 'Install, set up, watch, back up and restore the service.',
} as const satisfies Record<DocPart, string>;

function startPage(docs: Docs): DocContent {
  return {
    path: '',
    title: 'Ponte: paid from abroad, received by PIX',
    lede: (
      <>
        Ponte collects payments of buyers abroad in their currency, and pays the seller in Brazil in
        reais by PIX. Send invoices from the dashboard, or payments from your program.
      </>
    ),
    isWide: true,
    body: [
      <p class="actions">
        <a class="btn primary" href={linkFrom('', 'guides/quickstart')}>
          Collect your first payment
        </a>
        <a class="btn" href={docs.dashboardUrl ?? 'dashboard'}>
          Open the dashboard
        </a>
        <a class="btn" href={linkFrom('', COLLECTION_PATH)}>
          Postman collection
        </a>
        {Object.entries(clientLanguages).map(([path, { name }]) => (
          <a class="btn" href={linkFrom('', path)}>
            Client in {name}
          </a>
        ))}
      </p>,
      <div class="shelves">
        {Object.entries(parts).map(([part, label]) => (
          <section class="card">
            <h2>
              <a href={linkFrom('', part)}>{label}</a>
            </h2>
            <p>{aboutParts[part as DocPart]}</p>
          </section>
        ))}
      </div>,
      <PageList path="" groups={docs.contents.guides} />,
    ],
  };
}

function missingPage({ dashboardUrl }: Docs, url: string): DocContent {
  const [address = ''] = url.split('?', 1);
  // As deep as the address, so that the links lead out of it.
  const path = address.split('/').slice(2).fill('-').join('/');
  return {
    path,
    title: 'There is no such page',
    lede: 'The address may be mistyped, or the page has moved.',
    body: (
      <ul>
        <li>
          <a href={linkFrom(path, 'guides/quickstart')}>Collect your first payment</a>
        </li>
        <li>
          <a href={linkFrom(path, 'reference')}>API reference</a>
        </li>
        <li>
          <a href={dashboardUrl ?? `${rootFrom(path)}dashboard`}>Dashboard</a>
        </li>
      </ul>
    ),
  };
}

function PageList({ path, groups }: Readonly<{ path: string; groups: readonly ListedGroup[] }>) {
  return groups.map(({ name, pages }) => [
    groups.length === 1 ? null : <h2 id={name.toLowerCase().replaceAll(' ', '-')}>{name}</h2>,
    <dl class="rows">
      {pages.map((page) => (
        <div>
          <dt>
            <a href={linkFrom(path, page.path)}>{page.label}</a>
          </dt>
          <dd>{words(page.about)}</dd>
        </div>
      ))}
    </dl>,
  ]);
}

function partPage(docs: Docs, part: DocPart): DocContent {
  const { contents, description } = docs;
  const page = { path: part, title: parts[part], lede: aboutParts[part], isWide: true } as const;
  switch (part) {
    case 'guides':
    case 'manual':
      return { ...page, body: <PageList path={part} groups={contents[part]} /> };
    case 'errors':
      return { ...page, body: <ErrorTable path={part} errors={errorsIn(description)} /> };
    case 'events':
      return {
        ...page,
        body: groupsOf(docs, part).map(({ name, places }) => [
          <h2 id={name ?? undefined}>{name}</h2>,
          <ul>
            {places.map(({ path, label }) => (
              <li>
                <a class="code" href={linkFrom(part, path)}>
                  {label}
                </a>
              </li>
            ))}
          </ul>,
        ]),
      };
    case 'reference': {
      const around = {
        // The description is at the root, and so are the addresses in it.
        addressOf: (target: string) => `${rootFrom(part)}${target}`,
        request: () => <></>,
      };
      const { lede, headings, body } = renderMarkdown(
        `# -\n\n${description.info.description}`,
        around,
      );
      return { ...page, isWide: false, lede, headings, body };
    }
  }
}

function hashOf(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, HASH_LENGTH);
}
