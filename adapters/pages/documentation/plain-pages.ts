// The documentation for programs that read text: /llms.txt lists its pages, and each page is there
// as Markdown, at its path with `.md`.
import { type Contents, listedPages, readText } from './contents.js';
import {
  type ApiOperation,
  aliasesOf,
  answerFields,
  codesOf,
  type Description,
  errorsIn,
  eventOf,
  type Field,
  fieldsOf,
  operationsOf,
  parameterFields,
} from './description-view.js';
import { type DocPart, type PlaceGroup, parts } from './frame.js';

/** Below /docs; also at the root of the host. */
export const LLMS_PATH = 'llms.txt';

interface Source {
  readonly contents: Contents;
  readonly description: Description;
  readonly baseUrl: string;
  /** The pages of a part. */
  readonly groupsOf: (part: DocPart) => readonly PlaceGroup[];
}

/** By the format of llmstxt.org: a title, what it is about, and lists of links. */
export function llmsText(source: Source): string {
  const { contents, baseUrl } = source;
  const about = new Map(listedPages(contents).map((page) => [page.path, page.about]));
  const lists = Object.entries(parts).map(([part, label]) => {
    const lines = source.groupsOf(part as DocPart).flatMap(({ places }) =>
      places.map((place) => {
        const note = about.get(place.path);
        const link = `[${place.label}](${baseUrl}/docs/${place.path}.md)`;
        return `- ${link}${note === undefined ? '' : `: ${note}`}`;
      }),
    );
    return `## ${label}\n\n${lines.join('\n')}\n`;
  });
  return `# Ponte

> Ponte collects payments of buyers abroad in their currency, and pays the seller in Brazil in reais
> by PIX. The API is JSON over HTTPS, with an API key in the header X-API-Key.

The description of the API is at ${baseUrl}/docs-json (OpenAPI 3.1). Clients in one file each:
${baseUrl}/docs/clients/ponte.py and ${baseUrl}/docs/clients/ponte.php.

${lists.join('\n')}`;
}

/** `path` without `.md`; null if there is no such page. */
export async function markdownText(source: Source, path: string): Promise<string | null> {
  const { contents, description } = source;
  if (path === 'index') return llmsText(source);
  const page = listedPages(contents).find((one) => one.path === path);
  if (page !== undefined) return readText(page);
  const [part = '', name] = path.split('/');
  if (!Object.hasOwn(parts, part)) return null;
  if (name === undefined) return listText(source, part as DocPart);
  if (part === 'reference') {
    const found = operationsOf(description).find(({ operationId }) => operationId === name);
    return found === undefined ? null : operationText(description, found);
  }
  if (part === 'errors') {
    const found = errorsIn(description).find(({ error }) => error === name);
    return found === undefined ? null : `# ${name}\n\n${found.message}\n${jsonBlock(found)}`;
  }
  if (part !== 'events' || !Object.hasOwn(description.webhooks, name)) return null;
  const { example, data } = eventOf(description, name);
  const fields = fieldTable('Fields of data', fieldsOf(data, description));
  return `# ${name}\n${fields}${jsonBlock(example)}`;
}

function listText({ groupsOf, description }: Source, part: DocPart): string {
  const groups = groupsOf(part).map(({ name, places }) => {
    const lines = places.map(
      ({ path, label }) => `- [${label}](${path.replace(/^[^/]*/, part)}.md)`,
    );
    return `## ${name}\n\n${lines.join('\n')}\n`;
  });
  // The description is at the root, and so are the addresses in it.
  const about = description.info.description.replaceAll('](docs/', '](');
  return `# ${parts[part]}\n\n${part === 'reference' ? `${about}\n` : ''}${groups.join('\n')}`;
}

function operationText(description: Description, operation: ApiOperation): string {
  const { label, summary, parameters, requestBody, responses } = operation;
  const body = requestBody?.content['application/json'];
  const paths = [operation, ...aliasesOf(description, operation)];
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const codes = codesOf(operation);
  return [
    `# ${label}\n\n${summary}.\n\n`,
    paths.map(({ method, path }) => `- \`${method} ${path}\`\n`).join(''),
    operation.description === undefined ? '' : `\n${operation.description}\n`,
    fieldTable('Parameters', parameterFields(parameters)),
    body === undefined ? '' : fieldTable('Body', fieldsOf(body.schema, description)),
    body?.example === undefined ? '' : jsonBlock(body.example),
    ...answers.map(([status, answer]) => {
      const found = answer.content?.['application/json'];
      const title = `\n## ${status}\n\n${answer.description}\n`;
      return found?.example === undefined ? title : `${title}${jsonBlock(found.example)}`;
    }),
    fieldTable('Fields of the answer', answerFields(description, operation)),
    codes.length === 0 ? '' : `\n## Errors\n\n${codes.map((code) => `- ${code}\n`).join('')}`,
  ].join('');
}

function fieldTable(title: string, fields: readonly Field[]): string {
  if (fields.length === 0) return '';
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
  const rows = fields.map(({ name, kind, required, description }) => {
    const about = [required ? 'Required.' : '', description, kind].filter((text) => text !== '');
    return `| \`${name}\` | ${cell(about.join(' '))} |\n`;
  });
  return `\n## ${title}\n\n| name | about |\n|---|---|\n${rows.join('')}`;
}

function jsonBlock(value: unknown): string {
  return `\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;
}
