// Repeated creates and the feed over HTTP, over SQLite in a file. The
// nightly run adds the other tests.
import { runOn, sensitiveFiles } from './support/databases/other-databases.js';

runOn('file', sensitiveFiles.concurrent);
