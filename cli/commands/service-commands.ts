// `ponte serve`, `ponte migrate` and `ponte doctor`.
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { type Command, Option } from 'commander';
import { modes } from '../../core/domain/base/tenant.js';
import { invalid } from '../../core/errors.js';
import type { BackupSchedule } from '../../host/backup-schedule.js';
import type { Config } from '../../host/config.js';
import type { Demo } from '../../host/development.js';
import type { Host, HostRole } from '../../host/main.js';
import { doctor, egressDoctor, partnerDoctor } from '../doctor.js';
import { addCommand, addOperatorCommand, type Shell, withAuthority } from '../operator.js';
import { choice, flag, httpUrl, values } from '../options.js';

/** Under npm, Ctrl-C arrives twice. A signal after this time ends the process immediately. */
const SAME_SIGNAL_MS = 1_000;
/** The process exits at the latest this long after the drain. */
const STOP_LATEST_MS = 9_500;

interface ServeOptions {
  readonly role: HostRole;
  readonly new: boolean;
  readonly backupTo?: string;
  readonly backupEvery?: string;
  readonly backupKeep?: string;
}

export function addServiceCommands(shell: Shell, program: Command, version: string): void {
  withAuthority(program.command('serve'), 'none')
    .description('run the API and its workers until SIGTERM or Ctrl-C')
    .addOption(
      new Option('--role <role>', 'api: no workers; worker: no API (several hosts on PostgreSQL)')
        .choices(['all', 'api', 'worker'])
        .default('all'),
    )
    .addOption(
      new Option('--new', 'create a new SQLite database where a served one is missing').default(
        false,
      ),
    )
    .option('--backup-to <folder>', 'folder for backups, like PONTE_BACKUP_TO')
    .option('--backup-every <interval>', 'such as 15m or 1h, like PONTE_BACKUP_EVERY')
    .option('--backup-keep <count>', 'backups to keep, like PONTE_BACKUP_KEEP')
    .action((options: ServeOptions) => serve(shell, version, options));

  addOperatorCommand(shell, program, {
    name: 'migrate',
    authority: 'none',
    description: 'migrate the database to this version; a repeat changes nothing',
    opening: 'makes',
    run: ({ migrated: applied, databaseName: database }) => {
      const did = applied.length === 0 ? '' : ` now: migrations ${applied.join(', ')} were applied`;
      const json = { migrated: applied.length > 0, applied, database };
      return { json, text: `${database} is up to date${did}.` };
    },
  });

  addCommand(shell, program, {
    name: 'seed',
    authority: 'none',
    isLong: true,
    description:
      'make a development database with fifty test payments of the past month, in every state ' +
      'that lasts, and a test key',
    run: async () => {
      shell.stderr.write('Making the payments takes about twenty seconds.\n');
      const { seedDatabase } = await import('../../host/seeding.js');
      const seeded = await seedDatabase(shell.env);
      const { payments, databaseName, orgId, owner, secret } = seeded;
      const text = [
        `${payments} payments of ${orgId} in ${databaseName}.`,
        `Test key:  ${secret}`,
        `Dashboard: run ponte serve and sign in as ${owner}.`,
      ];
      return { json: seeded, text: text.join('\n') };
    },
  });

  addDoctor(shell, program);
}

function addDoctor(shell: Shell, program: Command): void {
  addCommand(shell, program, {
    name: 'doctor',
    authority: 'none',
    description:
      'check configuration, database, ledger, workers, webhooks and what needs an operator, and ' +
      'say what to do; changes nothing',
    options: {
      partner: flag('check the connection to the settlement partner instead'),
      mode: choice('<mode>', modes, 'with --partner: test or live; both by default'),
      egress: flag(
        'check instead whether this machine reaches partner, mail server, document storage and ' +
          'receivers of webhooks',
      ),
      url: values('<url...>', 'with --egress: receivers of webhooks to try', httpUrl),
      subscriptions: flag('with --egress: the receivers of all subscriptions'),
    },
    run: async (options) => {
      const { partner, mode, egress, url, subscriptions } = options;
      if (mode !== null && !partner) throw invalid('Give --mode with --partner.');
      if ((url.length > 0 || subscriptions) && !egress) {
        throw invalid('Give --url and --subscriptions with --egress.');
      }
      if (egress) return egressDoctor(shell, options);
      return partner ? partnerDoctor(shell, mode) : doctor(shell);
    },
  });
}

