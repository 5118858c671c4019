// Connected accounts: their creation, terms, submission, payout and uploads. Each operation has two
// paths, `/v1/connected-accounts` and `/v1/accounts`.
import { z } from 'zod';
import { allows } from '../../../core/domain/access/scope.js';
import { formatInstant, instantOrNull } from '../../../core/domain/base/instant.js';
import { locales } from '../../../core/domain/base/locale.js';
import {
  accountStatuses,
  type ConnectedAccount,
  entityTypes,
  readyToCollect,
  roles,
} from '../../../core/domain/parties/connected-account.js';
import {
  changeState,
  type DestinationChange,
} from '../../../core/domain/parties/destination-change.js';
import { requirements as needs, ownerRequirements } from '../../../core/domain/parties/dossier.js';
import { pixKeyKinds } from '../../../core/domain/parties/pix-key.js';
import type { Deps } from '../../../core/ports/deps.js';
import { createOnboardingLink } from '../../../core/usecases/hosted/onboarding-links.js';
import {
  acceptAccountTerms,
  accountIdOf,
  configureAccountPayout,
  createAccount,
  listNamedAccount,
  readAccount,
  startTerms,
  submitAccount,
} from '../../../core/usecases/parties/accounts.js';
import { sameDestination } from '../../../core/usecases/parties/party-payouts.js';
import { searchAccounts } from '../../../core/usecases/parties/party-search.js';
import { listAccountChanges } from '../../../core/usecases/parties/payout-changes.js';
import {
  type BindKey,
  type KeyedAction,
  onceByKey,
} from '../../../core/usecases/service/repeated-actions.js';
import { loadPage } from '../protocol/cursor.js';
import { pageOf, representation, wholeListOf } from '../protocol/representation.js';
import { type Call, type HandlerContext, type Reply, reply, route } from '../protocol/route-row.js';
import {
  anyText,
  calendarDate,
  instant,
  isHttpUrl,
  optional,
  pageQuery,
  pathText,
  refuseTwoSearches,
  requestSchemas,
  responseSchemas,
  someText,
  text,
} from '../protocol/schemas.js';
import { upload, uploadReply, uploadUrlBody } from './document-routes.js';
import {
  answers,
  cnpjField,
  country,
  dossierFields,
  email,
  ownerFields,
  ownersField,
} from './dossier-fields.js';
import { createdReply, replayedReply } from './payment-routes.js';
import { requirements, requirementsOf } from './requirements-answer.js';

const role = z.enum(roles);
const entityType = z.enum(entityTypes);
const status = z.enum(accountStatuses);

export const createAccountBody = z.object({
  role: role.meta({
    description: 'A seller is paid by PIX. A buyer is a payer that is verified in advance.',
  }),
  entityType,
  externalId: optional(
    text(1, 200, 'Your own id. A repeated create with it returns the existing account.'),
  ),
  email: optional(anyText('Checked when the account is submitted.')),
  legalName: optional(anyText('As registered.')),
  displayName: optional(anyText('The name that you show.')),
  country: optional(anyText('Two letters, ISO 3166-1; checked when the account is submitted.')),
  locale: optional(z.enum(locales)).meta({
    description: 'The language of mails to a seller. Without it, that of its country.',
  }),
  taxId: optional(anyText('Stored encrypted and never returned.')),
});

export const tosSessionBody = z.object({
  redirectUrl: z
    .string('send an http or https URL')
    .refine(isHttpUrl, 'send an http or https URL')
    .meta({
      format: 'uri',
      description: 'Where the end client returns to, with `tos_id` in the query.',
    }),
});

const tosAcceptedBody = z.object({
  tosId: someText('The `tos_id` of the redirect.'),
});

const owner = z.object(ownerFields);

const needed = roles
  .flatMap((role) =>
    entityTypes.map((type) => `a ${role} ${type}: ${needs[role][type].join(', ')}`),
  )
  .join('; ');

