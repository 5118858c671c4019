// What the shapes of requests take and refuse, at their edges.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { checkedAgainst } from '../../../../adapters/http/protocol/request-input.js';
import { pageQuery, RAW_JSON_BYTES_MAX } from '../../../../adapters/http/protocol/schemas.js';
import {
  createAccountBody,
  submitAccountBody,
  tosSessionBody,
} from '../../../../adapters/http/resources/account-routes.js';
import { startBuyerKycBody } from '../../../../adapters/http/resources/buyer-kyc-routes.js';
import { country } from '../../../../adapters/http/resources/dossier-fields.js';
import { createInvoiceBody } from '../../../../adapters/http/resources/invoice-routes.js';
import {
  advanceBody,
  cancelBody,
  createPaymentBody,
  createPaymentIntentBody,
} from '../../../../adapters/http/resources/payment-routes.js';
import { createSubscriptionBody } from '../../../../adapters/http/resources/webhook-routes.js';
import { routes } from '../../../../adapters/http/routes.js';
import { RawJson } from '../../../../core/domain/base/raw-json.js';
import { readableEmails, unreadableEmails } from '../../../support/samples/emails.js';

const least = { externalId: 'a', amount: '10', buyer: { email: 'ana@example.com' } };

interface Edges {
  readonly rule: string;
  readonly taken: readonly unknown[];
  readonly refused: readonly unknown[];
}

const fields: Readonly<Record<string, Edges>> = {
  externalId: {
    rule: 'externalId is text of 1 to 200 characters',
    taken: ['a', ' ', 'ü/%?#', 'x'.repeat(200), '😀'.repeat(200)],
    refused: ['', 'x'.repeat(201), '😀'.repeat(201), 1, null, undefined],
  },
  amount: {
    rule: 'an amount is 1-12 digits as text, with one or two decimals at most',
    taken: ['0', '10', '10.5', '10.50', '999999999999.99', '000010.00'],
    refused: [
      '',
      '10.',
      '.5',
      '10.555',
      '-1',
      '+1',
      '1e3',
      '1,000.00',
      ' 10',
      '10 ',
      '１０',
      '0x10',
      '1000000000000',
      'NaN',
      10,
      10.5,
      null,
      undefined,
      ['10'],
      { value: '10' },
    ],
  },
  currency: {
    rule: 'a currency is three capital letters, and may be left out',
    taken: ['USD', 'EUR', 'XXX', null, undefined],
    refused: ['usd', 'US', 'USDC', '', ' USD', 840],
  },
  returnUrl: {
    rule: 'a returnUrl is http or https only',
    taken: [
      'https://example.com',
      'http://localhost:3000/done?a=b#c',
      'HTTPS://EXAMPLE.COM',
      'https://exämple.de/ü',
      null,
      undefined,
    ],
    refused: [
      '',
      'example.com',
      '/done',
      '//example.com',
      'ftp://example.com',
      'javascript:alert(1)',
      'https://',
      'https:/example.com',
      ' https://example.com',
      'https://a b',
      'https://a\n.b',
      'data:text/html,x',
      `https://example.com/${'x'.repeat(2_048)}`,
      'https://[::1',
      7,
      {},
    ],
  },
  expiresAt: {
    rule: 'expiresAt is RFC 3339 with an offset or Z: a local time is refused',
    taken: [
      '2031-01-31T12:00:00Z',
      '2031-01-31T12:00:00.123456-03:00',
      '2031-01-31t12:00:00z',
      '2000-02-29T00:00:00+00:00',
      null,
      undefined,
    ],
    refused: [
      '2031-01-31',
      '2031-01-31T12:00:00',
      '2031-01-31 12:00:00Z',
      '2031-02-30T00:00:00Z',
      '2031-01-31T25:00:00Z',
      '',
      'tomorrow',
      1_900_000_000_000,
      '1900000000000',
    ],
  },
  sellerExternalId: {
    rule: 'sellerExternalId is text of 1 to 200 characters, on intents not required',
    taken: ['s', 'x'.repeat(200), null, undefined],
    refused: ['', 'x'.repeat(201), 1],
  },
  metadata: {
    rule: 'metadata is a JSON object of 32 KiB at most',
    taken: [new RawJson('{}'), new RawJson(filledTo(RAW_JSON_BYTES_MAX)), null, undefined],
    refused: [new RawJson(filledTo(RAW_JSON_BYTES_MAX + 1)), {}, [], 'text', 1, true],
  },
  display: {
    rule: 'display is a JSON object of 32 KiB at most, free inside',
    taken: [new RawJson('{"title":1,"lineItems":"free"}'), null, undefined],
    refused: [new RawJson(filledTo(RAW_JSON_BYTES_MAX + 1)), [], 'text'],
  },
  buyer: {
    rule: 'a buyer is an object with an e-mail address; what else it says is text',
    taken: [
      { email: 'ana@example.com', name: null, country: null, phone: null },
      { email: 'ana@example.com', name: '', country: 'Germany', phone: '+49 30 1', more: 1 },
    ],
    refused: [null, undefined, [], 'ana@example.com', {}, { email: 'ana@example.com', name: 7 }],
  },
};

