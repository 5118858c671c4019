// The table of commands to the partner: how a command of each kind is prepared, started, looked up
// and read, and what is stored when the partner accepts, refuses or reports it. command-runner.ts
// calls.
import { tenantOf } from '../../domain/base/tenant.js';
import {
  effectOn,
  pollNow,
  reopenCommand,
  reportCommand,
} from '../../domain/commands/command-report.js';
import {
  acceptCommand,
  type CommandKind,
  isMoneyCommand,
  type MoneyCommand,
  type PartnerCommand,
  type PartyCommand,
} from '../../domain/commands/partner-command.js';
import {
  type PayoutReport,
  payinProblem,
  payoutDrift,
  payoutProblem,
  refundProblem,
} from '../../domain/commands/report-check.js';
import { decisionProblem } from '../../domain/deposits/deposit.js';
import { shortIdOf } from '../../domain/payments/bank-record.js';
import type { PaymentWithCommands } from '../../domain/payments/change.js';
import { hasMoneyForPayouts, takenFrom } from '../../domain/payments/funds.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type {
  AcceptedCommand,
  CommandCalls,
  PartnerAnswer,
  PartnerFact,
  PartnerReports,
  PartyReport,
  SettlementPartner,
} from '../../ports/partner.js';
import { depositOf, effectOnDeposit, isIdOfAnother, stageOwned } from '../deposits/deposits.js';
import type { IncomingPartyReport, RailsRequest } from '../parties/party-kinds.js';
import {
  alertUnplaced,
  announceParty,
  answerRefused,
  partyReported,
  railsReported,
  refusalReport,
} from '../parties/party-reports.js';
import {
  type MoneyFact,
  type ReportRules,
  type ReportSource,
  type Staged,
  stageCommand,
  stageMoneyCommand,
  stageReport,
  unchangedCommand,
} from '../payments/command-changes.js';
import { referencesSinceMs } from '../payments/command-references.js';
import { loadPayment } from '../payments/payment-store.js';
import type { Batch } from '../service/batch.js';

export const ID_OF_ANOTHER = 'the partner answers with the id of another command';

export interface PreparedRequest {
  readonly answer: PartnerAnswer<string>;
  /** The payment that was read for it. */
  readonly payment: PaymentWithCommands | null;
}

export interface Operation<C extends PartnerCommand = PartnerCommand> {
  /** Null: the answer to the call is final. */
  readonly reportKind: keyof PartnerReports | null;
  /** The exact request, if it was not fixed with the command. */
  prepare(deps: Deps, partner: SettlementPartner, command: C): Promise<PreparedRequest>;
  callsOf(partner: SettlementPartner): Omit<CommandCalls<never, PartnerFact['report']>, 'prepare'>;
  /** `adopted` are commands without a row, including this one. */
  onAccepted(
    batch: Batch,
    command: C,
    accepted: AcceptedCommand,
    adopted?: readonly MoneyCommand[],
  ): Promise<Staged>;
  /** `refused` is the command with its final refusal. */
  onRefused(batch: Batch, command: C, refused: C, code: string): Promise<Staged>;
  /** Sent, lost, postponed or in doubt; `commands` are all of the same payment. */
  onChanged(
    batch: Batch,
    command: C,
    decide: (commands: readonly MoneyCommand[]) => C,
  ): Promise<Staged>;
  /** `fact` is of `reportKind`; twice, late or out of order it is harmless. */
  onReport(batch: Batch, command: C, fact: PartnerFact, source: ReportSource): Promise<Staged>;
}

export function operationOf<C extends PartnerCommand>(command: C): Operation<C> {
  return operations[command.kind];
}

const nothing = { receivedMinor: 0n, refunded: null };

