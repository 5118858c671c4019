// `ponte org`: organizations, their KYB, where they are paid, and their access to production.
import { type Command, Option } from 'commander';
import { formatInstant } from '../core/domain/instant.js';
import { needsOnboarding } from '../core/domain/organization.js';
import type { Mode } from '../core/domain/tenant.js';
import { PonteError } from '../core/errors.js';
import type { Deps } from '../core/ports/deps.js';
import type { OrganizationView } from '../core/usecases/organizations.js';
import type { Opening } from '../host/main.js';
import { type DossierOptions, dossierFor, dossierOptions, readDossier } from './kyb-dossier.js';
import {
  addVerb,
  asOperator,
  modeOption,
  type Operator,
  type Outcome,
  onlyId,
  type Shell,
} from './operator.js';
import { fields, table } from './output.js';

interface ModeOptions {
  readonly mode: Mode;
}

const organizations = () => import('../core/usecases/organizations.js');

export function addOrgVerbs(shell: Shell, program: Command): void {
  const org = program.command('org').description('organizations and their KYB');

  addVerb<{ readonly name: string; readonly sandboxKyb: boolean }>(shell, org, {
    name: 'create',
    description: 'make an organization that can collect in test mode',
    options: [
      new Option('--name <name>', 'what it is called').makeOptionMandatory(),
      new Option('--no-sandbox-kyb', 'leave its KYB in test mode to be done'),
    ],
    run: ({ name, sandboxKyb }) =>
      // Often the first command on a new database.
      changed(
        shell,
        (deps, { createOrganization }) => createOrganization(deps, { name, sandboxKyb }),
        'makes',
      ),
  });

  addVerb(shell, org, {
    name: 'list',
    description: 'list all organizations',
    run: () => asOperator(shell, list),
  });

  addVerb(shell, org, {
    name: 'show <org-id>',
    description: 'show one organization',
    run: (_, ids) =>
      changed(shell, (deps, { readOrganization }) => readOrganization(deps, onlyId(ids))),
  });

  addModeVerbs(shell, org);

  addVerb(shell, org, {
    name: 'grant-production <org-id>',
    description: 'approve its access to production, which live mode needs besides its KYB',
    run: (_, ids) =>
      changed(shell, (deps, { grantProduction }) => grantProduction(deps, onlyId(ids))),
  });

  addVerb(shell, org, {
    name: 'require-approval <org-id> <on|off>',
    description: 'whether its invoices need the approval of a second person',
    run: async (_, [orgId = '', state]) => {
      if (state !== 'on' && state !== 'off') {
        throw new PonteError('ValidationError', 'Give on or off.');
      }
      return changed(shell, (deps, { requireApproval }) =>
        requireApproval(deps, orgId, state === 'on'),
      );
    },
  });
}

/** What an organization goes through in each mode. */
function addModeVerbs(shell: Shell, org: Command): void {
  for (const [name, description, usecase] of [
    ['submit-kyb', 'submit its KYB to the partner, or ask again for the decision', 'submitKyb'],
    ['approve-kyb', 'approve its KYB, which is submitted first where it was not', 'approveKyb'],
  ] as const) {
    addVerb<ModeOptions & DossierOptions>(shell, org, {
      name: `${name} <org-id>`,
      description,
      options: [modeOption(), ...dossierOptions()],
      run: async ({ mode, ...options }, ids) => {
        const dossier = await readDossier(shell, options);
        return changed(shell, async (deps, usecases) => {
          const { organization } = await usecases.readOrganization(deps, onlyId(ids));
          const tenant = { orgId: organization.id, mode };
          return usecases[usecase](deps, tenant, dossierFor(deps, mode, organization, dossier));
        });
      },
    });
  }

  addVerb<ModeOptions & { readonly tosId: string | null }>(shell, org, {
    name: 'accept-tos <org-id>',
    description: 'note that it accepted the terms of the partner, or tell where it can do so',
    options: [
      modeOption(),
      new Option('--tos-id <id>', 'what the partner calls the acceptance').default(null),
    ],
    run: ({ mode, tosId }, ids) =>
      changed(shell, (deps, { acceptTerms }) =>
        acceptTerms(deps, { orgId: onlyId(ids), mode }, tosId),
      ),
  });

  addVerb<ModeOptions & { readonly accountHolderName: string | null }>(shell, org, {
    name: 'payout-config <org-id>',
    description: 'set where it is paid; the PIX key comes from standard input and is not kept',
    options: [
      modeOption(),
      new Option('--account-holder-name <name>', 'its own name unless given').default(null),
    ],
    run: async ({ mode, accountHolderName }, ids) => {
      const pixKey = await standardInput(shell);
      return changed(shell, async (deps, { configurePayout, readOrganization }) => {
        const { organization } = await readOrganization(deps, onlyId(ids));
        const holder = accountHolderName ?? organization.name;
        const destination = { pixKey, accountHolderName: holder };
        return configurePayout(deps, { orgId: organization.id, mode }, destination);
      });
    },
  });
}

