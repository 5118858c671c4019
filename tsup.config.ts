// The build: each public entry becomes one flat file in dist/; what they share becomes chunks next
// to them. Everything stays flat, so that `new URL('./migrations/', import.meta.url)` finds the SQL
// files both from adapters/storage (sources) and from dist/ (built). Types are not made here: tsup
// cannot with TypeScript 7, `tsc -p tsconfig.build.json` does. The types of the client are made
// first, from the route table; `npm run generate` makes them alone.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin, registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { build as bundle, type Plugin } from 'esbuild';
import { defineConfig, type Options } from 'tsup';

const entries = {
  cli: 'cli/main.ts',
  embed: 'host/embed.ts',
  core: 'core/entry.ts',
  webhooks: 'adapters/client/verify.ts',
  client: 'adapters/client/ponte-client.ts',
  'partner-kit': 'adapters/partner-kit/partner-kit.ts',
} as const;

/**
 * The entries that programs in CommonJS require (NestJS, Jest), each as one file without imports of
 * other packages. `ponte-payments` itself is one module for both: Node requires it as it is.
 */
const required = ['core', 'webhooks', 'client', 'partner-kit'] as const;

/** Commit of the sources, `-dirty` if they are changed; without git, what PONTE_COMMIT says. */
function commitOfSources(): string {
  const given = process.env['PONTE_COMMIT'];
  if (given) return given;
  // A folder without .git may lie inside the clone of another project.
  if (!existsSync('.git')) return 'unknown';
  const git = (...words: readonly string[]) =>
    spawnSync('git', words, { encoding: 'utf8' }).stdout?.trim() ?? '';
  const commit = git('describe', '--always', '--abbrev=12', '--exclude=*');
  const changes = git('status', '--porcelain', '--untracked-files=no', '--', '.');
  return commit === '' ? 'unknown' : `${commit}${changes === '' ? '' : '-dirty'}`;
}

const notoSans = 'node_modules/@expo-google-fonts/noto-sans';

/** What the built code reads at run time, relative to the file that reads it. */
export const assets = {
  'adapters/storage/migrations': 'dist/migrations',
  'adapters/pages/kit/assets': 'dist/assets',
  // What PDF files embed.
  [`${notoSans}/400Regular/NotoSans_400Regular.ttf`]: 'dist/fonts/NotoSans_400Regular.ttf',
  [`${notoSans}/700Bold/NotoSans_700Bold.ttf`]: 'dist/fonts/NotoSans_700Bold.ttf',
  [`${notoSans}/LICENSE_FONT`]: 'dist/fonts/LICENSE',
} as const;

/** Many small modules, all loaded by a start: bundled, it takes four fifths of the time. */
const bundled = [
  /^@?inversify/,
  'commander',
  'find-my-way',
  'jose',
  'nodemailer',
  'preact',
  'preact-render-to-string',
  'reflect-metadata',
  'undici',
  'zod',
];

/** Of these an ES module reads all that they export, and so loads `fetch` and WebCrypto. */
const costlyToImport = ['node:http', 'node:crypto'];

/**
 * Takes built-in modules as values. That saves 38 ms and 13 MB of each start for those that are
 * costly to import. And packages in CommonJS require them, which a bundle in ES modules cannot.
 */
const builtinsAsValues: Plugin = {
  name: 'builtins-as-values',
  setup: (bundler) => {
    bundler.onResolve({ filter: /^[\w:/]+$/ }, ({ path, kind }) => {
      if (kind === 'require-call') return isBuiltin(path) ? { path, namespace: 'required' } : null;
      return costlyToImport.includes(path) ? { path, namespace: 'imported' } : null;
    });
    bundler.onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
    bundler.onLoad({ filter: /^/, namespace: 'imported' }, ({ path }) => {
      const exported = Object.getOwnPropertyDescriptors(process.getBuiltinModule(path));
      const names = Object.keys(exported).filter((name) => exported[name]?.get === undefined);
      const all = `process.getBuiltinModule('${path}')`;
      return { contents: `export default ${all}; export const { ${names.join()} } = ${all};` };
    });
  },
};

