// What a run of the suite shows: which groups of rules ran against what, and what is declared only.
// A suite that passes proves nothing about a group that is not `passed`.

/** In the order of the report. */
export const groups = {
  operations: 'every operation of the port is called, or declared unsupported',
  parties: 'parties are approved or rejected; PIX destinations and rails',
  requirements: 'parties that are asked for more, and their answers',
  withdrawals: 'an approval that is taken back, and new terms',
  quote: 'amounts, fees, rate, expiry',
  determinism: 'preparing has no effect and gives one text; no secret in it',
  once: 'a command is one, however often it is started; it is found again',
  faults: 'calls that are lost before or after their effect',
  money: 'pay-ins, payouts and refunds to their ends',
  inbound: 'messages: genuine, forged, late, repeated',
  'read-back': 'what the partner lists: pages, changes between them, reads of one entry',
  deposits: 'money that nobody ordered',
  connection: 'checks of the connection, for an operator',
} as const;

export type Group = keyof typeof groups;

/** What no rule of this suite shows, with any partner. */
export const notShown: readonly string[] = [
  'the code of each refusal: test the table of the adapter',
  'a crash between the steps of an operation of several calls',
  'books of more than a few pages',
  'limits of amount and rate',
  'secrets in logs',
];

export interface ConformanceReport {
  /** The adapter and its version. */
  readonly partner: string;
  readonly against: 'simulator' | 'sandbox' | 'fixtures';
  /** What the adapter or the simulator was built from, such as the version of an API. */
  readonly source: string | null;
  readonly groups: Readonly<Record<Group, 'passed' | 'failed' | 'declared only'>>;
  /** Operations that the partner does not support, with the reason. */
  readonly unsupported: Readonly<Record<string, string>>;
  readonly notShown: readonly string[];
}

/** For a terminal. */
export function formatReport(report: ConformanceReport): string {
  const { partner, against, source, unsupported } = report;
  const origin = source === null ? '' : `, built from ${source}`;
  const lines = [
    `${partner} against a ${against}${origin}`,
    ...Object.entries(report.groups).map(
      ([group, result]) => `  ${result.padEnd(13)} ${group}: ${groups[group as Group]}`,
    ),
    ...Object.entries(unsupported).map(([name, why]) => `  unsupported   ${name}: ${why}`),
    ...report.notShown.map((text) => `  not shown     ${text}`),
  ];
  return `${lines.join('\n')}\n`;
}
