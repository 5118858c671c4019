// The package as others get it: packed from the sources as they are now, installed into an empty
// folder, and used from there. The build runs in a copy, since a server may run from dist/. A run
// that has built the program for its tests packs that one, and unpacks it beside links to the
// packages that npm would install; npm builds and installs in the nightly run.
// PONTE_TEST_NODES=/path/to/node:… repeats what runs on other versions of Node as well.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { describe, test } from 'node:test';
import { build } from 'esbuild';
import { signWebhook } from '../core/domain/webhooks/signature.js';
import { refuseOldNode, writeClientPackage, writeCommonJs } from '../tsup.config.js';
import { BUILT_PROGRAM } from './support/servers/host-process.js';
import { importsOf, projectFiles, projectRoot } from './support/source-tree.js';
import { temporaryFolder } from './support/temporary-folder.js';

const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
};
const nodes = [process.execPath, ...(process.env.PONTE_TEST_NODES?.split(':') ?? [])];

const temporary = temporaryFolder();
const consumer = join(temporary, 'consumer');
const clientName = 'ponte-payments-client';
const clientProject = join(temporary, 'client-project');
/** All that npm installs with it. */
const packagesOfClient = ['openapi-fetch', 'openapi-typescript-helpers'];
const copy = join(temporary, 'copy');
/** TypeScript 5, which the nightly run installs: version 7 resolves like node10 no more. */
const isNightly = process.env[BUILT_PROGRAM] === undefined;
let packed: readonly string[] = [];
let clientBytes = 0;

for (const { path } of projectFiles().filter(({ path }) => !path.startsWith('test/'))) {
  cpSync(join(projectRoot, path), join(copy, path));
}
for (const path of ['test/examples', 'test/screens']) {
  cpSync(join(projectRoot, path), join(copy, path), { recursive: true });
}
symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'));
mkdirSync(consumer, { recursive: true });
const program = process.env[BUILT_PROGRAM];
if (program !== undefined) {
  cpSync(dirname(program), join(copy, 'dist'), { recursive: true });
  for (const name of ['compiled', 'package.json'])
    rmSync(join(copy, 'dist', name), { recursive: true, force: true });
  const types = 'adapters/client/description.gen.ts';
  cpSync(join(projectRoot, types), join(copy, types));
  run('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json', '--singleThreaded'], copy);
  await writeCommonJs(join(copy, 'dist'));
  refuseOldNode(join(copy, 'dist'));
  await writeClientPackage(join(copy, 'dist'));
  // It changes the manifest beside it.
  const { pinManifest } = await import(join(copy, 'tsup.config.ts'));
  pinManifest();
}
const scripts = program === undefined ? '--foreground-scripts=false' : '--ignore-scripts';
const [tarball] = JSON.parse(
  npm(copy, 'pack', '--json', scripts, '--pack-destination', temporary),
) as readonly [{ readonly filename: string; readonly files: readonly { path: string }[] }];
packed = tarball.files.map(({ path }) => path);
writeFileSync(join(consumer, 'package.json'), '{ "private": true, "type": "module" }\n');
const file = join(temporary, tarball.filename);
const typescript = 'typescript@5.9.3';
if (program === undefined)
  npm(consumer, 'install', '--prefer-offline', '--no-save', file, typescript);
else unpack(file);
packClient();

/** The package of the client alone, in a project that has nothing else. */
function packClient(): void {
  const [tarball] = JSON.parse(
    npm(join(copy, 'dist/client-package'), 'pack', '--json', '--pack-destination', temporary),
  ) as readonly [{ readonly filename: string; readonly unpackedSize: number }];
  clientBytes = tarball.unpackedSize;
  const file = join(temporary, tarball.filename);
  mkdirSync(clientProject, { recursive: true });
  writeFileSync(join(clientProject, 'package.json'), '{ "private": true }\n');
  if (isNightly) {
    npm(clientProject, 'install', '--prefer-offline', file);
    return;
  }
  const modules = join(clientProject, 'node_modules');
  mkdirSync(join(modules, clientName), { recursive: true });
  run('tar', ['-xzf', file, '--strip-components=1', '-C', join(modules, clientName)]);
  for (const name of packagesOfClient) {
    symlinkSync(join(projectRoot, 'node_modules', name), join(modules, name));
  }
}

