// Samples of bank details, and of what a person makes a pay-in report.
import { money } from '../../../core/domain/base/money.js';
import type { PayinInstructions } from '../../../core/domain/payments/payin-instructions.js';
import type {
  SimulatedOutcome,
  SimulatedReport,
} from '../../../core/domain/payments/simulated-event.js';

export function sampleInstructions(fields: Partial<PayinInstructions> = {}): PayinInstructions {
  return {
    rails: [
      {
        rail: 'sepa',
        fields: [
          { name: 'beneficiary', value: 'Zoë 買い手' },
          { name: 'iban', value: 'DE89370400440532013000' },
        ],
        arrivesWithinDays: { from: 0, to: 2 },
      },
    ],
    amount: money(99_999_999_999_999n, 'EUR'),
    reference: '48120937',
    referenceRequired: true,
    holder: 'partner',
    payByMs: 90_000,
    ...fields,
  };
}

export function aSimulatedReport(
  outcome: SimulatedOutcome = {
    kind: 'payin',
    status: 'open',
    receivedMinor: 9_007_199_254_740_993n,
    reason: 'Zoë',
  },
): SimulatedReport {
  return { mode: 'test', reference: 'cmd_1', outcome, version: 1 };
}
