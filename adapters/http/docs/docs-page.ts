// The page of the description: Swagger UI and a script that starts it, all served from this origin;
// the content security policy forbids others. Files are loaded on first use. Their path has their
// version, so that browsers may cache them without limit.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { PonteError } from '../../../core/errors.js';
import { contentReply, type Reply } from '../protocol/route-row.js';

const html = 'text/html; charset=utf-8';
const css = 'text/css; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

/** The files of the page, in load order, with their types. */
const types = {
  'swagger-ui.css': css,
  'swagger-ui-bundle.js': script,
  'start.js': script,
} as const;

export const docsPageTypes = [html] as const;
export const docsFileTypes = [css, script] as const;

type FileName = keyof typeof types;

/** The style sheet has icons as data: URLs. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const KEEP_SECONDS = 31_536_000;
const VERSION_LENGTH = 12;

/**
 * Paths are relative, so that the page works under any prefix of a proxy. Each field of the
 * Authorize dialog takes the focus when it appears. The last one would keep it and scroll the
 * first, the API key, out of view.
 */
const start = `const beginAtFirst = ({ React }) => ({
  wrapComponents: {
    authorizationPopup: (Popup) => class extends React.Component {
      componentDidMount() {
        document.querySelector('.modal-ux-content input')?.focus();
        document.querySelector('.modal-ux-content')?.scrollTo(0, 0);
      }
      render() {
        return React.createElement(Popup, this.props);
      }
    },
  },
});
SwaggerUIBundle({
  url: 'docs-json',
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: null,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  plugins: [beginAtFirst],
});
`;

interface DocsFiles {
  readonly version: string;
  readonly files: Readonly<Record<FileName, Buffer>>;
}

let files: Promise<DocsFiles> | null = null;

export async function docsPage(): Promise<Reply> {
  const [style, ...scripts] = await docsPaths();
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ponte</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
${scripts.map((path) => `<script src="${path}" defer></script>`).join('\n')}
</head>
<body>
<div id="docs"></div>
<noscript>It needs JavaScript. The description is at <a href="docs-json">docs-json</a>.</noscript>
</body>
</html>
`;
  return contentReply(Buffer.from(body), html, {
    'content-security-policy': policy,
    'cache-control': 'no-cache',
    etag: `"${versionOf([Buffer.from(body)])}"`,
  });
}

export async function docsPaths(): Promise<readonly string[]> {
  const { version } = await docsFiles();
  return Object.keys(types).map((name) => `docs/${version}/${name}`);
}

export async function docsFile(version: string, name: string): Promise<Reply> {
  const current = await docsFiles();
  if (version !== current.version || !isFileName(name)) throw new PonteError('NotFound');
  return contentReply(current.files[name], types[name], {
    'cache-control': `public, max-age=${KEEP_SECONDS}, immutable`,
  });
}

function isFileName(name: string): name is FileName {
  return Object.hasOwn(types, name);
}

function docsFiles(): Promise<DocsFiles> {
  files ??= loadFiles().catch((error: unknown) => {
    files = null;
    throw error;
  });
  return files;
}

async function loadFiles(): Promise<DocsFiles> {
  // Next to the code in a build, in node_modules in a clone.
  const built = new URL('./swagger-ui/', import.meta.url);
  const folder = existsSync(built) ? built : new URL('.', import.meta.resolve('swagger-ui-dist'));
  const loaded = {
    'swagger-ui.css': await readFile(new URL('swagger-ui.css', folder)),
    'swagger-ui-bundle.js': await readFile(new URL('swagger-ui-bundle.js', folder)),
    'start.js': Buffer.from(start),
  };
  return { version: versionOf(Object.values(loaded)), files: loaded };
}

function versionOf(contents: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const bytes of contents) hash.update(bytes);
  return hash.digest('hex').slice(0, VERSION_LENGTH);
}
