// Searches all columns of a database, as its own catalogue lists them.
import SqliteConnection from 'better-sqlite3';
import pg from 'pg';

/** Columns with a text that contains `part`, as `table.column`, sorted. */
export async function columnsHolding(database: string, part: string): Promise<readonly string[]> {
  const found = database.startsWith('postgres:')
    ? await inPostgres(database, part)
    : inSqlite(database.replace(/^sqlite:/, ''), part);
  return [...new Set(found)].sort();
}

function inSqlite(file: string, part: string): readonly string[] {
  const connection = new SqliteConnection(file, { readonly: true });
  try {
    const tables = connection
      .prepare<unknown[], string>("select name from sqlite_schema where type = 'table'")
      .pluck()
      .all();
    return tables.flatMap((table) =>
      connection
        .prepare<unknown[], Readonly<Record<string, unknown>>>(`select * from ${table}`)
        .all()
        .flatMap((row) => Object.entries(row))
        .filter(([, value]) => String(value).includes(part))
        .map(([column]) => `${table}.${column}`),
    );
  } finally {
    connection.close();
  }
}

async function inPostgres(url: string, part: string): Promise<readonly string[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly table: string; readonly column: string }>(
      'select c.table_name as table, c.column_name as column from information_schema.columns c ' +
        'where c.table_schema = current_schema()',
    );
    const found: string[] = [];
    for (const { table, column } of rows) {
      const where = `where position($1 in ${column}::text) > 0`;
      const { rowCount } = await client.query(`select 1 from ${table} ${where} limit 1`, [part]);
      if (rowCount === 1) found.push(`${table}.${column}`);
    }
    return found;
  } finally {
    await client.end();
  }
}
