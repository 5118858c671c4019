// A process that serves a file and writes to it until it is killed. It prints the id of each
// payment after the store has acknowledged it.
import { openSqliteStore } from '../../../../adapters/storage/sqlite/store.js';
import { aBarePayment, anEvent } from '../../../support/samples/domain-samples.js';

const path = process.argv[2];
if (path === undefined) throw new Error('name the file');
const store = openSqliteStore({ path });
await store.migrate();
store.acquireServing();
store.serve();
for (let round = 0; ; round += 1) {
  await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const id = `pi_${round}_${index}`;
      await store.run(async (tx) => {
        tx.payments.insert(aBarePayment({ id }));
        tx.feed.append(anEvent({ id: `evt_${id}`, subjectId: id }));
      });
      process.stdout.write(`${id}\n`);
    }),
  );
}
