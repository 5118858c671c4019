// The files of a payment, read back by a parser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { paymentFile } from '../../../../adapters/pages/buyer/payment-file.js';
import { renderForFile, renderPage } from '../../../../adapters/pages/buyer/render.js';
import type {
  FilePage,
  PagePayment,
  PageView,
} from '../../../../adapters/pages/hosted/page-view.js';
import { drawnText, isDrawable } from '../../../../adapters/pages/pdf/drawable-text.js';
import { pageParts, type StyledText } from '../../../../adapters/pages/pdf/page-parts.js';
import { loadFonts } from '../../../../adapters/pages/pdf/page-pdf.js';
import { locales } from '../../../../core/domain/base/locale.js';
import type { Screen } from '../../../../core/domain/hosted/hosted-screen.js';
import { readPdf } from '../../../support/read-pdf.js';
import { jpegOf, pngOf } from '../../../support/samples/pictures.js';
import { onScreen, payment, paymentOnScreen, transferMembers } from '../buyer/page-facts.js';

const screens = {
  instructions: 'bank_details',
  receipt: 'paid',
  remittance: 'paid',
} as const satisfies Record<FilePage, Screen>;
const filePages = Object.keys(screens) as readonly FilePage[];

function viewFor(page: FilePage, changes: Partial<PageView> = {}, own: Partial<PagePayment> = {}) {
  const members = page === 'remittance' ? transferMembers : [];
  const shown = { ...payment, ...paymentOnScreen[screens[page]], members, ...own };
  return onScreen(screens[page], { page: { name: page }, payment: shown, ...changes });
}

async function fileOf(page: FilePage, changes?: Partial<PageView>, own?: Partial<PagePayment>) {
  const file = await paymentFile(viewFor(page, changes, own), page, null);
  assert(file !== null, 'its fonts draw the page');
  return file;
}

const plain = (text: string) => text.normalize('NFC').replace(/\s+/g, ' ').trim();
const textOf = (runs: readonly StyledText[]) => plain(runs.map(({ text }) => text).join(''));

/** The texts of a page in their order. */
function textsOf(html: string): readonly string[] {
  const texts = pageParts(html).flatMap((part) => {
    if (part.kind === 'text') return [part.runs];
    if (part.kind === 'note') return part.texts.map(({ runs }) => runs);
    if (part.kind === 'table') return part.rows.flat();
    return part.facts.flatMap(({ label, value, note }) => [label, value, note]);
  });
  return texts.map(textOf).filter((text) => text !== '');
}

for (const page of filePages) {
  test(`${page}: the file has the words of the page in their order, in each language`, async () => {
    for (const locale of locales) {
      const view = viewFor(page, { locale });
      const { bytes } = await fileOf(page, { locale });
      const { text, language, isTagged, title } = await readPdf(bytes);
      const { title: pageTitle, html } = renderForFile(view);
      let from = 0;
      for (const words of textsOf(html)) {
        const at = text.replaceAll(' ', '').indexOf(words.replaceAll(' ', ''), from);
        assert.ok(at >= 0, `${locale}: ${words} after ${text.slice(0, from)}`);
        from = at;
      }
      assert.deepEqual([language, isTagged, title], [locale, true, pageTitle]);
    }
  });
}

test('what a page shows on paper is in its parts, without controls', () => {
  for (const page of filePages) {
    const { html } = renderForFile(viewFor(page));
    const controls = /<(button|svg|noscript|form)\b[\s\S]*?<\/\1>|<a class="btn[\s\S]*?<\/a>/g;
    const words = plain(
      html
        .replace(controls, '')
        .replace(/<div class="note warn" hidden[\s\S]*?<\/div><\/div>/g, '')
        .replace(/<[^>]*>/g, ' '),
    );
    const said = textsOf(html).join(' ').replaceAll('&', '&amp;').replaceAll(' ', '');
    for (const word of words.split(' ')) assert.ok(said.includes(word), `${page}: ${word}`);
  }
});

test('bank details and a receipt of usual length are one page, in each language and mode', async () => {
  for (const page of filePages) {
    for (const locale of locales) {
      for (const mode of ['live', 'test'] as const) {
        const { bytes } = await fileOf(page, { locale, mode });
        assert.equal((await readPdf(bytes)).pages, 1, `${page} ${locale} ${mode}`);
      }
    }
  }
});

test('tags say what is a heading, a paragraph and a row of a table', async () => {
  const { roles } = await readPdf((await fileOf('receipt')).bytes);
  const order = ['Root', 'Document', 'P', 'H1', 'P', 'H2', 'Table', 'TR', 'TH', 'TD', 'P'];
  const kinds = roles.filter((role) => role !== 'Span');
  let from = 0;
  for (const role of order) {
    from = kinds.indexOf(role, from);
    assert.ok(from >= 0, `${role} in ${kinds.join(' ')}`);
  }
  assert.equal(roles.filter((role) => role === 'H1').length, 1);
});

