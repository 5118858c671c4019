// What a strict linter says of the description.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { openApiDocument } from '../../../../adapters/http/docs/openapi.js';
import { routes } from '../../../../adapters/http/routes.js';
import { fakeNotes } from '../../../../adapters/partner/fake.js';

test('a strict linter has nothing to say of it', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const lint = (source: unknown) =>
    lintFromString({ source: JSON.stringify(source), absoluteRef: '/docs-json', config });
  const document = openApiDocument(routes, fakeNotes);
  const problems = await lint(document);
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
    [],
  );
  const wrong = await lint({ ...document, tags: [{ name: 'undescribed' }] });
  assert.ok(wrong.some(({ ruleId }) => ruleId === 'tag-description'));
});
