// The log: one JSON object per line on stderr, by pino. Secrets, keys and personal data are cut
// out, by the name of their field at any depth and by their form in any text.
import { type DestinationStream, pino } from 'pino';
import type { Log } from '../../core/ports/outside.js';
import { Repeats } from './repeats.js';

/** Fields that are cut out; compared in lower case, without `-` and `_`. */
const privateFields: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'credentials',
  'key',
  'keys',
  'name',
  'firstname',
  'lastname',
  'fullname',
  'legalname',
  'displayname',
  'buyername',
  'holdername',
  'accountholdername',
  'beneficiaryname',
  'owners',
  'dateofbirth',
  'birthdate',
  'address',
  'addressline1',
  'addressline2',
  'postalcode',
  'iddocnumber',
  'selfiefile',
  'cpf',
  'cnpj',
  'rg',
  'ssn',
  'itin',
  'body',
  'rawbody',
  'responsebody',
  'instructions',
  'metadata',
  'display',
  'dossier',
  // Of PostgreSQL's errors: the row that failed, and the text that could not be read.
  'detail',
  'where',
]);

/** Endings of such fields: `buyerEmail`, `x-api-key`, `webhookSecret`. */
const privateEndings = [
  'secret',
  'secrets',
  'password',
  'passphrase',
  'token',
  'apikey',
  'secretkey',
  'secretkeys',
  'privatekey',
  'jwtkey',
  'email',
  'phone',
  'phonenumber',
  'taxid',
  'pixkey',
  'docfile',
  'frontfile',
  'backfile',
] as const;

