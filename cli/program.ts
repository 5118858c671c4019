// The command `ponte`: all its commands, and the output of usage errors. The environment and the
// streams are arguments, so that tests run commands as functions.
import { Command, CommanderError, Help, type Option } from 'commander';
import { productVersion } from '../host/product-version.js';
import { addCertifyCommand } from './certify/certify-command.js';
import { addAuditCommands } from './commands/audit-commands.js';
import { addBackupCommands } from './commands/backup-commands.js';
import { addDeliveriesCommands } from './commands/deliveries-commands.js';
import { addDocumentsCommands } from './commands/documents-commands.js';
import { addExportCommands } from './commands/export-commands.js';
import { addKeyCommands } from './commands/key-commands.js';
import { addLedgerCommands } from './commands/ledger-commands.js';
import { addMailsCommands } from './commands/mails-commands.js';
import { addMemberCommands } from './commands/member-commands.js';
import { addMoneyCommands } from './commands/money-commands.js';
import { addOperatorsCommands } from './commands/operator-commands.js';
import { addOrgCommands } from './commands/org-commands.js';
import { addPaperCommands } from './commands/paper-commands.js';
import { addPartnerBinding, addPartnerCommands } from './commands/partner-commands.js';
import { addPaymentsCommands } from './commands/payments-commands.js';
import { addPersonCommands } from './commands/person-commands.js';
import { addProposalCommands } from './commands/proposal-commands.js';
import { addReconcileCommand } from './commands/reconcile-command.js';
import { addRefundsCommands } from './commands/refunds-commands.js';
import { addReleaseCommands } from './commands/release-commands.js';
import { addRequestCommands } from './commands/request-commands.js';
import { addSecretsCommands } from './commands/secrets-commands.js';
import { addServiceCommands } from './commands/service-commands.js';
import { addStoreCommands } from './commands/store-commands.js';
import { addWaitingCommand } from './commands/waiting-command.js';
import { addDemoCommand } from './demo.js';
import { exitCodes } from './exit-codes.js';
import { addListenCommand } from './listen.js';
import { addMcpCommand } from './mcp-command.js';
import { describedCommand, failureOutcome, finish, type Shell } from './operator.js';
import { addProofCommands } from './proof-verify.js';

/** What holds for all commands. */
export const commandRules = [
  'Commands work on the configured database, also while hosts run. serve, migrate, seed, demo',
  'and org create create a missing database; all others refuse. --json prints one JSON document:',
  'the object of the API where there is one, a list as { data, nextCursor }, a refusal as in the',
  'API. --dry-run, where offered, decides as usual and changes nothing. ponte <command> --help',
  'lists the options. Tables fit the terminal, in a pipe 80 columns or COLUMNS: what does not fit',
  'beside the other cells stands below its row. NO_COLOR turns color off.',
].join('\n');

/** Runs one command and sets `shell.exitCode`. */
export async function runProgram(shell: Shell, words: readonly string[]): Promise<void> {
  const program = createProgram(shell);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    const json = words.includes('--json');
    if (error instanceof CommanderError) reportUsage(shell, error, json);
    else finish(shell, failureOutcome(shell, error), json);
  }
}

/** The declarations of all commands, from which the reference of commands is made too. */
export function createProgram(shell: Shell): Command {
  const program = new Command('ponte')
    .description('Cross-border B2B collections: API host and operator commands')
    .version(productVersion)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      // One prefix for all errors.
      writeErr: (text) => shell.stderr.write(withUsualName(text).replace(/^error: /, 'ponte: ')),
    })
    .configureHelp({ optionDescription, commandDescription: describedCommand })
    .showHelpAfterError('Add --help for usage.')
    .addHelpText('after', () => `\n${commandRules}\n\nExit codes:\n${exitCodeLines()}`);
  addServiceCommands(shell, program, productVersion);
  addDemoCommand(shell, program);
  addListenCommand(shell, program);
  addCertifyCommand(shell, program);
  addMcpCommand(shell, program);
  addOperatorsCommands(shell, program);
  addOrgCommands(shell, program);
  addKeyCommands(shell, program);
  addMemberCommands(shell, program);
  addPaymentsCommands(shell, program);
  addRefundsCommands(shell, program);
  addMoneyCommands(shell, program);
  addWaitingCommand(shell, program);
  addProposalCommands(shell, program);
  addDeliveriesCommands(shell, program);
  addMailsCommands(shell, program);
  addPersonCommands(shell, program);
  addPartnerCommands(shell, program);
  addPartnerBinding(shell, program);
  addDocumentsCommands(shell, program);
  addPaperCommands(shell, program);
  addLedgerCommands(shell, program);
  addExportCommands(shell, program);
  addProofCommands(shell, program);
  addAuditCommands(shell, program);
  addRequestCommands(shell, program);
  addReconcileCommand(shell, program);
  addSecretsCommands(shell, program);
  addStoreCommands(shell, program);
  addBackupCommands(shell, program);
  addReleaseCommands(shell, program);
  return program;
}

/** Leaves out an empty default and marks an option that is required. */
function optionDescription(this: Help, option: Option): string {
  const isEmpty = ['null', 'false', '[]'].includes(JSON.stringify(option.defaultValue));
  const described = isEmpty
    ? (Object.create(option, { defaultValue: { value: undefined } }) as Option)
    : option;
  const text = Help.prototype.optionDescription.call(this, described);
  return option.mandatory ? `${text}; required` : text;
}

/** Commander has already printed the message for people. */
function reportUsage(shell: Shell, { exitCode, message }: CommanderError, json: boolean): void {
  if (exitCode === 0) {
    shell.exitCode = exitCodes.done[0];
    return;
  }
  const said = withUsualName(message).replace(/^error: /, '');
  const envelope = { statusCode: 400, error: 'ValidationError', message: said };
  finish(shell, { json: envelope, text: '', exit: 'invalid' }, json);
}

/** What other programs call a command of this one. */
const usualNames: Readonly<Record<string, string>> = {
  start: 'serve',
  run: 'serve',
  server: 'serve',
  status: 'doctor',
  check: 'doctor',
};

/** The refusal of an unknown command suggests the one that does it, not the one spelled alike. */
function withUsualName(text: string): string {
  const [refusal, unknown = ''] = /^error: unknown command '(\w+)'/.exec(text) ?? [];
  const name = Object.hasOwn(usualNames, unknown) ? usualNames[unknown] : undefined;
  if (refusal === undefined || name === undefined) return text;
  const suggestion = `${refusal}\n(Did you mean ${name}?)`;
  const rest = text.slice(refusal.length).replace(/^\n\(Did you mean .*\?\)/, '');
  return `${suggestion}${rest}`;
}

function exitCodeLines(): string {
  return Object.values(exitCodes)
    .map(([code, meaning]) => `  ${code}  ${meaning}`)
    .join('\n');
}
