// `ponte serve`, `ponte migrate` and `ponte doctor`: running the service and looking after what it
// runs on.
import { type Command, Option } from 'commander';
import type { BackupSchedule } from '../host/backup-schedule.js';
import type { Config } from '../host/config.js';
import type { Host, HostRole } from '../host/main.js';
import { doctor } from './doctor.js';
import { addVerb, asOperator, type Shell } from './operator.js';

/** Ctrl-C under npm comes twice, from the terminal and from npm; a later signal is meant. */
const SAME_SIGNAL_MS = 1_000;
/** So long after the drain a stop is no longer waited for. */
const STOP_LATEST_MS = 9_500;

interface ServeOptions {
  readonly role: HostRole;
  readonly new: boolean;
  readonly backupTo?: string;
  readonly backupEvery?: string;
  readonly backupKeep?: string;
}

export function addServiceVerbs(shell: Shell, program: Command, version: string): void {
  program
    .command('serve')
    .description('run the API and its workers until SIGTERM or Ctrl-C')
    .addOption(
      new Option('--role <role>', 'api: no workers; worker: no API (several hosts on PostgreSQL)')
        .choices(['all', 'api', 'worker'])
        .default('all'),
    )
    .addOption(
      new Option('--new', 'begin a new SQLite database where one was served and is lost').default(
        false,
      ),
    )
    .option('--backup-to <folder>', 'make backups there; as PONTE_BACKUP_TO')
    .option('--backup-every <interval>', 'how often, as 15m or 1h; as PONTE_BACKUP_EVERY')
    .option('--backup-keep <count>', 'how many are kept; as PONTE_BACKUP_KEEP')
    .action((options: ServeOptions) => serve(shell, version, options));

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

async function serve(shell: Shell, version: string, options: ServeOptions): Promise<void> {
  const [{ readConfig }, { startHost }] = await Promise.all([
    import('../host/config.js'),
    import('../host/main.js'),
  ]);
  const env = environmentOf(shell, options);
  const config = readConfig(env);
  const host = await startHost(config, options.role, options.new ? 'new' : 'first');
  const backups = await backupsOf(config, host, env);
  let stoppingAtMs: number | null = null;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stoppingAtMs !== null) {
        if (performance.now() > stoppingAtMs + SAME_SIGNAL_MS) process.exit(1);
        return;
      }
      stoppingAtMs = performance.now();
      setTimeout(() => process.exit(1), config.drainMs + STOP_LATEST_MS).unref();
      Promise.all([host.stop(), backups?.stop()]).then(
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

/** Options come before variables. */
function environmentOf(shell: Shell, options: ServeOptions): NodeJS.ProcessEnv {
  const given = {
    PONTE_BACKUP_TO: options.backupTo,
    PONTE_BACKUP_EVERY: options.backupEvery,
    PONTE_BACKUP_KEEP: options.backupKeep,
  };
  const set = Object.entries(given).filter(([, text]) => text !== undefined);
  return { ...shell.env, ...Object.fromEntries(set) };
}

/** Made by this very program, as an operator would call it; null when none are wanted. */
async function backupsOf(
  { backups: plan }: Config,
  { databaseName, deps: { clock, log, store } }: Host,
  env: NodeJS.ProcessEnv,
): Promise<BackupSchedule | null> {
  if (plan === null) return null;
  const [{ scheduleBackups }, { sourceOf }] = await Promise.all([
    import('../host/backup-schedule.js'),
    import('../host/backup.js'),
  ]);
  const program = [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
  const source = await sourceOf(store, databaseName);
  return scheduleBackups({ plan, source, program, env, clock, log });
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
