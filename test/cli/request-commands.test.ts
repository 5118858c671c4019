// `ponte requests`: an operator finds why a request was refused, from the id that its sender has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PonteError } from '../../core/errors.js';
import { flushRefusals, noteRefusal } from '../../core/usecases/service/request-log.js';
import { openForOperator } from '../../host/operator-access.js';
import { runCommand } from '../support/servers/command.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { valuesOf } from '../support/values-of.js';

const env = { PONTE_DATA_DIR: temporaryFolder(), PONTE_LOG_LEVEL: 'silent' } as const;

const { deps, close } = await openForOperator(env, { opening: 'makes' });
const refusal = new PonteError('ValidationError', 'amount: give a decimal number.');
for (const [at, requestId] of ['first', 'second', 'third'].entries()) {
  const orgId = requestId === 'third' ? null : 'org_a';
  const mode = orgId === null ? null : ('test' as const);
  const about = { requestId, orgId, mode, operation: 'createPaymentIntent', credentialId: null };
  // Ids of one millisecond have no order.
  noteRefusal({ ...deps, clock: { nowMs: () => 1_800_000_000_000 + at } }, refusal, about);
}
await flushRefusals(deps, deps.clock.nowMs(), 9);
await close();

const ponte = (words: string) => runCommand(env, words.split(' '));

async function json(words: string) {
  const { status, stdout, stderr } = await ponte(`${words} --json`);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Readonly<Record<string, readonly Record<string, unknown>[]>>;
}

test('refusals are listed newest first, of all or of one organization', async () => {
  const all = await json('requests list');
  assert.deepEqual(valuesOf(all['data'] ?? [], 'requestId'), ['third', 'second', 'first']);
  const own = await json('requests list --org org_a --limit 1');
  assert.deepEqual(valuesOf(own['data'] ?? [], 'requestId'), ['second']);
  const rest = await json(`requests list --org org_a --cursor ${String(own['nextCursor'])}`);
  assert.deepEqual(valuesOf(rest['data'] ?? [], 'requestId'), ['first']);
});

test('a refused request is shown with its code and field', async () => {
  const { refused, entries } = await json('requests show first');
  assert.deepEqual(entries, []);
  const [one] = refused ?? [];
  assert.deepEqual(
    [one?.['code'], one?.['field'], one?.['operation'], one?.['orgId'], one?.['mode']],
    ['ValidationError', 'amount', 'createPaymentIntent', 'org_a', 'test'],
  );
  const { stdout } = await ponte('requests show first');
  assert.match(stdout, /createPaymentIntent +400 +ValidationError +amount +org_a +test/);
});

test('a request id that nothing is known of is shown so', async () => {
  const { stdout, status } = await ponte('requests show nothing');
  assert.equal(status, 0);
  assert.match(stdout, /No refusals\.\n\nIt changed nothing\./);
});
