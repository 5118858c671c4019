// The script of test/examples does what it says. The nightly run has the programs that verify a
// webhook; the receiver in TypeScript is in package.test.ts.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startHostProcess } from './support/servers/host-process.js';
import { projectRoot } from './support/source-tree.js';
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
