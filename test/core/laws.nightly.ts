// The laws of the core and the adapters, with all their cases, others in each run.
import { describeFile } from '../support/file-suite.js';
import { drawOtherCases } from '../support/law-runs.js';
import { projectFiles } from '../support/source-tree.js';

drawOtherCases();

const files = projectFiles().filter(
  ({ path, text }) =>
    /^test\/(core|adapters)\/.*\.test\.ts$/.test(path) && text.includes("from 'fast-check'"),
);
for (const { path } of files) {
  describeFile(path, () => import(`../../${path}`));
}
