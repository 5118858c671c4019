// `ponte serve`, `ponte migrate` and `ponte doctor`: running the service and looking after what it
// runs on.
import { type Command, Option } from 'commander';
import type { Host, HostRole } from '../host/main.js';
import { addVerb, asOperator, type Operator, type Outcome, type Shell } from './operator.js';
import { table } from './output.js';

/** Ctrl-C under npm comes twice, from the terminal and from npm; a later signal is meant. */
const SAME_SIGNAL_MS = 1_000;
/** After this a stop is no longer waited for. */
const STOP_LATEST_MS = 9_500;
/** Rows of trouble looked for at most: doctor tells that there is some, lists tell which. */
const TROUBLE_MAX = 100;

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
      asOperator(shell, async ({ migrated: applied, databaseName: database }) => {
        const did =
          applied.length === 0 ? '' : ` now: migrations ${applied.join(', ')} were applied`;
        const json = { migrated: applied.length > 0, applied, database };
        return { json, text: `${database} is up to date${did}.` };
      }),
  });

  addVerb(shell, program, {
    name: 'doctor',
    description: 'check configuration, database, books and what waits for a person',
    run: () => asOperator(shell, examine, { examines: true }),
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
      setTimeout(() => process.exit(1), STOP_LATEST_MS).unref();
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
  lines.push(`Description of the API: ${url}/docs-json`, '');
  return lines.join('\n');
}

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

async function examine({ deps, config, databaseName, keysProblem }: Operator): Promise<Outcome> {
  const [health, found] = await Promise.all([
    deps.store.health(),
    deps.store.run(async (tx) => ({
      imbalances: await tx.ledger.imbalances(TROUBLE_MAX),
      stuck: await tx.commands.list({ stuck: true, limit: TROUBLE_MAX }),
      owed: await tx.funds.open(TROUBLE_MAX),
      dead: await tx.deliveries.list({
        status: 'dead_letter',
        subscriptionId: null,
        beforeId: null,
        limit: TROUBLE_MAX,
      }),
    })),
  ]);
  const unknown = config.unknownVariables;
  const checks: readonly Check[] = [
    { name: 'node', ok: true, detail: process.version },
    none('configuration', unknown, `unknown: ${unknown.join(', ')}`, 'valid'),
    { name: 'secret keys', ok: keysProblem === null, detail: keysProblem ?? 'of this database' },
    { name: 'database', ok: health.database, detail: databaseName },
    { name: 'migrations', ok: health.migrations, detail: health.migrations ? 'done' : 'pending' },
    none('ledger', found.imbalances, 'does not balance: ponte ledger verify', 'balances'),
    none('partner commands', found.stuck, 'stuck: ponte commands list --stuck', 'none stuck'),
    none('refunds', found.owed, 'open: ponte refunds list', 'none open'),
    none(
      'webhooks',
      found.dead,
      'dead letters: ponte deliveries list --status dead_letter',
      'no dead letters',
    ),
  ];
  const ok = checks.every((check) => check.ok);
  return {
    json: { ok, checks },
    text: table(
      ['CHECK', 'OK', 'DETAIL'],
      checks.map(({ name, ok: good, detail }) => [name, good ? 'yes' : 'NO', detail]),
      '',
    ),
    exit: ok ? 'done' : 'checkFailed',
  };
}

function none(name: string, found: readonly unknown[], bad: string, good: string): Check {
  return { name, ok: found.length === 0, detail: found.length === 0 ? good : bad };
}
