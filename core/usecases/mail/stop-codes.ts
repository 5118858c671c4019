// The codes of the links that stop a changed PIX destination.
import type { Mail } from '../../domain/mail/mail.js';
import { type DestinationChange, stopText } from '../../domain/parties/destination-change.js';
import type { Deps } from '../../ports/deps.js';

/** Binds the codes. */
const STOP_PURPOSE = 'stop a changed PIX destination';

/** The end of a stop link: the id of the change, and a keyed hash that only its mails have. */
export function stopCode(
  { secretBox }: Pick<Deps, 'secretBox'>,
  change: DestinationChange,
): string {
  return `${change.id}.${secretBox.mac(stopText(change), STOP_PURPOSE)}`;
}

export function isStopCode(
  { secretBox }: Pick<Deps, 'secretBox'>,
  change: DestinationChange,
  code: string,
): boolean {
  const mac = code.slice(change.id.length + 1);
  return secretBox.isMac(stopText(change), STOP_PURPOSE, mac);
}

/** The id of the change that a mail of `stagePayoutNotices` is about. */
export function changeIdOf({ cause }: Pick<Mail, 'cause'>): string {
  return cause?.split('.')[0] ?? '';
}
