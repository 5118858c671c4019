// What is wrong with a body before its schema reads it: too many items or properties, and unknown
// properties whose names are close to a known one. Other unknown properties are ignored. To ignore
// these would change the meaning of a request: with `curency: "EUR"` the payment would be in USD.
import { z } from 'zod';
import { nearMiss } from '../../../core/domain/base/near-miss.js';
import { isObject } from './schemas.js';

/** Unknown names that are compared per body, to bound the work. */
const UNKNOWN_MAX = 100;

/** Items of an array, or properties of an object, that the schema does not limit. */
const SIZE_MAX = 1_000;

interface BodyProblems {
  /** One line per property, path first. */
  readonly problems: readonly string[];
  /** The only problem is an array or object that is too large: a schema would walk all of it. */
  readonly isTooLarge: boolean;
}

/** If the known property is sent too, an unknown one is no misspelling. */
export function bodyProblems(schema: z.ZodType, body: unknown): BodyProblems {
  const problems: string[] = [];
  let tooLarge: string | null = null;
  let unknown = 0;
  const isWithin = (size: number, { sizeMax }: Names, path: string, kind: string): boolean => {
    if (size > sizeMax) tooLarge ??= `${path || 'body'}: send at most ${sizeMax} ${kind}`;
    return tooLarge === null;
  };
  const visitList = (names: Names, list: readonly unknown[], path: string): void => {
    if (!isWithin(list.length, names, path, 'items') || names.item === null) return;
    for (const [index, one] of list.entries()) visit(names.item, one, `${path}[${index}]`);
  };
  const visitObject = (names: Names, object: Readonly<Record<string, unknown>>, path: string) => {
    const sent = Object.keys(object);
    if (!isWithin(sent.length, names, path, 'properties') || names.known === null) return;
    for (const name of sent) {
      const inner = names.known.get(name);
      if (inner === null) continue;
      if (inner !== undefined) visit(inner, object[name], below(path, name));
      else if (!names.isStrict && unknown < UNKNOWN_MAX) {
        unknown += 1;
        const meant = nearMiss(name, names.spelled);
        if (meant === null || (object[meant] ?? null) !== null) continue;
        problems.push(`${below(path, name)}: unknown property; send ${meant} instead`);
      }
    }
  };
  const visit = (names: Names, value: unknown, path: string): void => {
    if (Array.isArray(value)) visitList(names, value, path);
    else if (isObject(value)) visitObject(names, value, path);
  };
  const names = namesOf(schema);
  if (names !== null) visit(names, body, '');
  if (tooLarge !== null) return { problems: [tooLarge], isTooLarge: true };
  return { problems, isTooLarge: false };
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
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
