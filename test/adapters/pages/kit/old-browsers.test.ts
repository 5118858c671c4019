// The pages in browsers of six years ago: Chrome 87, Firefox 83, Safari 14. What these lack is
// found by the data of MDN, in the stylesheets and scripts as they are served. Each newer feature
// is in the table with what happens without it, and the pages of every audience are looked at
// without all of them, without popovers and without gaps in flex.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { transformSync } from 'esbuild';
import { accentPath, assetFile, assetPaths } from '../../../../adapters/pages/kit/assets.js';
import { openBrowser } from '../../../support/servers/browser.js';
import { suiteEnd } from '../../../support/suite-end.js';
import { coveringSamples } from '../all-samples.js';
import { faultsOf, openDetails } from '../axe.js';
import { consoleSite, fillConsole } from '../console/console-site.js';
import { fillDashboard, memberToken, placesOf } from '../dashboard/dashboard-site.js';
import { pageServer } from '../page-server.js';
import { pageSite } from '../visitor.js';
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

const server = await pageServer();
suite.after(() => server.close());
const browser = await openBrowser();
suite.after(() => browser.close());
const page = await browser.newPage();

/** The stylesheets of old browsers, by path. */
const oldStyles = new Map<string, string>();

function oldStyle(path: string): string {
  const known = oldStyles.get(path) ?? unknownPopover + styleWithout(parseStyle(served(path)));
  oldStyles.set(path, known);
  return known;
}

/** Takes the stylesheets of the open page away, and gives it those of old browsers. */
async function growOld(): Promise<void> {
  const taken = await page.evaluate<readonly string[]>(`
    [...document.querySelectorAll('link[rel="stylesheet"]')].map((link) => {
      link.disabled = true;
      return new URL(link.href).pathname;
    })`);
  assert.notEqual(taken.length, 0);
  await page.evaluate(`
    document.adoptedStyleSheets = ${JSON.stringify(taken.map(oldStyle))}.map((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return sheet;
    })`);
}

/** What the stylesheet of the browser itself has for popovers, undone. */
const unknownPopover = `:where([popover]) {
  display: block; position: static; inline-size: auto; block-size: auto;
  margin: 0; border: 0; padding: 0; overflow: visible; color: inherit; background: none;
}
`;

/** Boxes of a row of flex had no gaps in Safari before 14.1. */
const withoutGaps = `(() => {
  for (const element of document.querySelectorAll('body *')) {
    if (/flex$/.test(getComputedStyle(element).display)) element.style.gap = '0';
  }
})()`;

