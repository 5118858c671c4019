// Refusals as pages. An unknown address, a page that is not open and a removed payment look alike.
import { SECOND_MS } from '../../../core/domain/base/instant.js';
import type { ErrorCode, PonteError } from '../../../core/errors.js';
import { assetPaths } from '../kit/assets.js';
import type { RefusalPlace } from '../kit/page-pipeline.js';
import { html, type PageAnswer } from '../kit/page-route.js';
import { noKyc, type Page, type Problem } from './page-view.js';
import { renderPage } from './render.js';

/** Other refusals are 'out_of_order'. */
const problems: Partial<Record<ErrorCode, Problem>> = {
  RateLimitExceeded: 'too_many',
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
    locale: where.locale,
    hasDecimalPoint: false,
    root: where.prefix,
    path: where.base,
    assets: assetPaths(where.prefix),
    nowMs: where.nowMs,
    // No banner: the refusal does not know a payment.
    mode: 'live',
    csrf: null,
    viewer: null,
    organization: null,
    // A refusal asks for no data.
    legal: { privacyUrl: null, termsUrl: null },
    payment: null,
    version: null,
    notice: null,
    limited: null,
    mailbox: null,
    kyc: noKyc,
    simulate: null,
    page,
  });
  const answer = html(text, status);
  if (retryAfterSeconds === null) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': `${retryAfterSeconds}` } };
}
