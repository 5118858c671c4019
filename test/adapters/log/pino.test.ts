import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLog, type LogLevel } from '../../../adapters/log/pino.js';
import { PonteError } from '../../../core/errors.js';
import { loadTypeScript, projectRoot } from '../../support/source-tree.js';

type Fields = Readonly<Record<string, unknown>>;

/** What one line says; the text it is written as, too. */
function logged(fields: Fields, message = 'm'): { line: Record<string, unknown>; text: string } {
  const lines: string[] = [];
  createLog({ level: 'debug', destination: { write: (text) => lines.push(text) } }).info(
    message,
    fields,
  );
  assert.equal(lines.length, 1);
  const text = lines[0] ?? '';
  return { line: JSON.parse(text) as Record<string, unknown>, text };
}

test('a line is one JSON object with level, time, pid and message', () => {
  const { line, text } = logged({ paymentId: 'pi_1', count: 3 }, 'hello');
  assert.partialDeepStrictEqual(line, {
    level: 'info',
    pid: process.pid,
    message: 'hello',
    paymentId: 'pi_1',
    count: 3,
  });
  assert.match(String(line['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(text.endsWith('}\n'));
});

test('a level and those above it are written, and nothing when silent', () => {
  const expected: Readonly<Record<LogLevel, readonly string[]>> = {
    debug: ['debug', 'info', 'warn', 'error'],
    info: ['info', 'warn', 'error'],
    warn: ['warn', 'error'],
    error: ['error'],
    silent: [],
  };
  for (const [level, written] of Object.entries(expected)) {
    const lines: string[] = [];
    const log = createLog({
      level: level as LogLevel,
      destination: { write: (text) => lines.push(JSON.parse(text).level) },
    });
    for (const each of ['debug', 'info', 'warn', 'error'] as const) log[each]('m');
    assert.deepEqual(lines, written, level);
  }
});

test('warnings and errors that repeat are said once, then once a minute with their number', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: [unknown, unknown, unknown][] = [];
  const write = (text: string) => {
    const { message, error, repeated } = JSON.parse(text);
    lines.push([message, error?.message, repeated]);
  };
  const log = createLog({ level: 'info', destination: { write } });
  const full = new Error('the disk is full');
  const written = () => lines.splice(0);
  for (let count = 0; count < 5; count += 1) {
    log.error('step failed', { error: full });
    log.warn('step failed', { error: full });
    log.info('refused');
  }
  log.error('step failed', { error: new Error('another') });
  const info = ['refused', undefined, undefined];
  assert.deepEqual(written(), [
    ['step failed', 'the disk is full', undefined],
    ['step failed', 'the disk is full', undefined],
    info,
    info,
    info,
    info,
    info,
    ['step failed', 'another', undefined],
  ]);
  t.mock.timers.tick(59_999);
  assert.deepEqual(written(), []);
  t.mock.timers.tick(1);
  const fourTimes = ['step failed', 'the disk is full', 4];
  assert.deepEqual(written(), [fourTimes, fourTimes]);
  log.error('step failed', { error: full });
  assert.deepEqual(written(), []);
  t.mock.timers.tick(60_000);
  assert.deepEqual(written(), [['step failed', 'the disk is full', 1]]);
  t.mock.timers.tick(120_000);
  assert.deepEqual(written(), []);
  log.error('step failed', { error: full });
  assert.deepEqual(written(), [['step failed', 'the disk is full', undefined]], 'logged again');
});

test('a warning or an error that many requests meet is one line', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: unknown[] = [];
  const write = (text: string) => {
    const { level, requestId, client, reason, repeated } = JSON.parse(text);
    lines.push([level, requestId, client, reason, repeated]);
  };
  const log = createLog({ level: 'info', destination: { write } });
  for (const requestId of ['a', 'b', 'c']) {
    log.warn('refused', { requestId, client: `host-${requestId}`, reason: 'full' });
    log.error('failed', { requestId, reason: 'fault' });
  }
  log.warn('refused', { requestId: 'd', client: 'host-d', reason: 'away' });
  const none = undefined;
  assert.deepEqual(lines.splice(0), [
    ['warn', 'a', 'host-a', 'full', none],
    ['error', 'a', none, 'fault', none],
    ['warn', 'd', 'host-d', 'away', none],
  ]);
  t.mock.timers.tick(60_000);
  assert.deepEqual(lines, [
    ['warn', none, none, 'full', 2],
    ['error', none, none, 'fault', 2],
  ]);
});

