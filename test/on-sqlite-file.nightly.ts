// The HTTP suite, as a whole, over SQLite in a file.
import { describe } from 'node:test';
import { filesOverStore, runOn } from './support/databases/other-databases.js';

describe('on SQLite in a file', () => runOn('file', filesOverStore('test/adapters/http/')));