/** A name, and whether the embedded fonts draw each of its characters. */
const names = [
  ["O'Brien & Sons, Łódź", true],
  ['Žluťoučký kůň, Ðóra Þorláksdóttir, ŐŰ Ñandú, Ġgantija, Ķīpsala, Țăndărică', true],
  ['Işık İş Çağdaş Ğ Ltd. Şti.', true],
  ['Công ty Cà phê Đà Lạt', true],
  ['Παπαδόπουλος Α.Ε.', true],
  ['Ковальчук і Сини ТОВ, Ђорђе', true],
  ['Sa\u0303o Joa\u0303o, Nguye\u0302\u0303n', true],
  ['\u200eCafé\u200b do \u2068Sul\u2069', true],
  ['Cafe\u00adteria\ufe0f\ufeff', true],
  ['कॉफ़ी कंपनी', false],
  ['深圳咖啡公司', false],
  ['東京コーヒー', false],
  ['ひらがな', false],
  ['서울커피', false],
  ['شركات', false],
  ['חברת קפה', false],
  ['บริษัทกาแฟ', false],
  ['ყავის კომპანია', false],
  ['Սուրճ', false],
  ['Café ☕🙂', false],
  ['Coffee 公', false],
] as const;

test('a file is made exactly if its fonts draw each character of the page', async () => {
  for (const [payer, isDrawn] of names) {
    const file = await paymentFile(viewFor('receipt', {}, { payer }), 'receipt', null);
    assert.equal(file !== null, isDrawn, payer);
    if (file === null) continue;
    const { text } = await readPdf(file.bytes);
    const shown = payer
      .normalize('NFC')
      .replace(/[\u00ad\u200b-\u200f\u2066-\u2069\ufeff]|\ufe0f/g, '');
    assert.ok(text.includes(shown), `${shown} in ${text}`);
    assert.doesNotMatch(text, /\ufffd/);
  }
});

test('both weights of the fonts have each drawable character', async () => {
  const { regular, bold } = await loadFonts();
  const lacking: string[] = [];
  for (let point = 0x20; point <= 0x10ffff; point += 1) {
    const letter = String.fromCodePoint(point);
    if (!letter.isWellFormed() || letter.normalize('NFC') !== letter) continue;
    if (drawnText(letter) === '' || !isDrawable(letter)) continue;
    const isDrawn = [regular, bold].every((font) => font.hasGlyphForCodePoint(point));
    if (!isDrawn) lacking.push(`U+${point.toString(16)}`);
  }
  assert.deepEqual(lacking, []);
});

test('what our own texts say on paper is drawable, in each language', () => {
  for (const page of filePages) {
    for (const locale of locales) {
      const { title, html } = renderForFile(viewFor(page, { locale }));
      assert.ok(isDrawable([title, pageParts(html)]), `${page} ${locale}`);
    }
  }
});

test('a page offers a file exactly where there is one, and else to print it or save it', () => {
  const offers = { en: /save as PDF/, es: /guardar en PDF/, 'pt-BR': /salvar em PDF/ } as const;
  for (const [payer, isDrawn] of names) {
    for (const [index, page] of filePages.entries()) {
      const locale = locales[index % locales.length] ?? 'en';
      const name = { name: 'payment', screen: screens[page] } as const;
      const view = viewFor(page, { locale, page: name }, { payer });
      const html = renderPage(view);
      assert.equal(html.includes(`/${page}.pdf"`), isDrawn, payer);
      assert.equal(offers[locale].test(html), !isDrawn, payer);
    }
    // A colleague has the print view alone.
    const forColleague = renderPage(viewFor('instructions', { viewer: null }, { payer }));
    assert.equal(forColleague.includes('/instructions.pdf"'), isDrawn, payer);
  }
});

test('the same facts give the same bytes, and a name of the file that any system takes', async () => {
  const [one, two] = [await fileOf('receipt'), await fileOf('receipt')];
  assert.deepEqual(Buffer.from(one.bytes), Buffer.from(two.bytes));
  assert.equal(one.name, 'receipt-RN-2026-0418.pdf');
  const odd = await fileOf('instructions', { locale: 'pt-BR' }, { number: 'A/1 #7' });
  assert.match(odd.name, /^dados-bancarios-[a-z0-9.-]+\.pdf$/i);
});

