// A table of columns, or a text if it has no rows.
import type { ComponentChildren, VNode } from 'preact';
import { Foreign, Scroll } from '../components.js';

export interface TableColumn<Row> {
  readonly head: ComponentChildren;
  /** Classes of its head and its cells: what they hold, and from which width on they are shown. */
  readonly look?: string;
  /** More classes of its cells. */
  readonly cells?: string;
  /** Its cell names the row. */
  readonly isName?: true;
  /** All of its text, where the column is too narrow for it. */
  readonly whole?: (row: Row) => string;
  readonly cell: (row: Row) => ComponentChildren;
}

export interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly (TableColumn<Row> | null)[];
  readonly rows: readonly Row[];
  /** One line a row, which is a link as its name is; a row above those of one day, or the like. */
  readonly lines?: { readonly groupOf?: (row: Row) => string };
}

export function Table<Row>({ label, columns, rows, lines }: TableProps<Row>): VNode {
  const shown = columns.filter((column) => column !== null);
  const groupOf = lines?.groupOf ?? (() => '');
  return (
    <Scroll label={label}>
      <table class={lines === undefined ? undefined : 'list'}>
        <caption class="vh">{label}</caption>
        <thead>
          <tr>
            {shown.map(({ head, look }) => (
              <th scope="col" class={look}>
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
      </table>
    </Scroll>
  );
}

function cellOf<Row>(column: TableColumn<Row>, row: Row): VNode {
  const { look, cells, isName, whole, cell } = column;
  const classes = [look, cells].filter((some) => some !== undefined).join(' ') || undefined;
  if (!isName) {
    return (
      <td class={classes} title={whole?.(row)}>
        {cell(row)}
      </td>
    );
  }
  return (
    <th scope="row" class={classes} title={whole?.(row)}>
      {cell(row)}
    </th>
  );
}

/** Opened by its label; nothing without rows. */
export function FoldedTable<Row>(props: TableProps<Row>): VNode | null {
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
}): VNode | null {
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
}): VNode {
  return (
    <div class="card empty">
      <h2>{heading}</h2>
      <p>{text}</p>
      {action === undefined ? null : <p class="actions gap centred">{action}</p>}
    </div>
  );
}
