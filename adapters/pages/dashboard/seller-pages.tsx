// Sellers (connected accounts): their list by state, and one seller with what it still needs, its
// PIX destination and the changes of it.
import type { VNode } from 'preact';
import { z } from 'zod';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { shownDue } from '../../../core/domain/hosted/party-answer.js';
import {
  type AccountStatus,
  accountStatuses,
  type ConnectedAccount,
  payeeNameOf,
  readyToCollect,
  sellerLacks,
} from '../../../core/domain/parties/connected-account.js';
import {
  changeState,
  type DestinationChange,
} from '../../../core/domain/parties/destination-change.js';
import { isHeld } from '../../../core/domain/parties/payee.js';
import { PonteError } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import {
  createOnboardingLink,
  type OnboardingLink,
} from '../../../core/usecases/hosted/onboarding-links.js';
import { listAccounts, readAccount } from '../../../core/usecases/parties/accounts.js';
import { listAccountChanges } from '../../../core/usecases/parties/payout-changes.js';
import { Button, ButtonLink, Copy, Foreign, Form, Note, Scroll } from '../kit/components.js';
import { Icon } from '../kit/icons.js';
import { memberRow, type PageAnswer, type PageContext, seeOther } from '../kit/page-route.js';
import { plainText } from '../kit/plain-text.js';
import { type DashboardContent, dashboardPage } from './dashboard-layout.js';
import { type DashboardScene, may, useDashboard, viewOf } from './dashboard-scene.js';
import { Secret } from './developer/developer-parts.js';
import { listPath, Pager } from './list-parts.js';
import { type MemberCall, TENANT_ROOT, tenantOfCall } from './member-page.js';
import { Badge } from './payment-parts.js';

const PAGE = 25;

export const sellerPages = [
  memberRow({
    method: 'GET',
    path: `${TENANT_ROOT}/sellers`,
    scope: 'connected_accounts:read',
    proof: 'session',
    form: 'none',
    handler: showList,
  }),
  memberRow({
    method: 'GET',
    path: `${TENANT_ROOT}/sellers/{accountId}`,
    scope: 'connected_accounts:read',
    proof: 'session',
    form: 'none',
    handler: showSeller,
  }),
  memberRow({
    method: 'POST',
    path: `${TENANT_ROOT}/sellers/{accountId}/onboarding-link`,
    scope: 'connected_accounts:write',
    // Who has the link sets where the seller is paid.
    proof: 'fresh_live',
    form: z.object({}),
    handler: makeLink,
  }),
];

/** Texts of the query; empty if they are not given. */
interface SellerFilters {
  /** The whole id, the integrator's or ours. */
  readonly q: string;
  readonly status: '' | AccountStatus;
  readonly before: string;
}

interface List {
  readonly filters: SellerFilters;
  readonly rows: readonly ConnectedAccount[];
  /** The last id of this page; null if no page is behind it. */
  readonly last: string | null;
}

async function showList(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const view = viewOf(context, call);
  const filters = filtersIn(call.query);
  const { q, status, before } = filters;
  const named = q === '' ? null : await findSeller(deps, tenant, q);
  if (named !== null) return seeOther(`${view.path}/sellers/${named.id}`);
  const found =
    q === ''
      ? await listAccounts(deps, tenant, {
          role: 'seller',
          status: status === '' ? null : status,
          beforeId: before === '' ? null : before,
          // One more shows whether there is a next page.
          limit: PAGE + 1,
        })
      : [];
  const rows = found.slice(0, PAGE);
  const last = found.length > PAGE ? (rows.at(-1)?.id ?? null) : null;
  return dashboardPage(view, (scene) => listScreen(scene, { filters, rows, last }));
}

async function findSeller(
  deps: Deps,
  tenant: Tenant,
  text: string,
): Promise<ConnectedAccount | null> {
  const [byId, byExternalId] = await deps.store.run((tx) =>
    Promise.all([tx.accounts.get(tenant, text), tx.accounts.byExternalId(tenant, text)]),
  );
  return [byId, byExternalId].find((account) => account?.role === 'seller') ?? null;
}

function filtersIn(query: URLSearchParams): SellerFilters {
  const before = query.get('before') ?? '';
  return {
    q: (query.get('q') ?? '').trim().slice(0, 200),
    status: accountStatuses.find((known) => known === query.get('status')) ?? '',
    before: /^acct_[0-9a-z]{1,64}$/.test(before) ? before : '',
  };
}

