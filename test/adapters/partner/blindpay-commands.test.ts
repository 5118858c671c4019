// What BlindPay is sent for each operation of the port, and what its answers become.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, person } from '../../../adapters/partner-kit/conformance-harness.js';
import { money } from '../../../core/domain/base/money.js';
import type { VerificationKind } from '../../../core/domain/parties/document.js';
import type { Dossier } from '../../../core/domain/parties/dossier.js';
import { purposeNames, purposes } from '../../../core/domain/payments/purpose.js';
import { PonteError } from '../../../core/errors.js';
import {
  approvedCustomer,
  blindPay,
  destinationAt,
  pixKey,
  preparedPayin,
  preparedPayout,
  usd,
} from '../../support/blindpay/blindpay-scene.js';
import { apiKey } from '../../support/blindpay/blindpay-server.js';

const fileUrl = 'https://api.example.com/v1/documents/doc_1/content?signature=ab';
const foreignUrl = 'https://elsewhere.example/front.jpg';

const business: Dossier = {
  tosId: 'to_1',
  email: 'eva@lima.example',
  legalName: 'Lima Ltda',
  country: 'BR',
  cnpj: '11.222.333/0001-81',
  formationDate: '2001-02-03',
  website: 'https://lima.example',
  addressLine1: 'Rua 1',
  city: 'São Paulo',
  stateProvinceRegion: 'SP',
  phone: null,
  postalCode: '01000-000',
  incorporationDocFile: fileUrl,
  proofOfAddressDocFile: fileUrl,
  owners: [
    {
      role: 'beneficial_owner',
      firstName: 'Eva',
      lastName: 'Lima',
      taxType: null,
      dateOfBirth: '1980-04-05',
      idDocType: 'PASSPORT',
      idDocFrontFile: foreignUrl,
    },
  ],
};

test('a business is sent with its owners; our files are uploaded once, others keep their URL', async (t) => {
  const file = { type: 'image/png', bytes: new Uint8Array([1, 2, 3]) };
  const { partner, server } = await blindPay(t, { files: new Map([[fileUrl, file]]) });
  server.state.compliance.accept('to_1', 'key');
  const input = { reference: 'cmd_1', role: 'seller', entityType: 'business' } as const;
  const request = done(await partner.party.prepare({ ...input, ...business }));
  assert.equal(server.state.customers.length, 0);
  const started = done(await partner.party.start(request));
  assert.deepEqual(started.report, { status: 'verifying', reason: null });
  const [upload, ...others] = server.calls.filter(({ path }) => path === '/upload');
  assert.deepEqual(others, []);
  assert.match(upload?.text ?? '', /name="bucket"\r\n\r\nonboarding\r\n/);
  assert.ok(upload?.text.includes('Content-Type: image/png\r\n\r\n\u0001\u0002\u0003\r\n'));
  const sent = server.calls.find(({ method, path }) => `${method} ${path}` === 'POST /customers');
  const stored = 'https://files.blindpay.test/1';
  assert.deepEqual(JSON.parse(sent?.text ?? ''), {
    type: 'business',
    kyc_type: 'standard',
    external_id: 'cmd_1',
    tos_id: 'to_1',
    email: 'eva@lima.example',
    legal_name: 'Lima Ltda',
    tax_id: '11222333000181',
    country: 'BR',
    address_line_1: 'Rua 1',
    city: 'São Paulo',
    postal_code: '01000-000',
    state_province_region: 'SP',
    formation_date: '2001-02-03T00:00:00Z',
    website: 'https://lima.example',
    incorporation_doc_file: stored,
    proof_of_address_doc_file: stored,
    owners: [
      {
        role: 'beneficial_owner',
        first_name: 'Eva',
        last_name: 'Lima',
        date_of_birth: '1980-04-05T00:00:00Z',
        id_doc_type: 'PASSPORT',
        id_doc_front_file: foreignUrl,
      },
    ],
  });
});

