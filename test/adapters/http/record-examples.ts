// `npm run examples`: writes the examples of the description anew, after a change of what the code
// takes or gives. It is a program only; what is recorded is example-recorder.ts's matter.
import { writeFileSync } from 'node:fs';
import { examplesUrl, recordedExamples } from './example-recorder.js';

writeFileSync(examplesUrl, await recordedExamples());
