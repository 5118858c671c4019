// The proofs of a month: one signed pack for each payee, with what the exemption asks of each
// payment; and the guide "What the law asks".
import { z } from 'zod';
import { isMonth } from '../../../../core/domain/accounting/accounting.js';
import { dayOf } from '../../../../core/domain/base/time-zone.js';
import { expectFound, PonteError } from '../../../../core/errors.js';
import { type PayeeMonth, payeesOfMonth } from '../../../../core/usecases/law/proof-months.js';
import { Button, Foreign, Form } from '../../kit/components.js';
import { download, type PageContext } from '../../kit/page-route.js';
import { LawTable } from '../../proof/law-table.js';
import { lawTexts } from '../../proof/law-texts.js';
import { monthPack } from '../../proof/proof-pack.js';
import { proofTexts } from '../../proof/proof-texts.js';
import { ToPlace } from '../dashboard-layout.js';
import { localeOfCall, useDashboard } from '../dashboard-scene.js';
import { actorOf, anyRole, type MemberCall, memberPages, tenantOfCall } from '../member-pages.js';

export const PROOFS_PATH = '/accounting/proofs';
export const LAW_PATH = '/accounting/law';

const access = { scope: 'payments:export', proof: 'export_payments' } as const;

type Shown = Readonly<{ month: string; payees: readonly PayeeMonth[] }>;

export const proofMonthPages = [
  memberPages.view({
    path: PROOFS_PATH,
    access,
    load({ deps }, call) {
      const today = dayOf(actorOf(call).organization.timeZone, deps.clock.nowMs());
      return readMonth(deps, call, call.query.get('month') ?? today.slice(0, 7));
    },
    show: ({ view, format }, shown) => ({
      title: proofTexts[view.locale].monthTitle(format.month(middleOf(shown.month))),
      lede: proofTexts[view.locale].monthText,
      place: 'accounting',
      crumbs: [<ToPlace of="accounting" />],
      body: <Payees shown={shown} />,
    }),
  }),
  memberPages.export({
    path: `${PROOFS_PATH}/pack`,
    access,
    form: z.object({ month: z.string().max(7), seller: z.string().max(200) }),
    async run({ deps }, call) {
      const { month, seller } = call.form;
      const { payees } = await readMonth(deps, call, month);
      const payee = expectFound(payees.find((one) => (one.sellerExternalId ?? '') === seller));
      const tenant = tenantOfCall(call);
      const filter = `proofs=${month}&seller=${encodeURIComponent(seller)}`;
      const file = async () => {
        const of = { ...payee, month };
        const pack = await monthPack(call.freshDeps, tenant, of, localeOfCall(call));
        return download(`proofs-${tenant.mode}-${month}.zip`, 'application/zip', pack);
      };
      return { of: tenant, filter, rows: payee.paymentIds.length, file };
    },
  }),
  memberPages.view({
    path: LAW_PATH,
    access: { scope: anyRole, proof: 'session' },
    load: async () => null,
    show: ({ view }) => ({
      title: lawTexts[view.locale].title,
      lede: lawTexts[view.locale].lede,
      place: 'accounting',
      crumbs: [<ToPlace of="accounting" />],
      body: <LawTable locale={view.locale} />,
    }),
  }),
];

/** NotFound for a text that is no month. */
async function readMonth(
  deps: PageContext['deps'],
  call: MemberCall,
  month: string,
): Promise<Shown> {
  if (!isMonth(month)) throw new PonteError('NotFound');
  return { month, payees: await payeesOfMonth(deps, tenantOfCall(call), month) };
}

function middleOf(month: string): number {
  return Date.parse(`${month}-15T12:00:00Z`);
}

function Payees({ shown: { month, payees } }: { readonly shown: Shown }) {
  const { view, format } = useDashboard();
  const words = proofTexts[view.locale];
  if (payees.length === 0) return <p class="quiet">{words.noPayments}</p>;
  return (
    <div class="stack">
      {payees.map(({ payee, sellerExternalId, paymentIds }) => (
        <section class="card line ends">
          <h2>
            <Foreign text={payee} /> <span class="quiet">{format.count(paymentIds.length)}</span>
          </h2>
          <Form to="accounting/proofs/pack" download>
            <input type="hidden" name="month" value={month} />
            <input type="hidden" name="seller" value={sellerExternalId ?? ''} />
            <Button>{words.pack}</Button>
          </Form>
        </section>
      ))}
      <p class="small quiet">{words.noAdvice}</p>
    </div>
  );
}
