// Requests that the description allows, as a careful client sends them: with ids that exist, in the
// forms that were given out. What a property must say to have an effect is in one table here.
import type { SignedMessage } from '../../adapters/partner/signed-message.js';
import { SECOND_MS } from '../../core/domain/base/instant.js';
import { writeJson } from '../../core/domain/base/raw-json.js';
import type { SeededRandom } from '../simulation/seeded-random.js';
import type { Description, Operation, Parameter, Schema } from './described-operations.js';
import type { Client, FuzzScene } from './fuzz-scene.js';
import { nearMiss } from './near-misses.js';
import { type Draft, setHeader } from './request-draft.js';
import { textOf, type ValueMaker, validValue } from './schema-values.js';

/** Which request to make. */
export interface Plan {
  readonly operation: Operation;
  readonly client: Client;
  readonly requestNumber: number;
  /** Values learned since this request are used first. */
  readonly since: number;
}

/** The example of the description, which is a recorded call, against a generated body. */
const EXAMPLE_SHARE = 0.6;
/** Generated properties that are added to an example. */
const ADDED_SHARE = 0.1;
/** Waits take real time: the client disconnects from a longer one. */
export const WAIT_MAX_SECONDS = 1;

export function validDraft(maker: ValueMaker, scene: FuzzScene, plan: Plan): Draft {
  const { operation, client } = plan;
  const draft: Draft = {
    operation,
    client,
    method: operation.method,
    path: operation.path,
    query: [],
    headers: [['Host', 'api.example.com']],
    body: undefined,
    framing: maker.random.chance(0.1) ? 'chunked' : 'length',
    rewrite: null,
    disconnects: false,
    twice: false,
    mustFail: null,
    notes: [`by ${client.name}`],
  };
  for (const parameter of operation.parameters) addParameter(maker, draft, parameter, plan);
  if (operation.body !== null) {
    draft.body = validBody(maker, operation);
    setHeader(draft, 'Content-Type', 'application/json');
  }
  if (operation.schemes.includes('UrlSignature')) useSignedUrl(maker, draft, plan);
  if (operation.schemes.includes('PartnerSignature')) usePartnerMessage(maker, draft, scene, plan);
  return draft;
}

function addParameter(maker: ValueMaker, draft: Draft, parameter: Parameter, plan: Plan): void {
  const { name, schema, required } = parameter;
  if (parameter.in === 'path') {
    const id = pathValue(maker, parameter, plan);
    draft.path = draft.path.replace(`{${name}}`, encodeURIComponent(id));
    return;
  }
  if (!required && maker.random.chance(0.5)) return;
  const value = validValue(maker, schema, name);
  if (value !== null) setParameter(draft, parameter, `${value}`);
}

/** Of the query or the headers; a header is reduced to printable ASCII. */
export function setParameter(draft: Draft, parameter: Parameter, text: string): void {
  const { name } = parameter;
  if (parameter.in === 'header') {
    setHeader(draft, name, text.replaceAll(/[^\x20-\x7e]/g, '~').trim());
    return;
  }
  const others = draft.query.filter(([other]) => other !== name);
  draft.query = [...others, [name, encodeURIComponent(text.toWellFormed())]];
}

/** The description of a path parameter names the prefixes of its ids in backticks. */
function pathValue(maker: ValueMaker, parameter: Parameter, plan: Plan): string {
  const { random } = maker;
  const { name, description, schema, example } = parameter;
  const { client, since } = plan;
  const meant = maker.meaningful(name);
  if (meant !== undefined) return String(meant);
  if (Array.isArray(schema['enum'])) return String(random.pick<unknown>(schema['enum']));
  const named = [...description.matchAll(/`([a-z]{2,4}_)…?`/g)].map(([, prefix = '']) => prefix);
  const prefixes = named.filter((prefix) => prefix !== 'ext_');
  if (named.includes('ext_') && random.chance(0.2)) {
    const kind = `externalId of ${random.pick(prefixes)}`;
    const externalId = client.known.pick(random, kind, since);
    if (externalId !== null) return `ext_${externalId}`;
  }
  const ids = prefixes.flatMap((prefix) => client.known.pick(random, prefix, since) ?? []);
  return ids.length > 0 ? random.pick(ids) : String(example ?? textOf(random, 8));
}