export const submitAccountBody = z
  .object({
    email: optional(email),
    country: optional(country),
    ...dossierFields,
    dateOfBirth: optional(calendarDate('YYYY-MM-DD.')),
    ...cnpjField,
    owners: ownersField(owner),
    answers,
  })
  .meta({
    description:
      'Fields of the create need not be repeated. Required for ' +
      `${needed}; for each owner: ${ownerRequirements.join(', ')}. While \`requirements.due\` is ` +
      'not empty, send those fields and answers alone.',
  });

const payoutConfigBody = z.object({
  pixKey: text(
    1,
    140,
    'A CPF, a CNPJ, a Brazilian phone number, an e-mail address or a random key, as people write ' +
      'it. Passed to the settlement partner in the form of the central bank and never stored.',
  ),
  pixKeyKind: optional(z.enum(pixKeyKinds)).meta({
    description: 'Needed where `pixKey` can be of several kinds: 11 digits of a CPF or a phone.',
  }),
  accountHolderName: text(1, 200, 'The holder of the account of the PIX key.'),
});

const accountParams = z.object({ id: pathText('`acct_…`, or `ext_` and the externalId.') });

const accountListQuery = z.object({
  ...pageQuery.shape,
  role: optional(role.meta({ description: 'Those with this role.' })),
  status: optional(status.meta({ description: 'Those with this status.' })),
  q: optional(
    text(
      1,
      200,
      'Finds accounts whose id is this text, or whose name, externalId or e-mail address has ' +
        'words that begin like these. Case and accents do not count.',
    ),
  ),
  externalId: optional(text(1, 200, 'At most one account has it.')),
});

requestSchemas
  .add(createAccountBody, { id: 'CreateConnectedAccount' })
  .add(tosSessionBody, { id: 'StartTerms' })
  .add(tosAcceptedBody, { id: 'AcceptTerms' })
  .add(submitAccountBody, { id: 'SubmitConnectedAccount' })
  .add(owner, { id: 'BeneficialOwner' })
  .add(payoutConfigBody, { id: 'ConfigurePayout' });

export const account = representation<ConnectedAccount>()('ConnectedAccount', {
  id: z.string(),
  externalId: z.string().nullable(),
  role,
  entityType,
  status: status.meta({
    description:
      '`created` until it is submitted; `rejected` can be submitted again. An approved account ' +
      'is `verifying` again while the partner suspends its approval.',
  }),
  receiverId: z.string().nullable().meta({ description: 'Null until it is submitted.' }),
  email: z.string().nullable(),
  legalName: z.string().nullable(),
  displayName: z.string().nullable(),
  country: z.string().nullable(),
  locale: z.enum(locales).nullable().meta({ description: 'Null: that of its country.' }),
  taxIdLast4: z.string().nullable(),
  tosAccepted: [z.boolean(), ({ tosId }) => tosId !== null],
  payoutConfigured: [z.boolean(), ({ destinationRef }) => destinationRef !== null],
  payoutChangesAt: [
    instant.nullable().meta({
      description:
        'When a held change of the PIX destination takes effect: until then new payments use the ' +
        'one before. Null: none was held.',
    }),
    ({ heldUntilMs }) => instantOrNull(heldUntilMs),
  ],
  readyToCollect: [
    z.boolean().meta({
      description:
        'True for an approved seller with an off-ramp wallet and a PIX destination. Only such a ' +
        'seller can be named on a payment.',
    }),
    readyToCollect,
  ],
  requirements: [requirements, requirementsOf],
  approvedAt: [instant.nullable(), ({ approvedAtMs }) => instantOrNull(approvedAtMs)],
  rejectedAt: [instant.nullable(), ({ rejectedAtMs }) => instantOrNull(rejectedAtMs)],
  createdAt: [instant, ({ createdAtMs }) => formatInstant(createdAtMs)],
  updatedAt: [instant, ({ updatedAtMs }) => formatInstant(updatedAtMs)],
});

