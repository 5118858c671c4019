// Pages that belong to no payment: the check of bank details, the end of a held change, and the
// files that pages load.
import { z } from 'zod';
import type { Mode } from '../../../core/domain/base/tenant.js';
import { answered, expectFound } from '../../../core/errors.js';
import { readStop, stopChange } from '../../../core/usecases/parties/payout-changes.js';
import { verifyBankDetails } from '../../../core/usecases/payments/bank-details.js';
import { noKyc, type Page, type PageVerifyAnswer, type VerifyForm } from '../hosted/page-view.js';
import { localeFor } from '../hosted/unpaid-view.js';
import { assetFile } from '../kit/assets.js';
import { frameOfRefusal } from '../kit/frame-of-call.js';
import {
  html,
  type PageAnswer,
  type PageCall,
  type PageContext,
  rowsAt,
} from '../kit/page-route.js';
import { renderPage } from './render.js';

/** A year: the path has a hash of the content. */
const KEEP = 'public, max-age=31536000, immutable';

const verifyForm = z.object({ publicId: z.string().max(200), value: z.string().max(100) });

const stopForm = z.object({ code: z.string().max(40).default('') });

const open = rowsAt('none', '');

export const assetPages = [open.shows('/assets/{hash}/{file}', 'none', asset)];

export const servicePages = [
  open.shows('/verify', 'none', async (context, call) =>
    verifyPage(context, call, null, { name: 'none' }),
  ),
  open.takes('/verify', 'none', 'none', verifyForm, verify),
  // A GET changes nothing: mail scanners open links.
  open.shows('/stop/{code}', 'none', (context, call) => showStop(context, call)),
  open.takes('/stop/{code}', 'none', 'none', stopForm, stop),
  ...assetPages,
];

type ServiceCall = PageCall<'none', unknown>;

async function verify({ deps, ...context }: PageContext, call: PageCall<'none', VerifyForm>) {
  const asked = { publicId: call.form.publicId.trim(), value: call.form.value.trim() };
  if (asked.publicId === '' || asked.value === '') {
    return verifyPage({ deps, ...context }, call, asked, { name: 'incomplete' });
  }
  const found = await verifyBankDetails(deps, asked, call.client);
  const answer: PageVerifyAnswer =
    found.kind === 'given'
      ? { name: 'ours', givenAtMs: found.atMs, isOver: found.isOver }
      : { name: 'never' };
  const mode = found.kind === 'given' ? found.mode : 'live';
  return verifyPage({ deps, ...context }, call, asked, answer, mode);
}

async function showStop(context: PageContext, call: ServiceCall, isRefused = false) {
  const code = call.params['code'] ?? '';
  const state = await readStop(context.deps, code);
  return servicePage(context, call, { name: 'stop_change', code, state, isRefused });
}

async function stop(context: PageContext, call: PageCall<'none', z.infer<typeof stopForm>>) {
  const stopped = stopChange(context.deps, call.params['code'] ?? '', call.form.code);
  const again = async () => ({ ...(await showStop(context, call, true)), status: 422 });
  return stopped.then(() => showStop(context, call), answered({ InvalidSignInCode: again }));
}

function verifyPage(
  context: PageContext,
  call: ServiceCall,
  asked: VerifyForm | null,
  answer: PageVerifyAnswer,
  mode: Mode = 'live',
): PageAnswer {
  return servicePage(context, call, { name: 'verify', asked, answer }, mode);
}

function servicePage(
  { deps, prefix }: PageContext,
  call: ServiceCall,
  page: Page,
  mode: Mode = 'live',
): PageAnswer {
  const locale = localeFor(call, null);
  const nowMs = deps.clock.nowMs();
  const { query } = call;
  const text = renderPage({
    ...frameOfRefusal({ locale, base: prefix, path: '', prefix, nowMs, query }),
    hasDecimalPoint: call.hasDecimalPoint,
    mode,
    organization: null,
    legal: deps.settings.legal,
    payment: null,
    kyc: noKyc,
    simulate: null,
    page,
  });
  return html(text);
}

async function asset(_: PageContext, { params }: ServiceCall): Promise<PageAnswer> {
  const found = expectFound(assetFile(params['hash'] ?? '', params['file'] ?? ''));
  const { type, encoding, bytes } = found;
  return {
    status: 200,
    headers: {
      'content-type': type,
      'content-encoding': encoding,
      'cache-control': KEEP,
      vary: 'accept-encoding',
    },
    cookies: [],
    body: bytes,
  };
}