async function serve(shell: Shell, version: string, options: ServeOptions): Promise<void> {
  const [{ readConfig }, { startHost }, { handleLastFailures }] = await Promise.all([
    import('../../host/config.js'),
    import('../../host/main.js'),
    import('../last-handler.js'),
  ]);
  const env = environmentOf(shell, options);
  const config = readConfig(env);
  let host: Host | null = null;
  let backups: BackupSchedule | null = null;
  let stoppingAtMs: number | null = null;
  const stop = (exitCode: number) => {
    stoppingAtMs = performance.now();
    setTimeout(() => process.exit(1), config.drainMs + STOP_LATEST_MS).unref();
    Promise.all([host?.stop(), backups?.stop()]).then(
      () => process.exit(exitCode),
      (error: unknown) => {
        host?.deps.log.error('the stop failed', { error });
        process.exit(1);
      },
    );
  };
  handleLastFailures({
    level: config.logLevel,
    isEnding: () => stoppingAtMs !== null,
    end: () => stop(1),
  });
  host = await startHost(config, options.role, options.new ? 'new' : 'first');
  backups = await backupsOf(config, host, env);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stoppingAtMs === null) stop(0);
      else if (performance.now() > stoppingAtMs + SAME_SIGNAL_MS) process.exit(1);
    });
  }
  keepRequestsYoung();
  // Last: a reader of this line may stop the server immediately.
  shell.stdout.write(startText(host, version, config));
}

/**
 * Under the first load requests live longer than the smallest room for short-lived objects lets
 * them. V8 concludes that such objects are old, and makes them where only a collection of the whole
 * heap removes them: 90 MB of a busy host, and no less processor time. V8 reads no compiled code
 * that was written under other flags, so what the start has compiled is written before.
 */
function keepRequestsYoung(): void {
  flushCompileCache();
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** Options override variables. */
function environmentOf(shell: Shell, options: ServeOptions): NodeJS.ProcessEnv {
  const given = {
    PONTE_BACKUP_TO: options.backupTo,
    PONTE_BACKUP_EVERY: options.backupEvery,
    PONTE_BACKUP_KEEP: options.backupKeep,
  };
  const set = Object.entries(given).filter(([, text]) => text !== undefined);
  return { ...shell.env, ...Object.fromEntries(set) };
}

/** Backups run `ponte backup` of this installation; null if none are configured. */
async function backupsOf(
  { backups: plan }: Config,
  { databaseName, deps: { clock, log, store } }: Host,
  env: NodeJS.ProcessEnv,
): Promise<BackupSchedule | null> {
  if (plan === null) return null;
  const [{ scheduleBackups }, { sourceOf }] = await Promise.all([
    import('../../host/backup-schedule.js'),
    import('../../host/backup.js'),
  ]);
  const program = [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
  const source = await sourceOf(store, databaseName);
  return scheduleBackups({ plan, source, program, env, clock, log });
}

export function startText(
  { url, mailboxUrl, metricsUrl, consoleUrl, demo, databaseName }: Host,
  version: string,
  config: { readonly production: boolean },
): string {
  const kind = config.production ? 'production' : 'development';
  const lines = [`Ponte ${version} is ready at ${url} (${kind}, ${databaseName})`, ''];
  if (demo !== null) {
    lines.push(
      `A demo organization was created: ${demo.orgId}`,
      'Its test API key, shown only once:',
      '',
      `  ${demo.secret}`,
      '',
      ...(demo.canCollect ? firstPaymentLines(url, demo) : payoutConfigLines(demo)),
    );
  }
  if (mailboxUrl !== null) {
    lines.push(`This host sends no mail; what it would send is at ${mailboxUrl}`, '');
    const dashboard = new URL('../dashboard', mailboxUrl);
    lines.push(`Dashboard: ${dashboard}, sign in as ${demo?.owner ?? 'a member'}`, '');
    if (demo === null) {
      const create = 'ponte key create --org <org-id> --mode test --name erp';
      lines.push(`Members and a new key: "ponte org list", "ponte member list", "${create}"`, '');
    }
  }
  if (metricsUrl !== null) lines.push(`Metrics: ${metricsUrl}`);
  if (consoleUrl !== null) lines.push(`Console: ${consoleUrl}`);
  lines.push(`API description: ${url}/docs`, '');
  return lines.join('\n');
}

function firstPaymentLines(url: string, { secret }: Demo): readonly string[] {
  return [
    'Create a payment:',
    '',
    `  curl -s ${url}/v1/payment-intents -H 'X-API-Key: ${secret}' ` +
      `-H 'Content-Type: application/json' ` +
      `-d '{"externalId":"order-1","amount":"250.00","buyer":{"email":"buyer@example.com"}}'`,
    '',
    'Open its hostedPaymentUrl in a browser to pay as the buyer.',
    '',
  ];
}

function payoutConfigLines({ orgId }: Demo): readonly string[] {
  return [
    'The organization cannot collect yet. When "ponte org show" says "no PIX destination", give it',
    'a PIX key:',
    '',
    `  echo finance@acme.example | ponte org payout-config ${orgId} --mode test`,
    '',
  ];
}
