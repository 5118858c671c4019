// Row counts of all tables at one moment, by which backups are compared. The database lists its
// tables.
export type RowCounts = Readonly<Record<string, number>>;

export interface StoredRows {
  readonly migrations: number;
  readonly tables: RowCounts;
}

export function countsSql(names: readonly string[]): string {
  return `select ${names.map((name) => `(select count(*) from ${name}) as ${name}`).join(', ')}`;
}

export function storedRows({
  schema_migrations: migrations = 0,
  ...tables
}: RowCounts): StoredRows {
  return { migrations, tables };
}
