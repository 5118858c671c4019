// The description as a Postman collection (format 2.1.0): a folder for each tag, a request for each
// operation with its recorded values. Tools that read OpenAPI can import /docs-json instead.
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

/** The reader fills in the variables. */
export function postmanCollection(description: Description, baseUrl: string) {
  const operations = operationsOf(description);
  return {
    info: { name: 'Ponte', version: description.info.version, schema: FORMAT },
    auth: {
      type: 'apikey',
      apikey: values({ key: 'X-API-Key', value: '{{apiKey}}', in: 'header' }),
    },
    variable: values({ baseUrl, apiKey: '', sessionToken: '' }),
    item: description.tags.map(({ name, description: text }) => ({
      name,
      description: text,
      item: operations.filter(({ tags }) => tags.includes(name)).map(requestItem),
    })),
  };
}

function requestItem(operation: ApiOperation) {
  const { operationId, summary, method, parameters, requestBody } = operation;
  const text = operation.description;
  const json = requestBody?.content['application/json'];
  return {
    name: operationId,
    request: {
      method,
      description: text === undefined ? summary : `${summary}. ${text}`,
      ...authOf(operation),
      header: [
        ...(json === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
        ...valuesOf(parameters, 'header').map((one) => ({ ...one, disabled: true })),
      ],
      url: urlOf(operation),
      ...(json === undefined
        ? {}
        : {
            body: {
              mode: 'raw',
              raw: JSON.stringify(json.example ?? {}, null, 2),
              options: { raw: { language: 'json' } },
            },
          }),
    },
  };
}

/** By default the API key of the collection. */
function authOf({ security }: ApiOperation) {
  if (security.some((one) => 'ApiKey' in one)) return {};
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
    variable: valuesOf(parameters, 'path'),
  };
}

function valuesOf(parameters: readonly Parameter[], place: Parameter['in']) {
  return parameters
    .filter((one) => one.in === place)
    .map(({ name, description, example = '' }) => ({
      key: name,
      value: String(example),
      ...(description === undefined ? {} : { description }),
    }));
}
