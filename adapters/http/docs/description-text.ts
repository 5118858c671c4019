// The text of the description that is not in a row of the route table: the introduction, the error
// codes, the test values of the sandbox, and the groups of operations.
import { type PaymentStatus, paymentStatuses } from '../../../core/domain/payments/payment.js';
import { catalogue, type ErrorCode } from '../../../core/errors.js';
import type { PartnerNotes } from '../../../core/ports/partner.js';
import { offTableCodes } from '../protocol/route-errors.js';

export interface TagText {
  readonly name: string;
  readonly description: string;
  /** First path segments of its operations. */
  readonly paths: readonly string[];
}

export const tagTexts: readonly TagText[] = [
  {
    name: 'Payments',
    description: `A payment collects one amount from one buyer. Forward \`hostedPaymentUrl\` to the
buyer, then follow the payment by events or by reading it.`,
    paths: ['payment-intents', 'payments', 'quotes', 'idempotency-keys'],
  },
  {
    name: 'Invoices',
    description: 'Payments that a member may have to approve and whose buyer is invited by mail.',
    paths: ['invoices'],
  },
  {
    name: 'Accounting',
    description: `Double entries of payments for your books, derived from the ledger. An entry has
the date of its posting and never changes: what is corrected later is an entry of a later period.
What is booked after a month was closed is an entry of the next one.`,
    paths: ['settlement-entries', 'accounting'],
  },
  {
    name: 'Connected accounts',
    description: `Your own end clients. Create an account, have the client accept the terms
(\`tos-session\`, then \`tos-accepted\` or the \`tosId\` of the submit), upload its documents and
submit it. Once a seller is approved, register its PIX destination. In live mode a PIX key that is
not the CPF or CNPJ of the seller waits until \`payoutChangesAt\`. When it is \`readyToCollect\`, a
payment can name it and is paid to its PIX destination. In test mode the submit of a seller business
is approved immediately, any other after a short delay. Both path forms are the same API.`,
    paths: ['connected-accounts', 'accounts'],
  },
  {
    name: 'Buyer KYC',
    description: `The identity of buyers, submitted by you instead of on the hosted page. A key
needs \`connected_accounts:write\`, \`payment_intents:write\` or no scopes; a session needs any role
but viewer.`,
    paths: ['buyer-kyc', 'documents'],
  },
  {
    name: 'Webhooks',
    description: `Where events are sent. A delivery has at most seven attempts within about 31
hours. Answer with 2xx within 10 s, and drop duplicates by \`X-Service-Delivery-Id\`.`,
    paths: ['webhook-subscriptions'],
  },
  {
    name: 'Events',
    description: 'The same events as a feed: in order, without gaps, from any sequence.',
    paths: ['events'],
  },
  {
    name: 'Organization',
    description: `\`GET /v1/me\` takes any credential, the rest a dashboard session: API keys, the
audit log, mode and onboarding. A session starts in test mode and expires after 12 hours. Owners and
admins have every scope, finance every scope but \`api_keys:write\`, \`webhooks:write\` and
\`audit:read\`, viewers the other \`:read\` scopes. A change of role takes effect immediately.`,
    paths: ['me', 'api-keys', 'audit', 'auth', 'onboarding'],
  },
  {
    name: 'Test helpers',
    description: 'For test keys only. A live key gets `NotFound`.',
    paths: ['test-helpers'],
  },
  {
    name: 'Service',
    description: 'Probes, this description, and the endpoint of the settlement partner.',
    paths: [
      'healthz',
      'readyz',
      '.well-known',
      'docs-json',
      '',
      'docs',
      'llms.txt',
      'partner-webhooks',
    ],
  },
];

