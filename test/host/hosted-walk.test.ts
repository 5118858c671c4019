// A buyer's whole way in a real browser, against a real development host: from the create over the
// mailed link to the receipt and back to the integrator's site. The nightly run adds what else a
// buyer may do on the way, and the other ways in which a payment ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WalkScene } from '../support/scenes/walk-scene.js';
import { suiteEnd } from '../support/suite-end.js';

const scene = await WalkScene.open(suiteEnd());

test('a buyer pays: with scripts, wide, light, English', () =>
  scene.pay({ width: 1280, scheme: 'light', language: 'en' }));

test('two clicks on the button send one pay-in', async () => {
  const { made, buyer } = await scene.priced({ scripts: false });
  const button = buyer.form('confirm').locator('button').first();
  // A reload before the form is on its way would end it.
  await Promise.all([buyer.page.waitForEvent('load'), button.dblclick()]);
  await buyer.see('.exact');
  const ordered = (await scene.eventsOf(made)).filter((event) =>
    event.endsWith('.on_ramp_pending'),
  );
  assert.deepEqual(ordered, ['payment_intent.on_ramp_pending', 'invoice.on_ramp_pending']);
  await buyer.close();
});
