// The service broken on purpose around people and their credentials; see mutants.ts.

const people = { people: 1, parties: 0 };
/** Many calls are under way at a time, and come to their end. */
const busy = {
  people: 3,
  parties: 0,
  gates: 1,
  patience: 0.4,
  faults: { crash: 0, restore: 0 },
  often: ['operatorCommand', 'memberRequest'],
} as const;

export const peopleMutants = {
  'an operator confirms what the same one proposed': {
    file: 'core/domain/money-desk/proposal.ts',
    edits: [['if (proposedById === operator.id) return', "if (proposedById === '') return"]],
    focus: people,
    first: { seed: 10, steps: 20 },
    caughtBy: ['noLiveDecisionByOnePerson'],
  },
  'a decision in live mode needs one operator': {
    file: 'core/domain/money-desk/proposal.ts',
    edits: [["item.mode === 'test' || operator.id", "item.mode !== 'none' || operator.id"]],
    focus: people,
    first: { seed: 4, steps: 5 },
    caughtBy: ['noLiveDecisionByOnePerson'],
  },
  'the keys of a removed member stay': {
    file: 'core/usecases/access/members.ts',
    edits: [['  for (const key of ended) tx.keys.update(key);\n', '']],
    focus: busy,
    first: { seed: 34, steps: 20 },
    caughtBy: ['noKeyOutlivesItsOwner'],
  },
  'a session that was ended goes on': {
    file: 'core/domain/access/session.ts',
    edits: [['return session.endedAtMs === null && nowMs', 'return nowMs']],
    focus: { ...people, faults: { crash: 0, restore: 0 }, often: ['memberRequest'] },
    first: { seed: 19, steps: 20 },
    caughtBy: ['whatHasEndedLetsNobodyIn'],
  },
  'a command goes on while its operator is removed': {
    file: 'core/usecases/access/registered-operators.ts',
    edits: [["if (!changed.has('operators'))", 'if (actor === null)']],
    focus: busy,
    first: { seed: 2, steps: 80 },
    caughtBy: ['whatHasEndedLetsNobodyIn'],
  },
  'the log has no signature of an operator': {
    file: 'core/usecases/access/registered-operators.ts',
    edits: [['actor: { kind, id }, signed });', 'actor: { kind, id } });']],
    focus: people,
    first: { seed: 4, steps: 5 },
    caughtBy: ['theAuditLogIsAsItWasWritten'],
  },
  'the heads of feeds outlive a crash and a restore in memory': {
    file: 'adapters/storage/sqlite/feed-heads.ts',
    edits: [
      ['new Map<string, { readonly tenant: readonly Param[]; readonly head: FeedHead }>()', 'kept'],
      [
        "const chainHash = text('chain_hash');",
        "const chainHash = text('chain_hash'); const kept = new Map();",
      ],
    ],
    focus: { ...people, faults: { restore: 0.03, crash: 0.02 } },
    caughtBy: ['sequencesAreGapFreeAndChained'],
  },
} as const;
