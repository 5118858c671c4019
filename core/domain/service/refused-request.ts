// Requests that were refused or failed, as operators look them up when an integrator names a
// request id. What a request changed is in the audit log. Neither has bodies or addresses.
import { MINUTE_MS } from '../base/instant.js';
import type { Mode } from '../base/tenant.js';

/** The credential's `orgId`, `mode` and id are null where no credential was accepted. */
export interface RefusedRequest {
  readonly id: string;
  /** The answer's `X-Request-Id`. A client may send one, so several requests may have it. */
  readonly requestId: string;
  readonly atMs: number;
  /** Null if no route matched. */
  readonly operation: string | null;
  readonly status: number;
  readonly code: string;
  /** The first field that the message of the answer names; null if it names none. */
  readonly field: string | null;
  readonly orgId: string | null;
  readonly mode: Mode | null;
  /** The id of the API key or of the member. */
  readonly credentialId: string | null;
  readonly version: number;
}

/** The limit for one organization, or without a credential. A client in a loop is seen in less. */
export const REFUSALS_PER_MINUTE = 60;
/** The limit for all organizations, while the database does not take them. */
export const REFUSALS_WAITING_MAX = 1_000;

/** What this process has refused and not stored yet. More than the limits allow is not kept. */
export class Refusals {
  readonly #waiting: RefusedRequest[] = [];
  readonly #counts = new Map<string | null, number>();
  #minute = 0;

  /** False: it is one too many. */
  note(refused: RefusedRequest): boolean {
    const minute = Math.floor(refused.atMs / MINUTE_MS);
    if (minute !== this.#minute) this.#counts.clear();
    this.#minute = minute;
    const count = this.#counts.get(refused.orgId) ?? 0;
    if (count === REFUSALS_PER_MINUTE || this.#waiting.length === REFUSALS_WAITING_MAX)
      return false;
    this.#counts.set(refused.orgId, count + 1);
    this.#waiting.push(refused);
    return true;
  }

  oldest(limit: number): readonly RefusedRequest[] {
    return this.#waiting.slice(0, limit);
  }

  /** The oldest are stored. */
  stored(count: number): void {
    this.#waiting.splice(0, count);
  }
}

const fieldForm = /^([A-Za-z][\w.[\]-]{0,59}): /;

/** The field with which a message begins, such as `amount` in `amount: give a whole number.` */
export function fieldOf(message: string): string | null {
  return fieldForm.exec(message)?.[1] ?? null;
}
