// An organization with the data that lists and pages break at: the longest names in nine scripts,
// amounts of seven digits, money in each state, and five endpoints of which four fail.
import { DAY_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import { dayOf } from '../../../../core/domain/base/time-zone.js';
import { addMember, nameMember } from '../../../../core/usecases/access/members.js';
import { inviteBuyer } from '../../../../core/usecases/payments/invoices.js';
import { simulate } from '../../../../core/usecases/sandbox/simulations.js';
import { createSubscription } from '../../../../core/usecases/webhooks/subscriptions.js';
import { anAccount } from '../../../support/samples/domain-samples.js';
import { makeInvoice } from '../../../support/scenes/made-payments.js';
import type { PageSite } from '../visitor.js';

export const longNames = [
  'The Extraordinarily Long-Named Worldwide Specialty Commodities Import, Export, Distribution ' +
    '& Logistics Holding Company of Greater Northumberland (2019) Limited',
  'Łódzka Hurtownia Kawy i Herbaty Spółka z ograniczoną odpowiedzialnością Spółka komandytowa',
  'Ακαδημία Καφέ και Τροφίμων Ανώνυμη Εταιρεία Εμπορίου Εισαγωγών και Εξαγωγών',
  'Общество с ограниченной ответственностью «Северная торгово-промышленная компания»',
  '上海远洋国际贸易有限公司上海远洋国际贸易有限公司上海远洋国际贸易有限公司',
  'شركة الخليج للتجارة الدولية والاستيراد والتصدير والخدمات اللوجستية المحدودة',
  'חברת המזרח התיכון לסחר בינלאומי, יבוא ויצוא בעירבון מוגבל',
  'บริษัทการค้าระหว่างประเทศแห่งประเทศไทยและเอเชียตะวันออกเฉียงใต้จำกัดมหาชน',
  'उत्तर भारत अंतरराष्ट्रीय व्यापार आयात निर्यात एवं लॉजिस्टिक्स प्राइवेट लिमिटेड',
] as const;

/** In pictures, in both directions, without a blank, and with marks that have no width. */
const oddNames = [
  '🦊🚢☕️👩‍👩‍👧‍👦',
  'שלום Harbor & Pine (2019) Ltd. חברה',
  'Rindfleischetikettierung'.repeat(5),
  'A\u200bB\u2060 Z\u0337\u0322\u031ba\u0338lgo',
] as const;

const SEVEN_DIGITS = 873_451_237n;

export interface LongData {
  /** Each state of money that a seller sees, by name. */
  readonly payments: Readonly<Record<'short' | 'paid' | 'late' | 'open', string>>;
}

export async function fillLongData({ world, tenant }: PageSite): Promise<LongData> {
  const { deps } = world;
  for (let at = 0; at < 5; at += 1) {
    const host = at === 0 ? 'ok' : `failing-${at}`;
    const url = `https://${host}.example/legacy-accounting-integration/v2/hooks/ponte/events`;
    await createSubscription(deps, tenant, { url, eventTypes: ['*'] });
  }
  world.answer = ({ url }) => (url.includes('//ok.') ? {} : { responseStatus: 502 });
  const pay = (at: number, name: string = longNames[at % longNames.length] ?? '') =>
    world.newPayment(tenant, {
      externalId: `pedido-exportacao-2026-${String(90_300 + at).padStart(8, '0')}`,
      amount: money(SEVEN_DIGITS + BigInt(at), ['USD', 'EUR', 'GBP'][at % 3] ?? 'USD'),
      buyer: {
        email: `accounts-payable-${at}@a-rather-long-domain-of-a-buyer.example`,
        name,
        country: 'US',
        phone: null,
      },
      display: JSON.stringify({
        lineItems: [{ description: name, quantity: '1' }],
      }),
    });
  for (let at = 0; at < longNames.length; at += 1) await pay(at);
  await deps.store.run(async (tx) => {
    for (const [at, legalName] of longNames.entries()) {
      const waits = at % 2 === 0 ? {} : { destinationRef: null, status: 'verifying' as const };
      const externalId = `fornecedor-de-exportacao-${at}`;
      tx.accounts.insert(
        anAccount({ ...tenant, ...waits, id: `acct_long_${at}`, externalId, legalName }),
      );
    }
  });
  for (const role of ['finance', 'viewer'] as const) {
    const email = `a-person-with-a-very-long-address.of-the-office.${role}@rota-norte.example`;
    const member = await addMember(deps, { orgId: tenant.orgId, email, role });
    if (role === 'finance') await nameMember(deps, member, longNames[2]);
  }
  world.advanceClock(DAY_MS);
  const [short, paid, late, open] = [
    await pay(20, oddNames[0]),
    await pay(21, oddNames[1]),
    await pay(24, oddNames[2]),
    await pay(25, oddNames[3]),
  ];
  await world.play(tenant, short, 'on_ramp_pending');
  await simulate(deps, tenant, short, 'money_short');
  await world.play(tenant, paid, 'settled');
  await world.play(tenant, late, 'on_ramp_pending');
  const dueDate = dayOf('America/Sao_Paulo', deps.clock.nowMs());
  for (let at = 0; at < longNames.length; at += 1) {
    const { payment } = await makeInvoice(deps, tenant, {
      externalId: `invoice-${at}`,
      number: `RN-EXPORTACAO-2026 00${1_328 + at}`,
      amount: money(SEVEN_DIGITS, 'USD'),
      dueDate: at % 2 === 0 ? dueDate : null,
      buyer: {
        email: `invoices-${at}@a-rather-long-domain-of-a-buyer.example`,
        name: longNames[at] ?? null,
        country: 'US',
        phone: null,
      },
    });
    if (at > 4) await inviteBuyer(deps, tenant, payment.id);
  }
  for (let round = 0; round < 4; round += 1) {
    await world.settle();
    world.advanceClock(10 * MINUTE_MS);
  }
  world.advanceClock(3 * DAY_MS);
  return { payments: { short, paid, late, open } };
}
