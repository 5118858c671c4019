// What the script adds to the hosted pages, under their content security policy; and that pages
// work without it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { fileRowId } from '../../../../adapters/pages/kit/fields.js';
import { openBrowser } from '../../../support/servers/browser.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { pageServer } from '../page-server.js';

const suite = suiteEnd();
const server = await pageServer();
suite.after(() => server.close());
const browser = await openBrowser();
suite.after(() => browser.close());

async function open(
  name: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext(options);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  await page.goto(server.urlOf(name, 'en'));
  return { context, page };
}

/** The clock of the page stands still until the test moves it, however slow the machine is. */
async function stopClock(page: Page): Promise<void> {
  const startMs = Date.now();
  await page.clock.install({ time: startMs });
  await page.clock.pauseAt(startMs + 1_000);
}

test('a copy button copies the plain value and says so', async () => {
  const { context, page } = await open('bank-details');
  await page.getByRole('button', { name: 'Copy Amount' }).click();
  await page.getByText('Copied').first().waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), '12480.00');
  assert.equal(await page.locator('#says').textContent(), 'Copied: Amount');
  await context.close();
});

test('times are in the zone of the reader, with its name; days stay', async () => {
  const { context, page } = await open('bank-details', { timezoneId: 'America/Sao_Paulo' });
  const times = await page.locator('time').allTextContents();
  assert.ok(times.includes('17 November 2026, 12:58 GMT-3'), times.join('; '));
  assert.ok(times.includes('30 November 2026'));
  await context.close();
});

test('the countdown counts, speaks at 2 minutes, and reloads at the end', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await stopClock(page);
  await page.goto(server.urlOf('price', 'en'));
  const countdown = page.locator('[data-countdown]');
  assert.equal(await countdown.textContent(), '9:41 left.');
  await page.clock.fastForward('07:40');
  await page.clock.runFor(1_000);
  assert.equal(await countdown.textContent(), '2:00 left.');
  assert.equal(await page.locator('#says').textContent(), '2 minutes left');
  const reloaded = page.waitForEvent('load');
  await page.clock.fastForward('02:01');
  await reloaded;
  await context.close();
});

test('a change reloads the page, which then reads its heading out', async () => {
  const { context, page } = await open('kyc-verifying');
  await page.getByText('This page updates by itself.').waitFor();
  const reloaded = page.waitForEvent('load');
  server.change();
  await reloaded;
  await page.locator('#says', { hasText: 'We are checking your details' }).waitFor();
  await context.close();
});

/** A WebView without DOM storage has null; blocked storage throws. */
for (const [how, getter] of [
  ['is null', '() => null'],
  ['is blocked', "() => { throw new DOMException('blocked', 'SecurityError'); }"],
] as const) {
  test(`a change reloads the page where the storage of the browser ${how}`, async () => {
    const context = await browser.newContext();
    await context.addInitScript(
      `Object.defineProperty(window, 'sessionStorage', { get: ${getter} })`,
    );
    const page = await context.newPage();
    const thrown: Error[] = [];
    page.on('pageerror', (error) => thrown.push(error));
    await page.goto(server.urlOf('bank-details', 'en'));
    await page.locator('[data-watching]').first().waitFor();
    const reloaded = page.waitForEvent('load');
    server.change();
    await reloaded;
    await page.locator('[data-watching]').first().waitFor();
    assert.deepEqual(thrown, []);
    await context.close();
  });
}

test('what is typed and chosen stays when the language changes, once', async () => {
  const { context, page } = await open('kyc-owner');
  const typed = { firstName: 'Zoë "Z" <b>', dateOfBirthYear: '1990', addressLine1: '王府井 1' };
  for (const [name, text] of Object.entries(typed)) await page.locator(`[name=${name}]`).fill(text);
  await page.locator('select[name=country]').selectOption('PT');
  await page.locator('.langs a[lang="pt-BR"]').click();
  await page.locator('html[lang="pt-BR"]').waitFor();
  const typedIn = (name: string) => page.locator(`[name=${name}]`).inputValue();
  for (const [name, text] of Object.entries(typed)) assert.equal(await typedIn(name), text);
  assert.equal(await typedIn('country'), 'PT');
  await page.reload();
  for (const [name, text] of Object.entries(typed)) assert.notEqual(await typedIn(name), text);
  assert.equal(await page.evaluate("sessionStorage.getItem('ponte.typed')"), null);
  await context.close();
});

