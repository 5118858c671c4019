// `ponte org`: organizations, their KYB, their PIX destinations, and their access to production.
import { type Command, Option } from 'commander';
import { readEmail } from '../../core/domain/base/email-address.js';
import { formatInstant, instantOrNull } from '../../core/domain/base/instant.js';
import { recordOf } from '../../core/domain/base/record-of.js';
import type { Mode, Tenant } from '../../core/domain/base/tenant.js';
import { shownDue } from '../../core/domain/hosted/party-answer.js';
import type { ServiceAction } from '../../core/domain/money-desk/service-decisions.js';
import {
  type ContactName,
  contactKinds,
  contactNames,
  contacts,
} from '../../core/domain/parties/contact.js';
import {
  type CollectNeed,
  type Lack,
  lacksToCollect,
  needsOnboarding,
  type Organization,
} from '../../core/domain/parties/organization.js';
import { isSubmitted, type PartyStatus } from '../../core/domain/parties/party.js';
import { type Correction, TERMS } from '../../core/domain/parties/party-due.js';
import { pixKeyKinds } from '../../core/domain/parties/pix-key.js';
import type { ProductionRequest } from '../../core/domain/parties/production-request.js';
import { invalid } from '../../core/errors.js';
import type { Deps } from '../../core/ports/deps.js';
import type { OrganizationView } from '../../core/usecases/parties/organizations.js';
import { decided, isDevelopment } from '../decided.js';
import { dossierFacts, dossierFor, dossierOptions, readDossier } from '../kyb-dossier.js';
import {
  type AddCommand,
  commandGroup,
  listOf,
  type Operator,
  type Outcome,
  readNames,
  type Shell,
  withName,
} from '../operator.js';
import {
  choice,
  flag,
  mode,
  negated,
  OptionRow,
  type OptionValues,
  replace,
  value,
} from '../options.js';
import { fields } from '../output.js';

const organizations = () => import('../../core/usecases/parties/organizations.js');
const productionRequests = () => import('../../core/usecases/parties/production-requests.js');
const payoutChanges = () => import('../../core/usecases/parties/payout-changes.js');

export function addOrgCommands(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'org', 'organizations and their KYB');

  addCreate(add);

  add({
    name: 'list',
    authority: 'read',
    description: 'list all organizations',
    run: async ({ deps }) => {
      const { listOrganizations, readOrganization } = await organizations();
      const found = await listOrganizations(deps);
      const views = await Promise.all(found.map(({ id }) => readOrganization(deps, id)));
      const data = views.map(presentOrganization);
      const empty = 'No organizations. Create one with ponte org create --name <name>.';
      return listOf(data, empty, null, {
        ID: 'id',
        NAME: 'name',
        TEST: (row) => summary(row.test),
        LIVE: (row) => summary(row.live),
        CREATED: 'createdAt',
      });
    },
  });

  add({
    name: 'show <org-id>',
    authority: 'read',
    description: 'show an organization',
    run: (operator, _, [id = '']) =>
      changed(operator, (deps, { readOrganization }) => readOrganization(deps, id)),
  });

  addModeCommands(shell, add);
  addPayoutCommands(add);
  addSupportCommand(add);

  add({
    name: 'time-zone <org-id> <name>',
    authority: 'signed',
    description: 'set whose days its lists, files and plots have, as America/Sao_Paulo',
    options: {},
    run: async (operator, _, [orgId = '', name = '']) =>
      changed(operator, (deps, { setTimeZone }) => setTimeZone(deps, orgId, name)),
  });

  addBookCommands(add);
  addProductionCommands(add);

  add({
    name: 'require-approval <org-id> <on|off>',
    authority: 'confirmed',
    description: 'require the approval of a second member for its invoices, or stop doing so',
    options: { paymentIntents: flag('for its payment intents in place of invoices') },
    run: async (operator, { paymentIntents }, [orgId = '', state]) => {
      if (state !== 'on' && state !== 'off') throw invalid('Give on or off.');
      const origin = paymentIntents ? 'payment_intent' : 'invoice';
      if (state === 'off')
        return decidedAbout(operator, orgId, { verb: 'require-approval', origin });
      return changed(operator, (deps, { requireApproval }) =>
        requireApproval(deps, orgId, true, origin),
      );
    },
  });
}

