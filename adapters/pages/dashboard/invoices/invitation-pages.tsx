// Inviting the buyers of many invoices: those that were approved and not sent yet, each with a box
// to tick. A buyer gets one mail that lists its invoices.
import { INVITED_MAX } from '../../../../core/domain/mail/mail.js';
import type { ShownView } from '../../../../core/domain/payments/change.js';
import { inviteBuyers } from '../../../../core/usecases/payments/invitations.js';
import { allPayments, listPayments } from '../../../../core/usecases/payments/payment-lists.js';
import { ButtonLink, Foreign } from '../../kit/components.js';
import type { PageContext } from '../../kit/page-route.js';
import { checks, type FormLook } from '../../kit/pages/form-page.js';
import { listPath } from '../../kit/pages/list-page.js';
import { ToPlace } from '../dashboard-layout.js';
import type { DashboardScene } from '../dashboard-scene.js';
import { type MemberCall, memberPages, tenantOfCall } from '../member-pages.js';
import { buyerOf, payeeOf, referenceOf } from '../payment-parts.js';

const PATH = '/invoices/invite';

type Unsent = Readonly<{ views: readonly ShownView[]; isTicked: boolean }>;

/** The page with the invoices that were created since a moment, or with all that are unsent. */
export function invitationPath(createdSinceMs: number | null): string {
  return listPath(PATH, { since: createdSinceMs });
}

export const invitationPages = memberPages.form({
  path: PATH,
  access: { scope: 'invoices:write', proof: 'session' },
  back: () => '/invoices',
  load: loadUnsent,
  elsewhere: ({ views }) => (views.length === 0 ? '/invoices' : null),
  typed: ({ views, isTicked }) =>
    Object.fromEntries(isTicked ? views.map(({ payment }) => [payment.id, 'yes']) : []),
  fields: (scene, { views }) => ({
    invoices: checks({
      label: scene.texts.invitations.label,
      problem: scene.texts.invitations.none,
      choices: views.map((view) => choiceOf(scene, view)),
    }),
  }),
  show: ({ texts, view }, { isTicked }) => ({
    title: texts.invitations.heading,
    lede: texts.invitations.lede,
    place: 'invoices',
    crumbs: [<ToPlace of="invoices" />],
    submit: texts.invitations.send,
    keep: texts.invitations.later,
    around: around(
      `${view.path}${listPath(PATH, { tick: isTicked ? 'none' : 'all' })}`,
      isTicked ? texts.invitations.tickNone : texts.invitations.tickAll,
    ),
  }),
  async save({ deps }, call, { scene, values: { invoices } }) {
    const { value: ends } = await inviteBuyers(deps, tenantOfCall(call), invoices, null);
    // One that is not approved any more was sent by a press shortly before.
    const limited = ends.filter(
      ({ end, payment }) => end === 'limited' && payment?.status === 'approved',
    );
    if (limited.length === 0) return { to: '/invoices', done: 'invited_all' };
    const addresses = new Set(limited.map(({ payment }) => payment?.buyer.email.trim() ?? ''));
    const minutes = Math.ceil(Math.max(...limited.map(({ waitMs }) => waitMs)) / 60_000);
    const text = scene.texts.invitations.limited([...addresses].join(', '), minutes);
    return { problem: { field: invoices[0] ?? '', text } };
  },
});

const around =
  (href: string, label: string): NonNullable<FormLook['around']> =>
  (form) => [
    <p>
      <ButtonLink href={href}>{label}</ButtonLink>
    </p>,
    form,
  ];

function choiceOf(scene: DashboardScene, { payment }: ShownView) {
  const { format, texts } = scene;
  const due = payment.dueDate === null ? '' : texts.invitations.due(format.date(payment.dueDate));
  const about = [buyerOf(payment), payment.buyer.email, payeeOf(scene, payment), due];
  return {
    value: payment.id,
    label: (
      <>
        <Foreign text={referenceOf(payment)} /> · {format.money(payment.amount)}
      </>
    ),
    hint: <Foreign text={[...new Set(about)].filter((text) => text !== '').join(' · ')} />,
  };
}

/** By buyer, so that what is in one mail stands together. */
async function loadUnsent({ deps }: PageContext, call: MemberCall): Promise<Unsent> {
  const since = /^\d{1,15}$/.exec(call.query.get('since') ?? '')?.[0] ?? null;
  const found = await listPayments(deps, tenantOfCall(call), {
    ...allPayments,
    origins: ['invoice'],
    statuses: ['approved'],
    createdFromMs: since === null ? null : Number.parseInt(since, 10),
    limit: INVITED_MAX,
  });
  const views = found.toSorted((one, other) => {
    const [left, right] = [one.payment, other.payment].map(({ buyer }) => buyer.email);
    return (left ?? '') < (right ?? '') ? -1 : 1;
  });
  return { views, isTicked: since !== null || call.query.get('tick') === 'all' };
}
