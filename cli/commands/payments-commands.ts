// `ponte payments`: lists, shows, ends and simulates payments.
import type { Command } from 'commander';
import type { payment } from '../../adapters/http/resources/payment-routes.js';
import { formatInstant, instantOrNull } from '../../core/domain/base/instant.js';
import { formatAmount, shownAmount } from '../../core/domain/base/money.js';
import { modes, tenantOf } from '../../core/domain/base/tenant.js';
import { assetText } from '../../core/domain/commands/asset.js';
import { isStuck, type MoneyCommand } from '../../core/domain/commands/partner-command.js';
import { limitName } from '../../core/domain/payments/amount-limit.js';
import { shortIdOf } from '../../core/domain/payments/bank-record.js';
import type { PaymentView } from '../../core/domain/payments/change.js';
import { payerText } from '../../core/domain/payments/payer-facts.js';
import { EXTERNAL_PREFIX, paymentStatuses } from '../../core/domain/payments/payment.js';
import { simulatedEvents } from '../../core/domain/payments/simulated-event.js';
import { situationAmounts, situationOf, situations } from '../../core/domain/payments/situation.js';
import { invalid } from '../../core/errors.js';
import type { CaseLine } from '../../core/usecases/money-desk/case-texts.js';
import { addDecisions } from '../decided.js';
import { decisionsText, presentDecision, wrapped } from '../money-texts.js';
import {
  type AddCommand,
  commandGroup,
  listOf,
  type Operator,
  type Outcome,
  readNames,
  readPage,
  type Shell,
  withName,
} from '../operator.js';
import { choice, page, value } from '../options.js';
import { fields } from '../output.js';
import { presentCommand } from './partner-commands.js';

const showDetails = [
  '--json prints the payment as the API does, with organization, mode, payeeName, missing,',
  'expected (BRL of the price), commands as `commands list`, decisions as `proposals`, and',
  'timeline as the API without webhooks.',
].join('\n');

/** A time and two spaces. */
const HISTORY_INDENT = 26;

const payments = () => import('../../core/usecases/payments/payments.js');
const routes = () => import('../../adapters/http/resources/payment-routes.js');

export function addPaymentsCommands(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'payments', 'payments of all organizations');

  addList(add);

  add({
    name: 'show <payment-id>',
    authority: 'read',
    description: 'show a payment, by its id or by ext_<externalId> with --org and --mode',
    details: showDetails,
    options: {
      org: value('<org-id>', 'the organization of an externalId'),
      mode: choice('<mode>', modes, 'its mode'),
    },
    run: async (operator, { org: orgId, mode }, [id = '']) => {
      const { readPayment } = await payments();
      if (!id.startsWith(EXTERNAL_PREFIX)) return shownCase(operator, id);
      if (orgId !== null && mode !== null) {
        const { payment } = await readPayment(operator.deps, { orgId, mode }, id);
        return shownCase(operator, payment.id);
      }
      throw invalid('Give --org and --mode: each tenant chooses its externalIds.');
    },
  });

  addDecisions(add, {
    group: 'payments',
    argument: '<payment-id>',
    done: async (operator, id) => {
      const ended = await (await payments()).findPayment(operator.deps, id);
      return shown(operator, await viewOf(operator, ended));
    },
  });

  add({
    name: 'simulate <payment-id> <event>',
    authority: 'signed',
    description: 'simulate an event of a test payment, for example money_arrives',
    details: `Events: ${simulatedEvents.join(', ')}.`,
    run: async (operator, _, [id = '', event = '']) => {
      const { simulate } = await import('../../core/usecases/sandbox/simulations.js');
      const found = await (await payments()).findPayment(operator.deps, id);
      return shown(operator, await simulate(operator.deps, tenantOf(found), id, event));
    },
  });
}

function addList(add: AddCommand): void {
  add({
    name: 'list',
    authority: 'read',
    description: 'list payments, newest first',
    options: {
      status: choice('<status>', paymentStatuses, 'only payments in this status'),
      org: value('<org-id>', 'only payments of this organization'),
      ...page,
    },
    run: async (operator, { status, org: orgId, ...asked }) => {
      const { deps, payUrl } = operator;
      const { rows, nextCursor } = await readPage(asked, (one) =>
        deps.store.run((tx) => tx.payments.list({ status, orgId, ...one })),
      );
      const views = await Promise.all(rows.map((one) => viewOf(operator, one)));
      const { payment } = await routes();
      const data = views.map((view) => ({
        ...payment.show({ ...view, payUrl }),
        orgId: view.payment.orgId,
        mode: view.payment.mode,
      }));
      const names = await readNames(deps);
      return listOf(data, 'No payments.', nextCursor, {
        ID: 'id',
        STATUS: 'status',
        AMOUNT: (one) => `${one.amount} ${one.currency}`,
        BUYER: (one) => one.buyer.name ?? one.buyer.email,
        FUNDS: (one) => one.funds.status,
        'EXTERNAL ID': 'externalId',
        ORGANIZATION: (one) => withName(names, one.orgId),
        MODE: 'mode',
        CREATED: 'createdAt',
      });
    },
  });
}

function shownRefund(funds: ReturnType<typeof payment.show>['funds']): string {
  const { refundStatus, refundOwed, refunded } = funds;
  return `${refundStatus}, owed ${refundOwed}, refunded ${refunded}`;
}

async function viewOf({ deps }: Operator, payment: PaymentView['payment']): Promise<PaymentView> {
  const { readPayment } = await payments();
  return readPayment(deps, tenantOf(payment), payment.id);
}

type ShownLimit = NonNullable<ReturnType<typeof payment.show>['amountLimit']>;

