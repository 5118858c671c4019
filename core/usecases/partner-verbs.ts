// The calls of the settlement partner's port behind each kind of command: how it is started, looked
// up by its request, and asked about by the partner's id. When they are made stands in commands.ts.
import type { CommandKind, PartnerCommand } from '../domain/partner-command.js';
import type { PartnerAnswer, PartnerFact, SettlementPartner } from '../ports.js';
import type { RailsRequest } from './account-changes.js';
import type { PartyAnswer } from './parties.js';

/** What a successful call told; `instructions` of a pay-in only, the rest of a party only. */
export interface Accepted extends PartyAnswer {
  readonly instructions?: string;
}

type Report = PartnerFact['report'];

const partyVerbs: Verbs = {
  start: (partner, request) => partner.submitReceiver(request),
  find: (partner, request) => partner.findReceiver(request),
  ask: (partner, partnerRef) => partner.receiver(partnerRef),
};
export const verbs: Readonly<Record<CommandKind, Verbs>> = {
  submit_organization: partyVerbs,
  submit_buyer: partyVerbs,
  submit_account: partyVerbs,
  provision_rails: {
    start: (partner, request) => provisionRails(partner, request),
    // Nobody is paid through a wallet that is not recorded, so another one does no harm.
    find: async () => ({ outcome: 'done', value: null }),
    ask: null,
  },
  payin: {
    start: (partner, request) => partner.startPayin(request),
    find: (partner, request) => partner.findPayin(request),
    ask: (partner, partnerRef) => partner.payin(partnerRef),
  },
  payout: {
    start: (partner, request) => partner.startPayout(request),
    find: (partner, request) => partner.findPayout(request),
    ask: (partner, partnerRef) => partner.payout(partnerRef),
  },
  refund: {
    start: (partner, request) => partner.startRefund(request),
    find: (partner, request) => partner.findRefund(request),
    ask: (partner, partnerRef) => partner.refund(partnerRef),
  },
};

interface Verbs {
  start(partner: SettlementPartner, request: string): Promise<PartnerAnswer<Accepted>>;
  find(partner: SettlementPartner, request: string): Promise<PartnerAnswer<Accepted | null>>;
  /** Null where the answer to the call is all that is ever told. */
  readonly ask:
    | ((partner: SettlementPartner, partnerRef: string) => Promise<PartnerAnswer<Report>>)
    | null;
}

async function provisionRails(
  partner: SettlementPartner,
  request: string,
): Promise<PartnerAnswer<Accepted>> {
  const answer = await partner.provisionRails(JSON.parse(request) as RailsRequest);
  if (answer.outcome !== 'done') return answer;
  return { outcome: 'done', value: { partnerRef: answer.value.virtualAccountRef } };
}

/** The call itself; an adapter that throws leaves the outcome in doubt. */
export async function callPartner(
  partner: SettlementPartner,
  { kind }: PartnerCommand,
  request: string,
): Promise<PartnerAnswer<Accepted>> {
  try {
    return await verbs[kind].start(partner, request);
  } catch (error) {
    // What it says may quote the request.
    const name = error instanceof Error ? error.name : typeof error;
    return { outcome: 'unknown', reason: `the adapter threw: ${name}` };
  }
}

/** What the partner says of a party may quote its data: only the code is kept with the order. */
export function recordable(
  { paymentId }: PartnerCommand,
  answer: PartnerAnswer<Accepted>,
): PartnerAnswer<Accepted> {
  if (paymentId !== null || answer.outcome === 'done') return answer;
  if (answer.outcome === 'refused') return { ...answer, message: 'refused by the partner' };
  const reason = answer.outcome === 'later' ? 'not taken for now' : 'no answer to the call';
  return { ...answer, reason };
}
