// Sellers (connected accounts): their list by state, and one seller with what it still needs, its
// PIX destination and the changes of it.
import { deadline } from '../../../core/domain/base/deadline.js';
import { locales } from '../../../core/domain/base/locale.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { shownDue } from '../../../core/domain/hosted/party-answer.js';
import {
  type AccountStatus,
  accountStatuses,
  type ConnectedAccount,
  entityTypes,
  payeeLocale,
  payeeNameOf,
  readyToCollect,
  sellerLacks,
} from '../../../core/domain/parties/connected-account.js';
import { changeState } from '../../../core/domain/parties/destination-change.js';
import { isHeld } from '../../../core/domain/parties/payee.js';
import { readCnpj, readCpf } from '../../../core/domain/parties/tax-id.js';
import { PonteError } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import {
  createOnboardingLink,
  type OnboardingLink,
} from '../../../core/usecases/hosted/onboarding-links.js';
import {
  createAccount,
  readAccount,
  setAccountLocale,
} from '../../../core/usecases/parties/accounts.js';
import { searchAccounts } from '../../../core/usecases/parties/party-search.js';
import { listAccountChanges } from '../../../core/usecases/parties/payout-changes.js';
import {
  Badge,
  ButtonLink,
  Facts,
  Foreign,
  Form,
  foreign,
  languageNames,
  Note,
  OwnId,
  Secret,
  Submit,
} from '../kit/components.js';
import { Icon } from '../kit/icons.js';
import type { PageAnswer, PageContext } from '../kit/page-route.js';
import { Card } from '../kit/pages/card.js';
import { idIn, PAGE_SIZE } from '../kit/pages/declared-pages.js';
import { emailField } from '../kit/pages/email-texts.js';
import { newIdOf } from '../kit/pages/form-key.js';
import { radio, select, text, textAs } from '../kit/pages/form-page.js';
import { idCursor, listPath, pageOf, search, tabs } from '../kit/pages/list-page.js';
import { type RowColumns, Table } from '../kit/pages/table.js';
import { plainText } from '../kit/plain-text.js';
import { type DashboardContent, organizationPage, ToPlace } from './dashboard-layout.js';
import { type DashboardScene, may, useDashboard, viewOf } from './dashboard-scene.js';
import { type MemberCall, memberPages, tenantOfCall } from './member-pages.js';

const lengthMax = 200;
const NAME_LENGTH_MAX = 200;
const NEW = '/sellers/new';
const scope = 'connected_accounts:write';
const read = { scope: 'connected_accounts:read', proof: 'session' } as const;

export const sellerPages = [
  memberPages.list({
    path: '/sellers',
    access: read,
    filters: { status: tabs(accountStatuses), q: search(lengthMax) },
    cursor: idCursor('acct'),
    async read({ deps }, call, { given: { q, status }, before: beforeId }) {
      const tenant = tenantOfCall(call);
      const asked = { role: 'seller', status, beforeId, limit: PAGE_SIZE + 1 } as const;
      const found = await searchAccounts(deps, tenant, q, asked);
      const [one] = found;
      if (q !== null && one !== undefined && found.length === 1 && beforeId === null) {
        return { to: `/sellers/${one.id}` };
      }
      return pageOf(found, PAGE_SIZE, ({ id }) => id);
    },
    show(scene) {
      const { texts, view } = scene;
      const words = texts.seller;
      return {
        title: texts.places.sellers,
        place: 'sellers',
        label: texts.places.sellers,
        words: { ...words, any: texts.payments.all, filter: words.open },
        labels: { status: texts.payments.views, q: words.search },
        choice: (status) => (words.status as Readonly<Record<string, string>>)[status] ?? status,
        lines: {},
        actions: may(view, scope) ? newSeller(scene) : undefined,
        start: may(view, scope) ? newSeller(scene) : null,
        columns: sellerColumns(scene),
      };
    },
  }),
  ...memberPages.form({
    path: NEW,
    access: { scope, proof: 'add_seller' },
    back: () => '/sellers',
    isOnce: true,
    load: async () => null,
    typed: () => ({ kind: 'business' }),
    fields: sellerFields,
    show: ({ texts }) => ({
      title: texts.seller.newHeading,
      lede: texts.seller.newLede,
      place: 'sellers',
      crumbs: [<ToPlace of="sellers" />],
      submit: texts.seller.create,
    }),
    async save({ deps }, call, { scene, values, key }) {
      const tenant = tenantOfCall(call);
      const { name, email, kind, taxId, externalId, locale } = values;
      const given = { role: 'seller', entityType: kind, email, displayName: null } as const;
      const { account, replayed } = await createAccount(
        deps,
        tenant,
        {
          ...given,
          legalName: name,
          country: null,
          taxId: taxId || null,
          externalId: externalId || null,
          locale: locale || null,
        },
        newIdOf(deps, 'acct', tenant, key),
      );
      // A new link would end the one that the seller has.
      if (replayed) return { problem: { field: 'externalId', text: scene.texts.seller.isKnown } };
      const link = await createOnboardingLink(deps, tenant, account.id);
      const detail = await readSeller(deps, tenant, account.id, link);
      return { show: (shown) => detailScreen(shown, detail) };
    },
  }),
  ...memberPages.form({
    path: '/sellers/{accountId}/language',
    access: { scope, proof: 'session' },
    back: ({ id }) => `/sellers/${id}`,
    load: sellerOf,
    typed: ({ locale }) => ({ locale: locale ?? '' }),
    fields: languageField,
    show: ({ texts, view }, account) => ({
      title: texts.seller.changeLocale,
      place: 'sellers',
      crumbs: [<a href={`${view.path}/sellers/${account.id}`}>{foreign(nameOf(account))}</a>],
      submit: texts.common.save,
    }),
    async save({ deps }, call, { subject: { id }, values: { locale } }) {
      await setAccountLocale(deps, tenantOfCall(call), id, locale || null);
      return { to: `/sellers/${id}`, done: 'settings_saved' };
    },
  }),
  memberPages.view({
    path: '/sellers/{accountId}',
    access: read,
    load: ({ deps }, call) => readSeller(deps, tenantOfCall(call), idIn(call, 'accountId'), null),
    show: detailScreen,
  }),
  memberPages.action({
    path: '/sellers/{accountId}/onboarding-link',
    // Who has the link sets where the seller is paid.
    access: { scope, proof: 'make_onboarding_link' },
    run: makeLink,
  }),
];