/** What `npm install` makes of the tarball, without its copies of other packages. */
function unpack(tarball: string): void {
  const modules = join(consumer, 'node_modules');
  mkdirSync(join(modules, 'ponte-payments'), { recursive: true });
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', join(modules, 'ponte-payments')]);
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: true; readonly optional?: true }>>;
  };
  for (const [path, { dev, optional }] of Object.entries(lock.packages)) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    if (name === undefined || dev || optional) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(projectRoot, path), join(modules, name));
  }
  mkdirSync(join(modules, '.bin'));
  // npm makes a command executable when it links it.
  chmodSync(join(modules, 'ponte-payments', manifest.bin.ponte as string), 0o755);
  symlinkSync(join('../ponte-payments', manifest.bin.ponte as string), join(modules, '.bin/ponte'));
}

test('the tarball holds what the exports and the bin name', () => {
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  for (const target of [...targets, ...Object.values(manifest.bin)]) {
    assert.ok(packed.includes(posix.normalize(target)), `${target} is not in the tarball`);
  }
});

test('the tarball holds every page of the documents', () => {
  const pages = projectFiles().filter(({ path }) => path.startsWith('adapters/docs/'));
  assert.notEqual(pages.length, 0);
  for (const { path } of pages) assert.ok(packed.includes(path), `${path} is not in the tarball`);
});

test('the tarball holds every file that its pages link, and the examples that they name', () => {
  const pages = packed.filter((path) => path.endsWith('.md'));
  const linked = pages.flatMap((page) => {
    const text = readFileSync(join(projectRoot, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, path]) => `${path}`);
    const examples = [...text.matchAll(/`(test\/examples\/[\w.-]+)`/g)];
    return [
      ...links.map((path) => posix.join(posix.dirname(page), path)),
      ...examples.map(([, path]) => `${path}`),
    ];
  });
  assert.ok(linked.includes('test/screens/bank-details.png'));
  assert.ok(linked.some((path) => path.startsWith('test/examples/')));
  assert.deepEqual(
    linked.filter((path) => !packed.includes(path)),
    [],
  );
});

test('what installs the tarball takes the versions of the lock file, and runs nothing', () => {
  const lockText = readFileSync(join(projectRoot, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lockText) as {
    readonly packages: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const production = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  const needed = production.filter(([path]) => path.lastIndexOf('node_modules/') === 0);
  const installed = readFileSync(
    join(consumer, 'node_modules/ponte-payments/package.json'),
    'utf8',
  );
  const { dependencies, optionalDependencies, scripts } = JSON.parse(installed) as Readonly<
    Record<string, Readonly<Record<string, string>>>
  >;
  const run = ['preinstall', 'install', 'postinstall', 'prepare'];
  assert.deepEqual(
    Object.keys(scripts ?? {}).filter((name) => run.includes(name)),
    [],
    'npm asks each project for a permission to run these',
  );
  assert.deepEqual(
    { ...dependencies, ...optionalDependencies },
    Object.fromEntries(
      needed.map(([path, { version }]) => [path.slice('node_modules/'.length), version]),
    ),
  );
  // A second version of a name cannot be pinned: what needs one is known here.
  const deeper = production.filter((one) => !needed.includes(one)).map(([path]) => path);
  assert.deepEqual(deeper, [
    'node_modules/linebreak/node_modules/base64-js',
    'node_modules/tsyringe/node_modules/tslib',
  ]);
  for (const [path, { integrity, hasInstallScript }] of production) {
    assert.match(String(integrity), /^sha512-/, path);
    assert.equal(hasInstallScript, undefined, path);
  }
});

test('the tarball holds the built code and every migration', () => {
  const migrations = projectFiles().filter(({ path }) => /\/migrations\/.*\.sql$/.test(path));
  assert.notEqual(migrations.length, 0);
  for (const { path } of migrations) {
    const built = path.replace('adapters/storage/', 'dist/');
    assert.ok(packed.includes(built), `${built} is not in the tarball`);
  }
});

test('the tarball holds no sources, no tests and no machine-made leftovers', () => {
  const allowed = [
    /^(dist|adapters\/docs|test\/examples)\//,
    /^(cli\/((bin|node-version)\.cjs|ponte\.service)|test\/screens\/[a-z-]+\.png)$/,
    /^(package\.json|LICENSE|[A-Z]+\.md)$/,
  ];
  assert.deepEqual(
    packed.filter(
      (path) => !allowed.some((form) => form.test(path)) || /\.test\.|\.tgz$/.test(path),
    ),
    [],
  );
});

test('an old Node is refused before a package that it cannot load', () => {
  const old = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });";
  const script = `${old} import('ponte-payments').catch(({ message }) => console.log(message));`;
  const said = execFileSync(process.execPath, ['-e', script], { cwd: consumer, encoding: 'utf8' });
  assert.match(said, /^ponte-payments needs Node 22\.19 or newer, but .*\. Install .*\n$/);
});