const statusTexts: Readonly<Record<PaymentStatus, string>> = {
  awaiting_approval: 'a member to approve it',
  approved: 'the invitation of the buyer',
  awaiting_buyer: 'the buyer to sign in on the hosted page',
  buyer_kyc_pending: 'the KYC decision on the buyer',
  buyer_kyc_approved: 'the buyer to request a quote',
  fx_quoted: 'the buyer to confirm the quote, or to request another if it has expired',
  on_ramp_pending: 'the full amount from the buyer',
  on_chain_confirmed: 'the start of the payout to the seller',
  offramp_pending: 'the partner to pay the seller',
  settled: 'nothing: the seller received the BRL',
  failed: 'nothing: see `failureCode` and `failureReason`',
  cancelled: 'nothing: see `cancelReason`',
  expired: 'nothing: it was not paid by `expiresAt`',
};

/** The group of a path; its first segment if it is in none. */
export function tagOf(path: string): string {
  const [, first = '', second = ''] = path.split('/');
  const word = first === 'v1' ? second : first;
  return tagTexts.find(({ paths }) => paths.includes(word))?.name ?? word;
}

/** Markdown: the essentials, then sections. `codes` are those that rows can answer with. */
export function introduction(codes: readonly ErrorCode[], partner: PartnerNotes): string {
  const details = Object.entries(detailsOf(codes, partner)).map(section);
  return `Collect cross-border B2B payments: a buyer abroad pays on a hosted page, a Brazilian
seller is paid BRL by PIX.

1. Send your key as \`X-API-Key\`. With \`pk_test_…\` everything is simulated and no money moves.
2. Create a payment: \`POST /v1/payment-intents\` with an amount, the buyer's e-mail address and
   your \`externalId\`. A repeat with the same \`externalId\` returns the same payment.
3. Forward \`hostedPaymentUrl\` to the buyer. In test mode
   \`POST /v1/test-helpers/payments/{id}/advance\` simulates the buyer and the partner.
4. Follow the payment by webhooks, by \`GET /v1/events\` or by reading it.

On an error, decide on \`error\`; \`message\` is for people. If the answer has \`retryAfter\`, send
the same request again after that many seconds.

${details.join('\n')}`;
}

