// JSON text that must be returned as it was sent. JSON.parse moves integer-like keys to the front
// and rounds large numbers, so metadata and display are cut out of the body's text, stored as text,
// and inserted into responses and events as text. The input is valid JSON.
import { assert } from '../../errors.js';

/** Valid JSON text that writeJson inserts unchanged. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Called by writeJson. A plain JSON.stringify keeps only the meaning. */
  toJSON(): unknown {
    if (collected === null) return JSON.parse(this.text);
    collected.push(this.text);
    return '\0';
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * How many names the objects of a JSON text have, or null: it has more levels of arrays and
 * objects, or more values, than allowed. This bounds the cost of JSON.parse, which is many times
 * slower than this scan.
 */
export function namesWithin(
  text: string,
  { depthMax, valuesMax }: { readonly depthMax: number; readonly valuesMax: number },
): number | null {
  let depth = 0;
  let values = 1;
  let names = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = skipString(text, at) - 1;
    else if (code === COMMA) values += 1;
    else if (code === COLON) names += 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    if (depth > depthMax || values > valuesMax) return null;
  }
  return names;
}

/**
 * The path of the first name that occurs twice in its object, such as `buyer.email`, or null. RFC
 * 8259 leaves open which value counts: two programs may read two amounts. `names` is what
 * namesWithin counted and `value` the parsed text, which has fewer names if one is repeated.
 */
export function repeatedName(text: string, value: unknown, names: number): string | null {
  return countOfNames(value) === names ? null : firstRepeated(text);
}

/** Iterative, like hasUnstorableText. */
function countOfNames(value: unknown): number {
  const open: unknown[] = [value];
  let names = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (!isContainer(next)) continue;
    const items = Object.values(next);
    if (!Array.isArray(next)) names += items.length;
    for (const item of items) if (isContainer(item)) open.push(item);
  }
  return names;
}

function firstRepeated(text: string): string | null {
  const open: (readonly [path: string, text: string])[] = [['', text]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [path, value] = next;
    const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`);
    const [first] = value.trimStart();
    if (first === '[') {
      open.push(...sliceItems(value).map((item, at) => [`${path}[${at}]`, item] as const));
    } else if (first === '{') {
      const members = membersOf(value);
      const seen = new Set<string>();
      for (const [name] of members) {
        if (seen.has(name)) return pathOf(name);
        seen.add(name);
      }
      open.push(...members.map(([name, item]) => [pathOf(name), item] as const));
    }
  }
  return null;
}

/** The raw text of these top-level properties. */
export function sliceTopLevel(bodyText: string, names: readonly string[]): Map<string, string> {
  return new Map(membersOf(bodyText).filter(([name]) => names.includes(name)));
}

/** The members of an object, in order: the name and the raw text of the value. */
function membersOf(bodyText: string): readonly (readonly [name: string, text: string])[] {
  const members: (readonly [string, string])[] = [];
  let at = skipBlanks(bodyText, 0);
  assert(bodyText.charCodeAt(at) === OPEN_BRACE, 'only an object has properties to cut out');
  at = skipBlanks(bodyText, at + 1);
  while (bodyText.charCodeAt(at) === QUOTE) {
    const nameEnd = skipString(bodyText, at);
    const name = decodeString(bodyText.slice(at, nameEnd));
    const valueStart = skipBlanks(bodyText, skipBlanks(bodyText, nameEnd) + 1);
    const valueEnd = skipValue(bodyText, valueStart);
    members.push([name, bodyText.slice(valueStart, valueEnd)]);
    at = skipBlanks(bodyText, valueEnd);
    if (bodyText.charCodeAt(at) === COMMA) at = skipBlanks(bodyText, at + 1);
  }
  return members;
}

/** The raw text of each item of an array. */
export function sliceItems(arrayText: string): readonly string[] {
  const items: string[] = [];
  let at = skipBlanks(arrayText, 0);
  assert(arrayText.charCodeAt(at) === OPEN_BRACKET, 'only an array has items to cut out');
  at = skipBlanks(arrayText, at + 1);
  while (at < arrayText.length && arrayText.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = skipValue(arrayText, at);
    items.push(arrayText.slice(at, end));
    at = skipBlanks(arrayText, end);
    if (arrayText.charCodeAt(at) === COMMA) at = skipBlanks(arrayText, at + 1);
  }
  return items;
}

/** JSON.stringify for plain values, with the text of every RawJson. */
export function writeJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  const raws: string[] = [];
  const pieces = stringified(value, raws).split(PLACEHOLDER);
  const [first = '', ...others] = pieces;
  if (others.length === raws.length) {
    return others.reduce((text, piece, index) => text + raws[index] + piece, first);
  }
  // A text of the value is the placeholder itself. No such text can be stored.
  return writePieceByPiece(value);
}

/** A string of a single NUL, as JSON writes it. */
const PLACEHOLDER = JSON.stringify('\0');

/** The raw parts of the current writeJson; null outside it. */
let collected: string[] | null = null;

/** The text with PLACEHOLDER for each raw part: JSON.stringify is several times as fast as ours. */
function stringified(value: unknown, raws: string[]): string {
  collected = raws;
  try {
    const text: string | undefined = JSON.stringify(value);
    assert(text !== undefined, `${typeof value} is no JSON`);
    return text;
  } catch (error) {
    assert(!(error instanceof TypeError), `this is no JSON: ${String(error)}`);
    throw error;
  } finally {
    collected = null;
  }
}

function writePieceByPiece(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${value.map((item) => writePieceByPiece(item ?? null)).join(',')}]`;
  }
  const written = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([name, item]) => `${JSON.stringify(name)}:${writePieceByPiece(item)}`);
  return `{${written.join(',')}}`;
}

/**
 * Whether a string or key in a parsed JSON value contains a NUL or a lone surrogate, which not
 * every database can store. Iterative: a body may nest deeper than the stack.
 */
export function hasUnstorableText(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') {
      if (!isStorable(next)) return true;
    } else if (Array.isArray(next)) {
      for (const item of next) open.push(item);
    } else if (typeof next === 'object' && next !== null) {
      for (const [name, item] of Object.entries(next)) {
        if (!isStorable(name)) return true;
        open.push(item);
      }
    }
  }
  return false;
}

/**
 * Whether two JSON texts have equal values: white space and the order of properties do not count.
 * Numbers are compared as doubles. Iterative, like hasUnstorableText.
 */
export function isSameJson(left: string, right: string): boolean {
  if (left === right) return true;
  const open: (readonly [unknown, unknown])[] = [[JSON.parse(left), JSON.parse(right)]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [one, other] = pair;
    if (one === other) continue;
    if (!isContainer(one) || !isContainer(other)) return false;
    const names = Object.keys(one);
    const alike = Array.isArray(one) === Array.isArray(other);
    if (!alike || names.length !== Object.keys(other).length) return false;
    for (const name of names) {
      if (!Object.hasOwn(other, name)) return false;
      open.push([one[name], other[name]]);
    }
  }
  return true;
}

/** An object or an array. */
function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** No NUL, no lone surrogate. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function decodeString(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** The index after the string that opens at `from`. */
function skipString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    at += code === BACKSLASH ? 2 : 1;
  }
  return text.length;
}

/** The index after the value that begins at `from`. */
function skipValue(text: string, from: number): number {
  let at = from;
  let depth = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(text, at);
      continue;
    }
    const closes = code === CLOSE_BRACE || code === CLOSE_BRACKET;
    if (depth === 0 && (closes || code === COMMA || isBlank(code))) return at;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (closes) depth -= 1;
    at += 1;
  }
  return at;
}
