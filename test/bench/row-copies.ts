// Fills a database that Ponte serves with as many rows as a year brings: rows that it made itself
// are copied, with ids that go on from theirs, by one statement a table in the database itself.
// While it fills, no server may run on a SQLite file.
import SqliteConnection from 'better-sqlite3';
import pg from 'pg';

export type Target =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** One table's copies: `$i` in a column's text is the number of the copy, `$d` the same padded. */
export interface Copies {
  readonly table: string;
  /** Which row is copied. */
  readonly where: string;
  readonly count: number;
  /** Text of SQL by column; the other columns are copied. */
  readonly columns: Readonly<Record<string, string>>;
}

/** As long as the random part of an id, after its prefix and its time. */
const DIGITS = 16;

/** The id of a copy: prefix and time of the row that is copied, then its number. */
export function countedId(column: string): string {
  return `substr(t.${column}, 1, length(t.${column}) - ${DIGITS}) || $d`;
}

export async function copyRows(target: Target, all: readonly Copies[]): Promise<void> {
  if (target.kind === 'sqlite') {
    const db = new SqliteConnection(target.file);
    db.pragma('synchronous = off');
    for (const copies of all) {
      const info = db.prepare(`pragma table_info(${copies.table})`).all() as { name: string }[];
      db.exec(
        textOf(
          copies,
          info.map(({ name }) => name),
          "printf('%016d', $n)",
        ),
      );
    }
    db.pragma('wal_checkpoint(truncate)');
    db.close();
    return;
  }
  const client = new pg.Client(target.url);
  await client.connect();
  for (const copies of all) {
    const { fields } = await client.query(`select * from ${copies.table} limit 0`);
    const names = fields.map(({ name }) => name);
    await client.query(textOf(copies, names, `lpad(($n)::text, ${DIGITS}, '0')`));
  }
  // What the server does by itself within minutes.
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
}

function textOf(copies: Copies, names: readonly string[], padded: string): string {
  const { table, where, count, columns } = copies;
  const values = names.map((name) => {
    const text = columns[name] ?? `t.${name}`;
    return text.replaceAll('$d', padded.replace('$n', 'n.i')).replaceAll('$i', 'n.i');
  });
  return (
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) ` +
    `insert into ${table} (${names.join(', ')}) ` +
    `select ${values.join(', ')} from n, (select * from ${table} where ${where} limit 1) as t`
  );
}
