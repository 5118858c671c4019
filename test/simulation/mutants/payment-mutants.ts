// The service broken on purpose around payments, their money and their events; see mutants.ts.

/** Nothing but payments, so that a history comes far with them. */
const payments = { parties: 0 };
const reliable = { noConnection: 0, callLost: 0, callLate: 0, answerLost: 0 };
const unreliable = { noConnection: 0.3, callLost: 0, callLate: 0, answerLost: 0.5 };

export const paymentMutants = {
  'guards are not checked': {
    nightly: true,
    file: 'adapters/storage/sqlite/writer.ts',
    edits: [["throw new StoreConflict('guard',", "void new StoreConflict('guard',"]],
    focus: { ...payments, bursts: 0.5, gates: 1 },
    caughtBy: ['oneEventPerChangeAndNamespaceInOrder', 'statusesFollowTheTableAndTerminalOnesStay'],
  },
  'leases and signatures go by the clock of each host': {
    nightly: true,
    file: 'host/host-clock.ts',
    edits: [
      [
        'const atMs = zeroMs === null ? machineMs() : Math.floor(zeroMs + steadyMs());',
        'const atMs = machineMs();',
      ],
    ],
    focus: { ...payments, hosts: 2, faults: { clockJump: 0.02 }, often: ['work'] },
    first: { seed: 8, steps: 200 },
    caughtBy: ['webhooksVerifyWithTheNewestSecret'],
  },
  'an idempotency key is not bound': {
    file: 'core/usecases/payments/payments.ts',
    edits: [['if (key === null || !decision.bindKey) return;', "if (key !== '') return;"]],
    focus: { ...payments, often: ['repeatCreate', 'create'] },
    first: { seed: 1, steps: 20 },
    caughtBy: ['oneResourcePerKeyAndExternalId'],
  },
  'a payout is sent again under a new key': {
    nightly: true,
    file: 'core/usecases/commands/command-calls.ts',
    edits: [
      [
        'if (command.request !== null) {',
        "if (command.request !== null && command.kind !== 'payout') {",
      ],
      [
        '.prepare(deps, partner, command);',
        '.prepare(deps, partner, { ...command, reference: command.reference + command.tries });',
      ],
    ],
    focus: { ...payments, faults: { ...unreliable, crash: 0 }, often: ['advance'] },
    caughtBy: ['everyTransactionAtThePartnerIsKnown'],
  },
  'a call in doubt counts as failed': {
    nightly: true,
    file: 'core/usecases/commands/command-answers.ts',
    edits: [
      [
        'return changed(markUnknown(command, answer.reason, nowMs));',
        'return changed((isMoneyCommand(command) ? refuseCommand : markUnknown)(' +
          'command, answer.reason, nowMs));',
      ],
    ],
    focus: { ...payments, faults: unreliable },
    caughtBy: [
      'everyTransactionAtThePartnerIsKnown',
      'fundsAgreeWithThePartner',
      'noCallerSeesASurprise',
    ],
  },
  'the answer of a worker that lost its lease is applied': {
    file: 'core/usecases/commands/command-answers.ts',
    edits: [
      [
        'return holdsLease(command, claimed) ? stage(batch, command) : null;',
        'return stage(batch, command);',
      ],
    ],
    focus: { ...payments, gates: 1, faults: { crash: 0 }, often: ['jump', 'work'] },
    first: { seed: 15, steps: 80 },
    caughtBy: ['noCallerSeesASurprise', 'everyPaymentIsTerminal'],
  },
  'a payment can be cancelled while its payout is under way': {
    file: 'core/domain/payments/payment.ts',
    edits: [
      [
        "offramp_pending: { payout_completed: 'settled',",
        "offramp_pending: { cancel: 'cancelled', payout_completed: 'settled',",
      ],
    ],
    focus: { ...payments, faults: { ...reliable, crash: 0 }, often: ['cancel', 'work', 'advance'] },
    first: { seed: 32, steps: 80 },
    caughtBy: ['cancelAndPayoutNeverBothWin'],
  },
  'a payment is settled when the partner takes its payout': {
    file: 'core/domain/payments/payment.ts',
    edits: [["send_payout: 'offramp_pending'", "send_payout: 'settled'"]],
    focus: payments,
    first: { seed: 3, steps: 10 },
    caughtBy: ['settledOnlyAfterAPaidPayout', 'statusesFollowTheTableAndTerminalOnesStay'],
  },
  'a ledger posting is dropped': {
    file: 'core/usecases/payments/payment-store.ts',
    edits: [['of change.postings)', 'of change.postings.slice(1))']],
    focus: payments,
    caughtBy: ['fundsFollowFromTheLedger', 'theLedgerCheckFindsNothing'],
  },
  'an event is dropped': {
    file: 'core/usecases/payments/payment-store.ts',
    edits: [['paymentEvents(change.events,', 'paymentEvents(change.events.slice(2),']],
    focus: payments,
    caughtBy: ['oneEventPerChangeAndNamespaceInOrder'],
  },
  'a sequence is skipped': {
    file: 'core/domain/payments/event.ts',
    edits: [['(hasAlias ? 2 : 1),', "(hasAlias ? 2 : 1) + (body.includes('settled') ? 1 : 0),"]],
    focus: payments,
    first: { seed: 9, steps: 20 },
    caughtBy: ['sequencesAreGapFreeAndChained'],
  },
  'a message that came before is refused': {
    file: 'core/usecases/commands/partner-inbox.ts',
    edits: [['if (isKnown) return;', "if (isKnown) throw new PonteError('NotFound');"]],
    focus: { ...payments, faults: { messageDoubled: 0.5, messageLost: 0 } },
    first: { seed: 76, steps: 20 },
    caughtBy: ['everyMessageIsAnswered'],
  },
  'a delivery is tried again under a new id': {
    file: 'core/usecases/webhooks/delivery-attempts.ts',
    edits: [
      [
        'deliveryId: delivery.id,\n      eventType',
        'deliveryId: delivery.id + delivery.attempt,\n      eventType',
      ],
    ],
    focus: { ...payments, often: ['subscribe'] },
    first: { seed: 10, steps: 5 },
    caughtBy: ['everyWebhookIsOfADelivery', 'deliveredOnlyIfReceived'],
  },
  'a delivery has another id after a crash': {
    nightly: true,
    file: 'core/usecases/webhooks/event-deliveries.ts',
    edits: [["ids.named('whd',", "ids.next('whd',"]],
    focus: { ...payments, faults: { crash: 0.02 }, often: ['subscribe'] },
    first: { seed: 2, steps: 250 },
    caughtBy: ['everyWebhookIsOfADelivery'],
  },
  'the cursor passes an event before its delivery has a row': {
    nightly: true,
    file: 'core/usecases/webhooks/event-deliveries.ts',
    edits: [['advance(subscription, last)', 'advance(subscription, last + 1)']],
    focus: { ...payments, faults: { crash: 0.02 }, often: ['subscribe'] },
    first: { seed: 2, steps: 600 },
    caughtBy: ['everyEventReachesEverySubscription'],
  },
  'a delivery that a crash prevented stays missing': {
    file: 'core/usecases/webhooks/event-deliveries.ts',
    edits: [['of missing) tx.deliveries', 'of missing.slice(1)) tx.deliveries']],
    focus: { ...payments, faults: { crash: 0.06 }, often: ['subscribe'] },
    first: { seed: 20, steps: 60 },
    caughtBy: ['everyEventReachesEverySubscription'],
  },
  'a webhook names another type of event': {
    file: 'core/usecases/webhooks/delivery-attempts.ts',
    edits: [['eventType: delivery.eventType,\n    }),', 'eventType: body,\n    }),']],
    focus: { ...payments, often: ['subscribe'] },
    first: { seed: 10, steps: 5 },
    caughtBy: ['oneDeliveryIdAndTheSameBytes'],
  },
  'what is sent after a commit is signed with a former secret': {
    file: 'adapters/storage/sqlite/database.ts',
    edits: [
      [
        'for (const statement of statements) this.#cache.written(statement);',
        'for (const statement of statements)' +
          " if (statement.template?.table !== 'subscriptions') this.#cache.written(statement);",
      ],
    ],
    focus: { ...payments, hosts: 1, often: ['subscribe', 'rotateSecret', 'testWebhook'] },
    first: { seed: 1, steps: 80 },
    caughtBy: ['webhooksVerifyWithTheNewestSecret'],
  },
  'a webhook is delivered with any response status': {
    nightly: true,
    file: 'core/domain/webhooks/webhook-delivery.ts',
    edits: [['responseStatus >= 200 && responseStatus <= 299', 'responseStatus >= 200']],
    focus: { ...payments, often: ['subscribe', 'receiverMood'] },
    first: { seed: 3, steps: 80 },
    caughtBy: ['deliveredOnlyIfReceived'],
  },
  'a buyer needs no KYC': {
    file: 'core/domain/payments/payment-transitions.ts',
    edits: [['if (!verified) return', 'if (verified) return']],
    focus: payments,
    caughtBy: ['noPaymentPassesKycUnapproved'],
  },
  'a page hides what was returned': {
    file: 'adapters/pages/buyer/payment-view.ts',
    edits: [
      [
        'const { receivedMinor, refundOwedMinor, refundOrderedMinor, refundedMinor } = funds;',
        'const { receivedMinor, refundOwedMinor, refundOrderedMinor } = funds;' +
          'const refundedMinor = 0n;',
      ],
    ],
    focus: payments,
    caughtBy: ['everyPageNamesTheMoney'],
  },
  'bank details are given without a record': {
    file: 'core/usecases/payments/bank-details.ts',
    edits: [
      [
        'if (checkCode === was.bankDetailsCode || checkCode === null) return;',
        'if (checkCode !== was.bankDetailsCode || checkCode === null) return;',
      ],
    ],
    focus: payments,
    caughtBy: ['bankDetailsNeverChangeSilently'],
  },
} as const;
