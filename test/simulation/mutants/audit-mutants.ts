// The audit log broken on purpose; see mutants.ts.

const payments = { parties: 0 };

export const auditMutants = {
  'what an actor changes has no entry': {
    file: 'core/usecases/service/audit-log.ts',
    edits: [['for (const one of changed) this.#append(tx, one, proof);', '']],
    focus: payments,
    caughtBy: ['noChangeByAnActorIsWithoutAnEntry'],
  },
  'any change of a payment counts as its create': {
    file: 'core/domain/service/audit-record.ts',
    edits: [["table === 'payments' && kind === 'insert'", "table === 'payments' && kind !== null"]],
    focus: payments,
    caughtBy: ['noChangeByAnActorIsWithoutAnEntry'],
  },
} as const;
