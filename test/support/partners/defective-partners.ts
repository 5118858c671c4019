// The conformance suite over fake partners with one defect each: a file for a process of node:test.
import assert from 'node:assert/strict';
import { partnerConformance } from '../../../adapters/partner-kit/partner-kit.js';
import type { PartnerStatement, SettlementPartner } from '../../../core/ports/partner.js';
import { changedPartner, type PartnerChanges } from './changed-partner.js';
import { minor, pixKey, world } from './fake-world.js';
import { memoryOnly } from './memory-only.js';

let made = 0;

/** Each defect, and what it changes. */
export const defects: Readonly<Record<string, (partner: SettlementPartner) => PartnerChanges>> = {
  'a second command for a repeat': ({ payin }) => ({
    payin: {
      async start(request) {
        const answer = await payin.start(request);
        made += 1;
        if (answer.outcome !== 'done') return answer;
        return { outcome: 'done', value: { ...answer.value, partnerRef: `other_${made}` } };
      },
    },
  }),
  'another text for each preparation': ({ party: receiver }) => ({
    party: {
      async prepare(input) {
        made += 1;
        return receiver.prepare({ ...input, city: `${made}` });
      },
    },
  }),
  'an answer that counts as another party': ({ party: receiver }) => ({
    party: { prepare: async (input) => receiver.prepare({ ...input, previousRef: null }) },
  }),
  'a command that is not found': () => ({
    payout: { find: async () => ({ outcome: 'done', value: null }) },
  }),
  'a currency without two decimals': () => ({ currencies: ['USD', 'EUR', 'GBP', 'JPY'] }),
  'messages that nobody verifies': () => ({
    readInbound: () => ({ messageId: 'msg_1', facts: [] }),
  }),
  'a look-up that refuses': () => ({
    findCommand: async () => ({ outcome: 'refused', code: 'no', message: 'no' }),
  }),
  'a page whose first entry is missing': ({ statement }) => ({
    statement: {
      read: (kind, partnerRef) => booksOf(statement).read(kind, partnerRef),
      async page(kind, query) {
        const answer = await booksOf(statement).page(kind, query);
        if (answer.outcome !== 'done' || query.cursor === null) return answer;
        const { value } = answer;
        return { outcome: 'done', value: { ...value, entries: value.entries.slice(1) } };
      },
    },
  }),
  'more paid than the rate gives': ({ payout }) => ({
    payout: {
      async read(partnerRef) {
        const answer = await payout.read(partnerRef);
        if (answer.outcome !== 'done' || answer.value.fees === null) return answer;
        return { outcome: 'done', value: { ...answer.value, fees: minor('999999.00') } };
      },
    },
  }),
};

function booksOf(statement: PartnerStatement | undefined): PartnerStatement {
  return statement ?? assert.fail('a partner with a memory has a statement');
}

// Not for the test that reads the table.
if (process.env['DEFECTIVE_PARTNERS'] === '1') {
  for (const [name, change] of Object.entries(defects)) {
    partnerConformance({
      partner: name,
      against: 'simulator',
      traits: {
        amounts: {
          fine: minor('1250.00'),
          payinFails: minor('1250.66'),
          payoutFails: minor('1250.77'),
          payoutReturns: minor('1250.88'),
        },
        rejected: { firstName: 'Fail', lastName: 'Lima' },
        pixKey,
        badPixKey: 'not a pix key',
        asked: { party: { firstName: 'More' }, answer: { addressLine1: 'Rua 1' } },
        refunds: true,
      },
      pageSize: 2,
      async open() {
        const scene = world({ delayMs: 45_000, memory: memoryOnly(), pageSize: 2 });
        const defective = () => changedPartner(scene.restarted(), change(scene.restarted()));
        return {
          partner: changedPartner(scene.partner, change(scene.partner)),
          nowMs: () => scene.nowMs,
          step: () => scene.pass(45_000),
          messages: () => scene.messages,
          restarted: defective,
          close: async () => undefined,
        };
      },
      onReport: ({ partner, groups }) =>
        process.stdout.write(`\nreport ${JSON.stringify({ partner, groups })}\n`),
    });
  }
}
