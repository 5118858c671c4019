// `ponte backup` and `ponte restore`. A backup contains everything that the service stores except
// secret keys. release-commands.ts has the steps after a restore.
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { Manifest } from '../../adapters/backup/manifest.js';
import { formatDuration, instantOrNull } from '../../core/domain/base/instant.js';
import { invalid } from '../../core/errors.js';
import type { MadeBackup } from '../../host/backup.js';
import type { Restored } from '../../host/restoring.js';
import {
  addCommand,
  addOperatorCommand,
  asOperator,
  type Operator,
  type Outcome,
  type Shell,
} from '../operator.js';
import { dryRun, flag, parsed } from '../options.js';
import { fields, sizeText } from '../output.js';
import { checkAfterRestore } from './release-commands.js';

const folder = (means: string) => parsed('<folder>', means, (path): string => resolve(path));

export function addBackupCommands(shell: Shell, program: Command): void {
  addOperatorCommand(shell, program, {
    name: 'backup',
    authority: 'none',
    isLong: true,
    description: 'back up database and documents while a server runs, and verify the backup',
    options: {
      to: folder('the folder of all backups; each backup is a new folder in it').required(),
      keep: parsed(
        '<count>',
        'backups to keep: older ones made with this option are deleted',
        wholeCount,
      ),
      manifest: flag('PostgreSQL: only the manifest, before the dump'),
    },
    opening: 'reads',
    run: async (operator, { to, keep, manifest }) => {
      const { ConfigError } = await import('../../host/config.js');
      const isPostgres = operator.config.database.kind === 'postgres';
      if (isPostgres && !manifest) {
        const advice = 'make a --manifest, then pg_dump or pg_basebackup (adapters/docs/backup.md)';
        throw new ConfigError([
          `PONTE_DATABASE_URL: PostgreSQL has its own backup tools: ${advice}`,
        ]);
      }
      if (!isPostgres && manifest) {
        throw new ConfigError(['--manifest: is for PostgreSQL: leave it out']);
      }
      const { makeBackup } = await import('../../host/backup.js');
      return backupOutcome(await makeBackup(operator, { to, keep }));
    },
  });

  addCommand(shell, program, {
    name: 'restore',
    authority: 'none',
    isLong: true,
    description:
      'replace the database with a verified backup, in quarantine, or check a restored one',
    options: {
      from: folder('a backup; for PostgreSQL the folder of its manifest'),
      check: flag('query what the partner did since the backup; a repeat resumes').without([
        'from',
        'replace',
        'dryRun',
      ]),
      replace: flag('move an existing database and its documents aside'),
      dryRun,
    },
    run: ({ from, check, ...options }) => {
      if (check) {
        const given = { command: 'restore', arguments: { check } };
        const work = (operator: Operator) => checkAfterRestore(shell, operator);
        return asOperator(shell, work, { authority: 'signed', given });
      }
      if (from === null) throw invalid('Give --from or --check.');
      return restore(shell, { ...options, from });
    },
  });
}

function backupOutcome({ folder, manifest, removed }: MadeBackup): Outcome {
  const { files, rows, secretKeys, missingDocuments, takenAt } = manifest;
  const { ledgerDifferences, auditDefects = 0 } = manifest;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const keyIds = secretKeys.map(({ id }) => id);
  const documents = documentsIn(files);
  const warnings = [
    ...(ledgerDifferences === 0 ? [] : ['The ledger does not balance: ponte ledger verify.']),
    ...(auditDefects === 0 ? [] : ['The audit log was changed: ponte audit verify.']),
    ...missingDocuments.map((path) => `The document ${path} is missing.`),
  ];
  const payments = `${rows['payments']} payments`;
  const made =
    manifest.database === 'postgres'
      ? [
          folder,
          `The manifest of ${payments}. Now dump the database, as`,
          `pg_dump --format=custom --file=${folder}/ponte.dump <URL>`,
        ]
      : [folder, `Verified: ${payments}, ${documents} documents, ${sizeText(bytes)}.`];
  const { documentsAt = null } = manifest;
  return {
    json: { folder, takenAt, bytes, documents, documentsAt, rows, keyIds, warnings, removed },
    text: [
      ...made,
      ...elsewhere(manifest),
      `Its secret keys ${keyIds.map((id) => JSON.stringify(id)).join(', ')} are not in it.`,
      'Keep them elsewhere.',
      ...warnings,
    ].join('\n'),
    exit: warnings.length === 0 ? 'done' : 'attention',
  };
}

