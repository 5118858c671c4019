// The program that tests start as a process: from the sources, or built once for a whole run, which
// starts in less than half the time.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'tsup';
import config, { assets } from '../../../tsup.config.js';
import { projectRoot } from '../source-tree.js';
import { BUILT_PROGRAM } from './host-process.js';

/** Writes the types of the client too. The program is removed when this process ends. */
export async function buildProgram(): Promise<void> {
  // Inside the project, where its imports of packages are found.
  const folder = join(projectRoot, `node_modules/.cache/ponte-tests-${process.pid}`);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const options = typeof config === 'function' ? await config({}) : config;
  await build({ ...options, config: false, outDir: folder, onSuccess: async () => undefined });
  for (const [from, to] of Object.entries(assets)) {
    const target = join(folder, to.replace('dist/', ''));
    cpSync(join(projectRoot, from), target, { recursive: true });
  }
  // Without it each process reads every file to find out that it is an ES module.
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  process.env[BUILT_PROGRAM] = join(folder, 'cli.js');
}
