// The report of `ponte certify` that an organization sends with its request for production access:
// what its integration survives, as it says itself. The signature shows that the file is as the
// command wrote it, not who ran the command.
import { createPublicKey, hash, verify } from 'node:crypto';

/** What operators see of it. */
export interface CertifySummary {
  /** When the command ran, by its clock. */
  readonly at: string;
  readonly ok: number;
  readonly failed: number;
  readonly notSeen: number;
  /** The names of the faults that are not ok. */
  readonly others: readonly string[];
  /**
   * The key of the signature, 16 hex digits of its SHA-256. The command makes one for each run, and
   * the report contains it: it names no person and no host. Absent in earlier reports.
   */
  readonly signedBy?: string;
}

/** Maximum length of a report, in characters: several times that of one in which all fails. */
export const REPORT_LENGTH_MAX = 40_000;

const RESULTS_MAX = 100;
/** As the command writes it; another key could sign by another rule. */
const ALGORITHM = 'Ed25519';
const KEY_TYPE = 'ed25519';
const nameForm = /^[a-z][a-z-]{0,39}$/;
const timeForm = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,12}Z$/;

/** Null for a text that is no report, and one that was changed. */
export function readCertifyReport(text: string): CertifySummary | null {
  if (text.length > REPORT_LENGTH_MAX) return null;
  try {
    const { signature, ...facts } = JSON.parse(text);
    const spki = Buffer.from(String(signature.publicKey), 'base64');
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    if (signature.algorithm !== ALGORITHM || key.asymmetricKeyType !== KEY_TYPE) return null;
    const signed = Buffer.from(JSON.stringify(facts));
    const value = Buffer.from(String(signature.value), 'base64');
    if (!verify(null, signed, key, value)) return null;
    const summary = summaryOf(facts);
    return summary && Object.freeze({ ...summary, signedBy: hash('sha256', spki).slice(0, 16) });
  } catch {
    // Neither JSON nor a key.
    return null;
  }
}

function summaryOf(facts: {
  readonly at?: unknown;
  readonly results?: unknown;
}): CertifySummary | null {
  const { at, results } = facts;
  if (typeof at !== 'string' || !timeForm.test(at)) return null;
  if (!Array.isArray(results) || results.length === 0 || results.length > RESULTS_MAX) return null;
  const known = results.every(
    ({ name, verdict }) =>
      nameForm.test(String(name)) && ['ok', 'failed', 'not seen'].includes(String(verdict)),
  );
  if (!known) return null;
  const count = (of: string) => results.filter(({ verdict }) => verdict === of).length;
  const others = results.flatMap(({ name, verdict }) => (verdict === 'ok' ? [] : [String(name)]));
  const counts = { ok: count('ok'), failed: count('failed'), notSeen: count('not seen') };
  return { at, ...counts, others };
}
