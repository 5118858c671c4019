// What the pages read of the description of the API: its operations, the fields of their bodies,
// and the errors and events with their examples.

type Json = Readonly<Record<string, unknown>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly default?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Content {
  readonly 'application/json'?: Readonly<{ schema: Schema; example?: unknown; examples?: Json }>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Json[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly description?: string; readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content }>
  >;
}

export interface ErrorExample extends Json {
  readonly statusCode: number;
  readonly error: string;
  readonly message: string;
  readonly retryAfter?: number;
}

export interface Description {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly webhooks: Readonly<
    Record<string, { readonly post: { readonly requestBody: { readonly content: Content } } }>
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema & { readonly examples?: unknown }>>;
  };
}

export interface ApiOperation extends DescribedOperation {
  readonly method: string;
  readonly path: string;
  /** Its short name: “List payments”. */
  readonly label: string;
  /** The operation that does the same under another path, if that comes first. */
  readonly sameAs: string | null;
}

export function operationsOf({ paths }: Description): readonly ApiOperation[] {
  const firsts = new Map<string, string>();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, summary, tags } = operation;
      const meaning = `${tags[0]}: ${summary}`;
      const sameAs = firsts.get(meaning) ?? null;
      if (sameAs === null) firsts.set(meaning, operationId);
      return {
        ...operation,
        method: method.toUpperCase(),
        path,
        label: nameOf(operationId),
        sameAs,
      };
    }),
  );
}

/** Words of an operationId that are not written like others. */
const properWords: Readonly<Record<string, string>> = { api: 'API', kyc: 'KYC' };

/** The words of an operationId: `listApiKeys` is “List API keys”. */
function nameOf(operationId: string): string {
  const words = operationId.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  const name = words.map((word) => properWords[word] ?? word).join(' ');
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** The other paths of an operation. */
export function aliasesOf(
  description: Description,
  { operationId }: ApiOperation,
): readonly ApiOperation[] {
  return operationsOf(description).filter(({ sameAs }) => sameAs === operationId);
}

export function errorsIn({ components }: Description): readonly ErrorExample[] {
  return (components.schemas['Error']?.examples ?? []) as readonly ErrorExample[];
}

/** The codes that an operation answers with, in its order. */
export function codesOf({ responses }: DescribedOperation): readonly string[] {
  return Object.values(responses).flatMap(({ content }) =>
    Object.keys(content?.['application/json']?.examples ?? {}),
  );
}

/** The fields of what an operation answers with if it succeeds; none without a JSON body. */
export function answerFields(
  description: Description,
  { responses }: DescribedOperation,
): readonly Field[] {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const schemas = answers.map(([, { content }]) => content?.['application/json']?.schema);
  const schema = schemas.findLast((one) => one !== undefined);
  if (schema === undefined) return [];
  // Fields of answers are always there.
  return fieldsOf(schema, description).map((field) => ({ ...field, required: false }));
}

export function eventOf(description: Description, type: string) {
  const { content } = description.webhooks[type]?.post.requestBody ?? { content: {} };
  const { example, schema = {} } = content['application/json'] ?? {};
  const body = resolved(schema.allOf?.[0] ?? schema, description);
  return { example, data: body.properties?.['data'] ?? {} };
}

export interface Field {
  readonly name: string;
  readonly kind: string;
  readonly required: boolean;
  readonly description: string;
  readonly depth: number;
}

/** Fields of fields follow theirs, up to this depth. */
const DEPTH_MAX = 3;

export function parameterFields(rows: readonly Parameter[]): readonly Field[] {
  return rows.map(({ name, required, schema, description = '' }) => {
    return { name, kind: kindOf(schema), required, description, depth: 0 };
  });
}

export function fieldsOf(
  schema: Schema,
  description: Description,
  prefix = '',
  depth = 0,
): readonly Field[] {
  const { properties = {}, required = [] } = resolved(schema, description);
  return Object.entries(properties).flatMap(([key, written]) => {
    const field = resolved(written, description);
    const element = field.items === undefined ? null : resolved(field.items, description);
    const name = `${prefix}${key}${element === null ? '' : '[]'}`;
    const about = written.description ?? field.description ?? '';
    const inner = depth === DEPTH_MAX ? {} : (element ?? field);
    return [
      { name, kind: kindOf(field), required: required.includes(key), description: about, depth },
      ...fieldsOf(inner, description, `${name}.`, depth + 1),
    ];
  });
}

/** Without references, and without the null of what is optional. */
function resolved(schema: Schema, description: Description): Schema {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return resolved(description.components.schemas[name] ?? {}, description);
  }
  const choices = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  const [only] = choices;
  if (only === undefined || choices.length > 1) return schema;
  const { anyOf: _anyOf, ...rest } = schema;
  return { ...rest, ...resolved(only, description) };
}

export function kindOf(schema: Schema): string {
  const { type, format, items, minimum, maximum } = schema;
  if (schema.enum !== undefined) return schema.enum.join(', ');
  if (schema.const !== undefined) return String(schema.const);
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) return [...new Set(several.map(kindOf))].join(' or ');
  const name = [type ?? 'any'].flat().join(' or ');
  const words = [
    items === undefined ? name : `${name} of ${kindOf(items)}`,
    format,
    lengthOf(schema),
    minimum === undefined ? undefined : `from ${minimum}`,
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? undefined : `to ${maximum}`,
    schema.default === undefined ? undefined : `${JSON.stringify(schema.default)} by default`,
  ];
  return words.filter((word) => word !== undefined && word !== '').join(', ');
}

function lengthOf({ minLength, maxLength }: Schema): string | undefined {
  if (maxLength === undefined) return undefined;
  return `${minLength === undefined ? 'up to' : `${minLength} to`} ${maxLength} characters`;
}