test('ponte-payments/webhooks needs no other package', () => {
  const dist = join(consumer, 'node_modules/ponte-payments/dist');
  const files = new Set(['webhooks.js']);
  for (const path of files) {
    for (const name of importsOf({ path, text: readFileSync(join(dist, path), 'utf8') })) {
      if (name.startsWith('chunk-')) files.add(name);
      else assert.equal(name, 'node:crypto');
    }
  }
});

for (const [cwd, ...words] of [
  [copy, 'npm', 'start'],
  [copy, 'npm', 'run', '-s', 'ponte', '--', 'serve'],
  [consumer, './node_modules/.bin/ponte', 'serve'],
] as const) {
  test(`a server that was started by ${words.join(' ')} ends when that gets SIGTERM`, async () => {
    const [program, ...rest] = words;
    const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
    const env = { PATH, PONTE_PORT: '0', PONTE_DATA_DIR: join(temporary, `data-${rest.length}`) };
    const child = spawn(program, rest, { cwd, env: { ...process.env, ...env }, detached: true });
    try {
      let url: string | undefined;
      for await (const line of createInterface({ input: child.stdout })) {
        url = /ready at (http:\S+)/.exec(line)?.[1];
        if (url !== undefined) break;
      }
      assert.equal((await fetch(`${url}/healthz`)).status, 200);
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await assert.rejects(fetch(`${url}/healthz`));
    } finally {
      // A server that has lost its starter is still in its group.
      if (child.pid !== undefined) endGroup(child.pid);
    }
  });
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All have ended.
  }
}

