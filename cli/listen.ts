// `ponte listen`: prints the events of a key's feed as they come and, if asked, forwards each to an
// address of the developer's, signed like a webhook, in order and again until it is taken. It goes
// on where it stopped by a position kept in a file.
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { keyPrefix, parseApiKey } from '../core/domain/api-key.js';
import { isEventPattern, matchesEvent } from '../core/domain/event.js';
import { PonteError } from '../core/errors.js';
import {
  type FedEvent,
  type FeedPlace,
  type FeedSource,
  forwardEvent,
  latestPlace,
  persistently,
  readFeed,
} from './feed-client.js';
import { failure, finish, type Shell } from './operator.js';

/** Names in an event's data of what it speaks of. */
const subjects = ['paymentIntentId', 'invoiceId', 'connectedAccountId', 'subscriptionId'] as const;
const SECRET_BYTES = 32;

export interface ListenOptions {
  readonly url: string;
  readonly key: string | null;
  /** Where to begin, whatever the file says. */
  readonly after: number | null;
  readonly state: string | null;
  readonly forward: string | null;
  readonly secret: string | null;
  /** Types and wildcards as of a subscription; null is all of them. */
  readonly events: readonly string[] | null;
  readonly json: boolean;
}

export function addListenVerb(shell: Shell, program: Command): void {
  const command = program
    .command('listen')
    .description('print events as they come, until Ctrl-C; forward them to a receiver of yours')
    .addOption(
      new Option('--url <url>', 'the server').default('http://127.0.0.1:8080').argParser(httpUrl),
    )
    .addOption(new Option('--key <api-key>', 'whose events; else PONTE_KEY').default(null))
    .addOption(
      new Option(
        '--after <sequence>',
        'begin behind this one; else with the oldest event kept, with --forward with the next one',
      )
        .default(null)
        .argParser(wholeNumber),
    )
    .addOption(new Option('--state <file>', 'keep the position there, go on from it').default(null))
    .addOption(
      new Option('--forward <url>', 'send each event there until it is taken with 2xx')
        .default(null)
        .argParser(httpUrl),
    )
    .addOption(
      new Option('--secret <whsec>', 'sign with it; else a new one is shown').default(null),
    )
    .addOption(
      new Option('--events <types>', 'these alone, as payment_intent.*,invoice.settled')
        .default(null)
        .argParser(eventPatterns),
    )
    .option('--json', 'print one line of JSON an event', false);
  command.action(async () => {
    const options = command.opts<ListenOptions>();
    const over = new AbortController();
    const stop = () => over.abort();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
    // Whoever read the lines has gone.
    process.stdout.on('error', stop);
    try {
      await listen(shell, options, over.signal);
    } catch (error) {
      finish(shell, failure(shell, error), options.json);
    } finally {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, stop);
      process.stdout.off('error', stop);
    }
  });
}

/** Until `over` is aborted, or a refusal that trying again does not help. */
export async function listen(
  shell: Shell,
  options: ListenOptions,
  over: AbortSignal,
): Promise<void> {
  const tell = (line: string) => shell.stderr.write(`ponte: ${line}\n`);
  const source = sourceOf(shell, options);
  const position = options.state === null ? null : positionIn(options.state, source);
  const began = beganAt(options, position);
  const forward = forwarder(shell, options, over);
  let place: FeedPlace = began ?? { after: 0, epoch: null };
  // Past events can be shown, but a receiver does not expect them.
  if (began === null && options.forward !== null) {
    const latest = await persistently(over, tell, () => latestPlace(source, over));
    if (latest === null) return;
    const from = `forwarding what comes after sequence ${latest.after}`;
    tell(`${from}; --after 0 begins with the first event`);
    position?.keep(latest);
    place = latest;
  }
  for (;;) {
    const page = await persistently(over, tell, () =>
      readFeed(source, place, over).catch((error: unknown) => {
        // Only who has asked for them can miss events that are gone.
        const next = began === null ? placeAfter(error) : null;
        if (next === null) throw error;
        tell(`${error instanceof Error ? error.message : ''} Going on after ${next.after}`);
        place = next;
        return null;
      }),
    );
    if (over.aborted) return;
    if (page === null) continue;
    const { events, epoch } = page;
    place = { ...place, epoch };
    for (const event of events) {
      if (options.events !== null && !matchesEvent(options.events, event.event)) {
        place = { epoch, after: event.sequence };
        continue;
      }
      const answer = await persistently(
        over,
        (problem) => tell(`${event.id}: ${problem}`),
        () => forward(event),
      );
      if (answer === null) return;
      // A line of JSON is the event as it came, and nothing else.
      if (options.json && answer !== '') tell(`${event.id}: ${answer}`);
      shell.stdout.write(`${options.json ? event.text : lineOf(event, answer)}\n`);
      place = { epoch, after: event.sequence };
      position?.keep(place);
    }
    // The last ones may have been left out.
    if (events.length > 0) position?.keep(place);
  }
}

