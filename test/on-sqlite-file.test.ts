// The HTTP suite, as a whole, over SQLite in a file: use cases meet no other code there than in
// memory.
import { describe } from 'node:test';
import { runOn } from './support/other-databases.js';

describe('on SQLite in a file', () => runOn('file', ['test/adapters/http/']));