async function list({ deps }: Operator): Promise<Outcome> {
  const { listOrganizations, readOrganization } = await organizations();
  const found = await listOrganizations(deps);
  const views = await Promise.all(found.map(({ id }) => readOrganization(deps, id)));
  const data = views.map(presentOrganization);
  return {
    json: { data, nextCursor: null },
    text: table(
      ['ID', 'NAME', 'TEST', 'LIVE', 'CREATED'],
      data.map((row) => [row.id, row.name, summary(row.test), summary(row.live), row.createdAt]),
      'No organizations. `ponte org create --name <name>` makes one.',
    ),
  };
}

/** Where an organization stands in one mode. */
interface ModeState {
  readonly kybStatus: string | null;
  readonly tosAccepted: boolean;
  /** Until the mode is activated. */
  readonly needsOnboarding: boolean;
  readonly payoutConfigured: boolean;
  readonly virtualAccount: boolean;
}

function presentOrganization({ organization, profiles }: OrganizationView) {
  const { id, name, productionGrantedAtMs, requiresApproval, createdAtMs } = organization;
  const stateOf = (mode: Mode): ModeState => ({
    kybStatus: profiles[mode].kybStatus,
    tosAccepted: profiles[mode].tosAcceptedAtMs !== null,
    needsOnboarding: needsOnboarding(organization, profiles[mode]),
    payoutConfigured: profiles[mode].destinationRef !== null,
    virtualAccount: profiles[mode].virtualAccountRef !== null,
  });
  return {
    id,
    name,
    productionGrantedAt:
      productionGrantedAtMs === null ? null : formatInstant(productionGrantedAtMs),
    requiresApproval,
    test: stateOf('test'),
    live: stateOf('live'),
    createdAt: formatInstant(createdAtMs),
  };
}

/** Whether it can collect, and if not, what is missing. */
function summary({ kybStatus, payoutConfigured, virtualAccount }: ModeState): string {
  if (kybStatus !== 'approved') return kybStatus === null ? 'KYB not begun' : `KYB ${kybStatus}`;
  if (!payoutConfigured) return 'no PIX destination';
  return virtualAccount ? 'ready' : 'no virtual account';
}

async function changed(
  shell: Shell,
  work: (
    deps: Deps,
    usecases: Awaited<ReturnType<typeof organizations>>,
  ) => Promise<OrganizationView>,
  opening: Opening = 'finds',
): Promise<Outcome> {
  return asOperator(
    shell,
    async ({ deps }) => shown(presentOrganization(await work(deps, await organizations()))),
    { opening },
  );
}

function shown(json: ReturnType<typeof presentOrganization>): Outcome {
  const { id, name, productionGrantedAt, requiresApproval, createdAt } = json;
  return {
    json,
    text: fields({
      id,
      name,
      test: summary(json.test),
      live: summary(json.live),
      'production granted': productionGrantedAt,
      'invoices need approval': requiresApproval ? 'yes' : 'no',
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
    // A person ends the line, a pipe ends the stream.
    if (person) break;
  }
  const pixKey = Buffer.concat(chunks).toString('utf8').trim();
  if (pixKey !== '') return pixKey;
  throw new PonteError('ValidationError', 'Send the PIX key on standard input.');
}
