// A company that pays, in a real browser: a clerk fills in the form, an owner adds a part by a
// mailed link, a phone adds a file by the code, and each of them sees its own part only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../host/config.js';
import { startHost } from '../../host/main.js';
import { typedAddress, typedCompany, typedOwner } from '../support/scenes/form-scene.js';
import { PayingBuyer } from '../support/scenes/paying-buyer.js';
import { phoneCodes } from '../support/scenes/phone-codes.js';
import { openBrowser } from '../support/servers/browser.js';
import { jsonCall } from '../support/servers/json-call.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const suite = suiteEnd();
const config = readConfig({
  PONTE_PORT: '0',
  PONTE_DATA_DIR: temporaryFolder(),
  PONTE_FAKE_PARTNER_DELAY_MS: '50',
  PONTE_LOG_LEVEL: 'silent',
});
const host = await startHost(config);
suite.after(() => host.stop());
const browser = await openBrowser();
suite.after(() => browser.close());

/** The other owner, whose data the clerk has. */
const second = { ...typedOwner, firstName: 'Noah', lastName: 'Okafor', taxId: '987-65-1234' };
const files = '.files input[type=file]';

/** The clerk of the company, at the page of a new payment. */
async function clerkOf(externalId: string): Promise<PayingBuyer> {
  const { body } = await jsonCall(host, host.demo?.secret ?? '', '/v1/payment-intents', {
    externalId,
    amount: '250.00',
    buyer: { email: `${externalId}@buyer.example`, name: typedCompany.legalName, country: 'US' },
  });
  const clerk = await PayingBuyer.open(browser, host.url);
  await clerk.page.goto(String(body['hostedPaymentUrl']));
  await clerk.signIn();
  return clerk;
}

/** Up to the page of the first owner. */
async function fillCompany(clerk: PayingBuyer): Promise<void> {
  await clerk.follow('/kyc/');
  await clerk.answer({ entityType: 'business' });
  await clerk.answer(typedCompany);
  await clerk.answer(typedAddress);
  await clerk.press('owners/add');
}

/** An owner at their own part, by the link of the mail that the clerk requests. */
async function ownerAskedBy(clerk: PayingBuyer, email: string): Promise<PayingBuyer> {
  await clerk.page.locator('main details summary').first().click();
  await clerk.fill({ email });
  const link = await clerk.mailedBy('ask');
  const owner = await PayingBuyer.open(browser, host.url, { width: 390, language: 'pt-BR' });
  await owner.page.goto(link);
  await owner.press('enter');
  await owner.seeHeading(/^Seus dados para Harbor & Pine Roasters/);
  return owner;
}

async function textOf({ page }: PayingBuyer): Promise<string> {
  return page.locator('body').innerText();
}

test('a company pays: its clerk, an owner and a phone fill in the form together', async () => {
  const codes = phoneCodes(host.deps);
  const clerk = await clerkOf('company');
  await fillCompany(clerk);
  await clerk.answer(second);
  await clerk.answer(second);
  await clerk.press('owners/add');
  const owner = await ownerAskedBy(clerk, 'priya@owner.example');
  assert.match(await textOf(clerk), /Asked on/);
  assert.doesNotMatch(await textOf(owner), /Noah|USD|buyer\.example|12-3456789/);

  await owner.answer(typedOwner);
  await owner.answer(typedOwner);
  assert.equal(await owner.page.locator(files).count(), 3, 'their own files, and no others');
  await owner.uploadAll();
  await owner.press('kyc/done');
  await owner.see('.note.ok');
  await clerk.follow('/kyc/documents');
  assert.match(await textOf(clerk), /Done on/);
  assert.equal(await clerk.page.locator(files).count(), 5, 'of the company and the other owner');

  await clerk.press('kyc/phone');
  const phone = await PayingBuyer.open(browser, host.url, { width: 390 });
  await phone.page.goto(codes.linkIn(await clerk.page.content()));
  await phone.press('kyc/phone/enter');
  assert.doesNotMatch(await textOf(phone), /Priya|USD|12-3456789/);
  assert.ok(await phone.upload());
  // The desk shows by itself what has arrived.
  await clerk.see('.files .state.ok');
  assert.equal(await clerk.page.locator('.files .state.ok').count(), 1);
  await clerk.uploadAll();

  // The owner is not asked for it, and nobody had filled it in.
  await clerk.follow('/kyc/review');
  assert.match(await textOf(clerk), /Role in the company of Owner 2: Missing/);
  await clerk.follow('/kyc/owners/1');
  await clerk.answer({ role: typedOwner.role });
  await clerk.follow('/kyc/review');
  const review = await textOf(clerk);
  assert.match(review, /Filled in by priya@owner\.example/);
  assert.match(review, /Noah Okafor[\s\S]*31 January 1990/);
  await clerk.press('kyc/review');
  await clerk.seePrice();
  for (const one of [clerk, owner, phone]) {
    assert.deepEqual(one.complaints, []);
    await one.close();
  }
});
