// `ponte person export`: what is stored under one address, and nothing of others.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { runMails } from '../../core/usecases/mail/mails.js';
import { createOrganization } from '../../core/usecases/parties/organizations.js';
import { inviteBuyer } from '../../core/usecases/payments/invoices.js';
import { openForOperator } from '../../host/operator-access.js';
import { makeInvoice } from '../support/scenes/made-payments.js';
import { runCommand } from '../support/servers/command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const env = { PONTE_DATA_DIR: temporaryFolder(), PONTE_LOG_LEVEL: 'silent' } as const;
const addresses: string[] = [];
const ids: string[] = [];

before(async () => {
  const { deps, close } = await openForOperator(env, { opening: 'makes' });
  for (const name of ['Acme', 'Other']) {
    const { organization } = await createOrganization(deps, { name, sandboxKyb: true });
    const tenant = { orgId: organization.id, mode: 'test' } as const;
    const { payment } = await makeInvoice(deps, tenant);
    await inviteBuyer(deps, tenant, payment.id);
    ids.push(payment.id);
    addresses.push(payment.buyer.email.trim());
  }
  await runMails({ ...deps, mailer: { send: async () => ({ outcome: 'sent' }) } }, Date.now(), 10);
  await close();
});

interface Exported {
  readonly tables: readonly {
    readonly table: string;
    readonly kept: string;
    readonly withheld: readonly string[];
    readonly rows: readonly Readonly<Record<string, unknown>>[];
  }[];
}

async function exported(address: string) {
  const words = ['person', 'export', '--address', address, '--json'];
  const { status, stdout } = await runCommand(env, words);
  assert.equal(status, 0);
  return JSON.parse(stdout) as Exported;
}

test('all rows of an address are exported, over all organizations, with why they are kept', async () => {
  const { tables } = await exported(String(addresses[0]).toUpperCase());
  const rowsOf = (name: string) => tables.find(({ table }) => table === name)?.rows ?? [];
  const own = ids.filter((_, place) => addresses[place] === addresses[0]);
  assert.deepEqual(
    rowsOf('payments').map(({ id }) => id),
    own,
  );
  assert.deepEqual(
    rowsOf('mails').map(({ to_address: to }) => String(to).trim()),
    own.map(() => addresses[0]),
  );
  for (const id of own) {
    assert.ok(rowsOf('events').some(({ body }) => String(body).includes(id)));
  }
  assert.equal(rowsOf('buyers').length, 1);
  assert.match(String(rowsOf('payments')[0]?.['created_at']), /Z$/);
  assert.ok(tables.every(({ kept }) => kept.endsWith('.')));
});

test('links and codes of a person are named and not exported', async () => {
  const { tables } = await exported(String(addresses[0]));
  const mails = tables.find(({ table }) => table === 'mails');
  assert.ok(mails?.withheld.includes('token_sealed'));
  assert.equal(Object.hasOwn(mails?.rows[0] ?? {}, 'token_sealed'), false);
});

test('nothing of another person is exported: a part of an address, or a wildcard', async () => {
  const address = String(addresses[0]);
  for (const other of [address.slice(1), `_${address.slice(1)}`, '%']) {
    assert.deepEqual((await exported(other)).tables, []);
  }
});
