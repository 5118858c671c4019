// The Postman collection runs from its first request to its last, on an empty database, as a runner
// of collections would do it: scripts, variables and folders in their order.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createPonte } from '../../../../host/embed.js';

interface Pair {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

interface Scripted {
  readonly event?: readonly {
    readonly listen: string;
    readonly script: { readonly exec: readonly string[] };
  }[];
}

interface Item extends Scripted {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly header: readonly Pair[];
    readonly auth?: { readonly type: string };
    readonly body?: { readonly raw: string };
    readonly url: {
      readonly path: readonly string[];
      readonly query: readonly Pair[];
      readonly variable: readonly Pair[];
    };
  };
}

interface Collection extends Scripted {
  readonly variable: readonly Pair[];
  readonly item: readonly { readonly name: string; readonly item: readonly Item[] }[];
}

/** As much of Postman's `pm` as the scripts of the collection use. */
function run(scripted: Scripted, listen: string, pm: object): void {
  const scripts = (scripted.event ?? []).filter((one) => one.listen === listen);
  for (const { script } of scripts) new Function('pm', script.exec.join('\n'))(pm);
}

test('the Postman collection runs from an empty database and finds everything', async (t) => {
  const ponte = await createPonte();
  t.after(() => ponte.close());
  const answer = await ponte.fetch('/docs/postman.json');
  const collection = (await answer.json()) as Collection;
  const variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
  variables.set('apiKey', ponte.apiKey);
  const filled = (text: string) =>
    text.replaceAll(/\{\{([\w$]+)\}\}/g, (written, name) =>
      name === '$guid' ? randomUUID() : (variables.get(name) ?? written),
    );
  const collectionVariables = { set: (key: string, value: string) => variables.set(key, value) };
  const failed: string[] = [];
  const refused: string[] = [];

  async function send(item: Item): Promise<void> {
    run(item, 'prerequest', { collectionVariables, variables: { replaceIn: filled } });
    const { method, header, auth, body, url } = item.request;
    const values = new Map(url.variable.map(({ key, value }) => [key, filled(value)]));
    const path = `/${url.path
      .map((part) => (part.startsWith(':') ? (values.get(part.slice(1)) ?? part) : part))
      .join('/')}`;
    const given = (pairs: readonly Pair[]) =>
      pairs.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, filled(value)]);
    const query = new URLSearchParams(given(url.query)).toString();
    const headers = Object.fromEntries(given(header));
    if (auth === undefined) headers['X-API-Key'] = variables.get('apiKey');
    if (auth?.type === 'bearer') headers['authorization'] = 'Bearer none';
    const response = await ponte.fetch(query === '' ? path : `${path}?${query}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: filled(body.raw) }),
      redirect: 'manual',
    });
    const text = await response.text();
    run(collection, 'test', {
      collectionVariables,
      request: { url: { getPath: () => path } },
      response: { code: response.status, text: () => text, json: () => JSON.parse(text) },
      expect: (actual: unknown) => ({
        to: { not: { equal: (other: unknown) => assert.notEqual(actual, other) } },
      }),
      test: (_: string, check: () => void) => {
        try {
          check();
        } catch {
          failed.push(item.name);
        }
      },
    });
    await ponte.runUntilIdle();
    if (response.status >= 400) refused.push(`${response.status} ${item.name}`);
  }

  for (const folder of collection.item) {
    if (folder.name === 'Other credentials') continue;
    for (const item of folder.item) await send(item);
  }
  assert.deepEqual(failed, []);
  // What needs a seller that can be paid, a month that is over, or a payment that has not settled.
  assert.deepEqual(refused, [
    '400 createPayment',
    '409 readPaymentProof',
    '400 closeMonth',
    '409 simulateTestPayment',
    '409 cancelPaymentIntent',
    '409 cancelPayment',
  ]);
  const [last] = collection.item.slice(-1);
  for (const item of last?.item ?? []) await send(item);
  assert.deepEqual(failed, []);
});
