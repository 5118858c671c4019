/** Counts what runs on better-sqlite3 from now on, transactions included. */
export function countedStatements(connection: { prepare(sql: string): object }): () => number {
  let count = 0;
  const statements = Object.getPrototypeOf(connection.prepare('select 1'));
  for (const name of ['run', 'get', 'all']) {
    const real = statements[name];
    statements[name] = function (...params: unknown[]) {
      count += 1;
      return Reflect.apply(real, this, params);
    };
  }
  return () => count;
}
