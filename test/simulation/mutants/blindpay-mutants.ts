// The adapter of BlindPay broken on purpose; see mutants.ts.
import { ofBlindPay } from '../run-profile.js';

const calm = { crash: 0, restore: 0, noConnection: 0, commandRefused: 0, partyRefused: 0 };
const payments = { ...ofBlindPay, paymentsMax: 10 } as const;

export const blindPayMutants = {
  'calls have no idempotency key': {
    file: 'adapters/partner/blindpay/blindpay-client.ts',
    edits: [
      [
        "const headers = key === null ? type : { ...type, 'idempotency-key': key };",
        'const headers = type;',
      ],
    ],
    focus: { ...payments, faults: { ...calm, 'http late': 0.3 } },
    first: { seed: 1, steps: 10 },
    caughtBy: ['aKeyNeverCarriesAnotherRequest', 'atMostOnePayoutPerPayment'],
  },
  'an error of the server counts as a refusal': {
    nightly: true,
    file: 'adapters/partner/blindpay/answer-codes.ts',
    edits: [
      ["'BLOCKCHAIN_TX_FAILED',\n        'INTERNAL_ERROR',", "'BLOCKCHAIN_TX_FAILED',"],
      ["if (status >= 500) return 'effect';", "if (status >= 500) return 'request';"],
    ],
    focus: { ...payments, faults: { ...calm, 'http 500 late': 0.2 } },
    first: { seed: 12, steps: 80 },
    caughtBy: ['everyTransactionAtThePartnerIsKnown', 'whatTheBuyerSentIsAccountedFor'],
  },
  'any pay-in of the customer is the one that is looked for': {
    nightly: true,
    file: 'adapters/partner/blindpay/payins.ts',
    edits: [
      ['return payin.payin_quote_id === fields.quoteId ? payin.id : null;', 'return payin.id;'],
    ],
    focus: { ...payments, faults: { ...calm, 'http cut after': 0.3 } },
    first: { seed: 8, steps: 200 },
    caughtBy: ['everyTransactionAtThePartnerIsKnown', 'whatTheBuyerSentIsAccountedFor'],
  },
  'each call for a payout has another quote': {
    nightly: true,
    file: 'adapters/partner/blindpay/payouts.ts',
    edits: [
      ['chain.number}`;', 'desk.nowMs()}`;'],
      ['desk.steadyMs() + OPERATION_MS', 'desk.steadyMs() + 1e12'],
    ],
    focus: { ...payments, faults: { ...calm, processPaused: 0.15 } },
    first: { seed: 34, steps: 600 },
    caughtBy: ['atMostOnePayoutPerPayment'],
  },
  'another quote of a payout is used while the one before is alive': {
    nightly: true,
    file: 'adapters/partner/blindpay/payouts.ts',
    edits: [
      ['if (leftMs > 0) {', 'if (leftMs > 0 && desk.nowMs() % 2 === chain.number % 2) {'],
      ["if (!isOver) return later('a quote of the payout may be alive');", ''],
      ['desk.steadyMs() + OPERATION_MS', 'desk.steadyMs() + 1e12'],
    ],
    focus: { ...payments, faults: { ...calm, processPaused: 0.25 } },
    first: { seed: 4, steps: 200 },
    caughtBy: ['atMostOnePayoutPerPayment'],
  },
  'a command keeps the id of another one': {
    nightly: true,
    file: 'core/usecases/commands/command-answers.ts',
    edits: [['if (disowned === null) return null;', 'if (disowned !== undefined) return null;']],
    focus: { ...payments, faults: { ...calm, otherId: 0.5, 'http cut after': 0.3 } },
    first: { seed: 14, steps: 600 },
    caughtBy: ['everyTransferOfTheBooksIsHere', 'noWorkIsLeft'],
  },
  'the money of another object counts for a command with its id': {
    nightly: true,
    file: 'adapters/partner/blindpay/payins.ts',
    edits: [['if (!fields) return false;', 'if (fields !== null) return false;']],
    focus: { ...payments, faults: { ...calm, otherId: 0.5, 'http cut after': 0.3 } },
    first: { seed: 14, steps: 600 },
    caughtBy: ['whatTheBuyerSentIsAccountedFor', 'noWorkIsLeft'],
  },
  'the books are not compared with what has ended': {
    nightly: true,
    file: 'core/usecases/deposits/our-rows.ts',
    edits: [['return isBehind(own, entry)', "return own.end === 'open' && isBehind(own, entry)"]],
    focus: { ...payments, faults: { ...calm, chargeback: 0.5, devolution: 0.5 } },
    first: { seed: 21, steps: 20 },
    caughtBy: ['everyTransferOfTheBooksIsHere', 'fundsAgreeWithThePartner'],
  },
  'the check after a restore reads no books': {
    file: 'core/usecases/money-desk/lost-entries.ts',
    edits: [['for (const kind of entryKinds) {', 'for (const kind of entryKinds.slice(2)) {']],
    focus: { ...payments, faults: { ...calm, restore: 0.02 } },
    first: { seed: 4, steps: 600 },
    caughtBy: ['everyTransactionAtThePartnerIsKnown', 'atMostOnePayinPerPayment'],
  },
  'a deposit that is assigned stays in suspense': {
    nightly: true,
    file: 'core/usecases/deposits/deposits.ts',
    edits: [
      ["const assigned = decideDeposit(read, 'assign', given, nowMs);", 'const assigned = read;'],
    ],
    focus: { ...payments, faults: { ...calm, restore: 0.02 } },
    caughtBy: ['theFloatIsTheSumOfTheWallets', 'aPayinIsBookedOnce'],
  },
  'a refund that was paid by hand leaves the float': {
    nightly: true,
    file: 'core/domain/payments/funds.ts',
    edits: [["const byHandMinor = rise('byHandMinor');", 'const byHandMinor = 0n;']],
    focus: { ...payments, faults: calm },
    first: { seed: 6, steps: 40 },
    caughtBy: ['theLedgerCheckFindsNothing', 'theFloatIsTheSumOfTheWallets'],
  },
  'a pay-in that was paid back by hand is not lost when a bank takes it back': {
    nightly: true,
    file: 'core/domain/payments/funds.ts',
    edits: [
      ['const ofPartner = commands.filter((command) => !isByHand(command));', ''],
      [
        "refundsOf(payin, ofPartner, ['moving', 'moved'])",
        "refundsOf(payin, commands, ['moving', 'moved'])",
      ],
    ],
    focus: { ...payments, faults: { ...calm, chargeback: 0.8 } },
    first: { seed: 1, steps: 40 },
    caughtBy: ['fundsFollowFromTheCommands'],
  },
  'a failed payout counts as returned': {
    nightly: true,
    file: 'adapters/partner/blindpay/payouts.ts',
    edits: [
      [
        'const status = endOf(desk, transactionEnds, {',
        "const status = endOf(desk, new Map([...transactionEnds, ['failed', 'returned']]), {",
      ],
    ],
    focus: { ...payments, faults: calm },
    first: { seed: 12, steps: 80 },
    caughtBy: ['fundsAgreeWithThePartner', 'fundsSayNoMoreThanThePartner'],
  },
} as const;
