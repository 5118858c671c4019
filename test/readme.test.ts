// README.md and the pages of adapters/docs are true: commands run as written, and what they name
// exists.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { magicValues } from '../adapters/partner/fake-values.js';
import { commandVariables, readConfig } from '../host/config.js';
import { startHostProcess } from './support/servers/host-process.js';
import { projectFiles, projectRoot } from './support/source-tree.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { until } from './support/wait.js';

const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
const pages = projectFiles().filter(({ path }) => /^adapters\/docs\/.*\.md$/.test(path));
const texts = [readme, ...pages.map(({ text }) => text)];

/** The text under a heading of the second level, or under a page's title. */
function section(heading: string): string {
  const parts = texts.flatMap((text) => text.replace(/^# /, '').split('\n## '));
  const text = parts.find((part) => part.startsWith(`${heading}\n`));
  assert.ok(text !== undefined, heading);
  return text;
}

/** The first cells of the table that begins with this heading. */
function firstCells(text: string, heading: string): readonly string[] {
  const table = text.slice(text.indexOf(`| ${heading} |`)).split('\n\n')[0] ?? '';
  const cells = table.split('\n').flatMap((line) => /^\| ([^-|].*?) \|/.exec(line)?.[1] ?? []);
  return cells.slice(1);
}

function codeWords(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? '');
}

test('README has at most 1,200 words', () => {
  assert.ok(readme.trim().split(/\s+/).length <= 1_200);
});

test('no text names a command that npm may download from a registry', () => {
  // On the public registry, `ponte` belongs to somebody else.
  const downloads =
    /\b(npx|npm exec|npm x) (?!node\b|--no-install )[\w@-]|npm i(nstall)? ponte(?!-p)\b/;
  const others = projectFiles().filter(({ path }) => !path.startsWith('test/'));
  const named = ['README.md', 'OPERATIONS.md', 'CONTRIBUTING.md', 'SECURITY.md', 'Dockerfile'];
  const files = [
    ...others,
    ...named.map((path) => ({ path, text: readFileSync(join(projectRoot, path), 'utf8') })),
  ];
  assert.deepEqual(
    files.filter(({ text }) => downloads.test(text)).map(({ path }) => path),
    [],
  );
  assert.match('run npx ponte doctor', downloads);
});

test('the settings of the Deploy block are accepted in production, as written', () => {
  const block = /```sh\n([\s\S]*?)```/.exec(section('Deploy'))?.[1] ?? '';
  const exports = block.split('\n').filter((line) => line.startsWith('export '));
  const script = `${exports.join('\n')}\nenv`;
  const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
  const env = Object.fromEntries(
    printed.split('\n').flatMap((line) => {
      const [, name, value] = /^(PONTE_\w+)=(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
  assert.equal(readConfig(env).production, true);
});

test('the table of magic values names every one, and no other', () => {
  const documented = firstCells(section('Test values'), 'value').flatMap(codeWords);
  assert.deepEqual(documented.toSorted(), Object.keys(magicValues).toSorted());
});

test('the proxies of the manual log no query strings', () => {
  const tls = section('TLS');
  const format = /log_format .*/.exec(tls)?.[0] ?? '';
  assert.match(format, /\$uri/);
  assert.doesNotMatch(format, /\$(request|request_uri|args|query_string|http_\w+)\b/);
  const [, filter = ''] = /request>uri regexp (\S+) ""/.exec(tls) ?? [];
  for (const path of ['/r/abc', '/kyc/abc/phone', '/owner/abc/0', '/v1/documents/doc_1/content']) {
    assert.equal(`${path}?token=a?b&c=d`.replace(new RegExp(filter), ''), path);
  }
});

test('OPERATIONS.md links every page', () => {
  const index = readFileSync(join(projectRoot, 'OPERATIONS.md'), 'utf8');
  const linked = [...index.matchAll(/\]\((.*?)\)/g)].map(([, path]) => path ?? '');
  assert.deepEqual(linked.toSorted(), pages.map(({ path }) => path).toSorted());
});

/** What the pages of the reference list. */
function listed(name: string, pattern: RegExp): readonly string[] {
  const { text = '' } = pages.find(({ path }) => path.endsWith(`/reference/${name}`)) ?? {};
  return [...text.matchAll(pattern)].map(([, word]) => word ?? '');
}

/** `ponte certify` gives it to the program that it starts. */
const given = 'PONTE_URL';
const settings = [...listed('settings.md', /`(PONTE_\w+)`/g), ...commandVariables, given];
const commands = listed('commands.md', /^## ponte (.*)$/gm);

for (const [what, known, pattern] of [
  ['setting', settings, /\b(PONTE_[A-Z0-9_]*[A-Z0-9])\b/g],
  ['metric', listed('metrics.md', /^\| `(\w+)`/gm), /`(?:rate\()?(ponte_[a-z_]*[a-z])/g],
  ['command', commands, /(?:^|`)ponte ([a-z]+ [a-z-]+|[a-z]+)/gm],
] as const) {
  test(`every ${what} that the pages for operators name exists`, () => {
    const named = pages.flatMap(({ text }) =>
      [...text.matchAll(pattern)].map(([, words]) => words ?? ''),
    );
    assert.notEqual(named.length, 0);
    // After a command without verbs an argument may come.
    const isKnown = (words: string) => known.some((one) => `${words} `.startsWith(`${one} `));
    assert.deepEqual(
      [...new Set(named)].filter((words) => !isKnown(words)),
      [],
    );
  });
}

test('every npm script that is named exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const named = [...texts.join('').matchAll(/npm (?:run (?:-s )?([\w:]+)|(start|test)\b)/g)];
  assert.notEqual(named.length, 0);
  for (const [, script, short] of named) assert.ok((script ?? short ?? '') in scripts);
});

test('every file and folder that is named exists', () => {
  const named = firstCells(section('Code'), 'path').flatMap(codeWords);
  assert.notEqual(named.length, 0);
  for (const path of named) assert.ok(existsSync(join(projectRoot, path)), path);
});

test('the first payment runs as written and settles, and webhooks can be subscribed', async () => {
  const folder = temporaryFolder();
  const host = await startHostProcess({ PONTE_DATA_DIR: folder, PONTE_FAKE_PARTNER_DELAY_MS: '0' });
  try {
    const blocks = ['A first payment', 'Webhooks'].map((heading) => {
      const block = /```sh\n([\s\S]*?)```/.exec(section(heading))?.[1] ?? '';
      return block
        .replace('pk_test_…', `${host.key}`)
        .replaceAll('http://127.0.0.1:8080', host.url);
    });
    const script = `set -e\n${blocks[0]}\necho\n${blocks[1]}`;
    const { stdout } = await promisify(execFile)('sh', ['-c', script]);
    const answers = stdout.replaceAll('}{', '}\n{').trim().split('\n');
    const parsed = answers.map((text) => JSON.parse(text) as Readonly<Record<string, unknown>>);
    const [created, advanced, read, subscription] = parsed;
    assert.equal(created?.['status'], 'awaiting_buyer');
    assert.equal(advanced?.['id'], created?.['id']);
    assert.equal(read?.['externalId'], 'order-7');
    assert.match(String(subscription?.['secret']), /^whsec_/);
    await until(async () => {
      const headers = { 'x-api-key': `${host.key}` };
      const response = await fetch(`${host.url}/v1/payments/ext_order-7`, { headers });
      const { status } = (await response.json()) as { readonly status: string };
      assert.notEqual(status, 'failed');
      return status === 'settled';
    });
  } finally {
    await host.kill();
  }
});
