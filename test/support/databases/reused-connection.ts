// SQLite databases in memory that tests use one after another. A new one reads its schema and
// prepares every statement again, which takes longer than most tests. What a test writes is one
// transaction, which is rolled back when the test closes its store. The transactions of the service
// are savepoints in it, and prepared statements stay.
import SqliteConnection from 'better-sqlite3';
import { loadMigrations } from '../../../adapters/storage/migrations.js';
import { migrateSqlite } from '../../../adapters/storage/sqlite/migrations.js';

/** What runs instead of the statements that begin and end a transaction. */
const savepoints: Readonly<Record<string, string>> = {
  begin: 'savepoint own',
  'begin immediate': 'savepoint own',
  commit: 'release own',
  rollback: 'rollback to own; release own',
};

interface Reusable {
  readonly connection: SqliteConnection.Database;
  readonly prepared: Map<string, SqliteConnection.Statement<unknown[]>>;
}

const free: Reusable[] = [];

/** Empty and migrated. To close it leaves it to the next test. */
export function reusedConnection(): SqliteConnection.Database {
  const taken = new TakenConnection(free.pop() ?? newConnection());
  return taken as Pick<SqliteConnection.Database, 'serialize'> as SqliteConnection.Database;
}

function newConnection(): Reusable {
  const connection = new SqliteConnection(':memory:');
  migrateSqlite(connection, loadMigrations('sqlite'));
  return { connection, prepared: new Map() };
}

/** What the store and the simulator use of a connection. */
class TakenConnection {
  readonly #own: Reusable;
  #isOpen = true;
  inTransaction = false;

  constructor(own: Reusable) {
    this.#own = own;
    own.connection.exec('begin');
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#own.connection.exec('rollback');
    free.push(this.#own);
  }

  exec(sql: string): void {
    const savepoint = savepoints[sql];
    const begins = sql.startsWith('begin');
    if (savepoint !== undefined && begins === this.inTransaction)
      throw new Error(`${sql}, which is not possible here`);
    this.#connection.exec(savepoint ?? sql);
    if (savepoint !== undefined) this.inTransaction = begins;
  }

  prepare(sql: string) {
    const connection = this.#connection;
    if (savepoints[sql] !== undefined) return this.#control(sql);
    const { prepared } = this.#own;
    const statement = prepared.get(sql) ?? withColumns(connection.prepare(sql));
    prepared.set(sql, statement);
    return statement;
  }

  pragma(sql: string, options?: SqliteConnection.PragmaOptions): unknown {
    return this.#connection.pragma(sql, options);
  }

  serialize(): Buffer {
    return this.#connection.serialize();
  }

  get #connection(): SqliteConnection.Database {
    if (!this.#isOpen) throw new TypeError('The database connection is not open');
    return this.#own.connection;
  }

  #control(sql: string) {
    return { reader: false, safeIntegers: () => undefined, run: () => this.exec(sql) };
  }
}

/** To list them takes as long as to prepare the statement. */
function withColumns(statement: SqliteConnection.Statement<unknown[]>) {
  const columns = statement.reader ? statement.columns() : [];
  return Object.assign(statement, { columns: () => columns });
}
