// Several prepared statements as one message with one Sync: to the server this is one implicit
// transaction. The server commits at the Sync and reports that it is ready only after that, which
// is awaited here; after an error, of the commit too, nothing of the transaction is left. The
// driver sends a Sync with each of its queries, which costs both sides about as much as a small
// statement.
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { AssertionFailure } from '../../../core/errors.js';
import type { PreparedQuery } from './query-text.js';

type Results = readonly pg.QueryResult[];

/** The statements whose rows are requested. */
type Rows = 'of all' | 'of the last';

export function pipelined(
  client: pg.ClientBase,
  queries: readonly PreparedQuery[],
  rows: Rows,
): Promise<Results> {
  return new Promise((resolve, reject) => {
    const pipeline = new Pipeline(queries, rows, (error, found) => {
      const results: Results = Array.isArray(found) ? found : [found];
      // Results are assigned to the statements by position.
      const isWhole = results.length === queries.length;
      if (error) reject(error);
      else if (isWhole) resolve(results);
      else reject(new AssertionFailure('each statement has one result'));
    });
    client.query(pipeline as unknown as pg.Submittable);
  });
}

type Callback = (error: Error | null, found: pg.QueryResult | Results) => void;

/** Internals of the driver's connection and query, which its types omit. */
interface Wire {
  readonly stream: Duplex;
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  parse(statement: { readonly name: string; readonly text: string }): void;
  bind(portal: { readonly statement: string; readonly values: readonly unknown[] }): void;
  describe(what: { readonly type: 'P' }): void;
  execute(): void;
  sync(): void;
}

interface DriversQuery {
  /** The statement in progress: the driver records it as prepared. */
  name: string;
  text: string;
  submit(connection: Wire): null;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
  handleError(error: Error, connection: Wire): void;
}

const DriversQuery = pg.Query as unknown as new (
  first: { readonly name: string; readonly text: string },
  callback: Callback,
) => DriversQuery;

class Pipeline extends DriversQuery {
  readonly #queries: readonly PreparedQuery[];
  readonly #rows: Rows;
  #answered = 0;

  constructor(queries: readonly PreparedQuery[], rows: Rows, callback: Callback) {
    super(queries[0] as PreparedQuery, callback);
    this.#queries = queries;
    this.#rows = rows;
  }

  override submit(connection: Wire): null {
    // Values are converted first: a failure must not leave half of a group sent without a Sync.
    const sent = this.#queries.map(({ values }) => values.map(asSent));
    const { stream, parsedStatements, submittedNamedStatements } = connection;
    stream.cork();
    try {
      for (const [at, { name, text }] of this.#queries.entries()) {
        if (!(name in parsedStatements) && !(name in submittedNamedStatements)) {
          connection.parse({ name, text });
          submittedNamedStatements[name] = text;
        }
        connection.bind({ statement: name, values: sent[at] ?? [] });
        if (this.#hasRows(at)) connection.describe({ type: 'P' });
        connection.execute();
      }
      connection.sync();
    } finally {
      stream.uncork();
    }
    return null;
  }

  override handleDataRow(message: unknown): void {
    // Rows of guarded statements are ignored: a miss raises.
    if (this.#hasRows(this.#answered)) super.handleDataRow(message);
  }

  #hasRows(at: number): boolean {
    return this.#rows === 'of all' || at === this.#queries.length - 1;
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    super.handleCommandComplete(message, connection);
    this.#answered += 1;
    const next = this.#queries[this.#answered];
    if (next === undefined) return;
    this.name = next.name;
    this.text = next.text;
  }

  override handleError(error: Error, connection: Wire): void {
    // The server skips the statements after the error: they are not prepared.
    for (const { name } of this.#queries) delete connection.submittedNamedStatements[name];
    super.handleError(error, connection);
  }
}

function asSent(value: PreparedQuery['values'][number]): string | Buffer | null {
  return value === null || value instanceof Buffer ? value : String(value);
}
