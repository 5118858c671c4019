// The other ways in which a payment ends, as a buyer sees them in a real browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WalkScene } from '../support/scenes/walk-scene.js';
import { suiteEnd } from '../support/suite-end.js';

const scene = await WalkScene.open(suiteEnd());

test('a buyer pays: with scripts, phone, light, Spanish', () =>
  scene.pay({ width: 320, scheme: 'light', language: 'es' }));

interface Ending {
  readonly name: string;
  /** The events that are simulated, one after the other, and the heading after each. */
  readonly events: readonly (readonly [event: string, heading: RegExp])[];
}

const endings: readonly Ending[] = [
  {
    name: 'a short transfer waits for the rest, then it is paid',
    events: [
      ['money_short', /USD 1\.00 is still missing/],
      ['money_top_up', /Paid/],
    ],
  },
  { name: 'too much money: the rest goes back', events: [['money_over', /Paid/]] },
  { name: 'a failed transfer ends the payment', events: [['money_fails', /did not go through/]] },
];

for (const { name, events } of endings) {
  test(name, async () => {
    const { buyer } = await scene.transferring();
    for (const [event, heading] of events) {
      await buyer.simulate(event);
      await buyer.seeHeading(heading);
    }
    assert.deepEqual(buyer.complaints, []);
    await buyer.close();
  });
}

test('a payout that fails: a person looks into it, and nobody pays twice', async () => {
  const { buyer } = await scene.transferring();
  await buyer.simulate('payout_fails');
  await buyer.simulate('money_arrives');
  await buyer.seeHeading(/We are looking into your payment/);
  assert.match(await buyer.page.locator('main').innerText(), /Do not pay again/i);
  await buyer.close();
});

test('a payout that comes back is refunded', async () => {
  const { buyer } = await scene.transferring();
  await buyer.simulate('payout_returns');
  await buyer.simulate('money_arrives');
  await buyer.seeHeading(/Your money is (coming )?back/);
  await buyer.close();
});

test('the buyer of a short transfer asks for all back', async () => {
  const { made, buyer } = await scene.transferring();
  await buyer.simulate('money_short');
  await buyer.follow('/take-back');
  await buyer.press('take-back');
  await buyer.seeHeading(/Your money is (coming )?back/);
  assert.equal(await scene.statusOf(made), 'cancelled');
  await buyer.close();
});

test('a cancelled request says that nothing was paid', async () => {
  const { made, buyer } = await scene.signedIn();
  await scene.call('POST', `/v1/payments/${made.id}/cancel`, { reason: 'no longer needed' });
  await buyer.page.goto(made.hostedPaymentUrl);
  await buyer.seeHeading(/cancelled this request/);
  await buyer.close();
});

test('a rejected buyer cannot pay and learns no reason', async () => {
  const { buyer } = await scene.signedIn(
    {},
    { buyer: { email: 'fail@buyer.example', name: 'Fail' } },
  );
  await buyer.simulate('identity_sent');
  await buyer.seeHeading(/We cannot take this payment/);
  assert.doesNotMatch(await buyer.page.locator('main').innerText(), /sandbox|reject/i);
  await buyer.close();
});