test('what was kept for another language does not replace what is sent later', async () => {
  const { context, page } = await open('kyc-owner');
  const kept = () => page.evaluate("sessionStorage.getItem('ponte.typed')");
  await page.locator('[name=firstName]').fill('Ana');
  const opened = context.waitForEvent('page');
  await page.locator('.langs a[lang="pt-BR"]').click({ modifiers: ['ControlOrMeta'] });
  await opened;
  assert.match(String(await kept()), /Ana/);
  const submits =
    "document.querySelector('form[method=post]').dispatchEvent(new Event('submit', of))";
  await page.evaluate(`const of = { bubbles: true, cancelable: true }; ${submits}`);
  assert.equal(await kept(), null);
  await context.close();
});

test('a page that was open when the payment settled returns the buyer, unless they act', async () => {
  const { context, page } = await open('paid');
  assert.equal(await page.getByText('Returning you').isVisible(), false);
  await stopClock(page);
  await page.evaluate("sessionStorage.setItem('ponte.changed', 'yes')");
  await page.reload();
  await page.getByText('Returning you').waitFor();
  await page.mouse.move(200, 200);
  await page.getByText('Returning you').waitFor({ state: 'hidden' });
  await page.evaluate("sessionStorage.setItem('ponte.changed', 'yes')");
  await page.reload();
  await page.getByText('Returning you').waitFor();
  await page.keyboard.press('PageDown');
  await page.getByText('Returning you').waitFor({ state: 'hidden' });
  await page.clock.fastForward('00:11');
  assert.equal(new URL(page.url()).pathname, '/paid');
  await page.evaluate("sessionStorage.setItem('ponte.changed', 'yes')");
  await page.route('https://shop.rotanorte.example/**', (route) =>
    route.fulfill({ body: 'the shop' }),
  );
  await page.reload();
  await page.getByText('Returning you to shop.rotanorte.example in 10 seconds.').waitFor();
  await page.clock.fastForward('00:11');
  await page.waitForURL('https://shop.rotanorte.example/orders/88123?paid=1');
  await context.close();
});

test('two minutes before its end, a session can be continued', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await stopClock(page);
  await page.goto(server.urlOf('kyc-form', 'en'));
  const warning = page.getByText('You will be signed out in 2 minutes.').first();
  await page.clock.fastForward('57:59');
  assert.equal(await warning.isVisible(), false);
  await page.clock.fastForward('00:02');
  await warning.waitFor();
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await warning.waitFor({ state: 'hidden' });
  await context.close();
});

/** A canvas in the page makes a photo of 3,000 by 100 pixels. */
async function photoOf(page: Page) {
  const png: string = await page.evaluate(`(() => {
    const canvas = document.createElement('canvas');
    canvas.width = 3000;
    canvas.height = 100;
    canvas.getContext('2d').fillRect(0, 0, 3000, 100);
    return canvas.toDataURL('image/png').split(',')[1];
  })()`);
  const buffer = Buffer.from(png, 'base64');
  return { name: 'register.png', mimeType: 'image/png', buffer };
}

test('a chosen photo is sent as a smaller JPEG, and the page that follows opens', async () => {
  const { context, page } = await open('parts');
  await page.locator('form[data-upload] [type="file"]').setInputFiles(await photoOf(page));
  await page.waitForURL('**/ask');
  const body = server.posted.at(-1);
  assert.ok(body !== undefined);
  assert.match(body.toString('latin1'), /filename="register\.jpg"\r\nContent-Type: image\/jpeg/);
  assert.match(body.toString('latin1'), /name="csrf"\r\n\r\nc29tZS10b2tlbi/);
  // Width and height in the frame header of the JPEG.
  const frame = body.indexOf(Buffer.from([0xff, 0xc0]));
  assert.equal(body.readUInt16BE(frame + 7), 2_000);
  await context.close();
});

test('a file that is chosen or dropped is shown in its row, without another load', async () => {
  const { context, page } = await open('kyc-documents');
  await page.evaluate('window.kept = true');
  const row = page.locator('.files > li').filter({ hasText: 'Incorporation document' });
  await row.locator('[type="file"]').setInputFiles(await photoOf(page));
  await row.locator('canvas.thumb').waitFor();
  // What is wrong on the page comes first.
  assert.equal(await page.evaluate('document.activeElement.className'), 'errors');
  const missing = page.locator('.files > li').filter({ hasText: 'Proof of ownership' });
  await missing.getByText('or drop a file here').waitFor();
  const sent = server.posted.length;
  const dataTransfer = await page.evaluateHandle(`(() => {
    const held = new DataTransfer();
    held.items.add(new File(['%PDF-'], 'share register.pdf', { type: 'application/pdf' }));
    return held;
  })()`);
  await missing.dispatchEvent('dragover', { dataTransfer });
  assert.match((await missing.getAttribute('class')) ?? '', /over/);
  const answer = page.waitForResponse((response) => response.url().endsWith('/kyc-documents'));
  await missing.dispatchEvent('drop', { dataTransfer });
  await answer;
  assert.equal(server.posted.length, sent + 1);
  assert.match(server.posted.at(-1)?.toString('latin1') ?? '', /filename="share register\.pdf"/);
  assert.equal(await page.evaluate('window.kept'), true);
  await row.locator('canvas.thumb').waitFor();
  await context.close();
});

