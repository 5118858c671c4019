// Who does something, as it is stored with what was done.

/**
 * `person`: a member on pages without an organization. `link`: somebody with the address of a page
 * or an upload URL; the id is what it names.
 */
export const actorKinds = [
  'key',
  'member',
  'person',
  'operator',
  'buyer',
  'seller',
  'link',
  'partner',
  'service',
] as const;

export interface Actor {
  readonly kind: (typeof actorKinds)[number];
  readonly id: string;
}

/** A person who runs commands, registered with a key. */
export interface OperatorActor {
  readonly kind: 'operator';
  readonly id: string;
  readonly name: string;
}

/**
 * Acts on a development host as long as no operator is registered. It cannot become one: ids of
 * operators begin with `opr_`.
 */
export const developmentOperator: OperatorActor = Object.freeze({
  kind: 'operator',
  id: 'development',
  name: 'development',
});
