// Repeated creates and the feed over HTTP, over SQLite in a file. The
// nightly run adds the other tests.
import { describe } from 'node:test';
import { runOn, sensitiveFiles } from './support/databases/other-databases.js';

describe('on SQLite in a file', () => runOn('file', sensitiveFiles.concurrent));