const dossier: Operation<PartyCommand> = {
  reportKind: 'party',
  callsOf: (partner) => partner.party,
  prepare: alreadyPrepared,
  onAccepted(batch, command, { partnerRef, report = { status: 'verifying', reason: null } }) {
    const next = acceptCommand(command, partnerRef, batch.nowMs);
    return stageParty(batch, [command, next], { partnerRef, report, isCurrent: true });
  },
  async onRefused(batch, command, refused, code) {
    if (await answerRefused(batch, command)) return refusedAnswer(batch, refused, code);
    const report = await refusalReport(batch, command, code);
    const reported = { partnerRef: null, report, isCurrent: true };
    const staged = await stageParty(batch, [command, refused], reported);
    if (report.status === 'rejected') return staged;
    const announce = () => {
      staged.announce();
      alertUnplaced(batch.deps, code, command.id);
    };
    return { ...staged, announce };
  },
  onChanged: changedParty,
  onReport(batch, command, fact, { polledVersion, alsoChange }) {
    assert(fact.kind === 'party', 'the report of a party is about one');
    const { partnerRef, report } = fact;
    const { reason } = report;
    const isCurrent = polledVersion === command.version;
    const end = isAwaited(report) ? 'open' : 'completed';
    const held = isAnswerDue(report);
    const answer = { ...nothing, partnerRef, end, reason, held, polled: true } as const;
    const known = reportCommand(command, answer, batch.nowMs);
    const reported = isCurrent && end === 'open' ? reopenCommand(known, batch.nowMs) : known;
    const last = alsoChange?.(reported, null) ?? reported;
    // The command has changed since it was read: the answer may be old.
    const isRaced = polledVersion !== undefined && !isCurrent;
    const next = isRaced ? pollNow(last, batch.nowMs) : last;
    return stageParty(batch, [command, next], { partnerRef, report, isCurrent });
  },
};

export const operations: Readonly<Record<CommandKind, Operation>> = {
  submit_organization: dossier,
  submit_buyer: dossier,
  submit_account: dossier,
  provision_rails: {
    reportKind: null,
    callsOf: (partner) => ({
      async start(request) {
        const answer = await partner.provisionRails(JSON.parse(request) as RailsRequest);
        if (answer.outcome !== 'done') return answer;
        return { outcome: 'done', value: { partnerRef: answer.value.virtualAccountRef } };
      },
      // Rails that are not stored are not used: other ones do no harm.
      find: async () => ({ outcome: 'done', value: null }),
      read: neverReported,
    }),
    prepare: alreadyPrepared,
    async onAccepted(batch, command: PartyCommand, { partnerRef }) {
      await railsReported(batch, command, partnerRef);
      const report = { ...nothing, partnerRef, end: 'completed', reason: null } as const;
      const next = reportCommand(command, { ...report, polled: true }, batch.nowMs);
      return { ...stageCommand(batch, next), announce: () => announceParty(batch.deps) };
    },
    async onRefused(batch, _, refused: PartyCommand, code) {
      const { id: commandId, orgId, mode, subject } = refused;
      const isSeller = subject.kind === 'account';
      const whose = isSeller ? 'a seller' : 'an organization';
      const about = isSeller ? { accountId: subject.id } : { orgId, mode };
      const alert = `the partner refuses the rails of ${whose}: it cannot collect`;
      const announce = () => batch.deps.log.error('alert', { alert, ...about, commandId, code });
      return { ...stageCommand(batch, refused), announce };
    },
    onChanged: changedParty,
    onReport: neverReported,
  },
  payin: moneyOperation('payin', {
    async prepare(partner, { reference }, { payment, quote }) {
      assert(quote !== null, 'a pay-in has a quote');
      const payerReference = shortIdOf(payment.publicId);
      const payer = { payerEmail: payment.buyer.email, payerReference };
      return partner.payin.prepare({ reference, quote, ...payer });
    },
    problem: ({ command, asked, report, polled, commands }) =>
      payinProblem({ ...command, asked }, report, polled, takenFrom(command, commands)),
    depositOf,
    sums: ({ received, held = false }) => {
      return { receivedMinor: received.amountMinor, refunded: null, held };
    },
    details({ reason, transactionHash, asset = null, payer = null }) {
      return { reason, transactionHash, asset, payer };
    },
  }),
  payout: moneyOperation('payout', {
    prepare(partner, { reference, amount }, { payment, commands, quote, sinceMs }) {
      const { destination, purpose } = payment;
      const payinRefs = commands.flatMap((command) =>
        hasMoneyForPayouts(command) && command.partnerRef !== null ? [command.partnerRef] : [],
      );
      const money = { reference, amount, destination, payinRefs };
      return partner.payout.prepare({ ...money, quote, purpose, sinceMs });
    },
    // Only a report with an effect is checked.
    problem: ({ command, report, quote, polled, drift }) =>
      effectOn(command, report.status, polled) === 'apply'
        ? payoutProblem(command, report, quote, drift)
        : null,
    alert({ report, quote, drift }) {
      const reason = payoutDrift(report, quote, drift);
      return reason === null ? null : { alert: 'a payout is far from its quote', reason };
    },
    depositOf,
    sums: ({ held = false }) => ({ ...nothing, held }),
    details: settlementOf,
  }),
  refund: moneyOperation('refund', {
    async prepare(partner, { reference, amount, payinId }, { commands }) {
      const payinRef = commands.find(({ id }) => id === payinId)?.partnerRef ?? null;
      assert(payinRef !== null, 'a refund has a pay-in');
      return partner.refund.prepare({ reference, payinRef, amount });
    },
    problem: ({ command, report, polled }) => refundProblem(command, report.amount, polled),
    sums: ({ amount }) => ({ receivedMinor: 0n, refunded: amount }),
    details: ({ reason }) => ({ reason }),
  }),
};

