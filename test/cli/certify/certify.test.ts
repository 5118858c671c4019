// `ponte certify`: the example integration passes every fault, each common mistake is caught by the
// fault that is about it, and what nothing shows is not called right.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultNames, faults } from '../../../cli/certify/certify-faults.js';
import type { CertifyReport } from '../../../cli/certify/certify-report.js';
import { readCertifyReport } from '../../../core/domain/parties/certify-summary.js';
import { runCommand } from '../../support/servers/command.js';
import { localhostTls } from '../../support/servers/localhost-tls.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import {
  builtIntegration,
  freePort,
  mistakes,
  readsAlways,
  resultsOf,
  testPasses,
} from './integrations.js';

test('there are 24 faults', () => {
  assert.equal(faultNames.length, 24);
});

testPasses('the example integration', null);
testPasses('one that reads the feed all the time', readsAlways);

for (const [name, mistake] of Object.entries(mistakes)) {
  const { caughtBy } = mistake;
  test(`an integration that ${name} is caught by ${caughtBy}`, async (t) => {
    const [result] = await resultsOf(t, mistake, { named: [caughtBy] });
    assert.equal(result?.verdict, 'failed');
  });
}

test('without a probe, a fault whose effect nothing shows is not seen, never ok', async (t) => {
  const results = await resultsOf(t, null, { hasProbe: false });
  for (const { name, verdict } of results) {
    assert.equal(verdict, 'not seen', `${name}: ${faults[name].seen}`);
  }
});

test('one fault alone has the result that it has among all', async (t) => {
  const mistake = mistakes['drops no duplicates'] ?? null;
  const [result, ...others] = await resultsOf(t, mistake, { named: ['both-ways'] });
  assert.deepEqual([result?.number, result?.verdict, others], [19, 'failed', []]);
});

test('the command starts the program, reports each fault, and writes a signed report', async () => {
  const folder = temporaryFolder();
  const program = join(folder, 'integration.cjs');
  writeFileSync(program, await builtIntegration(mistakes['keeps its first secret'] ?? null));
  const base = `http://127.0.0.1:${await freePort()}`;
  const words = ['certify', '--receiver', `${base}/webhooks`, '--probe', `${base}/probe`];
  const rest = ['--port', '0', '--only', '1,rotation', '--out', folder, '--json', '--'];
  const ran = await runCommand({}, [...words, ...rest, process.execPath, program]);
  const report = JSON.parse(ran.stdout) as CertifyReport;
  assert.equal(ran.status, 8);
  assert.deepEqual(
    report.results.map(({ number, name, verdict }) => [number, name, verdict]),
    [
      [1, 'duplicate', 'ok'],
      [12, 'rotation', 'failed'],
    ],
  );
  const stored = JSON.parse(readFileSync(join(folder, 'certify.json'), 'utf8')) as CertifyReport;
  assert.deepEqual(stored, report);
  // What an operator sees of it.
  const seen = readCertifyReport(JSON.stringify(stored));
  assert.match(seen?.signedBy ?? '', /^[0-9a-f]{16}$/);
  assert.deepEqual(seen, {
    at: stored.at,
    ok: 1,
    failed: 1,
    notSeen: 0,
    others: ['rotation'],
    signedBy: seen?.signedBy,
  });
  const page = readFileSync(join(folder, 'certify.html'), 'utf8');
  assert.match(page, /1 ok, 1 failed, 0 not seen/);
  assert.match(page, /a forged payment_intent\.settled: the receiver answered 204; expected: 4xx/);
});

test('what will not take a webhook ends the run at once, with the reason', async (t) => {
  const port = await freePort();
  const receiver = `http://127.0.0.1:${port}/webhooks`;
  const certify = (at: string, ...program: readonly string[]) =>
    runCommand({}, ['certify', '--receiver', at, '--port', '0', '--', ...program]);
  const secure = createSecureServer(localhostTls, (_, response) => response.end());
  await new Promise<void>((listening) => secure.listen(0, '127.0.0.1', listening));
  t.after(() => secure.close());
  const own = `https://localhost:${(secure.address() as AddressInfo).port}/`;
  const isThere = [process.execPath, '-e', 'setTimeout(() => {}, 60_000)'];
  const ends = [
    [
      certify(receiver, process.execPath, '-e', 'process.exit(3)'),
      /the program ended with status 3/,
    ],
    [certify(receiver, 'no-such-program'), /no-such-program: .*ENOENT/],
    [certify(own, ...isThere), /the TLS certificate is not trusted/],
  ] as const;
  for (const [run, why] of ends) {
    const { status, stderr } = await run;
    assert.equal(status, 2);
    assert.match(stderr, /does not take a signed webhook\.test with 2xx: /);
    assert.match(stderr, why);
  }
});

test('a program that ends in the middle fails what follows, and each finding says why', async (t) => {
  const check = '  if (webhook === undefined) throw new Refused();\n';
  const ends = "  if (webhook.event.includes('later')) process.exit(1);\n";
  const named = ['duplicate', 'unknown-event', 'both-ways'] as const;
  const results = await resultsOf(t, { changes: [[check, `${check}${ends}`]] }, { named });
  assert.deepEqual(
    results.map(({ verdict }) => verdict),
    ['ok', 'failed', 'failed'],
  );
  const [, ended, after] = results.map(({ findings }) => findings[0]?.text ?? '');
  assert.match(
    ended ?? '',
    /^payment_intent.of_a_later_version: the connection was (closed|refused)/,
  );
  assert.match(after ?? '', /^payment_intent.created: the connection was refused; expected: 2xx$/);
});

test('the table says all that was wrong, and the first webhook is a whole webhook.test', async () => {
  const program = `
    const counts = process.argv[1];
    require('node:http').createServer(async (request, response) => {
      const text = (await request.toArray()).join('');
      const effects = request.url.endsWith(counts) ? 1 : 0;
      if (request.method === 'GET') return response.end(JSON.stringify({ effects }));
      const { data } = JSON.parse(text);
      response.writeHead(data?.externalEventId ? 204 : 500).end();
    }).listen(process.env.PORT, '127.0.0.1');
  `;
  const base = `http://127.0.0.1:${await freePort()}`;
  const words = ['certify', '--receiver', `${base}/webhooks`, '--probe', `${base}/probe`];
  const rest = ['--port', '0', '--only', 'outage', '--', process.execPath, '-e', program];
  const { stdout, status } = await runCommand({}, [...words, ...rest, 'plain']);
  assert.equal(status, 8);
  const why = 'no probe read the feed to its end; the payment counted 0 times; expected: 1';
  assert.match(stdout, new RegExp(`^18 +outage +failed +${why}$`, 'm'));
  // Without any fault it must count first.
  const none = await runCommand({}, [...words, ...rest, 'nothing']);
  assert.equal(none.status, 2);
  assert.match(none.stderr, /without any fault does not count once.*counted 0 times; expected: 1/);
});
