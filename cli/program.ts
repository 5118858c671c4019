// The command `ponte`: its nouns and verbs, and how usage errors are told. It knows no process:
// what it is given and where it prints come in, so that tests run commands as functions.
import { Command, CommanderError, Help, type Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addBackupVerbs } from './backup-commands.js';
import { addDeliveriesVerbs } from './deliveries-commands.js';
import { addDemoVerb } from './demo.js';
import { addDocumentsVerbs } from './documents-commands.js';
import { exitCodes } from './exit-codes.js';
import { addKeyVerbs } from './key-commands.js';
import { addListenVerb } from './listen.js';
import { addMailsVerbs } from './mails-commands.js';
import { addMemberVerbs } from './member-commands.js';
import { failure, finish, type Shell } from './operator.js';
import { addOrgVerbs } from './org-commands.js';
import { addCommandsVerbs, addLedgerVerbs } from './partner-commands.js';
import { addPaymentsVerbs } from './payments-commands.js';
import { addReleaseVerbs } from './release-commands.js';
import { addSecretsVerbs } from './secrets-commands.js';
import { addServiceVerbs } from './service-commands.js';
import { addStoreVerbs } from './store-commands.js';

/** Runs one command to its end; `shell.exitCode` then tells how it went. */
export async function runProgram(shell: Shell, words: readonly string[]): Promise<void> {
  const program = new Command('ponte')
    .description('Cross-border B2B collections: API host and operators’ commands')
    .version(manifest.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(text),
    })
    .configureHelp({ optionDescription })
    .showHelpAfterError('Add --help for how it is used.')
    .addHelpText('after', () => `\nExit codes:\n${exitCodeLines()}`);
  addServiceVerbs(shell, program, manifest.version);
  addDemoVerb(shell, program);
  addListenVerb(shell, program);
  addOrgVerbs(shell, program);
  addKeyVerbs(shell, program);
  addMemberVerbs(shell, program);
  addPaymentsVerbs(shell, program);
  addDeliveriesVerbs(shell, program);
  addMailsVerbs(shell, program);
  addCommandsVerbs(shell, program);
  addDocumentsVerbs(shell, program);
  addLedgerVerbs(shell, program);
  addSecretsVerbs(shell, program);
  addStoreVerbs(shell, program);
  addBackupVerbs(shell, program);
  addReleaseVerbs(shell, program);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    const json = words.includes('--json');
    if (error instanceof CommanderError) tellUsage(shell, error, json);
    else finish(shell, failure(shell, error), json);
  }
}

/** That nothing is the default goes without saying. */
function optionDescription(this: Help, option: Option): string {
  const nothing = ['null', 'false', '[]'].includes(JSON.stringify(option.defaultValue));
  const told = nothing
    ? (Object.create(option, { defaultValue: { value: undefined } }) as Option)
    : option;
  return Help.prototype.optionDescription.call(this, told);
}

/** Commander has told people already. */
function tellUsage(shell: Shell, { exitCode, message }: CommanderError, json: boolean): void {
  if (exitCode === 0) {
    shell.exitCode = exitCodes.done[0];
    return;
  }
  const envelope = { statusCode: 400, error: 'ValidationError', message };
  finish(shell, { json: envelope, text: '', exit: 'invalid' }, json);
}

function exitCodeLines(): string {
  return Object.values(exitCodes)
    .map(([code, meaning]) => `  ${code}  ${meaning}`)
    .join('\n');
}
