// A check of the health of the service, as operators read it.

export interface HealthCheck {
  /** The part of the service that was looked at. */
  readonly name: string;
  /** `warning`: an operator should look at it. `critical`: money or the service is at risk. */
  readonly severity: 'ok' | 'warning' | 'critical';
  /** What was found, then what to do about it. */
  readonly detail: string;
}

/** What to do about a certificate, and why it is not trusted. */
export function untrusted(why: string): string {
  return (
    `its certificate is not trusted here (${why}): renew it, send the whole chain, or add its ` +
    'authority by NODE_EXTRA_CA_CERTS; a proxy may have replaced it'
  );
}
