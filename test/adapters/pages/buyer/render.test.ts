// The hosted pages as HTML: what each must say in every language, and what none may contain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { renderPage } from '../../../../adapters/pages/buyer/render.js';
import type { DisplayView, PageView } from '../../../../adapters/pages/hosted/page-view.js';
import { catalogues } from '../../../../adapters/pages/hosted/texts.js';
import { accentPath, assetFile, assetPaths } from '../../../../adapters/pages/kit/assets.js';
import { formatOf } from '../../../../adapters/pages/kit/format.js';
import { epcCode } from '../../../../adapters/pages/kit/qr-code.js';
import { locales } from '../../../../core/domain/base/locale.js';
import { money } from '../../../../core/domain/base/money.js';
import { type Screen, screens } from '../../../../core/domain/hosted/hosted-screen.js';
import { railsFrom } from '../../../../core/domain/payments/payin-instructions.js';
import { kycSamples } from './kyc/kyc-samples.js';
import {
  at,
  check,
  noMoney,
  onScreen,
  payment,
  paymentOnScreen,
  quote,
  sepa,
  signedOut,
  viewOf,
} from './page-facts.js';
import { htmlOf, samples } from './page-samples.js';

const allSamples = [...samples, ...kycSamples];

/** What a person reads: no tags, no entities of the characters that are escaped. */
function textOf(html: string): string {
  const body = html.slice(html.indexOf('<body'));
  return body
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/[ \n]+/g, ' ');
}

function screenWith(screen: Screen, changes: Partial<typeof payment>): PageView {
  const view = onScreen(screen);
  return { ...view, payment: { ...payment, ...view.payment, ...changes } };
}

