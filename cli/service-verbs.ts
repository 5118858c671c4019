// `ponte serve`, `ponte migrate` and `ponte doctor`: running the service and looking after what it
// runs on.
import { type Command, Option } from 'commander';
import type { Host, HostRole } from '../host/main.js';
import { doctor } from './doctor.js';
import { addVerb, asOperator, type Shell } from './operator.js';

/** Ctrl-C under npm comes twice, from the terminal and from npm; a later signal is meant. */
const SAME_SIGNAL_MS = 1_000;
/** So long after the drain a stop is no longer waited for. */
const STOP_LATEST_MS = 9_500;

export function addServiceVerbs(shell: Shell, program: Command, version: string): void {
  program
    .command('serve')
    .description('run the API and its workers until SIGTERM or Ctrl-C')
    .addOption(
      new Option('--role <role>', 'api: no workers; worker: no API (several hosts on PostgreSQL)')
        .choices(['all', 'api', 'worker'])
        .default('all'),
    )
    .action(({ role }: { role: HostRole }) => serve(shell, version, role));

  addVerb(shell, program, {
    name: 'migrate',
    description: 'bring the database to this version; again it changes nothing',
    run: () =>
      asOperator(
        shell,
        async ({ migrated: applied, databaseName: database }) => {
          const did =
            applied.length === 0 ? '' : ` now: migrations ${applied.join(', ')} were applied`;
          const json = { migrated: applied.length > 0, applied, database };
          return { json, text: `${database} is up to date${did}.` };
        },
        { opening: 'makes' },
      ),
  });

  addVerb(shell, program, {
    name: 'doctor',
    description: 'check configuration, database, books and what waits for a person',
    run: () => doctor(shell),
  });
}

async function serve(shell: Shell, version: string, role: HostRole): Promise<void> {
  const [{ readConfig }, { startHost }] = await Promise.all([
    import('../host/config.js'),
    import('../host/main.js'),
  ]);
  const config = readConfig(shell.env);
  const host = await startHost(config, role);
  let stoppingAtMs: number | null = null;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stoppingAtMs !== null) {
        if (performance.now() > stoppingAtMs + SAME_SIGNAL_MS) process.exit(1);
        return;
      }
      stoppingAtMs = performance.now();
      setTimeout(() => process.exit(1), config.drainMs + STOP_LATEST_MS).unref();
      host.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          host.deps.log.error('the stop failed', { error });
          process.exit(1);
        },
      );
    });
  }
  // Last: who reads this may stop it at once.
  shell.stdout.write(startText(host, version, config));
}

function startText(
  { url, metricsUrl, demo, databaseName }: Host,
  version: string,
  config: { readonly production: boolean },
): string {
  const kind = config.production ? 'production' : 'development';
  const lines = [`Ponte ${version} is ready at ${url} (${kind}, ${databaseName})`, ''];
  if (demo !== null) {
    lines.push(
      `A demo organization was made: ${demo.orgId}`,
      'Its test API key, shown this once:',
      '',
      `  ${demo.secret}`,
      '',
      'Create a payment:',
      '',
      `  curl -s ${url}/v1/payment-intents -H 'X-API-Key: ${demo.secret}' ` +
        `-H 'Content-Type: application/json' ` +
        `-d '{"externalId":"order-1","amount":"250.00","buyer":{"email":"buyer@example.com"}}'`,
      '',
    );
  }
  if (metricsUrl !== null) lines.push(`Metrics: ${metricsUrl}`);
  lines.push(`Description of the API: ${url}/docs`, '');
  return lines.join('\n');
}