function detailsOf(
  codes: readonly ErrorCode[],
  { testValues }: PartnerNotes,
): Readonly<Record<string, string>> {
  return {
    Requests: `
- The prefix of a key sets its mode (\`pk_test_\`, \`pk_live_\`). Test and live data are separate.
  Resources of another organization or mode are \`NotFound\`.
- A key without scopes is unrestricted; otherwise each operation names the scope that it needs. The
  scope of a payment depends on its origin, not on the path: \`payment_intents:*\` for an intent,
  \`invoices:*\` for an invoice.
- Every POST needs \`Content-Type: application/json\`, even without a body; DELETE does not. Bodies
  are at most 256 KiB, 64 levels and 10,000 values. Text must not contain NUL or lone surrogates.
  Times need an offset or Z.
- Unknown properties are ignored, except a near miss of a known name (\`curency\`, \`external_id\`):
  it is refused with the known name, but not inside \`metadata\` and \`display\`.
  \`POST /v1/buyer-kyc\` refuses every unknown property. Unknown query parameters are refused.
- Optional properties of answers are present, and null when unset. Times are UTC with milliseconds.
- Lists are \`{ data, nextCursor }\`, newest first. Send \`nextCursor\` as \`cursor\`. Lists of API
  keys and webhook subscriptions are complete: up to 100 active ones of each per mode, and the 100
  newest revoked or deleted ones.
- Every answer has an \`X-Request-Id\`. Yours is kept if it is 1-128 of \`[A-Za-z0-9_.-]\`.
- Creates are limited. Their answers have \`RateLimit-Policy\` and \`RateLimit\`
  (draft-ietf-httpapi-ratelimit-headers): how many are left. A 429 says when to repeat it.
- Checks run in this order: credential, scope, rate limit, content type, body. Then a repeated
  create returns the existing resource; a new one is checked for KYB, currency, minimum,
  \`expiresAt\` and seller.
`,
    Creates: `
- The first create answers 201. A repeat, by \`Idempotency-Key\` or \`externalId\`, answers 200 with
  \`Idempotent-Replayed: true\` and the current resource. The body of a repeat changes nothing. If
  it differs from the stored values, \`Idempotent-Mismatch\` lists the fields in the order of this
  description (\`amount, buyer.email\`). Keys do not expire.
- An \`Idempotency-Key\` is unique per organization and mode; intents and invoices do not share keys
  (\`IdempotencyKeyConflict\`). An \`externalId\` is unique per organization, mode and kind of
  resource: an intent and an invoice may have the same one.
- Amounts are strings with at most two decimals: 10.00 or more in USD, above zero in EUR and GBP.
- By default a key may create 600 payments and invoices per minute, in bursts of up to 100. Repeats
  count.
`,
    Payments: `
| status | waits for |
|---|---|
${paymentStatuses.map(statusRow).join('\n')}

An organization may require that a member approves its invoices, with a session:
\`POST /v1/invoices/{id}/approve\`. Payment intents are exempt, because the call that creates one is
its approval, unless the organization requires it for them, too
(\`POST /v1/payment-intents/{id}/approve\`). In live mode the member who created an API key cannot
approve what the key created.

A payment can be cancelled until its payout starts. A payment with an \`expiresAt\` can expire until
the partner has reported its full amount. Money that arrives after the end or beyond the amount is
owed to the buyer. \`funds\` shows where the money is.
`,
    Buyers: `
A buyer is identified by its e-mail address (trimmed, in lower case) in each mode. The buyer fields
of a create pre-fill the form of that payment and are not verified. \`kycStatus\` is
\`not_started\` until you submit the buyer, have it as a connected account, or it signs in to one of
your payments. An approval applies to every integrator once the buyer has signed in on the hosted
page.
`,
    Webhooks: `
- Signature: \`X-Service-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">\`. The
  HMAC key is the whole text of the secret. Refuse a webhook whose \`t\` is more than 300 s off.
- The same secret also signs by [Standard Webhooks](https://www.standardwebhooks.com), in
  \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`: any verifier of that scheme takes
  it. Verify one of the two.
- Every attempt of a delivery has the same \`X-Service-Delivery-Id\` and the same bytes. An answer
  other than 2xx (a redirect too), or none within 10 s, is a failure. Attempts 2 to 7 follow
  after 30 s, 2 min, 10 min, 1 h, 6 h and 24 h; then the delivery is a \`dead_letter\`, which can be
  replayed. Webhooks may arrive out of order and more than once.
- URLs are https on any port, without credentials or fragment, and resolve to public addresses.
- \`payment_intent.*\` covers payments created as intents, \`invoice.*\` both intents and invoices:
  one event per change and namespace.
- Each event type has [a page](docs/events) with an example.
- \`GET /v1/events\` returns the same events again, from any sequence.
`,
    'Test mode': `
No money moves. These values cause a failure:

| value | effect |
|---|---|
${testValues.map(({ where, value, means }) => `| ${where} \`${value}\` | ${means} |`).join('\n')}
`,
    Errors: `
Each code has [a page](docs/errors) with who answers with it. Any request can fail with
${offTableCodes.map((code) => `\`${code}\``).join(', ')}.

| status | error | meaning |
|---|---|---|
${codes.map(errorRow).join('\n')}
`,
  };
}

function section([heading, text]: readonly [string, string]): string {
  return `## ${heading}\n\n${text.trim()}\n`;
}

function statusRow(status: PaymentStatus): string {
  return `| \`${status}\` | ${statusTexts[status]} |`;
}

function errorRow(code: ErrorCode): string {
  // Markdown would read it as a tag.
  const message = catalogue[code].message.replace('<n>', '`n`');
  return `| ${catalogue[code].status} | \`${code}\` | ${message} |`;
}