function addCreate(add: AddCommand): void {
  add({
    name: 'create',
    authority: 'signed',
    description: 'create an organization that can collect in test mode',
    options: {
      name: value('<name>', 'its name').required(),
      owner: value('<address>', 'its first member, who is mailed a link to the dashboard'),
      sandboxKyb: negated('do not approve its KYB in test mode'),
    },
    // Often the first command for a new database.
    opening: 'makes',
    run: async (operator, { name, sandboxKyb, owner }) => {
      const { deps } = operator;
      // Before the organization is made: it would stay without an owner.
      if (owner !== null && readEmail(owner) === null) {
        throw invalid('--owner: give an e-mail address.');
      }
      const { createOrganization } = await organizations();
      const view = await createOrganization(deps, { name, sandboxKyb });
      const { json, text } = shown(presentOrganization(view));
      if (owner === null) return { json, text };
      const { inviteMember } = await import('../../core/usecases/access/member-invitations.js');
      const input = { orgId: view.organization.id, email: owner, role: 'owner' } as const;
      const { url } = await inviteMember(deps, input, { memberId: null, keptBy: null }, 'en');
      const isShown = isDevelopment(operator);
      return {
        json: { ...(json as object), dashboardLink: isShown ? url : null },
        text: isShown
          ? `${text}\nThe owner opens once, within a day: ${url}`
          : `${text}\nA link to the dashboard is mailed to ${owner}.`,
      };
    },
  });
}

function addBookCommands(add: AddCommand): void {
  add({
    name: 'close-month <org-id> <month>',
    authority: 'confirmed',
    description: 'close a month of its books, for example 2026-11, and the months before it',
    options: { mode, replace },
    details: [
      'The month must be over in the time zone of the organization. The entries of a closed month',
      'never change: what is booked later is an entry of the next month. A closed month cannot be',
      'opened again. Its balances are stored, and a statement of a later month opens with them.',
    ].join('\n'),
    run: async (operator, { mode, replace }, [orgId = '', month = '']) => {
      const request = { verb: 'close-month', mode, month } as const;
      const done = () => closedBooks(operator, { orgId, mode }, month);
      return decided(operator, orgId, request, done, { replace });
    },
  });
}

async function closedBooks({ deps }: Operator, tenant: Tenant, month: string): Promise<Outcome> {
  const [{ readAccounting }, { accounting }] = await Promise.all([
    import('../../core/usecases/accounting/accounting-settings.js'),
    import('../../adapters/http/resources/settlement-entry-routes.js'),
  ]);
  const json = accounting.show(await readAccounting(deps, tenant));
  const closed = json.closedMonths.find((one) => one.month >= month);
  const lines = closed?.balances?.map((one) => [one.name, `${one.amount} ${one.currency}`]);
  return {
    json,
    text: fields({
      closed: closed?.month ?? null,
      'later entries from': closed?.until ?? null,
      ...Object.fromEntries(lines ?? [['balances', 'are summed by the service']]),
    }),
  };
}

function addPayoutCommands(add: AddCommand): void {
  add({
    name: 'payout-hold <org-id> <hours>',
    authority: 'confirmed',
    description: 'set how long live mode holds a changed PIX destination, 0 to 72 hours',
    options: { replace },
    run: async (operator, { replace }, [id = '', text = '']) => {
      const { expectHoldHours } = await payoutChanges();
      const hours = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      expectHoldHours(hours);
      return decidedAbout(operator, id, { verb: 'payout-hold', hours }, replace);
    },
  });

  add({
    name: 'payout-changes <org-id>',
    authority: 'read',
    description: 'list the newest 100 PIX destinations of it and its sellers, without the keys',
    options: { mode },
    run: async ({ deps }, { mode }, [orgId = '']) => {
      const { listChanges } = await payoutChanges();
      const { payoutChange } = await import('../../adapters/http/resources/account-routes.js');
      const nowMs = deps.clock.nowMs();
      const data = (await listChanges(deps, { orgId, mode })).map((change) => ({
        ...payoutChange.show({ ...change, nowMs }),
        accountId: change.accountId,
      }));
      return listOf(data, 'No PIX destination was set.', null, {
        ID: 'id',
        PAYEE: (row) => row.accountId ?? orgId,
        STATE: 'state',
        'CHANGED BY': 'changedBy',
        CHANGED: 'createdAt',
        EFFECTIVE: 'effectiveAt',
      });
    },
  });
}

