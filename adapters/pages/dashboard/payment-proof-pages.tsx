// The proof of a settled payment, for members: as a page, its files, and a link for somebody else.
import { PonteError } from '../../../core/errors.js';
import {
  countProofLinks,
  createProofLink,
  endProofLinks,
  type ProofLink,
} from '../../../core/usecases/mail/proof-links.js';
import { readPayment } from '../../../core/usecases/payments/payments.js';
import { ButtonForm, ButtonLink, foreign, Note, Secret } from '../kit/components.js';
import type { PageContext } from '../kit/page-route.js';
import { idIn } from '../kit/pages/declared-pages.js';
import { ledeOf, type OpenedProof, openProof, proofFiles } from '../proof/proof-pack.js';
import { ProofSheet } from '../proof/proof-sheet.js';
import { proofTexts } from '../proof/proof-texts.js';
import { type DashboardContent, dashboardPage, ToPlace } from './dashboard-layout.js';
import { type DashboardScene, localeOfCall, may, viewOf } from './dashboard-scene.js';
import { anyRole, type MemberCall, memberPages, tenantOfCall } from './member-pages.js';
import { fiscalActionIn, referenceOf, writesOf } from './payment-parts.js';

const path = '/payments/{paymentId}/proof';
const read = { scope: anyRole, proof: 'session' } as const;
const scope = 'payments:export';

export const paymentProofPages = [
  memberPages.view({
    path,
    access: read,
    load: open,
    show: (scene, opened) => proofScreen(scene, opened, null),
  }),
  ...Object.entries(proofFiles).map(([name, answer]) =>
    memberPages.file({ path: `${path}/${name}`, access: read }, async (context, call) =>
      answer(context.deps, await open(context, call)),
    ),
  ),
  memberPages.action({
    path: `${path}/link`,
    access: { scope, proof: 'session' },
    limit: 'export',
    /** The only page that has the link. A reload makes another one. */
    async run(context, call) {
      const { payment } = await open(context, call);
      const link = await createProofLink(context.deps, payment);
      const opened = await open(context, call);
      return dashboardPage(viewOf(context, call), (scene) => proofScreen(scene, opened, link));
    },
  }),
  memberPages.action({
    path: `${path}/links/end`,
    access: { scope, proof: 'session' },
    async run({ deps }, call) {
      const { payment } = await readPayment(deps, tenantOfCall(call), idIn(call, 'paymentId'));
      await endProofLinks(deps, tenantOfCall(call), payment.id);
      return { to: `/payments/${payment.id}/proof`, done: 'links_ended' };
    },
  }),
];

interface ShownProof extends OpenedProof {
  readonly openLinks: number;
}

/** NotFound before the settlement. */
async function open({ deps }: PageContext, call: MemberCall): Promise<ShownProof> {
  const [tenant, id] = [tenantOfCall(call), idIn(call, 'paymentId')];
  const { payment } = await readPayment(deps, tenant, id);
  if (payment.settledAtMs === null) throw new PonteError('NotFound');
  const opened = await openProof(deps, payment, { audience: 'seller', locale: localeOfCall(call) });
  return { ...opened, openLinks: await countProofLinks(deps, tenant, id) };
}

function proofScreen(
  scene: DashboardScene,
  { openLinks, ...opened }: ShownProof,
  link: ProofLink | null,
): DashboardContent {
  const { view, format } = scene;
  const { payment, proof, locale } = opened;
  const words = proofTexts[locale];
  const place = payment.origin === 'invoice' ? 'invoices' : 'payments';
  const own = `payments/${payment.id}`;
  return {
    title: `${words.title}: ${referenceOf(payment)}`,
    heading: words.title,
    lede: ledeOf(proof, locale),
    place,
    crumbs: [
      <ToPlace of={place} />,
      <a href={`${view.path}/${own}`}>{foreign(referenceOf(payment))}</a>,
    ],
    actions: [
      <ButtonLink to={`${own}/proof/proof.pdf`}>{words.pdf}</ButtonLink>,
      <ButtonLink to={`${own}/proof/proof.zip`}>{words.pack}</ButtonLink>,
      proof.fiscalDocument === null && may(view, writesOf(payment)) ? (
        <ButtonLink to={`${own}/fiscal-document`} text={fiscalActionIn(scene, payment)} />
      ) : null,
      may(view, scope) ? <ButtonForm to={`${own}/proof/link`}>{words.makeLink}</ButtonForm> : null,
      may(view, scope) && openLinks > 0 ? (
        <ButtonForm to={`${own}/proof/links/end`}>{words.endLinks(openLinks)}</ButtonForm>
      ) : null,
    ],
    body: (
      <div class="stack-l">
        {link === null ? null : (
          <Note look="ok" live>
            <p>
              <b>{words.linkNow}</b> {words.until(format.instant(link.endsAtMs))}
            </p>
            <Secret text={link.url} label={words.copyLink} />
          </Note>
        )}
        <ProofSheet {...opened} />
      </div>
    ),
  };
}
