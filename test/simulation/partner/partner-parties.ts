// The partner's desk for people and companies: who it knows, how it decided on each, the terms they
// accepted, the PIX keys of those who are paid and the wallets that lead there. Its books judge
// ours as those of the money do (simulated-partner.ts).
import type { Mode } from '../../../core/domain/base/tenant.js';
import type {
  PartnerAnswer,
  PartnerFact,
  PartyInput,
  PartyReport,
} from '../../../core/ports/partner.js';
import type { SeededRandom } from '../seeded-random.js';
import type { Faults } from '../world/faults.js';

/** Somebody whose identity the partner checks. */
export interface Party {
  readonly ref: string;
  readonly mode: Mode;
  /** What the caller named it by: its idempotency key, and our command's id. */
  readonly reference: string;
  readonly role: PartyInput['role'];
  readonly email: string;
  readonly tosId: string | null;
  status: PartyReport['status'];
  everApproved: boolean;
  /** The message that took its approval back; null while it has it, and before. */
  takenBackBy: string | null;
}

/** Where a party is paid. */
export interface PixDestination {
  readonly ref: string;
  readonly partyRef: string;
  readonly pixKey: string;
}

/** An off-ramp wallet that leads to a PIX destination. */
export interface Rails {
  readonly ref: string;
  readonly partyRef: string;
  readonly destinationRef: string;
}

interface Keyed {
  readonly key: string;
}

export interface PartnerPartiesInput {
  readonly mode: Mode;
  readonly random: SeededRandom;
  readonly faults: Faults;
  readonly name: (what: string) => string;
  /** One answer per key and request while the key is kept. */
  readonly once: (
    key: string,
    request: string,
    make: () => PartnerAnswer<string>,
  ) => PartnerAnswer<string>;
  /** Sends the facts and returns the message's id. */
  readonly send: (facts: readonly PartnerFact[], guaranteed: boolean) => string;
  readonly misuse: string[];
}

export class PartnerParties {
  readonly parties: Party[] = [];
  readonly destinations: PixDestination[] = [];
  readonly rails: Rails[] = [];
  /** References of parties that were turned away at once. */
  readonly turnedAway: string[] = [];
  readonly #input: PartnerPartiesInput;

  constructor(input: PartnerPartiesInput) {
    this.#input = input;
  }

  /** Takes a party, or finds the one that its key already made. Yields its ref. */
  enrol(request: string): PartnerAnswer<string> {
    const { random, faults, mode, name, once } = this.#input;
    const input = JSON.parse(request) as PartyInput;
    return once(input.reference, request, () => {
      if (faults.occurs('partyRefused')) {
        this.turnedAway.push(input.reference);
        return refused('party_unwanted');
      }
      const ref = name('party');
      const status = random.weighted({ approved: 0.42, verifying: 0.52, rejected: 0.06 });
      this.parties.push({
        ref,
        mode,
        status,
        reference: input.reference,
        role: input.role,
        email: (input.email ?? '').trim().toLowerCase(),
        tosId: input.tosId ?? null,
        everApproved: status === 'approved',
        takenBackBy: null,
      });
      return { outcome: 'done', value: ref };
    });
  }

  party(ref: string): Party | null {
    return this.parties.find((party) => party.ref === ref) ?? null;
  }

  decide(party: Party, status: 'approved' | 'rejected'): void {
    const was = party.status;
    party.status = status;
    party.everApproved ||= status === 'approved';
    const message = this.#input.send([partyFact(party)], was !== 'verifying');
    if (was === 'approved' && status === 'rejected') party.takenBackBy = message;
  }

  /** A PIX key for a party that is verified; the same one again is the same destination. */
  register(asked: Omit<PixDestination, 'ref'> & Keyed): PartnerAnswer<string> {
    const { key, partyRef, pixKey } = asked;
    const { once, name, misuse, faults } = this.#input;
    if (this.party(partyRef)?.everApproved !== true) {
      misuse.push(`a PIX key came for ${partyRef}, who is not verified`);
    }
    return once(key, JSON.stringify(asked), () => {
      if (faults.occurs('partyRefused')) return refused('pix_key_unknown');
      const ref = name('pix');
      this.destinations.push({ ref, partyRef, pixKey });
      return { outcome: 'done', value: ref };
    });
  }

  provision(asked: Omit<Rails, 'ref'> & Keyed): PartnerAnswer<string> {
    const { key, partyRef, destinationRef } = asked;
    const { once, name, misuse, faults } = this.#input;
    const destination = this.destinations.find(({ ref }) => ref === destinationRef);
    if (destination?.partyRef !== partyRef) {
      misuse.push(`a wallet of ${partyRef} should lead to ${destinationRef}`);
    }
    return once(key, JSON.stringify(asked), () => {
      if (faults.occurs('partyRefused')) return refused('wallet_refused');
      const ref = name('wallet');
      this.rails.push({ ref, partyRef, destinationRef });
      return { outcome: 'done', value: ref };
    });
  }
}

function partyFact(party: Party): PartnerFact {
  const report = { status: party.status, reason: null };
  return { reference: party.reference, partnerRef: party.ref, kind: 'party', report };
}

function refused(code: string): PartnerAnswer<never> {
  return { outcome: 'refused', code, message: code };
}
