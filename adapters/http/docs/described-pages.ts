// A page for each error code and for each event type. They show what the description has, and add
// nothing: the sentences are those of the error catalogue, the examples are recorded calls.
import { createHash } from 'node:crypto';
import { PonteError } from '../../../core/errors.js';
import { contentReply, type HandlerContext, type Reply } from '../protocol/route-row.js';

export const referencePageTypes = ['text/html; charset=utf-8'] as const;

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly summary: string;
  readonly responses: Readonly<Record<string, { readonly content?: Json }>>;
}

interface ErrorExample extends Json {
  readonly statusCode: number;
  readonly error: string;
  readonly message: string;
  readonly retryAfter?: number;
}

interface DataField {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
}

/** What the pages read of the description. */
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: { readonly requestBody: Json } }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

const style = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}
code,pre{font:14px/1.5 ui-monospace,monospace}
pre{padding:1rem;border:1px solid #8886;border-radius:6px}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8884}
@media (max-width:40rem){body{overflow-wrap:anywhere}}`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function errorList(context: HandlerContext): Reply {
  const rows = errorsIn(descriptionOf(context)).map(({ statusCode, error, message }) => [
    `${statusCode}`,
    link(`errors/${error}`, error),
    text(message),
  ]);
  return page('Errors', [
    '<p>Decide on <code>error</code>. The message is for people and may change.</p>',
    table(['status', 'error', 'meaning'], rows),
  ]);
}

/** NotFound for a code that no operation answers with. */
export function errorPage(context: HandlerContext, code: string): Reply {
  const description = descriptionOf(context);
  const example = errorsIn(description).find(({ error }) => error === code);
  if (example === undefined) throw new PonteError('NotFound');
  const { statusCode, message, retryAfter } = example;
  const again =
    retryAfter === undefined
      ? 'The same request is refused again until its cause has gone.'
      : 'It is transient: send the same request again after <code>retryAfter</code> seconds.';
  return page(code, [
    `<p>${text(message)}</p>`,
    `<p>Status ${statusCode}. ${again}</p>`,
    `<pre>${json(example)}</pre>`,
    '<h2>Operations that answer with it</h2>',
    operationTable(description, code),
    `<p>${link('../errors', 'All errors')}</p>`,
  ]);
}

export function eventList(context: HandlerContext): Reply {
  const types = Object.keys(descriptionOf(context).webhooks);
  const items = types.map((type) => `<li>${link(`events/${type}`, type)}</li>`);
  return page('Events', [`<ul>${items.join('')}</ul>`]);
}

/** NotFound for a type that does not exist. */
export function eventPage(context: HandlerContext, type: string): Reply {
  const description = descriptionOf(context);
  if (!Object.hasOwn(description.webhooks, type)) throw new PonteError('NotFound');
  const { example, fields } = eventOf(description, type);
  const rows = Object.entries(fields).map(([name, field]) => [
    `<code>${text(name)}</code>`,
    text(field.enum?.join(', ') ?? [field.type ?? 'any'].flat().join(' or ')),
    text(field.description ?? ''),
  ]);
  const namespace = type.split('.')[0] ?? '';
  return page(type, [
    `<p>Subscribe to <code>${text(type)}</code>, <code>${text(namespace)}.*</code> or ` +
      '<code>*</code>. The feed has the same event.</p>',
    ...(example === undefined ? [] : [`<pre>${json(example)}</pre>`]),
    '<h2>Properties of data</h2>',
    table(['property', 'value', 'meaning'], rows),
    `<p>${link('../events', 'All events')}</p>`,
  ]);
}

const read = new WeakMap<HandlerContext['description'], Description>();

function descriptionOf({ description }: HandlerContext): Description {
  const known = read.get(description) ?? (JSON.parse(description().json) as Description);
  read.set(description, known);
  return known;
}

function errorsIn({ components }: Description): readonly ErrorExample[] {
  return (components.schemas['Error']?.['examples'] ?? []) as readonly ErrorExample[];
}

function operationTable({ paths }: Description, code: string): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => answersWith(operation, code))
      .map(([method, { summary }]) => [
        `<code>${method.toUpperCase()} ${text(path)}</code>`,
        text(summary),
      ]),
  );
  return rows.length === 0 ? '<p>Any request.</p>' : table(['operation', 'summary'], rows);
}

function answersWith({ responses }: Operation, code: string): boolean {
  return Object.values(responses).some(({ content }) => {
    const body = content?.['application/json'] as { readonly examples?: Json } | undefined;
    return Object.hasOwn(body?.examples ?? {}, code);
  });
}

function eventOf({ webhooks, components }: Description, type: string) {
  const body = webhooks[type]?.post.requestBody['content'] as Readonly<
    Record<
      string,
      { readonly example?: Json; readonly schema: { readonly allOf: readonly Json[] } }
    >
  >;
  const { example, schema } = body['application/json'] ?? { schema: { allOf: [] } };
  const name = String(schema.allOf[0]?.['$ref']).split('/').at(-1) ?? '';
  const properties = components.schemas[name]?.['properties'] as {
    readonly data: { readonly properties: Readonly<Record<string, DataField>> };
  };
  return { example, fields: properties.data.properties };
}

/** Links are relative, so that the pages work under any prefix of a proxy. */
function link(path: string, words: string): string {
  return `<a href="${text(path)}">${text(words)}</a>`;
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table>${line(headings, 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`;
}

function json(value: unknown): string {
  return escaped(JSON.stringify(value, null, 2));
}

/** Words in backticks are code. */
function text(words: string): string {
  return escaped(words).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function page(title: string, parts: readonly string[]): Reply {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Ponte</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${parts.join('\n')}
</main>
</body>
</html>
`;
  return contentReply(Buffer.from(body), referencePageTypes[0], {
    'content-security-policy': `${policy}; img-src data:`,
    'cache-control': 'no-cache',
  });
}