function shownLimit({ period, left, until }: ShownLimit): string {
  const rest = left === null ? '' : `, ${left} left`;
  return `over ${limitName(period)}${rest}${until === null ? '' : `, ends ${until}`}`;
}

type SettlementJson = Readonly<
  Record<'brlSettledAmount' | 'settledAt', string> &
    Record<'endToEndId' | 'returnedAt', string | null>
>;

/** Null unless the seller was paid more than once. */
function shownAgain(settlements: readonly SettlementJson[]): string | null {
  const texts = settlements.map(({ brlSettledAmount, settledAt, endToEndId, returnedAt }) => {
    const back = returnedAt === null ? '' : `, came back ${returnedAt}`;
    return `${brlSettledAmount} BRL, ${settledAt}, PIX ${endToEndId ?? 'unknown'}${back}`;
  });
  return texts.length === 0 ? null : texts.join('; ');
}

/** What the page shows beside the bank details, for a comparison by phone. */
function shownCode({ publicId, bankDetailsCode }: PaymentView['payment']): string {
  return `check code ${bankDetailsCode} (at /verify with the page ${shortIdOf(publicId)})`;
}

/** With names, commands, decisions and history; the command that shows one payment. */
async function shownCase(operator: Operator, id: string): Promise<Outcome> {
  const [cases, { caseLines }, { shownEntry }] = await Promise.all([
    import('../../core/usecases/money-desk/payment-case.js'),
    import('../../core/usecases/money-desk/case-texts.js'),
    import('../../adapters/http/resources/timeline-routes.js'),
  ]);
  const found = await cases.readPaymentCase(operator.deps, id);
  const { payment, organization, quote, commands, decisions, history } = found;
  const { missing } = situationAmounts(found);
  const { json, text } = await shown(operator, found);
  const payee = cases.payeeIn(found);
  const expected = quote === null ? null : shownAmount(quote.target);
  const lines = caseLines(history);
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['COMMANDS', commands.flatMap(commandLines)],
    ['DECISIONS', decisions.length === 0 ? [] : [decisionsText(decisions)]],
    ['HISTORY', lines.flatMap(lineOf)],
  ];
  return {
    json: {
      ...(json as object),
      organization,
      mode: payment.mode,
      payeeName: payee,
      missing: formatAmount(missing.amountMinor),
      expected: quote === null ? null : formatAmount(quote.target.amountMinor),
      commands: commands.map(presentCommand),
      decisions: decisions.map(presentDecision),
      timeline: history.map(shownEntry),
    },
    text: [
      ...wrapped(situations[situationOf(found)].says, ''),
      '',
      fields({
        organization: `${organization.name} (${organization.id})`,
        buyer: cases.payerIn(payment),
        payee,
        missing: missing.amountMinor === 0n ? null : shownAmount(missing),
        expected,
      }),
      text,
      ...sections.flatMap(([name, shownLines]) =>
        shownLines.length === 0 ? [] : ['', name, ...shownLines],
      ),
    ].join('\n'),
  };
}

function commandLines(command: MoneyCommand): readonly string[] {
  const { id, kind, amount, state, end, partnerRef, dueAtMs, lastError } = command;
  const how = `${state}${end === 'open' ? '' : `, ${end}`}${isStuck(command) ? ' (stuck)' : ''}`;
  const next = instantOrNull(dueAtMs);
  const known = [
    `partner's reference ${partnerRef ?? 'none'}`,
    ...(next === null ? [] : [`poll due ${next}`]),
    ...(lastError === null ? [] : [lastError]),
  ];
  return [`${id}  ${kind}  ${shownAmount(amount)}`, ...wrapped(`${how}; ${known.join('; ')}`)];
}

function lineOf({ atMs, text, amount, note }: CaseLine) {
  const said = amount === null ? text : `${text}: ${shownAmount(amount)}`;
  const [first = '', ...rest] = wrapped(said, ' '.repeat(HISTORY_INDENT));
  const time = formatInstant(atMs);
  const more = note === null ? [] : wrapped(note, ' '.repeat(HISTORY_INDENT));
  return [`${time}  ${first.trimStart()}`, ...rest, ...more];
}

async function shown({ payUrl }: Operator, view: PaymentView): Promise<Outcome> {
  const { payment } = await routes();
  const json = payment.show({ ...view, payUrl });
  const { funds, buyer } = json;
  return {
    json,
    text: fields({
      id: json.id,
      mode: view.payment.mode,
      status: json.status,
      amount: `${json.amount} ${json.currency}`,
      'external id': json.externalId,
      purpose: json.purpose,
      buyer: `${buyer.email} (KYC ${buyer.kycStatus})`,
      payer: json.payer === null ? null : payerText(json.payer),
      funds: `${funds.status}, received ${funds.received}`,
      refund: funds.refundStatus === 'none' ? null : shownRefund(funds),
      settled: json.brlSettledAmount === null ? null : `${json.brlSettledAmount} BRL`,
      rate: json.fxRateAtSettlement,
      'effective rate (VET)': json.effectiveRateAtSettlement,
      'stablecoin sold': json.settlements[0]?.asset ? assetText(json.settlements[0].asset) : null,
      'came back': json.settlements[0]?.returnedAt ?? null,
      'paid again': shownAgain(json.settlements.slice(1)),
      'no price': json.amountLimit === null ? null : shownLimit(json.amountLimit),
      failed: json.failureReason,
      'failure code': json.failureCode,
      cancelled: json.cancelReason,
      page: json.hostedPaymentUrl,
      'bank details': view.payment.bankDetailsCode === null ? null : shownCode(view.payment),
      'paid together': json.consolidatedReference,
      created: json.createdAt,
      updated: json.updatedAt,
    }),
  };
}
