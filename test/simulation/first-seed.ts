// The first seed of the histories that `npm test` plays. It follows the commit: each commit plays
// other histories, and a commit the same ones again.
import { execFileSync } from 'node:child_process';
import { projectRoot } from '../support/source-tree.js';

const SEEDS = 1_000_000;

export function firstSeed(): number {
  try {
    const options = { cwd: projectRoot, encoding: 'utf8', stdio: 'pipe' } as const;
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], options);
    return 1 + (Number.parseInt(commit.slice(0, 12), 16) % SEEDS);
  } catch {
    // The sources without their history.
    return 1;
  }
}