/** Either configures a first payout; only payouts:write changes one. */
const payoutScopes = { anyOf: ['connected_accounts:write', 'payouts:write'] } as const;

interface ShownChange extends DestinationChange {
  readonly nowMs: number;
}

export const payoutChange = representation<ShownChange>()('PayoutChange', {
  id: z.string(),
  state: [
    z.enum(['held', 'effective', 'stopped', 'replaced']).meta({
      description:
        '`held`: new payments use the destination before it. `stopped`: they always did, and ' +
        '`replaced`: until another change, which came while it was held.',
    }),
    (change) => changeState(change, change.nowMs),
  ],
  changedBy: z.string().meta({
    description:
      'The API key (`key_…`), the operator (`opr_…`, or `development` without operators) or, by ' +
      'its onboarding link, the seller itself (`acct_…`).',
  }),
  createdAt: [instant, ({ createdAtMs }) => formatInstant(createdAtMs)],
  effectiveAt: [instant, ({ effectiveAtMs }) => formatInstant(effectiveAtMs)],
  stoppedAt: [instant.nullable(), ({ stoppedAtMs }) => instantOrNull(stoppedAtMs)],
});

const payoutChangeList = wholeListOf('PayoutChangeList', payoutChange);

const accountPage = pageOf('ConnectedAccountList', account);

const termsSession = z.strictObject({
  url: z.string().meta({ format: 'uri', description: 'Send the end client to this URL.' }),
  idempotencyKey: z.string().meta({ description: 'Binds this session to the account.' }),
});

responseSchemas.add(termsSession, { id: 'TermsSession' });

const onboardingLink = z.strictObject({
  url: z.string().meta({
    format: 'uri',
    description:
      'Works until a form behind it has stored something. Send it to the seller alone; it is ' +
      'shown in this answer only.',
  }),
  expiresAt: instant.meta({ description: 'Seven days after its creation.' }),
});

responseSchemas.add(onboardingLink, { id: 'OnboardingLink' });

