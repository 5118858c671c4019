// The service broken on purpose where it handles money and a partner that misbehaves; see
// mutants.ts.

import { ofTransfers } from '../run-profile.js';

/** Nothing but payments, so that a history comes far with them. */
const payments = { parties: 0, paymentsMax: 10 };
const calm = { crash: 0, restore: 0, noConnection: 0, callLost: 0, callLate: 0, answerLost: 0 };
const transfers = { ...ofTransfers, paymentsMax: 10 };
const often = ['advance', 'work'] as const;
const bankActions = ['advance', 'bankEvent', 'work', 'message', 'lateBankEvent'] as const;
const surprises = {
  ...calm,
  overpayment: 0.8,
  latePayment: 0.8,
  chargeback: 0.8,
  chargebackReversed: 0.8,
  devolution: 0.8,
  failedPayoutReturned: 0.8,
  failedPayoutCompleted: 0.8,
  returnedPayoutCompleted: 0.8,
  refundBounced: 0.8,
  failedRefundCompleted: 0.8,
};

const outside = { withdrawal: 0.05, madeTwice: 0.05, otherCurrency: 0.5, otherInstance: 0.2 };

export const moneyMutants = {
  'a payout that nobody ordered has no row': {
    file: 'core/usecases/deposits/our-rows.ts',
    edits: [
      [
        'const isWithout = deposit === null && !hasMoney(entry);',
        "const isWithout = deposit === null && (!hasMoney(entry) || entry.kind === 'payout');",
      ],
    ],
    focus: { ...payments, faults: { ...calm, ...outside, messageLost: 1 } },
    first: { seed: 6, steps: 10 },
    caughtBy: ['everyTransferOfTheBooksIsHere'],
  },
  'a second pay-in under one reference has no row': {
    nightly: true,
    file: 'core/usecases/deposits/deposit-matching.ts',
    edits: [["byReference.partnerRef === null ? 'owned' : 'again'", "'owned'"]],
    focus: { ...payments, faults: { ...calm, ...outside }, often },
    first: { seed: 18, steps: 40 },
    caughtBy: ['everyTransferOfTheBooksIsHere'],
  },
  'a seller who was paid by hand is paid out of the float': {
    file: 'core/domain/payments/funds.ts',
    edits: [
      ["const paidByHandMinor = byHandOf(commands, 'payout');", 'const paidByHandMinor = 0n;'],
    ],
    focus: {
      ...payments,
      faults: { ...calm, payoutUnprepared: 0.8 },
      often: ['advance', 'work', 'operatorRetries'],
    },
    first: { seed: 18, steps: 30 },
    caughtBy: ['theFloatIsTheSumOfTheWallets'],
  },
  'money in another currency counts as what was ordered': {
    nightly: true,
    file: 'core/domain/commands/report-check.ts',
    edits: [['if (amountMinor > 0n && currency !== asked.currency) {', 'if (amountMinor < 0n) {']],
    focus: { ...payments, faults: { ...calm, ...outside, otherInstance: 0 }, often },
    first: { seed: 16, steps: 10 },
    caughtBy: ['whatTheBuyerSentIsAccountedFor', 'fundsSayNoMoreThanThePartner'],
  },
  'any instance of the partner is asked about a command': {
    file: 'core/usecases/service/partner-calls.ts',
    edits: [
      [
        'if (partner === null || instance === null || instance === partner.instance)',
        "if (instance !== 'nowhere')",
      ],
    ],
    focus: { ...payments, faults: { ...calm, ...outside }, often },
    first: { seed: 18, steps: 20 },
    caughtBy: ['noCallerSeesASurprise'],
  },
  'a restored copy is released without asking the partner': {
    nightly: true,
    file: 'core/usecases/money-desk/payment-check.ts',
    edits: [['next.done !== true; ) {', 'next.done === true; ) {']],
    focus: { ...payments, faults: { ...calm, restore: 0.05 }, often },
    first: { seed: 1, steps: 200 },
    caughtBy: ['everyTransactionAtThePartnerIsKnown', 'whatTheBuyerSentIsAccountedFor'],
  },
  'a quarantine refuses no writes': {
    file: 'adapters/storage/store.ts',
    edits: [['if (!inQuarantine) unit.guard(expectNoQuarantine());', '']],
    focus: { ...payments, faults: { ...calm, restore: 0.05 }, often },
    first: { seed: 7, steps: 20 },
    caughtBy: ['nothingIsDoneInQuarantine'],
  },
  'work is claimed in quarantine': {
    nightly: true,
    file: 'adapters/storage/tables/epoch-rows.ts',
    // `quarantine` comes after `open`.
    edits: [["lastOne}) = '", "lastOne}) >= '"]],
    focus: { faults: { ...calm, restore: 0.05 }, often: ['subscribe'] },
    caughtBy: ['nothingIsDoneInQuarantine'],
  },
  'a restore begins no epoch': {
    file: 'core/usecases/service/epochs.ts',
    edits: [
      [
        "tx.epochs.update({ ...last, state: 'over' });",
        "tx.epochs.update({ ...last, state: 'quarantine', checkedAtMs: null });",
      ],
      ['tx.epochs.insert(next);', ''],
    ],
    focus: { faults: { ...calm, restore: 0.05 }, often: ['readFeed'] },
    first: { seed: 27, steps: 80 },
    caughtBy: ['oneSequenceHasOneEventPerEpoch'],
  },
  'a refusal is believed although the partner has the command': {
    file: 'core/usecases/commands/command-answers.ts',
    edits: [
      [
        "if (found.outcome === 'done' && found.value !== null) {",
        "if (found.outcome === 'done' && found.value !== null && command.state !== 'denied') {",
      ],
    ],
    focus: { ...payments, faults: { ...calm, refusedAfterEffect: 0.5 } },
    first: { seed: 1, steps: 20 },
    caughtBy: ['everyTransactionAtThePartnerIsKnown', 'whatTheBuyerSentIsAccountedFor'],
  },
  'a look-up that is forbidden counts as absent': {
    nightly: true,
    file: 'core/usecases/commands/command-answers.ts',
    edits: [
      [
        "if (found.outcome !== 'done') {",
        "if (found.outcome !== 'done' && found.outcome !== 'refused') {",
      ],
    ],
    focus: { ...payments, faults: { ...calm, refusedAfterEffect: 0.4, lookUpForbidden: 0.5 } },
    caughtBy: ['everyTransactionAtThePartnerIsKnown', 'whatTheBuyerSentIsAccountedFor'],
  },
  'a look-up counts while the call may be on its way': {
    nightly: true,
    file: 'core/domain/commands/partner-command.ts',
    edits: [['if (askedAtMs < countsAtMs) {', 'if (askedAtMs < 0) {']],
    focus: { ...payments, faults: { ...calm, callLate: 0.5, messageLost: 1 } },
    first: { seed: 32, steps: 600 },
    caughtBy: ['everyTransactionAtThePartnerIsKnown', 'endedPaymentsSendNothing'],
  },
  'the partner is called before the intention is stored': {
    nightly: true,
    file: 'core/usecases/commands/command-runner.ts',
    edits: [
      [
        'let request: string | null = null;',
        'let request: string | null = null;\n  let early: typeof asked | null = null;',
      ],
      ['const asked = await', "const asked = step === 'start' && early !== null ? early : await"],
      [
        'const stored = await',
        "if (asked.step === 'prepare' && asked.answer.outcome === 'done') " +
          'early = await askPartner(' +
          "deps, partner, { command, step: 'start', request: asked.answer.value });\n" +
          '    const stored = await',
      ],
    ],
    focus: { ...payments, gates: 1, faults: { crash: 0.05, restore: 0 } },
    first: { seed: 2, steps: 600 },
    caughtBy: ['everyTransactionAtThePartnerIsKnown', 'cancelAndPayoutNeverBothWin'],
  },
  'received money is the most of all pay-ins, not their sum': {
    nightly: true,
    file: 'core/domain/payments/funds.ts',
    edits: [
      [
        'const receivedMinor = sum(payins.map((payin) => payin.receivedMinor));',
        'const receivedMinor = payins.reduce((most, { receivedMinor: one }) => ' +
          '(one > most ? one : most), 0n);',
      ],
    ],
    focus: { ...payments, faults: { ...calm, payinTakenLate: 0.6 } },
    caughtBy: [
      'whatTheBuyerSentIsAccountedFor',
      'fundsAgreeWithThePartner',
      'noMoneyFactLeavesFundsUnchanged',
    ],
  },
  'a refund goes against a pay-in that does not have the money': {
    file: 'core/domain/payments/funds.ts',
    edits: [["- refundsOf(payin, commands, ['planned', 'owed', 'moving', 'moved'])", '']],
    focus: {
      ...payments,
      faults: { ...calm, overpayment: 1, payinTakenLate: 0.6, madeTwice: 0.05 },
      often,
    },
    first: { seed: 19, steps: 30 },
    caughtBy: ['refundsTakeFromThePayinThatHasTheMoney', 'neverGivenBackMoreThanIsLeft'],
  },
  'a decision about a deposit does not keep a command from booking its pay-in': {
    file: 'core/usecases/commands/partner-operations.ts',
    edits: [['(await rules.depositOf?.(batch, command, fact.partnerRef)) ?? null', 'null']],
    focus: { ...payments, faults: { ...calm, restore: 0.05, lookUpForbidden: 0.6 } },
    first: { seed: 18, steps: 80 },
    caughtBy: ['aPayinIsBookedOnce'],
  },
  'the last share of a transfer is the whole amount': {
    file: 'core/domain/deposits/consolidated-payment.ts',
    edits: [
      ['const shareMinor = isLast ||', 'if (isLast) return totalMinor;\n    const shareMinor ='],
    ],
    focus: { ...transfers, faults: calm },
    first: { seed: 12, steps: 200 },
    caughtBy: ['theSharesOfADepositAreItsMoney'],
  },
  'one share of a transfer moves without the others': {
    nightly: true,
    file: 'core/usecases/deposits/consolidated-deposits.ts',
    edits: [['else if (!isShareCurrent(', 'else if (staged.length === 0 && !isShareCurrent(']],
    focus: { ...transfers, faults: { ...calm, chargeback: 1 } },
    first: { seed: 8, steps: 80 },
    caughtBy: ['theSharesOfADepositAreItsMoney'],
  },
  'a report about a transfer moves one of its shares': {
    nightly: true,
    file: 'adapters/storage/tables/work-rows.ts',
    edits: [[" and deposit_id is null';", "';"]],
    focus: { ...transfers, faults: { ...calm, chargeback: 1 } },
    first: { seed: 31, steps: 150 },
    caughtBy: ['theSharesOfADepositAreItsMoney', 'noCallerSeesASurprise'],
  },
  'a payout that comes back after it was paid changes nothing': {
    file: 'core/domain/commands/command-report.ts',
    edits: [
      [
        "completed: { open: 'ignore', completed: 'ignore', failed: 'poll', returned: 'poll' },",
        "completed: { open: 'ignore', completed: 'ignore', failed: 'poll', returned: 'ignore' },",
      ],
    ],
    focus: { ...payments, faults: { ...calm, devolution: 1, chargeback: 1 } },
    first: { seed: 8, steps: 5 },
    caughtBy: ['noMoneyFactLeavesFundsUnchanged', 'fundsAgreeWithThePartner'],
  },
  'the money of a payout that comes back after the settlement is refunded at once': {
    file: 'core/domain/payments/command-outcomes.ts',
    edits: [["const waits = status === 'settled' ||", 'const waits =']],
    focus: { ...payments, faults: { ...calm, devolution: 1 } },
    first: { seed: 15, steps: 30 },
    caughtBy: ['noRefundAfterTheSettlementWithoutADecision'],
  },
  'a payment shows the settlement that was reported last': {
    file: 'core/domain/payments/command-outcomes.ts',
    edits: [
      [
        'settlementsOf(commandsAfter(commands, change))[0] ?? null',
        'settlementsOf(commandsAfter(commands, change)).at(-1) ?? null',
      ],
      [
        'const isSettled = first !== null && payment.settlement === null;',
        'const isSettled = first !== null;',
      ],
    ],
    focus: { ...payments, faults: { ...calm, devolution: 1 }, often: bankActions },
    first: { seed: 16, steps: 20 },
    caughtBy: ['theFirstSettlementStays'],
  },
  'a payout that came back has no event': {
    file: 'core/domain/payments/money-events.ts',
    edits: [["payout_returned: () => 'payout_returned',", 'payout_returned: () => null,']],
    focus: { ...payments, faults: { ...calm, devolution: 1 }, often: bankActions },
    first: { seed: 8, steps: 20 },
    caughtBy: ['noMoneyMovesAfterTheEndWithoutAnEvent'],
  },
  'a refused payout ends its payment': {
    file: 'core/domain/payments/command-outcomes.ts',
    edits: [["|| (next.state === 'refused' && !isTerminal(status));", ';']],
    focus: { ...payments, faults: { ...calm, payoutUnprepared: 0.8 } },
    first: { seed: 1, steps: 80 },
    caughtBy: ['noRefusalEndsAPaidPayment'],
  },
  'the money desk does not show a payout that is refused for now': {
    file: 'core/domain/money-desk/money-decision.ts',
    edits: [["  if (isRefusedOrLate(command)) return 'in_review';\n", '']],
    focus: { ...payments, faults: { ...calm, payoutUnprepared: 0.8 }, often },
    first: { seed: 18, steps: 80 },
    caughtBy: ['whatNeedsReviewIsAtTheDesk'],
  },
  'what leaves beyond what arrived is no loss': {
    file: 'core/domain/payments/funds.ts',
    edits: [
      [
        'const lossMinor = spentMinor > receivedMinor ? spentMinor - receivedMinor : 0n;',
        'const lossMinor = 0n;',
      ],
    ],
    focus: { ...payments, faults: { ...calm, chargeback: 1 } },
    first: { seed: 1, steps: 20 },
    caughtBy: ['noCallerSeesASurprise', 'fundsConserve', 'whatTheBuyerSentIsAccountedFor'],
  },
  'every report is believed': {
    file: 'core/usecases/payments/command-changes.ts',
    edits: [
      [
        "const problem = accepted && found?.kind === 'implausible' ? null : found;",
        'const problem = found === found ? null : found;',
      ],
    ],
    focus: { ...payments, faults: { ...calm, wrongReport: 0.5 } },
    first: { seed: 1, steps: 80 },
    caughtBy: [
      'settlementsSayWhatThePartnerPaid',
      'fundsSayNoMoreThanThePartner',
      'whatTheBuyerSentIsAccountedFor',
    ],
  },
  'a message may name any command': {
    nightly: true,
    file: 'core/usecases/commands/partner-inbox.ts',
    edits: [['if (onRecord === fact.partnerRef) return command;', 'return command;']],
    focus: { ...payments, faults: { ...calm, wrongReference: 0.9 } },
    caughtBy: ['whatTheBuyerSentIsAccountedFor', 'fundsSayNoMoreThanThePartner'],
  },
  'the reference of a command does not follow from what it is for': {
    nightly: true,
    file: 'core/usecases/payments/payment-store.ts',
    edits: [
      [
        'const reference = nextReference(bytes, payment, [...known, ...made], draft);',
        "const reference = bytes.length > 0 ? deps.ids.next('cmd', nowMs) : '';",
      ],
    ],
    focus: { ...payments, faults: { ...calm, restore: 0.03 }, often },
    first: { seed: 8, steps: 200 },
    caughtBy: ['everyTransactionAtThePartnerIsKnown', 'atMostOnePayoutPerPayment'],
  },
  'money that arrives late is kept': {
    file: 'core/domain/payments/command-outcomes.ts',
    edits: [['if (amountMinor <= 0n) continue;', 'if (amountMinor !== -1n) continue;']],
    focus: payments,
    caughtBy: ['moneyOnEndedPaymentsIsOwedBackAtOnce'],
  },
  'an ended payment leaves commands that were not sent': {
    file: 'core/domain/payments/command-outcomes.ts',
    edits: [['const voided = unsent\n', 'const voided = unsent.slice(0, 0)\n']],
    focus: { ...payments, often: ['cancel', 'advance'] },
    first: { seed: 47, steps: 30 },
    caughtBy: ['endedPaymentsSendNothing'],
  },
  'a second report of the same money counts again': {
    nightly: true,
    file: 'core/domain/commands/command-report.ts',
    edits: [
      [
        'receivedMinor: total(command.receivedMinor, receivedMinor),',
        'receivedMinor: command.receivedMinor + receivedMinor,',
      ],
    ],
    focus: { ...payments, faults: calm },
    caughtBy: ['fundsSayNoMoreThanThePartner', 'whatTheBuyerSentIsAccountedFor'],
  },
  'a refund counts as ordered, not as reported': {
    nightly: true,
    file: 'core/usecases/commands/partner-operations.ts',
    edits: [
      ['=> refundProblem(command, report.amount, polled),', '=> null,'],
      ['({ receivedMinor: 0n, refunded: amount }),', '({ receivedMinor: 0n, refunded: null }),'],
    ],
    focus: { ...payments, faults: { ...surprises, restore: 0.05 }, often: bankActions },
    first: { seed: 51, steps: 600 },
    caughtBy: [
      'fundsAgreeWithThePartner',
      'fundsSayNoMoreThanThePartner',
      'whatTheBuyerSentIsAccountedFor',
    ],
  },
  'a refused refund is sent again without a look-up': {
    file: 'core/usecases/commands/command-retries.ts',
    edits: [['    await lookUpRefused(deps, command);\n', '']],
    focus: { ...payments, faults: surprises, often: bankActions },
    first: { seed: 30, steps: 20 },
    caughtBy: ['aRefusedRefundIsLookedUpBeforeItIsSentAgain'],
  },
  'a payout is booked with any reported amount': {
    nightly: true,
    file: 'core/domain/commands/report-check.ts',
    edits: [
      ['if (absolute(settled.amountMinor - expected) > slack) {', 'if (expected === slack) {'],
      ['if (quote === null) return null;', 'if (quote !== undefined) return null;'],
    ],
    focus: { ...payments, faults: { ...calm, wrongReport: 0.4 }, often },
    first: { seed: 15, steps: 600 },
    caughtBy: ['settlementsSayWhatThePartnerPaid'],
  },
  'a bounced refund is paid again by an older message': {
    nightly: true,
    file: 'core/domain/commands/command-report.ts',
    edits: [
      [
        "failed: { open: 'ignore', completed: 'poll',",
        "failed: { open: 'ignore', completed: 'apply',",
      ],
    ],
    focus: { ...payments, faults: { ...surprises, failedRefundCompleted: 0 }, often: bankActions },
    first: { seed: 3, steps: 200 },
    caughtBy: ['noMoneyFactLeavesFundsUnchanged', 'fundsSayNoMoreThanThePartner'],
  },
  'a polled total that falls is not reviewed': {
    nightly: true,
    file: 'core/domain/commands/report-check.ts',
    edits: [['return receivedMinor < knownMinor', 'return receivedMinor < 0n']],
    focus: { ...payments, faults: { ...calm, totalCorrected: 0.8 }, often: bankActions },
    caughtBy: ['fundsAgreeWithThePartner', 'theFloatIsTheSumOfTheWallets'],
  },
  'a pay-in that went back keeps the total of before its correction': {
    nightly: true,
    file: 'core/domain/commands/command-report.ts',
    edits: [['command.overruled !== end && isReturnedTotal(report)', 'false']],
    focus: {
      ...payments,
      faults: { ...calm, totalCorrected: 0.5, chargeback: 0.5 },
      often: bankActions,
    },
    first: { seed: 15, steps: 600 },
    caughtBy: ['fundsAgreeWithThePartner'],
  },
  'funds are not stored with the commands that they follow from': {
    file: 'core/usecases/payments/payment-store.ts',
    edits: [['if (funds !== was.funds) tx.funds.put(funds);', '']],
    focus: payments,
    caughtBy: ['whatTheBuyerSentIsAccountedFor', 'fundsFollowFromTheCommands'],
  },
} as const;
