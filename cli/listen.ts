// `ponte listen`: prints the events of a key's feed and, with --forward, sends each to a URL of the
// developer: signed like a webhook, in order, and repeated until it is accepted. With --state it
// resumes from a position stored in a file.
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { keyPrefix, parseApiKey } from '../core/domain/access/api-key.js';
import { isEventPattern, matchesEvent } from '../core/domain/payments/event.js';
import { invalid, PonteError } from '../core/errors.js';
import {
  type FedEvent,
  type FeedSource,
  forwardEvent,
  latestPosition,
  persistently,
  type ReaderPosition,
  readFeed,
} from './feed-client.js';
import { failureOutcome, finish, type Shell, withAuthority } from './operator.js';
import { addOptions, httpUrl, type OptionValues, parsed, value } from './options.js';

/** Properties of event data that name its resource. */
const subjects = ['paymentIntentId', 'invoiceId', 'connectedAccountId', 'subscriptionId'] as const;
const SECRET_BYTES = 32;

const listenOptions = {
  url: parsed('<url>', 'the server; the one of PONTE_BASE_URL or PONTE_PORT by default', serverUrl),
  key: value('<api-key>', 'an API key; PONTE_KEY or PONTE_KEY_FILE by default'),
  // Overrides the position in the file.
  after: parsed(
    '<sequence>',
    'start after this one; by default with the oldest event, or the next one with --forward',
    wholeNumber,
  ),
  state: value('<file>', 'store the position there, and resume from it'),
  forward: parsed('<url>', 'send each event there until it answers 2xx', httpUrl),
  secret: parsed(
    '<whsec>',
    'the webhook secret; by default a new one, which is shown',
    nonEmptySecret,
  ),
  events: parsed(
    '<types>',
    'only these, for example payment_intent.*,invoice.settled',
    eventPatterns,
  ),
};

export type ListenOptions = OptionValues<typeof listenOptions> & { readonly json: boolean };

export function addListenCommand(shell: Shell, program: Command): void {
  const command = program
    .command('listen')
    .description('print events as they arrive, until Ctrl-C, and forward them to a URL');
  addOptions(command, listenOptions).option(
    '--json',
    'print each event as one line of JSON',
    false,
  );
  withAuthority(command, 'none');
  command.action(async () => {
    const options = command.opts<ListenOptions>();
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
    // The reader has closed the pipe.
    process.stdout.on('error', stop);
    try {
      await listen(shell, options, stopped.signal);
    } catch (error) {
      finish(shell, failureOutcome(shell, error), options.json);
    } finally {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, stop);
      process.stdout.off('error', stop);
    }
  });
}

/** Runs until `over` is aborted, or until a refusal that a retry does not help. */
export async function listen(
  shell: Shell,
  options: ListenOptions,
  stopped: AbortSignal,
): Promise<void> {
  const warn = (line: string) => shell.stderr.write(`ponte: ${line}\n`);
  const source = await sourceOf(shell, options);
  const position = options.state === null ? null : positionIn(options.state, source);
  const began = startOf(options, position);
  const forward = forwarder(shell, options, stopped);
  let place: ReaderPosition = began ?? { after: 0, epoch: null };
  // A receiver does not expect past events.
  if (began === null && options.forward !== null) {
    const latest = await persistently(stopped, warn, () => latestPosition(source, stopped));
    if (latest === null) return;
    const from = `forwarding events after sequence ${latest.after}`;
    warn(`${from}; --after 0 starts with the first event`);
    position?.store(latest);
    place = latest;
  }
  for (;;) {
    const page = await persistently(stopped, warn, () =>
      readFeed(source, place, stopped).catch((error: unknown) => {
        // A caller that named a position must know that events are missing.
        const next = began === null ? positionAfter(error) : null;
        if (next === null) throw error;
        warn(`${error instanceof Error ? error.message : ''} Continuing after ${next.after}`);
        place = next;
        return null;
      }),
    );
    if (stopped.aborted) return;
    if (page === null) continue;
    const { events, epoch } = page;
    place = { ...place, epoch };
    for (const event of events) {
      if (options.events !== null && !matchesEvent(options.events, event.event)) {
        place = { epoch, after: event.sequence };
        continue;
      }
      const answer = await persistently(
        stopped,
        (problem) => warn(`${event.id}: ${problem}`),
        () => forward(event),
      );
      if (answer === null) return;
      // A line of JSON contains only the event, as received.
      if (options.json && answer !== '') warn(`${event.id}: ${answer}`);
      shell.stdout.write(`${options.json ? event.text : lineOf(event, answer)}\n`);
      place = { epoch, after: event.sequence };
      position?.store(place);
    }
    // The last events may not match --events.
    if (events.length > 0) position?.store(place);
  }
}

