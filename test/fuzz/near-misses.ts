// Values that almost satisfy their schema: at or just beyond a bound, of another type, with a
// hostile text; objects with a property missing, misspelt or added. Some results are still valid:
// the schema decides that, not this file.
import { RawJson } from '../../core/domain/base/raw-json.js';
import type { SeededRandom } from '../simulation/seeded-random.js';
import type { Json } from '../support/servers/json-call.js';
import type { Description, Schema } from './described-operations.js';
import { hostileAmounts, hostileByFormat, hostileTexts } from './hostile-texts.js';
import type { TextSchema } from './schema-values.js';

/** A value inside a body, and its schema. */
interface Place {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly schema: Schema;
}

/** Returns the value to put in this place; undefined if the row does not apply to it. */
type Miss = (place: Place, random: SeededRandom) => unknown;

/** Attempts to find a row that applies. */
const TRIES_MAX = 20;

const otherTypes: readonly unknown[] = [
  0,
  -1,
  1.5,
  true,
  false,
  null,
  '',
  [],
  {},
  [[]],
  [null],
  { toString: 1 },
  ...['1e400', '-0', '1E-400', '9007199254740993', '123456789012345678901234567890'].map(
    (number) => new RawJson(number),
  ),
];
const extraNames = ['extra', '', 'id', 'orgId', 'status', 'mode', '😀', 'toString', '\0'];

const misses: Readonly<Record<string, Miss>> = {
  'another type': (_, random) => random.pick(otherTypes),
  'in a list': ({ value }) => [value],
  'one character short': ({ schema }) => {
    const { minLength = 0 } = schema as TextSchema;
    return minLength > 0 ? 'a'.repeat(minLength - 1) : undefined;
  },
  'one character long': ({ schema }, random) => {
    const { maxLength } = schema as TextSchema;
    return maxLength === undefined ? undefined : random.pick(['a', '😀']).repeat(maxLength + 1);
  },
  'of maximum length': ({ schema }, random) => {
    const { maxLength } = schema as TextSchema;
    return maxLength === undefined ? undefined : random.pick(['a', '😀', '"']).repeat(maxLength);
  },
  'hostile text': ({ value }, random) =>
    typeof value === 'string' ? random.pick(hostileTexts) : undefined,
  'hostile for its format': ({ schema }, random) => {
    const texts = hostileByFormat[(schema as TextSchema).format ?? ''];
    return texts === undefined ? undefined : random.pick(texts);
  },
  'hostile amount': ({ schema }, random) => {
    const isAmount = (schema as TextSchema).pattern?.includes('.') ?? false;
    return isAmount ? random.pick(hostileAmounts) : undefined;
  },
  'more text': ({ value }, random) => {
    if (typeof value !== 'string') return undefined;
    return random.pick([` ${value}`, `${value} `, `${value}\n`, `+${value}`, value.repeat(2)]);
  },
  'another case': ({ value }, random) => {
    if (typeof value !== 'string') return undefined;
    return random.chance(0.5) ? value.toUpperCase() : value.toLowerCase();
  },
  'below its minimum': ({ schema: { minimum } }) => offset(minimum, -1),
  'above its maximum': ({ schema: { maximum } }) => offset(maximum, 1),
  'a fraction': ({ schema: { minimum } }) => offset(minimum, 0.5),
  'one item more': ({ value, schema: { maxItems = 100 } }) => {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    return Array.from({ length: Number(maxItems) + 1 }, () => value[0] as unknown);
  },
  'no items': ({ value }) => (Array.isArray(value) ? [] : undefined),
  'a property missing': ({ value }, random) => {
    const name = nameIn(value, random);
    return name === null ? undefined : { ...(value as Json), [name]: undefined };
  },
  'a property misspelt': ({ value }, random) => {
    const name = nameIn(value, random);
    if (name === null) return undefined;
    const { [name]: moved, ...others } = value as Json;
    return { ...others, [misspelt(name, random)]: moved };
  },
  'an unknown property': ({ value }, random) =>
    isObject(value) ? { ...value, [random.pick(extraNames)]: random.pick(otherTypes) } : undefined,
  'a __proto__ property': ({ value }, random) => {
    if (!isObject(value)) return undefined;
    const text = random.pick(['{"__proto__":{"scopes":[]}}', '{"__proto__":null}']);
    // An own property, as JSON.parse creates it.
    return Object.defineProperties(
      { ...value },
      Object.getOwnPropertyDescriptors(JSON.parse(text)),
    );
  },
};

/** Changes one place of the value; `note` says which and how. */
export function nearMiss(
  description: Description,
  random: SeededRandom,
  schema: Schema,
  value: unknown,
): { readonly value: unknown; readonly note: string } {
  const places = placesIn(description, schema, value, []);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const place = random.pick(places);
    const name = random.pick(Object.keys(misses));
    const instead = misses[name]?.(place, random);
    if (instead === undefined) continue;
    const note = place.path.length === 0 ? name : `${place.path.join('.')}: ${name}`;
    return { value: replacedAt(value, place.path, instead), note };
  }
  return { value, note: 'unchanged' };
}

function placesIn(
  description: Description,
  schema: Schema,
  value: unknown,
  path: Place['path'],
): readonly Place[] {
  const own = notNull(description, schema);
  const place: Place = { path, value, schema: own };
  if (Array.isArray(value)) {
    const items = (own['items'] ?? {}) as Schema;
    const inside = value.flatMap((item, at) => placesIn(description, items, item, [...path, at]));
    return [place, ...inside];
  }
  if (!isObject(value) || value instanceof RawJson) return [place];
  const properties = (own['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const inside = Object.entries(value).flatMap(([name, item]) =>
    placesIn(description, properties[name] ?? {}, item, [...path, name]),
  );
  return [place, ...inside];
}

/** The schema of a value that may also be null. */
function notNull(description: Description, schema: Schema): Schema {
  const { anyOf, ...own } = description.resolve(schema) as { readonly anyOf?: readonly Schema[] };
  const [first] = (anyOf ?? []).filter((choice) => choice['type'] !== 'null');
  return first === undefined ? own : notNull(description, first);
}

function replacedAt(value: unknown, path: Place['path'], instead: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return instead;
  if (Array.isArray(value)) {
    const at = Number(first);
    return value.with(at, replacedAt(value[at], rest, instead));
  }
  const object = value as Json;
  return { ...object, [first]: replacedAt(object[first], rest, instead) };
}

/** One or two edits away. */
function misspelt(name: string, random: SeededRandom): string {
  const at = random.between(0, name.length - 1);
  const [before, letter, behind] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)];
  const snakeCase = name.replace(/[A-Z]/, (upper) => `_${upper.toLowerCase()}`);
  return random.pick([
    `${before}${behind}`,
    `${before}${letter}${letter}${behind}`,
    `${before}x${behind}`,
    `${name}s`,
    name.toLowerCase(),
    snakeCase,
  ]);
}

function nameIn(value: unknown, random: SeededRandom): string | null {
  const names = isObject(value) ? Object.keys(value) : [];
  return names.length === 0 ? null : random.pick(names);
}

function offset(bound: unknown, by: number): unknown {
  return typeof bound === 'number' ? bound + by : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
