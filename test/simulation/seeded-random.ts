// The simulator's random numbers: one generator (sfc32, by Chris Doty-Humphrey, from PractRand)
// seeded by one number. A simulated history has no other source, so that the seed determines it.

export class SeededRandom {
  readonly #state: Uint32Array;

  constructor(seed: number) {
    this.#state = Uint32Array.of(0x9e3779b9, seed >>> 0, Math.floor(seed / 2 ** 32), 1);
    // The generator needs some rounds until similar seeds give unlike numbers.
    for (let round = 0; round < 15; round += 1) this.next();
  }

  /** From 0 up to, and not, 1. */
  next(): number {
    const s = this.#state as unknown as [number, number, number, number];
    const sum = (s[0] + s[1] + s[3]) >>> 0;
    s[3] = (s[3] + 1) >>> 0;
    s[0] = s[1] ^ (s[1] >>> 9);
    s[1] = (s[2] + (s[2] << 3)) >>> 0;
    s[2] = (((s[2] << 21) | (s[2] >>> 11)) + sum) >>> 0;
    return sum / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(list: readonly T[]): T {
    const item = list[Math.floor(this.next() * list.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  /** One of the names, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const names = Object.keys(weights) as K[];
    let left = this.next() * names.reduce((sum, name) => sum + weights[name], 0);
    for (const name of names) {
      left -= weights[name];
      if (left < 0) return name;
    }
    return this.pick(names);
  }
}
