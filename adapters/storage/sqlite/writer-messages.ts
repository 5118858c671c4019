// Messages between the session and the writer thread, as few flat values: the cost of a message
// grows with their number. A text is sent once and then named by its number.
import SqliteConnection from 'better-sqlite3';
import { AssertionFailure, assert, type ErrorCode, PonteError } from '../../../core/errors.js';
import { type Row, StoreConflict } from '../database.js';
import { type Value, valueOfParam } from './connection.js';
import type { WriteBatch, WriterCounts, WriterStatement } from './writer.js';

export interface WriteRequest {
  readonly texts: readonly (string | null)[];
  /**
   * For each batch: 1 if it returns rows, else 0; the number of its statements; and for each of
   * these the number of its text, the number of its guard, and the count of its values.
   */
  readonly plan: readonly number[];
  readonly values: readonly Value[];
}

/** Outcomes of the next batches, in the order in which they were sent. */
export interface WriteResponse {
  /** Null: applied, without rows. */
  readonly outcomes: readonly (readonly Row[] | SerializedError | null)[];
  readonly counts: WriterCounts;
}

export interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** The code of a refusal or of a database error; the kind of a conflict. */
  readonly code: string;
  readonly cause: SerializedError | undefined;
}

export class WriteRequestEncoder {
  readonly #numbers = new Map<string | null, number>();
  #texts: (string | null)[] = [];
  #plan: number[] = [];
  #values: Value[] = [];

  add({ returns, statements }: Pick<WriteBatch, 'returns' | 'statements'>): void {
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

  read({
    texts,
    plan,
    values,
  }: WriteRequest): readonly Pick<WriteBatch, 'returns' | 'statements'>[] {
    this.#texts.push(...texts);
    const batches: Pick<WriteBatch, 'returns' | 'statements'>[] = [];
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

/** Structured clone would keep only the message. */
export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error)) return serializeError(new Error(String(error)));
  const { name, message, stack, cause } = error;
  const code = error instanceof StoreConflict ? error.kind : 'code' in error ? error.code : '';
  return {
    name,
    message,
    stack,
    code: String(code),
    cause: cause === undefined ? undefined : serializeError(cause),
  };
}

export function deserializeError(serialized: SerializedError): Error {
  const error = newError(serialized);
  if (serialized.stack !== undefined) error.stack = serialized.stack;
  return error;
}

function newError({ name, message, code, cause: serializedCause }: SerializedError): Error {
  const cause = serializedCause === undefined ? undefined : deserializeError(serializedCause);
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
