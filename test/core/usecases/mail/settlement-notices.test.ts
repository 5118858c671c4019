// Who is mailed the proof of a settled payment, in which language, and how often.
import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import type { Locale } from '../../../../core/domain/base/locale.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { MAIL_LEASE_MS } from '../../../../core/domain/mail/mail.js';
import type { OutgoingMail } from '../../../../core/ports/outside.js';
import { resendMail } from '../../../../core/usecases/mail/resent-mails.js';
import {
  configureAccountPayout,
  submitAccount,
} from '../../../../core/usecases/parties/accounts.js';
import { anyAuthor } from '../../../support/samples/domain-samples.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { newSeller } from '../../../support/scenes/seller-scene.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import { valuesOf } from '../../../support/values-of.js';

let made: World;
let tenant: Tenant;

beforeEach(async (t) => {
  made = await world(t as TestContext);
  tenant = await made.newTenant();
  for (const [name, role] of [
    ['ana', 'owner'],
    ['rui', 'owner'],
    ['clerk', 'finance'],
  ] as const) {
    await addActiveMember(made.deps, { ...tenant, email: `${name}@acme.example`, role });
  }
  const { id } = await newSeller(made.deps, tenant, {
    externalId: 'seller-1',
    email: 'loja@x.example',
  });
  const dossier = { legalName: 'Loja Ltda', cnpj: '11.222.333/0001-81' };
  await submitAccount(made.deps, tenant, id, dossier);
  await made.settle();
  const pix = { pixKey: 'loja@pix.example', accountHolderName: 'Loja Ltda' };
  await configureAccountPayout(made.deps, tenant, id, pix, anyAuthor);
  await made.settle();
  const mailedFiles = {
    payment_settled: async (_: unknown, { id: name }: { id: string }, locale: string) => ({
      name: `${name}.${locale}.pdf`,
      type: 'application/pdf',
      bytes: Buffer.from('%PDF'),
    }),
  };
  Object.assign(made.deps, { mailedFiles });
  await setNotices(true);
});

function setNotices(sendsSettlementNotices: boolean): Promise<void> {
  return made.deps.store.run(async (tx) => {
    const was = await tx.organizations.get(tenant.orgId);
    assert.equal(was?.sendsSettlementNotices, !sendsSettlementNotices, 'off by default');
    tx.organizations.update({ ...was, sendsSettlementNotices });
  });
}

async function setSeller(fields: {
  readonly email: string | null;
  readonly country: string;
  readonly locale?: Locale;
}) {
  await made.deps.store.run(async (tx) => {
    const was = (await tx.accounts.byExternalId(tenant, 'seller-1')) ?? assert.fail();
    tx.accounts.update({ ...was, locale: null, ...fields });
  });
}

/** Pays; returns the mails about it. */
async function paid(sellerExternalId: string | null): Promise<readonly OutgoingMail[]> {
  const from = made.mails.length;
  const id = await made.newPayment(tenant, { sellerExternalId });
  await made.play(tenant, id, 'settled');
  await made.settle();
  return made.mails.slice(from);
}

const linkIn = ({ text }: Pick<OutgoingMail, 'text'>) =>
  /https:\S+\/proof\/\S+\?token=\S+/.exec(text)?.[0] ?? assert.fail(text);

test('the seller is mailed the proof in its language, else the owners; nobody without the wish', async () => {
  const cases = [
    { seller: { email: ' loja@x.example ', country: 'BR' }, to: ['loja@x.example'], pdf: 'pt-BR' },
    { seller: { email: 'tienda@x.example', country: 'MX' }, to: ['tienda@x.example'], pdf: 'es' },
    { seller: { email: 'shop@x.example', country: 'US' }, to: ['shop@x.example'], pdf: 'en' },
    {
      seller: { email: 's@x.example', country: 'US', locale: 'es' },
      to: ['s@x.example'],
      pdf: 'es',
    },
    { seller: { email: null, country: 'BR' }, to: [], pdf: 'pt-BR' },
    { seller: null, to: ['ana@acme.example', 'rui@acme.example'], pdf: 'pt-BR' },
  ] as const;
  for (const { seller, to, pdf } of cases) {
    if (seller !== null) await setSeller(seller);
    const mails = await paid(seller === null ? null : 'seller-1');
    assert.deepEqual(mails.map((mail) => mail.to).toSorted(), to);
    for (const mail of mails) {
      const [, id] = /\/proof\/([^?]+)/.exec(linkIn(mail)) ?? [];
      assert.deepEqual(valuesOf(mail.attachments, 'name'), [`${id}.${pdf}.pdf`]);
      assert.equal(mail.locale, pdf);
      assert.equal(new URL(linkIn(mail)).searchParams.get('lang'), pdf);
    }
  }
  await setNotices(false);
  await setSeller({ email: 'loja@x.example', country: 'BR' });
  for (const to of ['seller-1', null]) assert.deepEqual(await paid(to), []);
});

test('a mail that a crash repeats is the same mail with the same link; resent, it has another', async () => {
  await setSeller({ email: 'loja@x.example', country: 'BR' });
  const { mailer } = made.deps;
  const lost: OutgoingMail[] = [];
  const send = async (mail: OutgoingMail) => {
    lost.push(mail);
    throw new Error('the process ends before it stores the answer');
  };
  Object.assign(made.deps, { mailer: { ...mailer, send } });
  const id = await made.newPayment(tenant, { sellerExternalId: 'seller-1' });
  await made.play(tenant, id, 'settled');
  Object.assign(made.deps, { mailer });
  made.advanceClock(MAIL_LEASE_MS);
  await made.settle();
  const [first] = lost;
  const sent = made.mails.filter(({ to }) => to === 'loja@x.example');
  assert.deepEqual(sent, [first]);
  const mails = await made.deps.store.run((tx) =>
    tx.mails.list({ status: 'sent', beforeId: null, limit: 10 }),
  );
  const about = mails.filter(({ purpose }) => purpose === 'payment_settled');
  assert.equal(about.length, 1);
  made.advanceClock(MAIL_LEASE_MS);
  await resendMail(made.deps, about[0]?.id ?? '');
  await made.settle();
  const again = made.mails.at(-1);
  assert.ok(first !== undefined && again !== undefined);
  assert.notEqual(linkIn(again), linkIn(first));
});
