// The proof of a payment by a link: who has it needs no account.
import { linkTokenIn } from '../../../core/domain/base/link-text.js';
import { expectFound, PonteError } from '../../../core/errors.js';
import { loadOrganization } from '../../../core/usecases/parties/organizations.js';
import { takePageSlot } from '../../../core/usecases/service/rate-limits.js';
import { renderContent } from '../hosted/layout.js';
import { noKyc } from '../hosted/page-view.js';
import { legalView, localeFor, organizationView } from '../hosted/unpaid-view.js';

import { ButtonLink } from '../kit/components.js';
import { formatOf } from '../kit/format.js';
import { frameOfCall } from '../kit/frame-of-call.js';
import {
  html,
  type PageAnswer,
  type PageCall,
  type PageContext,
  rowsAt,
  seeOther,
} from '../kit/page-route.js';
import { ledeOf, type OpenedProof, openProof, proofFiles } from './proof-pack.js';
import { ProofSheet } from './proof-sheet.js';
import { proofTexts } from './proof-texts.js';

const ofProof = rowsAt('proof', '/proof/{paymentId}');

type ProofCall = PageCall<'none', unknown>;

export const proofPages = [
  ofProof.shows('', 'none', show),
  ...Object.entries(proofFiles).map(([name, answer]) =>
    ofProof.shows(`/${name}`, 'none', async (context, call) => {
      const opened = await openLinked(context, call);
      await takePageSlot(context.deps, 'file', opened.payment.publicId);
      return answer(context.deps, opened);
    }),
  ),
];

/** The link sets the cookie of its session, so that its token leaves the address. */
async function show(context: PageContext, call: ProofCall): Promise<PageAnswer> {
  const token = linkTokenIn(call.query);
  if (token !== null) {
    const cookie = { name: 'session', value: token, path: call.base } as const;
    return seeOther(call.base, token === '' ? [] : [cookie]);
  }
  const opened = await openLinked(context, call);
  const { deps } = context;
  const { payment, proof, locale } = opened;
  const organization = await deps.store.run((tx) => loadOrganization(tx, payment.orgId));
  const texts = proofTexts[locale];
  const nowMs = deps.clock.nowMs();
  const own = { locale, mode: payment.mode, nowMs, viewer: null };
  const view = {
    ...frameOfCall(context, call, own),
    organization: organizationView(organization),
    legal: legalView(organization, deps.settings),
    payment: null,
    kyc: noKyc,
    simulate: null,
    page: { name: 'not_found' },
  } as const;
  const endsAtMs = call.session?.endsAtMs ?? nowMs;
  const format = formatOf(locale, { timeZone: opened.timeZone });
  const text = renderContent(view, () => ({
    title: texts.title,
    lede: ledeOf(proof, locale),
    station: null,
    body: [
      <div class="actions">
        <ButtonLink href={`${call.base}/proof.pdf`}>{texts.pdf}</ButtonLink>
        <ButtonLink href={`${call.base}/proof.zip`}>{texts.pack}</ButtonLink>
      </div>,
      <ProofSheet {...opened} />,
      <p class="small quiet">{texts.until(format.instant(endsAtMs))}</p>,
    ],
  }));
  return html(text);
}

/** NotFound for a link that ended. */
async function openLinked({ deps }: PageContext, call: ProofCall): Promise<OpenedProof> {
  const { session } = call;
  if (session === null || session.paymentId === null) throw new PonteError('NotFound');
  const { paymentId } = session;
  const payment = expectFound(await deps.store.run((tx) => tx.payments.get(session, paymentId)));
  return openProof(deps, payment, { audience: 'link', locale: localeFor(call, null) });
}
