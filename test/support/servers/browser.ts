// A real Chromium for tests of the pages, installed by npm alone. A page records its network
// requests and every console error, policy violations included.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { projectRoot } from '../source-tree.js';

export interface WatchedPage {
  readonly page: Page;
  /** URLs that were asked for, data: URLs aside. */
  readonly requested: readonly string[];
  /** Errors and warnings of the console, and what was thrown. */
  readonly complaints: readonly string[];
}

export async function openBrowser(): Promise<Browser> {
  const executablePath = unpackedChromium();
  return playwright.launch({
    executablePath,
    // Not the arguments that come with it: they turn off what browsers protect people with. Without
    // a zygote its processes are its children, and their CPU time is counted.
    args: ['--no-sandbox', '--no-zygote'],
    headless: true,
    // A signal that a later file sends to its process is for that file.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

export async function watchedPage(browser: Browser): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) requested.push(request.url());
  });
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  return { page, requested, complaints };
}

/**
 * Path of the program. The package unpacks it into the temporary folder, where another process may
 * start the half-written file. Here each process unpacks into a new folder and then renames it.
 */
function unpackedChromium(): string {
  const folder = join(projectRoot, `node_modules/.cache/chromium-${packageVersion()}`);
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true });
    const unpacked = mkdtempSync(`${folder}-`);
    const program = "(await import('@sparticuz/chromium')).default.executablePath()";
    const env = { ...process.env, TMPDIR: unpacked };
    execFileSync(process.execPath, ['--input-type=module', '-e', `await ${program}`], {
      cwd: projectRoot,
      env,
    });
    try {
      renameSync(unpacked, folder);
    } catch (error) {
      rmSync(unpacked, { recursive: true });
      // Another process was first.
      if (!existsSync(folder)) throw error;
    }
  }
  return join(folder, 'chromium');
}

function packageVersion(): string {
  const file = join(projectRoot, 'node_modules/@sparticuz/chromium/package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}
