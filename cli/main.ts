// Where the command `ponte` meets its process. Node's version was checked by bin.cjs before this
// file is loaded. The process ends by itself: a running server keeps it alive.
import { runProgram } from './program.js';

const shell = {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  exitCode: 0,
};
await runProgram(shell, process.argv.slice(2));
process.exitCode = shell.exitCode;
