// What a reader finds in the description: examples that are true, every error and event, words for
// every group. The nightly run shows it to a strict linter.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { tagTexts } from '../../../../adapters/http/docs/description-text.js';
import { documentSchema } from '../../../../adapters/http/docs/docs-routes.js';
import { openApiDocument } from '../../../../adapters/http/docs/openapi.js';
import { errorBody } from '../../../../adapters/http/protocol/error-body.js';
import { errorCodesOf, offTableCodes } from '../../../../adapters/http/protocol/route-errors.js';
import { routes } from '../../../../adapters/http/routes.js';
import { fakeNotes } from '../../../../adapters/partner/fake.js';
import { magicValues } from '../../../../adapters/partner/fake-values.js';
import { formatAmount } from '../../../../core/domain/base/money.js';
import { requirements } from '../../../../core/domain/parties/dossier.js';
import { eventTypes } from '../../../../core/domain/payments/event.js';
import { paymentStatuses } from '../../../../core/domain/payments/payment.js';
import { KEYS_MAX, REVOKED_LISTED_MAX } from '../../../../core/usecases/access/keys.js';
import { MINIMUM_USD_MINOR } from '../../../../core/usecases/payments/payments.js';
import { readConfig } from '../../../../host/config.js';
import type { Json } from '../../../support/servers/json-call.js';
import { valuesOf } from '../../../support/values-of.js';
import { operations } from '../table-scene.js';
import { examplesUrl, recordedExamples } from './example-recorder.js';

type Content = Readonly<
  Record<string, { readonly example?: unknown; readonly examples?: Readonly<Record<string, Json>> }>
>;
interface Operation {
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly in: string; readonly example?: unknown }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

const document = openApiDocument(routes, fakeNotes) as {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
    readonly schemas: Readonly<
      Record<string, { readonly examples: readonly unknown[]; readonly description?: string }>
    >;
  };
};
const described = operations.map((operation) => {
  const { path, route } = operation;
  const documented = document.paths[path]?.[route.method.toLowerCase()];
  assert.ok(documented !== undefined);
  return { ...operation, documented };
});

test('its examples are what the code takes and gives: `npm run examples` writes them', async () => {
  assert.ok(
    readFileSync(examplesUrl, 'utf8') === (await recordedExamples()),
    'adapters/http/docs/examples.json is not what the code gives now: run `npm run examples`',
  );
});

test('every JSON body, path parameter and answer of every operation has an example', () => {
  for (const { operationId, route, documented } of described) {
    for (const parameter of documented.parameters) {
      if (parameter.in === 'path') assert.notEqual(parameter.example, undefined, operationId);
    }
    if (route.body instanceof z.ZodType) {
      const body = documented.requestBody?.content['application/json']?.example;
      assert.notEqual(body, undefined, operationId);
    }
    for (const [status, shape] of Object.entries(route.responses)) {
      if (!(shape instanceof z.ZodType) || shape === documentSchema) continue;
      if (operationId === 'readyz' && status === '503') continue;
      const example = documented.responses[status]?.content?.['application/json']?.example;
      assert.ok(shape.safeParse(example).success, `${operationId} ${status}`);
    }
  }
});

test('every refusal has its example, and those that any request may meet have one too', () => {
  for (const { operationId, route, documented } of described) {
    const shown = Object.values(documented.responses).flatMap(({ content = {} }) =>
      Object.keys(content['application/json']?.examples ?? {}),
    );
    assert.deepEqual(shown.toSorted(), errorCodesOf(route).toSorted(), operationId);
  }
  const { examples, schemas } = document.components;
  const anywhere =
    schemas['Error']?.examples.map((example) => errorBody.schema.parse(example)) ?? [];
  for (const { error } of anywhere) {
    assert.match(document.info.description, new RegExp(`^\\| \\d{3} \\| \`${error}\` \\|`, 'm'));
  }
  const shown = anywhere.map(({ error }) => error);
  assert.deepEqual(
    shown.toSorted(),
    [...new Set([...Object.keys(examples), ...offTableCodes])].toSorted(),
  );
});

test('every event has the body of a webhook that was sent', () => {
  for (const type of eventTypes) {
    const { requestBody } = document.webhooks[type]?.post ?? {};
    const example = requestBody?.content['application/json']?.example as Json | undefined;
    assert.equal(example?.['event'], type);
  }
});

test('every operation is in a group with a description', () => {
  const names = tagTexts.map(({ name }) => name);
  assert.deepEqual(valuesOf(document.tags, 'name'), names);
  const used = described.flatMap(({ documented }) => documented.tags);
  assert.deepEqual([...new Set(used)].toSorted(), names.toSorted());
});

test('every test value of the sandbox has a row with its effect', () => {
  for (const [value, { means }] of Object.entries(magicValues)) {
    const rows = document.info.description.split('\n');
    assert.ok(
      rows.some((row) => row.includes(`\`${value}\``) && row.includes(means)),
      value,
    );
  }
});

test('every status of a payment has a row with what it waits for', () => {
  const rows = document.info.description.split('\n');
  for (const status of paymentStatuses) {
    assert.ok(
      rows.some((row) => new RegExp(`^\\| \`${status}\` \\| \\w`).test(row)),
      status,
    );
  }
});

test('the numbers in the text are the defaults', () => {
  const { rateLimitPerMinute, rateLimitBurst, retryDelaysMs } = readConfig({});
  const units = [
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ] as const;
  const waits = retryDelaysMs.map((ms) => {
    const [name, size] = units.find(([, unitMs]) => ms % unitMs === 0) ?? assert.fail();
    return `${ms / size} ${name}`;
  });
  const text = document.info.description.replaceAll(/\s+/g, ' ');
  for (const sentence of [
    `${rateLimitPerMinute} payments and invoices per minute, in bursts of up to ${rateLimitBurst}`,
    `after ${waits.slice(0, -1).join(', ')} and ${waits.at(-1)};`,
    `up to ${KEYS_MAX} active ones of each`,
    `the ${REVOKED_LISTED_MAX} newest revoked or deleted ones`,
    `${formatAmount(MINIMUM_USD_MINOR)} or more in USD`,
  ]) {
    assert.ok(text.includes(sentence), sentence);
  }
  const hours = Math.floor(retryDelaysMs.reduce((sum, ms) => sum + ms, 0) / 3_600_000);
  const webhooks = tagTexts.find(({ name }) => name === 'Webhooks')?.description ?? '';
  assert.equal(retryDelaysMs.length + 1, 7);
  assert.match(webhooks, new RegExp(`at most seven attempts within about ${hours}\\s+hours`));
});

test('the fields that a party needs are listed by role and entity type', () => {
  const { description = '' } = document.components.schemas['SubmitConnectedAccount'] ?? {};
  assert.ok(description.includes('a seller business: email, legalName, cnpj;'), description);
  for (const [role, byType] of Object.entries(requirements)) {
    for (const [type, fields] of Object.entries(byType)) {
      assert.ok(description.includes(`a ${role} ${type}: ${fields.join(', ')};`), description);
    }
  }
});
