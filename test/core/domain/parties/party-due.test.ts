import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import { isAnswer, shownDue, unanswered } from '../../../../core/domain/hosted/party-answer.js';
import {
  alertedIfLate,
  dueReported,
  isAsked,
  nothingDue,
  type PartyDue,
} from '../../../../core/domain/parties/party-due.js';
import { T0 } from '../../../support/samples/domain-samples.js';
import { valuesOf } from '../../../support/values-of.js';

const address = { field: 'address_line_1', reason: 'not the registered one' };
const question = { field: 'business_description', reason: 'what do you sell?' };
const answerByMs = T0 + 27 * DAY_MS;
const asked = dueReported(nothingDue, { corrections: [address], answerByMs });

function dueOf(...fields: readonly string[]): PartyDue {
  return dueReported(nothingDue, { corrections: fields.map((field) => ({ field, reason: '' })) });
}

test('a report without corrections leaves nothing due; a repeat changes nothing', () => {
  assert.deepEqual(dueReported(asked, {}), nothingDue);
  assert.deepEqual(dueReported(asked, { corrections: [address], answerByMs }), asked);
  assert.equal(isAsked(nothingDue, asked), true);
  assert.equal(isAsked(asked, asked), false);
  const more = dueReported(asked, { corrections: [address, question], answerByMs });
  assert.equal(isAsked(asked, more), true);
  assert.equal(isAsked(asked, nothingDue), false);
});

test('an alert is due once, a week before the end, and again for a new time limit', () => {
  assert.equal(alertedIfLate(asked, answerByMs - 7 * DAY_MS - 1), asked);
  const late = alertedIfLate(asked, answerByMs - 7 * DAY_MS);
  assert.equal(late.answerAlertedAtMs, answerByMs - 7 * DAY_MS);
  assert.equal(alertedIfLate(late, answerByMs), late);
  assert.equal(
    dueReported(late, { corrections: [address], answerByMs }).answerAlertedAtMs,
    answerByMs - 7 * DAY_MS,
  );
  const moved = dueReported(late, { corrections: [address], answerByMs: answerByMs + DAY_MS });
  assert.equal(moved.answerAlertedAtMs, null);
  const endless = dueReported(nothingDue, { corrections: [address] });
  assert.equal(alertedIfLate(endless, answerByMs), endless);
});

test('what is due has the names of the API; another name is a question', () => {
  const due = dueOf('proof_of_address_doc_file', 'owners[1].selfie_file', 'tos_id', 'my_question');
  assert.deepEqual(valuesOf(shownDue(due), 'field'), [
    'proofOfAddressDocFile',
    'owners[1].selfieFile',
    'tosId',
    'my_question',
  ]);
});

test('an answer has every due field; the terms are not one of them', () => {
  const due = dueOf('address_line_1', 'owners[1].selfie_file', 'tosId', 'tax_id', 'my_question');
  const paths = ['addressLine1', 'owners[1].selfieFile', 'taxId', 'my_question'];
  assert.deepEqual(unanswered(due, {}), paths);
  const owners = [{ selfieFile: 'https://files.example/1' }];
  assert.deepEqual(unanswered(due, { addressLine1: ' ', owners }), paths);
  const given = {
    addressLine1: 'Rua 1',
    cnpj: '11.222.333/0001-81',
    answers: { my_question: 'yes' },
    owners: [{}, { selfieFile: 'https://files.example/1' }],
  };
  assert.deepEqual(unanswered(due, given), []);
  assert.equal(isAnswer(due, { addressLine1: 'Rua 1' }), true);
  for (const other of [{}, { tosId: 'tos_2' }, { city: 'Recife' }, { answers: { other: 'x' } }]) {
    assert.equal(isAnswer(due, other), false);
  }
  assert.equal(isAnswer(nothingDue, given), false);
});
