// What operators decide besides money: one row is all there is to know but the effect, which is in
// service-items.ts.
import type { KeyToIssue } from '../access/api-key.js';
import type { MemberRole } from '../access/member.js';
import type { Scope } from '../access/scope.js';
import { formatInstant } from '../base/instant.js';
import type { Locale } from '../base/locale.js';
import type { Mode } from '../base/tenant.js';
import type { Contact } from '../parties/contact.js';
import type { PaymentOrigin } from '../payments/payment.js';
import type { DecisionName } from './decisions.js';

/**
 * What operators decide besides money. `payout-config`: `destinationRef` is registered at the
 * partner; the PIX key is not stored, `pixKeyShown` is a part of it. `require-approval`: is
 * switched off. `release`: without a complete check. `change-partner`: to another instance.
 */
export type ServiceAction =
  | { readonly verb: 'grant-production' }
  | ({ readonly verb: 'approve-kyb'; readonly mode: Mode } & Partial<GivenDossier>)
  | {
      readonly verb: 'payout-config';
      readonly mode: Mode;
      readonly partyRef: string;
      readonly destinationRef: string;
      readonly accountHolderName: string;
      readonly pixKeyShown: string;
    }
  | { readonly verb: 'require-approval'; readonly origin: PaymentOrigin }
  | { readonly verb: 'accept'; readonly report: string }
  | { readonly verb: 'cancel'; readonly reason: string }
  | { readonly verb: 'fail'; readonly reason: string }
  | { readonly verb: 'release'; readonly reason: string }
  | ({ readonly verb: 'change-partner'; readonly mode: Mode } & InstanceChange)
  | { readonly verb: 'add-operator'; readonly name: string; readonly publicKey: string }
  | {
      readonly verb: 'set-member';
      readonly email: string;
      readonly role: MemberRole;
      /** The address of another owner, who keeps the API keys that would be revoked. */
      readonly keptBy: string | null;
      readonly locale: Locale;
    }
  | (KeyToIssue & {
      readonly verb: 'create-key';
      readonly mode: Mode;
      readonly name: string;
      readonly scopes: readonly Scope[];
      readonly networks: readonly string[];
      readonly expiresAtMs: number | null;
    })
  | (KeyToIssue & { readonly verb: 'roll-key'; readonly overlapHours: number })
  | { readonly verb: 'payout-hold'; readonly hours: number }
  | { readonly verb: 'close-month'; readonly mode: Mode; readonly month: string }
  | ({ readonly verb: 'support' } & Partial<Contact>)
  /** `address` is masked: the row of the proposal is kept. */
  | { readonly verb: 'erase-person'; readonly address: string }
  /** `address`: likewise. Sessions end, too. */
  | { readonly verb: 'reset-passkeys'; readonly address: string };

/** Whose KYB it is, by what the proposer gave. Another dossier is another decision. */
export interface GivenDossier {
  readonly legalName: string | null;
  readonly cnpj: string | null;
  /** A SHA-256 of all fields, in hex. */
  readonly dossierHash: string;
}

/** `hasCommands`: the other instance has the commands of the former one, as they are here. */
export interface InstanceChange {
  readonly from: string;
  readonly to: string;
  readonly hasCommands: boolean;
}

type ServiceVerb = ServiceAction['verb'];

interface Row<V extends ServiceVerb> {
  /** What was decided; decisions.ts has the text of `accept`, `cancel` and `fail`. */
  readonly text: V extends DecisionName
    ? null
    : (action: Extract<ServiceAction, { readonly verb: V }>) => string;
  /** What takes effect at once has an entry of the audit log, and no row. */
  readonly leavesNoRow?: true;
  /** It can be decided in quarantine. */
  readonly inQuarantine?: true;
}

const serviceDecisions: { readonly [V in ServiceVerb]: Row<V> } = {
  accept: { text: null },
  cancel: { text: null },
  fail: { text: null },
  'grant-production': { text: () => 'the organization gets access to production' },
  'approve-kyb': {
    text: ({ mode, legalName = null, cnpj = null, dossierHash }) => {
      const whose = dossierHash === undefined ? '' : ` with the dossier ${dossierHash}`;
      const of = `${legalName ?? 'no legal name'}, CNPJ ${cnpj ?? 'none'}`;
      return `its KYB in ${mode} is approved without the partner, of ${of}${whose}`;
    },
  },
  'payout-config': {
    text: ({ accountHolderName, pixKeyShown }) =>
      `its PIX destination is of ${accountHolderName}, with the key ${pixKeyShown}`,
  },
  'require-approval': {
    text: ({ origin }) =>
      `no second member approves its ${origin === 'invoice' ? 'invoices' : 'payment intents'}`,
  },
  release: {
    inQuarantine: true,
    text: ({ reason }) => `the quarantine ends without a complete check: ${reason}`,
  },
  'change-partner': {
    inQuarantine: true,
    text: ({ mode, from, to, hasCommands }) =>
      `the partner in ${mode} is ${to}, ` +
      (hasCommands ? `which has the commands of ${from}` : `and no longer ${from}`),
  },
  'set-member': {
    leavesNoRow: true,
    inQuarantine: true,
    text: ({ email, role, keptBy }) =>
      `${email} is a member with the role ${role}` +
      `${keptBy === null ? '' : `, and ${keptBy} keeps the API keys of that member`}`,
  },
  'create-key': {
    leavesNoRow: true,
    text: ({ mode, name, keyId, scopes, networks, expiresAtMs }) =>
      `the ${mode} key ${keyId} (${name}) opens ${scopes.join(' ') || 'all scopes'} from ` +
      `${networks.join(' ') || 'all networks'}` +
      `${expiresAtMs === null ? '' : `, which ends at ${formatInstant(expiresAtMs)}`}`,
  },
  'roll-key': {
    leavesNoRow: true,
    text: ({ keyId, overlapHours }) =>
      `the key ${keyId} replaces it, which ends after ${overlapHours} hours`,
  },
  'payout-hold': {
    leavesNoRow: true,
    text: ({ hours }) => `live mode holds a changed PIX destination for ${hours} hours`,
  },
  'close-month': {
    leavesNoRow: true,
    text: ({ mode, month }) => `its books in ${mode} are closed for good up to ${month}`,
  },
  support: {
    leavesNoRow: true,
    text: ({ verb: _verb, ...contact }) =>
      `buyers see ${Object.entries(contact)
        .map(([name, value]) => `${name} ${value ?? 'none'}`)
        .join(', ')}`,
  },
  'erase-person': { text: ({ address }) => `the person with the address ${address} is erased` },
  'reset-passkeys': {
    text: ({ address }) =>
      `the passkeys and sessions of the person with the address ${address} end`,
  },
  'add-operator': {
    inQuarantine: true,
    text: ({ name, publicKey }) => `${name} is an operator, with the key ${publicKey}`,
  },
};

export function isServiceAction<T extends { readonly verb: string }>(
  action: T,
): action is Extract<T, ServiceAction> {
  return Object.hasOwn(serviceDecisions, action.verb);
}

export function serviceDecisionOf({ verb }: ServiceAction): Omit<Row<ServiceVerb>, 'text'> {
  return serviceDecisions[verb];
}

export function serviceText(action: ServiceAction): string {
  const { text } = serviceDecisions[action.verb] as Row<'release'>;
  return text(action as Extract<ServiceAction, { readonly verb: 'release' }>);
}
