// The HTTP suite and the use cases, as a whole, over SQLite in a file.
import { describe } from 'node:test';
import { runOn } from './support/other-databases.js';

describe('on SQLite in a file', () => runOn('file'));
