// Anchors of the audit log: takes one, and checks those that were kept.
import { formatInstant } from '../../domain/base/instant.js';
import {
  type AuditAnchor,
  isGenuine,
  readAnchor,
  signAnchor,
} from '../../domain/service/audit-anchor.js';
import type { Deps } from '../../ports/deps.js';
import { auditHead } from './audit-log.js';
import { currentEpoch } from './epochs.js';
import { currentKey, openedKeys } from './service-keys.js';

/** Null before the first record. */
export async function takeAnchor(deps: Deps): Promise<AuditAnchor | null> {
  const head = await auditHead(deps);
  if (head === null) return null;
  const { number: epoch } = await currentEpoch(deps);
  const takenAt = formatInstant(deps.clock.nowMs());
  return signAnchor(await currentKey(deps, 'record'), { takenAt, epoch, ...head });
}

/** With the numbers of lines that are not an anchor of this database. */
export async function readAnchors(deps: Deps, text: string) {
  const keys = await openedKeys(deps, 'record');
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }));
  const read = lines
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => ({ number, anchor: readAnchor(line) }));
  const anchors: AuditAnchor[] = [];
  const foreignLines: number[] = [];
  for (const { number, anchor } of read) {
    if (anchor !== null && isGenuine(keys, anchor)) anchors.push(anchor);
    else foreignLines.push(number);
  }
  return { anchors, foreignLines };
}
