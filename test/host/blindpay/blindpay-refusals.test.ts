// What BlindPay answers about a payout whose money is here: a code of each fault, unknown ones and
// "not found", at each call of a payout. The payment never fails. Once the cause is mended, the
// payout goes on by itself or after `commands retry`, and BlindPay has one payout.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faults } from '../../../adapters/partner/blindpay/answer-codes.js';
import { HOUR_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import { retryCommand } from '../../../core/usecases/commands/command-retries.js';
import { listQueues } from '../../../core/usecases/money-desk/money-queues.js';
import { type Answer, errorAnswer } from '../../support/blindpay/blindpay-answers.js';
import { documentedCodes } from '../../support/blindpay/blindpay-facts.js';
import {
  openPonte,
  type PonteScene,
  paidOrder,
  readySeller,
} from '../../support/blindpay/blindpay-ponte.js';

/** The calls of a payout, by their method and path. */
const calls = {
  'the pay-in': /^GET \/payins\/[^/]+$/,
  'the wallet': /^GET \/customers\/[^/]+\/wallets\/[^/]+$/,
  'a quote': /^POST \/quotes$/,
  'the payout': /^POST \/payouts\/evm$/,
} as const;

/** Answers of partners that no table lists, or that are without a code. */
const unlisted: readonly (readonly [code: string, answer: Answer])[] = [
  ...[400, 402, 404, 409, 451].map(
    (status) => [`unknown ${status}`, errorAnswer(status, 'SOMETHING_NEW')] as const,
  ),
  ...['instance_blocked', 'wallets_and_transfers_not_enabled', 'not found'].map(
    (message) => [message, { status: 400, body: { success: false, message } }] as const,
  ),
];
/** One listed code of each fault. */
const listed = [...new Set(faults.values())].map((fault) => {
  // What may have had an effect is asked for again under its key.
  const isFit = (status: number) => fault !== 'effect' || status >= 500;
  const row = documentedCodes.find(([code, status]) => faults.get(code) === fault && isFit(status));
  const [code, status] = row ?? assert.fail(fault);
  return [code, errorAnswer(status, code)] as const;
});
const answers = [...listed, ...unlisted];

async function waiting({ ponte }: PonteScene): Promise<readonly string[]> {
  const all = { queue: null, orgId: null, mode: null, after: null, limit: 10 };
  const rows = await listQueues(ponte.deps, all);
  return rows.filter(({ kind }) => kind === 'payout').map(({ id }) => id);
}

/** The first read of a completed pay-in is a poll of it; the next one is for its payout. */
function payoutCall({ server }: PonteScene, call: RegExp) {
  let reads = 0;
  return ({ method, path }: { readonly method: string; readonly path: string }) => {
    if (!call.test(`${method} ${path}`)) return false;
    const payin = server.state.payins.find(({ id }) => path === `/payins/${id}`);
    if (payin === undefined) return true;
    if (payin.status === 'completed') reads += 1;
    return reads > 1;
  };
}

for (const [name, call] of Object.entries(calls)) {
  test(`no answer to a call for ${name} ends a payment whose money is here`, async (t) => {
    const scene = await openPonte(t);
    const { ponte, server, alerts } = scene;
    await readySeller(scene);
    let settled = 0;
    for (const [code, answer] of answers) {
      const isRefused = payoutCall(scene, call);
      server.refusal = (sent) => (isRefused(sent) ? answer : null);
      const { id } = await paidOrder(scene, '1250.00', {
        to: 'on_chain_confirmed',
        lastsMs: 10 * MINUTE_MS,
        externalId: `${name} ${code}`,
      });
      const before = await ponte.get(`/v1/payments/${id}`);
      const { status } = before;
      assert.ok(
        status === 'on_chain_confirmed' || status === 'offramp_pending',
        `${code}: ${status}`,
      );
      const passes = ['quote', 'passing', 'effect'].includes(faults.get(code) ?? '');
      const rows = await waiting(scene);
      if (!passes) {
        assert.equal(rows.length, 1, `${code} waits for an operator`);
        const alert = alerts.find(({ paymentId }) => paymentId === id);
        assert.match(String(alert?.['alert']), /a payout is refused/, code);
      }
      server.refusal = () => null;
      for (const row of rows) await retryCommand(ponte.deps, row).catch(() => undefined);
      await ponte.advanceTime(2 * HOUR_MS);
      settled += 1;
      const after = await ponte.get(`/v1/payments/${id}`);
      assert.equal(after['status'], 'settled', code);
      assert.equal(server.state.payouts.length, settled, code);
      assert.deepEqual(await waiting(scene), [], code);
    }
  });
}
