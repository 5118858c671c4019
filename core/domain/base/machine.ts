// State machines. Each is one literal table in the file of its concept: rows are states, cells are
// event → next state. An absent cell refuses the event, an empty row is terminal.
import { assert } from '../../errors.js';

type Row = Readonly<Record<string, string>>;

export type MoveOf<Table> = { [State in keyof Table]: keyof Table[State] }[keyof Table] & string;

/** The states that some event leads to. */
type TargetOf<Table> = {
  [State in keyof Table]: Table[State][keyof Table[State]];
}[keyof Table];

export interface Machine<Table> {
  /** In table order. */
  readonly states: readonly (keyof Table & string)[];
  /** Returns null where the table has no such cell. */
  readonly next: (state: keyof Table, move: MoveOf<Table>) => TargetOf<Table> | null;
  /** The same where a refusal is a programmer's error. */
  readonly step: (state: keyof Table, move: MoveOf<Table>) => TargetOf<Table>;
  readonly isTerminal: (state: keyof Table) => boolean;
}

/** A table in which a next state has no row does not compile. */
export function machine<Table extends { readonly [State in keyof Table]: Row }>(
  table: Table & {
    readonly [State in keyof Table]: Readonly<Record<keyof Table[State], keyof Table>>;
  },
): Machine<Table> {
  const next: Machine<Table>['next'] = (state, move) => {
    const row: { readonly [move: string]: unknown } = table[state];
    return Object.hasOwn(row, move) ? (row[move] as TargetOf<Table>) : null;
  };
  return {
    states: Object.keys(table) as (keyof Table & string)[],
    next,
    step(state, move) {
      const after = next(state, move);
      assert(after !== null, `${String(state)} has no ${move}`);
      return after;
    },
    isTerminal: (state) => Object.keys(table[state]).length === 0,
  };
}
