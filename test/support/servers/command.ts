// A command of the CLI, run in this process with its environment and its standard input.
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runProgram } from '../../../cli/program.js';

/** Its exit code, and what it wrote. */
export async function runCommand(
  env: Readonly<Record<string, string>>,
  words: readonly string[],
  input = '',
): Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }> {
  let [stdout, stderr] = ['', ''];
  const shell = {
    // Wide tables are in one line, so that tests find cells beside each other.
    env: { COLUMNS: '4000', ...env },
    stdin: Readable.from([input]),
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    exitCode: 0,
  };
  await runProgram(shell, words);
  // A host in this process may have begun the reads of this turn before the command wrote.
  await nextTurn();
  return { status: shell.exitCode, stdout, stderr };
}

/** What a command prints. A failure throws, so that no poll waits for it without end. */
export async function outputOf(...command: Parameters<typeof runCommand>): Promise<string> {
  const { status, stdout, stderr } = await runCommand(...command);
  if (status !== 0)
    throw new Error(`ponte ${command[1].join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}
