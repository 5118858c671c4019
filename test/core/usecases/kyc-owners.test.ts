// An owner's part of the KYC form, when another person is asked for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addOwner, askOwner } from '../../../core/usecases/kyc-owners.js';
import { formScene, typedAddress, typedOwner } from '../../support/form-scene.js';

test('another address does not see what the owner who was asked before filled in', async (t) => {
  const made = await formScene(t);
  await made.fillCompany();
  const owner = await addOwner(made.deps, made.visitor);
  const ask = (email: string) => askOwner(made.deps, made.visitor, { owner, email, locale: 'en' });
  await ask('priya@owner.example');
  const session = await made.ownerSession(owner);
  await made.fillOwner(owner, session);
  const ownPart = async () => (await made.open(session)).draft.dossier.owners?.[0];
  await ask(' PRIYA@owner.example');
  assert.equal((await ownPart())?.addressLine1, typedAddress.addressLine1);
  await ask('clerk@company.example');
  const { lastName, addressLine1, dateOfBirth, selfieFile } = (await ownPart()) ?? {};
  assert.equal(lastName, typedOwner.lastName);
  assert.deepEqual([addressLine1, dateOfBirth, selfieFile], [null, null, null]);
});
