// `npm run examples`: records the examples of the description, after a change of requests or
// answers. It is a program only; example-recorder.ts makes the calls.
import { writeFileSync } from 'node:fs';
import { examplesUrl, recordedExamples } from './example-recorder.js';

writeFileSync(examplesUrl, await recordedExamples());
