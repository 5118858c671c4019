// The words of the description that no row of the route table holds: what an integrator reads
// first, every error code, the magic values of the sandbox, and the groups of operations.
import { type PaymentStatus, paymentStatuses } from '../../core/domain/payment.js';
import { catalogue, type ErrorCode } from '../../core/errors.js';
import type { PartnerNotes } from '../../core/ports.js';
import { offTableCodes } from './route-errors.js';

export interface TagText {
  readonly name: string;
  readonly description: string;
  /** The first words of the paths that belong to it. */
  readonly paths: readonly string[];
}

export const tagTexts: readonly TagText[] = [
  {
    name: 'Payments',
    description: `A payment collects one amount from one buyer. Forward \`hostedPaymentUrl\` to the
buyer; everything else is told by events and by reading the payment.`,
    paths: ['payment-intents', 'payments'],
  },
  {
    name: 'Invoices',
    description: 'Payments that a teammate may have to approve, and whose buyer we invite by mail.',
    paths: ['invoices'],
  },
  {
    name: 'Connected accounts',
    description: `Your own end clients. Create one, let it accept the terms (\`tos-session\`, then
\`tos-accepted\`, or the \`tosId\` with the submit), upload its documents, submit it, and register
the PIX of a seller once it is approved. A seller that is then \`readyToCollect\` can be named on
payments, which are paid to its PIX. In test mode a seller business is approved in the answer to its
submit, everybody else a little later. Both path forms are one interface.`,
    paths: ['connected-accounts', 'accounts'],
  },
  {
    name: 'Buyer KYC',
    description: `Identity of buyers, submitted by you instead of on the hosted page. A key needs
\`connected_accounts:write\`, \`payment_intents:write\` or no scopes at all; a session any role but
viewer.`,
    paths: ['buyer-kyc', 'documents'],
  },
  {
    name: 'Webhooks',
    description: `Where events are sent. A delivery is tried seven times within 32 hours: answer
with 2xx within 10 s, and drop what came before by \`X-Service-Delivery-Id\`.`,
    paths: ['webhook-subscriptions'],
  },
  {
    name: 'Events',
    description: 'The same events to read: gap-free, in order, for catching up.',
    paths: ['events'],
  },
  {
    name: 'Organization',
    description: `For sessions of the dashboard: keys, mode and onboarding. A session begins in
test mode and lives 12 hours. Owners and admins may do everything, finance all but
\`api_keys:write\` and \`webhooks:write\`, viewers the \`:read\` scopes; a change of role counts
at once.`,
    paths: ['api-keys', 'auth', 'onboarding'],
  },
  {
    name: 'Test helpers',
    description: 'For test keys only; a live key finds nothing here.',
    paths: ['test-helpers'],
  },
  {
    name: 'Service',
    description: 'Probes, this description, and where the settlement partner reports.',
    paths: ['healthz', 'readyz', 'docs-json', 'docs', 'partner-webhooks'],
  },
];

const statusTexts: Readonly<Record<PaymentStatus, string>> = {
  awaiting_approval: 'a teammate approves the invoice',
  approved: 'the buyer of the invoice is invited',
  awaiting_buyer: 'the buyer signs in on the hosted page',
  buyer_kyc_pending: 'the decision on the buyer',
  buyer_kyc_approved: 'the buyer asks for a quote',
  fx_quoted: 'the buyer confirms the quote, or asks for another when it has expired',
  on_ramp_pending: 'the money of the buyer, all of it',
  on_chain_confirmed: 'the payout to the seller is taken in hand',
  offramp_pending: 'the partner pays the seller',
  settled: 'nothing: the seller has its BRL',
  failed: 'nothing: `failureReason` says why',
  cancelled: 'nothing: `cancelReason` says why',
  expired: 'nothing: it was not paid in time',
};

/** The group of a path; the first word of a path that is in none. */
export function tagOf(path: string): string {
  const [, first = '', second = ''] = path.split('/');
  const word = first === 'v1' ? second : first;
  return tagTexts.find(({ paths }) => paths.includes(word))?.name ?? word;
}

/** Markdown: what a reader needs first, then the rest, folded. `codes` are those that occur. */
export function introduction(codes: readonly ErrorCode[], partner: PartnerNotes): string {
  const details = Object.entries(detailsOf(codes, partner)).map(folded);
  return `Collect cross-border B2B payments: a buyer abroad pays on a hosted page, a Brazilian
seller is paid BRL by PIX.

1. Send your key as \`X-API-Key\`. With \`pk_test_…\` everything is played and no money moves.
2. Create a payment: \`POST /v1/payment-intents\` with an amount, the buyer's e-mail address and
   an \`externalId\` of yours. Repeated with that, a create is answered with the same payment.
3. Forward \`hostedPaymentUrl\` to the buyer. In test mode
   \`POST /v1/test-helpers/payments/{id}/advance\` plays the buyer and the partner.
4. Follow what happens by webhooks, by \`GET /v1/events\`, or by reading the payment.

When something is refused, decide on \`error\`; \`message\` is for people. What has a
\`retryAfter\` is to be repeated unchanged after that many seconds.

${details.join('\n')}`;
}

