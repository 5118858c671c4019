// Programs of others from npm that nightly runs use, installed once beside the caches of the clone.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from './source-tree.js';

/** Returns the folder with `node_modules`. Scripts of the packages are not run. */
export async function npmPackages(
  name: string,
  dependencies: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = join(projectRoot, 'node_modules/.cache', name);
  const done = join(folder, 'installed.json');
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  const manifest = { name: 'tried', private: true, version: '0.0.0', dependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts'];
  await promisify(execFile)('npm', words, { cwd: folder });
  writeFileSync(done, JSON.stringify(dependencies));
  return folder;
}