test('a file of test mode says so on each page, and long lists go on overleaf', async () => {
  const line = { description: 'Green coffee', quantity: '1', unitPrice: '1.00', subtotal: '1.00' };
  const display = { ...payment.display, lineItems: Array.from({ length: 100 }, () => line) };
  const { bytes } = await fileOf('receipt', { mode: 'test' }, { display });
  const { text, pages } = await readPdf(bytes);
  assert.ok(pages > 2, `${pages} pages`);
  assert.equal(text.match(/Green coffee 1 1\.00 1\.00/g)?.length, 100);
  assert.ok((text.match(/TEST/g) ?? []).length > pages);
  for (let page = 1; page <= pages; page += 1) assert.ok(text.includes(`${page}/${pages}`));
});

test('a file has no time without its zone', async () => {
  for (const page of filePages) {
    for (const locale of locales) {
      const { text } = await readPdf((await fileOf(page, { locale })).bytes);
      const times = [...text.matchAll(/\b\d{1,2}:\d{2}\b.{0,25}/gs)].map(([found]) => found);
      if (page === 'receipt') assert.ok(times.length > 1, text);
      for (const found of times) assert.match(plain(found), /^[\d:]+ UTC|Bras[ií]lia/, locale);
    }
  }
});

/** A PNG of 4 by 4 pixels; `lines` is what its data decodes to. */
function png(header: readonly number[], lines: Uint8Array, more: readonly string[] = []): Buffer {
  const chunk = (name: string, data: Uint8Array) => {
    const made = Buffer.alloc(12 + data.length);
    made.writeUInt32BE(data.length);
    made.write(name, 4);
    made.set(data, 8);
    return made;
  };
  const size = [0, 0, 0, 4, 0, 0, 0, 4];
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Uint8Array.from([...size, ...header])),
    ...more.map((name) => chunk(name, new Uint8Array(3))),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', new Uint8Array()),
  ]);
}

const rgba = [8, 6, 0, 0, 0];
const whole = png(rgba, new Uint8Array(4 * 17));

/** The data fits the first header; what reads the second one needs memory for its sides. */
function twoHeaders(side: number): Buffer {
  const second = Buffer.from(whole.subarray(8, 33));
  second.writeUInt32BE(side, 8);
  second.writeUInt32BE(side, 12);
  return Buffer.concat([whole.subarray(0, 33), second, whole.subarray(33)]);
}

/** What owners upload as a logo, and whether a file has it. */
const logos: readonly (readonly [string, Uint8Array, boolean])[] = [
  ['a PNG with transparency', whole, true],
  ['one without', png([8, 2, 0, 0, 0], new Uint8Array(4 * 13)), true],
  ['one of a palette', png([4, 3, 0, 0, 0], new Uint8Array(4 * 3), ['PLTE']), true],
  [
    'one of a palette with transparency',
    png([8, 3, 0, 0, 0], new Uint8Array(20), ['PLTE', 'tRNS']),
    true,
  ],
  ['one of a palette that is missing', png([8, 3, 0, 0, 0], new Uint8Array(20)), false],
  ['an interlaced one', png([8, 6, 0, 0, 1], new Uint8Array(4 * 17)), false],
  ['one with 16 bits', png([16, 6, 0, 0, 0], new Uint8Array(4 * 33)), false],
  ['one whose second header is larger', twoHeaders(8), false],
  ['one whose data ends early', png(rgba, new Uint8Array(3 * 17)), false],
  ['one whose data goes on', png(rgba, new Uint8Array(5 * 17)), false],
  ['one with an unknown filter', png(rgba, new Uint8Array(4 * 17).fill(9)), false],
  [
    'one whose data is not compressed',
    Buffer.from(`${whole.toString('latin1')}`.replace('x\x9c', 'xx'), 'latin1'),
    false,
  ],
  ['one that is cut', whole.subarray(0, 50), false],
  ['a header alone', pngOf(280, 56), false],
  ['a JPEG', Buffer.from('ffd8ffc0001108000400040300000000000000000000ffd9', 'hex'), true],
  ['a JPEG without a frame', jpegOf(280, 56).subarray(0, 8), false],
];

for (const [name, bytes, isDrawn] of logos)
  test(`a file has the color and the logo of the organization, if it can be drawn: ${name}`, async () => {
    const organization = { ...onScreen('paid').organization, accentColor: '#8a1538' } as const;
    const view = viewFor('receipt', { organization } as Partial<PageView>);
    const file = await paymentFile(view, 'receipt', bytes);
    assert(file !== null);
    const written = Buffer.from(file.bytes).toString('latin1');
    assert.equal(written.includes('/Subtype /Image'), isDrawn);
    const { text, pages } = await readPdf(file.bytes);
    const without = await readPdf((await fileOf('receipt')).bytes);
    assert.deepEqual([text, pages], [without.text, 1]);
    const colored = await paymentFile(view, 'receipt', null);
    assert.notDeepEqual(colored?.bytes, (await fileOf('receipt')).bytes, 'its bar has the color');
  });
