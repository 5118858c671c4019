// Takes pictures of every page for people to look at: `npm run -s screens`. Pages come from a
// server on this machine with the headers of the service; pictures go to data/screens, which git
// ignores.
//
//   npm run -s screens                            every page, English; phones in Portuguese too
//   npm run -s screens -- --only price --locale es
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { locales } from '../../../core/domain/base/locale.js';
import { openBrowser } from '../../support/servers/browser.js';
import { projectRoot } from '../../support/source-tree.js';
import { samples } from './all-samples.js';
import { consoleSite, fillConsole } from './console/console-site.js';
import {
  fillDashboard,
  memberToken,
  type Place,
  placesOf,
  rootOf,
  visit,
} from './dashboard/dashboard-site.js';
import { fillLongData } from './dashboard/long-data.js';
import { pageServer } from './page-server.js';
import { openPageSite } from './visitor.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    locale: { type: 'string' },
    folder: { type: 'string', default: join(projectRoot, 'data/screens') },
  },
});
const locale = locales.find((known) => known === values.locale) ?? 'en';
const shots = [
  { locale, width: 1280, scheme: 'light' },
  { locale, width: 1280, scheme: 'dark' },
  { locale, width: 320, scheme: 'light' },
  { locale, width: 320, scheme: 'dark' },
  ...(values.locale === undefined
    ? [{ locale: 'pt-BR' as const, width: 320, scheme: 'light' as const }]
    : []),
] as const;

const ends: (() => unknown)[] = [];
mkdirSync(values.folder, { recursive: true });
const server = await pageServer();
const browser = await openBrowser();
const page = await browser.newPage();
for (const { name } of samples.filter((sample) => sample.name.includes(values.only))) {
  for (const shot of shots) {
    await page.setViewportSize({ width: shot.width, height: 900 });
    await page.emulateMedia({ colorScheme: shot.scheme });
    await page.goto(server.urlOf(name, shot.locale));
    const file = `${name}-${shot.locale}-${shot.width}-${shot.scheme}.png`;
    await page.screenshot({ path: join(values.folder, file), fullPage: true });
  }
}
const site = await openPageSite({ payins: 'wait' });
// Browsers send their address with each form.
Object.assign(site.world.deps.settings, { baseUrl: site.origin, payUrl: site.origin });
const { payments } = await fillLongData(site);
const paid = await fillDashboard(site);
const longest = Object.entries(payments).map(([state, id]) => [
  `payment-${state}`,
  `${rootOf(site)}/payments/${id}`,
]);
const places: Readonly<Record<string, Place>> = {
  ...Object.fromEntries(longest),
  ...(await placesOf(site, paid)),
};
const token = await memberToken(site, 'owner');
for (const [name, place] of Object.entries(places)) {
  if (!`dashboard-${name}`.includes(values.only)) continue;
  for (const shot of shots) {
    const language = { name: 'ponte-language', value: shot.locale, url: site.origin };
    const session = { name: 'ponte-member', value: token, url: site.origin };
    await page.context().clearCookies();
    await page.context().addCookies(name === 'sign-in' ? [language] : [language, session]);
    await page.setViewportSize({ width: shot.width, height: 900 });
    await page.emulateMedia({ colorScheme: shot.scheme });
    await visit(page, site.origin, place);
    const file = `dashboard-${name}-${shot.locale}-${shot.width}-${shot.scheme}.png`;
    await page.screenshot({ path: join(values.folder, file), fullPage: true });
  }
}
const operated = await consoleSite({ after: (end) => void ends.push(end) });
const desk = await fillConsole(operated);
await page.goto(`${operated.origin}${await operated.linkOf(operated.ana)}`);
await page.locator('main button').click();
for (const [name, place] of Object.entries(desk)) {
  if (!`console-${name}`.includes(values.only)) continue;
  for (const { width, scheme } of shots.filter((shot) => shot.locale === locale)) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(`${operated.origin}${place}`);
    const file = `console-${name}-${width}-${scheme}.png`;
    await page.screenshot({ path: join(values.folder, file), fullPage: true });
  }
}
await browser.close();
for (const end of ends.toReversed()) await end();
await server.close();
await site.close();
