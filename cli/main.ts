// Where the command `ponte` meets its process. Node's version was checked by bin.cjs before this
// file is loaded. The process ends by itself: a running server keeps it alive.
import { runProgram } from './program.js';

// Whoever reads the output has seen enough (`ponte … | head`): nobody is left to be told more.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
const shell = {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  exitCode: 0,
};
await runProgram(shell, process.argv.slice(2));
process.exitCode = shell.exitCode;
