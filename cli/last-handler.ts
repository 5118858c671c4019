// The last handler of a serving process: it logs a failure that left every other handler, and ends
// the process, whose state is unknown from then on.
import { createLog, type LogLevel } from '../adapters/log/pino.js';

/** Calls `end` after the first failure. A failure while the process is ending exits at once. */
export function handleLastFailures(options: {
  readonly level: LogLevel;
  readonly isEnding: () => boolean;
  readonly end: () => void;
}): void {
  // Written synchronously, so it is on stderr before the process exits.
  // The reason for the end is written even if nothing else is.
  const log = createLog({ level: options.level === 'silent' ? 'error' : options.level });
  // Unhandled rejections arrive here too.
  process.on('uncaughtException', (error, origin) => {
    log.fatal('the process ends because of a failure that nothing handled', { error, origin });
    if (options.isEnding()) process.exit(1);
    options.end();
  });
}
