// The house's rules that a program can check. Each rule is one test: its name is the rule, and it
// must catch its own counterexamples before it may pass the tree. What Biome can check is left to
// Biome; lint.test.ts shows that those rules bite.
import assert from 'node:assert/strict';
import { basename, extname, posix } from 'node:path';
import { test } from 'node:test';
import {
  codeOf,
  functionsOf,
  importsOf,
  packageOf,
  projectFiles,
  type SourceFile,
} from './support/source-tree.js';

/** Who may import what; the first row whose folder fits a file counts. `*` is any package. */
const layers = [
  { folder: 'core/domain/', mayImport: ['node:crypto', 'core/domain/', 'core/errors.js'] },
  { folder: 'core/', mayImport: ['node:crypto', 'core/'] },
  // And its own folder: no adapter knows another one.
  { folder: 'adapters/', mayImport: ['*', 'core/', 'package.json'] },
  { folder: 'host/', mayImport: ['*', 'core/', 'adapters/', 'host/', 'package.json'] },
  { folder: 'cli/', mayImport: ['*', 'core/', 'adapters/', 'host/', 'cli/', 'package.json'] },
] as const;

/**
 * The rooms of a folder from bottom to top: a room imports those before it. The files beside the
 * rooms join them, and no room imports those.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  'core/domain/': [
    'base',
    'webhooks',
    'commands',
    'parties',
    'payments',
    'accounting',
    'deposits',
    'law',
    'access',
    'money-desk',
    'mail',
    'hosted',
    'service',
  ],
  'core/usecases/': [
    'service',
    'mail',
    'access',
    'webhooks',
    'payments',
    'deposits',
    'parties',
    'accounting',
    'commands',
    'law',
    'hosted',
    'money-desk',
    'sandbox',
  ],
  'adapters/http/': ['protocol', 'resources', 'docs'],
  'adapters/pages/': [
    'kit',
    'pdf',
    'documentation',
    'letters',
    'hosted',
    'proof',
    'kyc',
    'buyer',
    'dashboard',
    'seller',
    'console',
    'dev',
  ],
};

const pageDocument = 'adapters/pages/kit/pages/page-document.tsx';

/** Who sees the pages of a file; null for the kit, letters and other files. */
function audienceOf(path: string): string | null {
  const [, room = ''] = /^adapters\/pages\/(\w+)\//.exec(path) ?? [];
  const audiences = ['buyer', 'seller', 'dashboard', 'console', 'documentation', 'dev'];
  return audiences.find((audience) => audience === room) ?? null;
}

/** More files than this in one folder are a list that nobody reads. */
const folderFilesMax = 25;

/** The one place of each package that the running service uses; tests may import any. */
const homes: Readonly<Record<string, string | readonly string[]>> = {
  '@fastify/busboy': 'adapters/pages/',
  '@simplewebauthn/server': 'adapters/crypto/',
  aws4fetch: 'adapters/documents/',
  'better-sqlite3': 'adapters/storage/',
  commander: 'cli/',
  'csv-parse': 'adapters/pages/dashboard/',
  'find-my-way': 'adapters/http/',
  fontkit: 'adapters/pages/pdf/',
  htmlparser2: 'adapters/pages/pdf/',
  inversify: 'host/container.ts',
  'ipaddr.js': 'adapters/webhooks/',
  marked: 'adapters/pages/documentation/',
  nodemailer: 'adapters/mail/',
  'openapi-fetch': 'adapters/client/',
  pdfkit: 'adapters/pages/pdf/',
  pg: 'adapters/storage/',
  pino: 'adapters/log/',
  preact: 'adapters/pages/',
  'preact-render-to-string': 'adapters/pages/',
  'prom-client': 'adapters/metrics/',
  'reflect-metadata': 'host/container.ts',
  standardwebhooks: 'adapters/partner/',
  undici: ['adapters/partner/blindpay/', 'adapters/webhooks/'],
  uqr: 'adapters/pages/',
};

