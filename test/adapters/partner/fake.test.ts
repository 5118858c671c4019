import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createFakePartner, type FakePartner } from '../../../adapters/partner/fake.js';
import { magicValues } from '../../../adapters/partner/fake-order.js';
import type { SignedMessage } from '../../../adapters/partner/signed-message.js';
import { convert, type Money, money, parseRate, subtract } from '../../../core/domain/money.js';
import type { PartnerAnswer, PartnerFact, ReceiverOrder } from '../../../core/ports.js';
import { done, testSettlementPartner } from '../../contract/settlement-partner.js';

const START_MS = 1_763_640_000_000;
const DELAY_MS = 1_000;
const secret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
const pixKey = 'ana.lima@example.com';

interface World {
  readonly partner: FakePartner;
  readonly messages: SignedMessage[];
  nowMs: number;
  /** Lets this much time pass, then sends everything due. */
  pass(ms: number): Promise<void>;
  restarted(): FakePartner;
}

function world(
  options: { readonly delayMs?: number; readonly mode?: 'test' | 'live' } = {},
): World {
  const messages: SignedMessage[] = [];
  const make = () =>
    createFakePartner({
      mode: options.mode ?? 'test',
      clock: { nowMs: () => made.nowMs },
      delayMs: options.delayMs ?? DELAY_MS,
      secret,
      deliver: async (message) => {
        messages.push(message);
      },
    });
  const made: World = {
    partner: make(),
    messages,
    nowMs: START_MS,
    async pass(ms) {
      made.nowMs += ms;
      while ((await made.partner.pump(made.nowMs, 10)) > 0);
    },
    restarted: make,
  };
  return made;
}

testSettlementPartner(
  'fake',
  {
    amounts: {
      fine: money(125_000n, 'USD'),
      payinFails: money(125_066n, 'USD'),
      payoutFails: money(125_077n, 'USD'),
      payoutReturns: money(125_088n, 'USD'),
    },
    rejected: { firstName: 'Fail', lastName: 'Lima' },
    pixKey,
    badPixKey: 'not a pix key',
    refunds: true,
  },
  async () => {
    const made = world({ delayMs: 45_000 });
    return {
      partner: made.partner,
      nowMs: () => made.nowMs,
      step: () => made.pass(45_000),
      messages: () => made.messages,
      restarted: made.restarted,
      close: async () => undefined,
    };
  },
);

const anyAmount = fc.record({
  amountMinor: fc.bigInt({ min: 100n, max: 99_999_999_999_999n }),
  currency: fc.constantFrom('USD', 'EUR', 'GBP'),
});

test('a request text alone decides the id, whenever and wherever it is started', async () => {
  const reference = fc.string({ minLength: 1 });
  await fc.assert(
    fc.asyncProperty(anyAmount, reference, fc.nat(10 ** 9), async (amount, name, laterMs) => {
      const made = world();
      const destination = await destinationOf(made);
      const quote = done(await made.partner.quote({ source: amount, destination }));
      const order = { reference: name, quote, payerEmail: 'buyer@example.com' };
      const payin = done(await made.partner.preparePayin(order));
      const payout = done(
        await made.partner.preparePayout({ reference: name, amount, destination }),
      );
      const first = [await made.partner.startPayin(payin), await made.partner.startPayout(payout)];
      made.nowMs += laterMs;
      const other = made.restarted();
      assert.deepEqual([await other.startPayin(payin), await other.startPayout(payout)], first);
      for (const answer of first) {
        assert.ok(done<{ partnerRef: string }>(answer).partnerRef.length <= 100);
      }
    }),
  );
});

test('quote and payout: BRL is what is left after the fees, at the rate told, rounded down', async () => {
  await fc.assert(
    fc.asyncProperty(anyAmount, async (amount) => {
      const made = world();
      const destination = await destinationOf(made);
      const quote = done(await made.partner.quote({ source: amount, destination }));
      const rate = parseRate(quote.rate);
      assert.ok(rate !== null);
      const rest = subtract(amount, quote.fees);
      assert.deepEqual(quote.target, convert(rest, rate, 'BRL', 'floor'));
      assert.equal(quote.rateKind, 'indicative');
      const report = await payoutEnd(made, amount, destination);
      if (report.status !== 'completed') return;
      // Prepared in the minute of the quote, so at its rate.
      assert.deepEqual(
        [report.settled, report.fees, report.fxRate],
        [quote.target, quote.fees, quote.rate],
      );
    }),
  );
});

