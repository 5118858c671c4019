// The file of the buyer's payments: what an accountant needs to match a bank statement.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paymentsFile } from '../../../../adapters/pages/buyer/payments-screen.js';
import { paymentScene, sceneOf } from '../../../../adapters/pages/hosted/scene.js';
import { locales } from '../../../../core/domain/base/locale.js';
import { money } from '../../../../core/domain/base/money.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { aBarePayment } from '../../../support/samples/domain-samples.js';
import { at, instructions, onScreen } from './page-facts.js';

const settled = aBarePayment({
  id: 'inv_1',
  status: 'settled',
  dueDate: '2026-11-30',
  payinInstructions: instructions,
  coveredAtMs: at('2026-11-19T09:11:00Z'),
  settledAtMs: at('2026-11-20T23:59:00Z'),
  settlement: {
    settled: money(6_604_673n, 'BRL'),
    fees: money(6_240n, 'USD'),
    fxRate: '5.3188',
    endToEndId: 'E00000000202611231432a7Kq4M2xD91',
  },
});

/** The cells of each payment by the name of their column. */
async function rowsOf(
  payments: readonly Payment[],
  taxIdsLast4: ReadonlyMap<string, string>,
  locale: (typeof locales)[number] = 'en',
) {
  const scene = paymentScene(sceneOf({ ...onScreen('paid'), locale }));
  async function* pages() {
    yield { payments, settlements: new Map(), taxIdsLast4, rest: false };
  }
  const { bytes } = paymentsFile(scene, { year: 2026, month: 11 }, pages());
  assert.ok(typeof bytes === 'object' && Symbol.asyncIterator in bytes);
  let text = '';
  for await (const part of bytes) text += part;
  const [names = [], ...rows] = text
    .slice(1)
    .trimEnd()
    .split('\r\n')
    .map((line) => line.match(/"[^"]*"|[^,]+|(?<=,|^)(?=,|$)/g) ?? []);
  return rows.map((cells) => new Map(names.map((name, place) => [name, cells[place]])));
}

test('the file has dates, rate, fees, references and the tax id of a settled payment', async () => {
  const [row] = await rowsOf([settled], new Map([['inv_1', '0195']]));
  const cell = (name: string) => row?.get(name);
  assert.equal(cell('Paid out (BRL)'), '66046.73');
  assert.equal(cell('Due'), '2026-11-30');
  assert.equal(cell('Transfer arrived'), '2026-11-19');
  assert.equal(cell('Paid out on'), '2026-11-20');
  assert.equal(cell('"Fees, included"'), '62.40');
  assert.equal(cell('Rate'), '5.3188');
  assert.equal(cell('PIX end-to-end id'), 'E00000000202611231432a7Kq4M2xD91');
  assert.equal(cell('Reference of the transfer'), '48120937');
  assert.equal(cell('Tax id of the payee'), 'CNPJ ending 0195');
  const approval = { email: 'ines@harborpine.example', askedAtMs: 1, decidedAtMs: 2, reason: null };
  for (const [state, shown] of [
    ['approved', approval.email],
    ['asked', ''],
  ] as const) {
    const asked = { ...settled, colleagueApproval: { ...approval, state } };
    assert.equal((await rowsOf([asked], new Map()))[0]?.get('Approved by'), shown);
  }
});

test('the tax id that the integrator sent is whole, unless it is not that of the seller', async () => {
  const sent = { ...settled, display: '{"sellerTaxId":"11.222.333/0001-81"}' };
  const taxIdWith = async (last4: string | null) => {
    const known = new Map(last4 === null ? [] : [[settled.id, last4]]);
    return (await rowsOf([sent], known))[0]?.get('Tax id of the payee');
  };
  assert.equal(await taxIdWith('0181'), '11.222.333/0001-81');
  assert.equal(await taxIdWith(null), '11.222.333/0001-81');
  assert.equal(await taxIdWith('0195'), 'CNPJ ending 0195');
});

test('no two columns have one name, in any language', async () => {
  for (const locale of locales) {
    const [row] = await rowsOf([settled], new Map(), locale);
    assert.equal(row?.size, 19, locale);
  }
});