/** The position to start after; null if none is given. */
function startOf(options: ListenOptions, position: PositionFile | null): ReaderPosition | null {
  if (options.after !== null) return { after: options.after, epoch: null };
  return position?.read() ?? null;
}

/** The position that a refusal names; null if it names none. */
function positionAfter(error: unknown): ReaderPosition | null {
  if (!(error instanceof PonteError)) return null;
  const { oldestSequence, feed } = error;
  if (feed !== null) return { after: feed.lastSequence, epoch: feed.epoch };
  return oldestSequence === null ? null : { after: oldestSequence - 1, epoch: null };
}

/** Forwards an event and returns a text for the answer; '' without --forward. */
function forwarder(
  shell: Shell,
  { forward: url, secret: given }: ListenOptions,
  stopped: AbortSignal,
): (event: FedEvent) => Promise<string> {
  if (url === null) return async () => '';
  const secret = given ?? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  if (given === null) shell.stderr.write(`The webhook secret is ${secret}\n`);
  return async (event) => `answered ${await forwardEvent(event, { url, secret }, stopped)}`;
}

/** The server that options and settings name. ValidationError without a key. */
export async function sourceOf(
  { env }: Shell,
  { url, key }: Pick<ListenOptions, 'url' | 'key'>,
): Promise<FeedSource> {
  const { readConfig, readSecret } = await import('../host/config.js');
  const used = key ?? readSecret(env, 'PONTE_KEY');
  if (used !== undefined) {
    if (url !== null) return { url, key: used };
    const { baseUrl, port } = readConfig(env);
    return { url: baseUrl ?? `http://127.0.0.1:${port}`, key: used };
  }
  throw invalid('Set PONTE_KEY_FILE or PONTE_KEY, or give --key.');
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

interface PositionFile {
  /** Null if none is stored yet. */
  read(): ReaderPosition | null;
  store(position: ReaderPosition): void;
}

/** A position is valid for one server and key. */
function positionIn(file: string, { url, key }: FeedSource): PositionFile {
  const parsed = parseApiKey(key);
  const of = { url, key: parsed === null ? '' : keyPrefix(parsed.mode, parsed.keyId) };
  return {
    read: () => {
      const stored = storedIn(file);
      if (stored === null) return null;
      if (stored.url === of.url && stored.key === of.key) return stored;
      const message =
        `${file} has the position of ${stored.key} at ${stored.url}: ${stored.after}. ` +
        'Give another file, or the position with --after.';
      throw invalid(message);
    },
    // The rename is atomic: a crash leaves a whole file.
    store: (place) => {
      writeFileSync(`${file}.new`, `${JSON.stringify({ ...of, ...place })}\n`);
      renameSync(`${file}.new`, file);
    },
  };
}

interface StoredPosition extends ReaderPosition {
  readonly url: string;
  readonly key: string;
}

function storedIn(file: string): StoredPosition | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  try {
    // A file may lack the epoch.
    const { url, key, after, epoch = null } = JSON.parse(text) as StoredPosition;
    if (Number.isSafeInteger(after) && after >= 0) return { url, key, after, epoch };
  } catch {
    // Not a position file.
  }
  throw invalid(`${file} is not a position file. Give another file.`);
}

function eventPatterns(text: string): readonly string[] {
  const patterns = text.split(',').map((pattern) => pattern.trim());
  const unknown = patterns.filter((pattern) => !isEventPattern(pattern));
  if (unknown.length === 0) return patterns;
  const names = unknown.map((pattern) => `"${pattern}"`).join(', ');
  throw new InvalidArgumentError(
    `Unknown: ${names}. Give event types or wildcards, separated by commas.`,
  );
}

function nonEmptySecret(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('It is empty. Give the secret of the receiver, or no --secret.');
}

/** Paths are appended to it. A receiver keeps the slash at its end, which is another path. */
function serverUrl(text: string): string {
  return httpUrl(text).replace(/(?<!\/)\/+$/, '');
}

function wholeNumber(text: string): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new InvalidArgumentError('Give a whole number of 0 or more.');
}
