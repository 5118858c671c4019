// The build: each public entry becomes one flat file in dist/, what they share becomes chunks
// beside them. Everything stays flat, so that `new URL('./migrations/', import.meta.url)` finds
// the SQL files both from adapters/storage (sources) and from dist/ (built). Types are not made
// here: tsup cannot with TypeScript 7, `tsc -p tsconfig.build.json` does.

import { cpSync, existsSync } from 'node:fs';
import { defineConfig } from 'tsup';

const entries = {
  cli: 'cli/main.ts',
  embed: 'host/embed.ts',
  core: 'core/entry.ts',
  webhooks: 'adapters/webhooks/verify.ts',
} as const;

/** Folders that the built code reads at run time, relative to the file that reads them. */
const assets = { 'adapters/storage/migrations': 'dist/migrations' } as const;

export default defineConfig({
  entry: Object.fromEntries(Object.entries(entries).filter(([, path]) => existsSync(path))),
  format: ['esm'],
  target: 'node22',
  platform: 'node',
  splitting: true,
  treeshake: false,
  sourcemap: true,
  clean: true,
  silent: true,
  dts: false,
  removeNodeProtocol: false,
  async onSuccess() {
    for (const [from, to] of Object.entries(assets)) {
      if (existsSync(from)) cpSync(from, to, { recursive: true });
    }
  },
});
