// The script of test/examples does what it says. The nightly run has the programs that verify a
// webhook; the receiver in TypeScript is in package.test.ts.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { parseYaml } from '@redocly/openapi-core';
import { createProgram } from '../cli/program.js';
import { freePort } from './support/databases/local-postgres.js';
import { programArguments, startHostProcess } from './support/servers/host-process.js';
import { projectRoot } from './support/source-tree.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { until } from './support/wait.js';

const folder = join(projectRoot, 'test/examples');

test('seller-and-invoice.sh ends with an invoice that settles', async () => {
  const data = mkdtempSync(join(tmpdir(), 'ponte-examples-'));
  const host = await startHostProcess({ PONTE_DATA_DIR: data, PONTE_FAKE_PARTNER_DELAY_MS: '0' });
  try {
    const env = { ...process.env, KEY: host.key ?? '', PONTE_URL: host.url };
    const { status, stdout, stderr } = spawnSync('sh', [join(folder, 'seller-and-invoice.sh')], {
      env,
      encoding: 'utf8',
    });
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    await until(async () => {
      const headers = { 'x-api-key': host.key ?? '' };
      const response = await fetch(`${host.url}/v1/invoices/ext_invoice-7`, { headers });
      const { status: invoice } = (await response.json()) as { readonly status: string };
      assert.notEqual(invoice, 'failed');
      return invoice === 'settled';
    });
  } finally {
    await host.kill();
    rmSync(data, { recursive: true });
  }
});

test('ponte-in-ci.sh runs a command against a host with payments, and passes its exit code on', async () => {
  const run = promisify(execFile);
  const program = `
    const { PONTE_URL: url, PONTE_KEY: key } = process.env;
    const response = await fetch(url + '/v1/payments?limit=50', { headers: { 'x-api-key': key } });
    const { data } = await response.json();
    console.log(data.length);
    process.exit(3);
  `;
  const words = [
    join(folder, 'ponte-in-ci.sh'),
    process.execPath,
    '--input-type=module',
    '-e',
    program,
  ];
  const env = {
    ...process.env,
    PONTE: [process.execPath, ...programArguments].join(' '),
    PONTE_PORT: `${await freePort()}`,
    TMPDIR: temporaryFolder(),
  };
  const ended = run('sh', words, { env });
  await assert.rejects(ended, { code: 3, stdout: '50\n' });
  assert.deepEqual(readdirSync(env.TMPDIR), []);
});

test('ponte-in-ci.sh runs nothing against another host that has its port', async (t) => {
  const other = createServer((request, response) =>
    response.writeHead(request.url === '/readyz' ? 200 : 401).end(),
  );
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.after(() => other.close());
  const port = `${(other.address() as AddressInfo).port}`;
  // The host is real; its fifty payments are those of the test above.
  const program = join(temporaryFolder(), 'ponte');
  const words = [process.execPath, ...programArguments].join(' ');
  const seeded = `[ "$1" != seed ] || { echo '"secret": "pk_test_1.2"'; exit; }`;
  writeFileSync(program, `${seeded}\nexec ${words} "$@"\n`);
  const env = {
    ...process.env,
    PONTE: `sh ${program}`,
    PONTE_PORT: port,
    TMPDIR: temporaryFolder(),
  };
  const ended = promisify(execFile)('sh', [join(folder, 'ponte-in-ci.sh'), 'echo', 'ran'], { env });
  await assert.rejects(ended, { code: 1, stdout: '', stderr: new RegExp(port) });
});

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly run: string };
}

interface AlertRules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[];
}

test('alert-rules.yml has a rule for each metric that Monitoring alerts on, as it says', () => {
  const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
  const { groups } = parseYaml(read('test/examples/alert-rules.yml')) as AlertRules;
  const rules = groups.flatMap((group) => group.rules);
  const table = read('adapters/docs/monitoring.md').split('## Alerts')[1]?.split('\n## ')[0] ?? '';
  const rows = [...table.matchAll(/^\| ([^|]*ponte_[^|]*) \|/gm)].map(([, when]) => `${when}`);
  const metricOf = (text: string) => /ponte_\w+/.exec(text)?.[0] ?? '';
  assert.ok(rows.length >= 15);
  assert.deepEqual(
    rules.map(({ expr }) => metricOf(expr)).toSorted(),
    rows.map(metricOf).toSorted(),
  );
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  const metrics = read('adapters/docs/reference/metrics.md');
  for (const { alert, expr, for: wait = '1m', labels, annotations } of rules) {
    const metric = metricOf(expr);
    assert.match(alert, /^Ponte([A-Z][a-z]+)+$/);
    assert.match(wait, /^[0-9]+[smh]$/);
    assert.ok(['page', 'ticket'].includes(labels.severity), alert);
    const [, names] =
      new RegExp(`^\\| \`${metric}\` \\| \\w+ \\| ([^|]*) \\|`, 'm').exec(metrics) ?? [];
    assert.notEqual(names, undefined, `${metric} exists`);
    for (const [, label] of expr.matchAll(/[{,](\w+)=/g))
      assert.ok(names?.includes(`\`${label}\``));
    // The threshold is that of the page, where the page gives a number.
    const row = rows.find((one) => metricOf(one) === metric) ?? '';
    const [, page] = /[>=±] ?`?([0-9]+)/.exec(row) ?? [];
    const [, limit] = /(?:>|==) ([0-9]+)$/.exec(expr) ?? [];
    assert.ok(limit !== undefined && (page === undefined || page === limit), `${row}: ${expr}`);
    commandOf(annotations.run);
  }
});

/** Fails unless these words are a command, with options that it has. */
function commandOf(words: string): void {
  const [, ...path] = words
    .split(' ')
    .filter((word) => !/^(live|pending|unmatched|dead_letter)$/.test(word));
  const stdio = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  let command = createProgram({ env: {}, ...stdio, exitCode: 0 });
  for (const word of path) {
    if (word.startsWith('--'))
      assert.ok(
        command.options.some(({ long }) => long === word),
        word,
      );
    else {
      const found = command.commands.find((one) => one.name() === word);
      assert.ok(found !== undefined, word);
      command = found;
    }
  }
  assert.equal(command.commands.length, 0, words);
}
