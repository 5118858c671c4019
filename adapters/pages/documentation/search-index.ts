// What the script of the documentation searches: each section of a guide or of the manual, each
// operation, error code and event type, with its text.
import { type Contents, listedPages, readText } from './contents.js';
import {
  aliasesOf,
  type Description,
  errorsIn,
  eventOf,
  fieldsOf,
  operationsOf,
} from './description-view.js';
import { markdownSections } from './markdown.js';

/** `path` is below /docs, with the anchor of a section; `heading` is empty at the top of a page. */
export type SearchEntry = readonly [path: string, title: string, heading: string, text: string];

export async function searchIndex(
  contents: Contents,
  description: Description,
): Promise<readonly SearchEntry[]> {
  const pages = await Promise.all(
    listedPages(contents).map(async (page) =>
      markdownSections(await readText(page)).map(({ id, heading, text }): SearchEntry => {
        if (id === null) return [page.path, page.label, '', `${page.about} ${text}`];
        return [`${page.path}#${id}`, page.label, heading, text];
      }),
    ),
  );
  const operations = operationsOf(description).filter(({ sameAs }) => sameAs === null);
  return [
    ...pages.flat(),
    ...operations.map((operation): SearchEntry => {
      const { operationId, label, summary, parameters, requestBody } = operation;
      const paths = [operation, ...aliasesOf(description, operation)];
      const schema = requestBody?.content['application/json']?.schema ?? {};
      const fields = [...parameters, ...fieldsOf(schema, description)].map(({ name }) => name);
      const lines = [...paths.map(({ method, path }) => `${method} ${path}`), summary];
      return [`reference/${operationId}`, label, '', [...lines, fields.join(', ')].join('. ')];
    }),
    ...errorsIn(description).map(
      ({ error, message }): SearchEntry => [`errors/${error}`, error, '', message],
    ),
    ...Object.keys(description.webhooks).map((type): SearchEntry => {
      const fields = fieldsOf(eventOf(description, type).data, description);
      return [`events/${type}`, type, '', `Event: ${fields.map(({ name }) => name).join(', ')}`];
    }),
  ];
}
