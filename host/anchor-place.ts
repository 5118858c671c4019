// Writes heads of the audit log outside the database (PONTE_AUDIT_ANCHOR): a line of a file, or the
// body of a POST. Only the leader does. What is missed while the place cannot be reached is covered
// by the next anchor.
import { appendFile, readFile } from 'node:fs/promises';
import { MINUTE_MS, SECOND_MS } from '../core/domain/base/instant.js';
import { invalid } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import { USER_AGENT } from '../core/ports/outside.js';
import { takeAnchor } from '../core/usecases/service/audit-anchors.js';
import type { Config } from './config.js';
import type { WorkerStep } from './workers.js';

const EVERY_MS = 5 * MINUTE_MS;
const TIMEOUT_MS = 10 * SECOND_MS;

/** `place` is a file or an https URL. */
export function anchorStep(
  deps: Deps,
  place: string,
  leads: () => Promise<boolean> = async () => true,
): WorkerStep {
  let anchored = 0;
  return {
    name: 'audit anchors',
    wokenBy: [],
    pollMs: EVERY_MS,
    run: async () => {
      if (!(await leads())) return 0;
      try {
        const anchor = await takeAnchor(deps);
        if (anchor === null || anchor.sequence === anchored) return 0;
        await keep(place, `${JSON.stringify(anchor)}\n`);
        anchored = anchor.sequence;
      } catch (error) {
        // The host serves on: the next anchor covers the same records.
        deps.log.error('alert', { alert: 'the audit log was not anchored', error });
      }
      return 0;
    },
  };
}

/** The anchors in the file of the setting; '' without one, and where they were sent to. */
export async function keptAnchors({ auditAnchor }: Pick<Config, 'auditAnchor'>): Promise<string> {
  if (auditAnchor === null || auditAnchor.startsWith('https://')) return '';
  return readFile(auditAnchor, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw invalid(`${auditAnchor}: cannot be read (${error.code}).`);
  });
}

async function keep(place: string, line: string): Promise<void> {
  if (!place.startsWith('https://')) {
    await appendFile(place, line, { mode: 0o600 });
    return;
  }
  const { ok, status } = await fetch(place, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': USER_AGENT },
    body: line,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!ok) throw new Error(`the place of anchors answered ${status}`);
}
