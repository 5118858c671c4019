// `ponte ledger`: whether the ledger agrees with funds, commands and deposits; its trial balance.
import type { Command } from 'commander';
import { formatAmount } from '../../core/domain/base/money.js';
import type { Mode } from '../../core/domain/base/tenant.js';
import { commandGroup, type Operator, type Outcome, type Shell } from '../operator.js';
import { liveByDefault } from '../options.js';
import { table, tableOf } from '../output.js';

const DIFFERENCES_MAX = 100;

export function addLedgerCommands(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'ledger', 'the ledger');
  add({
    name: 'verify',
    authority: 'read',
    description: 'check that ledger, funds, partner commands and deposits agree',
    run: verify,
  });
  add({
    name: 'balance',
    authority: 'read',
    description: 'print the trial balance, and what the partner holds per destination',
    options: { mode: liveByDefault },
    details: balanceDetails,
    run: balance,
  });
}

const balanceDetails = [
  'Positive: paid out to the account, or held for it. Negative: paid in from it, or lost. The sum',
  'of each currency is zero. The partner holds partner_float, refunds, suspense and adjustments.',
].join('\n');

async function balance({ deps }: Operator, { mode }: { readonly mode: Mode }): Promise<Outcome> {
  const { balances, floats } = await deps.store.run(async (tx) => ({
    balances: await tx.ledger.balances(mode),
    floats: await tx.ledger.floats(mode),
  }));
  const accounts = balances.map(({ account, currency, amountMinor, lines }) => {
    return { account, currency, amount: formatAmount(amountMinor), lines };
  });
  const totals = totalsOf(balances.map((one) => [one.currency, one.amountMinor]));
  const held = totalsOf(
    floats.map((one) => [`${one.destination} ${one.currency}`, one.floatMinor]),
  ).map(([name, amountMinor]) => {
    const [destination = '', currency = ''] = name.split(' ');
    return { destination, currency, amount: formatAmount(amountMinor) };
  });
  const balanced = totals.every(([, amountMinor]) => amountMinor === 0n);
  const rows = accounts.map((row) => [row.account, row.amount, row.currency, `${row.lines}`]);
  const sums = totals.map(([currency, sum]) => ['total', formatAmount(sum), currency, '']);
  const headings = ['ACCOUNT', 'AMOUNT', 'CURRENCY', 'LINES'];
  const wallets = held.map((row) => [row.destination, row.amount, row.currency]);
  const text = [
    table(headings, [...rows, ...sums], 'The ledger is empty.'),
    ...(held.length === 0 ? [] : ['', table(['HELD FOR', 'AMOUNT', 'CURRENCY'], wallets, '')]),
  ].join('\n');
  const exit = balanced ? 'done' : 'checkFailed';
  return { json: { mode, balanced, accounts, held }, text, exit };
}

function totalsOf(rows: readonly (readonly [name: string, amountMinor: bigint])[]) {
  const totals = new Map<string, bigint>();
  for (const [name, amountMinor] of rows) totals.set(name, (totals.get(name) ?? 0n) + amountMinor);
  return [...totals];
}

async function verify({ deps }: Operator): Promise<Outcome> {
  const { checkLedger } = await import('../../core/usecases/payments/ledger-check.js');
  const { differences, counts } = await checkLedger(deps, DIFFERENCES_MAX);
  const imbalances = differences.map(
    ({ subjectId, what, currency, expectedMinor, foundMinor }) => ({
      subjectId,
      what,
      amount: formatAmount(foundMinor - expectedMinor),
      currency,
      expected: formatAmount(expectedMinor),
      found: formatAmount(foundMinor),
    }),
  );
  const balanced = imbalances.length === 0;
  const compared = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  return {
    json: { balanced, imbalances, ...counts },
    text: `${tableOf(imbalances, 'The ledger balances.', {
      SUBJECT: 'subjectId',
      ACCOUNT: 'what',
      EXPECTED: 'expected',
      FOUND: 'found',
      CURRENCY: 'currency',
    })}\nCompared: ${compared.join(', ')}.`,
    exit: balanced ? 'done' : 'checkFailed',
  };
}
