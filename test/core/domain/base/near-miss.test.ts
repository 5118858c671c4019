import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nearMiss } from '../../../../core/domain/base/near-miss.js';

const known = [
  'externalId',
  'amount',
  'currency',
  'buyer',
  'email',
  'country',
  'name',
  'url',
  'to',
  'addressLine1',
  'addressLine2',
  'expiresAt',
  'scopes',
  'dueDate',
  'taxId',
  'firstName',
];

const misses: Readonly<Record<string, readonly string[]>> = {
  externalId: ['external_id', 'externalID', 'ExternalId', 'external-id', 'exernalId', 'extrenalid'],
  currency: ['curency', 'currancy', 'curancy', 'CURRENCY', 'currrency', 'currenyc'],
  amount: ['ammount', 'amout', 'amuont', 'Amount', 'amounts'],
  buyer: ['buyr', 'buyers', 'bayer'],
  email: ['e-mail', 'emial', 'emails'],
  name: ['nam', 'nme', 'names', 'naem'],
  url: ['URL', 'u_r_l'],
  to: ['TO'],
  addressLine1: ['address_line_1', 'adressLine1', 'addressLine'],
  expiresAt: ['expires_at', 'expireAt', 'expires'],
  scopes: ['scope'],
  dueDate: ['due_date', 'dateDue', 'duedates'],
  firstName: ['fristName', 'firsName'],
};

const others = [
  'status',
  'id',
  'uri',
  'curl',
  'too',
  'amt',
  'sum',
  'total',
  'internalId',
  'account',
  'addressLine3',
  'tosId',
  'lastName',
  'buyerEmail',
  'payer',
  'return_url',
  'cur',
  '',
  'metadata',
  '名前',
  'x'.repeat(100_000),
];

test('another spelling, or one or two typing errors in a name long enough, is a near miss', () => {
  for (const [meant, spelled] of Object.entries(misses)) {
    for (const name of spelled) assert.equal(nearMiss(name, known), meant, name);
  }
});

test('other names are no near miss, and a known name is none of another one', () => {
  for (const name of others) assert.equal(nearMiss(name, known), null, name);
  assert.equal(nearMiss('addressLine1', ['addressLine1']), null);
  assert.equal(nearMiss('addressLine2', ['addressLine1']), null);
});

test('law: one letter more, less, other or swapped is a near miss of a name of four or more', () => {
  const letters = fc.stringMatching(/^[a-z]{4,12}$/);
  fc.assert(
    fc.property(letters, fc.nat(), fc.constantFrom('more', 'less', 'other', 'swapped'), one),
  );
  function one(name: string, place: number, error: string): void {
    const at = place % name.length;
    const [before, here, after] = [name.slice(0, at), name.slice(at, at + 1), name.slice(at + 1)];
    const spelled = {
      more: `${before}q${here}${after}`,
      less: `${before}${after}`,
      other: `${before}q${after}`,
      swapped: `${before}${after.slice(0, 1)}${here}${after.slice(1)}`,
    }[error];
    assert.ok(spelled !== undefined);
    if (spelled !== name) assert.equal(nearMiss(spelled, [name]), name, `${name} ${spelled}`);
  }
});
