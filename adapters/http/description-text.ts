// The words of the description that no row of the route table holds: what an integrator reads
// first, every error code, the magic values of the sandbox, and the groups of operations.
import { catalogue, type ErrorCode } from '../../core/errors.js';
import { magicValues } from '../partner/fake-order.js';

/** Refusals that any request may meet before a row of the table is found for it. */
export const offTableCodes = [
  'NotFound',
  'MethodNotAllowed',
  'RequestTimeout',
  'HeadersTooLarge',
] as const satisfies readonly ErrorCode[];

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
    description: `Your own end clients. A seller that is \`readyToCollect\` can be named on
payments, which are then paid to its PIX. Both path forms are one interface.`,
    paths: ['connected-accounts', 'accounts'],
  },
  {
    name: 'Buyer KYC',
    description: 'Identity of buyers, submitted by you instead of on the hosted page.',
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
    description: 'For sessions of the dashboard: keys, mode and onboarding.',
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

/** The group of a path; the first word of a path that is in none. */
export function tagOf(path: string): string {
  const [, first = '', second = ''] = path.split('/');
  const word = first === 'v1' ? second : first;
  return tagTexts.find(({ paths }) => paths.includes(word))?.name ?? word;
}

/** Markdown. `codes` are those that the service answers with. */
export function introduction(codes: readonly ErrorCode[]): string {
  return `Collect cross-border B2B payments: a buyer abroad pays on a hosted page, a Brazilian
seller is paid BRL by PIX.

## Requests
- A key's prefix fixes its mode (\`pk_test_\`, \`pk_live_\`); test and live data never meet.
- Creates take an \`Idempotency-Key\`: a repeat answers with the same resource, status 200 and
  \`Idempotent-Replayed: true\`. Bodies are not compared, keys do not expire.
- Every answer carries \`X-Request-Id\`; yours is kept if it is 1-128 of \`[A-Za-z0-9_.-]\`.
- Unknown properties are ignored, except that \`POST /v1/buyer-kyc\` refuses them. Optional
  properties of answers are present and null when unset.
- Lists are \`{ data, nextCursor }\`, newest first; send \`nextCursor\` as \`cursor\`.

## Webhooks
- They are signed: \`X-Service-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of
  "<t>.<raw body>">\`, keyed with the whole secret text. Refuse when \`t\` is more than 300 s off.
- \`payment_intent.*\` tells of payments created as intents, \`invoice.*\` of these and of invoices.
- What webhooks carry can be read again, from any sequence on: \`GET /v1/events\`.

## Test mode
No money moves. These values make things go wrong on purpose:

| value | effect |
|---|---|
${Object.entries(magicValues).map(magicRow).join('\n')}

## Errors
Decide on \`error\`; \`message\` is for people. What has a \`retryAfter\` changed nothing: repeat it
after that many seconds. Any request may be answered with
${offTableCodes.map((code) => `\`${code}\``).join(', ')}.

| status | error | meaning |
|---|---|---|
${codes.map(errorRow).join('\n')}
`;
}

function magicRow([value, { means }]: readonly [string, { readonly means: string }]): string {
  const where = value.startsWith('.') ? 'an amount that ends in' : 'the first or legal name';
  return `| ${where} \`${value}\` | ${means} |`;
}

function errorRow(code: ErrorCode): string {
  // A reader of Markdown would take it for a tag.
  const message = catalogue[code].message.replace('<n>', '`n`');
  return `| ${catalogue[code].status} | \`${code}\` | ${message} |`;
}
