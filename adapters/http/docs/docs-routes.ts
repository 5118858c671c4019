// The description of the API: as a document, and as a page with the files that it loads.
import { z } from 'zod';
import { RawJson } from '../../../core/domain/base/raw-json.js';
import { route } from '../protocol/route-row.js';
import { pathText, responseSchemas } from '../protocol/schemas.js';
import {
  errorList,
  errorPage,
  eventList,
  eventPage,
  referencePageTypes,
} from './described-pages.js';
import { docsFile, docsFileTypes, docsPage, docsPageTypes } from './docs-page.js';

const docsFileParams = z.object({
  version: pathText('The version in the page.'),
  file: pathText('A style sheet or a script.'),
});

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
    access,
    responses: { 200: docsPageTypes, 304: [] },
    handler: docsPage,
  }),
  route({
    method: 'GET',
    operations: { browseErrors: '/docs/errors' },
    summary: 'Browse the error codes',
    access,
    responses: { 200: referencePageTypes },
    handler: async (context) => errorList(context),
  }),
  route({
    method: 'GET',
    operations: { browseError: '/docs/errors/{code}' },
    summary: 'Browse an error code: its cause, what to do, and who answers with it',
    access,
    params: z.object({ code: pathText('An error code.') }),
    responses: { 200: referencePageTypes },
    handler: async (context, { params: { code } }) => errorPage(context, code),
  }),
  route({
    method: 'GET',
    operations: { browseEvents: '/docs/events' },
    summary: 'Browse the event types',
    access,
    responses: { 200: referencePageTypes },
    handler: async (context) => eventList(context),
  }),
  route({
    method: 'GET',
    operations: { browseEvent: '/docs/events/{type}' },
    summary: 'Browse an event type: an example and its properties',
    access,
    params: z.object({ type: pathText('An event type.') }),
    responses: { 200: referencePageTypes },
    handler: async (context, { params: { type } }) => eventPage(context, type),
  }),
  route({
    method: 'GET',
    operations: { readDocsFile: '/docs/{version}/{file}' },
    summary: 'Read a file that the page of the description loads',
    access,
    params: docsFileParams,
    responses: { 200: docsFileTypes },
    handler: (_, { params: { version, file } }) => docsFile(version, file),
  }),
];
