// Sentences that name a time to come. A page may be read after it, so each has a second form, and
// the only comparison is here.

export interface DeadlineText<When, Said = string> {
  readonly ahead: (when: When) => Said;
  readonly over: (when: When) => Said;
}

/** Chooses the form that is true now. */
export type SayDeadline<When> = <Said>(text: DeadlineText<When, Said>) => Said;

/** Two instants, or two days of the calendar in one zone; a day is over when the next begins. */
export function deadline<At extends number | string, When>(
  at: At,
  now: At,
  shown: When,
): SayDeadline<When> {
  const isOver = at < now || (typeof at === 'number' && at === now);
  return ({ ahead, over }) => (isOver ? over(shown) : ahead(shown));
}
