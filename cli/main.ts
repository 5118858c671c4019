// Runs the command `ponte` in this process. bin.cjs has checked the version of Node. A running
// server keeps the process alive.
import { runProgram } from './program.js';

const { env, stdin, stdout, stderr } = process;
const shell = { env, stdin, stdout, stderr, exitCode: 0 };
stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // The reader has closed the pipe, as in `ponte … | head`.
  if (code === 'EPIPE') process.exit();
  stderr.write(`ponte: The output cannot be written: ${message}\n`);
  process.exit(1);
});
await runProgram(shell, process.argv.slice(2));
process.exitCode = shell.exitCode;
