// The pages of the documentation: all of them are there, their links lead somewhere, and every
// request of the guides is answered, as its TypeScript is written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { openApiDocument } from '../../../../adapters/http/docs/openapi.js';
import { errorCodesOf, offTableCodes } from '../../../../adapters/http/protocol/route-errors.js';
import type { Auth } from '../../../../adapters/http/protocol/route-row.js';
import { routes } from '../../../../adapters/http/routes.js';
import { clientCalls } from '../../../../adapters/pages/documentation/clients.js';
import { codeTokens } from '../../../../adapters/pages/documentation/code-tokens.js';
import type { Description } from '../../../../adapters/pages/documentation/description-view.js';
import {
  type DocumentAnswer,
  documentation,
} from '../../../../adapters/pages/documentation/documentation.js';
import {
  keyPlace,
  languages,
  parseRequest,
} from '../../../../adapters/pages/documentation/example-request.js';
import { leftOut } from '../../../../adapters/pages/documentation/postman.js';
import { contentPolicy } from '../../../../adapters/pages/kit/content-policy.js';
import { fakeNotes } from '../../../../adapters/partner/fake.js';
import { eventTypes } from '../../../../core/domain/payments/event.js';
import { situations } from '../../../../core/domain/payments/situation.js';
import { catalogue } from '../../../../core/errors.js';
import { createPonte } from '../../../../host/embed.js';
import { projectFiles } from '../../../support/source-tree.js';

const baseUrl = 'https://api.example.com';
const lists = ['guides', 'reference', 'errors', 'events', 'manual'];
const guides = projectFiles().filter(({ path }) => path.startsWith('adapters/docs/guides/'));

interface PostmanCollection {
  readonly variable: readonly { readonly value: string }[];
  readonly item: readonly {
    readonly item: readonly {
      readonly name: string;
      readonly request: {
        readonly method: string;
        readonly url: { readonly raw: string };
        readonly auth?: { readonly type: string };
        readonly body?: { readonly raw: string };
      };
    }[];
  }[];
}

/** Those of rows without a key and a session. */
const publicAuths: readonly Auth[] = ['none', 'partner', 'signature'];
/** The text of every page, by its path below /docs, found by following links from the start. */
const pages = new Map<string, string>();

const documents = await documentation({
  json: JSON.stringify(openApiDocument(routes, fakeNotes)),
  baseUrl,
  payUrl: baseUrl,
});
const queue = [''];
for (const path of queue) {
  if (pages.has(path)) continue;
  const text = await pageText(path);
  pages.set(path, text);
  for (const { to } of linksOf(path, text)) if (!pages.has(to)) queue.push(to);
}

async function pageText(path: string): Promise<string> {
  const answer = await documents.read(path);
  assert.ok(answer !== null, `no page has the path ${path}`);
  return textOf(answer);
}

function textOf({ bytes, headers }: DocumentAnswer): string {
  const isPacked = headers['content-encoding'] === 'gzip';
  return (isPacked ? gunzipSync(bytes) : bytes).toString('utf8');
}

/** Without the colors of its code. */
function plainText(path: string): string {
  return (pages.get(path) ?? '').replaceAll(/<\/?span[^>]*>/g, '');
}

/** The links of a page to others: those to files, other sites and /docs-json are left out. */
function linksOf(path: string, text: string) {
  const page = new URL(path === '' ? '/docs' : `/docs/${path}`, baseUrl);
  return [...text.matchAll(/<a [^>]*?href="([^"]*)"/g)].flatMap(([, href = '']) => {
    const { origin, pathname, hash } = new URL(href, page);
    const isPage = origin === baseUrl && /^\/docs(\/|$)/.test(pathname);
    return isPage ? [{ to: pathname.replace(/^\/docs\/?/, ''), hash }] : [];
  });
}

