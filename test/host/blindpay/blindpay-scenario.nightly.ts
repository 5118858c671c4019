// A payment through the whole service with BlindPay as its partner, with each kind of fault at each
// call that has an effect.
import { test } from 'node:test';
import { effectiveCalls, settleDespite } from '../../support/blindpay/blindpay-ponte.js';

for (const call of effectiveCalls) {
  test(`${call}: a fault of any kind costs no second object, and the payment settles`, async (t) => {
    for (const fault of ['late', 'cut after', '500 before', '403 page'] as const)
      await settleDespite(t, call, fault);
  });
}
