// Options of commands. An option is named by its key, `keepKeysFor` is --keep-keys-for, and the
// command gets a value of its type.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/domain/base/instant.js';
import { modes } from '../core/domain/base/tenant.js';

export class OptionRow<T> {
  /** Gives the type: there is no such property. */
  declare readonly value: T;
  readonly #make: (name: string) => Option;

  constructor(make: (name: string) => Option) {
    this.#make = make;
  }

  /** `key` is that of the value. */
  optionOf(key: string): Option {
    return this.#make(key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  }

  required(): OptionRow<NonNullable<T>> {
    return new OptionRow((name) => this.#make(name).default(undefined).makeOptionMandatory());
  }

  /** Refused beside these; their keys. */
  without(others: readonly string[]): OptionRow<T> {
    return new OptionRow((name) => this.#make(name).conflicts([...others]));
  }

  /** The value if the option is not given; `shown` is how help writes it. */
  or(value: NonNullable<T>, shown?: string): OptionRow<NonNullable<T>> {
    return new OptionRow((name) => this.#make(name).default(value, shown));
  }
}

/** What a command can be given, in the order of its help. */
export type Options = Readonly<Record<string, OptionRow<unknown>>>;

export type OptionValues<O extends Options> = { readonly [K in keyof O]: O[K]['value'] };

export function addOptions(command: Command, options: Options): Command {
  for (const [key, row] of Object.entries(options)) command.addOption(row.optionOf(key));
  return command;
}

/** Null if it is not given, as all options with a value. `placeholder` is `<org-id>`. */
export function value(placeholder: string, means: string): OptionRow<string | null> {
  return new OptionRow((name) => new Option(`--${name} ${placeholder}`, means).default(null));
}

/** May be repeated; none by default. `placeholder` is `<url...>`; `read` refuses as of `parsed`. */
export function values(
  placeholder: string,
  means: string,
  read = (text: string): string => text,
): OptionRow<readonly string[]> {
  const add = (text: string, before: readonly string[]) => [...before, read(text)];
  return new OptionRow((name) =>
    value(placeholder, means).optionOf(name).default([]).argParser(add),
  );
}

/** `former` has names that are taken too, and what they are called now. */
export function choice<const T extends string>(
  placeholder: string,
  choices: readonly T[],
  means: string,
  former: Readonly<Record<string, T>> = {},
): OptionRow<T | null> {
  return new OptionRow((name) => {
    const option = value(placeholder, means).optionOf(name).choices(choices);
    const { parseArg } = option;
    return option.argParser((given, before) => parseArg?.(former[given] ?? given, before));
  });
}

/** `read` refuses with InvalidArgumentError. An option that may be repeated adds to `before`. */
export function parsed<T>(
  placeholder: string,
  means: string,
  read: (text: string, before: T) => T,
): OptionRow<T | null> {
  return new OptionRow((name) => value(placeholder, means).optionOf(name).argParser(read));
}

/** Without the blanks and line ends that `$(cat file)` and quotes leave around it. */
export function httpUrl(text: string): string {
  const url = text.trim();
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
  throw new InvalidArgumentError('Give an http or https URL.');
}

export function flag(means: string): OptionRow<boolean> {
  return new OptionRow((name) => new Option(`--${name}`, means).default(false));
}

/** True unless --no-… is given. */
export function negated(means: string): OptionRow<boolean> {
  return new OptionRow((name) => new Option(`--no-${name}`, means));
}

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Milliseconds. */
export function duration(placeholder: string, means: string): OptionRow<number | null> {
  return parsed(placeholder, means, (given) => {
    const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(given) ?? [];
    const unitMs = unitsMs[unit];
    if (unitMs !== undefined) return Number(count) * unitMs;
    throw new InvalidArgumentError('Give a number and a unit, for example 90s, 10m, 36h or 7d.');
  });
}

export const org = value('<org-id>', 'the organization').required();
export const mode = choice('<mode>', modes, 'test or live').required();
export const liveByDefault = choice('<mode>', modes, 'test or live').or('live');
export const dryRun = flag('show what would change, and change nothing');
export const replace = flag('replace another proposal for the same item');

export const limit = parsed('<count>', 'at most this many rows, 1 to 100', (given): number => {
  const count = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (count < 1 || count > 100) throw new InvalidArgumentError('Give 1 to 100.');
  return count;
}).or(25);

/** The options of a list that has pages. */
export const page = { limit, cursor: value('<id>', 'the nextCursor of the previous page') };
/** The options of a list of all tenants. */
export const ofTenant = {
  org: value('<org-id>', 'only of this organization'),
  mode: choice('<mode>', modes, 'only of this mode'),
};
