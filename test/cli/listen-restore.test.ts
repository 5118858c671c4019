// `ponte listen` on a feed that was restored: a kept position is refused, who only watches goes on.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { listen } from '../../cli/listen.js';
import { endQuarantine, quarantineRestored } from '../../core/usecases/service/epochs.js';
import { checkedSite } from '../adapters/http/checked-site.js';
import { newPayment } from '../adapters/http/docs/example-calls.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/wait.js';

function listening(t: TestContext, options: { url: string; key: string; state: string | null }) {
  const printed = { stdout: '', stderr: '' };
  const over = new AbortController();
  const shell = {
    env: {},
    stdin: Readable.from([]),
    stdout: { write: (text: string) => (printed.stdout += text) },
    stderr: { write: (text: string) => (printed.stderr += text) },
    exitCode: 0,
  };
  const nothing = { after: null, forward: null, secret: null, events: null, json: false };
  const ended = listen(shell, { ...nothing, ...options }, over.signal);
  const stop = () => {
    over.abort();
    return ended.catch(() => undefined);
  };
  t.after(stop);
  return { printed, ended, stop, count: () => printed.stdout.split('\n').length - 1 };
}

test('after a restore a kept position is refused; who only watches goes on', async (t) => {
  const site = await checkedSite(t);
  const folder = temporaryFolder();
  const { deps, feedReaders } = site.world;
  const tenant = await site.world.newTenant();
  const pay = async () => {
    await newPayment(site.world, tenant);
    await site.world.settle();
  };
  const source = { url: `http://127.0.0.1:${site.port}`, key: await site.world.key(tenant.orgId) };
  const state = join(folder, 'position');
  await pay();
  const first = listening(t, { ...source, state });
  const watching = listening(t, { ...source, state: null });
  await until(() => first.count() + watching.count() === 4);
  await first.stop();
  await quarantineRestored(deps);
  await endQuarantine(deps, { by: 'ana', forcedBecause: 'a test' });
  await assert.rejects(listening(t, { ...source, state }).ended, { code: 'FeedReset' });
  // It waits in the previous epoch until the next event.
  await pay();
  await until(() => watching.printed.stderr.includes('Continuing') && feedReaders.waiting() === 1);
  await pay();
  await until(() => watching.count() > 2);
});
