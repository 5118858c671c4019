// What a quarantine holds back and happened nevertheless: commands, webhooks and mails that were
// claimed or sent, and writes of runs that it refuses.
import type { Deps } from '../../../core/ports/deps.js';
import type { StagedWrite } from '../world/gated-store.js';

export class QuarantineMonitor {
  /** From a restore until the stored release. */
  isOn = false;
  /** What happened while it was on, in words. */
  readonly done: string[] = [];

  note(what: string): void {
    if (this.isOn) this.done.push(what);
  }

  noteClaims(claimed: readonly { readonly id: string }[]): void {
    for (const { id } of claimed) this.note(`claim of ${id}`);
  }

  noteWrites(writes: readonly StagedWrite[]): void {
    for (const { group, method, args } of writes) {
      const isNothing = Array.isArray(args[0]) && args[0].length === 0;
      if (!isNothing) this.note(`${group}.${method}`);
    }
  }
}

type Ways = Pick<Deps, 'partners' | 'sender' | 'mailer'>;

/** Calls of the partner that start something. */
const calls: readonly string[] = ['registerPixDestination', 'provisionRails'];
const commandKinds: readonly string[] = ['party', 'payin', 'payout', 'refund'];

/** The same ports; `leaves` is called before each call that sends something out. */
export function monitorSends(
  { partners, sender, mailer }: Ways,
  leaves: (what: string) => void,
): Ways {
  const watched = <T extends object>(port: T, names: readonly string[]): T =>
    new Proxy(port, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as T[keyof T & string] & object;
        if (commandKinds.includes(String(name))) return watched(value, ['start']);
        if (typeof name === 'string' && names.includes(name)) leaves(name);
        return value;
      },
    });
  const { test, live } = partners;
  return {
    partners: { test: test && watched(test, calls), live: live && watched(live, calls) },
    sender: watched(sender, ['send']),
    mailer: watched(mailer, ['send']),
  };
}