/** Writes the terms of each package that is bundled beside the code. */
const terms: Plugin = {
  name: 'terms',
  setup: ({ initialOptions: { outdir = 'dist' }, onEnd }) => {
    onEnd(({ metafile }) => {
      const folders = Object.keys(metafile?.inputs ?? {}).map(
        (path) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0],
      );
      for (const folder of new Set(folders.filter((found) => found !== undefined))) {
        const name = folder.split('node_modules/').at(-1) ?? '';
        const file = readdirSync(folder).find((found) => /^licen[cs]e/i.test(found));
        if (file === undefined) throw new Error(`${name} has no file with its terms`);
        cpSync(join(folder, file), join(outdir, 'licenses', `${name.replace('/', '-')}.txt`));
      }
    });
  },
};

const clientTypes = 'adapters/client/description.gen.ts';

/** The generator needs the JavaScript API of TypeScript, which version 7 has no more. */
const typescriptWithApi = '@ts-morph/common/dist/typescript.js';

/** What the description says, as types, and the operations that take an Idempotency-Key. */
export async function writeClientTypes(): Promise<void> {
  registerHooks({
    resolve: (specifier, context, next) => {
      const generator = context.parentURL?.includes('/openapi-typescript/') ?? false;
      const replaced = generator && specifier === 'typescript';
      return next(replaced ? typescriptWithApi : specifier, context);
    },
  });
  const { default: typesOf, astToString } = await import('openapi-typescript');
  const { openApiDocument } = await import('./adapters/http/docs/openapi.js');
  const { routes } = await import('./adapters/http/routes.js');
  const { fakeNotes } = await import('./adapters/partner/fake.js');
  const description = JSON.stringify(openApiDocument(routes, fakeNotes));
  const types = await typesOf(description, {
    emptyObjectsUnknown: true,
    defaultNonNullable: false,
  });
  const keyed = routes.flatMap(({ idempotency, method, operations }) =>
    idempotency === 'key' ? Object.values(operations).map((path) => `${method} ${path}`) : [],
  );
  const operations = `export const keyedOperations: readonly string[] = ${JSON.stringify(keyed)};`;
  const head = '// Made from the route table by `npm run generate`; edits are lost.';
  const text = `${head}\n${astToString(types)}\n${operations}\n`;
  const file = new URL(clientTypes, import.meta.url);
  // A new date would make dist/ look older than its sources.
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

const manifest = new URL('package.json', import.meta.url);
const unpinned = new URL('package.json.unpinned', import.meta.url);

interface Pins {
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}

/**
 * The exact version of every package of production, by the lock file. npm takes no lock file from a
 * package that it installs, and would choose newer versions of what our dependencies need. It has
 * one version of each name at the top; another one, needed deeper, cannot be named.
 */
export function lockedVersions(lockText: string): Pins {
  const { packages } = JSON.parse(lockText) as {
    readonly packages: Readonly<
      Record<string, { readonly version: string; readonly dev?: true; readonly optional?: true }>
    >;
  };
  const pins: Pins = { dependencies: {}, optionalDependencies: {} };
  for (const [path, { version, dev, optional }] of Object.entries(packages)) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    if (name === undefined || dev) continue;
    pins[optional ? 'optionalDependencies' : 'dependencies'][name] = version;
  }
  return pins;
}

/** Before `npm pack`: the manifest that is packed names locked versions, and no build. */
export function pinManifest(): void {
  const lock = readFileSync(new URL('package-lock.json', import.meta.url), 'utf8');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(unpinned, text);
  const pinned = { ...JSON.parse(text), ...lockedVersions(lock) };
  // npm asks each project whether the installed package may run it.
  delete pinned.scripts.prepare;
  writeFileSync(manifest, `${JSON.stringify(pinned, null, 2)}\n`);
}

/** After it. */
export function unpinManifest(): void {
  renameSync(unpinned, manifest);
}

/** Bundles without imports of other packages, for CommonJS. */
function oneFileEach(names: readonly (keyof typeof entries)[]) {
  return {
    entryPoints: Object.fromEntries(names.map((name) => [name, entries[name]])),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    logLevel: 'error',
  } as const;
}

/**
 * Writes the files that CommonJS requires to `dist/cjs`. The types are the same for both: either
 * kind of program can import declarations that are marked as CommonJS.
 */
