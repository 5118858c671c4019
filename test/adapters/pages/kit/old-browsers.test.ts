// The pages in browsers of six years ago: Chrome 87, Firefox 83, Safari 14. What these lack is
// found by the data of MDN, in the stylesheets and scripts as they are served. Each newer feature
// is in the table with what happens without it, and the pages are looked at without all of them.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { transformSync } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { accentPath, assetFile, assetPaths } from '../../../../adapters/pages/kit/assets.js';
import { openBrowser } from '../../../support/servers/browser.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { coveringSamples } from '../all-samples.js';
import { faultsOf, openDetails } from '../axe.js';
import { type PageServer, pageServer } from '../page-server.js';
import {
  newerFeatures,
  newerIn,
  newerInHead,
  newerNames,
  parseStyle,
  type Rule,
  selectorsOf,
  styleWithout,
} from './old-browser.js';

const suite = suiteEnd();

function served(path: string): string {
  const [, hash = '', name = ''] = /assets\/([^/]+)\/(.+)$/.exec(path) ?? [];
  const file = assetFile(hash, name) ?? assert.fail(path);
  return gunzipSync(file.bytes).toString();
}

const paths = assetPaths('');
const styles = [paths.style, paths.dashboard, paths.documentation, accentPath('', '#c84300')];
const scripts = [paths.script, paths.documentationScript];

const spacing = 'no space, or that of the browser';
const place = 'the element is where its text is';
const sign = 'a sign is less exact; its words stay';
const usual = 'the browser does it its own way';
const ordinary = 'the element looks like others of its kind';
/** Newer features, and what a browser without them shows. */
const styleEnhancements: Readonly<Record<string, string>> = {
  ':focus-visible': 'the ring of the browser itself',
  ':has': 'nothing is hidden, and nothing is marked',
  ':is': ordinary,
  ':not(list)': 'fields as the browser draws them',
  ':nth-child(of)': ordinary,
  '::backdrop': 'the menu has no shade behind it',
  '::details-content': 'the script opens it for print',
  '::file-selector-button': 'the button of the browser',
  '@container': 'the wide layout',
  '@page': 'the margins of the printer',
  'accent-color': usual,
  'align-self: start': spacing,
  'color-scheme': usual,
  'container-type': 'the wide layout',
  'content-visibility': 'the script opens it for print',
  'float: inline-start': place,
  'forced-color-adjust': usual,
  hyphens: usual,
  inset: place,
  'inset-block': place,
  'inset-block-start': place,
  'inset-inline-end': place,
  'inset-inline-start': place,
  'justify-content: end': place,
  'justify-content: start': place,
  'margin-block': spacing,
  'margin-inline': spacing,
  mask: sign,
  outline: usual,
  'overflow-clip-margin': usual,
  'overflow-wrap: anywhere': usual,
  'overflow-x: clip': usual,
  'padding-block': spacing,
  'padding-inline': spacing,
  'paint-order': sign,
  rotate: sign,
  scale: sign,
  'scroll-padding-block': usual,
  'text-decoration-thickness': usual,
  'text-size-adjust': usual,
  'text-wrap': usual,
  translate: sign,
  'user-select': usual,
};
const scriptEnhancements: Readonly<Record<string, string>> = {
  createImageBitmap: 'the photo is sent as it is',
  parseCreationOptionsFromJSON: 'the page says that the browser has no passkeys',
  parseRequestOptionsFromJSON: 'the page says that the browser has no passkeys',
  submitter: 'the button of the form',
};

test('each feature that browsers of six years ago lack is in the table, or has a fallback', () => {
  const found = styles.flatMap((path) => [...newerFeatures(parseStyle(served(path)))]);
  assert.deepEqual([...new Set(found)].sort(), Object.keys(styleEnhancements).sort());
});

test('no custom property has a newer function: its users would have no value, and no fallback', () => {
  const inRules = (rules: readonly Rule[]): readonly string[] =>
    rules.flatMap(({ declarations, rules: inner }) => [
      ...declarations
        .filter((one) => one.property.startsWith('--') && newerIn(one).length > 0)
        .map(({ property, value }) => `${property}: ${value}`),
      ...inRules(inner),
    ]);
  assert.deepEqual(
    styles.flatMap((path) => inRules(parseStyle(served(path)))),
    [],
  );
  const newer = { property: '--ink', value: 'light-dark(#000, #fff)' };
  assert.deepEqual(newerIn(newer), ['light-dark()'], 'the data has such functions');
});

