// `ponte audit`: the log of who changed what, and whether it is as it was written.
import { open, readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { formatInstant } from '../../core/domain/base/instant.js';
import type { AuditRecord } from '../../core/domain/service/audit-record.js';
import { invalid } from '../../core/errors.js';
import {
  commandGroup,
  listOf,
  type Operator,
  type Outcome,
  readNames,
  type Shell,
  withName,
} from '../operator.js';
import { page, value } from '../options.js';
import { table } from '../output.js';

const auditLog = () => import('../../core/usecases/service/audit-log.js');

export function addAuditCommands(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'audit', 'the log of who changed what');

  add({
    name: 'list',
    authority: 'read',
    description: 'list the newest entries',
    options: { org: value('<org-id>', 'of this organization; by default of all'), ...page },
    run: async ({ deps }, { org, limit, cursor }) => {
      const { newestAuditRecords } = await auditLog();
      const beforeSequence = cursor === null ? null : Number(cursor);
      const found = await newestAuditRecords(deps, org, { beforeSequence, limit: limit + 1 });
      const records = found.slice(0, limit);
      const last = records.at(-1);
      const nextCursor = found.length > limit && last !== undefined ? `${last.sequence}` : null;
      const data = records.map(({ atMs, ...record }) => ({ ...record, at: formatInstant(atMs) }));
      const names = await readNames(deps);
      return listOf(data, 'No entries.', nextCursor, {
        ENTRY: 'sequence',
        AT: 'at',
        ACTOR: (row) =>
          `${row.actor.kind} ${names.get(row.actor.id) ?? row.actor.id}` +
          (row.operator === null ? '' : ` by ${names.get(row.operator) ?? row.operator}`),
        FROM: 'address',
        ACTION: 'action',
        ORGANIZATION: ({ orgId }) => withName(names, orgId),
        CHANGED: (row) => shownObjects(row),
      });
    },
  });

  add({
    name: 'verify',
    authority: 'read',
    description: 'check that the log, and the rows that it is about, are as they were written',
    options: {
      anchors: value('<file>', 'a file of anchors; by default that of PONTE_AUDIT_ANCHOR'),
    },
    details:
      'It compares members, keys, operators, decisions, organizations, sellers and destinations\n' +
      'with the newest entry about each. Without anchors, an end of the log that was cut off is\n' +
      'not found.',
    run: verify,
  });

  add({
    name: 'export',
    authority: 'read',
    description: 'write all entries to a file, a line of JSON each',
    options: { to: value('<file>', 'a new file').required() },
    details:
      'The chainHash of a line is the SHA-256, in hex, of the chainHash before it and its body.',
    run: exportRecords,
  });
}

/** The first object, and how many more there are. */
export function shownObjects({ objects }: Pick<AuditRecord, 'objects'>): string {
  const [first, ...others] = objects.map(({ type, id }) => (id === null ? type : `${type} ${id}`));
  return others.length === 0 ? (first ?? '') : `${first} and ${others.length} more`;
}

async function verify(
  { deps, config }: Operator,
  { anchors: named }: { readonly anchors: string | null },
): Promise<Outcome> {
  const [{ checkAudit }, { keptAnchors }] = await Promise.all([
    import('../../core/usecases/service/audit-check.js'),
    import('../../host/anchor-place.js'),
  ]);
  const text = await (named === null ? keptAnchors(config) : textOf(named));
  const {
    head,
    records: entries,
    rows,
    signatures,
    anchors,
    defects,
  } = await checkAudit(deps, text);
  const isSound = defects.length === 0;
  const shown = defects.map(({ sequence, problem }) => [sequence, problem]);
  const found = isSound ? 'The log and the rows that it is about are as they were written.' : '';
  const counts = [
    `${entries} entries`,
    `${rows} rows`,
    `${signatures} signed by operators`,
    `${anchors} anchors`,
  ].join(', ');
  const at = head === null ? '' : ` Head: ${head.sequence} ${head.chainHash}`;
  const warned = anchors > 0 ? '' : `\n${NO_ANCHORS}`;
  return {
    json: { sound: isSound, entries, rows, signatures, anchors, head, problems: defects },
    text: `${table(['ENTRY', 'PROBLEM'], shown, found)}\n${counts}.${at}${warned}`,
    exit: isSound ? 'done' : 'checkFailed',
  };
}

const NO_ANCHORS = 'Without anchors, an end of the log that was cut off is not found.';

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw invalid(`${file}: cannot be read (${error.code}).`);
  });
}

async function exportRecords(
  { deps }: Operator,
  { to }: { readonly to: string },
): Promise<Outcome> {
  const { allAuditRecords } = await auditLog();
  const file = await open(to, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'the file exists: name a new one' : error.code;
    throw invalid(`to: ${why}.`);
  });
  let entries = 0;
  try {
    for await (const { sequence, chainHash, body } of allAuditRecords(deps)) {
      await file.write(`${JSON.stringify({ sequence, chainHash, body })}\n`);
      entries += 1;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { json: { entries, file: to }, text: `${entries} entries in ${to}` };
}
