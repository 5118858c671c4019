// How the time of a function of a text grows with the length of the text. A function that reads
// its text once takes twice as long for twice the text, a quadratic one four times as long.

/** Runs of these are what patterns stumble over: blanks, separators, signs, letters, others. */
const repeated = [...' \t\n.,;:-=/"a0é', '\u00a0', 'a.', '-a', 'a@', '\t"'];
/** What comes behind a run, so that a pattern fails there. */
const ends = ['', '\n!', '/'];
/** Exponential time shows in the first, cubic in the second, quadratic in the last. */
const lengths = [28, 1_000, 12_000];
/** Less is not measured well enough to be compared. */
const MEASURABLE_MS = 3;
const GROWTH_MAX = 3.2;
const TRIES = 12;

interface Hostile {
  readonly start?: string;
  /** Characters of which runs are tried, too. */
  readonly characters?: Iterable<string>;
}

/** A text for which the time grows faster than its length; null if there is none. */
export function steepText(
  work: (text: string) => unknown,
  { start = '', characters = [] }: Hostile = {},
): string | null {
  for (const run of new Set([...repeated, ...characters])) {
    for (const end of ends) {
      const textOf = (length: number) => hostileText(start, run, end, length);
      if (lengths.some((length) => isSteep(work, textOf, length))) {
        return JSON.stringify(textOf(8));
      }
    }
  }
  return null;
}

/** Made once: many patterns and fields read the same texts. */
const texts = new Map<string, string>();

function hostileText(start: string, run: string, end: string, length: number): string {
  const name = JSON.stringify([start, run, end, length]);
  const known = texts.get(name);
  if (known !== undefined) return known;
  // A repeated string is a tree of parts, which each reader would join once more.
  const text = Buffer.from(`${start}${run.repeat(length / run.length)}${end}`).toString();
  texts.set(name, text);
  return text;
}

function isSteep(
  work: (text: string) => unknown,
  textOf: (length: number) => string,
  length: number,
): boolean {
  const text = textOf(length);
  if (isShort(work, text)) return false;
  const half = textOf(length / 2);
  // Other work on the machine slows single runs: the shortest of each counts.
  let [once, twice] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tried = 0; tried < TRIES; tried += 1) {
    once = Math.min(once, msOf(work, half));
    twice = Math.min(twice, msOf(work, text));
    if (twice < MEASURABLE_MS || twice / once < GROWTH_MAX) return false;
  }
  return true;
}

/** By the clock, which is read in no time: the processor has done no more. */
function isShort(work: (text: string) => unknown, text: string): boolean {
  const startedMs = performance.now();
  attempt(work, text);
  return performance.now() - startedMs < MEASURABLE_MS;
}

function attempt(work: (text: string) => unknown, text: string): void {
  try {
    work(text);
  } catch {
    // Refusing a text is an answer, too.
  }
}

/** Of the processor: the machine may do other work. */
function msOf(work: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  attempt(work, text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
