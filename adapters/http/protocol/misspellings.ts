// What is wrong with a body before its schema reads it: too many items or properties, and unknown
// properties whose names are close to a known one. Other unknown properties
// are ignored. To ignore these would change the meaning of a request: with `curency: "EUR"` the
// payment would be in USD.
import { z } from 'zod';
import { nearMiss } from '../../../core/domain/base/near-miss.js';
import { isObject } from './schemas.js';

/** Unknown names that are compared per body, to bound the work. */
const UNKNOWN_MAX = 100;

/** Items of an array, or properties of an object, that the schema does not limit. */
const SIZE_MAX = 1_000;

/** The first array or object that is too large; null if there is none. A schema would walk it. */
export function oversize(schema: z.ZodType, value: unknown): string | null {
  const visit = (names: Names | null | undefined, value: unknown, path: string): string | null => {
    if (!names || typeof value !== 'object' || value === null) return null;
    const isList = Array.isArray(value);
    const entries = Object.entries(value);
    if (entries.length > names.sizeMax) {
      const kind = isList ? 'items' : 'properties';
      return `${path || 'body'}: send at most ${names.sizeMax} ${kind}`;
    }
    for (const [name, one] of entries) {
      const inner = isList ? names.item : names.known?.get(name);
      const at = isList ? `${path}[${name}]` : `${path}.${name}`.replace(/^\./, '');
      const found = visit(inner, one, at);
      if (found !== null) return found;
    }
    return null;
  };
  return visit(namesOf(schema), value, '');
}

/** One line per property, path first. If the known property is sent too, it is no misspelling. */
export function misspellings(schema: z.ZodType, value: unknown): readonly string[] {
  const problems: string[] = [];
  let unknown = 0;
  const visit = (names: Names, value: unknown, path: string): void => {
    const { known, isStrict, item } = names;
    if (item !== null && Array.isArray(value)) {
      for (const [index, one] of value.entries()) visit(item, one, `${path}[${index}]`);
    }
    if (known === null || !isObject(value)) return;
    for (const name of Object.keys(value)) {
      const inner = known.get(name);
      if (inner === null) continue;
      const at = path === '' ? name : `${path}.${name}`;
      if (inner !== undefined) visit(inner, value[name], at);
      else if (!isStrict && unknown < UNKNOWN_MAX) {
        unknown += 1;
        const meant = nearMiss(name, names.spelled);
        if (meant === null || (value[meant] ?? null) !== null) continue;
        problems.push(`${at}: unknown property; send ${meant} instead`);
      }
    }
  };
  const names = namesOf(schema);
  if (names !== null) visit(names, value, '');
  return problems;
}

interface Names {
  /** By property of an object; a property without objects has null. Null for an array. */
  readonly known: ReadonlyMap<string, Names | null> | null;
  /** The schema refuses unknown properties. */
  readonly isStrict: boolean;
  readonly item: Names | null;
  /** The known names. */
  readonly spelled: readonly string[];
  readonly sizeMax: number;
}

/** Each schema is read once. */
const namesRead = new WeakMap<z.core.$ZodType, Names | null>();

/** Null for a schema without objects and arrays. */
function namesOf(schema: z.core.$ZodType): Names | null {
  const made = namesRead.get(schema);
  if (made !== undefined) return made;
  const names = readNames(schema);
  namesRead.set(schema, names);
  return names;
}

function readNames(schema: z.core.$ZodType): Names | null {
  if (schema instanceof z.ZodPipe) return namesOf(schema.in);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return namesOf(schema.unwrap());
  }
  const none = { known: null, isStrict: false, item: null, spelled: [], sizeMax: SIZE_MAX };
  if (schema instanceof z.ZodArray) {
    const limits = (schema.def.checks ?? []).map((check) =>
      check instanceof z.core.$ZodCheckMaxLength ? check._zod.def.maximum : SIZE_MAX,
    );
    const sizeMax = Math.min(SIZE_MAX, ...limits);
    return { ...none, item: namesOf(schema.element), sizeMax };
  }
  if (schema instanceof z.ZodRecord) return none;
  if (!(schema instanceof z.ZodObject)) return null;
  const inner = Object.entries<z.core.$ZodType>(schema.shape);
  const known = new Map(inner.map(([name, property]) => [name, namesOf(property)]));
  const isStrict = schema.def.catchall !== undefined;
  return { ...none, known, isStrict, spelled: [...known.keys()] };
}