async function neverReported(): Promise<never> {
  throw new Error('the partner reports nothing about rails');
}

async function alreadyPrepared(): Promise<never> {
  throw new Error('the request about a party is fixed when its command is made');
}

async function changedParty(
  batch: Batch,
  _command: PartyCommand,
  decide: (commands: readonly MoneyCommand[]) => PartyCommand,
): Promise<Staged> {
  return stageCommand(batch, decide([]));
}

function settlementOf(report: PayoutReport) {
  const { status, reason, settled, fees, fxRate, endToEndId, asset = null } = report;
  if (status !== 'completed') return { reason };
  assert(settled !== null && fees !== null && fxRate !== null, 'a checked report has its sums');
  return { settlement: { settled, fees, fxRate, endToEndId, asset } };
}

interface MoneyRules<R> extends ReportRules<R> {
  /** What else may have booked the same transaction at the partner. */
  readonly depositOf?: typeof depositOf;
  prepare(
    partner: SettlementPartner,
    command: MoneyCommand,
    known: Awaited<ReturnType<typeof knownOf>>,
  ): Promise<PartnerAnswer<string>>;
}

function moneyOperation<K extends MoneyFact['kind']>(
  kind: K,
  rules: MoneyRules<PartnerReports[K]>,
): Operation<MoneyCommand> {
  return {
    reportKind: kind,
    callsOf: (partner) => partner[kind],
    async prepare(deps, partner, command) {
      const known = await knownOf(deps, command);
      const stored = known.commands.find(({ id }) => id === command.id);
      if (stored?.version === command.version)
        return { answer: await rules.prepare(partner, command, known), payment: known };
      // This run stood still: another one has the command, and its payment may have gone on.
      const answer = { outcome: 'later', reason: 'another run has the command' } as const;
      return { answer, payment: null };
    },
    onAccepted(batch, command, { partnerRef, instructions }, adopted) {
      const accept = () => acceptCommand(command, partnerRef, batch.nowMs);
      return stageMoneyCommand(batch, command, accept, { instructions }, adopted);
    },
    onRefused: (batch, command, refused) => stageMoneyCommand(batch, command, () => refused),
    onChanged: stageMoneyCommand,
    async onReport(batch, command, fact, source) {
      assert(fact.kind === kind, `the report of a ${kind} is about one`);
      if (command.partnerRef === null && (await isIdOfAnother(batch, command, fact.partnerRef))) {
        const announce = () => alertIdOfAnother(batch.deps, command, fact.partnerRef);
        return { ...unchangedCommand(command), announce };
      }
      // The kind determines the type of the report.
      const own = fact as MoneyFact & { readonly report: PartnerReports[K] };
      const deposit = (await rules.depositOf?.(batch, command, fact.partnerRef)) ?? null;
      if (deposit === null) return stageReport(batch, command, own, source, rules);
      const problem: typeof rules.problem = (reported) => {
        const found = rules.problem(reported);
        const isMoney =
          kind === 'payout'
            ? reported.report.status === 'completed'
            : rules.sums(reported.report).receivedMinor > 0n;
        return found?.kind === 'unusable' || !isMoney ? found : (decisionProblem(deposit) ?? found);
      };
      const isCurrent = source.polledVersion === command.version;
      const report = { status: own.report.status, isCurrent };
      const alsoChange: ReportSource['alsoChange'] = (next, payment) => {
        const last = source.alsoChange?.(next, payment) ?? next;
        return effectOnDeposit(deposit, next, report) === 'poll'
          ? pollNow(last, batch.nowMs)
          : last;
      };
      const from = { ...source, alsoChange };
      const staged = await stageReport(batch, command, own, from, { ...rules, problem });
      assert(isMoneyCommand(staged.command), 'a command about money stays one');
      const announceDeposit = stageOwned(batch, deposit, staged.command, report);
      const announce = () => {
        staged.announce();
        announceDeposit();
      };
      return { ...staged, announce };
    },
  };
}