test('the rate stays within 1 % of its middle, moves, and is the same within a minute', async () => {
  const middles = { USD: 5.4, EUR: 5.9, GBP: 6.9 } as const;
  for (const [currency, middle] of Object.entries(middles)) {
    const made = world();
    const destination = await destinationOf(made);
    const rates = new Set<string>();
    for (let minute = 0; minute < 2_000; minute += 7) {
      made.nowMs = START_MS + minute * 60_000;
      const source = money(10_000n, currency);
      const { rate } = done(await made.partner.quote({ source, destination }));
      assert.ok(Math.abs(Number.parseFloat(rate) / middle - 1) <= 0.01, `${currency} ${rate}`);
      made.nowMs += 59_999;
      assert.equal(done(await made.partner.quote({ source, destination })).rate, rate);
      rates.add(rate);
    }
    assert.ok(rates.size > 50);
  }
});

test('the payout is made at the rate of its own minute, not of the quote', async () => {
  const made = world();
  const destination = await destinationOf(made);
  const source = money(100_000n, 'USD');
  const quote = done(await made.partner.quote({ source, destination }));
  made.nowMs += 6 * 3_600_000;
  const later = done(await made.partner.quote({ source, destination }));
  const report = await payoutEnd(made, source, destination);
  assert.notEqual(later.rate, quote.rate);
  assert.equal(report.fxRate, later.rate);
});

test('an amount that the fees would eat up is refused', async () => {
  const made = world();
  const destination = await destinationOf(made);
  for (const amountMinor of [-1n, 0n, 1n, 30n, 31n]) {
    const answer = await made.partner.quote({ source: money(amountMinor, 'EUR'), destination });
    assert.equal(answer.outcome === 'refused' ? answer.code : null, 'amount_too_small');
  }
});

const payinCases = [
  ['1000.00', 'completed', '1000.00'],
  ['1000.66', 'failed', '0.00'],
  ['1000.55', 'open', '999.55'],
  ['0.55', 'open', '0.00'],
  ['1000.77', 'completed', '1000.77'],
  ['1000.88', 'completed', '1000.88'],
] as const;

test('how an amount ends decides how its pay-in ends', async () => {
  for (const [text, status, received] of payinCases) {
    const made = world();
    const partnerRef = await startedPayin(made, minor(text));
    assert.equal(done(await made.partner.payin(partnerRef)).status, 'open');
    await made.pass(DELAY_MS - 1);
    assert.equal(done(await made.partner.payin(partnerRef)).receivedMinor, 0n);
    assert.equal(made.messages.length, 0);
    await made.pass(1);
    const report = done(await made.partner.payin(partnerRef));
    assert.equal(report.status, status, text);
    assert.equal(report.receivedMinor, minor(received).amountMinor, text);
    assert.equal(report.transactionHash !== null, status === 'completed');
    await made.pass(1_000 * DELAY_MS);
    assert.deepEqual(done(await made.partner.payin(partnerRef)), report);
    assert.deepEqual(facts(made), [{ kind: 'payin', reference: 'cmd_1', partnerRef, report }]);
  }
});

const payoutCases = [
  ['1000.00', ['open', 'completed', 'completed']],
  ['1000.55', ['open', 'completed', 'completed']],
  ['1000.66', ['open', 'completed', 'completed']],
  ['1000.77', ['open', 'failed', 'failed']],
  ['1000.88', ['open', 'failed', 'returned']],
] as const;

test('how an amount ends decides how its payout goes, and each step is told', async () => {
  for (const [text, statuses] of payoutCases) {
    const made = world();
    const partnerRef = await startedPayout(made, minor(text));
    for (const status of statuses) {
      assert.equal(done(await made.partner.payout(partnerRef)).status, status, text);
      await made.pass(DELAY_MS);
    }
    const told = facts(made).map(({ report }) => report.status);
    assert.deepEqual(told, [...new Set(statuses)].slice(1), text);
  }
});

