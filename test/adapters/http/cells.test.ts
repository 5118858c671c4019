// A few cells; cells.nightly.ts has a hundred.
import { cellsSuite } from './cells-suite.js';

cellsSuite(8);
