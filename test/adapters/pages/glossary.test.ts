// One word per concept in each language, over the texts of the pages, of the KYC form and of the
// mails. A row names the concept, the word for it, and the words that buyers must not meet for it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Locale, locales } from '../../../core/domain/base/locale.js';
import { projectRoot } from '../../support/source-tree.js';

type Term = readonly [concept: string, word: RegExp, others: RegExp];

const glossary: Readonly<Record<Locale, readonly Term[]>> = {
  en: [
    ['email', /\bemail\b/i, /\be-mails?\b|(?<!@\w*)\bmails?\b(?!@)/i],
    ['receipt', /\breceipt\b/i, /\b(proof of payment|voucher)\b/i],
    ['no action needed', /don’t have to/, /\bneed (do nothing|not)\b/i],
    ['an end by the payee', /\bcancelled\b/, /\bwithdrew\b/i],
    ['people of the operator', /\bOur team\b/, /\bA person (looks|arranges|is)\b/],
    ['share of an owner', /25%/, /25 %/],
    ['flat in an address', /\bApartment\b/, /\bflat\b/i],
    ['license', /\blicense\b/, /\blicence\b/],
  ],
  'pt-BR': [
    // The pages have a hyphen that does not break, the mails the plain one.
    ['email', /\be\u2011mail\b/, /\bemails?\b|correio/i],
    ['receipt', /\brecibo\b/i, /\bcomprovante(?! de (endereço|pagamento)| da participação)/i],
    ['the request to pay', /\bcobrança\b/, /\b(solicitação|pedido) (de pagamento|est[áã]|de )/i],
    ['an end by the payee', /\bcancel(ou|ada)\b/, /\bretir(ou|ada) (a|esta) |foi retirada\./i],
    ['people of the operator', /\bNossa equipe\b/, /\buma pessoa (está|providencia)/i],
    ['owners', /\bsócios e administradores\b/i, /\bdonos?\b/i],
    ['role', /\bFunção na empresa\b/, /\bpapel na empresa\b/i],
    ['whom to ask', /\bCom quem falo\?/, /\bA quem pergunto/],
    ['share of an owner', /25%/, /25 %/],
    ['price', /\bcotação\b/, /\bpreço(?! unitário)/i],
    ['payee', /\brecebedor\b/i, /\bbeneficiário\b/i],
    ['too many', /\bMuit[ao]s\b/, /\b(tentativas|códigos) demais\b/i],
    ['six digits', /\bseis dígitos\b/, /\bseis números\b/i],
  ],
  es: [
    ['email', /\bcorreo\b/, /\be-?mails?\b/i],
    ['receipt', /\brecibo\b/i, /\bcomprobante(?! de (domicilio|titularidad|pago))/i],
    ['price', /\bcotización\b/, /\bprecio(?! unitario)/i],
    ['an end by the payee', /\bcancel(ó|ada)\b/, /\bretiró (esta|la) solicitud|fue retirada\./i],
    ['people of the operator', /\bNuestro equipo\b/, /\buna persona (lo revisa|organiza)/i],
    ['settlement partner', /\bproveedor de liquidación\b/i, /\bsocio\b/i],
    ['owners', /\bpropietarios?\b/i, /\bdueños?\b/i],
    ['role', /\bFunción en la empresa\b/, /\bpapel en la empresa\b/i],
    ['proof', /\bComprobante de titularidad\b/, /\bprueba de la propiedad\b/i],
    ['glasses', /\blentes\b/, /\bgafas\b/i],
    ['computer', /\bcomputadora\b/, /\bordenador\b/i],
    ['license', /\bLicencia de conducir\b/, /\bpermiso de conducir\b/i],
    ['photos', /\bTomar fotos\b/, /\b(hacer|haga|hecha)\b.{0,8}\bfotos?\b/i],
    ['money laundering', /\blavado de dinero\b/, /\bblanqueo\b/i],
    ['filling in', /\bcompletar\b/i, /\brellen/i],
    ['a phone number elsewhere', /\+52/, /\+34/],
  ],
};

const files: Readonly<Record<Locale, readonly string[]>> = {
  en: ['hosted/texts/en.tsx', 'hosted/texts/en-money.tsx', 'kyc/texts/kyc-en.tsx'],
  'pt-BR': ['hosted/texts/pt-br.tsx', 'hosted/texts/pt-br-money.tsx', 'kyc/texts/kyc-pt-br.tsx'],
  es: ['hosted/texts/es.tsx', 'hosted/texts/es-money.tsx', 'kyc/texts/kyc-es.tsx'],
};

/** Arguments, names of keys, and conditions. */
const code = /\$?\{\w+\}|\([^()]*\) =>|\b\w+:(?= )|\w+ === null/g;

/** The texts as they are written, without comments and code, on one line. */
function textsIn(names: readonly string[]): string {
  return names
    .map((file) => readFileSync(join(projectRoot, 'adapters/pages', file), 'utf8'))
    .flatMap((source) => source.split('\n'))
    .filter((line) => !/^\s*(\/\/|\/?\*|import )/.test(line))
    .join(' ')
    .replaceAll(/['`] \+\s+['`]/g, '')
    .replaceAll(code, '')
    .replaceAll(/\s+/g, ' ');
}

for (const locale of locales) {
  test(`one word per concept: ${locale}`, () => {
    const texts = textsIn([...files[locale], `letters/letters-${locale.toLowerCase()}.ts`]);
    assert.deepEqual(faultsIn(texts, glossary[locale]), []);
  });
}

test('members read the word for email that buyers read', () => {
  const names = ['dashboard-en.ts', 'setup-en.ts', 'developer-en.ts'];
  const texts = textsIn(names.map((name) => `dashboard/texts/${name}`));
  const email = glossary.en.filter(([concept]) => concept === 'email');
  assert.deepEqual(faultsIn(texts, email), []);
});

function faultsIn(texts: string, terms: readonly Term[]): readonly string[] {
  return terms.flatMap(([concept, word, others]) => [
    ...(word.test(texts) ? [] : [`${concept}: ${word} does not occur`]),
    ...[...texts.matchAll(new RegExp(others, `${others.flags}g`))].map(
      ({ index }) => `${concept}: …${texts.slice(Math.max(0, index - 30), index + 40)}…`,
    ),
  ]);
}
