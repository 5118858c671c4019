// What every page has, for any audience: its language, its paths, its session, and a notice.
import type { Locale } from '../../../core/domain/base/locale.js';
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { Limited } from './limited.js';

export interface FrameView {
  readonly locale: Locale;
  /** The browser reads Spanish with a decimal point. */
  readonly hasDecimalPoint: boolean;
  /** Path of PONTE_PAY_URL without a slash at its end; '' at the root of the host. */
  readonly root: string;
  /** Path of these pages below the host: `/r/<publicId>` or `/kyc/<flowId>`, with the root. */
  readonly path: string;
  readonly assets: AssetPaths;
  readonly nowMs: number;
  readonly mode: Mode;
  /** The CSRF token of the session; null without one. */
  readonly csrf: string | null;
  /** Null before sign-in. */
  readonly viewer: Viewer | null;
  /** The version of what the page shows; null on pages that do not follow changes. */
  readonly version: string | null;
  /** Shown above the screen, once. */
  readonly notice: PageNotice | null;
  /** Shown once, too. */
  readonly limited: Limited | null;
  /** Where a development host shows its mails; null where mails are sent. */
  readonly mailbox: string | null;
}

export interface AssetPaths {
  readonly style: string;
  /** What the dashboard loads beside it. */
  readonly dashboard: string;
  readonly script: string;
  /** What the documentation loads beside the two style sheets, and its own script. */
  readonly documentation: string;
  readonly documentationScript: string;
  /** What a browser shows on the tab: in live mode and beside it, and in test mode. */
  readonly icon: string;
  readonly testIcon: string;
}

export interface Viewer {
  readonly email: string;
  /** By its age or idleness, the earlier one; any request moves the idle end. */
  readonly sessionEndsAtMs: number;
}

export const notices = [
  /** The form was made for an earlier state. */
  'out_of_date',
  /** The session ended; the browser comes back to its page after sign-in. */
  'signed_out',
  /** So did it when a form was sent. */
  'unsaved',
  /** The browser sent none of the cookies that it was given. */
  'no_cookies',
  'code_wrong',
  'code_expired',
  'quote_unavailable',
  'choose_together',
  'together_too_much',
  'take_back_asked',
  'question_sent',
  'facts_wrong',
] as const;
export type PageNotice = (typeof notices)[number];
