// A person, known by an address that a mail proves. Sessions and passkeys are of the person, and
// belong to no organization; what the person is in an organization is a membership (member.ts).

export interface Person {
  readonly id: string;
  /** As it was first given. */
  readonly email: string;
  /** No other person has it. */
  readonly emailKey: string;
  readonly createdAtMs: number;
  readonly version: number;
}

export function newPerson(
  id: string,
  { email, emailKey }: Pick<Person, 'email' | 'emailKey'>,
  nowMs: number,
): Person {
  return Object.freeze({ id, email, emailKey, createdAtMs: nowMs, version: 1 });
}
