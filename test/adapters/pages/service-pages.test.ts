// The page that checks bank details.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogues } from '../../../adapters/pages/texts.js';
import { pageSite, textOf } from './visitor.js';

test('a check code without its page is not called a forgery', async (t) => {
  const site = await pageSite(t, { payins: 'wait' });
  const { world, tenant } = site;
  const { id, path } = await site.newPayment();
  await world.play(tenant, id, 'on_ramp_pending');
  await world.settle();
  const payment = await world.deps.store.run((tx) => tx.payments.get(tenant, id));
  const value = payment?.bankDetailsCode ?? assert.fail('no code');
  const answerTo = async (fields: { readonly publicId: string; readonly value: string }) =>
    textOf((await site.visitor().post('/verify', fields)).text);
  const { incompletePage } = catalogues.en.verify;
  const forged = /We never gave these details/;
  assert.match(await answerTo({ publicId: path, value }), /details that we gave on/);
  const half = await answerTo({ publicId: '', value });
  assert.ok(half.includes(incompletePage), half);
  assert.doesNotMatch(half, forged);
  assert.match(await answerTo({ publicId: path, value: '7KQ4-M2XD' }), forged);
  assert.match(await answerTo({ publicId: '', value: 'DE89 3704 0044 0532 0130 00' }), forged);
});
