// Checks all that the audit log can prove: the log itself, with the anchors that were kept, and the
// rows that it is about.
import type { Deps } from '../../ports/deps.js';
import { readAnchors } from './audit-anchors.js';
import { verifyAudit } from './audit-log.js';
import { compareHeldRows } from './row-comparison.js';
import { openedKeys } from './service-keys.js';

/** `anchorsText` is a file of anchors; '' without one. `rows` were compared with the log. */
export async function checkAudit(deps: Deps, anchorsText: string) {
  const { anchors, foreignLines } = await readAnchors(deps, anchorsText);
  const log = await verifyAudit(deps, anchors, await openedKeys(deps, 'record'));
  const held = await compareHeldRows(deps);
  const foreign = foreignLines.map((line) => ({
    sequence: null,
    problem: `line ${line} of the anchors is not signed by this service`,
  }));
  const defects = [...log.defects, ...held.defects, ...foreign];
  return { ...log, defects, rows: held.rows, anchors: anchors.length };
}