function listScreen({ texts, view }: DashboardScene, list: List): DashboardContent {
  const { filters, rows } = list;
  const words = texts.seller;
  const isFiltered = filters.q !== '' || filters.status !== '';
  const to = (before: string) =>
    listPath(`${view.path}/sellers`, { status: filters.status, before });
  return {
    title: texts.places.sellers,
    place: 'sellers',
    body: (
      <div class="stack">
        <nav aria-label={texts.payments.views}>
          <ul class="tabs">
            {(['', ...accountStatuses] as const).map((status) => (
              <li>
                <a
                  href={listPath(`${view.path}/sellers`, { status })}
                  aria-current={status === filters.status ? 'true' : undefined}
                >
                  {status === '' ? texts.payments.all : words.status[status]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <form
          class="filters one"
          method="get"
          action={`${view.path}/sellers`}
          aria-label={texts.payments.filters}
        >
          <div>
            <label for="q">{words.search}</label>
            <input
              id="q"
              name="q"
              type="search"
              value={filters.q}
              maxLength={200}
              autocomplete="off"
            />
          </div>
          <button type="submit" class="btn">
            <Icon name="search" />
            {words.open}
          </button>
        </form>
        {rows.length === 0 ? (
          <div class="card empty">
            <h2>{isFiltered ? words.noMatch : words.empty}</h2>
            <p>{isFiltered ? words.noMatchText : words.emptyText}</p>
          </div>
        ) : (
          <SellerTable rows={rows} />
        )}
        <Pager
          newest={filters.before === '' ? null : to('')}
          older={list.last === null ? null : to(list.last)}
        />
      </div>
    ),
  };
}

function nameOf(account: ConnectedAccount): string {
  return plainText(payeeNameOf(account)) || plainText(account.externalId) || account.id;
}

function SellerTable({ rows }: { readonly rows: readonly ConnectedAccount[] }): VNode {
  const { texts, view, format } = useDashboard();
  const words = texts.seller;
  return (
    <Scroll label={texts.places.sellers}>
      <table>
        <caption class="vh">{texts.places.sellers}</caption>
        <thead>
          <tr>
            <th scope="col">{words.name}</th>
            <th scope="col" class="only-l">
              {texts.payment.yourId}
            </th>
            <th scope="col">{words.state}</th>
            <th scope="col" class="wide">
              {words.missing}
            </th>
            <th scope="col" class="only-l">
              {texts.payments.created}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((account) => (
            <tr>
              <th scope="row">
                <a href={`${view.path}/sellers/${account.id}`} class="reference">
                  <Foreign text={nameOf(account)} />
                </a>
              </th>
              <td class="only-l">
                <Foreign text={account.externalId ?? '–'} />
              </td>
              <td>
                <State account={account} />
              </td>
              <td class="wide quiet">{lacksInWords(texts, account) || '–'}</td>
              <td class="only-l when">{format.short(account.createdAtMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

const looks = {
  created: 'approved',
  verifying: 'buyer_kyc_pending',
  approved: 'on_chain_confirmed',
  rejected: 'failed',
} as const satisfies Record<AccountStatus, string>;

function State({
  account,
  pill,
}: {
  readonly account: ConnectedAccount;
  readonly pill?: true;
}): VNode {
  const { texts } = useDashboard();
  const look = { ...(pill ? { pill } : {}) };
  return readyToCollect(account) ? (
    <Badge look="settled" text={texts.seller.ready} {...look} />
  ) : (
    <Badge look={looks[account.status]} text={texts.seller.status[account.status]} {...look} />
  );
}

function lacksInWords(texts: DashboardScene['texts'], account: ConnectedAccount): string {
  return sellerLacks(account)
    .map((need) => texts.seller.needs[need])
    .join(', ');
}

interface Detail {
  readonly account: ConnectedAccount;
  readonly changes: readonly DestinationChange[];
  /** Just made: the only page that has it. */
  readonly link: OnboardingLink | null;
}

function showSeller(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  return sellerPage(context, call, null);
}

async function makeLink(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const tenant = tenantOfCall(call);
  const id = call.params['accountId'] ?? '';
  const { role } = await readAccount(context.deps, tenant, id);
  if (role !== 'seller') throw new PonteError('NotFound');
  return sellerPage(context, call, await createOnboardingLink(context.deps, tenant, id));
}

async function sellerPage(
  context: PageContext,
  call: MemberCall,
  link: OnboardingLink | null,
): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const id = call.params['accountId'] ?? '';
  const [account, changes] = await Promise.all([
    readAccount(deps, tenant, id),
    listAccountChanges(deps, tenant, id),
  ]);
  if (account.role !== 'seller') throw new PonteError('NotFound');
  return dashboardPage(viewOf(context, call), (scene) =>
    detailScreen(scene, { account, changes, link }),
  );
}

function detailScreen({ texts, view }: DashboardScene, detail: Detail): DashboardContent {
  const { account } = detail;
  const { externalId } = account;
  const words = texts.seller;
  const isReady = readyToCollect(account);
  return {
    title: nameOf(account),
    heading: <Foreign text={nameOf(account)} />,
    place: 'sellers',
    crumbs: (
      <>
        <a href={`${view.path}/sellers`}>{texts.places.sellers}</a> /{' '}
        <Foreign text={nameOf(account)} />
      </>
    ),
    actions:
      externalId === null ? undefined : (
        <>
          <ButtonLink href={listPath(`${view.path}/payments`, { seller: externalId })}>
            {words.payments}
          </ButtonLink>
          {isReady && may(view, 'invoices:write') ? (
            <ButtonLink
              href={listPath(`${view.path}/invoices/new`, { seller: externalId })}
              look="primary"
              icon="add"
            >
              {texts.invoice.newHeading}
            </ButtonLink>
          ) : null}
        </>
      ),
    body: (
      <>
        <p>
          <State account={account} pill />
        </p>
        <div class="cols">
          <div class="stack">
            {detail.link === null ? null : <NewLink link={detail.link} />}
            <Missing account={account} />
            <Destination detail={detail} />
          </div>
          <div class="stack">
            <Facts account={account} />
          </div>
        </div>
      </>
    ),
  };
}

function NewLink({ link }: { readonly link: OnboardingLink }): VNode {
  const { texts, format } = useDashboard();
  const words = texts.seller;
  return (
    <Note look="ok" live>
      <div class="stack-s">
        <p>
          <b>{words.linkNow}</b>
        </p>
        <Secret text={link.url} label={words.copyLink} />
        <p>{words.linkUntil(format.instant(link.expiresAtMs))}</p>
      </div>
    </Note>
  );
}

function Missing({ account }: { readonly account: ConnectedAccount }): VNode {
  const { texts, format, view } = useDashboard();
  const words = texts.seller;
  const lacks = sellerLacks(account);
  const due = shownDue(account);
  return (
    <section class="card stack">
      <h2>{words.missingHeading}</h2>
      {lacks.length === 0 ? (
        <p>{words.nothingMissing}</p>
      ) : (
        <ul class="attention">
          {lacks.map((need) => (
            <li>
              <Icon name="warning" />
              <div>
                <b>{words.needs[need]}</b>
                <p>{words.needTexts[need]}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
      {account.status === 'rejected' && account.reason !== null ? (
        <p>
          {words.rejectedFor} <Foreign text={account.reason} />
        </p>
      ) : null}
      {lacks.length > 0 && may(view, 'connected_accounts:write') ? (
        <Form to={`sellers/${account.id}/onboarding-link`} class="stack-s">
          <p class="small quiet">{words.linkText}</p>
          <div class="actions">
            <Button>{words.makeLink}</Button>
          </div>
        </Form>
      ) : null}
      {due.length === 0 ? null : (
        <>
          <h3>
            {account.answerByMs === null
              ? words.asked
              : words.askedBy(format.day(account.answerByMs))}
          </h3>
          <dl class="rows">
            {due.map(({ field, reason }) => (
              <div>
                <dt class="code">{field}</dt>
                <dd>{reason === '' ? '–' : <Foreign text={reason} />}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}

/** The key is never stored, so a page has none of it to show. */
function Destination({ detail: { account, changes } }: { readonly detail: Detail }): VNode {
  const { texts, view, format } = useDashboard();
  const words = texts.seller;
  const held = isHeld(account, view.nowMs) ? account.heldUntilMs : null;
  return (
    <section class="card stack">
      <h2>{words.destination}</h2>
      <p>{account.destinationRef === null ? words.noDestination : words.hasDestination}</p>
      {held === null ? null : <p>{words.held(format.instant(held))}</p>}
      {changes.length === 0 ? null : (
        <Scroll label={words.changes}>
          <table>
            <caption class="vh">{words.changes}</caption>
            <thead>
              <tr>
                <th scope="col">{texts.payments.created}</th>
                <th scope="col">{words.state}</th>
                <th scope="col" class="only-l">
                  {words.effective}
                </th>
                <th scope="col">{words.by}</th>
              </tr>
            </thead>
            <tbody>
              {changes.map((change) => (
                <tr>
                  <th scope="row" class="when">
                    {format.short(change.createdAtMs)}
                  </th>
                  <td>{words.changeStates[changeState(change, view.nowMs)]}</td>
                  <td class="only-l when">{format.short(change.effectiveAtMs)}</td>
                  <td class="code">{change.changedBy}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}

function Facts({ account }: { readonly account: ConnectedAccount }): VNode {
  const { texts, format } = useDashboard();
  const words = texts.seller;
  const { externalId, email, country, taxIdLast4, tosId, receiverId } = account;
  const facts: readonly (readonly [string, VNode | string] | null)[] = [
    externalId === null ? null : [texts.payment.yourId, <Foreign text={externalId} />],
    [words.kind, words.kinds[account.entityType]],
    email === null ? null : [words.email, email],
    country === null ? null : [words.country, country],
    taxIdLast4 === null ? null : [words.taxId, `•••• ${taxIdLast4}`],
    [words.terms, tosId === null ? words.termsOpen : words.termsAccepted],
    account.approvedAtMs === null
      ? null
      : [words.status.approved, format.short(account.approvedAtMs)],
    [texts.payments.created, format.short(account.createdAtMs)],
    receiverId === null ? null : [words.receiver, <span class="code">{receiverId}</span>],
    [
      texts.payment.id,
      <>
        <span class="code">{account.id}</span>{' '}
        <Copy value={account.id} label={texts.payment.copyId} />
      </>,
    ],
  ];
  return (
    <section class="card">
      <h2>{texts.payment.details}</h2>
      <dl class="facts">
        {facts.map((fact) =>
          fact === null ? null : (
            <div>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}
