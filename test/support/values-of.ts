// Fields of every row of a list, so that a test compares the list with its expected values in one
// line.
export function valuesOf<T, K extends keyof T>(rows: readonly T[], field: K): readonly T[K][] {
  return rows.map((row) => row[field]);
}

/** Several fields of each row, in this order. */
export function rowsOf<T, K extends keyof T>(rows: readonly T[], ...fields: readonly K[]) {
  return rows.map((row) => fields.map((field) => row[field]));
}
