// The simulator catches every service that is broken on purpose.
import { testCaught } from './mutant-search.js';
import { mutants } from './mutants.js';

testCaught(mutants);