/** Cut out of any text, in this order: credentials in URLs look like addresses. */
const privateForms: readonly (readonly [form: RegExp, instead: string])[] = [
  [/\b(pk_(?:test|live)_[^.\s"']{1,100})\.[^\s"',;]+/g, '$1.[cut]'],
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, 'whsec_[cut]'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[cut]'],
  [/\b(bearer|basic)\s+[^\s"',;]{8,}/gi, '$1 [cut]'],
  [/(:\/\/[^\s/:@]{0,100}):[^\s/@]+@/g, '$1:[cut]@'],
  [/([?&](?:token|secret|password|signature|key)=)[^&\s"']+/gi, '$1[cut]'],
  [/[^\s"'<>()[\]@,;:/=]{1,64}@[^\s"'<>()@,;:/=]+\.[a-z]{2,}/gi, '[cut]'],
  [/\b\d{3}\.\d{3}\.\d{3}-\d{2}\b/g, '[cut]'],
  [/\b[\dA-Z]{2}\.[\dA-Z]{3}\.[\dA-Z]{3}\/[\dA-Z]{4}-\d{2}\b/g, '[cut]'],
  [/\+\d{9,15}\b/g, '[cut]'],
];

const CUT = '[cut]';
const DEPTH_MAX = 8;
const ITEMS_MAX = 100;
const TEXT_LENGTH_MAX = 4_096;
/** Characters of a text that are read: bounds the work for a huge one. */
const TEXT_READ_MAX = 65_536;
/** Length of the lines that could not be written yet, in characters. */
const WAITING_LENGTH_MAX = 1_048_576;
/** Names that pino writes: a field must not replace them. */
const reserved: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'message']);

/** The log of a process, which can report its own end. */
export interface ProcessLog extends Log {
  fatal: Log['error'];
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LogOptions {
  readonly level: LogLevel;
  /** stderr by default. */
  readonly destination?: DestinationStream;
}

/** Writes synchronously: no line is lost in a crash. Counts repeated warnings (repeats.ts). */
export function createLog(options: LogOptions): ProcessLog {
  const logger = pino(
    {
      level: options.level,
      base: { pid: process.pid },
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? toStderr(),
  );
  type Level = Exclude<LogLevel, 'silent'> | 'fatal';
  const at =
    (level: Level) =>
    (message: string, fields: Fields = {}) => {
      if (logger.isLevelEnabled(level)) logger[level](loggable(fields), cutText(message));
    };
  const repeatsOf = () =>
    new Repeats((lines) => logger.warn({ lines }, 'lines of requests were left out'));
  // Strangers cause any number of refusals; they must not use up the lines of failures.
  const [refusals, failures] = [repeatsOf(), repeatsOf()];
  const onceAMinute =
    (level: Level, repeats: Repeats, comparable: (fields: Fields) => Fields) =>
    (message: string, fields: Fields = {}) => {
      if (!logger.isLevelEnabled(level)) return;
      const [text, all] = [cutText(message), loggable(fields)];
      const compared = comparable(all);
      repeats.note({
        text: `${level} ${text} ${JSON.stringify(compared)}`,
        isOfRequest: 'requestId' in fields,
        write: (repeated) =>
          logger[level](repeated === null ? all : { ...compared, repeated }, text),
      });
    };
  /** While the database is unreachable, every request of every client fails for one reason. */
  const cause = ({ requestId, client, ...others }: Fields) => others;
  const info = at('info');
  const refusal = onceAMinute('info', refusals, ({ requestId, ...others }) => others);
  return {
    debug: at('debug'),
    info: (message, fields = {}) => ('requestId' in fields ? refusal : info)(message, fields),
    warn: onceAMinute('warn', failures, cause),
    error: onceAMinute('error', failures, cause),
    fatal: at('fatal'),
  };
}

/** For a command of a person: plain lines on a terminal, JSON where a program may read them. */
export function logOfCommand(
  level: LogLevel,
  stream: { write(text: string): unknown; readonly isTTY?: boolean },
): ProcessLog {
  const write = (line: string) => stream.write(stream.isTTY === true ? plainLine(line) : line);
  return createLog({ level, destination: { write } });
}

/** The message first, then its fields: `ponte: warn: message (name value, name value)`. */
function plainLine(json: string): string {
  const { level, time, pid, message, ...fields } = JSON.parse(json) as Fields;
  const written = Object.entries(fields).map(([name, value]) => {
    return `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  const more = written.length === 0 ? '' : ` (${written.join(', ')})`;
  return `ponte: ${String(level)}: ${String(message)}${more}\n`;
}

/** stderr may be a file on a full disk: lines wait for the next one, or are dropped. */
function toStderr(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: true, maxLength: WAITING_LENGTH_MAX });
  stream.on('error', () => undefined);
  return stream;
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields without private data. Never throws: a log line must not fail a payment. */
function loggable(fields: Fields): Fields {
  try {
    const entries = Object.entries(cutFields(Object.entries(fields), []));
    return Object.fromEntries(
      entries.map(([name, value]) => [reserved.has(name) ? `${name}_` : name, value]),
    );
  } catch (error) {
    return { unloggable: error instanceof Error ? error.name : 'fields' };
  }
}

/** `above`: the enclosing objects, to detect cycles and bound the depth. */
function cutValue(value: unknown, above: readonly object[]): unknown {
  if (typeof value === 'string') return cutText(value);
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (above.includes(value)) return '[circular]';
  if (above.length >= DEPTH_MAX) return '[deep]';
  const inside = [...above, value];
  if (value instanceof Error) return cutError(value, inside);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof URL) return cutText(value.href);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map) return cutFields(value.entries(), inside);
  if (Array.isArray(value) || value instanceof Set) {
    const items = [...value].slice(0, ITEMS_MAX);
    return items.map((item) => cutValue(item, inside));
  }
  return cutFields(Object.entries(value), inside);
}

function cutFields(
  entries: Iterable<readonly [unknown, unknown]>,
  above: readonly object[],
): Record<string, unknown> {
  const cut = [...entries].map(([key, value]) => {
    const name = cutText(String(key));
    const empty = value === null || value === undefined;
    return [name, !empty && isPrivate(name) ? CUT : cutValue(value, above)] as const;
  });
  return Object.fromEntries(cut);
}

function cutError(error: Error, above: readonly object[]): Record<string, unknown> {
  const { name, message, stack, cause, ...rest } = error;
  const errors: unknown = 'errors' in error ? error.errors : undefined;
  return {
    type: name,
    message: cutText(message),
    stack: cutText(stack ?? ''),
    ...cutFields(Object.entries(rest), above),
    ...(cause === undefined ? {} : { cause: cutValue(cause, above) }),
    ...(errors === undefined ? {} : { errors: cutValue(errors, above) }),
  };
}

function isPrivate(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[-_]/g, '');
  return privateFields.has(plain) || privateEndings.some((ending) => plain.endsWith(ending));
}

function cutText(text: string): string {
  let cut = text.slice(0, TEXT_READ_MAX);
  for (const [form, instead] of privateForms) cut = cut.replace(form, instead);
  return cut.length > TEXT_LENGTH_MAX ? `${cut.slice(0, TEXT_LENGTH_MAX)}…` : cut;
}
