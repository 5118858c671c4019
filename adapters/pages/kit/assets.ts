// The stylesheets, scripts and icons of the pages, loaded on first use. Their paths have a hash of
// their content, so that browsers may keep them without limit and load a new version immediately.
// The stylesheet of an accent color follows from the color in its name: it is the same for all.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { constants, gzipSync } from 'node:zlib';
import { accentPalettes } from '../../../core/domain/parties/accent-color.js';
import type { AssetPaths } from './frame-view.js';

const files = {
  style: { name: 'ponte.css', type: 'text/css; charset=utf-8' },
  dashboard: { name: 'dashboard.css', type: 'text/css; charset=utf-8' },
  script: { name: 'ponte.js', type: 'text/javascript; charset=utf-8' },
  documentation: { name: 'documentation.css', type: 'text/css; charset=utf-8' },
  documentationScript: { name: 'documentation.js', type: 'text/javascript; charset=utf-8' },
  icon: { name: 'icon.svg', type: 'image/svg+xml' },
  testIcon: { name: 'test-icon.svg', type: 'image/svg+xml' },
} as const satisfies Record<keyof AssetPaths, { readonly name: string; readonly type: string }>;

/** Compressed once; every browser takes it. */
export type AssetFile = Readonly<{ type: string; bytes: Buffer; encoding: 'gzip' }>;

interface Asset extends AssetFile {
  /** `assets/<hash>/<name>`, below the root of the pages. */
  readonly path: string;
}

const HASH_LENGTH = 12;

let loaded: Readonly<Record<keyof AssetPaths, Asset>> | null = null;

/** What a page links to. */
export function assetPaths(root: string): AssetPaths {
  const { style, dashboard, script, documentation, documentationScript, icon, testIcon } = assets();
  return {
    style: `${root}/${style.path}`,
    dashboard: `${root}/${dashboard.path}`,
    script: `${root}/${script.path}`,
    documentation: `${root}/${documentation.path}`,
    documentationScript: `${root}/${documentationScript.path}`,
    icon: `${root}/${icon.path}`,
    testIcon: `${root}/${testIcon.path}`,
  };
}

/** What a page of an organization with this color links to beside the style. */
export function accentPath(root: string, color: string): string {
  return `${root}/${accentAsset(color).path}`;
}

/** Null if this version does not exist. */
export function assetFile(hash: string, name: string): AssetFile | null {
  const path = `assets/${hash}/${name}`;
  const [, accent] = /^accent-([0-9a-f]{6})\.css$/.exec(name) ?? [];
  const known = accent === undefined ? Object.values(assets()) : [accentAsset(`#${accent}`)];
  return known.find((asset) => asset.path === path) ?? null;
}

/** Its tokens replace those of ponte.css. */
function accentAsset(color: string): Asset {
  const palettes = accentPalettes(color);
  const [light, dark] = [palettes.light, palettes.dark].map(({ accent, strong, soft, on }) =>
    [
      ':root {',
      `  --accent: ${accent};`,
      `  --accent-strong: ${strong};`,
      `  --accent-soft: ${soft};`,
      `  --on-accent: ${on};`,
      '}',
    ].join('\n'),
  );
  const text = `${light}\n@media screen and (prefers-color-scheme: dark) {\n${dark}\n}\n`;
  return assetOf({ name: `accent-${color.slice(1)}.css`, type: files.style.type }, text);
}

function assets(): Readonly<Record<keyof AssetPaths, Asset>> {
  loaded ??= {
    style: load(files.style),
    dashboard: load(files.dashboard),
    script: load(files.script),
    documentation: load(files.documentation),
    documentationScript: load(files.documentationScript),
    icon: load(files.icon),
    testIcon: load(files.testIcon),
  };
  return loaded;
}

/** The text of a file of this folder that other files embed. */
export function assetText(name: string): string {
  return readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
}

function load(file: (typeof files)[keyof AssetPaths]): Asset {
  // Next to the code both in the sources and in a build.
  return assetOf(file, readFileSync(new URL(`./assets/${file.name}`, import.meta.url)));
}

function assetOf(
  { name, type }: { readonly name: string; readonly type: string },
  text: string | Buffer,
): Asset {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
  const bytes = gzipSync(text, { level: constants.Z_BEST_COMPRESSION });
  return { path: `assets/${hash}/${name}`, type, bytes, encoding: 'gzip' };
}
