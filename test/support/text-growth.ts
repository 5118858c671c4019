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
      const textOf = (length: number) => `${start}${run.repeat(length / run.length)}${end}`;
      if (lengths.some((length) => isSteep(work, textOf, length))) {
        return JSON.stringify(textOf(8));
      }
    }
  }
  return null;
}

function isSteep(
  work: (text: string) => unknown,
  textOf: (length: number) => string,
  length: number,
): boolean {
  const [half, text] = [textOf(length / 2), textOf(length)];
  if (msOf(work, text) < MEASURABLE_MS) return false;
  // Other work on the machine slows single runs: the shortest of each counts.
  let [once, twice] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tried = 0; tried < TRIES; tried += 1) {
    once = Math.min(once, msOf(work, half));
    twice = Math.min(twice, msOf(work, text));
    if (twice < MEASURABLE_MS || twice / once < GROWTH_MAX) return false;
  }
  return true;
}

/** Of the processor: the machine may do other work. */
function msOf(work: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  try {
    work(text);
  } catch {
    // Refusing a text is an answer, too.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
