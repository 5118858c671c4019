// A representation declares each field of an answer once: its schema and its source in a value of
// the core. The schema goes to the description, `show` makes the answer. An undeclared field is
// never shown.
import { z } from 'zod';
import { responseSchemas } from './schemas.js';

type Shape = Readonly<Record<string, z.ZodType>>;

/** A value that answers may show; lists and objects of the core are read-only. */
type Shown<T> = T extends readonly (infer E)[]
  ? readonly Shown<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Shown<T[K]> }
    : T;

/** `unknown` if the source has a property of this name and type. */
type IfSameName<S, K, T> = K extends keyof S
  ? S[K] extends Shown<z.output<T>>
    ? unknown
    : never
  : never;

/** A schema alone shows the source's property of the same name. */
type Fields<S, T extends Shape> = {
  readonly [K in keyof T]:
    | (T[K] & IfSameName<S, K, T[K]>)
    | readonly [schema: T[K], show: (source: S) => Shown<z.output<T[K]>>];
};

export interface Representation<S, T extends Shape> {
  readonly fields: Fields<S, T>;
  readonly schema: z.ZodObject<T, z.core.$strict>;
  /** JSON leaves out a field that is undefined. */
  show(source: S): { readonly [K in keyof T]: Shown<z.output<T[K]>> };
}

/** `id` is the schema's name in the description; null where it is described in its parent. */
export function representation<S>() {
  return <T extends Shape>(
    id: string | null,
    fields: Fields<S, T>,
    description?: string,
  ): Representation<S, T> => {
    const entries = Object.entries<Field<S>>(fields);
    const shape = entries.map(([name, field]) => [name, isSchema(field) ? field : field[0]]);
    const object = z.strictObject(Object.fromEntries(shape) as T);
    const schema = description === undefined ? object : object.meta({ description });
    if (id !== null) responseSchemas.add(schema, { id });
    const readers = entries.map(([name, field]) => ({
      name,
      read: isSchema(field) ? null : field[1],
    }));
    // A copy has a fixed layout. Properties that are added one by one make a slower hash table.
    const empty = Object.fromEntries(entries.map(([name]) => [name, undefined]));
    return {
      fields,
      schema,
      show(source) {
        const shown: Record<string, unknown> = { ...empty };
        for (const { name, read } of readers) {
          shown[name] = read === null ? (source as Record<string, unknown>)[name] : read(source);
        }
        return shown as ReturnType<Representation<S, T>['show']>;
      },
    };
  };
}

type Field<S> = z.ZodType | readonly [schema: z.ZodType, show: (source: S) => unknown];

function isSchema<S>(field: Field<S>): field is z.ZodType {
  return field instanceof z.ZodType;
}

/** A page of a list, `{ data, nextCursor }`; `nextCursor` is null on the last page. */
export function pageOf<S, T extends Shape>(id: string, item: Representation<S, T>) {
  return list(id, item, z.string().nullable());
}

export function wholeListOf<S, T extends Shape>(id: string, item: Representation<S, T>) {
  return list(id, item, z.null().meta({ description: 'The list is always complete.' }));
}

function list<S, T extends Shape, C extends z.ZodType>(
  id: string,
  item: Representation<S, T>,
  cursor: C,
) {
  const schema = z.strictObject({ data: z.array(item.schema), nextCursor: cursor });
  responseSchemas.add(schema, { id });
  return {
    schema,
    show: (sources: readonly S[], nextCursor: z.output<C>) => ({
      data: sources.map((source) => item.show(source)),
      nextCursor,
    }),
  };
}
