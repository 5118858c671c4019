// Finds unknown properties of a body whose names are close to a known one. Other unknown properties
// are ignored. To ignore these would change the meaning of a request: with `curency: "EUR"` the
// payment would be in USD.
import { z } from 'zod';
import { nearMiss } from '../../core/domain/near-miss.js';
import { isObject } from './schemas.js';

/** Unknown names that are compared per body, to bound the work. */
const UNKNOWN_MAX = 100;

/** One line per property, path first. If the known property is sent too, it is no misspelling. */
export function misspellings(schema: z.ZodType, value: unknown): readonly string[] {
  const problems: string[] = [];
  let unknown = 0;
  const visit = ({ known, isStrict, item }: Names, value: unknown, path: string): void => {
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
        const meant = nearMiss(name, [...known.keys()]);
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
}

/** Each schema is read once. */
const namesRead = new WeakMap<z.core.$ZodType, Names | null>();

/** Null for a schema without objects. */
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
  if (schema instanceof z.ZodArray) {
    const item = namesOf(schema.element);
    return item === null ? null : { known: null, isStrict: false, item };
  }
  if (!(schema instanceof z.ZodObject)) return null;
  const inner = Object.entries<z.core.$ZodType>(schema.shape);
  const known = new Map(inner.map(([name, property]) => [name, namesOf(property)]));
  return { known, isStrict: schema.def.catchall !== undefined, item: null };
}
