// Runs the command `ponte` in this process. bin.cjs has checked the version of Node. A running
// server keeps the process alive.
import { runProgram } from './program.js';

// The reader has closed the pipe, as in `ponte … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
const { env, stdin, stdout, stderr } = process;
const shell = { env, stdin, stdout, stderr, exitCode: 0 };
await runProgram(shell, process.argv.slice(2));
process.exitCode = shell.exitCode;
