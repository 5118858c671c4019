// Bank details from the command's acceptance on: stored and signed once, compared with earlier
// payments of the same buyer, and verified without saying more than whether they were given.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLocalJWKSet, flattenedVerify } from 'jose';
import { HOUR_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { isMoneyCommand } from '../../../../core/domain/commands/partner-command.js';
import { checkCodeOf, shortIdOf } from '../../../../core/domain/payments/bank-record.js';
import type { PayinInstructions } from '../../../../core/domain/payments/payin-instructions.js';
import type { PaymentStatus } from '../../../../core/domain/payments/payment.js';
import { redeemLink } from '../../../../core/usecases/hosted/sign-ins.js';
import {
  readBankDetails,
  verifyBankDetails,
} from '../../../../core/usecases/payments/bank-details.js';
import {
  stageMoneyCommand,
  storeStaged,
  unchangedCommand,
} from '../../../../core/usecases/payments/command-changes.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import { recordKeys } from '../../../../core/usecases/service/service-keys.js';
import { changePartner } from '../../../support/partners/changed-partner.js';
import {
  askForLink,
  type IntentFields,
  makeIntent,
  pageOf,
  tokenIn,
} from '../../../support/scenes/made-payments.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import { rowsOf } from '../../../support/values-of.js';

/** One unit less arrives, so the payment waits for more (magicValues). */
const short = { amount: money(10_055n, 'USD') };

/** A world whose partner gives `account` for each pay-in. */
async function scene(t: TestContext) {
  const made = await world(t);
  const tenant = await made.newTenant();
  const account = { number: '1000 2000', routing: '110000000' };
  const { start } = made.partner.payin;
  changePartner(made.partner, {
    payin: {
      async start(request) {
        const answer = await start(request);
        if (answer.outcome !== 'done' || answer.value.instructions === undefined) return answer;
        const instructions = withAccount(answer.value.instructions, account);
        return { ...answer, value: { ...answer.value, instructions } };
      },
    },
  });
  const pay = async (to: PaymentStatus, fields: IntentFields = {}) => {
    const id = await made.newPayment(tenant, fields);
    await made.play(tenant, id, to);
    return payment(made, tenant, id);
  };
  const shown = (id: string) => readBankDetails(made.deps, tenant, id);
  return { made, deps: made.deps, tenant, account, pay, shown };
}

function withAccount(
  instructions: PayinInstructions,
  { number, routing }: { readonly number: string; readonly routing: string },
): PayinInstructions {
  const fields = [
    { name: 'accountNumber', value: number },
    { name: 'routingNumber', value: routing },
  ] as const;
  return { ...instructions, rails: [{ rail: 'wire', fields, arrivesWithinDays: null }] };
}

async function payment({ deps }: World, tenant: Tenant, id: string) {
  const found = (await deps.store.run((tx) => tx.payments.get(tenant, id))) ?? assert.fail();
  return found;
}

test('before the pay-in is accepted there are no bank details', async (t) => {
  const { pay, shown } = await scene(t);
  const { id } = await pay('fx_quoted');
  assert.equal(await shown(id), null);
  await assert.rejects(shown('pi_0'), { code: 'NotFound' });
});

test('the details are stored with their instructions, and the payment has their code', async (t) => {
  const { deps, tenant, pay, shown } = await scene(t);
  const paid = await pay('on_ramp_pending', short);
  const given = await deps.store.run((tx) => tx.bankDetails.ofPayment(tenant, paid.id));
  assert.equal(given.length, 1);
  const [details = assert.fail()] = given;
  assert.equal(details.checkCode, paid.bankDetailsCode);
  assert.equal(checkCodeOf(details.record), details.checkCode);
  assert.equal(JSON.parse(details.record).publicId, paid.publicId);
  assert.deepEqual(await shown(paid.id), {
    checkCode: details.checkCode,
    shortId: shortIdOf(paid.publicId),
    issuedAtMs: details.issuedAtMs,
    replacedAtMs: null,
    history: { kind: 'new' },
  });
});

test('the signature verifies under the published keys, and under no changed record', async (t) => {
  const { deps, tenant, pay } = await scene(t);
  assert.deepEqual(await recordKeys(deps), []);
  const { id } = await pay('on_ramp_pending', short);
  const [details] = await deps.store.run((tx) => tx.bankDetails.ofPayment(tenant, id));
  assert.ok(details !== undefined);
  const keys = await recordKeys(deps);
  assert.deepEqual(rowsOf(keys, 'kid', 'kty', 'crv'), [[details.keyId, 'OKP', 'Ed25519']]);
  const [head = '', empty, signature = ''] = details.signature.split('.');
  assert.equal(empty, '');
  const verify = (record: string) =>
    flattenedVerify(
      { protected: head, payload: Buffer.from(record).toString('base64url'), signature },
      createLocalJWKSet({ keys: keys.map((key) => ({ ...key })) }),
    );
  await verify(details.record);
  await assert.rejects(verify(details.record.replace('1000 2000', '1000 2001')));
});

test('an account is known from a payment of the buyer to the payee that was paid', async (t) => {
  const { made, account, pay, shown } = await scene(t);
  const first = await pay('settled');
  made.advanceClock(HOUR_MS);
  const unpaid = await pay('on_ramp_pending', short);
  const issuedAtMs = (await shown(first.id))?.issuedAtMs;
  const same = { kind: 'same', paymentId: first.id, atMs: issuedAtMs, payee: first.payeeName };
  assert.deepEqual((await shown(unpaid.id))?.history, same);
  assert.deepEqual((await shown(first.id))?.history, { kind: 'new' }, 'the later one is not paid');
  const stranger = { email: 'bo@example.com', name: null, country: null, phone: null };
  const other = await pay('on_ramp_pending', { ...short, buyer: stranger });
  assert.deepEqual((await shown(other.id))?.history, { kind: 'new' });
  account.routing = '220000000';
  const elsewhere = await pay('on_ramp_pending', short);
  assert.deepEqual((await shown(elsewhere.id))?.history, { kind: 'new' });
});

/** The partner reports these instructions of the pay-in. */
async function learn(made: World, tenant: Tenant, id: string, instructions: PayinInstructions) {
  const { deps } = made;
  const [listed = assert.fail()] = await deps.store.run((tx) => tx.commands.ofPayment(tenant, id));
  await storeStaged(deps, async (batch) => {
    const command = (await batch.tx.commands.get(listed.id)) ?? assert.fail();
    if (!isMoneyCommand(command)) return unchangedCommand(command);
    return stageMoneyCommand(batch, command, () => command, { instructions });
  });
}

test('a buyer that signed in by mail is mailed each change of the bank details, once', async (t) => {
  const { made, deps, tenant } = await scene(t);
  const { payment: asked } = await makeIntent(deps, tenant, short);
  await askForLink(deps, asked);
  await made.settle();
  await redeemLink(deps, pageOf(asked), tokenIn(made.mails.at(-1)), 'en');
  await made.play(tenant, asked.id, 'on_ramp_pending');
  await made.settle();
  const { payinInstructions } = await payment(made, tenant, asked.id);
  assert.ok(payinInstructions !== null);
  const changed = async (number: string) => {
    const before = made.mails.length;
    const moved = withAccount(payinInstructions, { number, routing: '110000000' });
    await learn(made, tenant, asked.id, moved);
    await made.settle();
    return made.mails.slice(before).map(({ to, subject }) => [to, subject]);
  };
  const mail = [asked.buyer.email, '[Test] The bank details for Acme Ltda have changed'];
  assert.deepEqual(await changed('3000'), [mail]);
  assert.deepEqual(await changed('3000'), []);
  made.advanceClock(HOUR_MS);
  assert.deepEqual(await changed('4000'), [mail]);
  assert.doesNotMatch(made.mails.at(-1)?.text ?? '', /4000/);
});

test('details that the partner changes get their own record and code', async (t) => {
  const { made, deps, tenant, pay, shown } = await scene(t);
  const { id, bankDetailsCode, payinInstructions } = await pay('on_ramp_pending', short);
  assert.ok(payinInstructions !== null);
  const relearn = async (instructions: PayinInstructions) => {
    await learn(made, tenant, id, instructions);
    return (await payment(made, tenant, id)).bankDetailsCode;
  };
  const issuedAtMs = (await shown(id))?.issuedAtMs;
  made.advanceClock(HOUR_MS);
  assert.equal(await relearn(payinInstructions), bankDetailsCode, 'the same ones keep it');
  const moved = withAccount(payinInstructions, { number: '3000', routing: '110000000' });
  assert.notEqual(await relearn(moved), bankDetailsCode);
  assert.equal((await shown(id))?.replacedAtMs, issuedAtMs);
  assert.equal((await shown(id))?.issuedAtMs, deps.clock.nowMs());
});

test('details are verified by the page with its code or an account, and by nothing else', async (t) => {
  const { deps, made, tenant, pay, shown } = await scene(t);
  const one = await pay('on_ramp_pending', short);
  made.advanceClock(HOUR_MS);
  const two = await pay('on_ramp_pending', short);
  const [first, second] = [await shown(one.id), await shown(two.id)];
  assert.ok(first !== null && second !== null);
  const { shortId, checkCode, issuedAtMs: atMs } = first;
  const open = { kind: 'given', mode: 'test', isOver: false } as const;
  const given = { ...open, atMs };
  const unknown = { kind: 'unknown' } as const;
  for (const [publicId, value, expected] of [
    [shortId, checkCode, given],
    [` ${shortId.toLowerCase().replace('-', '')} `, checkCode.replace('-', ' '), given],
    [one.publicId, checkCode, given],
    [`https://pay.example/r/${one.publicId}?lang=pt-BR`, checkCode, given],
    [shortId, '1000-2000', given],
    ['', '10002000', unknown],
    [checkCode, '10002000', unknown],
    [shortId, second.checkCode, unknown],
    [second.shortId, checkCode, unknown],
    ['', checkCode, unknown],
    ['', '10002001', unknown],
    ['0000-0000', '10002000', unknown],
    ['', '', unknown],
    [shortId, '', unknown],
  ] as const) {
    const answer = await verifyBankDetails(deps, { publicId, value }, null);
    assert.deepEqual(answer, expected, `${publicId} ${value}`);
  }
  await cancelPayment(deps, tenant, one.id, 'no longer needed');
  const answer = await verifyBankDetails(deps, { publicId: shortId, value: checkCode }, null);
  assert.deepEqual(answer, { ...given, isOver: true }, 'a cancelled payment awaits nothing');
});

test('a client verifies 20 times an hour, then as often as a page allows; its network counts as one', async (t) => {
  const { deps } = await scene(t);
  const verify = (client: string, publicId = '0000-0000') =>
    verifyBankDetails(deps, { publicId, value: '10002000' }, client);
  for (let count = 0; count < 30; count += 1) await verify(`2001:db8::${count + 1}`);
  const tooMany = { code: 'RateLimitExceeded', retryAfterSeconds: 3 * 60 };
  await assert.rejects(verify('2001:db8::99'), tooMany);
  await verify('2001:db8::99', '1111-1111');
  await verify('198.51.100.7');
});
