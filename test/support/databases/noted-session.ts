// An SQLite session in memory whose statements are noted before they run.
import type { Database } from '../../../adapters/storage/database.js';
import { SqliteDatabase } from '../../../adapters/storage/sqlite/database.js';
import { reusedConnection } from './reused-connection.js';

export interface NotedSession {
  readonly session: SqliteDatabase;
  readonly database: Database;
}

export function notedSession(
  note: (kind: 'read' | 'write', ...statements: readonly string[]) => void,
): NotedSession {
  const session = new SqliteDatabase({ path: ':memory:', connection: reusedConnection() });
  const database: Database = {
    refusesAlone: session.refusesAlone,
    read: (sql, params) => {
      note('read', sql);
      return session.read(sql, params);
    },
    cached: (query, params) => {
      note('read', query.sql);
      return session.cached(query, params);
    },
    page: (page, params) => {
      note('read', page.sql);
      return session.page(page, params);
    },
    kept: (query, params) => session.kept(query, params),
    batch: (statements) => {
      note('write', ...statements.map(({ sql }) => sql));
      return session.batch(statements);
    },
    immediate: (sql, params) => {
      note('write', sql);
      return session.immediate(sql, params);
    },
    durable: () => session.durable(),
  };
  return { session, database };
}