async function restore(
  shell: Shell,
  options: { readonly from: string; readonly replace: boolean; readonly dryRun: boolean },
): Promise<Outcome> {
  const [{ readConfig, ConfigError }, { readManifest }, restoring, { explainErrors }] =
    await Promise.all([
      import('../../host/config.js'),
      import('../../adapters/backup/manifest.js'),
      import('../../host/restoring.js'),
      import('../../host/startup-errors.js'),
    ]);
  const config = readConfig(shell.env);
  const manifest = await readManifest(options.from);
  if (manifest.database !== config.database.kind) {
    const kinds = `the backup is of ${manifest.database}, the database is ${config.database.kind}`;
    throw new ConfigError([`PONTE_DATABASE_URL: ${kinds}`]);
  }
  if (!restoring.isOnSqlite(config)) {
    const accept = (operator: Operator) =>
      restoring.acceptRestored(operator, { ...options, manifest });
    // The operators are those of the backup.
    const opened = { ...options, authority: 'none' } as const;
    return restoredOutcome(await asOperator(shell, accept, opened), manifest);
  }
  const { createLog } = await import('../../adapters/log/pino.js');
  const needs = { clock: { nowMs: Date.now }, log: createLog({ level: config.logLevel }) };
  const work = () => restoring.restoreFile(config, { ...options, manifest }, needs);
  return restoredOutcome(await explainErrors(config, work), manifest);
}

function restoredOutcome(restored: Restored, manifest: Manifest): Outcome {
  const { databaseName, epoch, replaced, replacedWrittenAtMs } = restored;
  const { takenAt } = manifest;
  const replacedWrittenAt = instantOrNull(replacedWrittenAtMs);
  const { version, schema, rows, files, secretKeys, epoch: itsEpoch } = manifest;
  const keyIds = secretKeys.map(({ id }) => id);
  const documents = documentsIn(files);
  const backup = { version, schema, epoch: itsEpoch, rows, documents, keyIds };
  const json = {
    restored: epoch !== null,
    takenAt,
    database: databaseName,
    epoch,
    replaced,
    replacedWrittenAt,
    backup,
  };
  if (epoch === null) {
    const heading = 'The backup is complete and can be restored. Nothing was changed.';
    return { json, text: `${heading}\n${fields(backupFields(json))}` };
  }
  const lines = [
    `${databaseName} is restored as of ${takenAt}, in epoch ${epoch}.`,
    ...replaced.map((path) => `Moved aside: ${path}`),
    ...elsewhere(manifest),
    ...(replaced.length === 0 ? [] : ['Delete these paths when they are no longer needed: rm -r.']),
    'It is in quarantine: it sends no command, payout, mail or webhook until its release. Next:',
    '  ponte serve             serves reads',
    '  ponte restore --check   queries what the partner did since the backup',
    '  ponte release           ends the quarantine',
  ];
  return { json, text: lines.join('\n') };
}

/** For the operator to compare before a restore. */
function backupFields(json: {
  readonly takenAt: string;
  readonly replaced: readonly string[];
  readonly replacedWrittenAt: string | null;
  readonly backup: Pick<Manifest, 'version' | 'schema' | 'epoch' | 'rows'> & {
    readonly documents: number;
    readonly keyIds: readonly string[];
  };
}) {
  const { takenAt, replaced, replacedWrittenAt, backup } = json;
  const counts = Object.values(backup.rows);
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const written = replacedWrittenAt === null ? '' : `, last written ${replacedWrittenAt}`;
  return {
    taken: `${takenAt}, ${formatDuration(Date.now() - Date.parse(takenAt))} ago`,
    'made by': `Ponte ${backup.version}, migration ${backup.schema}`,
    epoch: backup.epoch,
    payments: backup.rows['payments'] ?? 0,
    rows: `${rows} in ${counts.length} tables`,
    documents: backup.documents,
    'secret keys': backup.keyIds.map((id) => JSON.stringify(id)).join(', '),
    'would replace': replaced.length === 0 ? 'nothing' : `${replaced.join(', ')}${written}`,
  };
}

function elsewhere({ documentsAt }: Manifest): readonly string[] {
  if (documentsAt === undefined) return [];
  return [`Its documents are not in the backup: they stay at ${documentsAt}.`];
}

/** Only documents are in a subfolder of a backup. */
function documentsIn(files: Manifest['files']): number {
  return files.filter(({ path }) => path.includes('/')).length;
}

function wholeCount(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('Give 1 to 99999.');
  return Number(text);
}