/** Where to begin; null where nothing says so. */
function beganAt(options: ListenOptions, position: Position | null): FeedPlace | null {
  if (options.after !== null) return { after: options.after, epoch: null };
  return position?.read() ?? null;
}

/** Where a refusal says that the feed goes on; null where it says nothing of it. */
function placeAfter(error: unknown): FeedPlace | null {
  if (!(error instanceof PonteError)) return null;
  const { oldestSequence, feed } = error;
  if (feed !== null) return { after: feed.lastSequence, epoch: feed.epoch };
  return oldestSequence === null ? null : { after: oldestSequence - 1, epoch: null };
}

/** Sends an event on and says what the receiver answered; '' where nothing is sent. */
function forwarder(
  shell: Shell,
  { forward: url, secret: given }: ListenOptions,
  over: AbortSignal,
): (event: FedEvent) => Promise<string> {
  if (url === null) return async () => '';
  const secret = given ?? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  if (given === null) shell.stderr.write(`The webhook secret is ${secret}\n`);
  return async (event) => `answered ${await forwardEvent(event, { url, secret }, over)}`;
}

function sourceOf({ env }: Shell, { url, key }: ListenOptions): FeedSource {
  const used = key ?? env['PONTE_KEY'] ?? null;
  if (used === null) throw new PonteError('ValidationError', 'Give --key, or set PONTE_KEY.');
  return { url, key: used };
}

function lineOf({ sequence, createdAt, event, data }: FedEvent, answer: string): string {
  const fields = JSON.parse(data) as Readonly<Record<string, unknown>>;
  const subject = subjects.map((name) => fields[name]).find((id) => typeof id === 'string');
  const cells = [
    `${sequence}`.padStart(6),
    createdAt,
    event.padEnd(36),
    `${subject ?? ''}`,
    answer,
  ];
  return cells.join('  ').trimEnd();
}

interface Position {
  /** Null when nothing was kept yet. */
  read(): FeedPlace | null;
  keep(place: FeedPlace): void;
}

/** A position means something for one server and key only. */
function positionIn(file: string, { url, key }: FeedSource): Position {
  const parsed = parseApiKey(key);
  const of = { url, key: parsed === null ? '' : keyPrefix(parsed.mode, parsed.keyId) };
  return {
    read: () => {
      const kept = keptIn(file);
      if (kept === null) return null;
      if (kept.url === of.url && kept.key === of.key) return kept;
      const message =
        `${file} keeps the position of ${kept.key} at ${kept.url}: ${kept.after}. ` +
        'Name another file, or say with --after where to begin.';
      throw new PonteError('ValidationError', message);
    },
    // Whole or not at all, whenever the process ends.
    keep: (place) => {
      writeFileSync(`${file}.new`, `${JSON.stringify({ ...of, ...place })}\n`);
      renameSync(`${file}.new`, file);
    },
  };
}

interface Kept extends FeedPlace {
  readonly url: string;
  readonly key: string;
}

function keptIn(file: string): Kept | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  try {
    // A file of an earlier version has no epoch.
    const { url, key, after, epoch = null } = JSON.parse(text) as Kept;
    if (Number.isSafeInteger(after) && after >= 0) return { url, key, after, epoch };
  } catch {
    // As good as a file of something else.
  }
  throw new PonteError('ValidationError', `${file} keeps no position. Name another file.`);
}

function eventPatterns(text: string): readonly string[] {
  const patterns = text.split(',').map((pattern) => pattern.trim());
  const unknown = patterns.filter((pattern) => !isEventPattern(pattern));
  if (unknown.length === 0) return patterns;
  const told = unknown.map((pattern) => `"${pattern}"`).join(', ');
  throw new InvalidArgumentError(`Unknown: ${told}. Give event types or wildcards with commas.`);
}

function httpUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('Give an http or https URL.');
}

function wholeNumber(text: string): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new InvalidArgumentError('Give a whole number of 0 or more.');
}
