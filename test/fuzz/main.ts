// Fuzzes the HTTP API: `npm run fuzz`. `--seed N --count M` repeats a run, `--trace` prints every
// request. Every 500 requests a new service starts with the next seed, and a failure prints the
// seed and count of its round. Exits with 1 on a failure. A run of 5,000 requests or more also
// fails if an operation never returned 2xx.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz-run.js';

const SEED_LIMIT = 2 ** 32;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string', default: '10000' },
    trace: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? randomInt(1, SEED_LIMIT));
const { failures, report } = await fuzz(seed, Number(values.count), (line) => {
  if (values.trace) console.log(line);
});
console.log(report.join('\n'));
process.exitCode = failures.length === 0 ? 0 : 1;