/** Fields, buttons and links of a menu, each with whether something shows where it is. */
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
  const fields = 'input:not([type="hidden"]), select, textarea, button:not(.menu)';
  const links = [...document.querySelectorAll('[popover] a')];
  return [...document.querySelectorAll(fields + ', .btn:not(button)'), ...links].map((element) => ({
    html: element.outerHTML.slice(0, 120),
    isSeen: seen(element),
    isInMenu: links.includes(element),
    isMarked: isMarked(element),
  }));
})()`;

/** Each box or text of a row, and the space between it and the one before it in its line. */
const spaces = `(() => {
  const boxOf = (node) => {
    if (node.nodeType === 1) {
      if (node.matches('.menu')) return null;
      const { position, float } = getComputedStyle(node);
      return position === 'absolute' ? null : node.getBoundingClientRect();
    }
    if (node.nodeType !== 3 || node.data.trim() === '') return null;
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  const rows = [...document.querySelectorAll('body :not(.menu)')].filter((element) =>
    /flex$/.test(getComputedStyle(element).display),
  );
  return rows.flatMap((row) => {
    const boxes = [...row.childNodes].flatMap((node) => {
      const box = boxOf(node);
      return box === null || box.width < 1 || box.height < 1 ? [] : [{ node, box }];
    });
    return boxes.slice(1).map(({ node, box }, at) => {
      const before = boxes[at].box;
      const isBeside = box.top < before.bottom - 1 && before.top < box.bottom - 1;
      const space = isBeside ? box.left - before.right : box.top - before.bottom;
      const html = (node.outerHTML ?? node.data).slice(0, 80);
      return { html: (row.className || row.tagName) + ': ' + html, space };
    });
  });
})()`;

/** Width and height of a small screen, and of a large one. */
const sizes = [
  [390, 900],
  [1280, 900],
] as const;

interface Control {
  readonly html: string;
  readonly isSeen: boolean;
  /** Shown once the menu is open. */
  readonly isInMenu: boolean;
  readonly isMarked: boolean;
}

interface Space {
  readonly html: string;
  readonly space: number;
}

/** What a browser without the newer features does not show, or shows without its place. */
async function lostOf(name: string, url: string, size: number): Promise<readonly string[]> {
  const [width, height] = sizes[size % sizes.length] ?? assert.fail();
  const colorScheme = size % 4 < 2 ? 'light' : 'dark';
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.goto(url);
  await openDetails(page);
  const shown = await page.evaluate<readonly Control[]>(controls);
  const apart = await page.evaluate<readonly Space[]>(spaces);
  await growOld();
  await page.evaluate(withoutGaps);
  const left = await page.evaluate<readonly Control[]>(controls);
  const near = await page.evaluate<readonly Space[]>(spaces);
  const lost = shown.flatMap((control, at) => {
    const { isSeen = false, isMarked = false } = left[at] ?? {};
    if ((control.isSeen || control.isInMenu) && !isSeen) return [`not seen: ${control.html}`];
    return isSeen && control.isMarked && !isMarked ? [`no ground: ${control.html}`] : [];
  });
  const glued = near.filter(({ space }, at) => space < 1 && (apart[at]?.space ?? 0) >= 1);
  const idle = await page.locator('.menu:visible').count();
  if (idle > 0) lost.push('a button that opens no menu');
  const faint = await faultsOf(page, 'colours');
  return [...lost, ...glued.map(({ html }) => `no space: ${html}`), ...faint].map(
    (fault) => `${name}, ${width} px, ${colorScheme}: ${fault}`,
  );
}

test('without the newer features, pages of buyers and sellers lose no field, space or contrast', async () => {
  const lost: string[] = [];
  for (const [index, { name }] of coveringSamples().entries()) {
    lost.push(...(await lostOf(name, server.urlOf(name, 'en'), index)));
  }
  assert.deepEqual(lost, []);
});

test('the same of the dashboard and the documentation, with their menus', async () => {
  const site = await pageSite(suite, { payins: 'wait' });
  Object.assign(site.world.deps.settings, { baseUrl: site.origin, payUrl: site.origin });
  const ofSite = await placesOf(site, await fillDashboard(site));
  const places: typeof ofSite = { ...ofSite, documentation: '/docs' };
  const token = await memberToken(site, 'owner');
  await page.context().addCookies([{ name: 'ponte-member', value: token, url: site.origin }]);
  const lost: string[] = [];
  for (const name of ofDashboard) {
    const place = places[name];
    assert.ok(typeof place === 'string', name);
    for (const size of [0, 3]) lost.push(...(await lostOf(name, `${site.origin}${place}`, size)));
  }
  assert.deepEqual(lost, []);
});

test('the same of the console', async () => {
  const site = await consoleSite(suite);
  const places = await fillConsole(site);
  await page.goto(`${site.origin}${await site.linkOf(site.ana)}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const lost: string[] = [];
  for (const name of ofConsole) {
    const url = `${site.origin}${places[name] ?? assert.fail(name)}`;
    for (const size of [1, 2]) lost.push(...(await lostOf(name, url, size)));
  }
  assert.deepEqual(lost, []);
});

/** Pages with each kind of element. */
const ofDashboard = [
  'home',
  'payments',
  'payment',
  'invoice-new',
  'invoice-import',
  'seller-waits',
  'subscription-edit',
  'team',
  'settings',
  'settings-change',
  'documentation',
] as const;
const ofConsole = ['waiting', 'money', 'owed', 'proposal', 'request', 'audit'] as const;
