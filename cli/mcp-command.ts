// The command `ponte mcp`. The server is loaded when it runs (mcp.ts).
import type { Command } from 'commander';
import { sourceOf } from './listen.js';
import { failureOutcome, finish, type Shell, withAuthority } from './operator.js';
import { addOptions, type OptionValues, value } from './options.js';

const agentOptions = {
  url: value('<url>', 'the server; the one of PONTE_BASE_URL or PONTE_PORT by default'),
  key: value('<api-key>', 'an API key; PONTE_KEY or PONTE_KEY_FILE by default'),
};

export function addMcpCommand(shell: Shell, program: Command): void {
  const command = program
    .command('mcp')
    .description(
      'serve the Model Context Protocol on standard input and output: an agent lists, reads and ' +
        'explains payments, and simulates in test mode',
    );
  addOptions(command, agentOptions);
  withAuthority(command, 'none');
  command.action(async () => {
    try {
      const source = await sourceOf(shell, command.opts<OptionValues<typeof agentOptions>>());
      const { serveAgent } = await import('./mcp.js');
      await serveAgent(shell, source);
    } catch (error) {
      finish(shell, failureOutcome(shell, error), false);
    }
  });
}