test('a refusal is one line a minute for each client and reason', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: unknown[] = [];
  const write = (text: string) => {
    const { requestId, client, code, repeated } = JSON.parse(text);
    lines.push([requestId, client, code, repeated]);
  };
  const log = createLog({ level: 'info', destination: { write } });
  for (let count = 0; count < 1_000; count += 1) {
    for (const client of ['a', 'b']) {
      log.info('refused', { requestId: `${client}${count}`, client, code: 'NotFound' });
    }
  }
  log.info('refused', { requestId: 'other', client: 'a', code: 'Unauthorized' });
  assert.deepEqual(lines.splice(0), [
    ['a0', 'a', 'NotFound', undefined],
    ['b0', 'b', 'NotFound', undefined],
    ['other', 'a', 'Unauthorized', undefined],
  ]);
  t.mock.timers.tick(60_000);
  assert.deepEqual(lines, [
    [undefined, 'a', 'NotFound', 999],
    [undefined, 'b', 'NotFound', 999],
  ]);
});

test('requests of any number of clients write a limited number of lines', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: Record<string, unknown>[] = [];
  const write = (text: string) => lines.push(JSON.parse(text));
  const log = createLog({ level: 'info', destination: { write } });
  for (let count = 0; count < 5_000; count += 1) {
    log.info('refused', { requestId: 'r', client: `2001:db8::${count}` });
  }
  assert.equal(lines.length, 1_000);
  log.error('a command is late', { commandId: 'o1' });
  assert.equal(lines.length, 1_001, 'what no request causes is written');
  log.error('failed', { requestId: 'r' });
  assert.equal(lines.length, 1_002, 'refusals do not use up the lines of failures');
  t.mock.timers.tick(60_000);
  assert.equal(lines.length, 1_003);
  assert.partialDeepStrictEqual(lines.at(-1), {
    message: 'lines of requests were left out',
    lines: 4_000,
  });
  log.info('refused', { requestId: 'r', client: '2001:db8::1' });
  assert.equal(lines.length, 1_004, 'then lines are written again');
});

test('lines go to stderr, and stdout stays clean', () => {
  const script =
    "import('./adapters/log/pino.ts').then(({ createLog }) => " +
    "{ createLog({ level: 'info' }).info('to stderr'); process.kill(process.pid, 'SIGKILL'); })";
  const args = [...loadTypeScript, '--eval', script];
  // Killed right after the call: what was logged is there nevertheless.
  assert.throws(
    () =>
      execFileSync(process.execPath, args, { cwd: projectRoot, encoding: 'utf8', stdio: 'pipe' }),
    (error: { stdout: string; stderr: string }) =>
      error.stdout === '' && JSON.parse(error.stderr).message === 'to stderr',
  );
});

test('a full disk under stderr does not end the process', () => {
  const script =
    "import('./adapters/log/pino.ts').then(({ createLog }) => { " +
    "createLog({ level: 'info' }).info('lost'); setImmediate(() => console.log('alive')); })";
  const full = openSync('/dev/full', 'w');
  const stdout = execFileSync(process.execPath, [...loadTypeScript, '--eval', script], {
    cwd: projectRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', full],
  });
  closeSync(full);
  assert.equal(stdout, 'alive\n');
});

const privateNames = [
  'authorization',
  'Authorization',
  'x-api-key',
  'X-API-Key',
  'apiKey',
  'secret',
  'key',
  'webhookSecret',
  'password',
  'token',
  'leaseToken',
  'cookie',
  'set-cookie',
  'secretKeys',
  'email',
  'buyerEmail',
  'payer_email',
  'name',
  'firstName',
  'last_name',
  'legalName',
  'accountHolderName',
  'phone',
  'phoneNumber',
  'pixKey',
  'pix_key',
  'taxId',
  'tax_id',
  'cpf',
  'cnpj',
  'dateOfBirth',
  'addressLine1',
  'body',
  'metadata',
  'display',
  'owners',
  'selfieFile',
  'idDocFrontFile',
  'instructions',
  'detail',
  'where',
] as const;

test('secrets, keys and personal data are cut out by name at any depth', () => {
  const wrap = (value: unknown, depth: number): unknown =>
    depth === 0
      ? value
      : depth % 2 === 0
        ? { inner: wrap(value, depth - 1) }
        : [wrap(value, depth - 1)];
  for (const name of privateNames) {
    for (const value of ['s3cr3t', { deep: 's3cr3t' }, ['s3cr3t'], 31337]) {
      for (let depth = 0; depth < 9; depth += 1) {
        const { text } = logged({ outer: wrap({ [name]: value }, depth), [name]: value });
        assert.doesNotMatch(text, /s3cr3t|31337/, `${name} at ${depth}`);
      }
    }
  }
});