function validBody(maker: ValueMaker, { body }: Operation): unknown {
  const { random } = maker;
  const schema = body?.schema ?? null;
  if (schema === null) return Buffer.from(textOf(random, 40));
  const example = body?.example ?? null;
  const generated = validValue(maker, schema, '') as Schema;
  if (example === null || !random.chance(EXAMPLE_SHARE)) return generated;
  const meaningful = Object.keys(example).flatMap((name) => {
    const value = maker.meaningful(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const added = Object.entries(generated).filter(() => random.chance(ADDED_SHARE));
  return Object.fromEntries([...Object.entries(example), ...added, ...meaningful]);
}

interface Upload {
  readonly uploadUrl: string;
  readonly uploadHeaders: Readonly<Record<string, string>>;
}

/** A URL of a document that was given out, unchanged. */
function useSignedUrl({ random }: ValueMaker, draft: Draft, { client, since }: Plan): void {
  const isUpload = draft.method === 'PUT';
  const known = client.known.pick(random, isUpload ? 'upload' : 'publicUrl', since);
  if (known === null) return;
  const upload = isUpload ? (JSON.parse(known) as Upload) : null;
  const { pathname, searchParams } = new URL(upload?.uploadUrl ?? known);
  draft.path = pathname;
  draft.query = [...searchParams];
  const headers = Object.entries(upload?.uploadHeaders ?? {});
  for (const [name, value] of headers) setHeader(draft, name, value);
}

/** The oldest undelivered message of the partner; sometimes it is delivered again later. */
function usePartnerMessage(maker: ValueMaker, draft: Draft, scene: FuzzScene, plan: Plan): void {
  const { random } = maker;
  const [genuine] = scene.messages;
  draft.path = draft.path.replace(/[^/]+\/\w+$/, 'fake/test');
  if (genuine === undefined) return;
  const isStrange = random.chance(0.15);
  const message = isStrange
    ? scene.signed(strangeFact(maker, draft, genuine), `msg_${plan.requestNumber}`)
    : genuine;
  if (!isStrange && random.chance(0.9)) scene.messages.shift();
  const headers = Object.entries(message.headers);
  for (const [name, value] of headers) setHeader(draft, name, value);
  draft.body = Buffer.from(message.body);
}

/** Another report on the same order, or a fact that is malformed. */
function strangeFact(maker: ValueMaker, draft: Draft, genuine: SignedMessage): string {
  const { random, description } = maker;
  const fact = JSON.parse(Buffer.from(genuine.body).toString()) as {
    readonly report: { readonly received?: object };
  };
  if (random.chance(0.5)) {
    const { value, note } = nearMiss(description, random, {}, fact);
    draft.notes.push(`signed fact with ${note}`);
    return writeJson(value);
  }
  const status = random.pick(['open', 'completed', 'failed', 'returned', 'approved', 'rejected']);
  const amountMinor = random.pick(['0', '1', '2500', '125000', '9'.repeat(16)]);
  draft.notes.push(`signed report: ${status} ${amountMinor}`);
  const received = { ...fact.report.received, amountMinor };
  return writeJson({ ...fact, report: { ...fact.report, status, received } });
}

/** Values that have an effect, by the name of their property. */
export function meaningfulValues(
  scene: FuzzScene,
  { eventTypes }: Description,
  { operation, client, since, requestNumber }: Plan,
  random: SeededRandom,
): ValueMaker['meaningful'] {
  const nowMs = scene.site.world.deps.clock.nowMs();
  const known = (kind: string) => client.known.pick(random, kind, since) ?? undefined;
  const file = () => known('publicUrl') ?? 'https://files.example/a.pdf';
  const key = () => `${client.name} ${random.between(1, 12)}`;
  const email = () => `buyer-${random.between(1, 12)}@example.com`;
  const seller = () => random.pick(['seller', 'seller', 'buyer']);
  const values: Readonly<Record<string, () => unknown>> = {
    __proto__: null as never,
    externalId: () =>
      (random.chance(0.15) && known('externalId of pi_')) || `${client.name} ${requestNumber}`,
    sellerExternalId: () => known('sellerExternalId'),
    invoiceId: () => known(random.pick(['pi_', 'inv_'])),
    tosId: () => known('tosId'),
    // A list has either; null: none is sent.
    q: () => (random.chance(0.5) ? undefined : null),
    updatedSince: () => (random.chance(0.9) ? null : undefined),
    cursor: () => known(`nextCursor of ${operation.operationId}`) ?? null,
    'If-None-Match': () => known('etag'),
    'Idempotency-Key': key,
    'readIdempotencyKey id': () => known('Idempotency-Key') ?? key(),
    'readPaymentProof id': () => known('settled'),
    'configureAccountPayout id': () => known('seller'),
    'configureConnectedAccountPayout id': () => known('seller'),
    'createAccountOnboardingLink id': () => known('seller'),
    'createConnectedAccountOnboardingLink id': () => known('seller'),
    'readDocsFile version': () => known('version of docs'),
    'readDocsFile file': () => known('file of docs'),
    subscriptionId: () => known('whs_'),
    mode: () => (random.chance(0.7) ? client.tenant.mode : undefined),
    email,
    buyerEmail: email,
    firstName: () => (random.chance(0.1) ? 'Fail' : undefined),
    // The last digits decide how the sandbox ends the payment.
    amount: () => random.pick(['10.00', '25.00', '25.55', '25.66', '25.77', '25.88', '10']),
    currency: () => random.pick(['USD', 'EUR', 'GBP']),
    expiresAt: () => new Date(nowMs + random.between(1, 3_600) * SECOND_MS).toISOString(),
    'readEvents eventTypes': () => random.pick(eventTypes),
    'eventTypes[]': () => random.pick(['*', 'payment_intent.*', ...eventTypes]),
    url: () => `https://erp.example/hooks/${requestNumber}`,
    'createAccount role': seller,
    'createConnectedAccount role': seller,
    cnpj: () => '11.222.333/0001-81',
    accountHolderName: () => 'Ana Souza',
    pixKey: () => 'ana@example.com',
    selfieFile: file,
    idDocFrontFile: file,
    idDocBackFile: file,
    proofOfAddressDocFile: file,
    incorporationDocFile: file,
    proofOfOwnershipDocFile: file,
    after: () => known(`nextAfter of ${operation.operationId}`) ?? null,
    'readEvents after': () =>
      random.chance(0.5) ? known('nextAfter of readEvents') : random.between(0, 40),
    wait: () => (random.chance(0.03) ? WAIT_MAX_SECONDS : random.pick([0, 0, 0, 10])),
  };
  return (name) => (values[`${operation.operationId} ${name}`] ?? values[name])?.();
}
