// A memory of the fake partner that ends with its world.
import {
  type FakeMemory,
  memoryOver,
  type StoredTransaction,
} from '../../../adapters/partner/fake-memory.js';

export function memoryOnly(): FakeMemory {
  const lines: StoredTransaction[] = [];
  return memoryOver({
    refresh: () => undefined,
    append: (transaction) => lines.push(transaction),
    lines,
  });
}