function sellerColumns({ texts, view, format }: DashboardScene): RowColumns<ConnectedAccount> {
  const words = texts.seller;
  const lacksIn = (account: ConnectedAccount) =>
    sellerLacks(account)
      .map((need) => words.needs[need])
      .join(', ') || '–';
  return ({ column, named, cut }) => [
    {
      ...named(words.name, (account) => (
        <a href={`${view.path}/sellers/${account.id}`} class="reference">
          <Foreign text={nameOf(account)} />
        </a>
      )),
      whole: nameOf,
    },
    cut(
      texts.payment.yourId,
      'only-l c-ref',
      ({ externalId }) => externalId ?? '',
      ({ externalId }) => <Foreign text={externalId ?? '–'} />,
    ),
    column(texts.frame.state, 'c-state', (account) => <State account={account} />),
    cut(words.missing, 'wide quiet', lacksIn, lacksIn),
    column(texts.common.created, 'only-l c-due when', ({ createdAtMs }) =>
      format.short(createdAtMs),
    ),
  ];
}

function newSeller({ texts, view }: DashboardScene) {
  return (
    <ButtonLink href={`${view.path}${NEW}`} look="primary" icon="plus">
      {texts.seller.newHeading}
    </ButtonLink>
  );
}

function languageField({ texts: { seller: words } }: DashboardScene) {
  const choices = locales.map((value) => ({ value, label: languageNames[value] }));
  return { locale: select({ label: words.locale, choices, empty: words.localeOfCountry }) };
}

function sellerFields(scene: DashboardScene) {
  const { texts, view } = scene;
  const { seller: words, payment } = texts;
  return {
    name: text({ label: words.legalName, max: NAME_LENGTH_MAX, problem: words.noName }),
    email: emailField(view.locale, words.email),
    kind: radio({
      label: words.kind,
      choices: entityTypes.map((value) => ({ value, label: words.kinds[value] })),
    }),
    taxId: textAs({
      label: words.newTaxId,
      hint: words.laterHint,
      max: 40,
      width: 'medium',
      spellcheck: false,
      problem: words.noTaxId,
      read: (given, { kind }) =>
        given === '' ? '' : kind === 'business' ? readCnpj(given) : readCpf(given),
    }),
    externalId: textAs({
      label: payment.yourId,
      hint: words.yourIdHint,
      max: lengthMax,
      width: 'medium',
      spellcheck: false,
      problem: words.noYourId,
      read: (given) => given,
    }),
    ...languageField(scene),
  };
}

function nameOf(account: ConnectedAccount): string {
  return plainText(payeeNameOf(account)) || plainText(account.externalId) || account.id;
}

const looks = {
  created: 'approved',
  verifying: 'buyer_kyc_pending',
  approved: 'on_chain_confirmed',
  rejected: 'failed',
} as const satisfies Record<AccountStatus, string>;

function State({ account, pill }: Readonly<{ account: ConnectedAccount; pill?: true }>) {
  const { texts } = useDashboard();
  const look = { ...(pill ? { pill } : {}) };
  return readyToCollect(account) ? (
    <Badge look="settled" text={texts.seller.ready} {...look} />
  ) : (
    <Badge look={looks[account.status]} text={texts.seller.status[account.status]} {...look} />
  );
}

async function sellerOf({ deps }: PageContext, call: MemberCall): Promise<ConnectedAccount> {
  return (await readSeller(deps, tenantOfCall(call), idIn(call, 'accountId'), null)).account;
}

async function makeLink(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const tenant = tenantOfCall(call);
  const { deps } = context;
  const { account } = await readSeller(deps, tenant, idIn(call, 'accountId'), null);
  const link = await createOnboardingLink(deps, tenant, account.id);
  const detail = await readSeller(deps, tenant, account.id, link);
  return organizationPage(viewOf(context, call), (scene) => detailScreen(scene, detail));
}