for (const node of nodes) {
  describe(`installed, on Node ${run(node, ['--version']).trim()}`, () => {
    test('ponte --version prints the version of the package and the commit that was built', () => {
      const bin = join(consumer, 'node_modules/ponte-payments', manifest.bin.ponte as string);
      const [version, commit] = run(node, [bin, '--version']).trim().split('+');
      assert.equal(version, manifest.version);
      // Sources without git have no commit.
      assert.match(commit ?? '', /^([0-9a-f]{12}(-dirty)?|unknown)$/);
    });

    test('commands are declared without a package but the one that reads them', () => {
      const report = `import { registerHooks } from 'node:module';
        registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });`;
      const quiet = '--disable-warning=ExperimentalWarning';
      const preload = ['--import', `data:text/javascript,${encodeURIComponent(report)}`];
      const bin = join(consumer, 'node_modules/ponte-payments', manifest.bin.ponte as string);
      const loaded = run(node, [quiet, ...preload, bin, '--version']).match(/^file:.*\.js$/gm);
      // The bundler names each file above its code.
      const packages = (loaded ?? []).flatMap((url) =>
        [...readFileSync(new URL(url), 'utf8').matchAll(/^\/\/ .*node_modules\/([^/\n]+)/gm)].map(
          ([, name]) => name,
        ),
      );
      assert.deepEqual([...new Set(packages)], ['commander']);
    });

    test('each export can be imported, and required with the names that can be imported', () => {
      const specifiers = Object.keys(manifest.exports)
        .filter((path) => !path.endsWith('.json'))
        .map((path) => posix.join('ponte-payments', path));
      /** The names that each has, by a process that loads all. */
      const namesBy = (type: string, load: string): Readonly<Record<string, readonly string[]>> => {
        const script = `(async () => {
          const names = {};
          for (const specifier of ${JSON.stringify(specifiers)})
            names[specifier] = Object.keys(${load}(specifier)).sort();
          console.log(JSON.stringify(names));
        })();`;
        const quiet = '--disable-warning=ExperimentalWarning';
        return JSON.parse(run(node, [quiet, `--input-type=${type}`, '-e', script]));
      };
      const imported = namesBy('module', 'await import');
      for (const specifier of specifiers) assert.ok(Number(imported[specifier]?.length) > 0);
      assert.deepEqual(namesBy('commonjs', 'require'), imported);
    });

    test('a loader that knows no ES module (Jest) requires all but the server itself', () => {
      const script = `
        for (const name of ['core', 'client', 'partner-kit']) require('ponte-payments/' + name);
        const { signWebhook, verifyWebhook } = require('ponte-payments/webhooks');
        const header = signWebhook({ secret: 's', timestampSeconds: 9, body: '{}' });
        const { valid } = verifyWebhook({ secret: 's', header, body: '{}', nowSeconds: 9 });
        console.log(valid);`;
      const asJest = '--no-experimental-require-module';
      assert.equal(run(node, [asJest, '--input-type=commonjs', '-e', script]).trim(), 'true');
    });

    test('ponte demo runs: a server, its thread, a payment, and webhooks that verify', () => {
      const bin = join(consumer, 'node_modules/ponte-payments', manifest.bin.ponte as string);
      assert.match(run(node, [bin, 'demo']), /^Settled: .* webhooks verified/m);
    });

    test('the documentation and the client work from what was installed', () => {
      const script = `
        import { createPonte } from 'ponte-payments';
        import { createPonteClient } from 'ponte-payments/client';
        const { apiKey, fetch, close } = await createPonte();
        const client = createPonteClient({ baseUrl: 'http://ponte.example', apiKey, fetch });
        const { data } = await client.GET('/healthz');
        const page = await (await fetch('/docs')).text();
        const [script] = /docs.assets.\\w+.documentation.js/.exec(page);
        const size = (await (await fetch('/' + script)).arrayBuffer()).byteLength;
        const guide = await (await fetch('/docs/guides/quickstart')).text();
        console.log(data.status, size > 1_000, guide.includes('Collect your first payment</h1>'));
        await close();`;
      const quiet = '--disable-warning=ExperimentalWarning';
      const said = run(node, [quiet, '--input-type=module', '-e', script]);
      assert.equal(said.trim(), 'ok true true');
    });

    test('a host starts without code that only some need; PDF files embed fonts of the package', () => {
      const dist = join(consumer, 'node_modules/ponte-payments/dist');
      const chunk = readdirSync(dist).find((name) => /^page-pdf-.*\.js$/.test(name));
      const script = `
        import { registerHooks } from 'node:module';
        const loaded = [];
        registerHooks({
          resolve(name, context, next) {
            loaded.push(name);
            return next(name, context);
          },
        });
        const { createPonte } = await import('ponte-payments');
        const { close } = await createPonte();
        await close();
        const late = /^(pdfkit|fontkit|htmlparser2|marked|pg|prom-client)$/;
        const isLoaded = () => loaded.some((name) => late.test(name));
        const fetchOfNode = 'NativeModule internal/deps/undici/undici';
        const before = isLoaded() || process.moduleLoadList.includes(fetchOfNode);
        const { pdfOf } = await import('./node_modules/ponte-payments/dist/${chunk}');
        const about = { title: 'A', language: 'en', author: 'A', writtenAtMs: 0, footer: 'A' };
        const bytes = await pdfOf('<h1>A</h1>', { ...about, watermark: null, logo: null });
        console.log(before, isLoaded(), new TextDecoder().decode(bytes.slice(0, 5)));`;
      const quiet = '--disable-warning=ExperimentalWarning';
      const said = run(node, [quiet, '--input-type=module', '-e', script]);
      assert.equal(said.trim(), 'false true %PDF-');
    });

    test("the README's snippets that embed ponte run as written", () => {
      const embedding = readmeSnippets().filter(({ text }) =>
        text.includes("from 'ponte-payments'"),
      );
      assert.notEqual(embedding.length, 0);
      for (const { file, text } of embedding) {
        writeFileSync(join(consumer, file), text);
        run(node, ['--disable-warning=ExperimentalWarning', file]);
      }
    });
  });
}

