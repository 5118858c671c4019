import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadlineFile } from '../../../../adapters/pages/buyer/deadline-file.js';
import { paymentScene, sceneOf } from '../../../../adapters/pages/hosted/scene.js';
import { locales } from '../../../../core/domain/base/locale.js';
import type { PayinInstructions } from '../../../../core/domain/payments/payin-instructions.js';
import { at, instructions, onScreen, payment, paymentOnScreen } from './page-facts.js';

function fileOf(changes: Partial<PayinInstructions> = {}, locale: (typeof locales)[number] = 'en') {
  const own = { ...paymentOnScreen.bank_details, instructions: { ...instructions, ...changes } };
  const view = onScreen('bank_details', { locale, payment: { ...payment, ...own } });
  const file = deadlineFile(paymentScene(sceneOf(view)));
  return file === null ? null : { ...file, text: Buffer.from(file.bytes).toString() };
}

test('the calendar has the day that the page names, and on that day the instant', () => {
  const file = fileOf();
  assert.equal(file?.name, 'deadline-RN-2026-0418.ics');
  assert.match(
    file?.text ?? '',
    /\r\nDTSTART;VALUE=DATE:20261201\r\nDTEND;VALUE=DATE:20261202\r\n/,
  );
  const today = fileOf({ payByMs: at('2026-11-17T20:00:00Z') });
  assert.match(today?.text ?? '', /\r\nDTSTART:20261117T200000Z\r\n/);
  assert.equal(fileOf({ payByMs: null }), null);
});

test('the calendar has no bank details, and lines of 75 octets at most', () => {
  for (const locale of locales) {
    const { text = '' } = fileOf({}, locale) ?? {};
    for (const line of text.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line);
    const whole = text.replaceAll('\r\n ', '');
    assert.match(whole, /SUMMARY:.*12[\\.,]+480[\\.,]+00.*Café Serra Azul Exportadora Ltda/);
    assert.match(whole, /\r\nURL:https:\/\/pay\.rotanorte\.example\/r\/4kDq8vJm2XzL0aPw9sTe1g\r\n/);
    assert.doesNotMatch(whole, /831000424471|HLDNUS3W|48120937/);
  }
});
