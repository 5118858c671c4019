// Rows of one person in every table that knows people, and rows of others beside them.
import type { Store } from '../../../core/ports/storage.js';
import {
  aBarePayment,
  aBuyer,
  aDocument,
  aMember,
  anAccount,
  aPartyDraft,
  aPasskey,
  aPayment,
  aPerson,
  aSubmission,
  someFunds,
  T0,
  tenant,
} from '../samples/domain-samples.js';
import { aMail, aNotice } from '../samples/mail-samples.js';

export const personAddress = 'Rosa.Prado@Person.example';
export const personKey = personAddress.toLowerCase();
export const personName = 'Rosa "Ro" Prado';
/** The address of somebody else begins with that of the person. */
export const otherAddress = `${personAddress}.br`;

/** The key of an NFS-e whose issuer is a person with this CPF. */
export const farmerCpf = '52998224725';
const farmerKey = `355030812000${farmerCpf}000000000000726110123456789`;

export async function storePerson(store: Store): Promise<void> {
  const text = JSON.stringify({ note: `${personName}, ${personAddress}` });
  const ended = { status: 'settled', externalId: null } as const;
  const asked = { askedAtMs: T0, decidedAtMs: null, reason: null, state: 'asked' } as const;
  const other = { email: otherAddress, name: 'Otto', country: 'DE', phone: '+49 1' };
  await store.run(async (tx) => {
    tx.buyers.insert(aBuyer({ email: personAddress, emailKey: personKey }));
    tx.buyers.insert(aBuyer({ id: 'byr_2', email: otherAddress }));
    tx.buyers.insertSubmission(aSubmission({ status: 'approved' }));
    tx.payments.insert(
      aPayment({
        ...ended,
        buyer: { email: personAddress, name: personName, country: 'PT', phone: '+351 1' },
        display: text,
        metadata: text,
        colleagueApproval: null,
      }),
    );
    tx.payments.insert(
      aBarePayment({
        ...ended,
        id: 'pi_2',
        buyerId: 'byr_2',
        buyer: other,
        metadata: text,
        colleagueApproval: { ...asked, email: personAddress },
      }),
    );
    // Sold by the person: the key of its document has a CPF. The buyer is somebody else.
    const document = { kind: 'nfse', key: farmerKey, number: '7', issuedOn: null } as const;
    const sold = { ...ended, id: 'pi_3', buyerId: 'byr_2', buyer: other, publicId: 'sold' };
    const seller = { sellerExternalId: 'farmer', fiscalDocument: document };
    tx.payments.insert(aBarePayment({ ...sold, ...seller }));
    for (const paymentId of ['pi_1', 'pi_2', 'pi_3']) tx.funds.put(someFunds({ paymentId }));
    const account = { email: personAddress, displayName: personName, legalName: personName };
    tx.accounts.insert(anAccount({ ...account, externalId: 'farmer', status: 'approved' }));
    tx.accounts.insert(anAccount({ id: 'acct_2', externalId: 'other', email: otherAddress }));
    tx.partyDrafts.insert(aPartyDraft());
    tx.documents.insert(
      aDocument({ owner: { party: 'account', id: 'acct_1' }, fileName: `${personName}.pdf` }),
    );
    tx.people.insert(aPerson({ email: personAddress, emailKey: personKey }));
    const member = { email: personAddress, emailKey: personKey, name: personName, removedAtMs: T0 };
    tx.members.insert(aMember(member));
    tx.members.insert(aMember({ id: 'mem_2', email: otherAddress, emailKey: 'x', role: 'owner' }));
    tx.passkeys.insert(aPasskey({ name: `phone of ${personName}` }));
    const mail = { to: personAddress, toKey: personKey };
    tx.mails.insert(aMail(mail));
    tx.mails.insertOnce(aNotice({ ...mail, status: 'sent', dueAtMs: null, sentAtMs: T0 }));
    tx.mails.insertOnce(aNotice({ id: 'mail_8', cause: 'other', to: otherAddress, toKey: 'y' }));
  });
}

/** What the port reads of the person and of others. */
export async function readPerson(store: Store) {
  return store.run(async (tx) => {
    const [own, others] = await Promise.all([
      Promise.all([
        tx.payments.get(tenant, 'pi_1'),
        tx.buyers.submissionById(tenant, 'kyc_1'),
        tx.accounts.get(tenant, 'acct_1'),
        tx.members.get('org_a', 'mem_1'),
        tx.mails.get(tenant, 'mail_1'),
        tx.mails.get(tenant, 'mail_9'),
        tx.passkeys.get('psk_1'),
        tx.buyers.byEmail('test', personKey),
        tx.people.byEmail(personKey),
        tx.people.get('per_1'),
      ]),
      Promise.all([
        tx.payments.get(tenant, 'pi_2'),
        tx.payments.get(tenant, 'pi_3'),
        tx.accounts.get(tenant, 'acct_2'),
        tx.members.get('org_a', 'mem_2'),
        tx.mails.get(tenant, 'mail_8'),
      ]),
    ]);
    return { own, others };
  });
}
