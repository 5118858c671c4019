// A process whose disk fails while it syncs. It prints the outcomes of its writes and reads.
import { openSqliteStore } from '../../../../adapters/storage/sqlite/store.js';
import { PonteError } from '../../../../core/errors.js';
import { aBuyer } from '../../../support/samples/domain-samples.js';

const path = process.argv[2];
if (path === undefined) throw new Error('name the file');
const syncFile = () => Promise.reject(new Error('the disk is gone'));
const store = openSqliteStore({ path, syncFile });
await store.migrate();
store.serve();
const print = (text: string) => process.stdout.write(`${text}\n`);
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => print('stored'),
    (error: unknown) => print(error instanceof PonteError ? error.code : String(error)),
  );
const written = outcome(store.run(async (tx) => tx.buyers.insert(aBuyer())));
const beside = outcome(store.run(async (tx) => tx.buyers.insert(aBuyer({ id: 'byr_2' }))));
await Promise.all([written, beside]);
await outcome(store.run(async (tx) => tx.buyers.insert(aBuyer({ id: 'byr_3' }))));
await outcome(store.run((tx) => tx.buyers.get('test', 'byr_1')));
print((await store.health()).database ? 'writable' : 'not writable');
