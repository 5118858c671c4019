// Webhooks as jobs of graphile-worker with its local queue: `queue` tells the database of each job
// that is done, `batched` of all that are done at once, which its preset leaves switched off.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { serveCalls } from '../child-calls.ts';
import { CONCURRENCY, poster } from './webhook-posting.mjs';

const [connectionString, way] = process.argv.slice(2);
const batched = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };
const pgPool = new pg.Pool({ connectionString, max: 20 });
const utils = await makeWorkerUtils({ pgPool });
await utils.migrate();
let runner = null;

serveCalls({
  fill: async (body, count) => {
    const jobs = Array.from({ length: count }, () => ({ identifier: 'post', payload: { body } }));
    for (let at = 0; at < count; at += 5_000) await utils.addJobs(jobs.slice(at, at + 5_000));
  },
  drain: async (url) => {
    const post = poster(url);
    runner = await run({
      pgPool,
      taskList: { post },
      noHandleSignals: true,
      // Ponte logs no delivery that went well either.
      logger: new Logger(() => () => undefined),
      preset: {
        worker: {
          concurrentJobs: CONCURRENCY,
          localQueue: { size: 500 },
          ...(way === 'batched' ? batched : {}),
        },
      },
    });
  },
  stop: async () => {
    await runner.stop();
  },
});