test('a link leads to every guide, page of the manual, operation, error code and event type', () => {
  const manual = projectFiles().flatMap(({ path }) => {
    const [, guide, name = ''] =
      /^adapters\/docs\/(guides\/)?(?:.*\/)?([\w-]+)\.md$/.exec(path) ?? [];
    return name === '' ? [] : [`${guide ?? 'manual/'}${name}`];
  });
  const codes = new Set([...routes.flatMap(errorCodesOf), ...offTableCodes]);
  const expected = [
    ...manual,
    ...[...codes].map((code) => `errors/${code}`),
    ...eventTypes.map((type) => `events/${type}`),
    '',
    ...lists,
  ];
  assert.deepEqual(
    expected.filter((path) => !pages.has(path)),
    [],
  );
});

test('every operation has a page', async () => {
  for (const { operations } of routes) {
    for (const [operationId, path] of Object.entries(operations)) {
      assert.ok((await pageText(`reference/${operationId}`)).includes(path), operationId);
    }
  }
});

test('the anchor of every link is an id of its page, and no page has an id twice', () => {
  for (const [path, text] of pages) {
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.deepEqual(ids.toSorted(), [...new Set(ids)].toSorted(), path);
    const headings = text.match(/<h[23]( [^>]*)?>/g) ?? [];
    const bare = headings.filter((tag) => !tag.includes(' id='));
    // Groups of the navigation, cards and examples are not headings of the text.
    if (path.startsWith('guides/') || path.startsWith('manual/')) {
      const groups = text.match(/<nav class="nav"[\s\S]*?<\/nav>/)?.[0].match(/<h2>/g) ?? [];
      assert.equal(bare.length, groups.length, path);
    }
    for (const { to, hash } of linksOf(path, text)) {
      if (hash === '') continue;
      assert.ok(pages.get(to)?.includes(` id="${decodeURIComponent(hash.slice(1))}"`), path + hash);
    }
  }
});

