// Requests for production access: a member asks, operators grant (two of them, service-items.ts) or
// refuse, and the member who asked is mailed.
import { isActiveMember } from '../../domain/access/member.js';
import { hasUnstorableText } from '../../domain/base/raw-json.js';
import { memberMail, newMail } from '../../domain/mail/mail.js';
import { readCertifyReport } from '../../domain/parties/certify-summary.js';
import {
  ANSWER_LENGTH_MAX,
  decidedRequest,
  type ProductionAnswers,
  type ProductionRequest,
  productionQuestions,
} from '../../domain/parties/production-request.js';
import { invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { mailNumber } from '../mail/mails.js';
import type { Batch } from '../service/batch.js';
import { expectOwner, loadOrganization, requireContact } from './organizations.js';

/** A list for operators has this many of the oldest requests. */
export const WAITING_MAX = 100;

/**
 * Asks for production access; while a request waits, that one is returned. ValidationError, also
 * without a support contact; InvalidToken, InsufficientScope.
 */
export async function requestProduction(
  deps: Deps,
  { orgId, memberId }: { readonly orgId: string; readonly memberId: string },
  answers: ProductionAnswers,
  /** The file of `ponte certify`; empty: none. */
  report = '',
): Promise<ProductionRequest> {
  const certified = report === '' ? null : readCertifyReport(report);
  if (report !== '' && certified === null) {
    throw invalid('report: send certify.json as it was written.');
  }
  const problems = productionQuestions.filter((question) => !isAnswer(answers[question]));
  if (problems.length > 0) {
    throw invalid(`${problems.join(', ')}: give 1 to ${ANSWER_LENGTH_MAX} characters of text.`);
  }
  const request = await deps.store.run(async (tx) => {
    const [organization, known] = await Promise.all([
      loadOrganization(tx, orgId),
      tx.productionRequests.newest(orgId),
    ]);
    if (known?.state === 'requested') return known;
    if (organization.productionGrantedAtMs !== null) {
      throw invalid('The organization has production access.');
    }
    requireContact(organization);
    await expectOwner(tx, { orgId }, memberId);
    tx.organizations.expect(organization);
    const nowMs = deps.clock.nowMs();
    const asked: ProductionRequest = Object.freeze({
      orgId,
      id: deps.ids.next('prq', nowMs),
      requestedBy: memberId,
      answers,
      certified,
      state: 'requested',
      decidedBy: null,
      decidedAtMs: null,
      reason: null,
      createdAtMs: nowMs,
      version: 1,
    });
    tx.productionRequests.insert(asked);
    return asked;
  });
  deps.log.warn('an organization asks for production access', { orgId, requestId: request.id });
  return request;
}

/** Whether it is an answer, or the reason of a refusal. */
function isAnswer(text: string): boolean {
  const { length } = [...text.trim()];
  return length > 0 && length <= ANSWER_LENGTH_MAX && !hasUnstorableText(text);
}

/** The newest request; null: there was none. */
export function readProductionRequest(
  deps: Deps,
  orgId: string,
): Promise<ProductionRequest | null> {
  return deps.store.run((tx) => tx.productionRequests.newest(orgId));
}

/** Those that wait, oldest first. */
export function listProductionRequests(deps: Deps): Promise<readonly ProductionRequest[]> {
  return deps.store.run((tx) => tx.productionRequests.waiting(WAITING_MAX));
}

/**
 * Refuses the request that waits; `requestId`: only this one. NotFound if none waits,
 * DecisionNotAllowed if another one does. ValidationError without a reason.
 */
export async function refuseProduction(
  deps: Deps,
  orgId: string,
  given: { readonly reason: string; readonly by: string; readonly requestId?: string },
): Promise<ProductionRequest> {
  const reason = given.reason.trim();
  if (!isAnswer(reason)) {
    throw invalid(`reason: give 1 to ${ANSWER_LENGTH_MAX} characters of text.`);
  }
  const refused = await deps.store.run(async (tx) => {
    const request = await tx.productionRequests.newest(orgId);
    if (request?.state !== 'requested') throw new PonteError('NotFound');
    if (request.id !== (given.requestId ?? request.id)) {
      const message = 'The organization has asked again since. Read its new answers.';
      throw new PonteError('DecisionNotAllowed', message);
    }
    const decision = { decidedBy: given.by, reason };
    return stageDecision({ deps, tx, nowMs: deps.clock.nowMs() }, request, 'refuse', decision);
  });
  deps.wake('mails');
  return refused;
}

/** Grants the request that waits, if there is one; `by` names the operators. */
export async function stageGranted(batch: Batch, orgId: string, by: string): Promise<void> {
  const request = await batch.tx.productionRequests.newest(orgId);
  if (request?.state !== 'requested') return;
  await stageDecision(batch, request, 'grant', { decidedBy: by, reason: null });
}

async function stageDecision(
  batch: Batch,
  request: ProductionRequest,
  move: 'grant' | 'refuse',
  decision: Pick<ProductionRequest, 'decidedBy' | 'reason'>,
): Promise<ProductionRequest> {
  const decided = decidedRequest(request, move, decision, batch.nowMs);
  await stageDecidedMail(batch, decided);
  batch.tx.productionRequests.update(decided);
  return decided;
}

/** To the member who asked, unless removed. */
async function stageDecidedMail({ deps, tx, nowMs }: Batch, request: ProductionRequest) {
  const { orgId, id: requestId, requestedBy } = request;
  const member = await tx.members.get(orgId, requestedBy);
  if (member === null || !isActiveMember(member)) return;
  const { email: to, emailKey: toKey } = member;
  const about = { ...memberMail(member), purpose: 'production_decided' } as const;
  const { nth } = await mailNumber(tx, { ...about, address: to }, nowMs);
  const none = { tokenHash: null, tokenSealed: null, codeHash: null, browserHash: null };
  const subject = { kind: 'member', memberId: member.id } as const;
  const cause = `production:${requestId}`;
  const id = deps.ids.next('mail', nowMs);
  const mail = { ...about, ...none, id, subject, cause, to, toKey, nth, locale: 'en' } as const;
  tx.mails.insert(newMail(mail, nowMs));
}
