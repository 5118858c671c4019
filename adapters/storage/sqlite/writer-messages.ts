// What passes between the session and the writer in its thread, as few and flat values: what a
// message costs goes by their number. Texts are sent once and named by their number afterwards.
import SqliteConnection from 'better-sqlite3';
import { AssertionFailure, assert, type ErrorCode, PonteError } from '../../../core/errors.js';
import { type Row, StoreConflict } from '../database.js';
import { type Value, valueOfParam } from './connection.js';
import type { Batch, WriterCounts, WriterStatement } from './writer.js';

/** Units to apply, in their order. */
export interface WriteRequest {
  /** Texts that no earlier message brought. */
  readonly texts: readonly (string | null)[];
  /**
   * Of each batch: whether it returns rows (1) or not (0), how many statements it has, and of each
   * of those the numbers of its text and of what it guards, and how many values it has.
   */
  readonly plan: readonly number[];
  readonly values: readonly Value[];
}

/** How the next batches ended, in the order in which they were sent. */
export interface WriteResponse {
  /** Null: applied, without rows. */
  readonly outcomes: readonly (readonly Row[] | SerializedError | null)[];
  /** Since the thread began. */
  readonly counts: WriterCounts;
}

export interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Of a refusal or an error of the database, its code; of a conflict, its kind. */
  readonly code: string;
  readonly cause: SerializedError | undefined;
}

/** Gathers batches for the next message. */
export class WriteRequestEncoder {
  readonly #numbers = new Map<string | null, number>();
  #texts: (string | null)[] = [];
  #plan: number[] = [];
  #values: Value[] = [];

  add({ returns, statements }: Pick<Batch, 'returns' | 'statements'>): void {
    this.#plan.push(returns ? 1 : 0, statements.length);
    for (const { sql, guards, params } of statements) {
      this.#plan.push(this.#numberOf(sql), this.#numberOf(guards), params.length);
      for (const param of params) this.#values.push(valueOfParam(param));
    }
  }

  take(): WriteRequest {
    const orders = { texts: this.#texts, plan: this.#plan, values: this.#values };
    this.#texts = [];
    this.#plan = [];
    this.#values = [];
    return orders;
  }

  #numberOf(text: string | null): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(text, number);
    this.#texts.push(text);
    return number;
  }
}

export class WriteRequestDecoder {
  readonly #texts: (string | null)[] = [];

  read({ texts, plan, values }: WriteRequest): readonly Pick<Batch, 'returns' | 'statements'>[] {
    this.#texts.push(...texts);
    const batches: Pick<Batch, 'returns' | 'statements'>[] = [];
    let at = 0;
    let from = 0;
    const next = () => plan[at++] as number;
    while (at < plan.length) {
      const returns = next() === 1;
      const statements = Array.from({ length: next() }, (): WriterStatement => {
        const sql = this.#texts[next()];
        const guards = this.#texts[next()];
        assert(
          typeof sql === 'string' && guards !== undefined,
          'a text is sent before it is named',
        );
        const to = from + next();
        const statement = { sql, guards, params: values.slice(from, to) };
        from = to;
        return statement;
      });
      batches.push({ returns, statements });
    }
    return batches;
  }
}

/** An error keeps nothing but its message on the way to another thread, so it is told. */
export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error)) return serializeError(new Error(String(error)));
  const { name, message, stack, cause } = error;
  const code = error instanceof StoreConflict ? error.kind : 'code' in error ? error.code : '';
  return {
    ...{ name, message, stack, code: String(code) },
    cause: cause === undefined ? undefined : serializeError(cause),
  };
}

/** The same error again, as far as anybody asks. */
export function deserializeError(told: SerializedError): Error {
  const error = newError(told);
  if (told.stack !== undefined) error.stack = told.stack;
  return error;
}

function newError({ name, message, code, cause: toldCause }: SerializedError): Error {
  const cause = toldCause === undefined ? undefined : deserializeError(toldCause);
  const options = cause === undefined ? {} : { cause };
  switch (name) {
    case 'StoreConflict':
      return new StoreConflict(code as StoreConflict['kind'], message, cause);
    case 'PonteError':
      return new PonteError(code as ErrorCode, message, options);
    case 'SqliteError':
      return new SqliteConnection.SqliteError(message, code);
    case 'AssertionFailure':
      return new AssertionFailure(message);
    default:
      return Object.assign(new Error(message, options), { name });
  }
}
