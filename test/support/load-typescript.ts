// Loads the TypeScript sources in tests: `node --import ./test/support/load-typescript.ts`. Node
// strips the types of .ts files and caches the compiled code. What it does not do is added: imports
// of .js files find their sources, and .tsx files are transformed, once for all processes.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, enableCompileCache, registerHooks } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
const transformed = join(cache, 'transformed');
mkdirSync(transformed, { recursive: true });
enableCompileCache(join(cache, 'compiled'));
process.setSourceMapsEnabled(true);

/** Sources by the address that is imported. The search of Node takes far longer. */
const found = new Map<string, string>();

registerHooks({
  resolve: (specifier, context, next) => {
    if (!/^(\.|file:).*\.js(\?|$)/.test(specifier)) return next(specifier, context);
    const { href } = new URL(specifier, context.parentURL);
    const url = found.get(href) ?? sourceOf(href);
    if (url === null) return next(specifier, context);
    found.set(href, url);
    const format = url.endsWith('.ts') ? 'module-typescript' : 'module';
    return { url, format, shortCircuit: true };
  },
  load: (url, context, next) => {
    if (!url.endsWith('.tsx')) return next(url, context);
    return { format: 'module', source: javaScriptOf(fileURLToPath(url)), shortCircuit: true };
  },
});

function sourceOf(href: string): string | null {
  const urls = ['.ts', '.tsx'].map((ending) => href.replace(/\.js(?=\?|$)/, ending));
  return urls.find((url) => existsSync(new URL(url))) ?? null;
}

function javaScriptOf(path: string): string {
  const text = readFileSync(path, 'utf8');
  const hash = createHash('sha256').update(basename(path)).update(text).digest('hex');
  const file = join(transformed, `${hash}.js`);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  // Loading it takes longer than all files of the cache.
  const { transformSync } = require('esbuild') as typeof import('esbuild');
  const { code } = transformSync(text, {
    loader: 'tsx',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target: 'node22',
    sourcefile: basename(path),
    sourcemap: 'inline',
  });
  // Another process never reads half of it.
  writeFileSync(`${file}.${process.pid}`, code);
  renameSync(`${file}.${process.pid}`, file);
  return code;
}