const specifiersOfTypes = [
  'ponte-payments/webhooks',
  'ponte-payments/client',
  'ponte-payments/core',
  'ponte-payments/partner-kit',
  'ponte-payments',
];
const importsOfTypes = specifiersOfTypes.map(
  (name, at) => `import * as m${at} from ${JSON.stringify(name)};`,
);
/** Imports each, and prints a line when it runs. */
const consumerSource = `
  ${importsOfTypes.join('\n')}
  import { verifyWebhook } from 'ponte-payments/webhooks';
  const result: { valid: boolean } = verifyWebhook({ secret: 's', header: 'x', body: '{}' });
  console.log(result.valid, ${specifiersOfTypes.map((_, at) => `typeof m${at}`).join(', ')});`;
const consumerPrints = `false${' object'.repeat(specifiersOfTypes.length)}`;

/** How projects resolve packages, and the kind of their files. */
const projects: readonly (readonly [string, module: string, type: string])[] = [
  ['nodenext', 'nodenext', 'commonjs'],
  ['nodenext', 'nodenext', 'module'],
  ['node16', 'node16', 'commonjs'],
  ['node16', 'node16', 'module'],
  ['node10', 'commonjs', 'commonjs'],
  ['bundler', 'esnext', 'module'],
];
for (const [moduleResolution, module, type] of isNightly ? projects : []) {
  test(`a project with ${moduleResolution}, of ${type}, compiles, and its output runs`, () => {
    const folder = join(consumer, `${moduleResolution}-${type}`);
    mkdirSync(folder);
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2022',
      strict: true,
      esModuleInterop: true,
      types: ['node'],
      typeRoots: [join(projectRoot, 'node_modules/@types')],
      outDir: 'out',
    };
    const config = JSON.stringify({ compilerOptions, files: ['a.ts'] });
    writeFileSync(join(folder, 'package.json'), `{ "type": "${type}" }`);
    writeFileSync(join(folder, 'a.ts'), consumerSource);
    writeFileSync(join(folder, 'tsconfig.json'), config);
    run(process.execPath, [join(consumer, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    const quiet = '--disable-warning=ExperimentalWarning';
    const said = run(process.execPath, [quiet, join(folder, 'out/a.js')]);
    assert.equal(said.trim(), consumerPrints);
  });
}

test('a bundler takes the entry of either kind, for a server and for a browser', async () => {
  for (const [format, platform, from] of [
    ['cjs', 'node', 'ponte-payments/webhooks'],
    ['esm', 'node', 'ponte-payments/webhooks'],
    ['esm', 'browser', 'ponte-payments/client'],
  ] as const) {
    const load =
      format === 'cjs' ? `const m = require('${from}');` : `import * as m from '${from}';`;
    const contents = `${load} console.log(Object.keys(m).length > 0);`;
    const outfile = join(consumer, `${platform}.${format === 'cjs' ? 'cjs' : 'mjs'}`);
    const stdin = { contents, resolveDir: consumer };
    await build({ stdin, bundle: true, format, platform, outfile });
    assert.equal(run(process.execPath, [outfile]).trim(), 'true', `${format} ${platform}`);
  }
});

test('the receiver in TypeScript runs as it is, and takes a signed webhook', async (t) => {
  const file = join(consumer, 'receiver.ts');
  cpSync(join(projectRoot, 'test/examples/webhook-receiver.ts'), file);
  const env = { ...process.env, WEBHOOK_SECRET: 'whsec_1', PORT: '0' };
  const receiver = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => receiver.kill());
  const printed = createInterface(receiver.stdout)[Symbol.asyncIterator]();
  const port = /port: ([0-9]+)/.exec((await printed.next()).value ?? '')?.[1];
  const data = { externalId: 'order-7', brlSettledAmount: '1250.00' };
  const body = JSON.stringify({ event: 'payment_intent.settled', data });
  const post = (signature: string) =>
    fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      body,
      headers: { 'x-service-signature': signature, 'x-service-delivery-id': 'dlv_1' },
    });
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const signature = signWebhook({ secret: 'whsec_1', timestampSeconds, body });
  assert.equal((await post('t=1,v1=00')).status, 400);
  assert.equal((await post(signature)).status, 204);
  assert.equal((await printed.next()).value, 'order-7 1250.00');
});

