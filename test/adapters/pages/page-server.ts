// Serves the sample pages and their assets on this machine, under the content security policy that
// the service sends.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { assetFile } from '../../../adapters/pages/kit/assets.js';
import { contentPolicy } from '../../../adapters/pages/kit/content-policy.js';
import { localeOf } from '../../../core/domain/base/locale.js';
import { samples } from './all-samples.js';
import { logoOfSamples } from './buyer/page-facts.js';
import { htmlOf, leaving } from './buyer/page-samples.js';

export interface PageServer {
  readonly urlOf: (name: string, locale: string) => string;
  /** Bodies of POST requests, newest last. */
  readonly posted: readonly Buffer[];
  /** Reports a change to every open page. */
  readonly change: () => void;
  readonly close: () => Promise<void>;
}

/** One pixel. */
const logo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJg' +
    'gg==',
  'base64',
);

export async function pageServer(): Promise<PageServer> {
  const streams = new Set<ServerResponse>();
  const posted: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [, folder = '', ...rest] = url.pathname.split('/');
    if (url.pathname === logoOfSamples) {
      response.writeHead(200, { 'content-type': 'image/png' }).end(logo);
      return;
    }
    if (folder === 'assets') {
      const [hash = '', name = ''] = rest;
      const asset = assetFile(hash, name);
      response.writeHead(asset === null ? 404 : 200, {
        'content-type': asset?.type ?? html,
        'content-encoding': asset?.encoding ?? 'identity',
        'cache-control': 'public, max-age=31536000, immutable',
      });
      response.end(asset?.bytes);
      return;
    }
    if (url.pathname.endsWith('/status')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': open\n\n');
      streams.add(response);
      request.once('close', () => streams.delete(response));
      return;
    }
    if (request.method === 'POST') {
      posted.push(await buffer(request));
      const { pathname: from } = new URL(request.headers.referer ?? '/', url);
      response.writeHead(303, { location: from === '/kyc-documents' ? from : '/ask' }).end();
      return;
    }
    const sample = [...samples, ...leaving].find(({ name }) => name === folder);
    const locale = localeOf(url.searchParams.get('lang') ?? 'en') ?? 'en';
    response.writeHead(sample === undefined ? 404 : 200, {
      'content-type': html,
      'content-security-policy': contentPolicy,
    });
    response.end(sample === undefined ? '' : htmlOf(sample, locale));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (name, locale) => `http://127.0.0.1:${port}/${name}?lang=${locale}`,
    posted,
    change: () => {
      for (const stream of streams) stream.write('data: changed\n\n');
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const html = 'text/html; charset=utf-8';
