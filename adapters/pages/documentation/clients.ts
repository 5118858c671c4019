// The clients in Python and PHP: one file each, made from the description of the API. What is the
// same for every operation is in adapters/docs/clients; types and operations are filled in here.
import { assert } from '../../../core/errors.js';
import {
  type ApiOperation,
  type Description,
  operationsOf,
  type Schema,
} from './description-view.js';
import { type ClientCalls, pythonName, snakeOf } from './example-request.js';

/** The types that both languages declare. */
type Kind =
  | { readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'map' | 'any' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'list'; readonly of: Type }
  | { readonly kind: 'model'; readonly name: string };
type Type = Kind & { readonly nullable: boolean };

type Field = Readonly<{ name: string; type: Type; required: boolean }>;

interface Model {
  readonly name: string;
  /** Required ones first. */
  readonly fields: readonly Field[];
}

interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  /** Names in the path, in their order. */
  readonly params: readonly string[];
  readonly query: readonly Field[];
  /** The model of the body; null if there is none, or an empty one. */
  readonly body: string | null;
  readonly takesKey: boolean;
  readonly answer: string;
  /** Null: the answer is no page of a list. */
  readonly pages: Pages | null;
}

interface Pages {
  readonly row: Type;
  /** The query that names the next page, and the field of the answer with its value. */
  readonly asks: string;
  readonly next: string;
}

interface Language {
  readonly name: string;
  readonly file: string;
  readonly model: (model: Model) => string;
  readonly operation: (operation: Operation) => string;
}

/** The paths of the clients below /docs, with what writes them. */
export const clientLanguages = {
  'clients/ponte.py': {
    name: 'Python',
    file: 'ponte.py',
    model: pythonModel,
    operation: pythonOperation,
  },
  'clients/ponte.php': { name: 'PHP', file: 'ponte.php', model: phpModel, operation: phpOperation },
} as const satisfies Record<string, Language>;
export type ClientPath = keyof typeof clientLanguages;

export function isClientPath(path: string): path is ClientPath {
  return Object.hasOwn(clientLanguages, path);
}

