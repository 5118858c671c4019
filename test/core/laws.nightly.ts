// The laws of the core, each with all its cases.
import { describeFile } from '../support/file-suite.js';
import { ALL_LAW_RUNS } from '../support/law-runs.js';
import { importsOf, projectFiles } from '../support/source-tree.js';

process.env[ALL_LAW_RUNS] = 'yes';

const files = projectFiles().filter(
  (file) =>
    file.path.startsWith('test/core/') &&
    file.path.endsWith('.test.ts') &&
    importsOf(file).includes('test/support/law-runs.js'),
);
for (const { path } of files) {
  describeFile(path, () => import(`../../${path}`));
}
