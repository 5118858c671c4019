// Hosts on PostgreSQL that are killed with work under way.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { type HostProcess, startHostProcess } from '../../support/servers/host-process.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const folder = temporaryFolder();
const PONTE_SECRET_KEYS = `a:${randomBytes(32).toString('base64')}`;

/** Starts hosts, whose partner may kill them. */
export function killedHosts(t: TestContext, url: string, name: string) {
  const env = {
    PONTE_SECRET_KEYS,
    PONTE_DATABASE_URL: url,
    PONTE_DATA_DIR: join(folder, name),
    PONTE_FAKE_PARTNER_DELAY_MS: '20',
    REFUSING_PARTNER_FOLDER: join(folder, name, 'partner'),
  };
  return async (kills = ''): Promise<HostProcess> => {
    const host = await startHostProcess(
      { ...env, REFUSING_PARTNER_KILLS: kills },
      { preload: './test/support/partners/refusing-partner.ts', replacesSources: true },
    );
    t.after(() => host.kill());
    return host;
  };
}

/** No lease of now ends by itself: what a test waits for does not wait for that. */
export async function prolongLeases(url: string, table: 'partner_commands' | 'deliveries') {
  const client = new pg.Client(url);
  await client.connect();
  const later = "due_at + interval '1 day'";
  await client.query(`update ${table} set due_at = ${later} where lease_token is not null`);
  await client.end();
}

export const order = {
  externalId: 'order-1',
  amount: '250.00',
  buyer: { email: 'ana@buyer.example' },
};
