// Who does something, as it is stored with what was done.

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
