// `ponte commands`: the commands to the settlement partner, and retries of stuck ones.
import type { Command } from 'commander';
import { formatInstant, instantOrNull } from '../../core/domain/base/instant.js';
import { formatAmount } from '../../core/domain/base/money.js';
import { type Mode, modes, tenantOf } from '../../core/domain/base/tenant.js';
import {
  isMoneyCommand,
  isStuck,
  type PartnerCommand,
} from '../../core/domain/commands/partner-command.js';
import { reviewName } from '../../core/domain/commands/report-check.js';
import { assert, PonteError } from '../../core/errors.js';
import { addDecisions, decided } from '../decided.js';
import {
  commandGroup,
  listOf,
  type Operator,
  type Outcome,
  readPage,
  type Shell,
} from '../operator.js';
import { choice, dryRun, flag, mode, page, replace, value } from '../options.js';
import { fields } from '../output.js';

const retries = () => import('../../core/usecases/commands/command-retries.js');

export function addPartnerCommands(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'commands', 'commands to the settlement partner');

  add({
    name: 'list',
    authority: 'read',
    description: 'list commands, newest first',
    options: {
      stuck: flag('only commands that need an operator'),
      payment: value('<payment-id>', 'only commands of this payment'),
      org: value('<org-id>', 'only commands of this organization'),
      mode: choice('<mode>', modes, 'only commands of this mode'),
      ...page,
    },
    run: async ({ deps }, { stuck, payment: paymentId, org: orgId, mode, ...asked }) => {
      const { rows, nextCursor } = await readPage(asked, (one) => {
        const filter = { stuck, orgId, mode, paymentId, ...one };
        return deps.store.run(async (tx) => {
          if (paymentId === null) return tx.commands.list(filter);
          const payment = await tx.payments.find(paymentId);
          if (payment === null)
            throw new PonteError('NotFound', `There is no payment ${paymentId}.`);
          const isAsked =
            [null, payment.orgId].includes(orgId) && [null, payment.mode].includes(mode);
          return isAsked ? tx.commands.list({ ...filter, ...tenantOf(payment) }) : [];
        });
      });
      const empty = stuck ? 'No command is stuck.' : 'No commands.';
      return listOf(rows.map(presentCommand), empty, nextCursor, {
        ID: 'id',
        KIND: 'kind',
        STATE: (row) => (row.stuck ? `${row.state} (stuck)` : row.state),
        END: 'end',
        "PARTNER'S REFERENCE": 'partnerRef',
        PAYMENT: 'paymentId',
        AMOUNT: (row) => (row.amount === null ? null : `${row.amount} ${row.currency}`),
        ERROR: (row) => heldBack(row.review) ?? row.lastError,
      });
    },
  });

  add({
    name: 'retry <command-id>',
    authority: 'signed',
    description: 'run an open command now, or send a refused refund again',
    options: { dryRun },
    run: async ({ deps }, { dryRun }, [id = '']) =>
      changed(await (await retries()).retryCommand(deps, id), dryRun && 'retry'),
  });

  addDecisions(add, {
    group: 'commands',
    argument: '<command-id>',
    done: async ({ deps }, id) => {
      const command = await deps.store.run((tx) => tx.commands.get(id));
      assert(command !== null, 'a command stays');
      return changed(command, false);
    },
  });
}

const changeDetails = [
  'Set the variables of the new partner, stop all hosts, then run this. Ponte asks it for commands',
  'of the former one. If it has them, it is the same account at another address, and all commands',
  'follow. If not, none may be open, and sellers, buyers and destinations are unknown to it.',
].join('\n');

/** The binding of the database to a partner. */
export function addPartnerBinding(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'partner', 'which settlement partner has the commands');

  add({
    name: 'show',
    authority: 'read',
    description: 'show the bound and the configured partner of each mode',
    run: showBound,
  });

  add({
    name: 'change',
    authority: 'confirmed',
    description: 'bind the database to the configured partner',
    options: { mode, replace, dryRun },
    details: changeDetails,
    run: changeBound,
  });
}

