// The operations of /docs-json in the form that requests are generated from: parameters, body
// schema, examples, security schemes. The served text is the only source. It also validates
// requests against the description.
import assert from 'node:assert/strict';
import { type SchemaAt, schemasOf } from '../adapters/http/docs/described-answers.js';

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example: unknown;
}

export interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** With `{name}` for each path parameter. */
  readonly path: string;
  /** Any one of these security schemes is enough; empty: the operation is public. */
  readonly schemes: readonly string[];
  readonly parameters: readonly Parameter[];
  /** Null if the operation takes no body. The schema is null if the body is not JSON. */
  readonly body: { readonly schema: Schema | null; readonly example: unknown } | null;
}

export interface Description {
  readonly operations: readonly Operation[];
  readonly eventTypes: readonly string[];
  /** Follows `$ref`. */
  resolve(schema: Schema): Schema;
  /** Why the description does not allow this body; null if it does. */
  bodyProblem(operation: Operation, body: unknown): string | null;
  /** Why the description does not allow this value of a parameter; null if it does. */
  parameterProblem(operation: Operation, parameter: Parameter, text: string): string | null;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; example?: unknown }>>;
  };
}

const JSON_TYPE = 'application/json';

export function readDescription(text: string): Description {
  const document = JSON.parse(text) as Schema & {
    readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
    readonly webhooks: Readonly<Record<string, unknown>>;
  };
  const schemaAt = schemasOf(document);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operationOf(path, method, described)),
  );
  const pointerTo = ({ path, method }: Operation) => ['paths', path, method.toLowerCase()];
  return {
    operations,
    eventTypes: Object.keys(document.webhooks),
    resolve: (schema) => resolved(document, schema),
    bodyProblem(operation, body) {
      const content = ['requestBody', 'content', JSON_TYPE, 'schema'];
      return problem(schemaAt, [...pointerTo(operation), ...content], body);
    },
    parameterProblem(operation, { name, schema }, text) {
      const index = operation.parameters.findIndex((parameter) => parameter.name === name);
      const takesNumber = [schema['type']].flat().includes('integer');
      const isNumber = takesNumber && /^[0-9]{1,15}$/.test(text);
      const pointer = [...pointerTo(operation), 'parameters', index, 'schema'];
      return problem(schemaAt, pointer, isNumber ? Number(text) : text);
    },
  };
}

function operationOf(path: string, method: string, described: DescribedOperation): Operation {
  const { operationId, security, parameters, requestBody } = described;
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    schemes: security.flatMap((scheme) => Object.keys(scheme)),
    parameters,
    body:
      content === undefined
        ? null
        : { schema: type === JSON_TYPE ? content.schema : null, example: content.example },
  };
}

function resolved(document: Schema, schema: Schema): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  const steps = reference.replace('#/', '').split('/');
  const found = steps.reduce<unknown>((at, step) => (at as Schema)[step], document);
  assert.ok(found !== undefined, `${reference} does not exist`);
  return resolved(document, found as Schema);
}

function problem(
  schemaAt: SchemaAt,
  pointer: readonly (string | number)[],
  value: unknown,
): string | null {
  const validate = schemaAt(pointer);
  assert.ok(validate !== undefined, `no schema at ${pointer.join(' ')}`);
  if (validate(value)) return null;
  const [first] = validate.errors ?? [];
  return `${first?.instancePath} ${first?.message}`;
}
