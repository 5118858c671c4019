// `ponte certify`: starts the integration if a command is given, plays the faults against it,
// prints their results, and writes the report.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { invalid } from '../../core/errors.js';
import { addCommand, type Outcome, type Shell } from '../operator.js';
import { httpUrl, parsed, value } from '../options.js';
import { tableOf } from '../output.js';
import type { CertifyAddress, FaultResult } from './certify.js';
import { type FaultName, faultNames, faults } from './certify-faults.js';
import { reportOf, reportPage } from './certify-report.js';

const PORT = 8090;
/** The receiver contract. */
const ANSWER_WITHIN_MS = 10_000;
/** A program may compile first. */
const PATIENCE_MS = 60_000;

interface CertifyOptions {
  readonly receiver: string;
  readonly probe: string | null;
  readonly port: number;
  readonly only: readonly FaultName[];
  readonly seed: string;
  readonly out: string | null;
  readonly json: boolean;
}

export function addCertifyCommand(shell: Shell, program: Command): void {
  addCommand(shell, program, {
    name: 'certify [command...]',
    authority: 'none',
    description:
      'play 24 faults against your own receiver and use of the API, in test mode, and report ' +
      'what survives them',
    options: {
      receiver: parsed('<url>', 'where your program takes webhooks', httpUrl).required(),
      probe: parsed('<url>', 'where your program shows what an order has', httpUrl),
      port: parsed('<port>', 'where the API of the test is served; 0: a free one', portNumber).or(
        PORT,
      ),
      only: parsed('<faults>', 'these alone, by number or name, separated by commas', namesIn).or(
        faultNames,
      ),
      seed: value('<seed>', 'decides what is random').or('1'),
      out: value('<folder>', 'write certify.html and certify.json there'),
    },
    details: [
      'Faults:',
      ...faultNames.map((name, at) => `${`${at + 1}`.padStart(4)} ${name}: ${faults[name].played}`),
    ].join('\n'),
    run: (options, command) => certify(shell, options, command),
  });
}

async function certify(
  shell: Shell,
  options: CertifyOptions,
  command: readonly string[],
): Promise<Outcome> {
  const { openCertifier } = await import('./certify.js');
  const certifier = await openCertifier(options.port);
  const ended = new AbortController();
  const program = command.length === 0 ? null : started(shell, options, command, certifier.address);
  program?.once('error', ({ message }) => ended.abort(`${command[0]}: ${message}`));
  // A command that starts the program elsewhere ends with 0.
  program?.once('exit', (code, signal) => {
    if (code !== 0) ended.abort(`the program ended with ${signal ?? `status ${code}`}`);
  });
  try {
    if (program === null) shell.stderr.write(`${settingsText(certifier.address)}\n`);
    const subject = { ...options, answerWithinMs: ANSWER_WITHIN_MS };
    const { only: named, seed } = options;
    const asked = { named, seed, patienceMs: PATIENCE_MS, ended: ended.signal };
    const run = await certifier.run(subject, asked);
    if (run.outcome === 'not_ready') throw invalid(run.reason);
    return outcomeOf(options, run.results);
  } finally {
    program?.kill();
    await certifier.close();
  }
}

function outcomeOf(options: CertifyOptions, results: readonly FaultResult[]): Outcome {
  const report = reportOf(options, results);
  if (options.out !== null) {
    mkdirSync(options.out, { recursive: true });
    writeFileSync(join(options.out, 'certify.html'), reportPage(report));
    writeFileSync(join(options.out, 'certify.json'), `${JSON.stringify(report, null, 2)}\n`);
  }
  const { ok, failed, notSeen } = report.summary;
  const table = tableOf(results, 'No fault was played.', {
    NO: ({ number }) => `${number}`,
    FAULT: ({ name }) => name,
    STATUS: ({ verdict }) => verdict,
    WHY: ({ findings }) => {
      const wrong = findings.filter(({ verdict }) => verdict !== 'ok');
      return [...new Set(wrong.map(({ text }) => text))].join('; ');
    },
  });
  const text = `${table}\n\n${ok} ok, ${failed} failed, ${notSeen} not seen.`;
  const exit = failed > 0 ? 'checkFailed' : notSeen > 0 ? 'attention' : 'done';
  return { json: report, text, exit };
}

function started(
  { stderr }: Shell,
  { receiver }: CertifyOptions,
  [program = '', ...words]: readonly string[],
  address: CertifyAddress,
): ChildProcess {
  const { port, protocol } = new URL(receiver);
  const usual = protocol === 'https:' ? '443' : '80';
  const settings = { ...settingsOf(address), PORT: port || usual };
  const child = spawn(program, words, {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The output of the command is the report.
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => stderr.write(part.toString()));
  }
  return child;
}

function settingsOf({ url, apiKey, secret }: CertifyAddress) {
  return { PONTE_URL: url, PONTE_KEY: apiKey, WEBHOOK_SECRET: secret };
}

function settingsText(address: CertifyAddress): string {
  const lines = Object.entries(settingsOf(address)).map(([name, value]) => `${name}=${value}`);
  return [...lines, 'Start your program with these settings. It is awaited for a minute.'].join(
    '\n',
  );
}

function namesIn(text: string): readonly FaultName[] {
  return text.split(',').map((word) => {
    const given = word.trim();
    const name = faultNames.find((known, at) => known === given || `${at + 1}` === given);
    if (name !== undefined) return name;
    throw new InvalidArgumentError(`Give numbers from 1 to ${faultNames.length}, or names.`);
  });
}

function portNumber(text: string): number {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError('Give a port.');
}