for (const [field, { rule, taken, refused }] of Object.entries(fields)) {
  test('text of exactly two characters counts code points, as its description does', () => {
    const taken = (value: string) => country.safeParse(value).success;
    assert.deepEqual(['PT', '😀😀', '😀', 'P', 'PRT', '😀PT'].map(taken), [
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test(rule, () => {
    for (const value of taken) {
      const result = createPaymentIntentBody.safeParse({ ...least, [field]: value });
      assert.ok(result.success, `${String(value)}: ${result.error?.message}`);
    }
    for (const value of refused) {
      const result = createPaymentIntentBody.safeParse({ ...least, [field]: value });
      assert.ok(!result.success, String(value));
      assert.ok(result.error.issues.every(({ path }) => path[0] === field));
    }
  });
}

/** Every place where an e-mail address comes in, and what is made of it there. */
const addresses: Readonly<Record<string, (email: unknown) => unknown>> = {
  'a payment intent': (email) =>
    createPaymentIntentBody.parse({ ...least, buyer: { email } }).buyer.email,
  'a payment': (email) =>
    createPaymentBody.parse({ ...least, sellerExternalId: 's', buyer: { email } }).buyer.email,
  'an invoice': (email) => createInvoiceBody.parse({ ...least, buyer: { email } }).buyer.email,
  'the dossier of an account': (email) => submitAccountBody.parse({ email }).email,
  'a buyer KYC': (email) => startBuyerKycBody.parse({ buyerEmail: email }).buyerEmail,
};

for (const [place, read] of Object.entries(addresses)) {
  test(`the e-mail address of ${place} is a real one, kept without white space around it`, () => {
    for (const [given, kept] of readableEmails) assert.equal(read(given), kept, given);
    for (const email of [...unreadableEmails, 7]) assert.throws(() => read(email), String(email));
  });
}

test('no other body takes an e-mail address', () => {
  const taking = routes.filter(
    ({ body }) =>
      body instanceof z.ZodType &&
      /"\w*mail":/i.test(
        JSON.stringify(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })),
      ),
  );
  const bodies = new Set(taking.map(({ body }) => body));
  // The create of a connected account takes any text: its submission judges.
  assert.ok(bodies.delete(createAccountBody));
  assert.equal(bodies.size, Object.keys(addresses).length);
});

test('a very long address without an @ is refused quickly', () => {
  const email = 'a.'.repeat(120_000);
  assert.ok(!createPaymentIntentBody.safeParse({ ...least, buyer: { email } }).success);
});

test('absent becomes null, amounts minor units, times milliseconds, USD the default', () => {
  const { metadata, ...rest } = createPaymentIntentBody.parse({
    ...least,
    amount: '10.5',
    metadata: new RawJson('{"b": 1}'),
    expiresAt: '1970-01-01T01:00:00.001+01:00',
    unknown: 'ignored',
  });
  assert.equal(metadata, '{"b": 1}');
  assert.deepEqual(rest, {
    externalId: 'a',
    amount: { amountMinor: 1_050n, currency: 'USD' },
    buyer: { email: 'ana@example.com', name: null, country: null, phone: null },
    returnUrl: null,
    display: null,
    expiresAtMs: 1,
    purpose: null,
    purchaseOrder: null,
    buyerReference: null,
    payerRelation: null,
    fiscalDocument: null,
    bookedRate: null,
    sellerExternalId: null,
  });
});

test('a redirectUrl is http or https only', () => {
  const { taken = [], refused = [] } = fields['returnUrl'] ?? {};
  const takes = (redirectUrl: unknown) => tosSessionBody.safeParse({ redirectUrl }).success;
  for (const url of taken) assert.equal(takes(url), typeof url === 'string', String(url));
  for (const url of refused) assert.ok(!takes(url), String(url));
});

test('sellerExternalId is required under /v1/payments', () => {
  assert.ok(!createPaymentBody.safeParse(least).success);
  assert.ok(!createPaymentBody.safeParse({ ...least, sellerExternalId: null }).success);
  assert.ok(createPaymentBody.safeParse({ ...least, sellerExternalId: 's' }).success);
});

test('a cancel has a reason of 1 to 500 characters', () => {
  for (const reason of ['x', 'x'.repeat(500), '😀'.repeat(500)]) {
    assert.ok(cancelBody.safeParse({ reason }).success);
  }
  for (const reason of ['', 'x'.repeat(501), '😀'.repeat(501), 1, null, undefined]) {
    assert.ok(!cancelBody.safeParse({ reason }).success);
  }
});

test('an advance goes to a status on the way to settled', () => {
  for (const to of ['settled', 'awaiting_buyer', 'offramp_pending', null, undefined]) {
    assert.ok(advanceBody.safeParse({ to }).success, String(to));
  }
  for (const to of ['failed', 'cancelled', 'expired', 'SETTLED', '', 1]) {
    assert.ok(!advanceBody.safeParse({ to }).success, String(to));
  }
});

test('a subscription names at least one event type that exists', () => {
  const takes = (eventTypes: unknown) =>
    createSubscriptionBody.safeParse({ url: 'https://a.co', eventTypes }).success;
  for (const good of [['*'], ['payment_intent.*'], ['payment_intent.settled', 'webhook.test']]) {
    assert.ok(takes(good), good.join());
  }
  for (const bad of [[], [''], ['payment_intent.paid'], ['*.settled'], ['payment.*'], '*', null]) {
    assert.ok(!takes(bad), String(bad));
  }
  assert.ok(!takes(Array.from({ length: 101 }, () => '*')));
});

test('a page has 1 to 100 rows, 25 by default', () => {
  assert.deepEqual(pageQuery.parse({}), { limit: 25, cursor: null });
  for (const limit of ['1', '9', '10', '99', '100']) {
    assert.equal(pageQuery.parse({ limit }).limit, Number(limit));
  }
  for (const limit of ['0', '101', '-1', '1.5', '1e1', '0x1', '', ' 1', '01', ['1', '2'], 'all']) {
    assert.ok(!pageQuery.safeParse({ limit }).success, String(limit));
  }
  assert.ok(!pageQuery.safeParse({ cursor: ['a', 'b'] }).success);
});

test('every problem is named with its path and what to send', () => {
  const wrong = [undefined, null, -1, 1.5, true, 'x', 'x'.repeat(3_000), [], [1], [[]], [{}], {}];
  for (const { operations, body, query } of routes) {
    for (const schema of [body, query]) {
      if (!(schema instanceof z.ZodObject)) continue;
      const names = [...Object.keys(schema.shape), 'unheard_of'];
      for (const value of names.flatMap((name) => wrong.map((item) => ({ [name]: item })))) {
        const problems: string[] = [];
        checkedAgainst(schema, value, problems);
        for (const problem of problems) {
          const at = `${Object.keys(operations)[0]} ${JSON.stringify(value).slice(0, 80)}`;
          assert.match(problem, /^[a-z][\w.[\]]*: (send|unknown property)/i, at);
          assert.doesNotMatch(problem, /invalid|expected|received|too (big|small)/i, at);
        }
      }
    }
  }
  const problemsOf = (schema: z.ZodType, value: unknown) => {
    const problems: string[] = [];
    checkedAgainst(schema, value, problems);
    return problems;
  };
  assert.deepEqual(problemsOf(createPaymentIntentBody, { ...least, buyer: undefined }), [
    'buyer: send an object',
  ]);
  assert.deepEqual(problemsOf(createSubscriptionBody, { url: 'https://a.co', eventTypes: '*' }), [
    'eventTypes: send a list',
  ]);
  const owners = [{ role: 'chef', country: 'USA', shoeSize: 42 }];
  const ofOwner = problemsOf(startBuyerKycBody, { buyerEmail: 'ana@example.com', owners });
  for (const one of [
    'owners[0].taxId: send text of 1 to 64 characters',
    'owners[0].country: send text of exactly 2 characters',
    'owners[0].role: send one of beneficial_controlling, beneficial_owner, controlling_person',
    'owners[0].shoeSize: unknown property; leave it out',
  ]) {
    assert.ok(ofOwner.includes(one), `${one} in ${ofOwner.join('; ')}`);
  }
});

function filledTo(bytes: number): string {
  return `{"a":"${'x'.repeat(bytes - '{"a":""}'.length)}"}`;
}
