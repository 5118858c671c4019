// Several prepared statements as one message to the server, which ends once (Sync): to the server
// that is one implicit transaction. It is committed at that end, and only then does the server say
// that it is ready for more, which is what is waited for; after an error, of the commit too,
// nothing of it is left. The driver sends each of its queries with an end of its own, which costs
// both sides about what a small statement does.
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { AssertionFailure } from '../../../core/errors.js';
import type { PreparedQuery } from './query-text.js';

type Results = readonly pg.QueryResult[];

/** Whose rows are asked for; without them a result says what was done. */
type Rows = 'of all' | 'of the last';

export function pipelined(
  client: pg.ClientBase,
  queries: readonly PreparedQuery[],
  rows: Rows,
): Promise<Results> {
  return new Promise((resolve, reject) => {
    const pipeline = new Pipeline(queries, rows, (error, found) => {
      const results: Results = Array.isArray(found) ? found : [found];
      // Answers go to who asked by their places in this list.
      const isWhole = results.length === queries.length;
      if (error) reject(error);
      else if (isWhole) resolve(results);
      else reject(new AssertionFailure('each statement has one result'));
    });
    client.query(pipeline as unknown as pg.Submittable);
  });
}

type Callback = (error: Error | null, found: pg.QueryResult | Results) => void;

/** The driver's connection and query as they are; its types leave most of them out. */
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
  /** The statement that is being answered: the driver notes it as prepared. */
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
    // Before anything is sent: half of a group must not wait for somebody else's end.
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
    // Of a guarded statement: it would have raised.
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
    // What stands behind the error was not looked at, and so is not prepared.
    for (const { name } of this.#queries) delete connection.submittedNamedStatements[name];
    super.handleError(error, connection);
  }
}

function asSent(value: PreparedQuery['values'][number]): string | Buffer | null {
  return value === null || value instanceof Buffer ? value : String(value);
}