test('a file that does not arrive leaves the page open, says so, and can be sent again', async () => {
  const { context, page } = await open('parts');
  await page.route('**/kyc/file/ownership', (route) => route.abort());
  const file = { name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-') };
  await page.locator('form[data-upload] [type="file"]').setInputFiles(file);
  await page.getByText('The file did not arrive. Check your connection').waitFor();
  assert.equal(new URL(page.url()).pathname, '/parts');
  assert.equal(await page.locator('progress').count(), 0);
  await page.unroute('**/kyc/file/ownership');
  await page.locator('form[data-upload] button').first().click();
  await page.waitForURL('**/ask');
  await context.close();
});

test('what the address names after an upload is in no closed panel', async () => {
  const { context, page } = await open('kyc-documents', { javaScriptEnabled: false });
  const controls = page.locator('input[type="file"]');
  assert.ok((await page.locator('details:not([open]) input[type="file"]').count()) > 0);
  for (let at = 0; at < (await controls.count()); at += 1) {
    const id = await controls.nth(at).getAttribute('id');
    const row = page.locator(`[id="${fileRowId(id ?? '')}"]`);
    assert.equal(await row.locator('input[type="file"]').getAttribute('id'), id);
    assert.equal(await page.locator(`details [id="${fileRowId(id ?? '')}"]`).count(), 0);
  }
  await context.close();
});

test('the address of the company hides that of the owner', async () => {
  const { context, page } = await open('kyc-owner', { javaScriptEnabled: false });
  const street = page.locator('[name="addressLine1"]');
  assert.equal(await street.isVisible(), true);
  await page.locator('#sameAddress').check();
  assert.equal(await street.isVisible(), false);
  assert.equal(await page.locator('[name="firstName"]').isVisible(), true);
  await context.close();
});

test('a form goes on without a click only where the server marked it', async () => {
  const { context, page } = await open('enter');
  for (const name of ['enter', 'price-ask']) {
    await page.goto(server.urlOf(name, 'en'));
    assert.equal(new URL(page.url()).pathname, `/${name}`);
    await page.goto(server.urlOf(`${name}-auto`, 'en'));
    await page.waitForURL('**/ask');
  }
  await context.close();
});

test('the summary of errors has the focus', async () => {
  const { context, page } = await open('verify-empty');
  assert.equal(await page.evaluate('document.activeElement.className'), 'errors');
  await page.getByRole('link', { name: 'Enter the check code or the account number.' }).click();
  assert.equal(await page.evaluate("document.querySelector(':target').id"), 'value');
  await context.close();
});

test('without a script, pages show the same and nothing that does not work', async () => {
  const { context, page } = await open('bank-details', { javaScriptEnabled: false });
  assert.equal(await page.locator('[data-copy]:visible, [data-watching]:visible').count(), 0);
  assert.equal(await page.getByText('17 November 2026, 15:58 UTC').isVisible(), true);
  await page.goto(server.urlOf('price', 'en'));
  assert.equal(await page.locator('[data-countdown]').isVisible(), false);
  await page.getByRole('button', { name: 'Confirm USD 12,480.00' }).click();
  await page.waitForURL('**/ask');
  assert.match(server.posted.at(-1)?.toString() ?? '', /quoteId=qt_01kb9w3h7m/);
  await context.close();
});

test('a form with a slow answer says that it is busy, until the page changes', async () => {
  const { context, page } = await open('enter');
  const form = page.locator('form[method="post"]').first();
  const button = form.locator('button').first();
  const label = await button.textContent();
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await answered;
    return route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Done</h1>' });
  });
  const busy = form.evaluate(
    (element) =>
      new Promise((resolve) => {
        const read = () =>
          resolve([
            element.getAttribute('aria-busy'),
            element.querySelector('button')?.textContent,
            document.querySelector('#says')?.textContent,
          ]);
        new MutationObserver(read).observe(element, { attributes: true });
      }),
  );
  await button.click({ noWaitAfter: true });
  assert.deepEqual(await busy, ['true', 'Saving…', 'Saving…']);
  answer();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  await page.goBack();
  assert.equal(await page.locator('form[method="post"] button').first().textContent(), label);
  await context.close();
});
