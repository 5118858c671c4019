// Amounts, rates and times as people read them in each language.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VNode } from 'preact';
import { Reference } from '../../../../adapters/pages/kit/components.js';
import { formatOf, plainAmount, sentence } from '../../../../adapters/pages/kit/format.js';
import type { Locale } from '../../../../core/domain/base/locale.js';
import { money } from '../../../../core/domain/base/money.js';

const atMs = Date.parse('2026-11-17T15:58:00Z');
/** The code and the digits must not part at the end of a line. */
const plain = (text: string) => text.replaceAll('\u00a0', '_');

test('amounts have the code, grouping and a no-break space; no digit is lost', () => {
  const cases: readonly (readonly [Locale, bigint, string])[] = [
    ['en', 123_450n, 'USD_1,234.50'],
    ['pt-BR', 123_450n, 'USD_1.234,50'],
    ['es', 123_450n, '1.234,50_USD'],
    ['en', 5n, 'USD_0.05'],
    ['es', 1_234_567_890_123_456_789_055n, '12.345.678.901.234.567.890,55_USD'],
  ];
  for (const [locale, amountMinor, expected] of cases) {
    assert.equal(plain(formatOf(locale).money(money(amountMinor, 'USD'))), expected);
  }
  assert.equal(plain(formatOf('en').money(money(123_450n, 'JPY'))), 'JPY_1,234.50');
});

test('what is copied is a plain decimal', () => {
  assert.equal(plainAmount(money(1_248_000n, 'USD')), '12480.00');
});

test('Spanish amounts have a decimal point where the browser reads them so', () => {
  const amount = money(1_248_000n, 'USD');
  assert.equal(plain(formatOf('es', { hasDecimalPoint: true }).money(amount)), 'USD_12,480.00');
  assert.equal(plain(formatOf('es').money(amount)), '12.480,00_USD');
  assert.equal(
    plain(formatOf('es', { hasDecimalPoint: true }).day(atMs)),
    '17 de noviembre de 2026',
  );
  assert.equal(plain(formatOf('pt-BR', { hasDecimalPoint: true }).money(amount)), 'USD_12.480,00');
});

test('a rate has four decimals', () => {
  assert.equal(formatOf('en').rate('5.33214999'), '5.3321');
  assert.equal(formatOf('pt-BR').rate('5.4'), '5,4000');
  const wallets = { transactionHash: null, fromWallet: null, toWallet: null };
  const asset = { token: 'USDC', network: 'polygon', quantity: '12345.123456', ...wallets };
  assert.equal(formatOf('pt-BR').asset(asset), '12.345,123456 USDC (polygon)');
  assert.equal(formatOf('en').asset({ ...asset, quantity: '99.2' }), '99.20 USDC (polygon)');
  assert.equal(formatOf('es').asset({ ...asset, network: null, quantity: null }), 'USDC');
});

test('times are UTC and say so; a due date is the same day everywhere', () => {
  assert.equal(plain(formatOf('en').instant(atMs)), '17 November 2026, 15:58_UTC');
  assert.equal(plain(formatOf('pt-BR').instant(atMs)), '17 de novembro de 2026, 15:58_UTC');
  assert.equal(plain(formatOf('es').instant(atMs)), '17 de noviembre de 2026, 15:58_UTC');
  assert.equal(formatOf('en').date('2026-11-30'), '30 November 2026');
  assert.equal(formatOf('en').brasilia(atMs), '17 November 2026, 12:58');
});

test('the rows of a day are below its name, today and yesterday by the zone', () => {
  const now = Date.parse('2026-11-29T02:30:00Z');
  const hours = (count: number) => now - count * 3_600_000;
  for (const [locale, ...heads] of [
    ['en', 'Today, 28 Nov 2026', 'Yesterday, 27 Nov 2026', 'Thursday, 26 Nov 2026'],
    ['pt-BR', 'Hoje, 28 de nov. de 2026', 'Ontem, 27 de nov. de 2026', /^Quinta-feira, 26 de/],
    ['es', 'Hoy, 28 nov 2026', 'Ayer, 27 nov 2026', 'Jueves, 26 nov 2026'],
  ] as const) {
    const format = formatOf(locale, { timeZone: 'America/Sao_Paulo' });
    for (const [days, head] of heads.entries()) {
      for (const at of [hours(24 * days), hours(24 * days + 23)]) {
        const shown = format.dayHead(at, now);
        if (typeof head === 'string') assert.equal(shown, head);
        else assert.match(shown, head);
      }
    }
  }
  assert.equal(formatOf('en').dayHead(now, now), 'Today, 29 Nov 2026');
});

test('a country has its name in each language, and a text that is no code stays', () => {
  const named = (code: string | null) =>
    (['en', 'pt-BR', 'es'] as const).map((locale) => formatOf(locale).country(code));
  assert.deepEqual(named('DE'), ['Germany', 'Alemanha', 'Alemania']);
  for (const other of [null, '', 'XX', 'Germany']) {
    assert.deepEqual(named(other), [other, other, other]);
  }
});

test('the day of the payee is the day in Brasília', () => {
  const night = Date.parse('2026-11-23T01:12:00Z');
  assert.equal(formatOf('en').brasiliaDay(night), '22 November 2026');
  assert.equal(formatOf('en').brasilia(night), '22 November 2026, 22:12');
});

test('a sentence that ends with an abbreviated name has one full stop', () => {
  assert.equal(sentence('For Pontal Inc..'), 'For Pontal Inc.');
  assert.equal(sentence('For Pontal.'), 'For Pontal.');
});

test('the end of a long reference begins at a letter, not within one', () => {
  const { children } = Reference({ text: 'Pedido 2026 😀00042' }).props;
  const parts = [children].flat().map((part) => (part as VNode).props.children);
  assert.deepEqual(parts, ['Pedido 2026 ', '😀00042']);
  for (const text of ['क्षत्रिय'.repeat(5), 'N\u0304o\u0302 2026-0000000042']) {
    const [, end] = [Reference({ text }).props.children].flat() as readonly VNode[];
    assert.doesNotMatch(String(end?.props.children), /^\p{Mark}/u, text);
  }
});

test('a reference that is read from the right is not put together of two halves', () => {
  for (const text of ['חשבונית 2026-00000042', 'فاتورة 2026-00000042 AB']) {
    assert.notEqual(Reference({ text }).type, 'span', text);
  }
});
