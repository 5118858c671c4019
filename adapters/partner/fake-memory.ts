// The memory of the fake partner: every transaction with its idempotency key, as a real partner
// stores them independently of our database. In a file each transaction is one line of JSON.
// Several processes may share the file; the first line of a key counts.
import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';

const transactionSchema = z.object({
  mode: z.enum(['test', 'live']),
  kind: z.enum(['party', 'payin', 'payout', 'refund']),
  /** Our reference, and the idempotency key; of a transfer that no pay-in ordered, its id. */
  reference: z.string(),
  partnerRef: z.string(),
  /** The hash of the request: another request with the same key is refused. */
  digest: z.string(),
  /** When it was accepted, in milliseconds. */
  atMs: z.number(),
});

export type StoredTransaction = z.infer<typeof transactionSchema>;

export interface FakeMemory {
  find(
    transaction: Pick<StoredTransaction, 'mode' | 'kind' | 'reference'>,
  ): StoredTransaction | null;
  /** Stores the transaction unless its key is known; returns the transaction of the key. */
  insert(transaction: StoredTransaction): StoredTransaction;
  /** All transactions, oldest first; twice if two processes stored one at a time. */
  all(): readonly StoredTransaction[];
  /** The transactions of a kind, each once, oldest first. */
  transactions(
    mode: StoredTransaction['mode'],
    kind: StoredTransaction['kind'],
  ): readonly StoredTransaction[];
}

/** The file is created with the first transaction. */
export function memoryInFile(path: string): FakeMemory {
  const lines: StoredTransaction[] = [];
  let readBytes = 0;
  const refresh = () => {
    const [text, bytes] = textAfter(path, readBytes);
    readBytes += bytes;
    for (const line of text.split('\n')) {
      if (line !== '') lines.push(transactionSchema.parse(JSON.parse(line)));
    }
  };
  const append = (transaction: StoredTransaction) => {
    appendFileSync(path, `${JSON.stringify(transaction)}\n`, { mode: 0o600, flush: true });
    refresh();
  };
  return memoryOver({ refresh, append, lines });
}

export function memoryOver(source: {
  /** Reads what other processes have appended. */
  readonly refresh: () => void;
  readonly append: (transaction: StoredTransaction) => void;
  readonly lines: readonly StoredTransaction[];
}): FakeMemory {
  const { refresh, append, lines } = source;
  const firsts = new Map<string, StoredTransaction>();
  let noted = 0;
  const note = () => {
    for (; noted < lines.length; noted += 1) {
      const line = lines[noted] as StoredTransaction;
      if (!firsts.has(keyOf(line))) firsts.set(keyOf(line), line);
    }
  };
  const find = (
    transaction: Pick<StoredTransaction, 'mode' | 'kind' | 'reference'>,
  ): StoredTransaction | null => {
    note();
    return firsts.get(keyOf(transaction)) ?? null;
  };
  return {
    find: (transaction) => {
      refresh();
      return find(transaction);
    },
    insert: (transaction) => {
      refresh();
      const known = find(transaction);
      if (known !== null) return known;
      append(transaction);
      return find(transaction) ?? transaction;
    },
    all: () => {
      refresh();
      return [...lines];
    },
    transactions: (mode, kind) => {
      refresh();
      note();
      return [...firsts.values()].filter(
        (transaction) => transaction.mode === mode && transaction.kind === kind,
      );
    },
  };
}

function keyOf({
  mode,
  kind,
  reference,
}: Pick<StoredTransaction, 'mode' | 'kind' | 'reference'>): string {
  return `${mode}.${kind}.${reference}`;
}

/** The complete lines after `offset`, and their length in bytes. */
function textAfter(path: string, offset: number): readonly [string, number] {
  if (!existsSync(path)) return ['', 0];
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(fstatSync(file).size - offset);
    readSync(file, bytes, 0, bytes.length, offset);
    const whole = bytes.lastIndexOf('\n') + 1;
    return [bytes.toString('utf8', 0, whole), whole];
  } finally {
    closeSync(file);
  }
}