/** `frame`: the text of the file in adapters/docs/clients. */
export function clientText(description: Description, path: ClientPath, frame: string): string {
  const language: Language = clientLanguages[path];
  const operations = clientOperations(description).map(language.operation);
  const models = modelsOf(description).map(language.model);
  return frame
    .replace(/^ *(?:#|\/\/) MODELS\n/m, () => `${models.join('\n\n')}\n`)
    .replace(/^ *(?:#|\/\/) OPERATIONS\n/m, () => `${operations.join('\n\n')}\n`);
}

/** Those of an integrator: JSON in, JSON out, with a key or a session. */
function clientOperations(description: Description): readonly Operation[] {
  return operationsOf(description).flatMap((operation) => {
    const { security, requestBody } = operation;
    const isOwn = security.some((one) => 'ApiKey' in one || 'Session' in one);
    const answer = answerOf(operation);
    if (!isOwn || answer === null) return [];
    const { operationId: id, summary, method, path, parameters } = operation;
    const body = requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1) ?? null;
    const query = parameters
      .filter((one) => one.in === 'query')
      .map(({ name, required, schema }) => ({ name, required, type: typeOf(schema, name, []) }));
    return {
      id,
      summary,
      method,
      path,
      params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
      query: sorted(query),
      body: body === 'Empty' ? null : body,
      takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
      answer,
      pages: pagesOf(answer, description.components.schemas[answer]?.properties ?? {}),
    };
  });
}

const places = { cursor: 'nextCursor', after: 'nextAfter' } as const;

/** A place in the feed is a number: `events` in the frame reads it, which has no end. */
function pagesOf(answer: string, { data, ...fields }: NonNullable<Schema['properties']>) {
  const found = Object.entries(places).find(([, next]) => {
    return fields[next] !== undefined && typeOf(fields[next], next, []).kind === 'text';
  });
  if (data?.items === undefined || found === undefined) return null;
  const [asks, next] = found;
  return { row: typeOf(data.items, `${answer}Data`, []), asks, next };
}

/** Which method of the clients sends a request of the documentation. */
export function clientCalls(description: Description): ClientCalls {
  // A name in a path is no value: `/v1/quotes/preview` is not `/v1/quotes/{id}`.
  const operations = clientOperations(description).toSorted(
    (one, other) => one.params.length - other.params.length,
  );
  return ({ method, path, headers, body }) => {
    const { pathname, searchParams } = new URL(path, 'https://host.invalid');
    const matched = operations.flatMap((operation) => {
      const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
      const values = operation.method === method ? pattern.exec(pathname)?.slice(1) : undefined;
      return values === undefined ? [] : [{ operation, params: values.map(decodeURIComponent) }];
    });
    const [found] = matched;
    if (found === undefined) return null;
    const { operation, params } = found;
    const { id, query, takesKey, body: model } = operation;
    const types = new Map(query.map(({ name, type }) => [name, type.kind]));
    const asked = [...searchParams];
    const fits =
      new Set(searchParams.keys()).size === asked.length &&
      asked.every(([name]) => types.has(name)) &&
      (takesKey || headers['Idempotency-Key'] === undefined) &&
      (model === null ? Object.keys(body ?? {}).length === 0 : body !== undefined);
    if (!fits) return null;
    const given = asked.map(([name, text]) => {
      return [name, types.get(name) === 'integer' ? Number(text) : text] as const;
    });
    return { id, params, query: given, hasBody: model !== null };
  };
}

function answerOf({ responses }: ApiOperation): string | null {
  const [, found] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return found?.content?.['application/json']?.schema.$ref?.split('/').at(-1) ?? null;
}

/** Every schema of the description, and the objects within them by the names of their places. */
function modelsOf({ components }: Description): readonly Model[] {
  const models: Model[] = [];
  for (const [name, schema] of Object.entries(components.schemas)) {
    if (name !== 'Empty' && name !== 'Document') typeOf(schema, name, models, true);
  }
  const names = models.map(({ name }) => name);
  assert(new Set(names).size === names.length, `each model has its name: ${names.join(' ')}`);
  return models;
}

/** Adds the models of objects to `models`; `name`: what an object without a name is called. */
function typeOf(schema: Schema, name: string, models: Model[], isNamed = false): Type {
  const { $ref, anyOf, oneOf, allOf, items, enum: values, properties } = schema;
  if ($ref !== undefined)
    return { kind: 'model', name: $ref.split('/').at(-1) ?? '', nullable: false };
  const choices = anyOf ?? oneOf ?? allOf;
  if (choices !== undefined) {
    const others = choices.filter((one) => one.type !== 'null');
    const nullable = others.length < choices.length;
    const [only] = others;
    if (only !== undefined && others.length === 1) {
      const type = typeOf(only, name, models, isNamed);
      return { ...type, nullable: nullable || type.nullable };
    }
    const areObjects = others.every((one) => one.properties !== undefined);
    if (areObjects) return { ...typeOf(joined(others), name, models, isNamed), nullable };
    return { kind: 'any', nullable: true };
  }
  const types = [schema.type ?? []].flat();
  const nullable = types.includes('null');
  const [type] = types.filter((one) => one !== 'null');
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([field, of]) => ({
      name: field,
      required: schema.required?.includes(field) ?? false,
      type: typeOf(of, `${name}${field.charAt(0).toUpperCase()}${field.slice(1)}`, models),
    }));
    models.push({ name, fields: sorted(fields) });
    return { kind: 'model', name, nullable };
  }
  if (types.length > (nullable ? 2 : 1)) return { kind: 'any', nullable: true };
  if (type === 'array') {
    const of = items === undefined ? anything : typeOf(items, `${name}Item`, models);
    return { kind: 'list', of, nullable };
  }
  if (type === 'object') return { kind: 'map', nullable };
  if (type === 'integer' || type === 'number' || type === 'boolean')
    return { kind: type, nullable };
  if (type !== 'string') return anything;
  const texts = values?.filter((one) => typeof one === 'string');
  return texts === undefined || texts.length === 0
    ? { kind: 'text', nullable }
    : { kind: 'choice', values: texts, nullable };
}

const anything: Type = { kind: 'any', nullable: true };

/** One object for several: a field is required if each requires it. */
function joined(all: readonly Schema[]): Schema {
  const properties: Record<string, Schema> = {};
  for (const [name, schema] of all.flatMap((one) => Object.entries(one.properties ?? {}))) {
    const known = properties[name];
    properties[name] = known === undefined ? schema : eitherOf(known, schema);
  }
  const required = Object.keys(properties).filter((name) =>
    all.every((one) => one.required?.includes(name)),
  );
  return { type: 'object', properties, required };
}

function eitherOf(one: Schema, other: Schema): Schema {
  const isText = [one, other].every(({ type }) => type === 'string');
  if (isText) return { type: 'string' };
  return JSON.stringify(one) === JSON.stringify(other) ? one : { anyOf: [one, other] };
}

function sorted(fields: readonly Field[]): readonly Field[] {
  return fields.toSorted((one, other) => Number(other.required) - Number(one.required));
}

function pythonType(type: Type, required = true): string {
  const known = {
    text: () => 'str',
    integer: () => 'int',
    number: () => 'float',
    boolean: () => 'bool',
    map: () => 'Dict[str, Any]',
    any: () => 'Any',
  } as const;
  const text =
    type.kind === 'choice'
      ? `Literal[${type.values.map((one) => JSON.stringify(one)).join(', ')}]`
      : type.kind === 'list'
        ? `List[${pythonType(type.of)}]`
        : type.kind === 'model'
          ? type.name
          : known[type.kind]();
  return text === 'Any' || (required && !type.nullable) ? text : `Optional[${text}]`;
}

function pythonModel({ name, fields }: Model): string {
  const lines = fields.map(({ name, type, required }) => {
    return `    ${pythonName(name)}: ${pythonType(type, required)}${required ? '' : ' = None'}\n`;
  });
  return `\n@dataclass(frozen=True)\nclass ${name}:\n${lines.join('') || '    pass\n'}`;
}

function pythonOperation(operation: Operation): string {
  const { id, summary, method, path, params, query, body, takesKey, answer, pages } = operation;
  const argument = ({ name, type, required }: Field) =>
    `${pythonName(name)}: ${pythonType(type, required)}${required ? '' : ' = None'}`;
  const first = [...params.map((name) => `${name}: str`)];
  const sent = body === null ? [] : [`body: Union[${body}, Dict[str, Any]]`];
  const key = takesKey ? ['idempotency_key: Optional[str] = None'] : [];
  const named = query.length === 0 ? [] : ['*', ...query.map(argument)];
  const words = ['self', ...first, ...sent, ...key, ...named].join(', ');
  const place = path.replaceAll(/\{(\w+)\}/g, '{_path($1)}');
  const asked = `{${query.map(({ name }) => `"${name}": ${pythonName(name)}`).join(', ')}}`;
  const values = [
    JSON.stringify(method),
    `${params.length === 0 ? '' : 'f'}"${place}"`,
    ...(query.length === 0 ? [] : [`query=${asked}`]),
    ...(body === null ? [] : ['body=body']),
    ...(takesKey ? ['idempotency_key=idempotency_key or str(uuid.uuid4())'] : []),
  ];
  const name = snakeOf(id);
  const call = `    def ${name}(${words}) -> ${answer}:
        """${summary}."""
        return typing.cast(${answer}, _read(${answer}, self.request(${values.join(', ')})))
`;
  if (pages === null) return call;
  const { row, asks, next } = pages;
  const rest = query.filter((one) => one.name !== 'cursor');
  const given = ['self', ...first, ...(rest.length === 0 ? [] : ['*', ...rest.map(argument)])];
  const read =
    params.length === 0 ? `self.${name}` : `lambda **q: self.${name}(${params.join(', ')}, **q)`;
  const names = rest.map(({ name }) => pythonName(name));
  const kept = `{${names.map((name) => `"${name}": ${name}`).join(', ')}}`;
  return `${call}
    def ${name.replace(/^[a-z]+/, 'iter')}(${given.join(', ')}) -> Iterator[${pythonType(row)}]:
        """Every row, page after page: ${summary}."""
        return self._rows(${read}, ${kept}, "${asks}", "${next}")
`;
}

function phpType(type: Type, required = true): string {
  const known = {
    text: 'string',
    choice: 'string',
    integer: 'int',
    number: 'float',
    boolean: 'bool',
    map: 'array|object',
    list: 'array',
    any: 'mixed',
  } as const;
  const text = type.kind === 'model' ? type.name : known[type.kind];
  if (text === 'mixed' || (required && !type.nullable)) return text;
  return type.kind === 'map' ? `${text}|null` : `?${text}`;
}

/** How the value of a field is read from the text of PHP that names it. */
function phpRead(type: Type, value: string): string {
  if (type.kind === 'model') return `${type.name}::read(${value})`;
  if (type.kind !== 'list' || type.of.kind !== 'model') return value;
  return `array_map(${type.of.name}::read(...), ${value})`;
}

/** What a list holds, for analysers: PHP's own types do not say it. */
function phpDoc(fields: readonly Field[]): string {
  const lines = fields.flatMap(({ name, type }) => {
    if (type.kind !== 'list') return [];
    const of = type.of.kind === 'model' ? type.of.name : 'mixed';
    return [`     * @param ${type.nullable ? '?' : ''}list<${of}> $${name}\n`];
  });
  return lines.length === 0 ? '' : `    /**\n${lines.join('')}     */\n`;
}

function phpModel({ name, fields }: Model): string {
  const declared = fields.map(({ name, type, required }) => {
    const end = required ? '' : ' = null';
    return `        public readonly ${phpType(type, required)} $${name}${end},\n`;
  });
  const read = fields.map(({ name, type, required }) => {
    const value = `$json['${name}']`;
    const text = phpRead(type, value);
    const mayMiss = !required || type.nullable;
    if (text === value) return `            ${value}${mayMiss ? ' ?? null' : ''},\n`;
    return `            ${mayMiss ? `isset(${value}) ? ${text} : null` : text},\n`;
  });
  const maps = fields.filter(({ type }) => type.kind === 'map').map((one) => `'${one.name}'`);
  const constant = `    protected const MAPS = [${maps.join(', ')}];\n\n`;
  return `final class ${name} extends Model
{
${maps.length > 0 ? constant : ''}${phpDoc(fields)}    public function __construct(
${declared.join('')}    ) {
    }

    /** @param array<string, mixed> $json */
    public static function read(array $json): self
    {
        return new self(
${read.join('')}        );
    }
}
`;
}

function phpOperation(operation: Operation): string {
  const { id, summary, method, path, params, query, body, takesKey, answer, pages } = operation;
  const argument = ({ name, type, required }: Field) =>
    `${phpType(type, required)} $${name}${required ? '' : ' = null'}`;
  const first = params.map((name) => `string $${name}`);
  const sent = body === null ? [] : [`array|${body} $body`];
  const key = takesKey ? ['?string $idempotencyKey = null'] : [];
  const words = [...first, ...sent, ...key, ...query.map(argument)].join(', ');
  const place = path
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => part.replace(/^\{(\w+)\}$/, (_, name) => `rawurlencode($${name})`))
    .map((part) => (part.startsWith('rawurlencode') ? part : `'${part}'`))
    .join(' . ');
  const asked = query.map(({ name }) => `'${name}' => $${name}`).join(', ');
  const values = [
    `'${method}', ${place}`,
    ...(query.length === 0 ? [] : [`query: [${asked}]`]),
    ...(body === null ? [] : ['body: $body']),
    ...(takesKey ? ['idempotencyKey: $idempotencyKey ?? self::newKey()'] : []),
  ];
  const call = `    /** ${summary}. */
    public function ${id}(${words}): ${answer}
    {
        return ${answer}::read($this->request(${values.join(', ')}));
    }
`;
  if (pages === null) return call;
  const { row, asks, next } = pages;
  const rest = query.filter((one) => one.name !== 'cursor');
  const given = [...first, ...rest.map(argument)].join(', ');
  const kept = rest.map(({ name }) => `'${name}' => $${name}`).join(', ');
  const read =
    params.length === 0
      ? `$this->${id}(...)`
      : `fn (...$query) => $this->${id}(${params.map((name) => `$${name}`).join(', ')}, ...$query)`;
  const of = row.kind === 'model' ? row.name : 'mixed';
  return `${call}
    /**
     * Every row, page after page: ${summary}.
     *
     * @return \\Generator<int, ${of}>
     */
    public function ${id.replace(/^[a-z]+/, 'iterate')}(${given}): \\Generator
    {
        return $this->rows(${read}, [${kept}], '${asks}', '${next}');
    }
`;
}
