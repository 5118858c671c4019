// The house's rules that Biome checks (biome.json): each one must bite. A folder of bad files is
// linted with the project's own configuration, and every file must be refused for its reason.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from './support/source-tree.js';
import { temporaryFolder } from './support/temporary-folder.js';

const bad = {
  'core/a.ts': ['style/noDefaultExport', 'export default function a() {}'],
  'core/b.ts': ['style/noEnum', 'export enum B { C }'],
  'core/c.ts': ['suspicious/noExplicitAny', 'export const c: any = 1;'],
  'core/d.ts': ['performance/noBarrelFile', "export { a } from './f.js';"],
  'core/e.ts': ['style/noParameterProperties', 'export class E { constructor(readonly a: B) {} }'],
  'core/f.ts': ['suspicious/noEmptyBlockStatements', 'try { a(); } catch {}'],
  'core/h.ts': ['suspicious/noImportCycles', "import { i } from './i.js';\nexport const h = i;"],
  'core/i.ts': ['suspicious/noImportCycles', "import { h } from './h.js';\nexport const i = h;"],
  'core/j.ts': [
    'nursery/noFloatingPromises',
    'async function j() {}\nexport const k = () => { j(); };',
  ],
} as const;

const folder = temporaryFolder();
for (const name of ['biome.json', '.gitignore']) {
  cpSync(join(projectRoot, name), join(folder, name));
}
for (const [path, [, text]] of Object.entries(bad)) {
  mkdirSync(join(folder, dirname(path)), { recursive: true });
  writeFileSync(join(folder, path), `${text}\n`);
}
const found = biomeFindings(folder);
for (const [path, [rule]] of Object.entries(bad)) {
  test(`${rule} is an error (${path})`, () => {
    assert.match(found, new RegExp(`^::error title=lint/${rule},file=[^,]*${path},`, 'm'));
  });
}

function biomeFindings(folder: string): string {
  const biome = join(projectRoot, 'node_modules/.bin/biome');
  const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const;
  try {
    return execFileSync(biome, ['lint', '--reporter=github', '.'], options);
  } catch (error) {
    // Biome exits with 1 when it finds something, which is what is wanted here.
    return (error as { readonly stdout: string }).stdout;
  }
}
