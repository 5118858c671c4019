// Fills a new development database with payments of the past month: the workers run here, by a
// clock that ends before the present. Nothing is mailed, and there is no webhook.
import { createMemoryMailer } from '../adapters/mail/memory-mail.js';
import { DAY_MS } from '../core/domain/base/instant.js';
import { assert, StoreRefusal } from '../core/errors.js';
import { addMember } from '../core/usecases/access/members.js';
import { requireApproval } from '../core/usecases/parties/organizations.js';
import { SEEDED_MS, seedPayments } from '../core/usecases/sandbox/seed.js';
import { asService } from '../core/usecases/service/audit-log.js';
import { type Config, ConfigError, readConfig } from './config.js';
import { tokens } from './container.js';
import { createDemo, type Demo } from './development.js';
import { open } from './opening.js';
import { advanceTime, runUntilIdle, workOf } from './played-time.js';
import { explainErrors } from './startup-errors.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Seeded extends Pick<Demo, 'orgId' | 'owner' | 'secret'> {
  readonly payments: number;
  readonly databaseName: string;
}

/** Makes and approves what is seeded; the reader signs in as the owner. */
const COLLEAGUE = 'finance@demo.example';

/** ConfigError in production; StoreRefusal if the database is served or has organizations. */
export async function seedDatabase(env: Environment): Promise<Seeded> {
  const { production, database, partners } = readConfig(env);
  if (production || database.kind !== 'sqlite' || partners.test !== 'fake') {
    const needs = 'development, SQLite and the fake partner of test mode';
    throw new ConfigError([`ponte seed needs ${needs}`]);
  }
  const config: Config = {
    ...readConfig({
      ...env,
      PONTE_FAKE_PARTNER_DELAY_MS: '0',
      PONTE_FAKE_PARTNER_PAYINS: 'wait',
    }),
    // Some of the payments are cases for an alert.
    logLevel: 'silent',
  };
  return explainErrors(config, () => seeded(config, Date.now()));
}

async function seeded(config: Config, nowMs: number): Promise<Seeded> {
  const time = { nowMs: nowMs - (nowMs % DAY_MS) - SEEDED_MS };
  const clock = { nowMs: () => time.nowMs };
  const world = { clock, mailer: createMemoryMailer() };
  const { container } = await open(config, { world, creation: 'first' });
  const store = container.get(tokens.store);
  const deps = asService(container.get(tokens.deps), 'seed');
  try {
    store.acquireServing();
    await store.migrate();
    const demo = await createDemo(deps);
    if (demo === null) {
      const advice = 'Seed a new one: set PONTE_DATA_DIR to a new folder';
      throw new StoreRefusal(`${store.name} has organizations. ${advice}.`);
    }
    const { orgId, owner, secret } = demo;
    const work = workOf(container, time);
    await runUntilIdle(work, Number.POSITIVE_INFINITY);
    await requireApproval(deps, orgId, true);
    const { id: memberId } = await addMember(deps, { orgId, email: COLLEAGUE, role: 'finance' });
    const payments = await seedPayments(deps, {
      tenant: { orgId, mode: 'test' },
      memberId,
      pass: (durationMs) => advanceTime(work, durationMs),
    });
    assert(time.nowMs <= nowMs, 'nothing is seeded in the future');
    return { orgId, owner, secret, payments, databaseName: store.name };
  } finally {
    await deps.sender.close();
    await store.close();
  }
}