export async function writeCommonJs(dist: string): Promise<void> {
  await bundle({ ...oneFileEach(required), outdir: join(dist, 'cjs'), sourcemap: true });
  for (const folder of ['cjs', 'types']) {
    mkdirSync(join(dist, folder), { recursive: true });
    writeFileSync(join(dist, folder, 'package.json'), '{ "type": "commonjs" }\n');
  }
}

/** Imports run in their order: the refusal comes before packages that an old Node cannot load. */
export function refuseOldNode(dist: string): void {
  const embed = join(dist, 'embed.js');
  const text = readFileSync(embed, 'utf8');
  // On the first line, so that the source map still fits.
  writeFileSync(embed, `import '../cli/node-version.cjs'; ${text}`);
}

/** The exports of `ponte-payments-client`: an integrator needs no server, and Node 20 is enough. */
const clientExports = { '.': 'client', './webhooks': 'webhooks' } as const;

/**
 * Writes the package `ponte-payments-client` to `dist/client-package`, from the built declarations.
 * Its one dependency is there for its types.
 */
export async function writeClientPackage(dist: string): Promise<void> {
  const folder = join(dist, 'client-package');
  rmSync(folder, { recursive: true, force: true });
  const bundled = { ...oneFileEach(Object.values(clientExports)), target: 'node20' };
  await bundle({ ...bundled, outdir: folder, outExtension: { '.js': '.cjs' } });
  await bundle({ ...bundled, format: 'esm', outdir: folder, outExtension: { '.js': '.mjs' } });
  const declared = Object.values(clientExports).map((name) => declarationOf(entries[name]));
  for (const path of withImports(join(dist, 'types'), declared)) {
    cpSync(join(dist, 'types', path), join(folder, 'types', path));
  }
  cpSync('LICENSE', join(folder, 'LICENSE'));
  const { version, license, author, dependencies } = JSON.parse(readFileSync(manifest, 'utf8'));
  const types = (name: keyof typeof entries) => `./types/${declarationOf(entries[name])}`;
  const packed = {
    name: 'ponte-payments-client',
    version,
    description: 'Typed client and webhook verification for the API of Ponte',
    license,
    author,
    engines: { node: '>=20' },
    main: './client.cjs',
    types: types('client'),
    typesVersions: { '*': { webhooks: [types('webhooks')] } },
    exports: Object.fromEntries(
      Object.entries(clientExports).map(([path, name]) => [
        path,
        { types: types(name), require: `./${name}.cjs`, default: `./${name}.mjs` },
      ]),
    ),
    dependencies: { 'openapi-fetch': dependencies['openapi-fetch'] },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
  writeFileSync(join(folder, 'README.md'), clientReadme);
}

const clientReadme = `# ponte-payments-client

The typed client and the webhook verification of Ponte, without its server. Each installation of
Ponte has its guides at \`/docs\`.

\`\`\`ts
import { createPonteClient } from 'ponte-payments-client';
import { verifyWebhook } from 'ponte-payments-client/webhooks';
\`\`\`
`;

function declarationOf(source: string): string {
  return source.replace(/\.ts$/, '.d.ts');
}

/** These declarations, and all that they import, by paths in the folder. */
function withImports(folder: string, declared: readonly string[]): ReadonlySet<string> {
  const found = new Set(declared);
  for (const path of found) {
    const text = readFileSync(join(folder, path), 'utf8');
    for (const [, to] of text.matchAll(/(?:from |import\()'(\.[^']+)\.js'/g)) {
      found.add(join(dirname(path), `${to}.d.ts`));
    }
  }
  return found;
}

export default defineConfig(async () => {
  await writeClientTypes();
  return build;
});

const build: Options = {
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
  noExternal: bundled,
  esbuildPlugins: [builtinsAsValues, terms],
  define: { PONTE_COMMIT: JSON.stringify(commitOfSources()) },
  async onSuccess() {
    for (const [from, to] of Object.entries(assets)) {
      if (existsSync(from)) cpSync(from, to, { recursive: true });
    }
    await writeCommonJs('dist');
    refuseOldNode('dist');
  },
};
