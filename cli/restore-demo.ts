// `ponte demo --restore`: restores an older copy of a database while the partner remembers what it
// did after it. Quarantine, check and release are those of production, and nothing is paid twice.

import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { developmentOperator } from '../core/domain/base/actor.js';
import { HOUR_MS } from '../core/domain/base/instant.js';
import { trialFacts } from '../core/domain/payments/payer-relation.js';
import type { PaymentStatus } from '../core/domain/payments/payment.js';
import type { Host } from '../host/main.js';
import type { Outcome, Shell } from './operator.js';

const PAYMENTS = 5;
const READ_EVERY_MS = 20;
/** Keeps the pay-ins of the backup open. */
const PAYIN_DELAY_MS = HOUR_MS;

interface DemoStage {
  readonly folder: string;
  readonly say: (line: string) => void;
  /** A server on the same data; its partner takes `delayMs` for each decision. */
  readonly serve: <T>(delayMs: number, work: (host: Host) => Promise<T>) => Promise<T>;
  readonly payouts: () => number;
}

export async function restoreDemo(shell: Shell, say: (line: string) => void): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'ponte-demo-'));
  try {
    return await played(await stageIn(shell, folder, say));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function stageIn(shell: Shell, folder: string, say: DemoStage['say']): Promise<DemoStage> {
  const [{ readConfig }, { startHost }, { memoryInFile }] = await Promise.all([
    import('../host/config.js'),
    import('../host/main.js'),
    import('../adapters/partner/fake-memory.js'),
  ]);
  const file = join(folder, 'partner.jsonl');
  const memory = memoryInFile(file);
  return {
    folder,
    say,
    async serve(delayMs, work) {
      const host = await startHost(
        readConfig({
          PONTE_DATA_DIR: folder,
          PONTE_PORT: '0',
          PONTE_FAKE_PARTNER_FILE: file,
          PONTE_FAKE_PARTNER_DELAY_MS: `${delayMs}`,
          PONTE_LOG_LEVEL: shell.env['PONTE_LOG_LEVEL'] ?? 'silent',
        }),
      );
      try {
        return await work(host);
      } finally {
        await host.stop();
      }
    },
    payouts: () => memory.all().filter(({ kind }) => kind === 'payout').length,
  };
}

async function played(stage: DemoStage): Promise<Outcome> {
  const { folder, say, serve, payouts } = stage;
  const database = join(folder, 'ponte.db');
  const backup = join(folder, 'backup.db');
  await serve(0, (host) => createdAndQuoted(host));
  await serve(PAYIN_DELAY_MS, (host) => advanced(host, 'on_ramp_pending'));
  await copyFile(database, backup);
  say(`Backup: ${PAYMENTS} payments whose buyers are about to pay.`);
  await serve(0, (host) => reached(host, 'settled'));
  const before = payouts();
  say(`After the backup the buyers paid, and the partner paid ${before} sellers.`);
  for (const end of ['-wal', '-shm']) await rm(`${database}${end}`, { force: true });
  await copyFile(backup, database);
  return serve(0, async ({ deps, url }) => {
    const [{ quarantineRestored, endQuarantine }, { checkRestored, isCheckComplete }] =
      await Promise.all([
        import('../core/usecases/service/epochs.js'),
        import('../core/usecases/money-desk/restore-check.js'),
      ]);
    const { number: epoch } = await quarantineRestored(deps);
    const ready = await fetch(`${url}/readyz`);
    const { status } = (await ready.json()) as { readonly status: string };
    say(`Restored: epoch ${epoch}, readyz says ${status}. Nothing is ordered or sent.`);
    const counts = await checkRestored(deps, ({ paymentId, was, is }) =>
      say(`  ${paymentId}: ${was} -> ${is}`),
    );
    say(`Check: ${counts.payments} payments were queried at the partner, ${counts.missed} missed.`);
    await endQuarantine(deps, { by: 'demo', forcedBecause: null });
    await reached({ deps }, 'settled');
    const paidTwice = payouts() - PAYMENTS;
    say(`Released: ${PAYMENTS} payments are settled, ${paidTwice} were paid twice.`);
    const complete = paidTwice === 0 && before === PAYMENTS && isCheckComplete(counts);
    return {
      json: { complete, epoch, ...counts, paidTwice },
      text: '',
      exit: complete ? 'done' : 'checkFailed',
    };
  });
}

async function createdAndQuoted({ deps, demo }: Host): Promise<void> {
  const [{ createPayment }, { createPaymentIntentBody }] = await Promise.all([
    import('../core/usecases/payments/payments.js'),
    import('../adapters/http/resources/payment-routes.js'),
  ]);
  const tenant = { orgId: demo?.orgId ?? '', mode: 'test' } as const;
  for (let count = 1; count <= PAYMENTS; count += 1) {
    const sent = createPaymentIntentBody.parse({
      externalId: `demo-${count}`,
      amount: '250.00',
      ...trialFacts,
      buyer: { email: `buyer-${count}@example.com` },
    });
    const origin = 'payment_intent';
    const by = { createdByMemberId: null, createdBy: developmentOperator.id } as const;
    const input = { ...sent, ...by, origin, idempotencyKey: null } as const;
    await createPayment(deps, tenant, input);
  }
  await advanced({ deps }, 'fx_quoted');
}

async function advanced({ deps }: Pick<Host, 'deps'>, to: PaymentStatus): Promise<void> {
  const { advancePayment } = await import('../core/usecases/sandbox/sandbox.js');
  for (const payment of await all({ deps })) await advancePayment(deps, payment, payment.id, to);
  await reached({ deps }, to);
}

async function reached({ deps }: Pick<Host, 'deps'>, status: PaymentStatus): Promise<void> {
  while ((await all({ deps })).some((payment) => payment.status !== status)) {
    await wait(READ_EVERY_MS);
  }
  const isSent = async () => {
    const commands = await deps.store.run((tx) => tx.commands.list({ stuck: false, limit: 100 }));
    return commands.every(({ partnerRef }) => partnerRef !== null);
  };
  while (!(await isSent())) await wait(READ_EVERY_MS);
}

function all({ deps }: Pick<Host, 'deps'>) {
  const filter = { status: null, orgId: null, beforeId: null, limit: 100 };
  return deps.store.run((tx) => tx.payments.list(filter));
}