test('what operators need is not cut out', () => {
  const fields = {
    paymentId: 'pi_01',
    keyId: 'key_01',
    keyPrefix: 'pk_test_key_01',
    orgId: 'org_01',
    status: 'settled',
    filename: 'ponte.db',
    hostname: 'h',
    step: 'outbox',
    path: '/v1/payments',
    requestId: 'req-1',
    durationMs: 12,
    amountMinor: 125_000n,
    email: null,
    taxId: undefined,
    url: 'https://hooks.example.com:8443/in?a=1',
    sequence: 7,
    ok: true,
  };
  const { line } = logged(fields);
  const { taxId: _, ...expected } = fields;
  assert.partialDeepStrictEqual(line, { ...expected, amountMinor: '125000' });
});

const privateTexts: readonly (readonly [text: string, written: string])[] = [
  ['key pk_test_key_01.abcDEF-_123 used', 'key pk_test_key_01.[cut] used'],
  ['secret whsec_c2VjcmV0Cg== set', 'secret whsec_[cut] set'],
  ['Authorization: Bearer abcdefgh.ijkl', 'Authorization: Bearer [cut]'],
  ['jwt eyJhbGciOi.eyJzdWIi.c2ln end', 'jwt [cut] end'],
  ['postgres://ponte:hunter2@db:5432/p', 'postgres://ponte:[cut]@db:5432/p'],
  ['to ana.lima+x@mail.example.com.', 'to [cut].'],
  ['{"email":"ana@example.com"}', '{"email":"[cut]"}'],
  ['GET /in?token=abc&x=1', 'GET /in?token=[cut]&x=1'],
  ['CPF 123.456.789-09 refused', 'CPF [cut] refused'],
  ['CNPJ 12.ABC.345/01DE-35 refused', 'CNPJ [cut] refused'],
  ['phone +5511987654321', 'phone [cut]'],
  ['at 2026-01-01T00:00:00.000+00:00', 'at 2026-01-01T00:00:00.000+00:00'],
  ['constraint payments_external_id failed', 'constraint payments_external_id failed'],
];

test('secrets and personal data are cut out of any text by their form', () => {
  for (const [given, written] of privateTexts) {
    assert.equal(logged({}, given).line['message'], written);
    assert.equal(logged({ said: given }).line['said'], written);
    const { line, text } = logged({ error: new Error(given, { cause: new Error(given) }) });
    assert.partialDeepStrictEqual(line, {
      error: { message: written, cause: { message: written } },
    });
    if (given !== written) assert.ok(!text.includes(JSON.stringify(given).slice(1, -1)));
  }
});

test('a logged error has type, message, stack, code, cause and inner errors', () => {
  const cause = new AggregateError([new TypeError('inner')], 'several');
  const { line } = logged({ error: new PonteError('NotFound', 'gone', { cause }) });
  assert.partialDeepStrictEqual(line, {
    error: {
      type: 'PonteError',
      message: 'gone',
      code: 'NotFound',
      status: 404,
      cause: { type: 'AggregateError', errors: [{ type: 'TypeError', message: 'inner' }] },
    },
  });
  assert.match(JSON.stringify(line), /pino\.test\.ts/);
});

test('values that JSON does not know are written somehow', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const { line } = logged({
    circular,
    bytes: Buffer.from('s3cr3t'),
    at: new Date(0),
    map: new Map([['email', 'a']]),
    set: new Set([1n]),
    call: () => 0,
    link: new URL('https://u:hunter2@example.com/'),
    deep: { a: { b: { c: { d: { e: { f: { g: { h: { i: 1 } } } } } } } } },
  });
  assert.partialDeepStrictEqual(line, {
    circular: { self: '[circular]' },
    bytes: '[6 bytes]',
    at: '1970-01-01T00:00:00.000Z',
    map: { email: '[cut]' },
    set: ['1'],
    call: '[function]',
    link: 'https://u:[cut]@example.com/',
    deep: { a: { b: { c: { d: { e: { f: { g: { h: '[deep]' } } } } } } } },
  });
});

test('fields cannot take the place of level, time and message', () => {
  const { line } = logged({ level: 'x', message: 'y' }, 'm');
  assert.partialDeepStrictEqual(line, { level: 'info', message: 'm', level_: 'x', message_: 'y' });
});

test('logging any value never throws', () => {
  const trap = {
    get broken() {
      throw new Error('no');
    },
  };
  assert.equal(logged({ trap }).line['unloggable'], 'Error');
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.anything()), fc.string(), (fields, message) => {
      assert.equal(typeof logged(fields, message).line['message'], 'string');
    }),
  );
});

test('a long text is cut off', () => {
  const { line } = logged({ text: 'a'.repeat(100_000) });
  assert.equal(String(line['text']).length, 4_097);
});