test('a selector that these browsers lack stands alone: they drop the rule of the whole list', () => {
  const mixed = (rules: readonly Rule[]): readonly string[] =>
    rules.flatMap((rule) => {
      const newer = selectorsOf(rule).filter((one) => newerInHead(one).length > 0);
      const isMixed = newer.length > 0 && newer.length < selectorsOf(rule).length;
      return [...(isMixed ? [rule.head] : []), ...mixed(rule.rules)];
    });
  assert.deepEqual(
    styles.flatMap((path) => mixed(parseStyle(served(path)))),
    [],
  );
});

test('the scripts have the syntax of these browsers, and ask before they use a newer name', () => {
  const target = ['chrome87', 'firefox83', 'safari14'];
  // esbuild calls them unsupported for defects in forms that the scripts do not use.
  const supported = { destructuring: true, 'optional-chain': true };
  for (const path of scripts) {
    const script = served(path);
    const plain = transformSync(script, { target: 'esnext' }).code;
    assert.equal(transformSync(script, { target, supported }).code, plain, path);
  }
  const found = scripts.flatMap((path) => [...newerNames(served(path))]);
  assert.deepEqual([...new Set(found)].sort(), Object.keys(scriptEnhancements).sort());
  assert.deepEqual([...newerNames('a.at(1); structuredClone(b); Object.hasOwn(c, d);')].sort(), [
    'at',
    'hasOwn',
    'structuredClone',
  ]);
});

let browser: Browser;
let server: PageServer;

before(async () => {
  server = await pageServer();
  suite.after(() => server.close());
  browser = await openBrowser();
  suite.after(() => browser.close());
});

/** Fields and buttons that are seen, each with whether something shows where it is. */
const controls = `(() => {
  const seen = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && getComputedStyle(element).visibility === 'visible';
  };
  const isMarked = (element) => {
    const style = getComputedStyle(element);
    const hasEdge = style.borderTopStyle !== 'none' && parseFloat(style.borderTopWidth) > 0;
    const hasGround = !/^rgba\\(.*, 0\\)$/.test(style.backgroundColor);
    const isDrawn = ['checkbox', 'radio', 'file'].includes(element.type);
    return hasEdge || hasGround || isDrawn || style.textDecorationLine.includes('underline');
  };
  const chosen = 'input:not([type="hidden"]), select, textarea, button, .btn';
  return [...document.querySelectorAll(chosen)].map((element) => ({
    html: element.outerHTML.slice(0, 120),
    isSeen: seen(element),
    isMarked: isMarked(element),
  }));
})()`;

interface Control {
  readonly html: string;
  readonly isSeen: boolean;
  readonly isMarked: boolean;
}

async function controlsOf(page: Page, url: string): Promise<readonly Control[]> {
  await page.goto(url);
  await openDetails(page);
  return page.evaluate(controls);
}

test('without the newer features each field and button is seen, and every text has contrast', async () => {
  const context = await browser.newContext();
  const today = await context.newPage();
  const old = await context.newPage();
  await old.route('**/*.css', async (route) => {
    const body = styleWithout(parseStyle(await (await route.fetch()).text()));
    await route.fulfill({ body, contentType: 'text/css; charset=utf-8' });
  });
  for (const [index, { name }] of coveringSamples().entries()) {
    const colorScheme = index % 2 === 0 ? 'light' : 'dark';
    await old.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const url = server.urlOf(name, 'en');
    const shown = await controlsOf(today, url);
    const left = await controlsOf(old, url);
    for (const [at, control] of shown.entries()) {
      const { html = '', isSeen = false, isMarked = false } = left[at] ?? {};
      assert.ok(!control.isSeen || isSeen, `${name}, ${colorScheme}: ${html} is not seen`);
      assert.ok(!isSeen || isMarked || !control.isMarked, `${name}, ${colorScheme}: ${html}`);
    }
    assert.deepEqual(await faultsOf(old, 'colours'), [], `${name}, ${colorScheme}`);
  }
  await context.close();
});