export const accountRoutes = [
  route({
    method: 'POST',
    operations: {
      createConnectedAccount: '/v1/connected-accounts',
      createAccount: '/v1/accounts',
    },
    summary: 'Create a connected account, or return the one with your externalId',
    access: { auth: 'key', scope: 'connected_accounts:write', modes: 'both', rateLimit: 'stored' },
    body: createAccountBody,
    responses: { 200: account.schema, 201: account.schema },
    handler: createConnectedAccount,
  }),
  route({
    method: 'GET',
    operations: {
      listConnectedAccounts: '/v1/connected-accounts',
      listAccounts: '/v1/accounts',
    },
    summary: 'List connected accounts, newest first',
    access: { auth: 'key', scope: 'connected_accounts:read', modes: 'both', rateLimit: 'none' },
    query: accountListQuery,
    responses: { 200: accountPage.schema },
    handler: listAccountPage,
  }),
  route({
    method: 'GET',
    operations: {
      readConnectedAccount: '/v1/connected-accounts/{id}',
      readAccount: '/v1/accounts/{id}',
    },
    summary: 'Read a connected account',
    access: { auth: 'key', scope: 'connected_accounts:read', modes: 'both', rateLimit: 'none' },
    params: accountParams,
    responses: { 200: account.schema },
    handler: async ({ deps }, { tenant, params }) =>
      reply(
        200,
        account.show(await readAccount(deps, tenant, await accountIdOf(deps, tenant, params.id))),
      ),
  }),
  route({
    method: 'POST',
    operations: {
      createConnectedAccountOnboardingLink: '/v1/connected-accounts/{id}/onboarding-link',
      createAccountOnboardingLink: '/v1/accounts/{id}/onboarding-link',
    },
    summary:
      'Create a link by which a seller enters its details, accepts the terms, uploads documents ' +
      'and sets its first PIX destination. It ends the links and sessions before it',
    access: { auth: 'key', scope: 'connected_accounts:write', modes: 'both', rateLimit: 'stored' },
    params: accountParams,
    responses: { 200: onboardingLink },
    handler: async ({ deps }, { tenant, params }) => {
      const { url, expiresAtMs } = await createOnboardingLink(
        deps,
        tenant,
        await accountIdOf(deps, tenant, params.id),
      );
      return reply(200, { url, expiresAt: formatInstant(expiresAtMs) });
    },
  }),
  route({
    method: 'POST',
    operations: {
      startConnectedAccountTerms: '/v1/connected-accounts/{id}/tos-session',
      startAccountTerms: '/v1/accounts/{id}/tos-session',
    },
    summary: 'Start a session in which the end client accepts the terms',
    access: { auth: 'key', scope: 'connected_accounts:write', modes: 'both', rateLimit: 'stored' },
    params: accountParams,
    body: tosSessionBody,
    responses: { 200: termsSession },
    errors: ['PartnerUnavailable'],
    handler: async ({ deps }, { tenant, params, body }) =>
      reply(
        200,
        await startTerms(
          deps,
          tenant,
          await accountIdOf(deps, tenant, params.id),
          body.redirectUrl,
        ),
      ),
  }),
  route({
    method: 'POST',
    operations: {
      acceptConnectedAccountTerms: '/v1/connected-accounts/{id}/tos-accepted',
      acceptAccountTerms: '/v1/accounts/{id}/tos-accepted',
    },
    summary: 'Record the terms that the end client accepted',
    idempotency: 'key',
    access: { auth: 'key', scope: 'connected_accounts:write', modes: 'both', rateLimit: 'stored' },
    params: accountParams,
    body: tosAcceptedBody,
    responses: { 200: account.schema },
    errors: ['TosSessionRequired', 'TosIdMismatch'],
    handler: ({ deps }, call) =>
      keyedReply(deps, call, 'accept_terms', call.body, (id, bindKey) =>
        acceptAccountTerms(deps, call.tenant, id, call.body.tosId, bindKey),
      ),
  }),
  route({
    method: 'POST',
    operations: {
      submitConnectedAccount: '/v1/connected-accounts/{id}/submit',
      submitAccount: '/v1/accounts/{id}/submit',
    },
    summary:
      'Submit for verification, or answer requirements.due. Anything else changes nothing while ' +
      'verifying or approved, and neither does a repeat with the same Idempotency-Key',
    idempotency: 'key',
    access: { auth: 'key', scope: 'connected_accounts:write', modes: 'both', rateLimit: 'stored' },
    params: accountParams,
    body: submitAccountBody,
    responses: { 200: account.schema },
    errors: [
      'TosSessionRequired',
      'TosIdMismatch',
      'ConnectedAccountMissingFields',
      'PartnerUnavailable',
    ],
    handler: ({ deps }, call) =>
      keyedReply(deps, call, 'submit', call.body, (id, bindKey) =>
        submitAccount(deps, call.tenant, id, call.body, bindKey),
      ),
  }),
  route({
    method: 'POST',
    operations: {
      configureConnectedAccountPayout: '/v1/connected-accounts/{id}/payout-config',
      configureAccountPayout: '/v1/accounts/{id}/payout-config',
    },
    summary:
      'Register the PIX destination of an approved seller. Existing payments keep theirs. A ' +
      'change needs payouts:write. In live mode a destination is mailed to owners, admins and ' +
      'the seller. A change is held, and so is a first one, unless its PIX key is the CPF or ' +
      'CNPJ of the verified seller. A repeat with the same Idempotency-Key changes nothing',
    idempotency: 'key',
    access: { auth: 'key', scope: payoutScopes, modes: 'both', rateLimit: 'stored' },
    params: accountParams,
    body: payoutConfigBody,
    responses: { 200: account.schema },
    errors: ['ConnectedAccountNotApproved', 'PartnerUnavailable'],
    handler: ({ deps }, call) => {
      const { tenant, actor, body } = call;
      const mayRedirect = allows(actor.scopes, 'payouts:write');
      const by = { origin: 'key', changedBy: actor.keyId, mayRedirect } as const;
      return keyedReply(deps, call, 'payout', sameDestination(body), (id, bindKey) =>
        configureAccountPayout(deps, tenant, id, body, by, bindKey),
      );
    },
  }),
  route({
    method: 'GET',
    operations: {
      listConnectedAccountPayoutChanges: '/v1/connected-accounts/{id}/payout-changes',
      listAccountPayoutChanges: '/v1/accounts/{id}/payout-changes',
    },
    summary: 'List the newest 100 PIX destinations of a seller, newest first',
    access: { auth: 'key', scope: 'connected_accounts:read', modes: 'both', rateLimit: 'none' },
    params: accountParams,
    responses: { 200: payoutChangeList.schema },
    handler: async ({ deps }, { tenant, params }) => {
      const changes = await listAccountChanges(
        deps,
        tenant,
        await accountIdOf(deps, tenant, params.id),
      );
      const nowMs = deps.clock.nowMs();
      return reply(
        200,
        payoutChangeList.show(
          changes.map((of) => ({ ...of, nowMs })),
          null,
        ),
      );
    },
  }),
  route({
    method: 'POST',
    operations: {
      createConnectedAccountUpload: '/v1/connected-accounts/{id}/upload-url',
      createAccountUpload: '/v1/accounts/{id}/upload-url',
    },
    summary: 'Create an upload URL for a document of the account; purged after the decision',
    access: { auth: 'key', scope: 'connected_accounts:write', modes: 'both', rateLimit: 'stored' },
    params: accountParams,
    body: uploadUrlBody,
    responses: { 200: upload.schema },
    errors: ['KycStorageDisabled'],
    handler: async ({ deps }, { tenant, params, body }) => {
      const id = await accountIdOf(deps, tenant, params.id);
      return uploadReply(deps, tenant, { party: 'account', id }, body);
    },
  }),
];

