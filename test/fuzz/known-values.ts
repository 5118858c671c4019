// What a client has learned from answers: ids, external ids, URLs, cursors, keys. Later requests
// use these values, so that they reach resources in the state that earlier requests left.
import type { SeededRandom } from '../simulation/seeded-random.js';
import type { Json } from '../support/servers/json-call.js';

/** Older values are dropped. */
const VALUES_MAX = 40;
const idForm = /^([a-z]{2,4}_)[0-9a-z]{26}$/;
/** Free text of the integrator, which may look like anything. */
export const integratorFields: ReadonlySet<string> = new Set([
  'externalId',
  'sellerExternalId',
  'metadata',
  'display',
]);

interface KnownValue {
  readonly text: string;
  /** The number of the request that returned it. */
  readonly learnedAt: number;
}

export class KnownValues {
  readonly #kinds = new Map<string, KnownValue[]>();
  readonly #excluded: ReadonlySet<string>;

  /** `excluded`: ids of the keys that clients authenticate with, which must not be revoked. */
  constructor(excluded: ReadonlySet<string>) {
    this.#excluded = excluded;
  }

  learn(operationId: string, answer: Json, requestNumber: number): void {
    for (const name of ['nextCursor', 'nextAfter']) {
      const place = answer[name] ?? null;
      if (place !== null) this.add(`${name} of ${operationId}`, `${place}`, requestNumber);
    }
    this.#learnFrom(answer, requestNumber);
  }

  add(kind: string, text: string, requestNumber: number): void {
    if (this.#excluded.has(text)) return;
    const others = (this.#kinds.get(kind) ?? []).filter((value) => value.text !== text);
    this.#kinds.set(kind, [...others, { text, learnedAt: requestNumber }].slice(-VALUES_MAX));
  }

  /** The newest value of a kind if it was learned since `since`; else any, newer ones first. */
  pick(random: SeededRandom, kind: string, since: number): string | null {
    const values = this.#kinds.get(kind) ?? [];
    const newest = values.at(-1);
    if (newest === undefined) return null;
    if (newest.learnedAt >= since) return newest.text;
    const fromEnd = Math.floor(random.next() ** 2 * values.length);
    return values[values.length - 1 - fromEnd]?.text ?? null;
  }

  #learnFrom(value: unknown, requestNumber: number): void {
    if (typeof value !== 'object' || value === null) return;
    this.learnResource(value as Json, requestNumber);
    for (const [name, item] of Object.entries(value)) {
      if (integratorFields.has(name)) continue;
      if (typeof item === 'string') this.#learnText(name, item, requestNumber);
      else this.#learnFrom(item, requestNumber);
    }
  }

  #learnText(name: string, text: string, requestNumber: number): void {
    const prefix = idForm.exec(text)?.[1];
    const tosId = name === 'url' ? /[?&]tos_id=([^&]+)/.exec(text)?.[1] : undefined;
    if (prefix !== undefined) this.add(prefix, text, requestNumber);
    if (tosId !== undefined) this.add('tosId', tosId, requestNumber);
    if (name === 'publicUrl' || name === 'token') this.add(name, text, requestNumber);
    if (name === 'secret' && text.startsWith('pk_')) this.add('key', text, requestNumber);
  }

  learnResource(resource: Json, requestNumber: number): void {
    const { id, externalId, status, readyToCollect, uploadUrl, uploadHeaders } = resource;
    if (status === 'settled' && idForm.test(`${id}`)) this.add(status, `${id}`, requestNumber);
    if (uploadUrl !== undefined) {
      this.add('upload', JSON.stringify({ uploadUrl, uploadHeaders }), requestNumber);
    }
    if (typeof externalId !== 'string') return;
    const prefix = idForm.exec(String(id))?.[1] ?? '';
    this.add(`externalId of ${prefix}`, externalId, requestNumber);
    if (readyToCollect !== true) return;
    this.add('sellerExternalId', externalId, requestNumber);
    this.add('seller', `${id}`, requestNumber);
  }
}
