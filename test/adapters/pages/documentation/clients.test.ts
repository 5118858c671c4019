// What the documentation has for programs. The clients in Python and PHP, without either language:
// every operation and every type of the description is in them. test/clients.nightly.ts runs them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { routes } from '../../../../adapters/http/routes.js';
import type { clientLanguages } from '../../../../adapters/pages/documentation/clients.js';
import type { Description } from '../../../../adapters/pages/documentation/description-view.js';
import { createPonte } from '../../../../host/embed.js';

/** How each language declares an operation, a list that is followed page after page, and a type. */
const forms = {
  'clients/ponte.py': {
    operation: (id: string) => `    def ${snake(id)}(self`,
    rows: (id: string) => `    def ${snake(id).replace(/^[a-z]+/, 'iter')}(self`,
    type: (name: string) => `\nclass ${name}:\n`,
    key: 'idempotency_key: Optional[str] = None',
  },
  'clients/ponte.php': {
    operation: (id: string) => `    public function ${id}(`,
    rows: (id: string) => `    public function ${id.replace(/^[a-z]+/, 'iterate')}(`,
    type: (name: string) => `\nfinal class ${name} extends Model\n`,
    key: '?string $idempotencyKey = null',
  },
} as const satisfies Record<keyof typeof clientLanguages, unknown>;

/** What integrators call: with a key or a session, and JSON alone. */
const callable = routes
  .filter(({ access: { auth } }) => ['key', 'session', 'either', 'keyElseSession'].includes(auth))
  .flatMap(({ operations, query, idempotency }) =>
    Object.keys(operations).map((id) => ({
      id,
      isKeyed: idempotency === 'key',
      // The feed has no end: `events` reads it.
      isList:
        id !== 'readEvents' &&
        query instanceof z.ZodObject &&
        ('cursor' in query.shape || 'after' in query.shape),
    })),
  );

const snake = (id: string) => id.replaceAll(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);

for (const [path, form] of Object.entries(forms)) {
  test(`${path} has every operation with its key and iterator, and every type`, async (t) => {
    const ponte = await createPonte();
    t.after(() => ponte.close());
    const answer = await ponte.fetch(`/docs/${path}`);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; charset=utf-8/);
    const text = await answer.text();
    const declared = (start: string) => text.split('\n').filter((line) => line.startsWith(start));
    for (const { id, isKeyed, isList } of callable) {
      const [line, ...others] = declared(form.operation(id));
      assert.ok(line !== undefined && others.length === 0, `${id} is there once`);
      assert.equal(line.includes(form.key), isKeyed, id);
      assert.equal(declared(form.rows(id)).length, isList ? 1 : 0, `rows of ${id}`);
    }
    const { components } = (await (await ponte.fetch('/docs-json')).json()) as Description;
    for (const name of Object.keys(components.schemas)) {
      const isSent = name !== 'Empty' && name !== 'Document';
      assert.equal(text.split(form.type(name)).length, isSent ? 2 : 1, name);
    }
    assert.doesNotMatch(text, /MODELS|OPERATIONS|undefined|\[object/);
    const count = (sign: string) => text.split(sign).length;
    for (const [open, close] of ['()', '{}', '[]']) {
      assert.ok(open !== undefined && close !== undefined);
      assert.ok(Math.abs(count(open) - count(close)) <= 1, `${open} ${close}`);
    }
  });
}

test('/llms.txt lists every page, and each is there as Markdown', async (t) => {
  const ponte = await createPonte();
  t.after(() => ponte.close());
  const answer = await ponte.fetch('/llms.txt');
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; charset=utf-8/);
  const list = await answer.text();
  assert.match(list, /^# Ponte\n\n> /);
  const links = [...list.matchAll(/\]\(https?:\/\/[^/)]+(\/docs\/[^)]+)\)/g)].map(
    ([, to = '']) => to,
  );
  const operations = callable.filter(({ id }) => links.includes(`/docs/reference/${id}.md`));
  assert.ok(operations.length > 40, 'operations are listed');
  for (const part of ['guides', 'reference', 'errors', 'events', 'manual']) {
    links.push(`/docs/${part}.md`);
  }
  for (const link of links) {
    const page = await ponte.fetch(link);
    assert.equal(page.status, 200, link);
    assert.equal(page.headers.get('content-type'), 'text/markdown; charset=utf-8', link);
    const text = await page.text();
    assert.match(text, /^# \S/, link);
    assert.doesNotMatch(text, /^\| `\S+` \| {2}\|$/m, link);
    assert.doesNotMatch(text, /undefined|\[object/, link);
  }
  const textOf = (path: string) => ponte.fetch(path).then((page) => page.text());
  const readPayment = await textOf('/docs/reference/readPayment.md');
  assert.match(readPayment, /^\| `situation` \| .*`with_buyer`: The buyer has not begun to pay\./m);
  const reference = await textOf('/docs/reference.md');
  assert.match(reference, /^\| `fx_quoted` \| the buyer to confirm the quote/m);
  assert.match(reference, /\]\(events\)/);
  assert.doesNotMatch(reference, /\]\(docs\//);
  for (const other of ['/docs/guides/x.md', '/docs/x.md', '/docs/errors/toString.md']) {
    assert.equal((await ponte.fetch(other)).status, 404, other);
  }
});

test('an empty map of PHP is sent as an object', async (t) => {
  const ponte = await createPonte();
  t.after(() => ponte.close());
  const text = await (await ponte.fetch('/docs/clients/ponte.php')).text();
  for (const model of text.split(/\n(?=final class )/).slice(1)) {
    const own = [...model.matchAll(/readonly array\|object(?:\|null)? \$(\w+)/g)];
    const maps = /const MAPS = \[(.*)\];/.exec(model)?.[1] ?? '';
    assert.equal(maps, own.map(([, name]) => `'${name}'`).join(', '), model.slice(0, 60));
  }
});

test('no argument of the client in Python is a word of Python', async (t) => {
  const ponte = await createPonte();
  t.after(() => ponte.close());
  const text = await (await ponte.fetch('/docs/clients/ponte.py')).text();
  // `from` is a query of the settlement entries.
  assert.match(text, /from_: Optional\[str\] = None/);
  assert.doesNotMatch(text, /[(,] (?:and|as|class|def|del|for|from|if|import|in|is|not|or|with): /);
});