const topLevel = [
  'core',
  'adapters',
  'host',
  'cli',
  'test',
  '.ci',
  'README.md',
  'ARCHITECTURE.md',
  'OPERATIONS.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'LICENSE',
  'Dockerfile',
  'compose.yaml',
  '.dockerignore',
  '.editorconfig',
  'package.json',
  'package-lock.json',
  '.npmrc',
  '.gitignore',
  'tsconfig.json',
  'tsconfig.build.json',
  'tsup.config.ts',
  'biome.json',
];

const functionLinesMax = 80;
const pageRowLinesMax = 60;
const columnsMax = 100;

/** A blank line, another doc comment or the end of a block follows. */
const orphanedComment = /^[ \t]*\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*?\n[ \t]*(?:$|\/\*\*|[}\])])/m;

/** Figurative or translated phrases: texts use the standard terms of the field. */
const bannedPhrases = [
  /\b(who|what|which)ever\b|\b(news|anew|meanwhile|tells|hears?|heard)\b|\bmatter( of\b|\.)/i,
  /\b((is|are|was|were|be|been|being|gets|not) told|knows? of|what (became|becomes) of)\b/i,
  /\b(stands? in|in hand|comes? to nothing|a great many|of (its|their|his) own)\b/i,
  /\bthe own\b|, as \d/i,
];

