// A table of columns, or a text if it has no rows.
import type { ComponentChildren } from 'preact';
import { Foreign, Scroll } from '../components.js';

export interface TableColumn<Row> {
  readonly head: ComponentChildren;
  /** Classes: what it holds, from which width on it is shown, and how its texts look. */
  readonly look?: string | undefined;
  /** Its cell names the row. */
  readonly isName?: true;
  /** All of its text, where the column is too narrow for it. */
  readonly whole?: (row: Row) => string;
  readonly cell: (row: Row) => ComponentChildren;
}

type Cell<Row> = TableColumn<Row>['cell'];
type MakeColumn<Row> = (
  head: ComponentChildren,
  ...of: readonly [cell: Cell<Row>] | readonly [look: string, cell: Cell<Row>]
) => TableColumn<Row>;

interface ColumnKinds<Row> {
  readonly column: MakeColumn<Row>;
  /** Its cells name their rows. */
  readonly named: MakeColumn<Row>;
  /** Its texts may be cut: `whole` are all of them. */
  readonly cut: (
    head: ComponentChildren,
    look: string,
    whole: (row: Row) => string,
    cell?: Cell<Row>,
  ) => TableColumn<Row>;
}

/** The columns of a table, in their order; null: not here. */
export type RowColumns<Row> = (kinds: ColumnKinds<Row>) => readonly (TableColumn<Row> | null)[];

function columnsIn<Row>(columns: RowColumns<Row>): readonly TableColumn<Row>[] {
  const column: MakeColumn<Row> = (head, ...of) =>
    of.length === 1 ? { head, cell: of[0] } : { head, look: of[0], cell: of[1] };
  const named: MakeColumn<Row> = (head, ...of) => ({ ...column(head, ...of), isName: true });
  const cut: ColumnKinds<Row>['cut'] = (head, look, whole, cell) => {
    const shown: Cell<Row> = (row) => <Foreign text={whole(row)} />;
    return { ...column(head, look, cell ?? shown), whole };
  };
  return columns({ column, named, cut }).filter((one) => one !== null);
}

/** How the text of a cell looks, and not that of a head. */
const textLooks: readonly string[] = ['when', 'quiet', 'code'];

function headLook(look: string | undefined): string | undefined {
  return (
    look
      ?.split(' ')
      .filter((one) => !textLooks.includes(one))
      .join(' ') || undefined
  );
}

export interface TableProps<Row> {
  readonly label: string;
  readonly columns: RowColumns<Row>;
  readonly rows: readonly Row[];
  /** One line a row, which is a link as its name is; a row above those of one day, or the like. */
  readonly lines?: { readonly groupOf?: (row: Row) => string };
  /**
   * On a phone a row is a few lines, each with its head; cells of the look `main` are beside the
   * name.
   */
  readonly folds?: true;
  /** The last row: its name, then the cells of the last columns. */
  readonly foot?: readonly ComponentChildren[];
}

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, lines, folds, foot = [] } = props;
  const shown = columnsIn(columns);
  const groupOf = lines?.groupOf ?? (() => '');
  return (
    <Scroll label={label}>
      <table class={folds ? 'fold' : lines === undefined ? undefined : 'list'}>
        <caption class="vh">{label}</caption>
        <thead>
          <tr>
            {shown.map(({ head, look }) => (
              <th scope="col" class={headLook(look)}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        {[...Map.groupBy(rows, groupOf)].map(([group, own]) => (
          <tbody>
            {group === '' ? null : (
              <tr class="day">
                <th scope="rowgroup" colSpan={shown.length}>
                  {group}
                </th>
              </tr>
            )}
            {own.map((row) => (
              <tr>{shown.map((column) => cellOf(column, row))}</tr>
            ))}
          </tbody>
        ))}
        {foot.length === 0 ? null : <Foot columns={shown} cells={foot} />}
      </table>
    </Scroll>
  );
}

function Foot<Row>({
  columns,
  cells: [name, ...cells],
}: Readonly<{ columns: readonly TableColumn<Row>[]; cells: readonly ComponentChildren[] }>) {
  const own = columns.slice(columns.length - cells.length);
  return (
    <tfoot>
      <tr>
        <th scope="row" colSpan={columns.length - cells.length}>
          {name}
        </th>
        {own.map(({ look }, at) => (
          <td class={look}>
            <b>{cells[at]}</b>
          </td>
        ))}
      </tr>
    </tfoot>
  );
}

function cellOf<Row>({ head, look, isName, whole, cell }: TableColumn<Row>, row: Row) {
  if (!isName) {
    return (
      <td class={look} title={whole?.(row)} data-head={typeof head === 'string' ? head : undefined}>
        {cell(row)}
      </td>
    );
  }
  return (
    <th scope="row" class={look} title={whole?.(row)}>
      {cell(row)}
    </th>
  );
}

/** Opened by its label; nothing without rows. */
export function FoldedTable<Row>(props: TableProps<Row>) {
  if (props.rows.length === 0) return null;
  return (
    <details>
      <summary>{props.label}</summary>
      <Table {...props} />
    </details>
  );
}

/** What is paid for; nothing without lines. */
export function LineTable({
  label,
  lines,
}: {
  readonly label: string;
  readonly lines: readonly {
    readonly item: string;
    readonly quantity: string | null;
    readonly amount: string | null;
  }[];
}) {
  if (lines.length === 0) return null;
  return (
    <table class="doc">
      <caption class="vh">{label}</caption>
      <tbody>
        {lines.map(({ item, quantity, amount }) => (
          <tr>
            <th scope="row">
              <Foreign text={item} />
              {quantity ? <span class="sub">× {quantity}</span> : null}
            </th>
            <td class="num">{amount ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** In place of a table without rows. */
export function Empty({
  heading,
  text,
  action,
}: {
  readonly heading: string;
  readonly text: string;
  /** What makes the first row. */
  readonly action?: ComponentChildren | undefined;
}) {
  return (
    <div class="card empty">
      <h2>{heading}</h2>
      <p>{text}</p>
      {action === undefined ? null : <p class="actions gap centred">{action}</p>}
    </div>
  );
}
