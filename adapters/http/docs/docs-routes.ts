// The description of the API as a document, and the documentation as pages with their files, which
// another adapter makes.
import { z } from 'zod';
import { expectFound } from '../../../core/errors.js';
import { contentReply, type HandlerContext, type Reply, route } from '../protocol/route-row.js';
import { pathText, responseSchemas } from '../protocol/schemas.js';

const pageTypes = ['text/html; charset=utf-8'] as const;
/** Pages for programs, and files to copy. */
const textTypes = ['text/markdown; charset=utf-8', 'text/plain; charset=utf-8'] as const;
const fileTypes = [
  'text/css; charset=utf-8',
  'text/javascript; charset=utf-8',
  'image/svg+xml',
  'application/json',
] as const;

const part = pathText('A part of the documentation.');

export const documentSchema = z.record(z.string(), z.unknown());

responseSchemas.add(documentSchema, { id: 'Document' });

const access = { auth: 'none', scope: 'none', modes: 'both', rateLimit: 'none' } as const;

export const docsRoutes = [
  route({
    method: 'GET',
    operations: { readDescription: '/docs-json' },
    summary: 'Read this description',
    access,
    responses: { 200: documentSchema, 304: [] },
    handler: async ({ description }) => {
      const { body, etag } = description();
      return {
        status: 200,
        body,
        headers: { etag, 'cache-control': 'no-cache', vary: 'Accept-Encoding' },
      };
    },
  }),
  route({
    method: 'GET',
    operations: { browseDocs: '/docs', browseRoot: '/' },
    summary: 'Browse the documentation',
    access,
    responses: { 200: pageTypes, 304: [] },
    handler: (context) => documentReply(context, ''),
  }),
  route({
    method: 'GET',
    operations: { readDocsList: '/llms.txt' },
    summary: 'Read the list of the pages of the documentation, for programs',
    access,
    responses: { 200: ['text/plain; charset=utf-8'], 304: [] },
    handler: (context) => documentReply(context, 'llms.txt'),
  }),
  route({
    method: 'GET',
    operations: { browseDocsPart: '/docs/{part}' },
    summary:
      'Browse a part of the documentation: guides, reference, errors, events, manual; ' +
      'postman.json is a Postman collection; with `.md` each page is Markdown',
    access,
    params: z.object({ part }),
    responses: { 200: [...pageTypes, ...textTypes, 'application/json'], 304: [] },
    handler: (context, { params }) => documentReply(context, params.part),
  }),
  route({
    method: 'GET',
    operations: { browseDocsPage: '/docs/{part}/{page}' },
    summary: 'Browse a page of the documentation, such as that of an error code or event type',
    access,
    params: z.object({
      part,
      page: pathText('A guide, an operationId, a code or a type, or the file of a client.'),
    }),
    responses: { 200: [...pageTypes, ...textTypes], 304: [] },
    handler: (context, { params }) => documentReply(context, `${params.part}/${params.page}`),
  }),
  route({
    method: 'GET',
    operations: { readDocsFile: '/docs/assets/{version}/{file}' },
    summary: 'Read a file that the documentation loads',
    access,
    params: z.object({
      version: pathText('The version in the page.'),
      file: pathText('A style sheet, a script, or what the search reads.'),
    }),
    responses: { 200: fileTypes },
    handler: (context, { params: { version, file } }) =>
      documentReply(context, `assets/${version}/${file}`),
  }),
];

async function documentReply({ document }: HandlerContext, path: string): Promise<Reply> {
  const found = expectFound(await document(path));
  return contentReply(found.bytes, found.type, found.headers);
}