/** A title is the rule in words, and the formatter leaves it on one line: up to 120 columns. */
const testTitle = /^\s*test\(.{0,112}$/;

/** What the core may not say: time and chance come in from outside, money is never a float. */
const forbiddenInCore = [
  /\bDate\.now\b|\bnew Date\b(?!\(\w)|(?<!\bnew )\bDate\(/,
  /\b(Math\.random|performance|parseFloat|process|console)\b/,
  /\.toFixed\b|\b(Number|fetch)\(|\bset(Timeout|Interval|Immediate)\b/,
];

/** Words of a workshop, not of the product. Spelled in two halves, so that this file passes. */
const forbiddenWords = [
  '/wo' + 'rk/',
  '../sh' + 'ared',
  '/tm' + 'p/',
  'house-' + 'style',
  'design' + '.md',
  'decisions' + '.md',
  'TO' + 'DO',
  'FIX' + 'ME',
  'HA' + 'CK',
  'stack' + 'overflow',
];

/** Reading takes about 20 minutes. What one room needs stands at the head of its files. */
const architectureWordsMax = 4_000;

interface Rule {
  readonly name: string;
  /** What is wrong in these files, one line each. */
  readonly check: (files: readonly SourceFile[]) => readonly string[];
  /** Path and text of files of which each alone, beside `package.json`, breaks the rule. */
  readonly counterexamples: readonly (readonly [path: string, text: string])[];
}

const rules: readonly Rule[] = [
  {
    name: 'suiteEnd closes what a before hook opened, also when the hook fails halfway',
    check: eachFile(
      (file) =>
        file.path.startsWith('test/') &&
        file.path !== 'test/support/test-process.ts' &&
        ['before', 'after'].every((hook) => new RegExp(`^\\s*${hook}\\(`, 'm').test(codeOf(file))),
    ),
    counterexamples: [['test/a.test.ts', 'before(open);\nafter(close);\n']],
  },
  {
    name: 'imports point inwards: core, then adapters, host, cli; core needs node:crypto alone',
    check: eachImport(({ path }, imported) => {
      const layer = layers.find(({ folder }) => path.startsWith(folder));
      if (layer === undefined || imported.startsWith(`${path.split('/', 2).join('/')}/`))
        return false;
      return !mayImport(layer.mayImport, imported);
    }),
    counterexamples: [
      ['core/domain/a.ts', "import { b } from '../usecases/b.js';"],
      ['core/domain/a.ts', "import type { B } from '../ports/b.js';"],
      ['core/usecases/a.ts', "import {\n  b,\n} from 'zod';"],
      ['core/a.ts', "import { readFileSync } from 'node:fs';"],
      ['core/a.ts', "export { b } from '../adapters/b.js';"],
      ['adapters/http/a.ts', "import { b } from '../../host/b.js';"],
      ['adapters/storage/tables/a.ts', "import type { B } from '../../crypto/b.js';"],
      ['host/a.ts', "const b = await import('../cli/b.js');"],
      ['cli/a.ts', "import '../test/support/b.js';"],
    ],
  },
  {
    name: 'imports between rooms point one way, and every room is in the list',
    check: eachImport(({ path }, imported) => {
      const folder = Object.keys(rooms).find(
        (it) => path.startsWith(it) && imported.startsWith(it),
      );
      if (folder === undefined) return false;
      return floorOf(folder, imported) > floorOf(folder, path);
    }),
    counterexamples: [
      ['core/domain/base/a.ts', "import { b } from '../payments/b.js';"],
      ['core/domain/commands/a.ts', "import type { B } from '../payments/b.js';"],
      ['core/usecases/payments/a.ts', "import { b } from '../commands/b.js';"],
      ['core/usecases/parties/a.ts', "import { b } from '../commands/b.js';"],
      ['core/usecases/sandbox/a.ts', "import { b } from '../not-listed/b.js';"],
      ['adapters/http/protocol/a.ts', "import { b } from '../routes.js';"],
      ['adapters/http/resources/a.ts', "import { b } from '../docs/b.js';"],
      ['adapters/pages/kit/a.tsx', "import { b } from '../buyer/b.js';"],
    ],
  },
  {
    name: 'the document of a page, its frame, is written in one file',
    check: eachLineOfCode(
      ({ path }) => /^(adapters|core|host|cli)\/.*\.tsx?$/.test(path) && path !== pageDocument,
      (line) => /<html\b/.test(line),
    ),
    counterexamples: [['adapters/pages/dashboard/a.tsx', '<html lang="en">']],
  },
  {
    name: 'pages of one audience use nothing of another one',
    check: eachImport(({ path }, imported) => {
      const [of, from] = [audienceOf(path), audienceOf(imported)];
      return of !== null && from !== null && of !== from;
    }),
    counterexamples: [
      ['adapters/pages/console/a.tsx', "import { b } from '../dashboard/b.js';"],
      ['adapters/pages/documentation/a.tsx', "import { b } from '../buyer/b.js';"],
      ['adapters/pages/seller/a.tsx', "import { b } from '../buyer/b.js';"],
      ['adapters/pages/dashboard/a/b.tsx', "import { b } from '../../buyer/b.js';"],
    ],
  },
  {
    name: 'domain and use cases are sorted into rooms, each with more than one file',
    check: (files) => {
      const own = Map.groupBy(
        files.filter(({ path }) => /^core\/(domain|usecases)\//.test(path)),
        ({ path }) => path.split('/').slice(0, 3).join('/'),
      );
      return [...own].filter(([, found]) => found.length < 2).map(([room]) => room);
    },
    counterexamples: [
      ['core/domain/a.ts', ''],
      ['core/usecases/alone/a.ts', ''],
    ],
  },
  {
    name: 'each runtime package is imported in its one place and nowhere else',
    check: eachImport(({ path }, imported) => {
      const home = homes[packageOf(imported)];
      const places = typeof home === 'string' ? [home] : home;
      if (places === undefined || path.startsWith('test/')) return false;
      return !places.some((place) => path.startsWith(place));
    }),
    counterexamples: [
      ['host/main.ts', "import { Container } from 'inversify';"],
      ['host/a.ts', "import Database from 'better-sqlite3';"],
      ['adapters/http/a.ts', "import { request } from 'undici';"],
      ['adapters/http/a.ts', "import 'reflect-metadata';"],
    ],
  },
  {
    name: 'packages that are imported are declared, and declared runtime packages are imported',
    check: packagesDeclared,
    counterexamples: [
      ['adapters/a.ts', "import { b } from 'not-declared';"],
      ['core/a.ts', 'nothing here imports zod'],
    ],
  },
  {
    name: 'a request that Ponte sends has its User-Agent; the client runs at integrators',
    check: (files) =>
      files
        .filter(({ path }) => /^(adapters|host)\/(?!client|pages).*\.ts$/.test(path))
        .filter(({ text }) => /\b(await fetch\(|agent\.dispatch\(|await request\(url)/.test(text))
        .filter(({ text }) => !text.includes('USER_AGENT'))
        .map(({ path }) => path),
    counterexamples: [
      ['adapters/a/b.ts', 'const answer = await fetch(place);'],
      ['host/a.ts', "await request(url, { method: 'POST' });"],
    ],
  },
  {
    name: 'the core knows no clock, no chance, no float, no process',
    check: eachLineOfCode(
      ({ path }) => path.startsWith('core/'),
      (line) => forbiddenInCore.some((pattern) => pattern.test(line)),
    ),
    counterexamples: [
      'Date.now()',
      'new Date()',
      'Date()',
      'Math.random()',
      'Number(b)',
      'parseFloat(b)',
      'b.toFixed(2)',
      'setTimeout(b, 1)',
      'process.env.B',
      '`$' + '{new Date()}`',
    ].map((code) => ['core/a.ts', `const a = ${code};`]),
  },
  {
    name: 'the domain is synchronous',
    check: eachLineOfCode(
      ({ path }) => path.startsWith('core/domain/'),
      (line) => /\b(async|await|Promise)\b/.test(line),
    ),
    counterexamples: [['core/domain/a.ts', 'export async function a() {}']],
  },
  {
    name: 'a literal is not spread into another one to pack a line',
    check: eachLineOfCode(
      (file) => isOurs(file),
      (line) => /^\s*\.\.\.[[{].*[\]}],?$/.test(line),
    ),
    counterexamples: [
      ['core/a.ts', 'const a = {\n  ...{ b: 1, c: 2 },\n};'],
      ['test/a.ts', "const a = [\n  ...['b', 'c'],\n];"],
    ],
  },
  {
    name: 'an exported type has a name of its own in the product, a function and a value in core',
    check: exportsUnique,
    counterexamples: [['core/a.ts', 'export interface A {}\nexport type A = string;']],
  },
  {
    name: 'the product uses what it exports, but for the functions of the package',
    check: exportsUnused,
    counterexamples: [['core/a.ts', 'export function onlyForTests() {}']],
  },
  {
    name: 'a doc comment names what it is about: “Length of …”, not “Of …”',
    check: eachLineOf(
      ({ path }) => /^(core|adapters|host|cli)\/.*\.tsx?$/.test(path),
      (line) => /^\s*\/?\*\*? (Of|Over)\b/.test(line),
    ),
    counterexamples: [
      ['core/domain/a.ts', '/** Of a cancellation, in characters. */'],
      ['cli/a.ts', '/**\n * Over all tenants.\n */'],
    ],
  },
  {
    name: 'a doc comment stands above what it documents',
    check: eachFile(({ path, text }) => /\.tsx?$/.test(path) && orphanedComment.test(text)),
    counterexamples: [
      ['core/a.ts', '/** Of an interface that is gone. */\n\nconst a = 1;'],
      ['core/a.ts', '/** One. */\n/**\n * Two.\n */\nconst a = 1;'],
    ],
  },
  {
    name: `a function has at most ${functionLinesMax} lines, those inside it counted`,
    check: (files) => files.filter((file) => isOurs(file) && !isSuite(file)).flatMap(longFunctions),
    counterexamples: [
      ['core/a.ts', `export function a() {\n${'  b();\n'.repeat(functionLinesMax)}}`],
      ['core/a.ts', `const a = () => {\n  b(() => {${'\n'.repeat(functionLinesMax)}  });\n};`],
    ],
  },
  {
    name: `a list or a form of pages is declared in at most ${pageRowLinesMax} lines`,
    check: (files) => files.flatMap(longPageRows),
    counterexamples: [
      [
        'adapters/pages/a.tsx',
        `const a = [\n  b.list({${'\n    c,'.repeat(pageRowLinesMax)}\n  }),\n];`,
      ],
      ['adapters/pages/a.tsx', `const a = b.form(${'\n  c,'.repeat(pageRowLinesMax)}\n);`],
    ],
  },
  {
    name: `a line has at most ${columnsMax} columns`,
    check: eachLineOf(
      (file) => isOurs(file),
      (line) => [...line].length > columnsMax && !testTitle.test(line),
    ),
    counterexamples: [['core/a.ts', `// ${'a'.repeat(columnsMax)}`]],
  },
  {
    name: 'a source file opens with a paragraph that says what it owns',
    check: eachFile((file) => isOurs(file) && !isTest(file) && !opensWithParagraph(file.text)),
    counterexamples: [
      ['core/a.ts', 'export const a = 1;\n'],
      ['core/a.ts', '// Too short.\nexport const a = 1;\n'],
      ['adapters/storage/migrations/0001.sql', 'create table a (b text);\n'],
    ],
  },
  {
    name: 'file names are kebab-case',
    check: eachFile(
      (file) => isOurs(file) && !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(basename(file.path)),
    ),
    counterexamples: ['core/fooBar.ts', 'core/0001_Init.sql'].map((path) => [path, '']),
  },
  {
    name: 'a file name is unique, but for main.ts, peers and mirrored folders',
    check: uniqueNames,
    counterexamples: [['test/package.json', '']],
  },
  {
    name: 'no folder and no file is named for what is left over (utils, helpers, types, …)',
    check: eachFile(({ path }) =>
      /(^|\/)(services|mappers|dtos|utils?|helpers?|common|misc|types|index)(\/|\.ts$)/.test(path),
    ),
    counterexamples: ['core/utils/a.ts', 'adapters/index.ts'].map((path) => [path, '']),
  },
  {
    name: 'the top level holds the agreed names only',
    check: eachFile(({ path }) => !topLevel.includes(path.split('/')[0] as string)),
    counterexamples: ['notes.md', 'scripts/a.sh'].map((path) => [path, '']),
  },
  {
    name: 'no test is skipped, singled out or left for later',
    check: eachLineOfCode(
      ({ path }) => path.startsWith('test/'),
      (line) => /\.(skip|only|todo)\(|[{,]\s*(skip|only|todo)\s*[:,}]/.test(line),
    ),
    counterexamples: [
      ['test/a.test.ts', "test.skip('a', () => {});"],
      ['test/a.test.ts', "test.todo('a');"],
      ['test/a.test.ts', "test('a', { only: true }, () => {});"],
      ['test/a.test.ts', 't.skip();'],
    ],
  },
  {
    name: 'no SQL statement is written outside adapters/storage',
    check: eachLineOf(
      ({ path }) => /^(core|adapters|host|cli)\/.*\.tsx?$/.test(path) && !/\/storage\//.test(path),
      (line) => /['"`]\s*(select .* from|insert into|update .* set|delete from) /i.test(line),
    ),
    counterexamples: [['core/usecases/a.ts', "run('select a from b');"]],
  },
  {
    name: 'SQL is lower-case',
    check: eachLineOf(
      ({ path }) => /^adapters\/storage\/.*\.(ts|sql)$/.test(path),
      (line) => /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|CREATE TABLE)\b/.test(line),
    ),
    counterexamples: [['adapters/storage/a.ts', "run('SELECT 1');"]],
  },
  {
    name: 'lock files name no registry',
    check: eachLineOf(
      ({ path }) => basename(path) === 'package-lock.json',
      (line) => line.includes('"resolved"'),
    ),
    counterexamples: ['package-lock.json', 'test/bench/package-lock.json'].map((path) => [
      path,
      '"resolved": "https://registry.npmjs.org/a.tgz"',
    ]),
  },
  {
    name: 'package.json pins every version exactly',
    check: eachLineOf(
      ({ path }) => basename(path) === 'package.json',
      (line) => /: "[\^~*]|": "(latest|\d+|\d+\.\d+)"/.test(line),
    ),
    counterexamples: [
      ['package.json', '"zod": "^4.0.0"'],
      ['package.json', '"zod": "4"'],
      ['test/bench/package.json', '"fastify": "^5.0.0"'],
    ],
  },
  {
    name: 'texts are plain English: no banned phrase',
    check: eachLineOf(
      ({ path }) => /\.(ts|md|sql|sh)$/.test(path) && path !== 'test/tidy.test.ts',
      (line) => bannedPhrases.some((phrase) => phrase.test(line)),
    ),
    counterexamples: ['Whoever', 'is told', 'in hand', 'the own part', 'a time, as 15m'].map(
      (text) => ['README.md', text],
    ),
  },
  {
    name: 'a relative link between documents leads to a file, and its anchor to a heading',
    check: brokenLinks,
    counterexamples: [
      ['README.md', '[a](nowhere.md)'],
      ['README.md', '# A b\n\n[a](#a)'],
      ['adapters/docs/a.md', '[a](package.json)'],
    ],
  },
  {
    name: 'ARCHITECTURE is read in one sitting, and its glossary has a term once',
    check: (files) => files.filter(({ path }) => path === 'ARCHITECTURE.md').flatMap(tooLong),
    counterexamples: [
      ['ARCHITECTURE.md', 'word '.repeat(architectureWordsMax + 1)],
      ['ARCHITECTURE.md', '## Glossary\n\n| claim, lease | a |\n| lease | b |\n'],
    ],
  },
  {
    name: 'a test that a document names exists',
    check: missingTests,
    counterexamples: [
      ['SECURITY.md', '| a | b | `nowhere.test.ts`: is refused |'],
      ['SECURITY.md', 'it reads the same (`nowhere.test.ts`), and `tidy.test.ts` shows it'],
      ['SECURITY.md', '| a | b | `tidy.test.ts`: the domain is synchronous; is never ' + 'red |'],
    ],
  },
  {
    name: 'nothing speaks of the workshop in which it was made',
    check: eachLineOf(
      ({ path }) => basename(path) !== 'package-lock.json',
      (line) => forbiddenWords.some((word) => line.includes(word)),
    ),
    counterexamples: forbiddenWords.map((word) => ['core/a.ts', `// see ${word} there`]),
  },
];

const tree = projectFiles();

for (const { name, check, counterexamples } of rules) {
  test(name, () => {
    for (const [path, text] of counterexamples) {
      const files = [...tree.filter((file) => file.path === 'package.json'), { path, text }];
      assert.notDeepEqual(check(files), [], `not caught: ${path}: ${text.slice(0, 60)}`);
    }
    assert.deepEqual(check(tree), []);
  });
}

test(`no folder of the product has more than ${folderFilesMax} files`, () => {
  const list = Array.from({ length: folderFilesMax + 1 }, (_, at) => ({
    path: `core/usecases/payments/a${at}.ts`,
    text: '',
  }));
  assert.notDeepEqual(longFolders(list), []);
  assert.deepEqual(longFolders(tree), []);
});

function tooLong({ text }: SourceFile): readonly string[] {
  const words = text.match(/\S+/g)?.length ?? 0;
  const glossary = /^## Glossary\n([^#]*)/m.exec(text)?.[1] ?? '';
  const terms = [...glossary.matchAll(/^\| ([^|]+?) \|/gm)].flatMap(([, found = '']) =>
    found.split(', '),
  );
  return [
    ...(words > architectureWordsMax ? [`${words} words`] : []),
    ...terms.filter((term, at) => terms.indexOf(term) < at),
  ];
}

function longFolders(files: readonly SourceFile[]): readonly string[] {
  const own = files.filter(({ path }) => /^(core|adapters|host|cli)\//.test(path));
  const byFolder = Map.groupBy(own, ({ path }) => path.slice(0, path.lastIndexOf('/')));
  return [...byFolder]
    .filter(([, found]) => found.length > folderFilesMax)
    .map(([folder, found]) => `${folder}: ${found.length} files`);
}

/** The files beside the rooms are above them; a room that is not in the list is above all. */
function floorOf(folder: string, path: string): number {
  const list = rooms[folder] ?? [];
  const [room = '', ...rest] = path.slice(folder.length).split('/');
  if (rest.length === 0) return list.length;
  const floor = list.indexOf(room);
  return floor < 0 ? list.length + 1 : floor;
}

function isOurs({ path }: SourceFile): boolean {
  return ['.ts', '.tsx', '.cjs', '.sql'].includes(extname(path));
}

/** A test file's names say what it holds. */
function isTest({ path }: SourceFile): boolean {
  return path.endsWith('.test.ts');
}

/** Suites of tests are functions too, and as long as their tests are many. */
function isSuite(file: SourceFile): boolean {
  const suites = ['test/contract/', 'adapters/partner-kit/'];
  return isTest(file) || suites.some((folder) => file.path.startsWith(folder));
}

function longFunctions(file: SourceFile): readonly string[] {
  if (file.text.split('\n').length <= functionLinesMax) return [];
  const tooLong = functionsOf(file).filter(({ lines }) => lines > functionLinesMax);
  return tooLong.map(({ at, lines }) => `${file.path}:${at}: ${lines} lines`);
}

/** The formatter puts the end of a declaration under its beginning. */
function longPageRows({ path, text }: SourceFile): readonly string[] {
  if (!path.startsWith('adapters/pages/')) return [];
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const [, indent] = /^( *).*\b\w+\.(?:list|form)\(\{?$/.exec(line) ?? [];
    if (indent === undefined) return [];
    const rest = lines.slice(at + 1).findIndex((end) => /^[)}]/.test(end.slice(indent.length)));
    return rest + 2 > pageRowLinesMax ? [`${path}:${at + 1}: ${rest + 2} lines`] : [];
  });
}

function opensWithParagraph(text: string): boolean {
  const lines = text.replace(/^#!.*\n/, '').split('\n');
  const end = lines.findIndex((line) => !/^(\/\/|--|\/?\*+)/.test(line.trim()));
  return lines.slice(0, end).join(' ').length >= 40;
}

function mayImport(allowed: readonly string[], imported: string): boolean {
  const ours = topLevel.includes(imported.split('/')[0] as string);
  return allowed.some((name) =>
    name === '*' ? !ours : name.endsWith('/') ? imported.startsWith(name) : imported === name,
  );
}

function packagesDeclared(files: readonly SourceFile[]): readonly string[] {
  const manifest = files.find(({ path }) => path === 'package.json');
  const { dependencies, devDependencies } = JSON.parse(manifest?.text ?? '{}') as Readonly<
    Record<string, Readonly<Record<string, string>>>
  >;
  const runtime = new Set(Object.keys(dependencies ?? {}));
  const tools = new Set(Object.keys(devDependencies ?? {}));
  const unused = new Set(runtime);
  const wrong: string[] = [];
  for (const file of files.filter(({ path }) => /\.tsx?$/.test(path))) {
    const built = /^(core|adapters|host|cli)\//.test(file.path);
    for (const name of importsOf(file).map(packageOf)) {
      if (name.startsWith('node:') || topLevel.includes(name.replace(/\.js$/, '.ts'))) continue;
      const isExample = file.path.startsWith('test/examples/');
      if (isExample && /^(ponte-payments$|@medusajs\/)/.test(name)) continue;
      if (built) unused.delete(name);
      if (!runtime.has(name) && (built || !tools.has(name))) wrong.push(`${file.path}: ${name}`);
    }
  }
  return [...wrong, ...[...unused].map((name) => `package.json: nothing imports ${name}`)];
}

function brokenLinks(files: readonly SourceFile[]): readonly string[] {
  const pages = new Map(
    files
      .filter(({ path }) => path.endsWith('.md'))
      .map(({ path, text }) => [path, text.replace(/^ *```[\s\S]*?^ *```$/gm, '')]),
  );
  return [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/\]\((?!\w+:)([^)#]*)#?([^)]*)\)/g)].flatMap(
      ([link, to = '', anchor = '']) => {
        const target = to === '' ? path : posix.join(posix.dirname(path), to);
        const isThere = files.some((file) => file.path === target);
        const isFound = anchor === '' || anchorsOf(pages.get(target) ?? '').includes(anchor);
        return isThere && isFound ? [] : [`${path}: ${link.slice(1)}`];
      },
    ),
  );
}

/** Tests are named as in `a.test.ts`: one title; another title. */
function missingTests(files: readonly SourceFile[]): readonly string[] {
  const named = /`(?:test\/)?([\w./-]+\.(?:test|nightly)\.ts)`(?:: ([^`|]+))?/g;
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(named)].flatMap(([, name = '', titles = '']) => {
        const suite = files.find((file) => `/${file.path}`.endsWith(`/${name}`))?.text;
        return titles
          .split('; ')
          .map((title) => title.trim())
          .filter((title) => !suite?.includes(title))
          .map((title) => `${path}: ${name}: ${title}`);
      }),
    );
}

/** The anchors of the headings, as code hosts make them. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

function exportsUnique(files: readonly SourceFile[]): readonly string[] {
  const places = new Map<string, string>();
  return exportsOf(files).flatMap(({ path, name, isType }) => {
    if (!isType && !path.startsWith('core/')) return [];
    const other = places.get(name);
    places.set(name, path);
    // A function may have several signatures.
    const isOther = isType ? other !== undefined : other !== undefined && other !== path;
    return isOther ? [`${path}: ${name} stands in ${other} too`] : [];
  });
}

/** What programs import from the package. */
const packageFunctions = [
  'createPonte',
  'createPonteClient',
  'constructEvent',
  'partnerConformance',
];

function exportsUnused(files: readonly SourceFile[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const file of files.filter(isProduct)) {
    for (const [word] of codeOf(file).matchAll(/\w+/g)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return exportsOf(files)
    .filter(({ name }) => counts.get(name) === 1 && !packageFunctions.includes(name))
    .map(({ path, name }) => `${path}: only tests use ${name}`);
}

function exportsOf(files: readonly SourceFile[]) {
  const form = /^export (?:abstract |async )?(interface|type|class|function|const)\*? (\w+)/gm;
  return files.filter(isProduct).flatMap((file) =>
    [...codeOf(file).matchAll(form)].map(([, kind = '', name = '']) => {
      return { path: file.path, name, isType: !['function', 'const'].includes(kind) };
    }),
  );
}

function isProduct({ path }: SourceFile): boolean {
  return /^(core|adapters|host|cli)\/.*\.tsx?$/.test(path);
}

function uniqueNames(files: readonly SourceFile[]): readonly string[] {
  const paths = new Map<string, string>();
  return files.flatMap(({ path }) => {
    const name = basename(path);
    if (name === 'main.ts') return [];
    // The two databases have the same files under the same names.
    if (/^(test\/)?adapters\/storage\/(sqlite|postgres)\//.test(path)) return [];
    // What the product is measured against is installed apart from it.
    if (/^test\/bench\/package(-lock)?\.json$/.test(path)) return [];
    // A folder that integrators copy is another package.
    if (/^test\/examples\/medusa\/(package\.json|README\.md)$/.test(path)) return [];
    const other = paths.get(name);
    paths.set(name, path);
    return other === undefined ? [] : [`${path}: named like ${other}`];
  });
}

function eachFile(isWrong: (file: SourceFile) => boolean): Rule['check'] {
  return (files) => files.filter(isWrong).map(({ path }) => path);
}

function eachImport(isWrong: (file: SourceFile, imported: string) => boolean): Rule['check'] {
  return (files) =>
    files
      .filter(({ path }) => /\.(tsx?|cjs)$/.test(path))
      .flatMap((file) =>
        importsOf(file)
          .filter((imported) => isWrong(file, imported))
          .map((imported) => `${file.path}: ${imported}`),
      );
}

function eachLineOf(
  applies: (file: SourceFile) => boolean,
  isWrong: (line: string) => boolean,
  textOf: (file: SourceFile) => string = (file) => file.text,
): Rule['check'] {
  return (files) =>
    files.filter(applies).flatMap((file) =>
      textOf(file)
        .split('\n')
        .flatMap((line, index) =>
          isWrong(line) ? [`${file.path}:${index + 1}: ${line.trim()}`] : [],
        ),
    );
}

function eachLineOfCode(
  applies: (file: SourceFile) => boolean,
  isWrong: (line: string) => boolean,
): Rule['check'] {
  return eachLineOf(applies, isWrong, codeOf);
}