/** Does an action on the account of the path once per Idempotency-Key. */
async function keyedReply(
  deps: Deps,
  { tenant, params, idempotencyKey: key }: AccountCall,
  action: KeyedAction['action'],
  body: KeyedAction['body'],
  act: (id: string, bindKey: BindKey) => Promise<ConnectedAccount>,
): Promise<Reply> {
  const id = await accountIdOf(deps, tenant, params.id);
  const end = await onceByKey(
    deps,
    tenant,
    { action, key, id, body },
    (bindKey) => act(id, bindKey),
    () => readAccount(deps, tenant, id),
  );
  return replayedReply(end, reply(200, account.show(end.value)));
}

type AccountCall = Pick<
  Call<'key', z.infer<typeof accountParams>, unknown, unknown>,
  'tenant' | 'params' | 'idempotencyKey'
>;

async function createConnectedAccount(
  { deps }: HandlerContext,
  { tenant, body }: Call<'key', unknown, unknown, z.infer<typeof createAccountBody>>,
): Promise<Reply> {
  const created = await createAccount(deps, tenant, body);
  return createdReply(created, reply(200, account.show(created.account)));
}

async function listAccountPage(
  { deps }: HandlerContext,
  { tenant, query }: Call<'key', unknown, z.infer<typeof accountListQuery>, unknown>,
): Promise<Reply> {
  const { role, status, q, externalId } = query;
  refuseTwoSearches(query);
  const list = { operation: 'accounts', tenant };
  const { rows, nextCursor } = await loadPage(deps.secretBox, list, query, (page) => {
    const filter = { role, status, ...page };
    if (externalId !== null) return listNamedAccount(deps, tenant, externalId, filter);
    return searchAccounts(deps, tenant, q, filter);
  });
  return reply(200, accountPage.show(rows, nextCursor));
}