function addProductionCommands(add: AddCommand): void {
  add({
    name: 'grant-production <org-id>',
    authority: 'confirmed',
    description: 'approve its access to production, which live mode needs in addition to KYB',
    run: (operator, _, [id = '']) => decidedAbout(operator, id, { verb: 'grant-production' }),
  });

  add({
    name: 'requests',
    authority: 'read',
    description: 'list the oldest 100 requests for production access that wait for a decision',
    run: async ({ deps }) => {
      const { listProductionRequests } = await productionRequests();
      const data = (await listProductionRequests(deps)).map(presentRequest);
      const [names, members] = await Promise.all([
        readNames(deps),
        deps.store.run((tx) =>
          Promise.all(data.map(({ orgId, requestedBy }) => tx.members.get(orgId, requestedBy))),
        ),
      ]);
      const emails = new Map(members.flatMap((one) => (one === null ? [] : [[one.id, one.email]])));
      return listOf(data, 'No request waits.', null, {
        ORGANIZATION: ({ orgId }) => withName(names, orgId),
        MEMBER: ({ requestedBy }) => withName(emails, requestedBy),
        REQUESTED: 'createdAt',
        SELLS: 'sells',
        CUSTOMERS: 'customers',
        'A MONTH': 'monthlyVolume',
      });
    },
  });

  add({
    name: 'refuse-production <org-id>',
    authority: 'signed',
    description: 'refuse its request for production access; the reason is shown to its members',
    options: { reason: value('<text>', 'why, and what would help').required() },
    run: async ({ deps, actor }, { reason }, [orgId = '']) => {
      const { refuseProduction } = await productionRequests();
      const refused = await refuseProduction(deps, orgId, { reason, by: actor.name });
      const json = presentRequest(refused);
      return { json, text: fields(json) };
    },
  });
}

function presentRequest(request: ProductionRequest) {
  const { id, orgId, requestedBy, answers, state, reason, decidedBy } = request;
  return {
    id,
    orgId,
    requestedBy,
    ...answers,
    state,
    reason,
    decidedBy,
    decidedAt: instantOrNull(request.decidedAtMs),
    createdAt: formatInstant(request.createdAtMs),
  };
}

const contactOptions = Object.fromEntries(
  Object.values(contacts).map(({ kind, option, means }) => {
    const { usage } = contactKinds[kind];
    return [option, new OptionRow((name) => new Option(`--${name} ${usage}`, means))];
  }),
) as Readonly<Record<(typeof contacts)[ContactName]['option'], OptionRow<string | undefined>>>;

function addSupportCommand(add: AddCommand): void {
  add({
    name: 'support <org-id>',
    authority: 'confirmed',
    description: 'set the contact and the links that buyers see; an empty text removes one',
    options: { ...contactOptions, replace },
    details: 'In live mode an e-mail address or a phone number is required.',
    run: async (operator, { replace, ...given }, [orgId = '']) => {
      const { contactIn } = await organizations();
      const contact = contactIn(recordOf(contactNames, (name) => given[contacts[name].option]));
      if (Object.keys(contact).length > 0) {
        return decidedAbout(operator, orgId, { verb: 'support', ...contact }, replace);
      }
      throw invalid('Give one of the options.');
    },
  });
}

const kybOptions = { mode, ...dossierOptions };
const kybDetails = 'Every partner needs the dossier but the fake partner in test mode.';

/** The dossier of an organization, of a file and options. */
async function kybOf(
  shell: Shell,
  { deps }: Operator,
  { mode, ...given }: OptionValues<typeof kybOptions>,
  id: string,
) {
  const { readOrganization } = await organizations();
  const read = await readDossier(shell, given);
  const { organization } = await readOrganization(deps, id);
  const dossier = dossierFor(deps, mode, organization, read);
  return { tenant: { orgId: organization.id, mode }, dossier };
}

