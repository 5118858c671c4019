// `ponte person`: what is stored under one address and nothing of others, and its erasure.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMember, removeMember } from '../../core/usecases/access/members.js';
import { runMails } from '../../core/usecases/mail/mails.js';
import { createOrganization } from '../../core/usecases/parties/organizations.js';
import { inviteBuyer } from '../../core/usecases/payments/invoices.js';
import { cancelPayment } from '../../core/usecases/payments/payments.js';
import { asService } from '../../core/usecases/service/audit-log.js';
import { openForOperator } from '../../host/operator-access.js';
import { makeInvoice } from '../support/scenes/made-payments.js';
import { runCommand } from '../support/servers/command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const env = { PONTE_DATA_DIR: temporaryFolder(), PONTE_LOG_LEVEL: 'silent' } as const;
const addresses: string[] = [];
const ids: string[] = [];

const { close, ...opened } = await openForOperator(env, { opening: 'makes' });
const deps = asService(opened.deps, 'set up');
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

test('a person is erased by one command, and the audit log has an entry of each row', async () => {
  const { close, ...opened } = await openForOperator(env, { opening: 'makes' });
  const deps = asService(opened.deps, 'set up');
  const { organization } = await createOrganization(deps, { name: 'Gone', sandboxKyb: true });
  const tenant = { orgId: organization.id, mode: 'test' } as const;
  const buyer = { email: 'Rosa@gone.example', name: 'Rosa Prado', country: null, phone: '+55 1' };
  const member = { orgId: organization.id, email: buyer.email, role: 'viewer' } as const;
  const { id: memberId } = await addMember(deps, member);
  const { payment } = await makeInvoice(deps, tenant, { buyer });
  const erase = ['person', 'erase', '--address', buyer.email, '--json'];
  const open = await runCommand(env, erase);
  const refused = new RegExp(`${payment.id} is approved; ${memberId} is a member of`);
  assert.match(open.stderr, refused);
  await cancelPayment(deps, tenant, payment.id, 'over');
  await removeMember(deps, organization.id, buyer.email);
  await close();
  const { stdout, status } = await runCommand(env, erase);
  assert.equal(status, 0);
  const { tables } = JSON.parse(stdout) as {
    readonly tables: readonly {
      readonly table: string;
      readonly erased: readonly string[];
      readonly kept: readonly string[];
      readonly because: string;
    }[];
  };
  const told = tables.find(({ table }) => table === 'payments');
  assert.ok(told?.erased.includes('buyer_email') && told.kept.includes('buyer_name'));
  assert.match(told?.because ?? '', /laws/);
  assert.deepEqual((await exported(buyer.email)).tables, []);
  const verified = await runCommand(env, ['audit', 'verify', '--json']);
  assert.equal(JSON.parse(verified.stdout).sound, true);
  const entries = await runCommand(env, ['audit', 'list', '--json']);
  for (const id of [payment.id, memberId]) {
    assert.match(entries.stdout, new RegExp(`"action":"person erase"[^]*${id}`));
  }
  assert.doesNotMatch(entries.stdout, /rosa/i);
  const proposals = await runCommand(env, ['proposals', '--all', '--json']);
  assert.doesNotMatch(proposals.stdout, /rosa@/i);
  const again = await runCommand(env, erase);
  assert.match(again.stderr, /Nothing is stored under it/);
});
