// Values that a JSON Schema of the description allows. A value with a meaning in this run takes
// precedence, as an id that exists; the rest follows from types, enums, patterns and bounds.
import fc from 'fast-check';
import type { SeededRandom } from '../simulation/seeded-random.js';
import type { Description, Schema } from './described-operations.js';

export interface ValueMaker {
  readonly random: SeededRandom;
  readonly description: Description;
  /** A meaningful value for a property of this name; undefined: any that its schema allows. */
  readonly meaningful: (name: string) => unknown;
}

const MEANINGFUL_SHARE = 0.9;
const NOT_NULL_SHARE = 0.9;
/** Optional properties that are sent. */
const OPTIONAL_SHARE = 0.35;
/** Examples and defaults of the description, against generated values. */
const EXAMPLE_SHARE = 0.6;
/** Of text without a maximum, and of most other text. */
const USUAL_LENGTH_MAX = 40;

/** One code point each: several bytes, right to left, combining, quotes and escapes. */
const alphabet = [
  ...'abc XYZ 019 -_.,;:!?/\\"\'<>&%{}[]()+*=@#~`^|$éßİ中😀',
  'א',
  'ع',
  '\u200f',
  '\u202e',
  '\u0301',
  '\u2028',
  '\ufeff',
];
const letters = [...'abcdefgh'];

export function validValue(maker: ValueMaker, schema: Schema, name: string): unknown {
  const { random, description } = maker;
  const meaningful = maker.meaningful(name);
  if (meaningful !== undefined && random.chance(MEANINGFUL_SHARE)) return meaningful;
  const resolved = description.resolve(schema);
  const choices = (resolved['anyOf'] ?? resolved['oneOf']) as readonly Schema[] | undefined;
  if (choices !== undefined) {
    const values = choices.filter((choice) => choice['type'] !== 'null');
    const from = random.chance(NOT_NULL_SHARE) ? values : choices;
    return validValue(maker, random.pick(from), name);
  }
  const { examples = [] } = resolved as { readonly examples?: readonly unknown[] };
  const samples = [resolved['default'], ...examples].filter((sample) => sample !== undefined);
  if (samples.length > 0 && random.chance(EXAMPLE_SHARE)) return random.pick(samples);
  if (resolved['const'] !== undefined) return resolved['const'];
  if (Array.isArray(resolved['enum'])) return random.pick<unknown>(resolved['enum']);
  return typedValue(maker, resolved, name);
}

function typedValue(maker: ValueMaker, schema: Schema, name: string): unknown {
  const { random } = maker;
  switch (schema['type']) {
    case 'object':
      return validObject(maker, schema);
    case 'array': {
      const { minItems = 0, maxItems = 4, items = {} } = schema as ArraySchema;
      const length = random.between(minItems, Math.min(maxItems, minItems + 3));
      return Array.from({ length }, () => validValue(maker, items, `${name}[]`));
    }
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = minimum + 1_000 } = schema as NumberSchema;
      const where = random.weighted({ within: 8, least: 1, most: 1 });
      if (where !== 'within') return where === 'least' ? minimum : maximum;
      return random.between(minimum, Math.min(maximum, minimum + 1_000));
    }
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return validText(random, schema as TextSchema);
  }
}

interface ArraySchema {
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
}

interface NumberSchema {
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface TextSchema {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

function validObject(maker: ValueMaker, schema: Schema): Schema {
  const { properties, required = [] } = schema as ObjectSchema;
  const { random } = maker;
  if (properties === undefined) return freeObject(random, 0);
  const sent = Object.entries(properties).filter(
    ([name]) => required.includes(name) || random.chance(OPTIONAL_SHARE),
  );
  return Object.fromEntries(
    sent.map(([name, property]) => [name, validValue(maker, property, name)]),
  );
}

/** Of a schema without properties, as `metadata`. */
function freeObject(random: SeededRandom, depth: number): Schema {
  const names = ['order', '7', '01', '', 'a.b', 'ключ', '😀', 'constructor', 'title', 'lineItems'];
  const value = () => {
    const type = random.weighted({ text: 4, number: 3, object: depth < 3 ? 2 : 0, list: 1 });
    if (type === 'text') return textOf(random, random.between(0, USUAL_LENGTH_MAX));
    if (type === 'number') return random.pick([0, -1, 1.5, 1e21, -0, 1e-7, 2 ** 53]);
    return type === 'object' ? freeObject(random, depth + 1) : [null, true, []];
  };
  const length = random.between(0, 4);
  return Object.fromEntries(Array.from({ length }, () => [random.pick(names), value()]));
}

function validText(random: SeededRandom, schema: TextSchema): string {
  const { pattern, format, minLength = 0, maxLength = USUAL_LENGTH_MAX } = schema;
  if (pattern !== undefined) return matching(random, pattern);
  const formatted = byFormat[format ?? ''];
  if (formatted !== undefined) return formatted(random);
  const where = random.weighted({ within: 8, least: 1, most: 1 });
  if (where !== 'within') return textOf(random, where === 'least' ? minLength : maxLength);
  const most = Math.max(minLength, Math.min(maxLength, USUAL_LENGTH_MAX));
  return textOf(random, random.between(minLength, most));
}

/** Text of this many code points, half of the time plain letters. */
export function textOf(random: SeededRandom, length: number): string {
  const from = random.chance(0.5) ? letters : alphabet;
  return Array.from({ length }, () => random.pick(from)).join('');
}

function matching(random: SeededRandom, pattern: string): string {
  const seed = random.between(0, 2 ** 31 - 1);
  return fc.sample(fc.stringMatching(new RegExp(pattern)), { seed, numRuns: 1 })[0] ?? '';
}

const byFormat: Readonly<Record<string, (random: SeededRandom) => string>> = {
  email: (random) => `buyer-${random.between(1, 9)}@example.com`,
  uri: (random) =>
    random.pick(['https://shop.example/a?b=c#d', 'https://xn--bcher-kva.example/é', 'https://a.b']),
  date: (random) => `19${random.between(10, 99)}-0${random.between(1, 9)}-28`,
  'date-time': (random) =>
    `20${random.between(30, 99)}-01-31T12:00:00.5+0${random.between(0, 9)}:00`,
};