async function showBound({ deps, configuredPartners }: Operator): Promise<Outcome> {
  const { readBound } = await import('../../core/usecases/service/fingerprints.js');
  const known = { partners: configuredPartners };
  const data = await deps.store.run(async (tx) => [
    await readBound(known, tx, 'test'),
    await readBound(known, tx, 'live'),
  ]);
  const shown = data.map(({ unfinished, ...bound }) => ({
    ...bound,
    unfinished: unfinished.map(({ id }) => id),
  }));
  return listOf(shown, '', null, {
    MODE: 'mode',
    BOUND: 'bound',
    CONFIGURED: 'configured',
    'NOT FINISHED ELSEWHERE': (row) => row.unfinished.join(' ') || null,
  });
}

async function changeBound(
  operator: Operator,
  {
    mode,
    ...options
  }: { readonly mode: Mode; readonly replace: boolean; readonly dryRun: boolean },
): Promise<Outcome> {
  const { plannedChange } = await import('../../core/usecases/commands/partner-instance.js');
  const serving = await operator.servers();
  if (serving.length > 0) {
    const names = serving.map(({ name }) => name).join(', ');
    const message = `${operator.databaseName} is served by ${names}. Stop them first.`;
    throw new PonteError('DecisionNotAllowed', message);
  }
  const change = await plannedChange(operator.deps, operator.configuredPartners, mode);
  const request = { verb: 'change-partner', mode, ...change } as const;
  const after = () => showBound(operator);
  return decided(operator, `partner_${mode}`, request, after, options);
}

function heldBack(review: ShownReview | null): string | null {
  return review === null ? null : `report ${review.name}: ${review.reason}`;
}

interface ShownReview {
  /** For `commands accept --report`. */
  readonly name: string;
  readonly kind: string;
  readonly reason: string;
  readonly fact: unknown;
}

export function presentCommand(command: PartnerCommand) {
  return {
    id: command.id,
    orgId: command.orgId,
    testMode: command.mode === 'test',
    kind: command.kind,
    ...presentSubject(command),
    reference: command.reference,
    state: command.state,
    end: command.end,
    review: command.review === null ? null : presentReview(command.review),
    stuck: isStuck(command),
    tries: command.tries,
    partnerRef: command.partnerRef,
    lastError: command.lastError,
    heldSince: instantOrNull(command.heldSinceMs),
    lateAt: instantOrNull(command.lateAtMs),
    lastSentAt: instantOrNull(command.lastSentAtMs),
    dueAt: instantOrNull(command.dueAtMs),
    createdAt: formatInstant(command.createdAtMs),
    updatedAt: formatInstant(command.updatedAtMs),
  };
}

function presentSubject(command: PartnerCommand) {
  if (isMoneyCommand(command)) {
    const { paymentId, amount } = command;
    const sum = { amount: formatAmount(amount.amountMinor), currency: amount.currency };
    return { paymentId, submissionId: null, accountId: null, ...sum };
  }
  const { kind, id } = command.subject;
  return {
    paymentId: null,
    submissionId: kind === 'submission' ? id : null,
    accountId: kind === 'account' ? id : null,
    amount: null,
    currency: null,
  };
}

function presentReview(review: string): ShownReview {
  return { name: reviewName(review), ...(JSON.parse(review) as Omit<ShownReview, 'name'>) };
}

function changed(command: PartnerCommand, dryRunOf: string | false): Outcome {
  const json = presentCommand(command);
  const text = fields({
    id: json.id,
    kind: json.kind,
    payment: json.paymentId,
    account: json.accountId,
    amount: json.amount === null ? null : `${json.amount} ${json.currency}`,
    state: json.stuck ? `${json.state} (stuck)` : json.state,
    end: json.end,
    'held back': heldBack(json.review),
    due: json.dueAt,
    error: json.lastError,
  });
  return { json, text: dryRunOf === false ? text : `Would ${dryRunOf}:\n${text}` };
}