test('types of exports and README snippets need no devDependencies, and run as CommonJS', () => {
  const names = Object.keys(manifest.exports).filter((path) => !path.endsWith('.json'));
  const imports = names.map((name, index) => {
    const specifier = posix.join('ponte-payments', name);
    return `import * as entry${index} from '${specifier}';\nvoid entry${index};\n`;
  });
  writeFileSync(join(consumer, 'entries.ts'), imports.join(''));
  writeFileSync(join(consumer, 'required.cts'), consumerSource);
  const snippets = readmeSnippets().filter(({ file }) => file.endsWith('.ts'));
  for (const { file, text } of snippets) writeFileSync(join(consumer, file), text);
  const files = ['entries.ts', 'required.cts', ...snippets.map(({ file }) => file)];
  // Node's types come with every TypeScript project on Node; no other types of ours may be needed.
  mkdirSync(join(consumer, 'node_modules/@types'), { recursive: true });
  const nodeTypes = 'node_modules/@types/node';
  symlinkSync(join(projectRoot, nodeTypes), join(consumer, nodeTypes));
  const tsc = join(projectRoot, 'node_modules/.bin/tsc');
  const options = ['--singleThreaded', '--strict', '--module', 'nodenext', '--target', 'es2022'];
  run(tsc, [...options, '--types', 'node', ...files]);
  const quiet = '--disable-warning=ExperimentalWarning';
  assert.equal(run(process.execPath, [quiet, 'required.cjs']).trim(), consumerPrints);
});

test('the client and the verification install without the server', () => {
  const modules = join(clientProject, 'node_modules');
  const installed = readdirSync(modules).filter((name) => !name.startsWith('.'));
  assert.deepEqual(installed.sort(), [...packagesOfClient, clientName].sort());
  assert.ok(clientBytes < 1_500_000, `${clientBytes} bytes`);
  for (const name of installed) {
    const text = readFileSync(join(modules, name, 'package.json'), 'utf8');
    const needed = Object.keys(JSON.parse(text).dependencies ?? {});
    assert.deepEqual(
      needed.filter((one) => !packagesOfClient.includes(one)),
      [],
    );
  }
});

test('projects of both kinds with the client alone compile with its types, and run', () => {
  const source = `
    import { createPonteClient, type WebhookEvent } from '${clientName}';
    import { signWebhook, verifyWebhook } from '${clientName}/webhooks';
    const known: WebhookEvent['event'] = 'payment_intent.settled';
    // @ts-expect-error: there is no such event, and the types know it.
    const unknown: WebhookEvent['event'] = 'payment_intent.paid_in_gold';
    const ponte = createPonteClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'pk_test_1.2' });
    const [secret, body] = ['whsec_1', JSON.stringify([known, unknown])];
    const header = signWebhook({ secret, timestampSeconds: 9, body });
    console.log(typeof ponte.GET, verifyWebhook({ secret, header, body, nowSeconds: 9 }).valid);`;
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    types: ['node'],
    typeRoots: [join(projectRoot, 'node_modules/@types')],
  };
  const types = ['module', 'commonjs'];
  for (const type of types) {
    mkdirSync(join(clientProject, type));
    writeFileSync(join(clientProject, type, 'package.json'), `{ "type": "${type}" }`);
    writeFileSync(join(clientProject, type, 'a.ts'), source);
  }
  const files = types.map((type) => `${type}/a.ts`);
  const config = join(clientProject, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  run(process.execPath, [join(projectRoot, 'node_modules/typescript/bin/tsc'), '-p', config]);
  for (const type of types)
    for (const node of nodes)
      assert.equal(run(node, [join(clientProject, type, 'a.js')]).trim(), 'function true');
});

/** The README's snippets that import the package, as a reader would paste them into a file. */
function readmeSnippets(): readonly { readonly file: string; readonly text: string }[] {
  const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
  return [...readme.matchAll(/```(ts|js)\n([\s\S]*?)```/g)]
    .map(([, language, text], index) => ({ file: `snippet-${index}.${language}`, text: `${text}` }))
    .filter(({ text }) => /from 'ponte-payments['/]/.test(text));
}

function npm(folder: string, ...options: readonly string[]): string {
  // npm's variables for the script of this test would mislead an npm in another folder.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(cache|registry)$)/.test(name)),
  );
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  return execFileSync('npm', options, { cwd: folder, env, encoding: 'utf8', stdio: [...stdio] });
}

function run(command: string, options: readonly string[], cwd = consumer): string {
  mkdirSync(cwd, { recursive: true });
  return execFileSync(command, options, { cwd, encoding: 'utf8', stdio: 'pipe' });
}