test('a file that BlindPay does not take is refused before anything is sent', async (t) => {
  const input = { ...person({ selfieFile: fileUrl }), kycTier: 'standard' } as const;
  for (const [file, code] of [
    [{ type: 'application/pdf', bytes: new Uint8Array(10) }, 'file_type'],
    [{ type: 'image/png', bytes: new Uint8Array(3 * 1_024 * 1_024 + 1) }, 'file_too_large'],
  ] as const) {
    const { partner, server } = await blindPay(t, { files: new Map([[fileUrl, file]]) });
    const answer = await partner.party.prepare(input);
    assert.equal(answer.outcome === 'refused' ? answer.code : answer.outcome, code);
    assert.deepEqual(server.calls, []);
  }
});

test('a file that is gone is refused, one that cannot be read now is tried again', async (t) => {
  for (const [error, outcome] of [
    [new PonteError('NotFound'), 'refused'],
    [new PonteError('InvalidSignature'), 'refused'],
    [new Error('EIO'), 'later'],
  ] as const) {
    const { partner } = await blindPay(t, { readFile: () => Promise.reject(error) });
    const answer = await partner.party.prepare(person({ selfieFile: fileUrl }));
    assert.equal(answer.outcome, outcome);
  }
});

test('the page accepts what BlindPay takes of each kind of document', async (t) => {
  const { partner } = await blindPay(t);
  const types = (kind: VerificationKind) => partner.documentLimits?.(kind).contentTypes;
  for (const kind of ['selfie', 'id_doc_front', 'id_doc_back'] as const) {
    assert.deepEqual(types(kind), ['image/jpeg', 'image/png']);
  }
  assert.ok(types('proof_of_address')?.includes('application/pdf'));
  assert.equal(partner.documentLimits?.('selfie').bytesMax, 3 * 1_024 * 1_024);
});

test('a business of the enhanced tier is refused without a call', async (t) => {
  const { partner, server } = await blindPay(t);
  const input = { ...person({ entityType: 'business' }), kycTier: 'enhanced' } as const;
  assert.equal((await partner.party.prepare(input)).outcome, 'refused');
  assert.deepEqual(server.calls, []);
});

test('each status of a customer is a decision or none; an unknown one is none, and an alert', async (t) => {
  const scene = await blindPay(t);
  const ref = await approvedCustomer(scene);
  for (const [status, expected] of [
    ['verifying', 'verifying'] as const,
    ['pending_review', 'verifying'] as const,
    ['awaiting_contract', 'verifying'] as const,
    ['compliance_request', 'paused'] as const,
    ['approved', 'approved'] as const,
    ['approved_rfi', 'approved'] as const,
    ['rejected', 'rejected'] as const,
    ['deprecated', 'rejected'] as const,
    ['on_the_moon', 'verifying'] as const,
  ]) {
    scene.server.state.setKyc(ref, status);
    assert.equal(done(await scene.partner.party.read(ref)).status, expected, status);
  }
  const levels = scene.log.map(({ level }) => level);
  assert.deepEqual(levels, ['error']);
});

test('production requires terms, tax id and address; a development instance its API’s fields', async (t) => {
  const { partner: development } = await blindPay(t);
  const { partner: production } = await blindPay(t, { mode: 'live' });
  assert.deepEqual(development.requirements('buyer', 'individual'), ['email', 'country']);
  for (const entityType of ['individual', 'business'] as const) {
    const fields = production.requirements('seller', entityType);
    for (const field of ['tosId', 'country', 'addressLine1', 'postalCode'] as const) {
      assert.ok(fields.includes(field), field);
    }
  }
});