type Detail = Awaited<ReturnType<typeof readSeller>>;

/** NotFound for a buyer. */
async function readSeller(
  deps: Deps,
  tenant: Tenant,
  id: string,
  /** Just made: the only page that has it. */
  link: OnboardingLink | null,
) {
  const [account, changes] = await Promise.all([
    readAccount(deps, tenant, id),
    listAccountChanges(deps, tenant, id),
  ]);
  if (account.role !== 'seller') throw new PonteError('NotFound');
  return { account, changes, link };
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
    crumbs: [<ToPlace of="sellers" />, <Foreign text={nameOf(account)} />],
    actions:
      externalId === null
        ? undefined
        : [
            <ButtonLink to={`sellers/${account.id}/vendor-documents`}>
              {texts.frame.vendorPapers}
            </ButtonLink>,
            <ButtonLink href={listPath(`${view.path}/payments`, { seller: externalId })}>
              {words.payments}
            </ButtonLink>,
            isReady && may(view, 'invoices:write') ? (
              <ButtonLink
                href={listPath(`${view.path}/invoices/new`, { seller: externalId })}
                look="primary"
                icon="add"
              >
                {texts.invoice.newHeading}
              </ButtonLink>
            ) : null,
          ],
    body: [
      <p>
        <State account={account} pill />
      </p>,
      <div class="cols">
        <div class="stack">
          {detail.link === null ? null : <NewLink link={detail.link} />}
          <Missing account={account} />
          <Destination detail={detail} />
        </div>
        <div class="stack">
          <Details account={account} />
        </div>
      </div>,
    ],
  };
}

function NewLink({ link }: { readonly link: OnboardingLink }) {
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

function Missing({ account }: { readonly account: ConnectedAccount }) {
  const { texts, format, view } = useDashboard();
  const words = texts.seller;
  const lacks = sellerLacks(account);
  const due = shownDue(account);
  const { answerByMs } = account;
  return (
    <Card heading={words.missingHeading} isStack>
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
          <Submit plain>{words.makeLink}</Submit>
        </Form>
      ) : null}
      {due.length === 0
        ? null
        : [
            <h3>
              {answerByMs === null
                ? words.asked
                : deadline(answerByMs, view.nowMs, format.day(answerByMs))(words.askedBy)}
            </h3>,
            <dl class="rows">
              {due.map(({ field, reason }) => (
                <div>
                  <dt class="code">{field}</dt>
                  <dd>{reason === '' ? '–' : <Foreign text={reason} />}</dd>
                </div>
              ))}
            </dl>,
          ]}
    </Card>
  );
}

/** The key is never stored, so a page has none of it to show. */
function Destination({ detail: { account, changes } }: { readonly detail: Detail }) {
  const { texts, view, format } = useDashboard();
  const words = texts.seller;
  const held = isHeld(account, view.nowMs) ? account.heldUntilMs : null;
  return (
    <Card heading={texts.setup.start.pix.heading} isStack>
      <p>{account.destinationRef === null ? words.noDestination : words.hasDestination}</p>
      {held === null ? null : <p>{words.held(format.instant(held))}</p>}
      {changes.length === 0 ? null : (
        <Table
          label={words.changes}
          rows={changes}
          columns={({ column, named }) => [
            named(texts.common.created, 'when', ({ createdAtMs }) => format.short(createdAtMs)),
            column(
              texts.frame.state,
              (change) => texts.setup.pix.states[changeState(change, view.nowMs)],
            ),
            column(words.effective, 'only-l when', ({ effectiveAtMs }) =>
              format.short(effectiveAtMs),
            ),
            column(words.by, 'code', ({ changedBy }) => changedBy),
          ]}
        />
      )}
    </Card>
  );
}

function Details({ account }: { readonly account: ConnectedAccount }) {
  const { texts, view, format } = useDashboard();
  const words = texts.seller;
  const { id, externalId, email, country, taxIdLast4, tosId, receiverId } = account;
  const language = languageNames[payeeLocale(account)];
  const { approvedAtMs, createdAtMs } = account;
  return (
    <Card heading={texts.common.details}>
      <Facts
        facts={[
          [texts.payment.yourId, foreign(externalId)],
          [words.kind, words.kinds[account.entityType]],
          [words.email, email],
          [words.country, format.country(country)],
          [
            words.locale,
            <>
              {language}{' '}
              {may(view, scope) ? (
                <a href={`${view.path}/sellers/${id}/language`}>{words.changeLocale}</a>
              ) : null}
            </>,
          ],
          [words.taxId, taxIdLast4 === null ? null : `•••• ${taxIdLast4}`],
          [words.terms, tosId === null ? words.termsOpen : words.termsAccepted],
          [words.status.approved, approvedAtMs === null ? null : format.short(approvedAtMs)],
          [texts.common.created, format.short(createdAtMs)],
          [words.receiver, receiverId === null ? null : <span class="code">{receiverId}</span>],
          [texts.payment.id, <OwnId id={account.id} label={texts.common.copyId} />],
        ]}
      />
    </Card>
  );
}