test('every magic amount of the table is one of those cases', () => {
  const endings = new Set([...payinCases, ...payoutCases].map(([text]) => text.slice(-3)));
  for (const value of Object.keys(magicValues)) {
    assert.ok(value === 'Fail' || endings.has(value as never), value);
  }
});

const partyCases: readonly (readonly [Partial<ReceiverOrder>, string, string])[] = [
  [{ firstName: 'Ana' }, 'verifying', 'approved'],
  [{ firstName: 'Fail' }, 'verifying', 'rejected'],
  [{ lastName: 'Fail' }, 'verifying', 'approved'],
  [{ firstName: null }, 'verifying', 'approved'],
  [{ firstName: '.66' }, 'verifying', 'approved'],
  [{ entityType: 'business', legalName: 'Lima Ltda' }, 'approved', 'approved'],
  [{ entityType: 'business', legalName: 'Fail' }, 'rejected', 'rejected'],
];

test('a business is decided on in the call, an individual by message after the delay', async () => {
  for (const [fields, inTheCall, atLast] of partyCases) {
    const made = world();
    const request = done(await made.partner.prepareReceiver(party(fields)));
    const { partnerRef, ...report } = done(await made.partner.submitReceiver(request));
    assert.equal(report.status, inTheCall);
    assert.deepEqual(done(await made.partner.receiver(partnerRef)), report);
    await made.pass(DELAY_MS);
    const decided = done(await made.partner.receiver(partnerRef));
    assert.equal(decided.status, atLast);
    const told = { kind: 'submit_buyer', reference: 'cmd_1', partnerRef, report: decided };
    assert.deepEqual(facts(made), inTheCall === atLast ? [] : [told]);
  }
});

test('without a delay messages are due at once, and still not sent in the call', async () => {
  const made = world({ delayMs: 0 });
  const request = done(await made.partner.prepareReceiver(party({})));
  assert.equal(done(await made.partner.submitReceiver(request)).status, 'verifying');
  assert.equal(made.partner.nextDueAtMs(), START_MS);
  const partnerRef = await startedPayout(made, minor('10.88'));
  assert.equal(made.messages.length, 0);
  await made.pass(0);
  assert.deepEqual(
    facts(made)
      .filter((fact) => fact.partnerRef === partnerRef)
      .map(({ report }) => report.status),
    ['failed', 'returned'],
  );
  assert.equal(made.partner.nextDueAtMs(), null);
});

test('a restart forgets messages and nothing else', async () => {
  const made = world();
  const partnerRef = await startedPayin(made, minor('100.00'));
  const partner = made.restarted();
  assert.equal(partner.nextDueAtMs(), null);
  made.nowMs += DELAY_MS;
  assert.equal(done(await partner.payin(partnerRef)).status, 'completed');
});

test('looking an order up finds it from when it was prepared, and tells nobody', async () => {
  const made = world();
  const order = {
    reference: 'cmd_1',
    amount: minor('10.00'),
    destination: await destinationOf(made),
  };
  const request = done(await made.partner.preparePayout(order));
  const found = done(await made.partner.findPayout(request));
  assert.equal(made.partner.nextDueAtMs(), null);
  assert.deepEqual(done(await made.partner.startPayout(request)), found);
  assert.equal(done(await made.partner.findPayin(request)), null);
  assert.equal(done(await made.partner.findPayout('{}')), null);
});

test('a pay-in of a quote that nobody gave is refused', async () => {
  const made = world();
  const quote = done(
    await made.partner.quote({ source: minor('10.00'), destination: await destinationOf(made) }),
  );
  const forged = { ...quote, partnerQuoteId: `${quote.partnerQuoteId}A` };
  const order = { reference: 'cmd_1', quote: forged, payerEmail: 'buyer@example.com' };
  const request = done(await made.partner.preparePayin(order));
  assert.equal(refusalCode(await made.partner.startPayin(request)), 'not_found');
  assert.equal(done(await made.partner.findPayin(request)), null);
});

