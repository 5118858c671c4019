// A buyer's whole way on the hosted page with BlindPay, in live mode, where nothing is simulated by
// Ponte: the organization is onboarded by the commands of an operator, and the buyer fills in what
// BlindPay requires and accepts its terms.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { readConfig } from '../../../host/config.js';
import { type Host, startHost } from '../../../host/main.js';
import { textOf, Visitor } from '../../adapters/pages/visitor.js';
import { connectHost } from '../../support/blindpay/blindpay-operator.js';
import {
  acceptTerms,
  type BlindPayService,
  startBlindPayService,
} from '../../support/blindpay/blindpay-service.js';
import { freePort } from '../../support/databases/local-postgres.js';
import { jpeg, typedAddress, typedPerson } from '../../support/scenes/form-scene.js';
import { runCommand } from '../../support/servers/command.js';
import { type Json, jsonCall } from '../../support/servers/json-call.js';
import { suiteEnd } from '../../support/suite-end.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/wait.js';

let blindPay: BlindPayService;
let env: Readonly<Record<string, string>>;
let host: Host;
let key = '';

const suite = suiteEnd();

before(async () => {
  blindPay = await startBlindPayService();
  suite.after(() => blindPay.close());
  const port = await freePort();
  env = {
    PONTE_DATA_DIR: temporaryFolder(),
    PONTE_PORT: `${port}`,
    PONTE_LOG_LEVEL: 'silent',
    ...(await connectHost(blindPay, `http://127.0.0.1:${port}`, 'live')),
  };
  host = await startHost(readConfig(env));
  suite.after(() => host.stop());
  key = await liveKey();
});

