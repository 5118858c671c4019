// `ponte payments`: lists, shows, ends and simulates payments.
import { type Command, Option } from 'commander';
import type { payment } from '../../adapters/http/resources/payment-routes.js';
import { type Mode, modes, tenantOf } from '../../core/domain/base/tenant.js';
import { shortIdOf } from '../../core/domain/payments/bank-record.js';
import type { PaymentView } from '../../core/domain/payments/change.js';
import {
  EXTERNAL_PREFIX,
  type PaymentStatus,
  paymentStatuses,
} from '../../core/domain/payments/payment.js';
import { simulatedEvents } from '../../core/domain/payments/simulated-event.js';
import { PonteError } from '../../core/errors.js';
import { addDecisions } from '../decided.js';
import {
  addOperatorCommand,
  cutPage,
  listOf,
  type Operator,
  type Outcome,
  type PageOptions,
  pageOptions,
  type Shell,
} from '../operator.js';
import { fields } from '../output.js';

interface ListOptions extends PageOptions {
  readonly status: PaymentStatus | null;
  readonly org: string | null;
}

interface ShowOptions {
  readonly org: string | null;
  readonly mode: Mode | null;
}

const payments = () => import('../../core/usecases/payments/payments.js');
const routes = () => import('../../adapters/http/resources/payment-routes.js');

export function addPaymentsCommands(shell: Shell, program: Command): void {
  const noun = program.command('payments').description('payments of all organizations');

  addOperatorCommand<ListOptions>(shell, noun, {
    name: 'list',
    authority: 'read',
    description: 'list payments, newest first',
    options: [
      new Option('--status <status>', 'only payments in this status')
        .choices(paymentStatuses)
        .default(null),
      new Option('--org <org-id>', 'only payments of this organization').default(null),
      ...pageOptions(),
    ],
    run: list,
  });

  addOperatorCommand<ShowOptions>(shell, noun, {
    name: 'show <payment-id>',
    authority: 'read',
    description: 'show a payment, by its id or by ext_<externalId> with --org and --mode',
    options: [
      new Option('--org <org-id>', 'the organization of an externalId').default(null),
      new Option('--mode <mode>', 'its mode').choices(modes).default(null),
    ],
    run: async (operator, { org: orgId, mode }, [id = '']) => {
      const { findPayment, readPayment } = await payments();
      if (!id.startsWith(EXTERNAL_PREFIX)) {
        return shown(operator, await viewOf(operator, await findPayment(operator.deps, id)));
      }
      if (orgId !== null && mode !== null) {
        return shown(operator, await readPayment(operator.deps, { orgId, mode }, id));
      }
      const text = 'Give --org and --mode: each tenant chooses its externalIds.';
      throw new PonteError('ValidationError', text);
    },
  });

  addDecisions(shell, noun, {
    group: 'payments',
    argument: '<payment-id>',
    done: async (operator, id) => {
      const ended = await (await payments()).findPayment(operator.deps, id);
      return shown(operator, await viewOf(operator, ended));
    },
  });

  addOperatorCommand(shell, noun, {
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

async function list(operator: Operator, options: ListOptions): Promise<Outcome> {
  const { deps, payUrl } = operator;
  const { status, org: orgId, limit, cursor: beforeId } = options;
  const filter = { status, orgId, beforeId, limit: limit + 1 };
  const page = cutPage(await deps.store.run((tx) => tx.payments.list(filter)), limit);
  const views = await Promise.all(page.rows.map((one) => viewOf(operator, one)));
  const { payment } = await routes();
  const data = views.map((view) => ({
    ...payment.show({ ...view, payUrl }),
    orgId: view.payment.orgId,
    mode: view.payment.mode,
  }));
  return listOf(data, 'No payments.', page.nextCursor, {
    ID: 'id',
    ORGANIZATION: 'orgId',
    MODE: 'mode',
    STATUS: 'status',
    AMOUNT: (one) => `${one.amount} ${one.currency}`,
    FUNDS: (one) => one.funds.status,
    'EXTERNAL ID': 'externalId',
    CREATED: 'createdAt',
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
  return `over a limit of the payee: ${period}${rest}${until === null ? '' : ` until ${until}`}`;
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
      purpose: json.purpose,
      buyer: `${buyer.email} (KYC ${buyer.kycStatus})`,
      funds: `${funds.status}, received ${funds.received}`,
      refund: funds.refundStatus === 'none' ? null : shownRefund(funds),
      settled: json.brlSettledAmount === null ? null : `${json.brlSettledAmount} BRL`,
      rate: json.fxRateAtSettlement,
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
