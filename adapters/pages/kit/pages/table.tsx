// A table of columns, or a text if it has no rows.
import type { ComponentChildren, VNode } from 'preact';
import { Scroll } from '../components.js';

export interface TableColumn<Row> {
  readonly head: ComponentChildren;
  /** Classes of its head and its cells: what they hold, and from which width on they are shown. */
  readonly look?: string;
  /** More classes of its cells. */
  readonly cells?: string;
  /** Its cell names the row. */
  readonly isName?: true;
  readonly cell: (row: Row) => ComponentChildren;
}

export interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly (TableColumn<Row> | null)[];
  readonly rows: readonly Row[];
}

export function Table<Row>({ label, columns, rows }: TableProps<Row>): VNode {
  const shown = columns.filter((column) => column !== null);
  return (
    <Scroll label={label}>
      <table>
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
        <tbody>
          {rows.map((row) => (
            <tr>{shown.map((column) => cellOf(column, row))}</tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function cellOf<Row>({ look, cells, isName, cell }: TableColumn<Row>, row: Row): VNode {
  const classes = [look, cells].filter((some) => some !== undefined).join(' ') || undefined;
  if (!isName) return <td class={classes}>{cell(row)}</td>;
  return (
    <th scope="row" class={classes}>
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

/** In place of a table without rows. */
export function Empty({
  heading,
  text,
  action,
}: {
  readonly heading: string;
  readonly text: string;
  /** What makes the first row. */
  readonly action?: ComponentChildren;
}): VNode {
  return (
    <div class="card empty">
      <h2>{heading}</h2>
      <p>{text}</p>
      {action === undefined ? null : <p class="actions gap centred">{action}</p>}
    </div>
  );
}