test('a quote takes the fee of the pay-in from the amount, and the rate from what arrives', async (t) => {
  const scene = await blindPay(t);
  const destination = await destinationAt(scene);
  const quote = done(await scene.partner.quote({ source: usd(125_000n), destination }));
  assert.deepEqual(
    [quote.fees, quote.target.amountMinor, quote.rate, quote.rateKind],
    [usd(100n), 667_715n, '5.3459968', 'indicative'],
  );
  assert.equal(quote.expiresAtMs, scene.nowMs + 300_000);
});

test('a partner fee is sent with the quote, whose fees contain it', async (t) => {
  const scene = await blindPay(t, { route: { partnerFeeId: 'pf_1' } });
  const destination = await destinationAt(scene);
  const quote = done(await scene.partner.quote({ source: usd(125_000n), destination }));
  assert.deepEqual([quote.source, quote.fees], [usd(125_000n), usd(350n)]);
  const sent = scene.server.calls.find(({ path }) => path === '/payin-quotes');
  assert.equal(JSON.parse(sent?.text ?? '').partner_fee_id, 'pf_1');
});

test('an amount out of range is refused with the range in words', async (t) => {
  const scene = await blindPay(t);
  const destination = await destinationAt(scene);
  const answer = await scene.partner.quote({ source: usd(900n), destination });
  assert.ok(answer.outcome === 'refused' && answer.message.includes('Between $10.00'));
});

test('a pay-in has bank details of each rail, the usual one first, and the memo code', async (t) => {
  const scene = await blindPay(t, { route: { paymentMethod: 'wire' } });
  const request = await preparedPayin(scene);
  const { instructions } = done(await scene.partner.payin.start(request));
  assert.deepEqual(
    instructions?.rails.map(({ rail }) => rail),
    ['wire', 'ach', 'rtp'],
  );
  assert.deepEqual(instructions?.rails[0]?.fields.slice(0, 3), [
    { name: 'beneficiary', value: 'BlindPay, Inc.' },
    { name: 'accountNumber', value: '123456789012' },
    { name: 'routingNumber', value: '110000001' },
  ]);
  const { amount, reference, referenceRequired, holder } = instructions ?? assert.fail();
  assert.deepEqual([amount, referenceRequired, holder], [usd(125_000n), true, 'partner']);
  assert.match(reference ?? '', /^[0-9A-F]{8}$/);
});

test('a refunded pay-in is returned, without money', async (t) => {
  const scene = await blindPay(t);
  const request = await preparedPayin(scene, usd(77_700n));
  const { partnerRef } = done(await scene.partner.payin.start(request));
  scene.pass(60_000);
  const report = done(await scene.partner.payin.read(partnerRef));
  assert.deepEqual([report.status, report.received], ['returned', money(0n, 'USD')]);
});

test('a payout sends what its pay-ins brought, and names our command in the description', async (t) => {
  const scene = await blindPay(t);
  const { partner, server } = scene;
  const request = await preparedPayout(scene);
  const { partnerRef } = done(await partner.payout.start(request));
  const sent = server.calls.find(({ method, path }) => `${method} ${path}` === 'POST /quotes');
  const body = JSON.parse(sent?.text ?? '');
  assert.deepEqual([body.request_amount, body.description], [124_900, 'reference-2 1250.00 USD']);
  scene.pass(60_000);
  const report = done(await partner.payout.read(partnerRef));
  assert.deepEqual([report.status, report.fees], ['completed', usd(100n)]);
  assert.equal(report.settled?.amountMinor, 667_715n);
  const [payin] = server.state.payins;
  const brought = done(await partner.payin.read(payin?.id ?? '')).asset ?? assert.fail();
  const token = { token: 'USDB', network: 'polygon_amoy', quantity: '1249.00' };
  const [wallet, { transactionHash: hash, ...sold }] = [brought.toWallet, report.asset ?? brought];
  assert.deepEqual(sold, { ...token, fromWallet: wallet, toWallet: null });
  assert.match(wallet ?? '', /^0x[0-9a-f]+$/);
  assert.match(hash ?? '', /^0x[0-9a-f]{64}$/);
  assert.deepEqual(
    { ...brought, transactionHash: null },
    { ...token, fromWallet: null, toWallet: wallet, transactionHash: null },
  );
});

