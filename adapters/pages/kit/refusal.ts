// Where a page was refused, and the frame of the page that says so, for any audience.
import type { Locale } from '../../../core/domain/base/locale.js';
import { assetPaths } from './assets.js';
import type { FrameView } from './frame-view.js';

export interface RefusalPlace {
  readonly locale: Locale;
  readonly base: string;
  /** Below the prefix. */
  readonly path: string;
  readonly prefix: string;
  readonly nowMs: number;
}

/** It knows no payment and no session: no banner, no form. */
export function frameOfRefusal({ locale, base, prefix, nowMs }: RefusalPlace): FrameView {
  return {
    locale,
    hasDecimalPoint: false,
    root: prefix,
    path: base,
    assets: assetPaths(prefix),
    nowMs,
    mode: 'live',
    csrf: null,
    viewer: null,
    version: null,
    notice: null,
    limited: null,
    mailbox: null,
  };
}
