// The accent color of an organization: which one is readable, and what it becomes in each scheme.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  accentGrounds,
  accentPalettes,
  contrastOf,
  isReadableColor,
  leastContrast,
  readAccentColor,
} from '../../../../core/domain/parties/accent-color.js';

const stylesheet = new URL('../../../../adapters/pages/kit/assets/ponte.css', import.meta.url);

test('a color is six hex digits after a #', () => {
  assert.equal(readAccentColor(' #0A5568 '), '#0a5568');
  for (const text of ['', '0a5568', '#0a556', '#fff', 'red', '#0a5568; color: red', '#0a556g']) {
    assert.equal(readAccentColor(text), null, text);
  }
});

test('the contrast is that of WCAG', () => {
  for (const [one, other, contrast] of [
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.48],
    ['#767676', '#ffffff', 4.54],
    ['#ff0000', '#ffffff', 4],
  ] as const) {
    assert.ok(Math.abs(contrastOf(one, other) - contrast) < 0.01, `${one} on ${other}`);
    assert.equal(contrastOf(one, other), contrastOf(other, one));
  }
});

test('a color is readable with 4.5:1 on a light page and a card', () => {
  // Enough for a card, not for the page.
  assert.ok(contrastOf('#767676', accentGrounds.light.surface) >= 4.5);
  for (const color of ['#767676', '#ff0000', '#ffd400', '#ffffff', '#db2777']) {
    assert.equal(isReadableColor(color), false, color);
  }
  for (const color of ['#0a5568', '#2563eb', '#000000', '#c62828', '#6f6f6f']) {
    assert.equal(isReadableColor(color), true, `${color}: ${leastContrast(color)}`);
  }
});

test('law: links and buttons of a readable color can be read in both schemes', () => {
  const part = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(part, part, part, (...channels) => {
      const hex = channels.map((channel) => channel.toString(16).padStart(2, '0')).join('');
      fc.pre(isReadableColor(`#${hex}`));
      for (const [scheme, palette] of Object.entries(accentPalettes(`#${hex}`))) {
        const { accent, strong, soft, on } = palette;
        const { ground, surface } = accentGrounds[scheme as 'light' | 'dark'];
        for (const [one, other] of [
          [accent, ground],
          [accent, surface],
          [strong, ground],
          [strong, surface],
          [strong, soft],
          [on, accent],
          [on, strong],
        ] as const) {
          assert.ok(contrastOf(one, other) >= 4.5, `${scheme}: ${one} on ${other}`);
        }
      }
    }),
  );
});

test('a color that the dark scheme can show stays as it is; another one gets white, 5 % a step', () => {
  assert.equal(accentPalettes('#6f6f6f').light.accent, '#6f6f6f');
  assert.equal(accentPalettes('#000000').dark.accent, '#8c8c8c');
  assert.equal(accentPalettes('#ffffff').dark.accent, '#ffffff');
});

test('the grounds are those of the stylesheet', () => {
  const text = readFileSync(stylesheet, 'utf8').replaceAll('#fff;', '#ffffff;');
  const [light = '', dark = ''] = text.split('@media screen and (prefers-color-scheme: dark)');
  for (const name of ['ground', 'surface'] as const) {
    assert.ok(light.includes(`--${name}: ${accentGrounds.light[name]};`), name);
    assert.ok(dark.includes(`--${name}: ${accentGrounds.dark[name]};`), name);
  }
});
