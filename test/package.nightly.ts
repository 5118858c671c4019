// The package as `npm pack` builds it from the sources, with all that package.test.ts says of it.
import { BUILT_PROGRAM } from './support/servers/host-process.js';

delete process.env[BUILT_PROGRAM];
await import('./package.test.js');