test('a page has no inline script or style, and nothing of another origin', async () => {
  for (const [path, text] of pages) {
    assert.doesNotMatch(text, /<script>|<style| style=| on[a-z]+="/, path);
    assert.doesNotMatch(text, /(src|rel="stylesheet" href)="(https?:|\/\/)/, path);
  }
  assert.equal((await documents.read(''))?.headers['content-security-policy'], contentPolicy);
});

test('the page of an error has its cause, what to do, and the operations that answer with it', () => {
  const text = plainText('errors/SellerNotReady');
  assert.ok(text.includes('sellerExternalId is not a seller that can be paid.</p>'));
  assert.ok(text.includes('<p>Wait until it is readyToCollect.</p>'));
  assert.ok(text.includes('../../docs/reference/createPaymentIntent'));
  assert.ok(!text.includes('../../docs/reference/listPayments'));
  assert.match(pages.get('errors/RateLimitExceeded') ?? '', /again after <code>retryAfter/);
  assert.ok(text.includes('HTTP/1.1 400 Bad Request\nContent-Type: application/json\n'));
  assert.match(text, /Who can repair it\?<\/dt><dd>You<\/dd>/);
  assert.match(text, /a refusal uses up neither the key nor/);
  const limited = plainText('errors/RateLimitExceeded');
  assert.match(limited, /Retry-After: \d+\nX-Request-Id: /);
  assert.match(limited, /<dd>Nobody: it passes<\/dd>/);
  assert.doesNotMatch(pages.get('errors/QuoteExpired') ?? '', /uses up neither/);
  for (const path of pages.keys()) {
    const code = path.replace('errors/', '');
    if (!Object.hasOwn(catalogue, code)) continue;
    const page = plainText(path);
    assert.ok(
      page.includes(`&quot;error&quot;: &quot;${code}&quot;`) || page.includes(`"${code}"`),
    );
  }
});

test('the page of an error links those that are easily taken for it, and they link it', () => {
  const near = (code: string) => {
    const [, section = ''] = (pages.get(`errors/${code}`) ?? '').split('<h2 id="near"');
    return [...(section.split('</ul>', 1)[0]?.matchAll(/href="[^"]*errors\/(\w+)"/g) ?? [])].map(
      ([, other = '']) => other,
    );
  };
  const text = pages.get('errors/SellerNotReady') ?? '';
  assert.match(text, /KybNotApproved<\/code><\/a>: The organization has no virtual account/);
  assert.ok(near('SellerNotReady').includes('ConnectedAccountNotApproved'));
  assert.deepEqual(near('MethodNotAllowed'), []);
  for (const path of pages.keys()) {
    const code = path.replace('errors/', '');
    if (!Object.hasOwn(catalogue, code)) continue;
    for (const other of near(code)) assert.ok(near(other).includes(code), `${other} of ${code}`);
  }
});

test('every error says what is wrong, then what to do', () => {
  const codes = new Set([...routes.flatMap(errorCodesOf), ...offTableCodes]);
  const silent = [...codes].filter((code) => !/\.\)? (?=[A-Z])/.test(catalogue[code].message));
  assert.deepEqual(silent, []);
});

test('the page of an event has an example and the fields of its data', () => {
  for (const type of eventTypes) {
    const text = plainText(`events/${type}`);
    assert.match(
      text,
      /<b class="code">externalEventId|external<wbr\/?>EventId|externalEventId/,
      type,
    );
    assert.ok(text.replaceAll('&quot;', '"').includes(`"event": "${type}"`), type);
  }
});

test('the Postman collection has every operation, and its bodies are accepted', async () => {
  const answer = await documents.read('postman.json');
  assert.equal(answer?.type, 'application/json');
  const { item, variable } = JSON.parse(`${answer?.bytes}`) as PostmanCollection;
  const requests = new Map(item.flatMap((folder) => folder.item).map((one) => [one.name, one]));
  for (const { method, operations, body, access } of routes) {
    for (const [operationId, path] of Object.entries(operations)) {
      if (leftOut.includes(operationId)) continue;
      const { request } = requests.get(operationId) ?? {};
      assert.equal(request?.method, method, operationId);
      assert.equal(request.url.raw, `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
      assert.equal(request.auth?.type === 'bearer', access.auth === 'session', operationId);
      assert.equal(request.auth?.type === 'noauth', publicAuths.includes(access.auth), operationId);
      assert.equal(request.body !== undefined, body instanceof z.ZodType, operationId);
      if (body instanceof z.ZodType) body.parse(JSON.parse(request.body?.raw ?? ''));
      requests.delete(operationId);
    }
  }
  assert.deepEqual([...requests.keys()], []);
  // The reader fills in the credentials.
  assert.deepEqual(
    variable.map(({ value }) => value),
    [baseUrl, '', ''],
  );
});

test('there is no page for another name', async () => {
  const others = ['x', 'toString', 'guides/x', 'errors/toString', 'events/x', 'guides/payments/x'];
  for (const path of [...others, 'assets/0/x', 'manual/..', 'reference/__proto__']) {
    assert.equal(await documents.read(path), null, path);
  }
});

test('the search finds every page but the lists', async () => {
  const [, path = ''] = /data-finder="docs\/([^"]+)"/.exec(pages.get('') ?? '') ?? [];
  const answer = await documents.read(path);
  const entries = JSON.parse(gunzipSync(answer?.bytes ?? '').toString('utf8')) as string[][];
  const found = new Set(entries.map(([to = '']) => to.replace(/#.*/, '')));
  assert.deepEqual(
    [...pages.keys()].filter((to) => /^(?!clients\/).*\//.test(to) && !found.has(to)),
    [],
  );
  for (const [to = ''] of entries) {
    const [page = '', id] = to.split('#');
    assert.ok(id === undefined || pages.get(page)?.includes(` id="${id}"`), to);
  }
  // Words of headings, of texts, of tables and of code.
  for (const word of [
    'hmac',
    'sandbox',
    'docker',
    'currency',
    'sellerexternalid',
    '/v1/accounts',
  ]) {
    assert.ok(
      entries.some((entry) => entry.slice(1).join(' ').toLowerCase().includes(word)),
      word,
    );
  }
});

test('every block of code has a button that copies it, which a script shows', () => {
  for (const [path, text] of pages) {
    const blocks = text.match(/<pre /g)?.length ?? 0;
    assert.equal(
      text.match(/<\/pre><button [^>]*data-copy-code[^>]* hidden/g)?.length ?? 0,
      blocks,
      path,
    );
  }
});

test('the colors of code change no character of it', () => {
  const samples = Object.values(languages).map((write) =>
    write(
      parseRequest('POST /v1/x\nA: b\n\n{"a":"it\'s # \\"x\\" // y","b":[1,null]}'),
      baseUrl,
      null,
    ),
  );
  for (const text of [...samples, '', '"', "'", '# a', '`', '/*', '{"a": -1.5}']) {
    for (const language of ['', 'json', 'sh', 'ts', ...Object.keys(languages), 'toString']) {
      const tokens = codeTokens(text, language);
      assert.equal(tokens.map((token) => token.text).join(''), text, `${language}: ${text}`);
    }
  }
  const kindsOf = (text: string, language: string) =>
    codeTokens(text, language).flatMap(({ kind, text: part }) =>
      kind === null ? [] : [[kind, part]],
    );
  assert.deepEqual(kindsOf('{"a": "b", "c": true}', 'json'), [
    ['word', '"a"'],
    ['text', '"b"'],
    ['word', '"c"'],
    ['text', 'true'],
  ]);
  assert.deepEqual(kindsOf("npm ci # all\necho 'a # b' --c", 'sh'), [
    ['comment', '# all'],
    ['text', "'a # b'"],
    ['word', '--c'],
  ]);
});

test('an operation has a short name, and other paths of it are on its page', () => {
  const menu = (pages.get('reference/listPayments') ?? '').split('<main')[0] ?? '';
  assert.ok(menu.includes('List payments'));
  for (const [, name = ''] of menu.matchAll(/href="[^"]*reference\/(\w+)"/g)) {
    assert.ok(!/Account(s|)$/.test(name) || name.includes('Connected'), name);
  }
  assert.match(
    pages.get('reference/createConnectedAccount') ?? '',
    /The same as <code[^>]*>POST \/v1\/accounts</,
  );
  assert.match(pages.get('reference/listApiKeys') ?? '', /<h1>List API keys<\/h1>/);
});

test('the page of an operation says what each field of its answer is', () => {
  const [, answer = ''] = (pages.get('reference/listPayments') ?? '').split('<h2 id="answer"');
  assert.match(answer, /<b[^>]*>data\[\]\.(<wbr\/?>)?situation</);
  assert.ok(answer.includes(situations.with_buyer.says));
  const downloads = pages.get('reference/readDocument') ?? '';
  assert.ok(!downloads.includes('<h2 id="answer"'), 'no JSON');
});

test('an error of many operations counts them, and lists them behind the count', () => {
  const [, section = ''] = (pages.get('errors/InternalError') ?? '').split('<h2 id="operations"');
  assert.match(
    section,
    /^>Operations<\/h2><details><summary[^>]*>\d\d operations can answer with it/,
  );
});

test('the first page says what Ponte is, and leads to the quickstart and the dashboard', async () => {
  const leads = (text: string) =>
    [...text.matchAll(/<a class="btn[^>]*href="([^"]+)"/g)].map(([, to]) => to);
  assert.match(pages.get('') ?? '', /<p class="lede">Ponte collects [^<]*PIX[^<]*<\/p>/);
  assert.deepEqual(leads(pages.get('') ?? '').slice(0, 2), ['docs/guides/quickstart', 'dashboard']);
  const json = JSON.stringify(openApiDocument(routes, fakeNotes));
  const apart = await documentation({ json, baseUrl, payUrl: 'https://pay.example.com/p' });
  const start = await apart.read('');
  assert.equal(
    leads(start === null ? '' : textOf(start))[1],
    'https://pay.example.com/p/dashboard',
  );
});

test('the links of the page for an unknown address lead out of it', () => {
  for (const url of ['/nope', '/docs/nope', '/docs/', '/a/b/c/d?e=/f/g', '/favicon.ico']) {
    const text = textOf(documents.missingPage(url));
    const found = [...text.matchAll(/<a [^>]*?href="([^"#]+)"/g)].map(
      ([, href = '']) => new URL(href, `${baseUrl}${url}`),
    );
    assert.ok(found.length > 5, url);
    for (const { pathname } of found) {
      const path = pathname.replace(/^\/docs\/?/, '');
      assert.ok(
        pages.has(path) || ['/dashboard', '/docs-json'].includes(pathname),
        `${url}: ${pathname}`,
      );
    }
  }
});

test('HTML in a text is shown, not used', async () => {
  const { renderMarkdown } = await import('../../../../adapters/pages/documentation/markdown.js');
  const { renderToStaticMarkup } = await import('preact-render-to-string');
  const text = '# A\n\nB\n\n<img src=x onerror=a()>\n\n[c](javascript:a()) <b onclick="d">e</b>';
  const { body } = renderMarkdown(text, { addressOf: () => null, request: () => null as never });
  const { h } = await import('preact');
  const html = renderToStaticMarkup(h('div', {}, body as never));
  assert.doesNotMatch(html, /<img|<b|<a|href/);
  assert.ok(html.includes('&lt;img src=x onerror=a()>'));
});

test('every request of the guides is answered, and a method of the clients sends it', async () => {
  const ponte = await createPonte();
  const callOf = clientCalls((await (await ponte.fetch('/docs-json')).json()) as Description);
  let last: Readonly<Record<string, unknown>> = {};
  const order = ['quickstart', 'sellers', 'payments', 'invoices'];
  const rankOf = (path: string) => (order.findIndex((name) => path.includes(name)) + 9) % 9;
  try {
    for (const { path, text } of guides.toSorted((a, b) => rankOf(a.path) - rankOf(b.path))) {
      for (const [, block = ''] of text.matchAll(/```http\n([\s\S]*?)```/g)) {
        const filled = block.replaceAll(/\{(id|publicUrl)\}/g, (_, name) => String(last[name]));
        const request = parseRequest(filled);
        assert.ok(callOf(request) !== null, `${path}: ${block}`);
        const code = languages.TypeScript(request, baseUrl);
        const program = code.replaceAll(keyPlace, ponte.apiKey);
        const answer = await runTypeScript(program, ponte.fetch).catch((error: unknown) => {
          throw new Error(`${path}: ${block}`, { cause: error });
        });
        // A request about a thing keeps the id of the thing.
        last = { ...last, ...answer, ...(block.includes('{id}') ? { id: last['id'] } : {}) };
        const { uploadUrl } = answer;
        if (typeof uploadUrl === 'string') {
          const headers = { 'content-type': 'application/pdf' };
          await ponte.fetch(uploadUrl, { method: 'PUT', headers, body: '%PDF-1.4' });
        }
        await ponte.runUntilIdle();
      }
    }
  } finally {
    await ponte.close();
  }
});

type Fetch = (url: string, options: RequestInit) => Promise<Response>;

/** Runs the text as a program, which throws if it is refused, and returns what it prints. */
async function runTypeScript(code: string, fetch: Fetch) {
  let printed: Readonly<Record<string, unknown>> = {};
  const log = (result: typeof printed) => {
    printed = result;
  };
  await new Function('fetch', 'console', `return (async () => {${code}})()`)(fetch, { log });
  return printed;
}
