// The shapes of connected accounts and of what is asked about them.
import { z } from 'zod';
import { accountMoves, entityTypes, roles } from '../../core/domain/connected-account.js';
import { ownerRequirements, requirements } from '../../core/domain/dossier.js';
import {
  cnpjField,
  country,
  dossierFields,
  email,
  ownerFields,
  ownersOf,
} from './dossier-schemas.js';
import {
  anyText,
  calendarDate,
  instant,
  isHttpUrl,
  keysOf,
  optional,
  pageQuery,
  pathText,
  requestSchemas,
  responseSchemas,
  someText,
  text,
} from './schemas.js';

const statuses = keysOf(accountMoves);
const role = z.enum(roles);
const entityType = z.enum(entityTypes);
const status = z.enum(statuses);

export const createAccountBody = z.object({
  role: role.meta({
    description: 'A seller is paid by PIX; a buyer is a business payer verified in advance.',
  }),
  entityType,
  externalId: optional(
    text(1, 200, 'Your own id. Creating again with it answers with the account there is.'),
  ),
  email: optional(anyText('Checked when the account is submitted.')),
  legalName: optional(anyText('As registered.')),
  displayName: optional(anyText('As you show it.')),
  country: optional(anyText('Two letters, ISO 3166-1; checked when the account is submitted.')),
  taxId: optional(anyText('Kept encrypted and never shown again.')),
});

export const tosSessionBody = z.object({
  redirectUrl: z
    .string('send an http or https URL')
    .refine(isHttpUrl, 'send an http or https URL')
    .meta({
      format: 'uri',
      description: 'Where the end client comes back to, with `tos_id` in the query.',
    }),
});

export const tosAcceptedBody = z.object({
  tosId: someText('The `tos_id` that the redirect carried.'),
});

const owner = z.object(ownerFields);

/** By role and entity type, as `core/domain/dossier.ts` has it. */
const needed = roles
  .flatMap((role) =>
    entityTypes.map((type) => `a ${role} ${type}: ${requirements[role][type].join(', ')}`),
  )
  .join('; ');

export const submitAccountBody = z
  .object({
    email: optional(email),
    country: optional(country),
    ...dossierFields,
    dateOfBirth: optional(calendarDate('YYYY-MM-DD.')),
    ...cnpjField,
    owners: ownersOf(owner),
  })
  .meta({
    description:
      'What was told at the creation need not be told again. Needed at least, of ' +
      `${needed}; of each owner: ${ownerRequirements.join(', ')}.`,
  });

export const payoutConfigBody = z.object({
  pixKey: text(1, 140, 'Goes to the settlement partner and nowhere else: it is never stored.'),
  accountHolderName: text(1, 200, 'Whose account the PIX key leads to.'),
});

export const accountParams = z.object({ id: pathText('`acct_…`') });

export const accountListQuery = z.object({
  ...pageQuery.shape,
  role: optional(role),
  status: optional(status),
});

requestSchemas
  .add(createAccountBody, { id: 'CreateConnectedAccount' })
  .add(tosSessionBody, { id: 'StartTerms' })
  .add(tosAcceptedBody, { id: 'AcceptTerms' })
  .add(submitAccountBody, { id: 'SubmitConnectedAccount' })
  .add(owner, { id: 'BeneficialOwner' })
  .add(payoutConfigBody, { id: 'ConfigurePayout' });

export const accountResponse = z.strictObject({
  id: z.string(),
  externalId: z.string().nullable(),
  role: z.enum(roles),
  entityType: z.enum(entityTypes),
  status: z.enum(statuses).meta({
    description: '`created` until it is submitted; `rejected` can be submitted again.',
  }),
  receiverId: z.string().nullable().meta({ description: 'Null until it is submitted.' }),
  email: z.string().nullable(),
  legalName: z.string().nullable(),
  displayName: z.string().nullable(),
  country: z.string().nullable(),
  taxIdLast4: z.string().nullable(),
  tosAccepted: z.boolean(),
  payoutConfigured: z.boolean(),
  readyToCollect: z.boolean().meta({
    description:
      'A seller that is approved, with an off-ramp wallet and a PIX destination: only such a one ' +
      'can be named on a payment.',
  }),
  approvedAt: instant.nullable(),
  rejectedAt: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
});

export const accountListResponse = z.strictObject({
  data: z.array(accountResponse),
  nextCursor: z.string().nullable(),
});

export const tosSessionResponse = z.strictObject({
  url: z.string().meta({ format: 'uri', description: 'Send the end client there.' }),
  idempotencyKey: z.string().meta({ description: 'Binds this session to the account.' }),
});

responseSchemas
  .add(accountResponse, { id: 'ConnectedAccount' })
  .add(accountListResponse, { id: 'ConnectedAccountList' })
  .add(tosSessionResponse, { id: 'TermsSession' });
