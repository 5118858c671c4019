// `ponte papers`: documents of the account holder that buyers file before they pay. Those of an
// organization and of its sellers are uploaded in the dashboard.
import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { formatInstant, isCalendarDate } from '../../core/domain/base/instant.js';
import { type Mode, modes } from '../../core/domain/base/tenant.js';
import { dayOf } from '../../core/domain/base/time-zone.js';
import { paperStateOn, papersOwnedBy } from '../../core/domain/parties/vendor-paper.js';
import { invalid } from '../../core/errors.js';
import { commandGroup, listOf, type Operator, type Outcome, type Shell } from '../operator.js';
import { choice, dryRun, mode, type OptionValues, value } from '../options.js';

const stored = {
  mode,
  expires: value('<day>', 'the last day, for example 2030-12-31'),
  dryRun,
};

const papers = () => import('../../core/usecases/parties/vendor-papers.js');
const partnerKinds = papersOwnedBy('partner');

export function addPaperCommands(shell: Shell, program: Command): void {
  const add = commandGroup(
    shell,
    program,
    'papers',
    'documents of the account holder for the files of buyers',
  );

  add({
    name: 'list',
    authority: 'read',
    description: 'list the documents, with their last day',
    options: { mode: choice('<mode>', modes, 'only documents of this mode') },
    run: list,
  });

  add({
    name: 'add <kind> <file>',
    authority: 'signed',
    description: `store a file in place of the one before: ${partnerKinds.join(', ')}`,
    options: stored,
    run: store,
  });

  add({
    name: 'remove <document-id>',
    authority: 'signed',
    description: 'delete a document',
    options: { mode, dryRun },
    run: async (operator, { mode, dryRun }, [id = '']) => {
      const { partnerHolder, removePaper } = await papers();
      if (!dryRun) await removePaper(operator.deps, partnerHolder(mode), id);
      return list(operator, { mode });
    },
  });
}

async function store(
  operator: Operator,
  { mode, expires, dryRun }: OptionValues<typeof stored>,
  [name = '', file = '']: readonly string[],
): Promise<Outcome> {
  const { deps } = operator;
  const kind = partnerKinds.find((one) => one === name);
  if (kind === undefined) throw invalid(`kind: send one of ${partnerKinds.join(', ')}.`);
  if (expires !== null && !isCalendarDate(expires)) {
    throw invalid('--expires: send a day, such as 2030-12-31.');
  }
  await access(file, constants.R_OK).catch(({ code }: NodeJS.ErrnoException) => {
    throw invalid(`${file} cannot be read: ${code}.`);
  });
  const { partnerHolder, storePaper } = await papers();
  if (!dryRun) {
    const refusal = await storePaper(deps, partnerHolder(mode), {
      kind,
      expiresOn: expires,
      fileName: basename(file),
      bytes: createReadStream(file),
      uploaderId: 'operators',
    });
    if (refusal !== null) throw invalid(`${file}: ${refusals[refusal]}`);
  }
  return list(operator, { mode });
}

const refusals = {
  empty: 'the file is empty.',
  unknown_type: 'the file is no PDF, PNG or JPEG.',
  too_large: 'the file has more than 10 MiB.',
  too_many: 'too many files were stored shortly before. Try again in an hour.',
} as const;

async function list(
  { deps }: Operator,
  { mode }: { readonly mode: Mode | null },
): Promise<Outcome> {
  const { listPapers, partnerHolder } = await papers();
  const asked = modes.filter((one) => mode === null || one === mode);
  const found = await Promise.all(asked.map((one) => listPapers(deps, partnerHolder(one))));
  const today = dayOf('UTC', deps.clock.nowMs());
  const data = found.flat().map((paper) => ({
    id: paper.id,
    testMode: paper.mode === 'test',
    kind: paper.kind,
    fileName: paper.fileName,
    expiresOn: paper.expiresOn,
    state: paperStateOn(paper, today),
    sizeBytes: paper.sizeBytes,
    createdAt: formatInstant(paper.createdAtMs),
  }));
  return listOf(data, 'No documents.', null, {
    ID: 'id',
    MODE: (row) => (row.testMode ? 'test' : 'live'),
    KIND: 'kind',
    FILE: 'fileName',
    'LAST DAY': 'expiresOn',
    STATE: 'state',
  });
}
