// The operations of the port, by name. The names follow from its type: an operation that is added
// to the port does not compile until it is listed, and the suite fails until a rule calls it or the
// partner declares it unsupported.
import type { SettlementPartner } from '../../core/ports/partner.js';

type Port = Required<SettlementPartner>;
type PartnerCallName = (...given: never[]) => unknown;

/** `quote`, or `payin.start` for a call of an object of calls. */
export type OperationName = {
  [K in keyof Port]: Port[K] extends PartnerCallName
    ? K
    : Port[K] extends object & { readonly [N in keyof Port[K]]: PartnerCallName }
      ? `${K}.${keyof Port[K] & string}`
      : never;
}[keyof Port];

/** `optional`: no rule calls it. Another one that a partner does not have is to be declared. */
export const operationKinds = {
  checks: 'optional',
  collect: 'optional',
  documentLimits: 'optional',
  findCommand: 'required',
  'payin.find': 'required',
  'payin.prepare': 'required',
  'payin.read': 'required',
  'payin.start': 'required',
  'payout.find': 'required',
  'payout.prepare': 'required',
  'payout.read': 'required',
  'payout.start': 'required',
  provisionRails: 'required',
  quote: 'required',
  readInbound: 'required',
  'party.find': 'required',
  'party.prepare': 'required',
  'party.read': 'required',
  'party.start': 'required',
  'refund.find': 'required',
  'refund.prepare': 'required',
  'refund.read': 'required',
  'refund.start': 'required',
  registerPixDestination: 'required',
  requirements: 'required',
  'sandbox.awaitedPayin': 'optional',
  'sandbox.awaitsBuyer': 'optional',
  'sandbox.deposit': 'optional',
  'sandbox.quote': 'optional',
  'sandbox.readEntry': 'optional',
  'sandbox.send': 'optional',
  startTos: 'required',
  'statement.page': 'required',
  'statement.read': 'required',
  'wallets.balance': 'optional',
  'wallets.walletOf': 'optional',
} as const satisfies Readonly<Record<OperationName, 'required' | 'optional'>>;

/** The same partner; notes the name of each operation that is called. */
export function recorded<P extends SettlementPartner>(partner: P, called: Set<string>): P {
  return withNotes(partner, '', called);
}

function withNotes<T extends object>(target: T, prefix: string, called: Set<string>): T {
  return new Proxy(target, {
    get(object, key) {
      const value: unknown = Reflect.get(object, key);
      const name = `${prefix}${String(key)}`;
      if (typeof value === 'function') {
        return (...given: readonly unknown[]) => {
          called.add(name);
          return Reflect.apply(value, object, given);
        };
      }
      const isNested = typeof value === 'object' && value !== null && prefix === '';
      return isNested && !Array.isArray(value) ? withNotes(value, `${name}.`, called) : value;
    },
  });
}