function addModeCommands(shell: Shell, add: AddCommand): void {
  add({
    name: 'submit-kyb <org-id>',
    authority: 'signed',
    description: 'submit its KYB to the partner, answer what is due, or query the decision',
    options: kybOptions,
    details: kybDetails,
    run: async (operator, given, [id = '']) => {
      const { tenant, dossier } = await kybOf(shell, operator, given, id);
      return changed(operator, (deps, { submitKyb }) => submitKyb(deps, tenant, dossier));
    },
  });

  add({
    name: 'approve-kyb <org-id>',
    authority: 'confirmed',
    description: 'approve its KYB, and submit it first if necessary',
    options: { ...kybOptions, replace },
    details: kybDetails,
    run: async (operator, { replace, ...given }, [id = '']) => {
      const { tenant, dossier } = await kybOf(shell, operator, given, id);
      const { prepareApproval } = await organizations();
      await prepareApproval(operator.deps, tenant, dossier);
      const facts = { mode: given.mode, ...dossierFacts(dossier) };
      return decidedAbout(operator, id, { verb: 'approve-kyb', ...facts }, replace);
    },
  });

  add({
    name: 'accept-tos <org-id>',
    authority: 'signed',
    description: 'record that it accepted the terms of the partner, or show where to accept them',
    options: { mode, tosId: value('<id>', 'the id of the acceptance at the partner') },
    run: (operator, { mode, tosId }, [orgId = '']) =>
      changed(operator, (deps, { acceptOrganizationTerms: accept }) =>
        accept(deps, { orgId, mode }, tosId),
      ),
  });

  add({
    name: 'payout-config <org-id>',
    authority: 'confirmed',
    description: 'set its PIX destination; the key is read from standard input and not stored',
    options: {
      mode,
      accountHolderName: value('<name>', 'the name of the organization by default'),
      pixKeyKind: choice('<kind>', pixKeyKinds, 'of a key that can be of several kinds'),
      replace,
    },
    run: async (operator, { mode, accountHolderName, pixKeyKind, replace }, [id = '']) => {
      const pixKey = await standardInput(shell);
      const { readOrganization, registerPayout } = await organizations();
      const { organization } = await readOrganization(operator.deps, id);
      const holder = accountHolderName ?? organization.name;
      const destination = { pixKey, pixKeyKind, accountHolderName: holder };
      const registered = await registerPayout(operator.deps, { orgId: id, mode }, destination);
      const named = { accountHolderName: holder, ...registered };
      const request = { verb: 'payout-config', mode, ...named } as const;
      return decidedAbout(operator, id, request, replace);
    },
  });
}

interface ModeState {
  readonly kybStatus: PartyStatus | null;
  readonly tosAccepted: boolean;
  /** Until the mode is activated. */
  readonly needsOnboarding: boolean;
  readonly payoutConfigured: boolean;
  readonly virtualAccount: boolean;
  /** What it needs to collect in this mode. */
  readonly missing: readonly Lack[];
  /** What the partner wants of it. */
  readonly requirements: {
    readonly due: readonly Correction[];
    readonly dueBy: string | null;
  };
}

function presentOrganization({ organization, profiles }: OrganizationView) {
  const { id, name, productionGrantedAtMs, requiresApproval, createdAtMs, timeZone } = organization;
  const stateOf = (mode: Mode): ModeState => ({
    kybStatus: profiles[mode].status,
    tosAccepted: profiles[mode].tosAcceptedAtMs !== null,
    needsOnboarding: needsOnboarding(organization, profiles[mode]),
    payoutConfigured: profiles[mode].destinationRef !== null,
    virtualAccount: profiles[mode].railsRef !== null,
    missing: lacksToCollect(organization, profiles[mode]),
    requirements: {
      due: shownDue(profiles[mode]),
      dueBy: instantOrNull(profiles[mode].answerByMs),
    },
  });
  return {
    id,
    name,
    productionGrantedAt: instantOrNull(productionGrantedAtMs),
    requiresApproval,
    intentsNeedApproval: profiles.live.intentsNeedApproval,
    payoutHoldHours: profiles.live.payoutHoldHours,
    timeZone,
    support: supportOf(organization),
    test: stateOf('test'),
    live: stateOf('live'),
    createdAt: formatInstant(createdAtMs),
  };
}

