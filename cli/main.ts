// The command `ponte`: its nouns and verbs, and how usage errors are told. Node's version was
// checked by bin.cjs before this file is loaded.
import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addCommandsVerbs, addLedgerVerbs } from './commands-verbs.js';
import { addDeliveriesVerbs } from './deliveries-verbs.js';
import { addDemoVerb } from './demo.js';
import { addKeyVerbs } from './key-verbs.js';
import { exitCodes, failure, finish } from './operator.js';
import { addOrgVerbs } from './org-verbs.js';
import { addPaymentsVerbs } from './payments-verbs.js';
import { addServiceVerbs } from './service-verbs.js';

const program = new Command('ponte')
  .description('Cross-border B2B collections: API host and operators’ commands')
  .version(manifest.version)
  .exitOverride()
  .showHelpAfterError('Add --help for how it is used.')
  .addHelpText('after', () => `\nExit codes:\n${exitCodeLines()}`);

addServiceVerbs(program, manifest.version);
addDemoVerb(program);
addOrgVerbs(program);
addKeyVerbs(program);
addPaymentsVerbs(program);
addDeliveriesVerbs(program);
addCommandsVerbs(program);
addLedgerVerbs(program);

try {
  await program.parseAsync();
} catch (error) {
  const json = process.argv.includes('--json');
  if (!(error instanceof CommanderError)) {
    finish(await failure(error), json);
  } else if (error.exitCode === 0) {
    process.exitCode = 0;
  } else {
    // Commander has told people on stderr.
    const { message } = error;
    const envelope = { statusCode: 400, error: 'ValidationError', message };
    finish({ json: envelope, text: '', exit: 'invalid' }, json);
  }
}

function exitCodeLines(): string {
  return Object.values(exitCodes)
    .map(([code, meaning]) => `  ${code}  ${meaning}`)
    .join('\n');
}
