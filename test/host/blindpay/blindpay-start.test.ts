// The first start of a development host whose partner is BlindPay, and the first payment after it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startText } from '../../../cli/commands/service-commands.js';
import { readConfig } from '../../../host/config.js';
import { startHost } from '../../../host/main.js';
import { connectHost } from '../../support/blindpay/blindpay-operator.js';
import { startBlindPayService } from '../../support/blindpay/blindpay-service.js';
import { freePort } from '../../support/databases/local-postgres.js';
import { outputOf } from '../../support/servers/command.js';
import { jsonCall } from '../../support/servers/json-call.js';
import { suiteEnd } from '../../support/suite-end.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/wait.js';

const suite = suiteEnd();

test('a host starts without its partner, and its demo collects once the partner is there', async () => {
  const [port, partnerPort] = [await freePort(), await freePort()];
  const hostUrl = `http://127.0.0.1:${port}`;
  const first = await startBlindPayService({ port: partnerPort });
  const env = {
    PONTE_DATA_DIR: temporaryFolder(),
    PONTE_PORT: `${port}`,
    PONTE_LOG_LEVEL: 'silent',
    ...(await connectHost(first, hostUrl, 'test')),
  };
  await first.close();
  const host = await startHost(readConfig(env));
  suite.after(host.stop);
  const { orgId = '', secret = '' } = host.demo ?? {};
  const text = startText(host, '1.0.0', { production: false });
  assert.match(text, new RegExp(`ponte org payout-config ${orgId} --mode test`));
  assert.doesNotMatch(text, /payment-intents|hostedPaymentUrl/);
  const path = '/v1/payment-intents';
  const order = { externalId: 'order-1', amount: '250.00', buyer: { email: 'a@buyer.example' } };
  assert.equal((await jsonCall(host, secret, path, order)).status, 400);

  const second = await startBlindPayService({ port: partnerPort });
  suite.after(second.close);
  await connectHost(second, hostUrl, 'test');
  const show = () => outputOf(env, ['org', 'show', orgId]);
  await until(async () => (await show()).includes('no PIX destination'));
  await outputOf(env, ['org', 'payout-config', orgId, '--mode', 'test'], 'a@b.example');
  // The buyer of this payment has no country, which BlindPay requires of each party.
  assert.equal((await jsonCall(host, secret, path, order)).status, 201);
  await jsonCall(host, secret, '/v1/test-helpers/payments/ext_order-1/advance', {});
  await until(async () => {
    const { body } = await jsonCall(host, secret, '/v1/payments/ext_order-1');
    return body['status'] === 'settled';
  });
});
