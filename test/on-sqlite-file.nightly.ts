// The HTTP suite, as a whole, over SQLite in a file.
import { filesOverStore, runOn } from './support/databases/other-databases.js';

runOn('file', filesOverStore('test/adapters/http/'));
