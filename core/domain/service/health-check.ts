// A check of the health of the service, as operators read it.

export interface HealthCheck {
  /** The part of the service that was looked at. */
  readonly name: string;
  /** `warning`: an operator should look at it. `critical`: money or the service is at risk. */
  readonly severity: 'ok' | 'warning' | 'critical';
  /** What was found, then what to do about it. */
  readonly detail: string;
}
