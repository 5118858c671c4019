// The calls of the settlement partner's port behind each kind of command: how it is started, looked
// up by its request, and asked about by the partner's id. When they are made stands in commands.ts.
import type { CommandKind, PartnerCommand } from '../domain/partner-command.js';
import type { AcceptedOrder, PartnerAnswer, PartnerFact, SettlementPartner } from '../ports.js';
import type { RailsRequest } from './account-changes.js';

type Report = PartnerFact['report'];

const partyVerbs: Verbs = {
  start: (partner, request) => partner.receiver.start(request),
  find: (partner, request) => partner.receiver.find(request),
  ask: (partner, partnerRef) => partner.receiver.read(partnerRef),
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
    start: (partner, request) => partner.payin.start(request),
    find: (partner, request) => partner.payin.find(request),
    ask: (partner, partnerRef) => partner.payin.read(partnerRef),
  },
  payout: {
    start: (partner, request) => partner.payout.start(request),
    find: (partner, request) => partner.payout.find(request),
    ask: (partner, partnerRef) => partner.payout.read(partnerRef),
  },
  refund: {
    start: (partner, request) => partner.refund.start(request),
    find: (partner, request) => partner.refund.find(request),
    ask: (partner, partnerRef) => partner.refund.read(partnerRef),
  },
};

interface Verbs {
  start(partner: SettlementPartner, request: string): Promise<PartnerAnswer<AcceptedOrder>>;
  find(partner: SettlementPartner, request: string): Promise<PartnerAnswer<AcceptedOrder | null>>;
  /** Null where the answer to the call is all that is ever told. */
  readonly ask:
    | ((partner: SettlementPartner, partnerRef: string) => Promise<PartnerAnswer<Report>>)
    | null;
}

async function provisionRails(
  partner: SettlementPartner,
  request: string,
): Promise<PartnerAnswer<AcceptedOrder>> {
  const answer = await partner.provisionRails(JSON.parse(request) as RailsRequest);
  if (answer.outcome !== 'done') return answer;
  return { outcome: 'done', value: { partnerRef: answer.value.virtualAccountRef } };
}

/** The call itself; an adapter that throws leaves the outcome in doubt. */
export async function callPartner(
  partner: SettlementPartner,
  { kind }: PartnerCommand,
  request: string,
): Promise<PartnerAnswer<AcceptedOrder>> {
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
  answer: PartnerAnswer<AcceptedOrder>,
): PartnerAnswer<AcceptedOrder> {
  if (paymentId !== null || answer.outcome === 'done') return answer;
  if (answer.outcome === 'refused') return { ...answer, message: 'refused by the partner' };
  const reason = answer.outcome === 'later' ? 'not taken for now' : 'no answer to the call';
  return { ...answer, reason };
}
