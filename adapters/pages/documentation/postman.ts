// The description as a Postman collection (format 2.1.0): a folder for each tag, a request for each
// operation with its recorded values. Ids are variables: each answer gives those of its kind to the
// requests after it, so the collection runs on an empty database. Tools that read OpenAPI can
// import /docs-json instead.
import {
  type ApiOperation,
  type Description,
  operationsOf,
  type Parameter,
} from './description-view.js';

/** Where the collection is, below /docs. */
export const COLLECTION_PATH = 'postman.json';

const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const values = (pairs: Readonly<Record<string, string>>) =>
  Object.entries(pairs).map(([key, value]) => ({ key, value, type: 'string' }));

/** The variable that holds the last id of a kind, by the prefix of its ids. */
const idVariables: Readonly<Record<string, string>> = {
  pi: 'paymentId',
  inv: 'invoiceId',
  acct: 'accountId',
  byr: 'buyerId',
  whs: 'subscriptionId',
  whd: 'deliveryId',
  evt: 'eventId',
  key: 'keyId',
};
const exampleId = /\b([a-z]+)_[0-9a-z]{26}\b/g;
/**
 * Not found: without a contact in the settings, in another version of the documentation, and a
 * document before its file was uploaded.
 */
export const leftOut: readonly string[] = [
  'readSecurityContact',
  'readDocsFile',
  'deleteAccountVendorDocument',
  'deleteConnectedAccountVendorDocument',
];
/** The other kind of id that a path has; the create of an intent sends it. */
const IDEMPOTENCY_KEY = '{{idempotencyKey}}';

/** Runs in Postman after each request. A list gives its last id. */
const keepIds = [
  `const variables = ${JSON.stringify(idVariables)};`,
  'const keep = (value) => {',
  "  if (value !== null && typeof value === 'object') Object.values(value).forEach(keep);",
  '  const [, prefix] = /^([a-z]+)_[0-9a-z]{26}$/.exec(String(value)) || [];',
  '  if (variables[prefix]) pm.collectionVariables.set(variables[prefix], value);',
  '};',
  // The ids in the description and its pages are examples.
  "if (pm.request.url.getPath().startsWith('/v1/')) {",
  '  if (pm.response.code < 300 && pm.response.text()) keep(pm.response.json());',
  "  pm.test('it is found', () => pm.expect(pm.response.code).to.not.equal(404));",
  '}',
];
/** Runs before the create of an intent. */
const drawKey = [
  "pm.collectionVariables.set('idempotencyKey', pm.variables.replaceIn('{{$guid}}'));",
];

/** The folders after those of the tags. */
const lastFolders = [
  {
    name: 'Cancels and deletions',
    description: 'They end what other requests need.',
    holds: (one: ApiOperation) => takesKey(one) && /^(cancel|delete)/.test(one.operationId),
  },
  {
    name: 'Other credentials',
    description: 'A session (set sessionToken), a signed URL, or the signature of the partner.',
    holds: (one: ApiOperation) => one.security.length > 0 && !takesKey(one),
  },
] as const;

/** The reader fills in the credentials. */
export function postmanCollection(description: Description, baseUrl: string) {
  const operations = operationsOf(description).filter((one) => !leftOut.includes(one.operationId));
  return {
    info: { name: 'Ponte', version: description.info.version, schema: FORMAT },
    auth: {
      type: 'apikey',
      apikey: values({ key: 'X-API-Key', value: '{{apiKey}}', in: 'header' }),
    },
    variable: values({ baseUrl, apiKey: '', sessionToken: '' }),
    event: [scriptOf('test', keepIds)],
    item: [
      ...description.tags.map(({ name, description: text }) => ({
        name,
        description: text,
        item: operations
          .filter((one) => one.tags.includes(name) && !lastFolders.some(({ holds }) => holds(one)))
          .map(requestItem),
      })),
      ...lastFolders.map(({ name, description: text, holds }) => ({
        name,
        description: text,
        item: operations.filter(holds).map(requestItem),
      })),
    ],
  };
}

function scriptOf(listen: string, exec: readonly string[]) {
  return { listen, script: { type: 'text/javascript', exec } };
}

function takesKey({ security }: ApiOperation): boolean {
  return security.some((one) => 'ApiKey' in one);
}

/** With variables in place of example ids. */
function chained(text: string): string {
  return text.replaceAll(exampleId, (id, prefix: string) => {
    const variable = idVariables[prefix];
    return variable === undefined ? id : `{{${variable}}}`;
  });
}

function requestItem(operation: ApiOperation) {
  const { operationId, summary, method, parameters, requestBody } = operation;
  const text = operation.description;
  const json = requestBody?.content['application/json'];
  const drawsKey = operationId === 'createPaymentIntent';
  return {
    name: operationId,
    ...(drawsKey ? { event: [scriptOf('prerequest', drawKey)] } : {}),
    request: {
      method,
      description: text === undefined ? summary : `${summary}. ${text}`,
      ...authOf(operation),
      header: [
        ...(json === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
        ...valuesOf(parameters, 'header').map((one) =>
          drawsKey && one.key === 'Idempotency-Key'
            ? { ...one, value: IDEMPOTENCY_KEY }
            : { ...one, disabled: true },
        ),
      ],
      url: urlOf(operation),
      ...(json === undefined
        ? {}
        : {
            body: {
              mode: 'raw',
              raw: chained(JSON.stringify(json.example ?? {}, null, 2)),
              options: { raw: { language: 'json' } },
            },
          }),
    },
  };
}

/** By default the API key of the collection. */
function authOf(operation: ApiOperation) {
  const { security } = operation;
  if (takesKey(operation)) return {};
  if (!security.some((one) => 'Session' in one)) return { auth: { type: 'noauth' } };
  return { auth: { type: 'bearer', bearer: values({ token: '{{sessionToken}}' }) } };
}

function urlOf({ path, parameters }: ApiOperation) {
  const raw = `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  const [host = '', ...segments] = raw.split('/');
  return {
    raw,
    host: [host],
    path: segments,
    query: valuesOf(parameters, 'query').map((one) => ({ ...one, disabled: one.value === '' })),
    variable: valuesOf(parameters, 'path').map((one) =>
      path.startsWith('/v1/idempotency-keys/') ? { ...one, value: IDEMPOTENCY_KEY } : one,
    ),
  };
}

function valuesOf(parameters: readonly Parameter[], place: Parameter['in']) {
  return parameters
    .filter((one) => one.in === place)
    .map(({ name, description, example = '' }) => ({
      key: name,
      value: chained(String(example)),
      ...(description === undefined ? {} : { description }),
    }));
}