test('a pay-in names its payer as the bank does, and another form holds up no money', async (t) => {
  const { partner, server, ...scene } = await blindPay(t);
  await preparedPayout({ partner, server, ...scene });
  const [payin] = server.state.payins;
  const payerOf = async (transfer: object) => {
    Object.assign(payin ?? {}, { tracking_transaction: { step: 'completed', ...transfer } });
    const { received, payer } = done(await partner.payin.read(payin?.id ?? ''));
    assert.ok(received.amountMinor > 0n);
    return payer && [payer.name, payer.bank, payer.trace];
  };
  const told = { sender_name: 'ACME INC', sender_bank_name: 'First Bank', trace_number: '7' };
  assert.deepEqual(await payerOf(told), ['ACME INC', 'First Bank', '7']);
  assert.deepEqual(await payerOf({ sender_name: 7, trace_number: '7' }), [null, null, '7']);
  assert.deepEqual(
    [(await payerOf({}))?.[0] ?? null, (await payerOf({ sender_name: '<development>' }))?.[0]],
    [null, null],
  );
});

test('a payout names its purpose in words behind our command, and is found', async (t) => {
  for (const purpose of [null, ...purposeNames]) {
    const scene = await blindPay(t);
    const { partner, server } = scene;
    const request = await preparedPayout(scene, usd(999_999n), { purpose });
    const { partnerRef } = done(await partner.payout.start(request));
    const [payout] = server.state.payouts;
    const words = purpose === null ? [] : [purposes[purpose]];
    const description = ['reference-2 9999.99 USD', ...words].join(' ');
    assert.equal(payout?.['description'], description);
    // The API takes 128 characters; our references have 32.
    assert.ok(description.length + 32 <= 128, description);
    const restarted = scene.restarted();
    assert.deepEqual(done(await restarted.payout.find(request)), { partnerRef });
    scene.pass(60_000);
    assert.deepEqual(done(await partner.payout.read(partnerRef)).fees, usd(100n), 'by its amount');
  }
});

test('a payout takes from its pay-ins what it pays; a surplus stays in the wallet', async (t) => {
  const scene = await blindPay(t);
  const { partner, server } = scene;
  const destination = await destinationAt(scene);
  const quote = done(await partner.quote({ source: usd(16_000n), destination }));
  const asked = { reference: 'reference-1', quote, payerEmail: 'buyer@example.com' };
  const order = done(await partner.payin.prepare(asked));
  const payinRefs = [done(await partner.payin.start(order)).partnerRef];
  scene.pass(60_000);
  const arrived = Number(server.state.payins[0]?.['receiver_amount']);
  const amount = usd(10_000n);
  const payout = { reference: 'reference-2', amount, destination, payinRefs, quote };
  done(await partner.payout.start(done(await partner.payout.prepare(payout))));
  const paid = Number(server.state.payouts[0]?.['sender_amount']);
  assert.equal(paid, Math.floor((arrived * 10_000) / 16_000));
  assert.deepEqual(
    server.state.wallets.map((wallet) => server.state.balanceOf(wallet)),
    [arrived - paid],
  );
});

