// What leaves a process: orders to the partner, webhooks and mails. In quarantine nothing may.
import type { Deps } from '../../core/ports.js';

type Ways = Pick<Deps, 'partners' | 'sender' | 'mailer'>;

/** Calls of the partner that order something. */
const orders: readonly string[] = ['registerPixDestination', 'provisionRails'];
const orderKinds: readonly string[] = ['receiver', 'payin', 'payout', 'refund'];

/** The same ports; `leaves` is called before each call that sends something out. */
export function watchDepartures(
  { partners, sender, mailer }: Ways,
  leaves: (what: string) => void,
): Ways {
  const watched = <T extends object>(port: T, names: readonly string[]): T =>
    new Proxy(port, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as T[keyof T & string] & object;
        if (orderKinds.includes(String(name))) return watched(value, ['start']);
        if (typeof name === 'string' && names.includes(name)) leaves(name);
        return value;
      },
    });
  const { test, live } = partners;
  return {
    partners: { test: test && watched(test, orders), live: live && watched(live, orders) },
    sender: watched(sender, ['send']),
    mailer: watched(mailer, ['send']),
  };
}
