// The catalogues: that keys and arguments agree is checked by the compiler; here, that no text
// exists twice and none was left in another language.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { h, isValidElement, type VNode } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import { catalogues } from '../../../../adapters/pages/hosted/texts.js';
import { frameTexts } from '../../../../adapters/pages/kit/frame-texts.js';
import { locales } from '../../../../core/domain/base/locale.js';

/** Texts that are the same in two languages. */
const same = new Set([
  'Páginas',
  'Menu',
  'Principal',
  'Buscar',
  'BIC (SWIFT)',
  'IBAN',
  'PIX',
  'Routing number',
  'ACH',
  'Faster Payments',
  'RTP',
  'SEPA',
  'SWIFT',
  'wire',
  'Subtotal',
  'Total',
  'Error: {1}',
  // Portuguese and Spanish.
  'Banco',
  'Bancos',
  'Continuar',
  'Copiado',
  '{1} (opcional)',
  'Copiar',
  'Filtrar',
  'Filtros',
  'Idioma',
  'Imprimir',
  'Pagador',
  'Recibo',
  'recibo',
  'Enviado por',
  'Falta',
  'Para',
  'Código',
  'Falta 1,00',
  'Para {1}',
  'Confirmar {1}',
  'antes: {1}',
  '{1} – Pagar a {2}',
]);

interface Entry {
  readonly key: string;
  readonly text: string;
}

/** Functions are called with marks for their arguments. */
function entriesOf(value: unknown, key = ''): readonly Entry[] {
  if (typeof value === 'string') return [{ key, text: value }];
  if (typeof value === 'function') {
    // Joins items, and has no text.
    if (key.endsWith('.or')) return [];
    const marks = Array.from({ length: value.length }, (_, position) => `{${position + 1}}`);
    return entriesOf(value(...marks), key);
  }
  if (isValidElement(value)) {
    return [{ key, text: renderToStaticMarkup(h('i', null, value as VNode)).slice(3, -4) }];
  }
  return Object.entries(value as object).flatMap(([name, inner]) =>
    entriesOf(inner, key === '' ? name : `${key}.${name}`),
  );
}

for (const locale of locales) {
  test(`no text is in two keys: ${locale}`, () => {
    const keys = Map.groupBy(entriesOf(catalogues[locale]), ({ text }) => text);
    const twice = [...keys.values()].filter((entries) => entries.length > 1);
    assert.deepEqual(
      twice.map((entries) => entries.map(({ key }) => key)),
      [],
    );
  });
}

test('no text is left in English, and Portuguese and Spanish differ', () => {
  const texts = locales.map((locale) => new Map(entriesOf(catalogues[locale]).map(pair)));
  const [english, portuguese, spanish] = texts as [Texts, Texts, Texts];
  const untranslated = [...english].filter(
    ([key, text]) => [portuguese.get(key), spanish.get(key)].includes(text) && !same.has(text),
  );
  assert.deepEqual(untranslated, []);
  const mixed = [...portuguese].filter(
    ([key, text]) => spanish.get(key) === text && !same.has(text),
  );
  assert.deepEqual(mixed, []);
});

type Texts = Map<string, string>;

function pair({ key, text }: Entry): readonly [string, string] {
  return [key, text];
}

test('plurals follow the count', () => {
  assert.equal(catalogues.en.kyc.correct(1), 'Please correct one thing');
  assert.equal(catalogues.en.kyc.correct(2), 'Please correct 2 things');
  assert.equal(catalogues['pt-BR'].transfer.days(1, 1), '1 dia útil');
  assert.equal(frameTexts.es.problems(3), 'Hay 3 problemas');
});

test('a transfer of zero days arrives on the same day, or takes up to the longer time', () => {
  const said = {
    en: [
      'the same day',
      'up to 1 working day',
      'up to 2 working days',
      '1 working day',
      '1 to 5 working days',
    ],
    'pt-BR': [
      'no mesmo dia',
      'até 1 dia útil',
      'até 2 dias úteis',
      '1 dia útil',
      'de 1 a 5 dias úteis',
    ],
    es: [
      'el mismo día',
      'hasta 1 día hábil',
      'hasta 2 días hábiles',
      '1 día hábil',
      'de 1 a 5 días hábiles',
    ],
  };
  for (const locale of locales) {
    const { days } = catalogues[locale].transfer;
    const texts = [days(0, 0), days(0, 1), days(0, 2), days(1, 1), days(1, 5)];
    assert.deepEqual(texts, said[locale]);
  }
});
