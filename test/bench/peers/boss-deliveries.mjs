// Webhooks as jobs of pg-boss, fetched in batches by workers side by side.
import { PgBoss } from 'pg-boss';
import { serveCalls } from '../child-calls.ts';
import { CONCURRENCY, poster } from './webhook-posting.mjs';

const [connectionString] = process.argv.slice(2);
const boss = new PgBoss({ connectionString, max: 20 });
boss.on('error', (error) => process.stderr.write(`${error}\n`));
await boss.start();
await boss.createQueue('post');

serveCalls({
  fill: async (body, count) => {
    const jobs = Array.from({ length: count }, () => ({ data: { body } }));
    for (let at = 0; at < count; at += 5_000) await boss.insert('post', jobs.slice(at, at + 5_000));
  },
  drain: async (url) => {
    const post = poster(url);
    const options = { batchSize: CONCURRENCY, localConcurrency: 4, pollingIntervalSeconds: 0.5 };
    await boss.work('post', { ...options, burstWhenBatchFull: true }, async (jobs) => {
      await Promise.all(jobs.map(({ data }) => post(data)));
    });
  },
  stop: async () => {
    await boss.offWork('post');
  },
});
