// What owners are mailed about the approvals and the buyers of their payments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mode } from '../../../../core/domain/base/tenant.js';
import { requireApproval } from '../../../../core/usecases/parties/organizations.js';
import { approvePayment } from '../../../../core/usecases/payments/payments.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { makeInvoice } from '../../../support/scenes/made-payments.js';
import { type World, world } from '../../../support/scenes/test-world.js';

/** A team whose invoices need an approval, in both modes, and a check of the audit log. */
async function team(made: World) {
  const orgId = await made.organization();
  const add = async (role: 'owner' | 'finance', name: string) =>
    (await addActiveMember(made.deps, { orgId, email: `${name}@acme.example`, role })).id;
  const owner = await add('owner', 'owner');
  await add('owner', 'second-owner');
  const clerk = await add('finance', 'clerk');
  await requireApproval(made.deps, orgId, true);
  await made.deps.store.run(async (tx) => {
    const live = (await tx.organizations.profile({ orgId, mode: 'live' })) ?? assert.fail();
    const ready = { status: 'approved', destinationRef: 'pix_1', railsRef: 'va_1' } as const;
    tx.organizations.updateProfile({ ...live, ...ready });
  });
  await made.settle();
  const approve = async (mode: Mode) => {
    const sent = made.mails.length;
    const buyer = { name: 'Globex Inc', email: 'b@globex.example', country: null, phone: null };
    const { payment } = await makeInvoice(
      { ...made.deps, partners: { test: made.partner, live: made.partner } },
      { orgId, mode },
      { createdByMemberId: clerk, number: 'INV-7', buyer },
    );
    await approvePayment(made.deps, { orgId, mode }, payment.id, owner);
    await approvePayment(made.deps, { orgId, mode }, payment.id, owner);
    await made.settle();
    return made.mails.slice(sent).filter(({ subject }) => subject.includes('was approved'));
  };
  return { approve };
}

test('in live mode each owner is mailed once who approved which payment', async (t) => {
  const made = await world(t);
  const mails = await (await team(made)).approve('live');
  const owners = ['owner@acme.example', 'second-owner@acme.example'];
  assert.deepEqual(mails.map(({ to }) => to).toSorted(), owners);
  for (const { subject, text } of mails) {
    assert.match(subject, /^\[INV-7\] A payment of .* to Acme Ltda was approved$/);
    assert.match(text, /owner@acme\.example approved it\. The buyer is Globex Inc\./);
    assert.match(text, /\/dashboard\/\S*\/live\/payments\/inv_/);
  }
});

test('in test mode nobody is mailed about an approval', async (t) => {
  assert.deepEqual(await (await team(await world(t))).approve('test'), []);
});
