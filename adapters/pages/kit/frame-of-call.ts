// The frame of a page from the call that asks for it, and of the page that says why it was refused,
// for any audience.
import type { Locale } from '../../../core/domain/base/locale.js';
import { assetPaths } from './assets.js';
import { type FrameView, notices } from './frame-view.js';
import { limitIn } from './limited.js';
import type { PageAuth, PageCall, PageContext } from './page-route.js';

export function frameOfCall(
  { prefix, mailbox }: Pick<PageContext, 'prefix' | 'mailbox'>,
  call: Pick<PageCall<PageAuth, unknown>, 'base' | 'csrf' | 'query' | 'hasDecimalPoint'>,
  own: Pick<FrameView, 'locale' | 'mode' | 'nowMs' | 'viewer'>,
): FrameView {
  const { base, csrf, query, hasDecimalPoint } = call;
  return {
    ...own,
    hasDecimalPoint,
    root: prefix,
    path: base,
    assets: assetPaths(prefix),
    csrf,
    version: null,
    notice: notices.find((known) => known === query.get('notice')) ?? null,
    limited: limitIn(query, own.nowMs),
    mailbox: mailbox === null ? null : `${prefix}/dev/mailbox`,
  };
}

export interface RefusalPlace {
  readonly locale: Locale;
  readonly base: string;
  /** Below the prefix. */
  readonly path: string;
  readonly prefix: string;
  readonly nowMs: number;
  readonly query: URLSearchParams;
}

/** It knows no payment and no session: no banner, no form. */
export function frameOfRefusal({ locale, base, prefix, nowMs, query }: RefusalPlace): FrameView {
  const call = { base, csrf: null, query, hasDecimalPoint: false };
  const own = { locale, mode: 'live', nowMs, viewer: null } as const;
  return frameOfCall({ prefix, mailbox: null }, call, own);
}
