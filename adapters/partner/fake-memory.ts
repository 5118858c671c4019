// What the fake partner remembers, where it is to: every order with the key that it came with, as a
// real partner keeps them, even if our database is lost. In a file each order is one line of
// JSON, appended once. Several processes share the file: the first line of a key counts.
import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';

const keptSchema = z.object({
  mode: z.enum(['test', 'live']),
  kind: z.enum(['receiver', 'payin', 'payout', 'refund']),
  /** Our reference, and the idempotency key. */
  reference: z.string(),
  partnerRef: z.string(),
  /** Of the request's text: another text under the same key is refused. */
  digest: z.string(),
  /** When it was taken, in milliseconds. */
  atMs: z.number(),
});

export type KeptOrder = z.infer<typeof keptSchema>;

export interface FakeMemory {
  find(order: Pick<KeptOrder, 'mode' | 'kind' | 'reference'>): KeptOrder | null;
  /** Keeps the order unless its key is known; yields the one that is kept under the key. */
  keep(order: KeptOrder): KeptOrder;
  /** Everything that was ever ordered, oldest first. */
  all(): readonly KeptOrder[];
}

export function memoryOnly(): FakeMemory {
  const lines: KeptOrder[] = [];
  return memoryOver({ refresh: () => undefined, append: (order) => lines.push(order), lines });
}

/** The file is made with the first order. */
export function memoryInFile(path: string): FakeMemory {
  const lines: KeptOrder[] = [];
  let readBytes = 0;
  const refresh = () => {
    const [text, bytes] = textBehind(path, readBytes);
    readBytes += bytes;
    for (const line of text.split('\n')) {
      if (line !== '') lines.push(keptSchema.parse(JSON.parse(line)));
    }
  };
  const append = (order: KeptOrder) => {
    appendFileSync(path, `${JSON.stringify(order)}\n`, { mode: 0o600, flush: true });
    refresh();
  };
  return memoryOver({ refresh, append, lines });
}

function memoryOver(kept: {
  /** Reads what other processes have appended. */
  readonly refresh: () => void;
  readonly append: (order: KeptOrder) => void;
  readonly lines: readonly KeptOrder[];
}): FakeMemory {
  const { refresh, append, lines } = kept;
  const firsts = new Map<string, KeptOrder>();
  let noted = 0;
  const find = (order: Pick<KeptOrder, 'mode' | 'kind' | 'reference'>): KeptOrder | null => {
    for (; noted < lines.length; noted += 1) {
      const line = lines[noted] as KeptOrder;
      if (!firsts.has(keyOf(line))) firsts.set(keyOf(line), line);
    }
    return firsts.get(keyOf(order)) ?? null;
  };
  return {
    find: (order) => {
      refresh();
      return find(order);
    },
    keep: (order) => {
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
  };
}

function keyOf({ mode, kind, reference }: Pick<KeptOrder, 'mode' | 'kind' | 'reference'>): string {
  return `${mode}.${kind}.${reference}`;
}

/** The whole lines behind so many bytes, and how many bytes they are. */
function textBehind(path: string, offset: number): readonly [string, number] {
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
