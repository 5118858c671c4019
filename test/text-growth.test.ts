// Nothing that reads a text of others takes a time that grows faster than the text. Patterns,
// functions and fields are found in the sources and tables, so that a new one is covered on
// arrival.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { routes } from '../adapters/http/routes.js';
import { consolePages } from '../adapters/pages/console/console-pages.js';
import { csvLine } from '../adapters/pages/kit/csv-line.js';
import { pageRoutes } from '../adapters/pages/page-routes.js';
import { patternsOf, projectFiles } from './support/source-tree.js';
import { steepText } from './support/text-growth.js';

const product = projectFiles().filter(({ path }) =>
  /^(core|adapters|host|cli)\/.*\.tsx?$/.test(path),
);
/** Beginnings behind which functions read on. */
const starts = ['', '{"a":"', 'https://a@a.'];
/** Functions that read texts of this project alone. */
const ownTexts: readonly string[] = ['markdownSections', 'words'];

test('no pattern takes a time that grows faster than its text', () => {
  const patterns = product.flatMap((file) =>
    patternsOf(file).map((pattern) => ({ path: file.path, pattern })),
  );
  assert.ok(patterns.length > 300, `${patterns.length} patterns`);
  const different = new Map(patterns.map((one) => [`${one.pattern}`, one] as const));
  const steep = [...different.values()].flatMap(({ path, pattern }) => {
    const { source, flags } = pattern;
    const [, start = ''] = /^\^?((?:[\w:@-]|\\\/)*)/.exec(source) ?? [];
    const everywhere = new RegExp(pattern, `${flags.replace(/[gy]/g, '')}g`);
    const text = steepText((given) => given.replace(everywhere, ''), {
      start: start.replaceAll('\\', ''),
      characters: source.replace(/[\\()[\]{}|?*+^$]/g, ''),
    });
    return text === null ? [] : [`${path} ${pattern}: ${text}`];
  });
  assert.deepEqual(steep, []);
});

test('no function of a text takes a time that grows faster than the text', async () => {
  let functions = 0;
  const steep: string[] = [];
  for (const { path, text } of product) {
    if (!/^(core\/domain|core\/usecases|adapters\/(http|pages|mail))\//.test(path)) continue;
    const names = [
      ...text.matchAll(/^export function (\w+)\((?:\w+: string(?:, )?)+\):(?! Promise)/gm),
    ];
    if (names.length === 0) continue;
    const exported: Readonly<Record<string, (...texts: readonly string[]) => unknown>> =
      await import(`../${path.replace(/\.tsx?$/, '.js')}`);
    for (const [, name = ''] of names) {
      if (ownTexts.includes(name)) continue;
      const called = exported[name];
      assert.ok(called !== undefined, `${path} ${name}`);
      functions += 1;
      for (const start of starts) {
        const found = steepText((given) => called(given, given, given), { start });
        if (found !== null) steep.push(`${path} ${name}: ${found}`);
      }
    }
  }
  assert.ok(functions > 60, `${functions} functions`);
  assert.deepEqual(steep, []);
});

test('no field of a request or a form takes a time that grows faster than its text', () => {
  const schemas = [
    ...routes.flatMap(({ operations, params, query, body }) =>
      [params, query, ...(typeof body === 'string' ? [] : [body])].map((schema) => ({
        schema,
        where: Object.keys(operations)[0] ?? '',
      })),
    ),
    ...[...pageRoutes, ...consolePages].flatMap(({ path, form }) =>
      typeof form === 'string' ? [] : [{ schema: form, where: path }],
    ),
  ];
  const fields = new Map(
    schemas.flatMap(({ schema, where }) =>
      fieldsOf(schema).map((field) => [field, where] as const),
    ),
  );
  assert.ok(fields.size > 100, `${fields.size} fields`);
  const steep = [...fields].flatMap(([field, where]) =>
    starts.flatMap((start) => {
      const found = steepText((given) => field.safeParse(given), { start });
      return found === null ? [] : [`${where}: ${found}`];
    }),
  );
  assert.deepEqual(steep, []);
});

test('no cell of a CSV file takes a time that grows faster than its text', () => {
  for (const start of [...starts, ';', '=']) {
    assert.equal(
      steepText((given) => csvLine([given]), { start }),
      null,
    );
  }
});

/** What an object, an array or a record of texts has, at any depth. */
function fieldsOf(schema: z.ZodType): readonly z.ZodType[] {
  if (schema instanceof z.ZodObject) {
    return Object.values(schema.shape).flatMap((field) => fieldsOf(field as z.ZodType));
  }
  if (schema instanceof z.ZodArray) return fieldsOf(schema.element as z.ZodType);
  if (schema instanceof z.ZodRecord) {
    return [schema.keyType, schema.valueType].flatMap((one) => fieldsOf(one as z.ZodType));
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return fieldsOf(schema.unwrap() as z.ZodType);
  }
  const inner = schema instanceof z.ZodPipe ? (schema.in as z.ZodType) : null;
  const fields = inner === null ? [] : fieldsOf(inner);
  // A transform of a text belongs to it; that of an object does not.
  return fields.length === 1 || inner === null
    ? [schema, ...fields.filter((f) => f !== inner)]
    : fields;
}
