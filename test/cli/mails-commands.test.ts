// `ponte mails`: the outcome of each mail, without its content, and sending again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('what failed is sent again: a refused invitation as a new link, a waiting mail at once', async () => {
  const { data: before } = await listed('');
  const would = await ponte('mails resend --failed-since 1h --dry-run --json');
  assert.equal(would.status, 0);
  assert.equal((await listed('')).data.length, before.length, 'a dry run stores nothing');
  const { status, stdout } = await ponte('mails resend --failed-since 1h --json');
  assert.equal(status, 0);
  const { data } = JSON.parse(stdout) as Awaited<ReturnType<typeof listed>>;
  assert.deepEqual(valuesOf(data, 'paymentId'), [ids[1]], 'greylisted is not failed yet');
  const { deps, close } = await openForOperator(env, { opening: 'finds' });
  const texts: string[] = [];
  const mailer = {
    send: async ({ text }: { readonly text: string }) => {
      texts.push(text);
      return { outcome: 'sent' } as const;
    },
  };
  await runMails({ ...deps, mailer }, deps.clock.nowMs(), 10);
  await close();
  assert.match(texts.join(), /token=/);
  const { data: after } = await listed('--status sent');
  assert.deepEqual(valuesOf(after, 'paymentId').slice(0, 1), [ids[1]]);
});

test('one mail by its id; an unknown one, a sign-in and no choice are refused', async () => {
  const { data } = await listed('--status pending');
  const [waiting] = data;
  const one = await ponte(`mails resend ${String(waiting?.['id'])} --json`);
  assert.equal(one.status, 0);
  assert.equal((await ponte('mails resend mail_none')).status, 3);
  assert.equal((await ponte('mails resend')).status, 2);
  assert.equal((await ponte('mails resend mail_1 --failed-since 1h')).status, 2);
});
