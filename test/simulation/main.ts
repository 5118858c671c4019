// Plays simulated histories from the command line: `npm run simulate -- --seed N --steps M`, and
// `--count K` for K seeds from N on. On a failure it prints the seed, the step, the invariant and
// the end of the trace (`--trace`: all of it), and exits with 1; `--keep-going` tries the other
// seeds too, `--parties` dwells on parties, `--mutant NAME` breaks the service first (mutants.ts).
import { parseArgs } from 'node:util';
import { install, mutants } from './mutants.js';

const TAIL_LINES = 60;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '1000' },
    count: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    parties: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    'keep-going': { type: 'boolean', default: false },
  },
});
const first = Number(values.seed);
const mutant = mutants.find(({ name }) => name === values.mutant);
if (values.mutant !== undefined && mutant === undefined) {
  throw new Error(`there is no mutant ${values.mutant}`);
}
if (mutant !== undefined) install(mutant);
// Only now, so that the mutant is what is loaded.
const { ofParties } = await import('./chaos.js');
const { simulate } = await import('./history.js');
let failed = 0;
for (let seed = first; seed < first + Number(values.count); seed += 1) {
  const startedAt = performance.now();
  const { violation, trace, traceHash, counts } = await simulate(
    seed,
    Number(values.steps),
    mutant?.focus ?? (values.parties ? ofParties : {}),
  );
  const tookMs = Math.round(performance.now() - startedAt);
  if (violation === null) {
    if (values.trace) console.log(trace.join('\n'), Object.fromEntries([...counts].sort()));
    console.log(`seed ${seed}: all holds, trace ${traceHash.slice(0, 16)}, ${tookMs} ms`);
    continue;
  }
  const { step, invariant, detail } = violation;
  console.log(trace.slice(values.trace ? 0 : -TAIL_LINES).join('\n'));
  console.log(`seed ${seed}, step ${step}: ${invariant}: ${detail}`);
  failed += 1;
  if (!values['keep-going']) break;
}
process.exitCode = failed === 0 ? 0 : 1;
