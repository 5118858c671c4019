// One declaration per answer field: what is shown, what is not, and what does not compile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { pageOf, representation } from '../../../../adapters/http/protocol/representation.js';

interface Source {
  readonly id: string;
  readonly atMs: number;
  readonly secret: string;
  readonly note: string | null;
}

const source: Source = { id: 'a_1', atMs: 1_000, secret: 'never', note: null };

const shown = representation<Source>()(null, {
  id: z.string(),
  seconds: [z.int(), ({ atMs }) => atMs / 1_000],
  note: [z.string().optional(), ({ note }) => note ?? undefined],
});

test('an answer has the declared fields, in their order, and no others', () => {
  const answer = shown.show({ ...source, note: 'n' });
  assert.equal(JSON.stringify(answer), '{"id":"a_1","seconds":1,"note":"n"}');
  assert.deepEqual(shown.schema.parse(answer), answer);
});

test('the JSON of an answer leaves out a field that is undefined', () => {
  assert.equal(JSON.stringify(shown.show(source)), '{"id":"a_1","seconds":1}');
});

test('a page shows each item and its cursor', () => {
  const page = pageOf('RepresentationTestList', shown);
  const data = [{ id: 'a_1', seconds: 1 }];
  const shownPage = JSON.stringify(page.show([source], 'c'));
  assert.equal(shownPage, JSON.stringify({ data, nextCursor: 'c' }));
});

test('a field without a source, or of another type, does not compile', () => {
  const of = representation<Source>();
  // @ts-expect-error: the source has no such property
  of(null, { name: z.string() });
  // @ts-expect-error: the property has another type
  of(null, { id: z.int() });
  // @ts-expect-error: a nullable property needs a nullable schema
  of(null, { note: z.string() });
  // @ts-expect-error: the function returns another type
  of(null, { id: [z.int(), ({ id }) => id] });
});