test('the amount of the quote counts, whatever else the order says', async () => {
  const made = world();
  const quote = done(
    await made.partner.quote({ source: minor('10.00'), destination: await destinationOf(made) }),
  );
  const order = {
    reference: 'cmd_1',
    quote: { ...quote, source: minor('1.00') },
    payerEmail: 'buyer@example.com',
  };
  const request = done(await made.partner.preparePayin(order));
  const { instructions } = done(await made.partner.startPayin(request));
  const told: unknown = JSON.parse(instructions);
  assert.partialDeepStrictEqual(told, { amount: '10.00', currency: 'USD' });
});

test('a refund is at most what the pay-in brings, in its currency', async () => {
  for (const [payin, refund, outcome] of [
    ['100.00', money(10_000n, 'USD'), 'done'],
    ['100.00', money(1n, 'USD'), 'done'],
    ['100.00', money(10_000n, 'EUR'), 'refused'],
    ['100.00', money(0n, 'USD'), 'refused'],
    ['100.55', money(9_955n, 'USD'), 'done'],
    ['100.55', money(9_956n, 'USD'), 'refused'],
    ['100.66', money(1n, 'USD'), 'refused'],
  ] as const) {
    const made = world();
    const payinRef = await startedPayin(made, minor(payin));
    await made.pass(DELAY_MS);
    const order = { reference: 'cmd_2', payinRef, amount: refund };
    const request = done(await made.partner.prepareRefund(order));
    const started = await made.partner.startRefund(request);
    assert.equal(started.outcome, outcome, `${payin} ${refund.amountMinor}`);
    if (started.outcome !== 'done') continue;
    const { partnerRef } = started.value;
    assert.equal(done(await made.partner.refund(partnerRef)).status, 'open');
    await made.pass(DELAY_MS);
    assert.equal(done(await made.partner.refund(partnerRef)).status, 'completed');
    assert.equal(facts(made).at(-1)?.kind, 'refund');
  }
});

test('ids and requests of one mode are unknown in the other', async () => {
  const [test, live] = [world(), world({ mode: 'live' })];
  const partnerRef = await startedPayin(test, minor('10.00'));
  assert.equal(refusalCode(await live.partner.payin(partnerRef)), 'not_found');
  assert.equal(refusalCode(await test.partner.payout(partnerRef)), 'not_found');
  const request = done(await test.partner.prepareReceiver(party({})));
  assert.equal(refusalCode(await live.partner.submitReceiver(request)), 'request_invalid');
  await test.pass(DELAY_MS);
  for (const { headers, body } of test.messages) {
    assert.equal(live.partner.readInbound(headers, body, live.nowMs + DELAY_MS), null);
  }
});

test('an id of which any character is changed is unknown', async () => {
  const made = world();
  const partnerRef = await startedPayin(made, minor('10.00'));
  for (let at = 0; at < partnerRef.length; at += 1) {
    const changed = String.fromCharCode(partnerRef.charCodeAt(at) ^ 1);
    const other = partnerRef.slice(0, at) + changed + partnerRef.slice(at + 1);
    assert.equal(refusalCode(await made.partner.payin(other)), 'not_found', other);
  }
});

const pixKeys: readonly (readonly [key: string, isOne: boolean])[] = [
  ['12345678901', true],
  ['12345678000195', true],
  ['12ABC34501DE35', true],
  ['+5511987654321', true],
  ['+551133334444', true],
  ['ana@example.com.br', true],
  ['123e4567-e89b-42d3-a456-426614174000', true],
  ['', false],
  [' ', false],
  ['1234567890', false],
  ['123.456.789-01', false],
  ['12.345.678/0001-95', false],
  ['11987654321 ', false],
  ['+1 212 555 0100', false],
  ['5511987654321', false],
  ['ana@', false],
  ['@example.com', false],
  ['ana@example', false],
  [`${'a'.repeat(70)}@example.com`, false],
  ['123e4567e89b42d3a456426614174000', false],
];

