// `ponte payments` and `ponte refunds`: what operations staff see of payments and the money owed
// back, and how they end a payment.
import { type Command, Option } from 'commander';
import type { payment } from '../adapters/http/payment-routes.js';
import type { PaymentView } from '../core/domain/change.js';
import type { Funds } from '../core/domain/funds.js';
import { formatAmount } from '../core/domain/money.js';
import { type PaymentStatus, paymentStatuses } from '../core/domain/payment.js';
import { tenantOf } from '../core/domain/tenant.js';
import {
  addVerb,
  asOperator,
  cursorOption,
  dryRunOption,
  limitOption,
  type Operator,
  type Outcome,
  onlyId,
  type Shell,
} from './operator.js';
import { type Cell, fields, table } from './output.js';

interface PageOptions {
  readonly limit: number;
  readonly cursor: string | null;
}

interface EndOptions {
  readonly reason: string;
  readonly dryRun: boolean;
}

const payments = () => import('../core/usecases/payments.js');
const routes = () => import('../adapters/http/payment-routes.js');

export function addPaymentsVerbs(shell: Shell, program: Command): void {
  const noun = program.command('payments').description('payments of all organizations');

  addVerb<PageOptions & { readonly status: PaymentStatus | null; readonly org: string | null }>(
    shell,
    noun,
    {
      name: 'list',
      description: 'list payments, newest first',
      options: [
        new Option('--status <status>', 'only those in it').choices(paymentStatuses).default(null),
        new Option('--org <org-id>', 'only those of one organization').default(null),
        limitOption(),
        cursorOption(),
      ],
      run: (options) => asOperator(shell, (operator) => list(operator, options)),
    },
  );

  addVerb(shell, noun, {
    name: 'show <payment-id>',
    description: 'show one payment',
    run: (_, ids) =>
      asOperator(shell, async (operator) => {
        const { findPayment } = await payments();
        const payment = await findPayment(operator.deps, onlyId(ids));
        return shown(operator, await viewOf(operator, payment));
      }),
  });

  for (const [name, description] of [
    ['cancel', 'cancel a payment whose payout has not begun; money it holds is owed back'],
    ['fail', 'give a payment up that has not ended; money it holds is owed back'],
  ] as const) {
    addVerb<EndOptions>(shell, noun, {
      name: `${name} <payment-id>`,
      description,
      options: [
        new Option('--reason <reason>', 'why, as the integrator is told').makeOptionMandatory(),
        dryRunOption(),
      ],
      run: (options, ids) =>
        asOperator(shell, (one) => end(one, name, onlyId(ids), options), options),
    });
  }

  addVerb<{ readonly limit: number }>(
    shell,
    program.command('refunds').description('money owed back'),
    {
      name: 'list',
      description: 'list what is owed to buyers, lost, or of unknown position, oldest first',
      options: [limitOption()],
      run: ({ limit }) => asOperator(shell, (operator) => refunds(operator, limit)),
    },
  );
}

async function list(
  operator: Operator,
  options: PageOptions & { readonly status: PaymentStatus | null; readonly org: string | null },
): Promise<Outcome> {
  const { deps, payUrl } = operator;
  const { status, org: orgId, limit, cursor: beforeId } = options;
  // One more than shown tells whether there is a next page.
  const found = await deps.store.run((tx) =>
    tx.payments.list({ status, orgId, beforeId, limit: limit + 1 }),
  );
  const page = found.slice(0, limit);
  const views = await Promise.all(page.map((one) => viewOf(operator, one)));
  const { payment } = await routes();
  const data = views.map((view) => payment.show({ ...view, payUrl }));
  const nextCursor = found.length > limit ? (page.at(-1)?.id ?? null) : null;
  const rows = data.map((one): Cell[] => [
    one.id,
    one.status,
    `${one.amount} ${one.currency}`,
    one.funds.status,
    one.externalId,
    one.createdAt,
  ]);
  const headings = ['ID', 'STATUS', 'AMOUNT', 'FUNDS', 'EXTERNAL ID', 'CREATED'];
  const more = nextCursor === null ? '' : `\nMore: --cursor ${nextCursor}`;
  return { json: { data, nextCursor }, text: `${table(headings, rows, 'No payments.')}${more}` };
}

async function end(
  operator: Operator,
  name: 'cancel' | 'fail',
  id: string,
  { reason, dryRun }: EndOptions,
): Promise<Outcome> {
  const { cancelPaymentByOperator, failPaymentByOperator } = await payments();
  const usecase = name === 'cancel' ? cancelPaymentByOperator : failPaymentByOperator;
  const outcome = await shown(operator, await usecase(operator.deps, id, reason));
  return dryRun ? { ...outcome, text: `Would ${name}:\n${outcome.text}` } : outcome;
}

async function refunds({ deps }: Operator, limit: number): Promise<Outcome> {
  const open = await deps.store.run((tx) => tx.funds.open(limit));
  const data = open.map(presentRefund);
  return {
    json: { data, nextCursor: null },
    text: table(
      ['PAYMENT', 'RECEIVED', 'OWED', 'ORDERED', 'REFUNDED', 'LOST', 'REFUND', 'POSITION'],
      data.map((row) => [
        row.paymentId,
        `${row.received} ${row.currency}`,
        row.refundOwed,
        row.refundOrdered,
        row.refunded,
        row.loss,
        row.refundStatus,
        row.status,
      ]),
      'Nothing is owed.',
    ),
  };
}

function presentRefund(funds: Funds) {
  return {
    paymentId: funds.paymentId,
    orgId: funds.orgId,
    testMode: funds.mode === 'test',
    currency: funds.currency,
    status: funds.position,
    refundStatus: funds.refund,
    received: formatAmount(funds.receivedMinor),
    refundOwed: formatAmount(funds.refundOwedMinor),
    refundOrdered: formatAmount(funds.refundOrderedMinor),
    refunded: formatAmount(funds.refundedMinor),
    loss: formatAmount(funds.lossMinor),
  };
}

function shownRefund(funds: ReturnType<typeof payment.show>['funds']): string {
  const { refundStatus, refundOwed, refunded } = funds;
  return `${refundStatus}, owed ${refundOwed}, refunded ${refunded}`;
}

async function viewOf({ deps }: Operator, payment: PaymentView['payment']): Promise<PaymentView> {
  const { readPayment } = await payments();
  return readPayment(deps, tenantOf(payment), payment.id);
}

async function shown({ payUrl }: Operator, view: PaymentView): Promise<Outcome> {
  const { payment } = await routes();
  const json = payment.show({ ...view, payUrl });
  const { funds, buyer } = json;
  return {
    json,
    text: fields({
      id: json.id,
      organization: view.payment.orgId,
      mode: view.payment.mode,
      status: json.status,
      amount: `${json.amount} ${json.currency}`,
      'external id': json.externalId,
      buyer: `${buyer.email} (KYC ${buyer.kycStatus})`,
      funds: `${funds.status}, received ${funds.received}`,
      refund: funds.refundStatus === 'none' ? null : shownRefund(funds),
      settled: json.brlSettledAmount === null ? null : `${json.brlSettledAmount} BRL`,
      rate: json.fxRateAtSettlement,
      failed: json.failureReason,
      cancelled: json.cancelReason,
      page: json.hostedPaymentUrl,
      created: json.createdAt,
      updated: json.updatedAt,
    }),
  };
}
