// The memory of the fake partner: every order with its idempotency key, as a real partner stores
// them independently of our database. In a file each order is one line of JSON. Several processes
// may share the file; the first line of a key counts.
import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';

const orderSchema = z.object({
  mode: z.enum(['test', 'live']),
  kind: z.enum(['receiver', 'payin', 'payout', 'refund']),
  /** Our reference, and the idempotency key. */
  reference: z.string(),
  partnerRef: z.string(),
  /** Of the request: another request with the same key is refused. */
  digest: z.string(),
  /** When it was accepted, in milliseconds. */
  atMs: z.number(),
});

export type StoredOrder = z.infer<typeof orderSchema>;

export interface FakeMemory {
  find(order: Pick<StoredOrder, 'mode' | 'kind' | 'reference'>): StoredOrder | null;
  /** Stores the order unless its key is known; returns the order of the key. */
  insert(order: StoredOrder): StoredOrder;
  /** All orders, oldest first; twice if two processes stored one at a time. */
  all(): readonly StoredOrder[];
  /** Of a kind, each once, oldest first. */
  orders(mode: StoredOrder['mode'], kind: StoredOrder['kind']): readonly StoredOrder[];
}

export function memoryOnly(): FakeMemory {
  const lines: StoredOrder[] = [];
  return memoryOver({ refresh: () => undefined, append: (order) => lines.push(order), lines });
}

/** The file is created with the first order. */
export function memoryInFile(path: string): FakeMemory {
  const lines: StoredOrder[] = [];
  let readBytes = 0;
  const refresh = () => {
    const [text, bytes] = textAfter(path, readBytes);
    readBytes += bytes;
    for (const line of text.split('\n')) {
      if (line !== '') lines.push(orderSchema.parse(JSON.parse(line)));
    }
  };
  const append = (order: StoredOrder) => {
    appendFileSync(path, `${JSON.stringify(order)}\n`, { mode: 0o600, flush: true });
    refresh();
  };
  return memoryOver({ refresh, append, lines });
}

function memoryOver(source: {
  /** Reads what other processes have appended. */
  readonly refresh: () => void;
  readonly append: (order: StoredOrder) => void;
  readonly lines: readonly StoredOrder[];
}): FakeMemory {
  const { refresh, append, lines } = source;
  const firsts = new Map<string, StoredOrder>();
  let noted = 0;
  const note = () => {
    for (; noted < lines.length; noted += 1) {
      const line = lines[noted] as StoredOrder;
      if (!firsts.has(keyOf(line))) firsts.set(keyOf(line), line);
    }
  };
  const find = (order: Pick<StoredOrder, 'mode' | 'kind' | 'reference'>): StoredOrder | null => {
    note();
    return firsts.get(keyOf(order)) ?? null;
  };
  return {
    find: (order) => {
      refresh();
      return find(order);
    },
    insert: (order) => {
      refresh();
      const known = find(order);
      if (known !== null) return known;
      append(order);
      return find(order) ?? order;
    },
    all: () => {
      refresh();
      return [...lines];
    },
    orders: (mode, kind) => {
      refresh();
      note();
      return [...firsts.values()].filter((order) => order.mode === mode && order.kind === kind);
    },
  };
}

function keyOf({
  mode,
  kind,
  reference,
}: Pick<StoredOrder, 'mode' | 'kind' | 'reference'>): string {
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
