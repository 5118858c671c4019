// `ponte mails list`: the outcome of each mail, without its content.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { runMails } from '../../core/usecases/mail/mails.js';
import { createOrganization } from '../../core/usecases/parties/organizations.js';
import { inviteBuyer } from '../../core/usecases/payments/invoices.js';
import { openForOperator } from '../../host/operator-access.js';
import { makeInvoice } from '../support/scenes/made-payments.js';
import { runCommand } from '../support/servers/command.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { valuesOf } from '../support/values-of.js';

const folder = temporaryFolder();
const env = { PONTE_DATA_DIR: folder, PONTE_LOG_LEVEL: 'silent' } as const;
const ids: string[] = [];

before(async () => {
  const { deps, close } = await openForOperator(env, { opening: 'makes' });
  const { organization } = await createOrganization(deps, { name: 'Acme', sandboxKyb: true });
  const tenant = { orgId: organization.id, mode: 'test' } as const;
  const outcomes = [
    { outcome: 'sent' },
    { outcome: 'refused', reason: '550 no such user' },
    { outcome: 'later', reason: '450 greylisted' },
  ] as const;
  for (const outcome of outcomes) {
    const { payment } = await makeInvoice(deps, tenant);
    await inviteBuyer(deps, tenant, payment.id);
    ids.push(payment.id);
    await runMails({ ...deps, mailer: { send: async () => outcome } }, deps.clock.nowMs(), 10);
  }
  await close();
});

const ponte = (words: string) => runCommand(env, words.split(' '));

async function listed(words: string) {
  const { status, stdout } = await ponte(`mails list --json ${words}`.trim());
  assert.equal(status, 0);
  return JSON.parse(stdout) as {
    readonly data: readonly Readonly<Record<string, unknown>>[];
    readonly nextCursor: string | null;
  };
}

test('mails are listed newest first, each with its outcome', async () => {
  const { data, nextCursor } = await listed('');
  assert.equal(nextCursor, null);
  assert.deepEqual(
    data.map(({ paymentId, status, lastError, tries }) => [paymentId, status, lastError, tries]),
    [
      [ids[2], 'pending', '450 greylisted', 1],
      [ids[1], 'refused', '550 no such user', 1],
      [ids[0], 'sent', null, 1],
    ],
  );
  const [waiting, , sent] = data;
  assert.match(String(waiting?.['nextTryAt']), /Z$/);
  assert.match(String(sent?.['sentAt']), /Z$/);
  assert.equal(sent?.['nextTryAt'], null);
});

test('by status and by pages', async () => {
  const refused = await listed('--status refused');
  assert.deepEqual(valuesOf(refused.data, 'paymentId'), [ids[1]]);
  const first = await listed('--limit 2');
  const rest = await listed(`--cursor ${first.nextCursor}`);
  assert.deepEqual(
    [...first.data, ...rest.data].map(({ paymentId }) => paymentId),
    ids.toReversed(),
  );
  assert.equal((await ponte('mails list --status lost')).status, 2);
});

test('people see a table; nothing of a link is in either', async () => {
  const { stdout } = await ponte('mails list');
  assert.match(stdout, /^ID +PURPOSE +STATUS/);
  assert.match(stdout, /450 greylisted/);
  const { stdout: json } = await ponte('mails list --json');
  assert.doesNotMatch(`${stdout}${json}`, /token|seal|hash|\/r\//i);
});