test('every page renders in every language as one document with one heading', () => {
  for (const sample of allSamples) {
    for (const locale of locales) {
      const html = htmlOf(sample, locale);
      const where = `${sample.name} in ${locale}`;
      assert.match(html, /^<!doctype html>\n<html lang="[\w-]+">.*<\/html>\n$/s, where);
      assert.ok(html.includes(`<html lang="${locale}">`), where);
      assert.equal(html.match(/<h1[ >]/g)?.length, 1, where);
      assert.match(html, /<title>[^<]{4,}<\/title>/, where);
      assert.doesNotMatch(textOf(html), /undefined|NaN|\[object|\bnull\b|\.\.|\{/, where);
    }
  }
});

test('bank details for several payments name the first due date of them, not that of the page', () => {
  const { view } = samples.find(({ name }) => name === 'together-details') ?? assert.fail();
  for (const page of [view.page, { name: 'instructions' }] as const) {
    const text = textOf(renderPage({ ...view, page }));
    assert.match(text, /The first of these payments is due on 1 December 2026 ?\./);
    assert.doesNotMatch(text, /The invoice is due/);
  }
  assert.match(textOf(renderPage(onScreen('bank_details'))), /The invoice is due on 30 November/);
});

test('no page has a style attribute, an inline script or an event handler', () => {
  for (const sample of allSamples) {
    const { name } = sample;
    const html = htmlOf(sample, 'en');
    assert.doesNotMatch(html, /\sstyle=|\son\w+=|javascript:/i, name);
    assert.equal(html.match(/<script/g)?.length, 1, name);
    assert.match(html, /<script src="[^"]+" defer><\/script>/, name);
  }
});

test('the title says what is wrong, what it is and who is paid', () => {
  const titleOf = (name: string) =>
    /<title>(.*)<\/title>/.exec(renderPage(samples.find((one) => one.name === name)!.view))?.[1];
  assert.equal(titleOf('price'), 'Check and confirm – Pay Café Serra Azul Exportadora Ltda');
  assert.equal(
    titleOf('sent-code-wrong'),
    'Error: Check your email – Pay Café Serra Azul Exportadora Ltda',
  );
  assert.equal(titleOf('not-found'), 'Page not found');
});

/** The happy ones: what to do is in front of the buyer. */
const withoutQuestions: readonly Screen[] = [
  ...(['kyc_form', 'price_ask', 'price', 'bank_details', 'paid'] as const),
];

test('every screen that is not the happy one answers the four questions in their order', () => {
  for (const screen of screens.filter((one) => !withoutQuestions.includes(one))) {
    for (const locale of locales) {
      const { answers } = catalogues[locale];
      const text = textOf(renderPage({ ...onScreen(screen), locale }));
      const questions = [answers.money, answers.next, answers.todo, answers.ask];
      const places = questions.map((question) => text.indexOf(question));
      assert.ok(!places.includes(-1), `${screen} in ${locale}`);
      assert.deepEqual(
        places,
        [...places].sort((left, right) => left - right),
        screen,
      );
      assert.ok(text.includes('help@rotanorte.example'), screen);
    }
  }
});

const minor = fc.bigInt({ min: 1n, max: 999_999_999_999n });
const fundsOnScreen = fc.record({
  screen: fc.constantFrom(...screens),
  locale: fc.constantFrom(...locales),
  refundedMinor: fc.oneof(fc.constant(0n), minor),
  refundOwedMinor: fc.oneof(fc.constant(0n), minor),
  refundOrderedMinor: fc.oneof(fc.constant(0n), minor),
  keptMinor: fc.oneof(fc.constant(0n), minor),
});

test('every screen names what was received, what goes back and what was returned', () => {
  fc.assert(
    fc.property(fundsOnScreen, ({ screen, locale, keptMinor, ...back }) => {
      const goingBackMinor = back.refundOwedMinor + back.refundOrderedMinor;
      const receivedMinor = keptMinor + goingBackMinor + back.refundedMinor;
      const view = screenWith(screen, { money: { ...noMoney, ...back, receivedMinor } });
      const text = textOf(renderPage({ ...view, locale }));
      for (const amountMinor of [receivedMinor, goingBackMinor, back.refundedMinor]) {
        if (amountMinor === 0n) continue;
        const amount = formatOf(locale).money(money(amountMinor, 'USD'));
        assert.ok(text.includes(amount), `${screen}: ${amount}`);
      }
      if (receivedMinor === 0n) return;
      const { nothing, nothingYet } = catalogues[locale].answers;
      assert.ok(!text.includes(nothing) && !text.includes(nothingYet), screen);
    }),
  );
});

test('no screen of a payment that ended offers a way to pay', () => {
  const over: readonly Screen[] = screens.slice(screens.indexOf('paid'));
  for (const screen of over) {
    const html = renderPage(onScreen(screen));
    const actions = [...html.matchAll(/action="([^"]*)"/g)].map(([, action]) => action);
    assert.deepEqual(actions, ['/r/4kDq8vJm2XzL0aPw9sTe1g/sign-out'], screen);
    assert.doesNotMatch(html, /831000424471|\/instructions"/, screen);
  }
});

test('each form of a signed-in buyer has the token and the version that it was made for', () => {
  for (const { name, view } of samples) {
    if (view.viewer === null || view.payment === null) continue;
    const html = renderPage(view);
    for (const [, head = '', form = ''] of html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)) {
      // It changes nothing, and what it sends is in the address.
      if (head.includes('method="get"')) continue;
      assert.ok(form.includes(`name="csrf" value="${view.csrf}"`), name);
      assert.ok(form.includes('name="version" value="7"'), name);
    }
  }
  assert.match(renderPage(onScreen('price')), /name="quoteId" value="qt_01kb9w3h7m"/);
});

test('before sign-in a page shows neither line items nor notes nor the address', () => {
  const html = renderPage(viewOf({ name: 'ask' }, { viewer: null, csrf: null }));
  assert.match(html, /Green coffee, lot 26\/311/);
  assert.doesNotMatch(html, /Phytosanitary|Delivered FOB|dana@|csrf|data-live|sign-out/);
});

test('test mode is marked on every screen, live mode on none', () => {
  for (const { view } of samples) {
    const marked = renderPage({ ...view, mode: 'test' });
    assert.match(marked, /<p class="testbar">/);
    assert.doesNotMatch(renderPage({ ...view, mode: 'live', simulate: null }), /testbar|testpanel/);
  }
  const details = { ...onScreen('bank_details'), mode: 'test' as const };
  assert.match(renderPage(details), /data-watermark="TEST"/);
});

test('an indicative rate promises about so much to the payee, a locked one exactly so much', () => {
  for (const locale of locales) {
    const { price } = catalogues[locale];
    const text = (rateKind: 'locked' | 'indicative') => {
      const shown = { ...quote, rateKind };
      return textOf(renderPage({ ...screenWith('price', { quote: shown }), locale }));
    };
    const target = formatOf(locale).money(quote.target);
    assert.ok(text('indicative').includes(`${price.about} ${target}`), locale);
    assert.ok(!text('locked').includes(`${price.about} ${target}`), locale);
    assert.ok(text('locked').includes(target), locale);
    for (const screen of ['bank_details', 'arrived'] as const) {
      const way = textOf(renderPage({ ...screenWith(screen, {}), locale }));
      const { receivesAbout, receivesExactly } = catalogues[locale].route;
      assert.ok(way.includes(receivesAbout(target)), `${screen} ${locale}`);
      assert.ok(!way.includes(receivesExactly(target)), `${screen} ${locale}`);
    }
  }
});

test('a wait that is late is said where the buyer waits, a purpose on the receipt', () => {
  for (const locale of locales) {
    const texts = catalogues[locale];
    const shown = (screen: Screen, changes: Partial<typeof payment>) =>
      textOf(renderPage({ ...screenWith(screen, changes), locale }));
    for (const [screen, words] of [
      ['bank_details', texts.transfer.late('Rota Norte')],
      ...(['held', 'arrived', 'on_the_way', 'kyc_verifying'] as const).map(
        (waiting) => [waiting, texts.late] as const,
      ),
    ] as const) {
      assert.ok(shown(screen, { isLate: true }).includes(words), `${screen} ${locale}`);
      assert.ok(!shown(screen, { isLate: false }).includes(words), `${screen} ${locale}`);
    }
    const { goods } = texts.purposes;
    const row = `${texts.paid.purpose} ${goods}`;
    assert.ok(shown('paid', { purpose: 'goods' }).includes(row), locale);
    assert.ok(!shown('paid', { purpose: null }).includes(row), locale);
  }
});

test('a price that changed shows what it was before', () => {
  const { view } = samples.find(({ name }) => name === 'price-changed')!;
  const text = textOf(renderPage(view));
  assert.match(text, /1\u00a0USD = 5\.3321\u00a0BRL before: 1\u00a0USD = 5\.4021\u00a0BRL/);
  // The rate, the effective rate and what the seller receives.
  assert.equal(text.match(/before:/g)?.length, 3);
});

test('bank details that replace others say so first, and how to check them', () => {
  for (const { name, view } of samples) {
    const replacedAtMs = view.payment?.check?.replacedAtMs ?? null;
    for (const locale of locales) {
      const [, changed = ''] = /<main(.*?)<dl/s.exec(renderPage({ ...view, locale })) ?? [];
      const [note = ''] = /<div class="note warn" role="status">.*?<\/p>/s.exec(changed) ?? [];
      const days = [check.issuedAtMs, at('2026-11-16T09:30:00Z')].map(formatOf(locale).instant);
      const isSaid = days.every((day) => note.includes(day)) && /href="\S*#check"/.test(note);
      assert.equal(isSaid, replacedAtMs !== null, `${name} in ${locale}`);
    }
  }
  const short = samples.find(({ name }) => name === 'short-replaced');
  assert.ok(short !== undefined);
  assert.doesNotMatch(textOf(renderPage(short.view)), /same account/);
});

test('a printed sheet says which page it came from, and bank details where to check them', () => {
  const { page, verify } = payment.links;
  for (const { name, view } of samples) {
    for (const locale of locales) {
      const text = textOf(renderPage({ ...view, locale }));
      const isPrinted = ['instructions', 'receipt', 'remittance'].includes(view.page.name);
      assert.equal(text.includes(page), isPrinted, name);
      assert.equal(text.includes(verify), view.page.name === 'instructions', name);
      if (isPrinted) assert.ok(text.includes(payment.shortId), name);
    }
  }
});

test('a receipt has the payee’s day, tax id, the reference, the rail, the due date and items', () => {
  const settledAtMs = at('2026-11-23T01:12:00Z');
  const settlement = { ...paymentOnScreen.paid.settlement!, settledAtMs };
  const instructions = { ...paymentOnScreen.paid.instructions!, rails: sepa.rails };
  const { page } = samples.find(({ name }) => name === 'receipt')!.view;
  const shown = { ...screenWith('paid', { settlement, instructions }), page };
  const text = textOf(renderPage(shown));
  assert.match(text, /received BRL\u00a066,046\.73 on 22 November 2026/);
  assert.match(text, /23 November 2026, 01:12\u00a0UTC 22 November 2026, 22:12 in Brasília/);
  assert.match(text, /CNPJ ending 0195/);
  assert.match(text, /Reference of the transfer 48120937/);
  assert.match(text, /Method Bank transfer \(SEPA\)/);
  assert.match(text, /Due 30 November 2026/);
  assert.match(text, /Phytosanitary certificate/);
  // Which of several rails was used is not known.
  assert.match(textOf(renderPage(onScreen('paid'))), /Method Bank transfer Reference/);
});

test('each page about an organization links to privacy and terms, if they are web addresses', () => {
  const link = (name: string) => new RegExp(`<a href="https://rotanorte.example/${name}">`);
  for (const { name, view } of samples.filter(({ view }) => view.organization !== null)) {
    const html = renderPage(view);
    assert.match(html, link('privacy'), name);
    assert.match(html, link('terms'), name);
  }
  const hostile = { privacyUrl: 'javascript:alert(1)', termsUrl: null };
  assert.doesNotMatch(renderPage(viewOf({ name: 'ask' }, { legal: hostile })), /Privacy|Terms/);
});

test('before sign-in a request that ended says so, and not whether it was paid', () => {
  const shown = (status: 'settled' | 'cancelled' | 'failed') =>
    renderPage(viewOf({ name: 'ask' }, { ...signedOut, payment: { ...payment, status } }));
  assert.match(shown('cancelled'), /This request is closed\. Nothing is to be paid\./);
  assert.equal(shown('settled'), shown('cancelled'));
  assert.equal(shown('failed'), shown('cancelled'));
  assert.doesNotMatch(renderPage(viewOf({ name: 'ask' }, signedOut)), /is closed/);
});

test('a payment in review says where the money is, and by when somebody answers', () => {
  const answerByMs = at('2026-11-24T16:20:00Z');
  const arrived = /It reached us\. We are asking the bank whether the last step reached Café/;
  assert.match(textOf(renderPage(onScreen('needs_review'))), arrived);
  for (const screen of ['needs_review', 'refund_review', 'unapproved'] as const) {
    const text = textOf(renderPage(screenWith(screen, { answerByMs })));
    assert.match(text, /We answer by 24 November 2026 \./, screen);
    assert.doesNotMatch(textOf(renderPage(onScreen(screen))), /We answer by/, screen);
  }
});

test('only a page of a payout that stayed says that the payee received it', () => {
  const settled = samples.filter(({ view }) => view.payment?.settlement);
  const names = settled.map(({ name }) => name).filter((name) => name.startsWith('settled-'));
  assert.deepEqual(names, ['settled-needs-review', 'settled-arrived', 'settled-on-the-way']);
  for (const { name, view } of settled) {
    const isPaid = !name.startsWith('settled-');
    assert.equal(/received BRL/.test(textOf(renderPage(view))), isPaid, name);
  }
  const { view } = samples.find(({ name }) => name === 'settled-needs-review')!;
  const text = textOf(renderPage(view));
  assert.match(text, /but the payout to Café .* came back\./);
  assert.match(text, /We decide with Café .* what happens to the money\./);
  assert.doesNotMatch(text, /asking the bank/);
});

test('the price says how long bank details last, and when to confirm a payment that is due later', () => {
  const shown = (payWithinDays: number | null, dueDate: string | null) => {
    const own = { payment: { ...payment, ...paymentOnScreen.price, payWithinDays, dueDate } };
    return textOf(renderPage(onScreen('price', own)));
  };
  const lasts = /The bank details work for 7 days\. Money that comes later is returned\./;
  const late = /due on 30 November 2026 ?: to pay on that day, confirm within 7 days before it\./;
  for (const [days, due, says, warns] of [
    [7, '2026-11-30', true, true],
    [7, '2026-11-24', true, false],
    [7, null, true, false],
    [null, '2026-11-30', false, false],
  ] as const) {
    const text = shown(days, due);
    assert.deepEqual([lasts.test(text), late.test(text)], [says, warns], `${days} ${due}`);
  }
});

test('a test account is named where it is shown, and nowhere else', () => {
  for (const { name, view } of samples) {
    const html = renderPage({ ...view, mode: 'test' });
    assert.equal(/This is a test account/.test(html), html.includes('watermark'), name);
  }
});

test('rails with the same fields are one account', () => {
  const text = textOf(renderPage(onScreen('bank_details')));
  assert.match(text, /Account in the US \(ACH or wire\)/);
  assert.match(text, /Account for transfers from other countries \(SWIFT\)/);
});

test('each account says how long its rails take', () => {
  const text = textOf(renderPage(onScreen('bank_details')));
  assert.match(text, /Time it takes ACH: 1 to 5 working days; wire: 1 to 2 working days/);
  assert.match(text, /Time it takes 2 to 5 working days/);
});

test('a buyer whose bank sends from abroad sees that account first, and who pays charges', () => {
  const { instructions } = paymentOnScreen.bank_details;
  assert.ok(instructions);
  const shown = (country: string) => {
    const own = { ...instructions, rails: railsFrom(instructions, country) };
    return renderPage(screenWith('bank_details', { instructions: own }));
  };
  const places = (html: string) =>
    ['SWIFT)</', '<details><summary>', 'ACH or wire)'].map((mark) => html.indexOf(mark));
  const [swift = 0, folded = 0, ach = 0] = places(shown('DE'));
  assert.ok(swift > 0 && swift < folded && folded < ach);
  assert.match(textOf(shown('DE')), /Charges OUR .*Choose “OUR”: you pay the banks’ charges/);
  const [swiftUs = 0, , achUs = 0] = places(shown('US'));
  assert.ok(achUs > 0 && achUs < swiftUs);
  assert.doesNotMatch(textOf(shown('US')), /Charges OUR/);
});

test('the day by which money must arrive is above the bank details, on the page and on paper', () => {
  for (const { view } of samples.filter(({ name }) => /^(bank-details|instructions)$/.test(name))) {
    const text = textOf(renderPage(view));
    const said = 'Send it so that it arrives by 1 December 2026 : money that comes later';
    assert.ok(text.includes(said) && text.indexOf(said) < text.indexOf('Copy these exactly'));
    assert.match(text, /The invoice is due on 30 November 2026/);
    assert.doesNotMatch(text, /23:59/);
  }
});

test('the day before money is returned is the last whole one, then its last day the time', () => {
  const by = (payBy: string) => {
    const instructions = { ...paymentOnScreen.bank_details.instructions!, payByMs: at(payBy) };
    return textOf(renderPage(screenWith('bank_details', { instructions })));
  };
  assert.match(by('2026-11-30T01:12:00Z'), /arrives by 29 November 2026 :/);
  assert.match(by('2026-11-30T00:00:00Z'), /arrives by 29 November 2026 :/);
  assert.match(by('2026-11-18T01:12:00Z'), /arrives by 17 November 2026 :/);
  assert.match(by('2026-11-17T21:12:00Z'), /arrives by 17 November 2026, 21:12\u00a0UTC :/);
});

test('a transfer in euros has the code of EPC069-12; others have none', () => {
  const [rail] = sepa.rails;
  assert.ok(rail !== undefined);
  assert.deepEqual(epcCode(sepa, rail)?.split('\n'), [
    'BCD',
    '002',
    '1',
    'SCT',
    'BCEELULLXXX',
    'Pontal Settlement Europe S.A.',
    'LU280019400644750000',
    'EUR12480.00',
    '',
    '',
    'RN 48120937',
  ]);
  assert.equal(epcCode({ ...sepa, amount: money(1n, 'USD') }, rail), null);
  assert.equal(epcCode(sepa, { ...rail, fields: [] }), null);
  const qrCode = /<svg [^>]*class="qr" role="img" aria-label="QR code with account/;
  assert.match(renderPage(screenWith('bank_details', { instructions: sepa })), qrCode);
  assert.doesNotMatch(renderPage(onScreen('bank_details')), qrCode);
});

test('a return address is a link only if browsers open it', () => {
  assert.match(renderPage(onScreen('paid')), /href="https:\/\/shop\.rotanorte\.example\/orders/);
  for (const returnUrl of ['javascript:alert(1)', 'data:text/html,x', 'not a url']) {
    const html = renderPage(screenWith('paid', { returnUrl }));
    assert.doesNotMatch(html, /javascript:|data:text|data-return|not a url/);
  }
});

test('hostile texts of the integrator are harmless', () => {
  const hostile = '</p><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\u0000"\'';
  const display = {
    title: hostile,
    notes: 'n'.repeat(32_768),
    lineItems: [{ description: hostile, quantity: hostile, unitPrice: hostile, subtotal: hostile }],
    taxes: [{ description: hostile, amount: hostile }],
  };
  const html = renderPage(screenWith('price', { payee: hostile, payer: hostile, display }));
  assert.doesNotMatch(html, /<img|<script>|\u202e/);
  assert.ok(!html.includes('\u0000'));
  assert.match(html, /&lt;script>alert\(1\)&lt;\/script>/);
});

test('taxes stand below the lines with the total, and a tax id of the seller is whole if it was sent', () => {
  const receipt = { ...onScreen('paid'), page: { name: 'receipt' } } as const;
  const text = textOf(renderPage(receipt));
  assert.match(text, /ICMS, export exempt \(0%\) 0\.00 Total USD.12,480\.00/);
  assert.match(text, /CNPJ ending 0195/);
  const whole = textOf(renderPage(screenWith('paid', { payeeTaxId: '12.345.678/0001-95' })));
  assert.match(whole, /Tax id 12\.345\.678\/0001-95/);
  assert.doesNotMatch(whole, /CNPJ ending/);
});

test('objects where texts are expected are never rendered', () => {
  const node = { type: 'script', props: { children: 'alert(1)' }, constructor: undefined };
  const display = {
    title: node,
    notes: [node],
    lineItems: [{ description: node, quantity: node, unitPrice: { html: node }, subtotal: 7 }],
    taxes: [{ description: node, amount: node }],
  };
  const html = renderPage(screenWith('price', { display: display as unknown as DisplayView }));
  assert.doesNotMatch(html, /alert|object/);
});

test('names that read from right to left do not move the words around them', () => {
  const { view } = samples.find(({ name }) => name === 'name-arabic')!;
  const name = view.payment?.payee ?? '';
  assert.ok(textOf(renderPage(view)).includes(`for \u2068${name}\u2069.`));
});

test('a page has three requests, and two for a brand: 8 KB of HTML, 8 of styles, 6 of script', () => {
  const kilobyte = 1024;
  const { style, script, icon, testIcon } = assetPaths('');
  const bytesOf = (path: string) => {
    const [, , hash = '', name = ''] = path.split('/');
    const asset = assetFile(hash, name);
    assert.equal(asset?.encoding, 'gzip');
    return asset?.bytes.length ?? Number.POSITIVE_INFINITY;
  };
  assert.ok(bytesOf(style) <= 8 * kilobyte);
  assert.ok(bytesOf(script) <= 6 * kilobyte);
  for (const sample of allSamples) {
    for (const locale of locales) {
      const html = htmlOf(sample, locale);
      assert.ok(gzipSync(html).length <= 8 * kilobyte, sample.name);
      const loads = [...html.matchAll(/(?:src|<link rel="\w+" href)="([^"]+)"/g)];
      const { accentColor = null, logo = null } = sample.view.organization ?? {};
      const brand = accentColor === null ? [] : [accentPath('', accentColor), logo];
      const paths = new Set([
        sample.view.mode === 'test' ? testIcon : icon,
        style,
        script,
        ...brand,
      ]);
      assert.deepEqual(new Set(loads.map(([, path]) => path)), paths);
    }
  }
});

test('the icon on the tab has the accent, and in test mode the color of test mode', () => {
  const textOf = (path: string) => {
    const [, , hash = '', name = ''] = path.split('/');
    const asset = assetFile(hash, name) ?? assert.fail(path);
    return gunzipSync(asset.bytes).toString();
  };
  const { style, icon, testIcon } = assetPaths('');
  const color = (token: string) => new RegExp(`--${token}: (#\\w+);`).exec(textOf(style))?.[1];
  assert.ok(textOf(icon).includes(`fill="${color('accent')}"`));
  assert.ok(textOf(testIcon).includes(`fill="${color('test')}"`));
});

test('an asset of another version does not exist', () => {
  assert.equal(assetFile('000000000000', 'ponte.css'), null);
  assert.equal(assetFile('..', 'ponte.css'), null);
});