export function alertIdOfAnother(deps: Deps, command: MoneyCommand, partnerRef: string): void {
  const { id: commandId, paymentId } = command;
  deps.log.error('alert', { alert: ID_OF_ANOTHER, commandId, paymentId, partnerRef });
}

function knownOf(deps: Deps, command: MoneyCommand) {
  const tenant = tenantOf(command);
  return deps.store.run(async (tx) => {
    const was = await loadPayment(tx, tenant, command.paymentId);
    const { payment } = was;
    const { quoteId } = payment;
    const quote = quoteId === null ? null : await tx.quotes.get(tenant, quoteId);
    const commands = await tx.commands.ofPayment(tenant, command.paymentId);
    return { was, payment, quote, commands, sinceMs: await referencesSinceMs(deps, tx, payment) };
  });
}

/** The command is stored with the last of the changes: after a crash they are repeated. */
async function stageParty(
  batch: Batch,
  [was, next]: readonly [PartyCommand, PartyCommand],
  reported: IncomingPartyReport,
): Promise<Staged> {
  const { isComplete, alerts } = await partyReported(batch, was, reported);
  const announce = () => {
    announceParty(batch.deps);
    for (const alert of alerts) batch.deps.log.error('alert', alert);
  };
  if (isComplete && next !== was) return { ...stageCommand(batch, next), announce };
  return { command: was, payment: null, isComplete, announce };
}

/** The partner has not decided, or waits for an answer: the command is polled. */
function isAwaited(report: PartyReport): boolean {
  return report.status === 'verifying' || isAnswerDue(report);
}

function isAnswerDue({ status, corrections = [] }: PartyReport): boolean {
  return status === 'paused' || corrections.length > 0;
}

function refusedAnswer(batch: Batch, refused: PartyCommand, code: string): Staged {
  const announce = () => {
    announceParty(batch.deps);
    const alert = 'the partner refuses the answer of a party: what it wants is still due';
    batch.deps.log.error('alert', { alert, code, commandId: refused.id });
  };
  return { ...stageCommand(batch, refused), announce };
}