/** By heading. */
function detailsOf(
  codes: readonly ErrorCode[],
  { testValues }: PartnerNotes,
): Readonly<Record<string, string>> {
  return {
    Requests: `
- A key's prefix fixes its mode (\`pk_test_\`, \`pk_live_\`); test and live data never meet. What
  belongs to another organization or mode is not found.
- A key without scopes is unrestricted; each operation names the scope that it needs otherwise. The
  scope of a payment follows from how it was created, whatever the path: \`payment_intents:*\` for
  an intent, \`invoices:*\` for an invoice.
- Every POST needs \`Content-Type: application/json\`, even without a body; DELETE does not. Bodies
  are 256 KiB at most. Text holds no NUL and no lone surrogates. Times carry an offset or Z.
- Unknown properties are ignored. One whose name comes close to a known one (\`curency\`,
  \`external_id\`) is refused with the known name, except inside \`metadata\` and \`display\`;
  \`POST /v1/buyer-kyc\` refuses all of them. Unknown query parameters are refused.
- Optional properties of answers are present and null when unset; times are UTC with milliseconds.
- Lists are \`{ data, nextCursor }\`, newest first; send \`nextCursor\` as \`cursor\`. API keys and
  webhook subscriptions are listed whole: 100 active ones of each in a mode at most, and the 100
  newest of those that were revoked or deleted.
- Every answer carries \`X-Request-Id\`; yours is kept if it is 1-128 of \`[A-Za-z0-9_.-]\`.
- What is wrong is told in this order: credential, scope, rate limit, content type and form of the
  body; what is there already is answered then; after that KYB, currency, minimum, \`expiresAt\`,
  seller.
`,
    Creates: `
- A first create answers 201. A repeated one, by \`Idempotency-Key\` or \`externalId\`, answers 200
  with \`Idempotent-Replayed: true\` and the resource as it stands now. The body changes nothing:
  where it differs from what is stored, \`Idempotent-Mismatch\` names the fields in the order of
  this description (\`amount, buyer.email\`). Keys do not expire.
- A key belongs to your organization in its mode, an \`externalId\` to that and to the kind of
  resource: an intent and an invoice may share one. Intents and invoices do not share keys
  (\`IdempotencyKeyConflict\`).
- Amounts are text with at most two decimals: 10.00 or more in USD, above zero in EUR and GBP.
- By default a key makes 600 payments and invoices a minute and 100 of them at once; repeats count.
`,
    Payments: `
| status | what it waits for |
|---|---|
${paymentStatuses.map(statusRow).join('\n')}

Until the payout is taken in hand a payment can be cancelled. One with an \`expiresAt\` can expire
until the partner has reported all of its money. What arrives after the end, or beyond the amount,
is owed back to the buyer. \`funds\` tells where the money is.
`,
    Buyers: `
A buyer is one by its e-mail address (compared trimmed and in lower case) in each mode. What you say
of a buyer pre-fills the form of that payment and proves nothing. \`kycStatus\` is what you may
know: \`not_started\` until your own submission, connected account, or a sign-in to a payment of
yours. An approval counts for every integrator once the buyer has signed in on the hosted page.
`,
    Webhooks: `
- They are signed: \`X-Service-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of
  "<t>.<raw body>">\`, keyed with the whole secret text. Refuse when \`t\` is more than 300 s off.
- A delivery has the same \`X-Service-Delivery-Id\` and the same bytes each time. Anything but 2xx
  within 10 s is a failure, a redirect too; attempts 2 to 7 follow after 30 s, 2 min, 10 min, 1 h,
  6 h and 24 h, then it is a \`dead_letter\`, which can be replayed.
- URLs are https on any port, without credentials and fragment, and lead to public addresses.
- \`payment_intent.*\` tells of payments created as intents, \`invoice.*\` of these and of invoices:
  one event per change and namespace.
- What webhooks carry can be read again, from any sequence on: \`GET /v1/events\`.
`,
    'Test mode': `
No money moves. These values make things go wrong on purpose:

| value | effect |
|---|---|
${testValues.map(({ where, value, means }) => `| ${where} \`${value}\` | ${means} |`).join('\n')}
`,
    Errors: `
Any request may be answered with
${offTableCodes.map((code) => `\`${code}\``).join(', ')}.

| status | error | meaning |
|---|---|---|
${codes.map(errorRow).join('\n')}
`,
  };
}

/** Markdown goes on behind the empty line; whoever knows no HTML reads it all the same. */
function folded([heading, text]: readonly [string, string]): string {
  return `<details>\n<summary>${heading}</summary>\n\n${text.trim()}\n\n</details>\n`;
}

function statusRow(status: PaymentStatus): string {
  return `| \`${status}\` | ${statusTexts[status]} |`;
}

function errorRow(code: ErrorCode): string {
  // A reader of Markdown would take it for a tag.
  const message = catalogue[code].message.replace('<n>', '`n`');
  return `| ${catalogue[code].status} | \`${code}\` | ${message} |`;
}