test('a PIX key is a CPF, a CNPJ, a phone number, an e-mail address or a UUID', async () => {
  const made = world();
  const receiverRef = await approvedBusiness(made);
  for (const [key, isOne] of pixKeys) {
    const input = { receiverRef, pixKey: key, accountHolderName: 'Ana', key: 'k' };
    const answer = await made.partner.registerPixDestination(input);
    assert.equal(refusalCode(answer), isOne ? null : 'pix_key_invalid', key);
  }
});

test('PIX and rails need an approved party and a holder', async () => {
  const made = world();
  const pix = (receiverRef: string, accountHolderName: string) =>
    made.partner.registerPixDestination({ receiverRef, pixKey, accountHolderName, key: 'k' });
  const approved = await approvedBusiness(made);
  assert.equal(refusalCode(await pix(approved, '  ')), 'account_holder_invalid');
  const request = done(await made.partner.prepareReceiver(party({})));
  const { partnerRef } = done(await made.partner.submitReceiver(request));
  assert.equal(refusalCode(await pix(partnerRef, 'Ana')), 'receiver_not_approved');
  await made.pass(DELAY_MS);
  assert.equal(refusalCode(await pix(partnerRef, 'Ana')), null);
  const rails = { receiverRef: approved, destinationRef: 'fake_pix_x', key: 'k' };
  assert.equal(refusalCode(await made.partner.provisionRails(rails)), 'not_found');
});

test('the PIX end-to-end id has BACEN’s form and the minute of the payment', async () => {
  const made = world();
  const report = await payoutEnd(made, minor('10.00'), await destinationOf(made));
  // 2025-11-20T12:00:01Z
  assert.match(report.endToEndId ?? '', /^E99999999202511201200[0-9a-f]{11}$/);
});

function minor(text: string): Money {
  return money(BigInt(text.replace('.', '')), 'USD');
}

function party(fields: Partial<ReceiverOrder>): ReceiverOrder {
  return {
    reference: 'cmd_1',
    entityType: 'individual',
    email: 'buyer@example.com',
    firstName: 'Ana',
    lastName: 'Lima',
    legalName: null,
    country: 'US',
    ...fields,
  };
}

async function approvedBusiness({ partner }: World): Promise<string> {
  const business = party({ entityType: 'business', legalName: 'Lima Ltda' });
  const request = done(await partner.prepareReceiver(business));
  return done(await partner.submitReceiver(request)).partnerRef;
}

async function destinationOf(made: World): Promise<string> {
  const receiverRef = await approvedBusiness(made);
  const input = { receiverRef, pixKey, accountHolderName: 'Ana Lima', key: 'k' };
  return done(await made.partner.registerPixDestination(input)).destinationRef;
}

async function startedPayin(made: World, source: Money): Promise<string> {
  const destination = await destinationOf(made);
  const quote = done(await made.partner.quote({ source, destination }));
  const order = { reference: 'cmd_1', quote, payerEmail: 'buyer@example.com' };
  const request = done(await made.partner.preparePayin(order));
  return done(await made.partner.startPayin(request)).partnerRef;
}

async function startedPayout(made: World, amount: Money, to?: string): Promise<string> {
  const destination = to ?? (await destinationOf(made));
  const order = { reference: 'cmd_1', amount, destination };
  const request = done(await made.partner.preparePayout(order));
  return done(await made.partner.startPayout(request)).partnerRef;
}

async function payoutEnd(made: World, amount: Money, destination: string) {
  const partnerRef = await startedPayout(made, amount, destination);
  await made.pass(2 * DELAY_MS);
  return done(await made.partner.payout(partnerRef));
}

function facts({ partner, messages, nowMs }: World): readonly PartnerFact[] {
  return messages.flatMap(({ headers, body }) => {
    const sentAtMs = Number.parseInt(headers['svix-timestamp'] ?? '', 10) * 1_000;
    assert.ok(sentAtMs <= nowMs);
    return partner.readInbound(headers, body, sentAtMs)?.facts ?? assert.fail('not genuine');
  });
}

function refusalCode(answer: PartnerAnswer<unknown>): string | null {
  return answer.outcome === 'refused' ? answer.code : null;
}
