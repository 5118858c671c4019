// The statements of a group of reads or batches: reads of one text become one statement, whose rows
// are distributed to the readers; writes of one template become one statement.
import type { Param, Row, Statement, StatementTemplate } from '../database.js';
import {
  gatheredReads,
  gatheredStatements,
  guardedStatement,
  type PreparedQuery,
  READ_INDEX,
  readTypes,
  singleRead,
} from './query-text.js';

export interface Read {
  readonly sql: string;
  readonly params: readonly Param[];
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

export interface StatementBatch {
  readonly statements: readonly Statement[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A statement to send, and the function that receives its rows. */
export interface Question {
  readonly query: PreparedQuery;
  readonly answer: (rows: readonly Row[]) => void;
}

export function gathered(group: readonly Read[]): readonly Question[] {
  const questions: Question[] = [];
  for (const [sql, alike] of Map.groupBy(group, (read) => read.sql)) {
    for (const [types, reads] of Map.groupBy(alike, ({ params }) => readTypes(sql, params))) {
      if (types !== null) questions.push(questionOf(sql, types, reads));
      else
        for (const { params, resolve } of reads) {
          questions.push({ query: singleRead(sql, params), answer: resolve });
        }
    }
  }
  return questions;
}

function questionOf(sql: string, types: string, reads: readonly Read[]): Question {
  const byParams = new Map<string, Read[]>();
  for (const read of reads) {
    const key = JSON.stringify(read.params, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const equal = byParams.get(key);
    if (equal === undefined) byParams.set(key, [read]);
    else equal.push(read);
  }
  const lists = [...byParams.values()];
  if (lists.length === 1) {
    const answer = (rows: readonly Row[]) => {
      for (const { resolve } of reads) resolve(rows);
    };
    return { query: singleRead(sql, (reads[0] as Read).params), answer };
  }
  const query = gatheredReads(
    sql,
    types,
    lists.map(([read]) => (read as Read).params),
  );
  const answer = (rows: readonly Row[]) => {
    const ofLists: Row[][] = lists.map(() => []);
    for (const row of rows) ofLists[row[READ_INDEX] as number]?.push(row);
    for (const [index, equal] of lists.entries()) {
      for (const { resolve } of equal) resolve(ofLists[index] as readonly Row[]);
    }
  };
  return { query, answer };
}

/** In the order in which they are applied. */
export function queriesOf(group: readonly StatementBatch[]): readonly PreparedQuery[] {
  return planned(group.flatMap(({ statements }) => statements));
}

/**
 * Statements of one template become one statement; those without a template follow in their order.
 * Guards on rows that are only read come after all writes: no batch of a group may rely on a row
 * that another batch of it changes. Events come last: they lock heads of feeds until the commit.
 */
function planned(statements: readonly Statement[]): readonly PreparedQuery[] {
  const byTemplate = Map.groupBy(
    statements.filter(({ template }) => template !== null),
    ({ template }) => template,
  );
  const templated = [...byTemplate].flatMap(([template, alike]) => {
    if (template === null) return [];
    const rows = template.kind === 'expect' ? distinct(alike) : alike;
    return [{ kind: template.kind, query: gatheredStatements(template, rows) }];
  });
  const plain = statements.filter(({ template }) => template === null);
  const ofKind = (wanted: StatementTemplate['kind']) =>
    templated.filter(({ kind }) => kind === wanted).map(({ query }) => query);
  return [
    ...ofKind('update'),
    ...ofKind('remove'),
    ...ofKind('insert'),
    ...ofKind('merge'),
    ...plain.map(guardedStatement),
    ...ofKind('expect'),
    ...ofKind('append'),
  ];
}

/** A row that several batches guard is read once. */
function distinct(statements: readonly Statement[]): readonly Statement[] {
  const keyOf = ({ params }: Statement) => params.map(String).join('\u0000');
  return [...new Map(statements.map((one) => [keyOf(one), one])).values()];
}
