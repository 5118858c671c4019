// The stylesheet and the script of the pages, loaded on first use. Their paths have a hash of their
// content, so that browsers may keep them without limit and load a new version immediately.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import type { AssetPaths } from './page-view.js';

const files = {
  style: { name: 'ponte.css', type: 'text/css; charset=utf-8' },
  script: { name: 'ponte.js', type: 'text/javascript; charset=utf-8' },
} as const satisfies Record<keyof AssetPaths, { readonly name: string; readonly type: string }>;

export const ASSET_CACHE_CONTROL = 'public, max-age=31536000, immutable';

export interface Asset {
  /** `assets/<hash>/<name>`, below the root of the pages. */
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
  /** With Brotli. */
  readonly compressed: Buffer;
}

const HASH_LENGTH = 12;

let loaded: Readonly<Record<keyof AssetPaths, Asset>> | null = null;

/** What a page links to. */
export function assetPaths(root: string): AssetPaths {
  const { style, script } = assets();
  return { style: `${root}/${style.path}`, script: `${root}/${script.path}` };
}

/** Null if this version does not exist. */
export function findAsset(hash: string, name: string): Asset | null {
  const path = `assets/${hash}/${name}`;
  return Object.values(assets()).find((asset) => asset.path === path) ?? null;
}

function assets(): Readonly<Record<keyof AssetPaths, Asset>> {
  loaded ??= { style: load(files.style), script: load(files.script) };
  return loaded;
}

function load({ name, type }: (typeof files)[keyof AssetPaths]): Asset {
  // Next to the code both in the sources and in a build.
  const body = readFileSync(new URL(`./assets/${name}`, import.meta.url));
  const hash = createHash('sha256').update(body).digest('hex').slice(0, HASH_LENGTH);
  return { path: `assets/${hash}/${name}`, type, body, compressed: brotliCompressSync(body) };
}