test('a payout is prepared for a pay-in that brought half of its dollars in tokens to all', async (t) => {
  for (const [arrived, outcome, code = null] of [
    [1_000_001, 'later'],
    [300_000, 'later'],
    [125_001, 'later'],
    [125_000, 'done'],
    [62_500, 'done'],
    // Perhaps cents for dollars: a case for operators at once.
    [62_499, 'later', 'tokens_missing'],
    [1_249, 'later', 'tokens_missing'],
    [0, 'later'],
  ] as const) {
    const scene = await blindPay(t);
    const { partner, server } = scene;
    const destination = await destinationAt(scene);
    const amount = usd(125_000n);
    const quote = done(await partner.quote({ source: amount, destination }));
    const asked = { reference: 'reference-1', quote, payerEmail: 'buyer@example.com' };
    const order = done(await partner.payin.prepare(asked));
    const payinRefs = [done(await partner.payin.start(order)).partnerRef];
    scene.pass(60_000);
    Object.assign(server.state.payins[0] ?? {}, { receiver_amount: arrived });
    const payout = { reference: 'reference-2', amount, destination, payinRefs, quote };
    const one = await partner.payout.prepare(payout);
    assert.equal(one.outcome, outcome, `${arrived}`);
    assert.equal('code' in one ? one.code : null, code, `${arrived}`);
    // What one pay-in brings too much does not pay for another one.
    const both = { ...payout, amount: usd(250_000n), payinRefs: [...payinRefs, ...payinRefs] };
    const answer = await partner.payout.prepare(both);
    assert.equal(answer.outcome, outcome);
    if (answer.outcome === 'done') {
      assert.equal(JSON.parse(answer.value).tokenMinor, 2 * arrived);
    }
  }
});

test('a payout that failed stays failed, even when its tokens are said to be back', async (t) => {
  const scene = await blindPay(t);
  const request = await preparedPayout(scene, usd(66_700n));
  const { partnerRef } = done(await scene.partner.payout.start(request));
  scene.pass(60_000);
  const report = done(await scene.partner.payout.read(partnerRef));
  assert.deepEqual([report.status, report.reason], ['failed', 'BlindPay: invalid_key']);
});

test('a payout is prepared for pay-ins that cover it, in dollars', async (t) => {
  const scene = await blindPay(t);
  const destination = await destinationAt(scene);
  const input = { reference: 'r', amount: usd(100n), destination, payinRefs: [], quote: null };
  assert.equal((await scene.partner.payout.prepare(input)).outcome, 'refused');
});

test('a refund is refused while it is prepared, so it is never sent', async (t) => {
  const { partner, server } = await blindPay(t);
  const input = { reference: 'r', payinRef: 'pi_1', amount: usd(100n) };
  assert.equal(partner.refundsByHand, true);
  const answer = await partner.refund.prepare(input);
  assert.equal(answer.outcome === 'refused' && answer.code, 'refunds_not_supported');
  assert.deepEqual(done(await partner.findCommand('refund', 'r')), null);
  for (const kind of ['payin', 'payout'] as const) {
    assert.equal((await partner.findCommand(kind, 'r')).outcome, 'later');
  }
  assert.deepEqual(server.calls, []);
});

test('calls stay below the limit of a development instance', async (t) => {
  const scene = await blindPay(t, { callsPerMinute: 100, limit: { perMinute: 70, burst: 20 } });
  let sent = 0;
  for (let count = 0; count < 600; count += 1) {
    if ((await scene.partner.payin.read('pi_1')).outcome === 'refused') sent += 1;
    scene.pass(200);
  }
  assert.ok(sent > 140);
  assert.ok(scene.server.calls.every(({ answer }) => answer?.status !== 429));
});

test('neither the API key nor a PIX key is in a log, a request text or a refusal', async (t) => {
  const scene = await blindPay(t);
  const request = await preparedPayout(scene);
  const partyRef = await approvedCustomer(scene);
  const bad = { partyRef, pixKey: 'bad pix key', accountHolderName: 'Ana Lima', key: 'k' };
  const refusal = await scene.partner.registerPixDestination(bad);
  scene.server.failNext('GET /payins/pi_1', 'other key');
  const unauthorized = await scene.partner.payin.read('pi_1');
  assert.equal(unauthorized.outcome, 'later');
  const texts = JSON.stringify([scene.log, request, refusal, unauthorized]);
  for (const secret of [apiKey, pixKey, 'bad pix key']) assert.ok(!texts.includes(secret), secret);
});