/** `supportEmail` is `email` there. */
function supportOf(organization: Organization): Readonly<Record<string, string | null>> {
  const named = contactNames.map((name) => {
    const short = name.replace(/^support(.)/, (_, first: string) => first.toLowerCase());
    return [short, organization[name]] as const;
  });
  return Object.fromEntries(named);
}

/** What the partner wants, a line each, with what to do about it. */
function dueLines({ requirements: { due, dueBy } }: ModeState): string | null {
  if (due.length === 0) return null;
  const lines = due.map(({ field, reason }) => (reason === '' ? field : `${field}: ${reason}`));
  const isTerms = due.some(({ field }) => field === TERMS);
  const how = isTerms ? 'ponte org accept-tos' : 'ponte org submit-kyb --dossier <file>';
  // It may be over.
  const when = dueBy === null ? '' : `, due ${dueBy}`;
  return [...lines, `Answer${when}: ${how}`].join('; ');
}

/** What to run for each need. */
const nextSteps: Readonly<Record<CollectNeed, string>> = {
  kyb: 'ponte org submit-kyb <org-id> --mode <mode> --dossier <file>',
  support_contact: 'ponte org support <org-id> --email <address>',
  production_access: 'ponte org grant-production <org-id>',
  pix_destination: 'ponte org payout-config <org-id> --mode <mode>',
  virtual_account: 'wait: the partner provides the virtual account',
};

/** For test mode first; null once both are ready. */
function nextStep(json: ReturnType<typeof presentOrganization>): string | null {
  const mode = json.test.missing.length > 0 ? 'test' : 'live';
  const [lack] = json[mode].missing;
  if (lack === undefined) return null;
  const step = lack.need === 'kyb' ? kybStep(json[mode]) : nextSteps[lack.need];
  return step.replace('<org-id>', json.id).replace('<mode>', mode);
}

/** What the partner has is not submitted again, unless it wants something. */
function kybStep({ kybStatus, requirements: { due } }: ModeState): string {
  if (due.some(({ field }) => field === TERMS)) {
    return 'ponte org accept-tos <org-id> --mode <mode>';
  }
  return isSubmitted(kybStatus) && due.length === 0
    ? 'wait: the partner verifies the organization'
    : nextSteps.kyb;
}

/** `ready`, or what is missing first. */
function summary({ missing }: ModeState): string {
  return missing[0]?.message ?? 'ready';
}

/** Executed, or proposed for another operator. */
function decidedAbout(
  operator: Operator,
  orgId: string,
  request: ServiceAction,
  replace = false,
): Promise<Outcome> {
  const done = () =>
    changed(operator, (deps, { readOrganization }) => readOrganization(deps, orgId));
  return decided(operator, orgId, request, done, { replace });
}

async function changed(
  { deps }: Operator,
  work: (
    deps: Deps,
    usecases: Awaited<ReturnType<typeof organizations>>,
  ) => Promise<OrganizationView>,
): Promise<Outcome> {
  return shown(presentOrganization(await work(deps, await organizations())));
}

function shown(json: ReturnType<typeof presentOrganization>): Outcome {
  const { id, name, productionGrantedAt, requiresApproval, support, createdAt } = json;
  const { intentsNeedApproval, payoutHoldHours } = json;
  return {
    json,
    text: fields({
      id,
      name,
      test: summary(json.test),
      live: summary(json.live),
      'due in test': dueLines(json.test),
      'due in live': dueLines(json.live),
      next: nextStep(json),
      'production granted': productionGrantedAt,
      'invoices need approval': requiresApproval ? 'yes' : 'no',
      'intents need approval': intentsNeedApproval ? 'yes' : 'no',
      'payout hold in live': `${payoutHoldHours} hours`,
      'support e-mail': support['email'] ?? null,
      'support phone': support['phone'] ?? null,
      website: support['website'] ?? null,
      created: createdAt,
    }),
  };
}

async function standardInput({ stdin, stderr }: Shell): Promise<string> {
  const person = stdin.isTTY === true;
  if (person) stderr.write('PIX key: ');
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    // At a terminal the input ends with the line, else with the stream.
    if (person) break;
  }
  const pixKey = Buffer.concat(chunks).toString('utf8').trim();
  if (pixKey !== '') return pixKey;
  throw invalid('Send the PIX key on standard input.');
}
