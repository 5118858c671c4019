import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localeIn } from '../../../../core/domain/base/locale.js';

test('the language of a payee is that of its country', () => {
  const cases = { BR: 'pt-BR', PT: 'pt-BR', ar: 'es', ES: 'es', US: 'en', DE: 'en', '??': 'en' };
  for (const [country, locale] of Object.entries(cases)) {
    assert.equal(localeIn(country), locale, country);
  }
  assert.equal(localeIn(null), 'pt-BR');
});
