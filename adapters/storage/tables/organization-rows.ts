// Organizations, what they have in each mode, and their requests for production: columns and SQL.
import { contactNames } from '../../../core/domain/parties/contact.js';
import { type Logo, logoTypes } from '../../../core/domain/parties/logo.js';
import {
  mailSwitches,
  type NamedProfile,
  type Organization,
  type OrganizationProfile,
} from '../../../core/domain/parties/organization.js';
import { partyStatuses } from '../../../core/domain/parties/party.js';
import {
  type ProductionAnswers,
  type ProductionRequest,
  productionStates,
} from '../../../core/domain/parties/production-request.js';
import { columnsOf, flag, integer, oneOf, party, tenant, text, time, version } from '../columns.js';
import { defineTable, mapped, type Table } from '../table.js';
import { type CachedJoin, type TxPart, writes } from '../unit-of-work.js';

export const organizations = defineTable<Organization>('organizations', {
  id: text('org_id').key(),
  name: text('name'),
  productionGrantedAtMs: time.null('production_granted_at'),
  requiresApproval: flag('requires_approval'),
  ...columnsOf(mailSwitches, flag),
  requiresPasskey: flag('requires_passkey'),
  ...columnsOf(contactNames, text.null),
  accentColor: text.null('accent_color'),
  logoHash: text.null('logo_hash'),
  timeZone: text('time_zone'),
  createdAtMs: time('created_at').fixed(),
  version,
});

export const profiles = defineTable<OrganizationProfile>('organization_profiles', {
  ...tenant,
  status: oneOf('kyb_status', partyStatuses).null(),
  commandId: text.null('kyb_command_id'),
  ...party,
  railsCommandId: text.null('rails_command_id'),
  railsRef: text.null('virtual_account_ref'),
  destinationRef: text.null('destination_ref'),
  heldRef: text.null('held_ref'),
  heldUntilMs: time.null('held_until'),
  tosAcceptedAtMs: time.null('tos_accepted_at'),
  intentsNeedApproval: flag('intents_need_approval'),
  payoutHoldHours: integer('payout_hold_hours'),
  version,
});

const organizationName = text('organization_name');

const namedProfile: CachedJoin<NamedProfile> = {
  tables: [profiles, organizations],
  sql: [
    'select organization_profiles.*, organizations.name as organization_name',
    'from organization_profiles',
    'join organizations on organizations.org_id = organization_profiles.org_id',
    'where organization_profiles.org_id = $1 and organization_profiles.mode = $2',
  ].join(' '),
  on: { organization_profiles: ['org_id', 'mode'], organizations: ['org_id'] },
  read: (row) => ({ profile: profiles.read(row), name: organizationName.read(row) }),
  expect: ({ profile }) => [profiles.expect(profile)],
};

export const organizationsPart: TxPart<'organizations'> = {
  ...writes(organizations),
  get: (unit, orgId) => unit.byKey(organizations, [orgId]),
  list: (unit) => unit.all(organizations, 'order by created_at desc, org_id desc', []),
  profile: (unit, { orgId, mode }) => unit.byKey(profiles, [orgId, mode]),
  named: (unit, { orgId, mode }) => unit.firstCached(namedProfile, [orgId, mode]),
  insert(unit, organization, ofModes) {
    unit.stage(organizations.insert(organization));
    for (const profile of ofModes) unit.stage(profiles.insert(profile));
  },
  profilesByPartnerRef: (unit, mode, partnerRef) =>
    unit.all(profiles, 'where mode = $1 and partner_ref = $2 limit 2', [mode, partnerRef]),
  updateProfile: (unit, profile) => unit.stage(profiles.update(profile)),
  expectProfile: (unit, profile) => unit.stage(profiles.expect(profile)),
};

const logos = defineTable<Logo>('organization_logos', {
  orgId: text('org_id').key(),
  contentType: oneOf('content_type', logoTypes),
  hash: text('hash'),
  content: text('content'),
  version,
});

export const logosPart: TxPart<'logos'> = {
  ...writes(logos),
  get: (unit, orgId) => unit.byKey(logos, [orgId]),
};

/** What the organization says is one text: its answers, and its report. */
interface RequestRow extends Omit<ProductionRequest, 'answers' | 'certified'> {
  readonly answers: string;
}

type Certified = Pick<ProductionRequest, 'certified'>;

const requestRows = defineTable<RequestRow>('production_requests', {
  orgId: text('org_id').key(),
  id: text('id').key(),
  requestedBy: text('requested_by').fixed(),
  answers: text('answers').fixed(),
  state: oneOf('state', productionStates),
  decidedBy: text.null('decided_by'),
  decidedAtMs: time.null('decided_at'),
  reason: text.null('reason'),
  createdAtMs: time('created_at').fixed(),
  version,
});

export const productionRequests: Table<ProductionRequest> = mapped(
  requestRows,
  ({ answers, certified, ...request }) => ({
    ...request,
    answers: JSON.stringify(certified === null ? answers : { ...answers, certified }),
  }),
  ({ answers: said, ...row }) => {
    const { certified = null, ...answers }: ProductionAnswers & Partial<Certified> =
      JSON.parse(said);
    return Object.freeze({ ...row, answers, certified });
  },
);

export const productionRequestsPart: TxPart<'productionRequests'> = {
  ...writes(productionRequests),
  newest: (unit, orgId) =>
    unit.first(productionRequests, 'where org_id = $1 order by id desc limit 1', [orgId]),
  waiting: (unit, limit) =>
    unit.all(productionRequests, "where state = 'requested' order by id limit $1", [limit]),
};
