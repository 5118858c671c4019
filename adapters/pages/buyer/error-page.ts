// Refusals as pages. An unknown address, a page that is not open and a removed payment look alike.
import { SECOND_MS } from '../../../core/domain/base/instant.js';
import type { ErrorCode, PonteError } from '../../../core/errors.js';
import { noKyc, type Page, type Problem } from '../hosted/page-view.js';
import { frameOfRefusal, type RefusalPlace } from '../kit/frame-of-call.js';
import { html, type PageAnswer } from '../kit/page-route.js';
import { renderPage } from './render.js';

/** Other refusals are 'out_of_order'. */
const problems: Partial<Record<ErrorCode, Problem>> = {
  RateLimitExceeded: 'too_many',
  StorageLimitExceeded: 'too_many',
  InsufficientScope: 'forbidden',
};

export function errorPage(
  { code, status, retryAfterSeconds }: PonteError,
  where: RefusalPlace,
): PageAnswer {
  const untilMs = retryAfterSeconds === null ? null : where.nowMs + retryAfterSeconds * SECOND_MS;
  const page: Page =
    code === 'NotFound' || code === 'MethodNotAllowed'
      ? { name: 'not_found' }
      : { name: 'problem', problem: problems[code] ?? 'out_of_order', untilMs };
  const text = renderPage({
    ...frameOfRefusal(where),
    organization: null,
    // A refusal asks for no data.
    legal: { privacyUrl: null, termsUrl: null },
    payment: null,
    kyc: noKyc,
    simulate: null,
    page,
  });
  return html(text, status);
}