async function ponte(expected: number, words: string, input = ''): Promise<Json> {
  const whole = [...words.split(' '), '--json'];
  const { status, stdout, stderr } = await runCommand(env, whole, input);
  assert.equal(status, expected, `${words}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as Json;
}

const file = (name: string) => `https://acme.example/${name}`;
const address = {
  addressLine1: 'Rua A 1',
  city: 'Curitiba',
  stateProvinceRegion: 'PR',
  country: 'BR',
  postalCode: '80000-000',
  proofOfAddressDocType: 'UTILITY_BILL',
  proofOfAddressDocFile: file('bill.jpg'),
};
const dossier = {
  email: 'eva@acme.example',
  legalName: 'Acme Ltda',
  cnpj: '11.222.333/0001-81',
  ...address,
  formationDate: '2001-02-03',
  website: 'https://acme.example',
  incorporationDocFile: file('deed.pdf'),
  proofOfOwnershipDocFile: file('shares.pdf'),
  owners: [
    {
      role: 'beneficial_owner',
      firstName: 'Eva',
      lastName: 'Lima',
      taxId: '52998224725',
      ...address,
      dateOfBirth: '1980-04-05',
      idDocCountry: 'BR',
      idDocType: 'PASSPORT',
      selfieFile: file('eva.jpg'),
      idDocFrontFile: file('passport.jpg'),
    },
  ],
};

/** Of an organization that an operator has onboarded in live mode. */
async function liveKey(): Promise<string> {
  const id = String((await ponte(0, 'org create --name Acme'))['id']);
  await ponte(0, `org support ${id} --email help@acme.example`);
  await ponte(0, `org grant-production ${id}`);
  const { message } = await ponte(2, `org accept-tos ${id} --mode live`);
  const [sessionUrl = ''] = /https?:\/\/\S+/.exec(String(message)) ?? [];
  const tosId = (await acceptTerms(sessionUrl)).searchParams.get('tos_id');
  await ponte(0, `org accept-tos ${id} --mode live --tos-id ${tosId}`);
  await ponte(0, `org submit-kyb ${id} --mode live --dossier -`, JSON.stringify(dossier));
  await until(async () => {
    const { live } = await ponte(0, `org show ${id}`);
    return (live as Json)['kybStatus'] === 'approved';
  });
  await ponte(0, `org payout-config ${id} --mode live`, 'eva@acme.example');
  const made = await ponte(0, `key create --org ${id} --mode live --name erp`);
  return String(made['secret']);
}

/** In the newest mail about the payment at this path. */
async function mailedLink(path: string): Promise<string> {
  return until(async () => {
    const mails = await (await fetch(host.mailboxUrl ?? '')).text();
    const links = [...mails.matchAll(/href="([^"]+\?token=[\w-]+)"/g)];
    return links.map(([, link = '']) => link).find((link) => link.includes(path));
  });
}

interface Payment {
  readonly id: string;
  readonly path: string;
}

async function newPayment(): Promise<Payment> {
  const { body } = await jsonCall(host, key, '/v1/payment-intents', {
    externalId: 'order-1',
    amount: '250.00',
    buyer: { email: 'ana@buyer.example', name: 'Ana Lima', country: 'US' },
  });
  return { id: String(body['id']), path: new URL(String(body['hostedPaymentUrl'])).pathname };
}

async function signedIn({ path }: Payment): Promise<Visitor> {
  const buyer = new Visitor(host.url);
  await buyer.open(path);
  await buyer.send('/link');
  await buyer.open(await mailedLink(path));
  await buyer.send('/enter');
  return buyer;
}

function headingOf({ shown }: Visitor): string {
  return shown?.heading ?? '';
}

/** Opens the payment again until its page has this heading. */
async function waitFor(buyer: Visitor, { path }: Payment, heading: string): Promise<string> {
  await until(async () => (await buyer.open(path)).heading === heading);
  return textOf(buyer.shown?.text ?? '');
}

async function identify(buyer: Visitor, { path }: Payment): Promise<void> {
  await buyer.open(`${path}/kyc/type`);
  await buyer.send('/kyc/type', { entityType: 'individual' });
  // Of an individual the service itself requires neither a tax number nor an address.
  await buyer.send('/kyc/person', typedPerson);
  assert.match(textOf(buyer.shown?.text ?? ''), /Enter the tax number/);
  await buyer.send('/kyc/person', { ...typedPerson, taxId: '123-45-6789' });
  assert.equal(headingOf(buyer), 'Your address');
  await buyer.send('/kyc/address', typedAddress);
  for (const kind of ['id_doc_front', 'selfie']) {
    await buyer.upload(`/kyc/file/${kind}`, Uint8Array.from(jpeg), 'image/jpeg');
  }
  await buyer.open(`${path}/kyc/review`);
  assert.match(textOf(buyer.shown?.text ?? ''), /Partner’s terms: Missing/);
  await buyer.open(`${path}/kyc/terms`);
  const [, href = ''] = /href="([^"]*terms-of-service[^"]*)"/.exec(buyer.shown?.text ?? '') ?? [];
  const back = await acceptTerms(href.replaceAll('&amp;', '&'));
  assert.equal(back.origin, host.url);
  await buyer.open(back.href);
  assert.match(textOf(buyer.shown?.text ?? ''), /You have accepted the terms/);
  await buyer.send('/kyc/terms');
  await buyer.send('/kyc/review');
}

test('a buyer gives what BlindPay requires, accepts its terms, pays, and it is settled', async () => {
  const { state } = blindPay;
  state.payinsWait = true;
  const payment = await newPayment();
  const buyer = await signedIn(payment);
  await identify(buyer, payment);
  await waitFor(buyer, payment, 'See what Acme will receive');
  assert.partialDeepStrictEqual(state.customers.at(-1), {
    type: 'individual',
    email: 'ana@buyer.example',
    tos_id: 'to_000000000002',
    tax_id: '123-45-6789',
    state_province_region: 'TX',
    postal_code: '73301',
    selfie_file: state.files[0],
    id_doc_front_file: state.files[1],
  });
  await buyer.send('/quote');
  const price = textOf(buyer.shown?.text ?? '');
  assert.match(price, /You pay USD 250\.00 .*USD 1\.00 .*receives about BRL 1,331\.15/);
  await buyer.send('/confirm');

  const details = await waitFor(buyer, payment, 'Send USD 250.00 by bank transfer');
  const [payin] = state.payins;
  assert.ok(payin !== undefined);
  for (const words of [
    `Reference ${payin['memo_code']}`,
    'Account holder BlindPay, Inc.',
    'Account number 1234 5678 9012',
    'Routing number 110 000 000',
    'Account type Business checking',
    'Bank JPMorgan Chase',
    '8 The Green, #19364, Dover, DE 19901',
  ]) {
    assert.ok(details.includes(words), words);
  }

  state.pay(payin.id);
  const paid = await waitFor(buyer, payment, 'Paid');
  assert.match(paid, /Acme received BRL 1,331\.15/);
  const [payout] = state.payouts;
  assert.ok(paid.includes(String(payout?.tracking_payment['end_to_end_id'])));
  assert.ok(paid.includes(String(payin.tracking_complete['transaction_hash'])));
  const { body } = await jsonCall(host, key, `/v1/payments/${payment.id}`);
  assert.deepEqual([body['status'], body['brlSettledAmount']], ['settled', '1331.15']);
  assert.deepEqual(
    blindPay.sent.filter(({ status }) => status !== 200),
    [],
  );
});
