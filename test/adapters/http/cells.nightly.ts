// A hundred cells, which take five seconds of processor.
import { cellsSuite } from './cells-suite.js';

cellsSuite(100);
