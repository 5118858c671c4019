// The description of the API: as a document, and as a page with the files that it loads.
import { z } from 'zod';
import { RawJson } from '../../../core/domain/base/raw-json.js';
import { route } from '../protocol/route-row.js';
import { pathText, responseSchemas } from '../protocol/schemas.js';
import { docsFile, docsFileTypes, docsPage, docsPageTypes } from './docs-page.js';

const docsFileParams = z.object({
  version: pathText('The version in the page.'),
  file: pathText('A style sheet or a script.'),
});

export const documentSchema = z.record(z.string(), z.unknown());

responseSchemas.add(documentSchema, { id: 'Document' });

export const docsRoutes = [
  route({
    method: 'GET',
    operations: { readDescription: '/docs-json' },
    summary: 'Read this description',
    access: { auth: 'none', scope: 'none', modes: 'both', rateLimit: 'none' },
    responses: { 200: documentSchema, 304: [] },
    handler: async ({ description }) => {
      const { json, etag } = description();
      return {
        status: 200,
        body: new RawJson(json),
        headers: { etag, 'cache-control': 'no-cache' },
      };
    },
  }),
  route({
    method: 'GET',
    operations: { browseDescription: '/docs', browseRoot: '/' },
    summary: 'Browse this description',
    access: { auth: 'none', scope: 'none', modes: 'both', rateLimit: 'none' },
    responses: { 200: docsPageTypes, 304: [] },
    handler: docsPage,
  }),
  route({
    method: 'GET',
    operations: { readDocsFile: '/docs/{version}/{file}' },
    summary: 'Read a file that the page of the description loads',
    access: { auth: 'none', scope: 'none', modes: 'both', rateLimit: 'none' },
    params: docsFileParams,
    responses: { 200: docsFileTypes },
    handler: (_, { params: { version, file } }) => docsFile(version, file),
  }),
];
