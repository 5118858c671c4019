// The rules that every answer keeps: it is described for its operation (checked-site.ts), it is a
// 5xx only in an outage that causes it, a bad credential never succeeds, a request succeeds only if
// the description allows it, and no answer holds an id of another organization.
import assert from 'node:assert/strict';
import { offTableCodes } from '../../adapters/http/protocol/route-errors.js';
import { type Answer, checkAnswer } from '../adapters/http/checked-site.js';
import { operationIdAt } from '../adapters/http/docs/described-answers.js';
import type { LogEntry } from '../support/scenes/test-world.js';
import type { Description } from './described-operations.js';
import { ALLOWED_ORIGIN, type Client } from './fuzz-scene.js';
import { integratorFields } from './known-values.js';
import { bodyBytes, type Draft } from './request-draft.js';

/** Ids that belong to one organization and mode. Buyers are shared. */
const ownedId = /^(pi|inv|acct|whs|whd|evt|kyc|rcv)_[0-9a-z]{26}$/;
const codesOfAnyRequest: readonly string[] = offTableCodes;

export class FuzzRules {
  readonly #description: Description;
  /** The client whose answer had the id first. */
  readonly #owners = new Map<string, Client>();

  constructor(description: Description) {
    this.#description = description;
  }

  /** `outageCodes`: the 5xx that are expected now. */
  check(draft: Draft, requestId: string, answer: Answer, outageCodes: readonly string[]): void {
    const { method, rewrite } = draft;
    const code = String(answer.body['error'] ?? '');
    checkOurFailure(draft, answer, code, outageCodes);
    // Changed bytes may ask for another path, or not be readable.
    const isUnread = method === 'HEAD' ? answer.status >= 400 : codesOfAnyRequest.includes(code);
    const path = rewrite !== null && isUnread ? '/unknown' : pathOf(draft);
    checkAnswer(method, path, answer);
    checkOrigin(draft, answer);
    const isPreflight = method === 'OPTIONS' && answer.status === 204;
    const isSuccess = answer.status < 300 && !isPreflight;
    if (isSuccess) assert.equal(draft.mustFail, null, `a success: ${summaryOf(answer)}`);
    if (rewrite !== null) return;
    checkRequestId(draft, requestId, answer);
    if (isSuccess) this.#checkSuccess(draft, answer);
  }

  #checkSuccess(draft: Draft, answer: Answer): void {
    const { operation, method, client } = draft;
    if (operationIdAt(method, pathOf(draft)) === operation.operationId) {
      this.#checkAllowed(draft, summaryOf(answer));
    }
    if (client === null || operation.schemes.length === 0) return;
    const sent = bodyBytes(draft).toString();
    this.#checkOwners(client, answer.body, (id) => sent.includes(id));
  }

  /** The description allows the parameters and the body that were accepted. */
  #checkAllowed(draft: Draft, text: string): void {
    const { operation, query, headers } = draft;
    const sent = new URLSearchParams(query.map(([name, value]) => `${name}=${value}`).join('&'));
    for (const parameter of operation.parameters.filter((one) => one.in !== 'path')) {
      const name = parameter.name.toLowerCase();
      const lines = headers.filter(([header]) => header.toLowerCase() === name);
      // Header lines of one name are one list.
      const listed = lines.length === 0 ? [] : [lines.map(([, value]) => value).join(', ')];
      const values = parameter.in === 'query' ? sent.getAll(parameter.name) : listed;
      assert.ok(values.length <= 1, `${parameter.name} was accepted twice: ${text}`);
      for (const value of values) {
        const problem = this.#description.parameterProblem(operation, parameter, value);
        assert.equal(problem, null, `${parameter.name}=${value} was accepted: ${text}`);
      }
    }
    if ((operation.body?.schema ?? null) === null) return;
    // A byte order mark is ignored (RFC 8259, section 8.1).
    const body = bodyBytes(draft)
      .toString()
      .replace(/^\uFEFF/, '');
    const problem = this.#description.bodyProblem(operation, body === '' ? {} : JSON.parse(body));
    assert.equal(problem, null, `the body was accepted: ${text}`);
  }

  /** An answer may repeat an id that its request sent in the body. */
  #checkOwners(client: Client, value: unknown, wasSent: (id: string) => boolean, name = ''): void {
    if (integratorFields.has(name)) return;
    if (typeof value === 'object' && value !== null) {
      for (const [inner, item] of Object.entries(value)) {
        this.#checkOwners(client, item, wasSent, inner);
      }
    } else if (typeof value === 'string' && ownedId.test(value) && !wasSent(value)) {
      const owner = this.#owners.get(value) ?? client;
      this.#owners.set(value, owner);
      assert.equal(owner.name, client.name, `${value} is in an answer to ${client.name}`);
    }
  }
}

/** Work behind the answers does not fail. */
export function checkLog(entries: readonly LogEntry[]): void {
  // 'failed' is a 5xx, which has its own rule; 'alert' asks an operator to look.
  const failure = entries.find(
    ({ level, message }) => level === 'error' && message !== 'alert' && message !== 'failed',
  );
  if (failure === undefined) return;
  const { step, error } = failure.fields;
  assert.fail(`work failed: ${failure.message}, step ${step}: ${(error as Error).stack}`);
}

/** The path as described: without the host of an absolute target, without needless escapes. */
export function pathOf({ path }: Pick<Draft, 'path'>): string {
  return path.replace(/^https?:\/\/[^/]*/i, '').replaceAll(/%[2-7][0-9a-f]/gi, (escaped) => {
    const letter = decodeURIComponent(escaped);
    return /[\w.~-]/.test(letter) ? letter : escaped;
  });
}

function summaryOf({ status, text }: Answer): string {
  return `${status} ${text.slice(0, 300)}`;
}

function checkOurFailure(
  { method, path }: Draft,
  answer: Answer,
  code: string,
  outageCodes: readonly string[],
): void {
  // The readiness probe answers 503 without a code.
  if (answer.status < 500 || pathOf({ path }) === '/readyz') return;
  const isExpected = method === 'HEAD' ? outageCodes.length > 0 : outageCodes.includes(code);
  assert.ok(isExpected, `a failure of the service: ${summaryOf(answer)}`);
}

function checkOrigin({ headers }: Draft, answer: Answer): void {
  const allowed = answer.headers['access-control-allow-origin'];
  if (allowed === undefined) return;
  assert.equal(allowed, ALLOWED_ORIGIN);
  assert.ok(headers.some(([name, value]) => name === 'Origin' && value === ALLOWED_ORIGIN));
}

/** The answer belongs to this request. One that could not be parsed has another id. */
function checkRequestId({ headers }: Draft, requestId: string, answer: Answer): void {
  const hasOwnId = headers.some(([name]) => name.toLowerCase() === 'x-request-id');
  const isUnparsed = answer.status >= 400 && answer.headers['connection'] === 'close';
  if (hasOwnId || isUnparsed) return;
  assert.equal(answer.headers['x-request-id'], requestId, 'the answer to another request');
}
