// The pages of adapters/docs/reference, made from the declarations in the code: settings, metrics,
// commands and error codes.
import assert from 'node:assert/strict';
import type { Command, Option } from 'commander';
import { z } from 'zod';
import { type MetricRow, metricTable } from '../../../adapters/metrics/prometheus.js';
import { lawTexts } from '../../../adapters/pages/proof/law-texts.js';
import { exitCodes, exitOf } from '../../../cli/exit-codes.js';
import { authorityOf, authorityTexts } from '../../../cli/operator.js';
import { commandRules, createProgram } from '../../../cli/program.js';
import { duties, dutyNames } from '../../../core/domain/law/duty.js';
import { catalogue, type ErrorCode, PonteError } from '../../../core/errors.js';
import { variableNames, variables } from '../../../host/config.js';

/** The text of each page by its file name. */
export const referencePages: Readonly<Record<string, () => string>> = {
  'settings.md': settingsPage,
  'metrics.md': metricsPage,
  'commands.md': commandsPage,
  'errors.md': errorsPage,
};

/** Guides that are made of a table of the code. */
export const guidePages: Readonly<Record<string, () => string>> = { 'law.md': lawPage };

type Row = readonly string[];

function page(title: string, ...parts: readonly string[]): string {
  const head = '<!-- Written by `npm run docs` from the code; edits are lost. -->';
  return `${[`# ${title}`, head, ...parts].join('\n\n')}\n`;
}

function table(headings: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(headings), `|${'---|'.repeat(headings.length)}`, ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return plain(text).replaceAll('|', '\\|');
}

/** Outside of code, `<` would begin a tag. */
function plain(text: string): string {
  return text.replace(/`[^`]*`|</g, (piece) => (piece === '<' ? '\\<' : piece));
}

function code(text: string): string {
  return `\`${text}\``;
}

function lawPage(): string {
  const { title, lede, noAdvice, heads, open, openText, duties: words } = lawTexts.en;
  const rows = dutyNames.map((duty) => {
    const { rule, since, source, isOpen } = duties[duty];
    const { what, who, given } = words[duty];
    const name = since === null ? rule : `${rule}, ${lawTexts.en.since(since)}`;
    return [what, name, who, given, isOpen ? `${source}. ${open}*` : source];
  });
  return page(title, noAdvice, lede, table(heads, rows), `\\* ${openText}`);
}

/** Variables with one description are one row: those of a partner exist for both modes. */
function settingsPage(): string {
  const forms = Object.entries<z.ZodType>(variables.shape);
  const rows = [...Map.groupBy(forms, ([, form]) => form.description ?? '')];
  const files = variableNames.filter((name) => !(name in variables.shape)).map(code);
  return page(
    'Settings',
    'See [Configuration](../configuration.md) for how settings are read.',
    table(
      ['variable', 'value', 'default', 'description'],
      rows.map(([description, group]) => [
        group.map(([name]) => code(name)).join(', '),
        distinct(group.map(([, form]) => valuesOf(form))),
        distinct(group.map(([, form]) => defaultOf(form))),
        description,
      ]),
    ),
    `Each of these names a file that contains the variable without \`_FILE\`: ${files.join(', ')}.`,
  );
}

function distinct(texts: readonly string[]): string {
  return [...new Set(texts)].join(', ');
}

/** What a variable takes, as the refusal of another value says it; empty if it takes any text. */
function valuesOf(form: z.ZodType): string {
  const [issue] = form.safeParse('\0').error?.issues ?? [];
  if (issue?.code === 'invalid_value') return issue.values.map(String).map(code).join(', ');
  return /^give (.*)/.exec(issue?.message ?? '')?.[1] ?? '';
}

function defaultOf(form: z.ZodType): string {
  const isSet = form instanceof z.ZodDefault || form instanceof z.ZodPrefault;
  const text = isSet ? String(form.def.defaultValue) : '';
  return text === '' ? String(form.meta()?.['unset'] ?? 'none') : code(text);
}

function metricsPage(): string {
  const of = (source: 'process' | 'database') =>
    table(
      ['name', 'type', 'labels', 'description'],
      Object.entries<MetricRow>(metricTable[source]).map(
        ([name, { type = 'gauge', labels = [], help }]) => [
          code(name),
          type,
          labels.map(code).join(', '),
          help,
        ],
      ),
    );
  return page(
    'Metrics',
    'See [Monitoring](../monitoring.md) for how to read them, and for alerts.',
    '## Of a process',
    of('process'),
    '## Of the database',
    of('database'),
  );
}

function commandsPage(): string {
  const program = createProgram({
    env: {},
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    exitCode: 0,
  });
  const commands = visible(program).flatMap((command) => {
    const verbs = visible(command);
    return verbs.length === 0 ? [command] : verbs;
  });
  return page(
    'Commands',
    plain(commandRules),
    ...commands.flatMap(commandParts),
    '## Exit codes',
    table(
      ['code', 'meaning'],
      Object.values(exitCodes).map(([number, meaning]) => [String(number), meaning]),
    ),
  );
}

function visible(command: Command): readonly Command[] {
  const help = command.createHelp();
  return help.visibleCommands(command).filter((one) => one.name() !== 'help');
}

function commandParts(command: Command): readonly string[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter((option) => !isCommon(command, option));
  const usage = help.commandUsage(command).replace(' [options]', '');
  const details = detailsOf(command);
  return [
    `## ${usage.replaceAll(/ [<[].*/g, '')}`,
    `${code(usage)}: ${plain(command.description())}.${authorityText(command)}`,
    ...(options.length === 0
      ? []
      : [
          table(
            ['option', 'description'],
            options.map((option) => [code(option.flags), help.optionDescription(option)]),
          ),
        ]),
    ...(details === '' ? [] : [`\`\`\`text\n${details}\n\`\`\``]),
  ];
}

function authorityText(command: Command): string {
  const authority = authorityOf(command);
  assert(authority !== undefined, 'each command says who may give it');
  return authorityTexts[authority];
}

/** Every command has it. `--json` of `listen` prints lines. */
function isCommon(command: Command, { long }: Option): boolean {
  return long === '--help' || (long === '--json' && command.name() !== 'listen');
}

/** What help prints after the options. */
function detailsOf(command: Command): string {
  let printed = '';
  command.configureOutput({
    writeOut: (text) => {
      printed += text;
    },
  });
  command.outputHelp();
  return printed.slice(command.helpInformation().length).trim();
}

function errorsPage(): string {
  const byStatus = Map.groupBy(Object.entries(catalogue), ([, { status }]) => status);
  return page(
    'Error codes',
    'An error has `statusCode`, `error` (the code) and `message`. Decide on the code: the ' +
      'message is for people and may change. A code with a wait is transient: repeat the same ' +
      'request after `retryAfter` seconds. The last column is the exit code of a command that ' +
      'gets it.',
    ...[...byStatus].flatMap(([status, codes]) => [
      `## ${status}`,
      table(
        ['code', 'message', 'wait', 'exit code'],
        codes.map(([name, { message, retryAfterSeconds }]) => [
          code(name),
          message,
          retryAfterSeconds === null ? '' : `${retryAfterSeconds} s`,
          String(exitCodes[exitOf(new PonteError(name as ErrorCode))][0]),
        ]),
      ),
    ]),
  );
}
