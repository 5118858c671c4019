// Who is let in: which credential each kind of row takes, and the refusal without it. What the
// credential may do (scopes, limits) is asked in the pipeline's next steps.
import type { IncomingMessage } from 'node:http';
import { PonteError } from '../../core/errors.js';
import type { Deps } from '../../core/ports.js';
import { authenticateKey } from '../../core/usecases/keys.js';
import { authenticateSession, bearerToken } from '../../core/usecases/sessions.js';
import { header } from './request-input.js';
import type { ActorOf, Auth, Route } from './route-row.js';

interface Credentials {
  /** The X-API-Key header; null when there is none. */
  readonly key: string | null;
  /** The Authorization header. */
  readonly authorization: string | undefined;
}

type Admission<A extends Auth> = (
  deps: Deps,
  credentials: Credentials,
  route: Route,
) => Promise<ActorOf[A]>;

const admissions: Readonly<{ [A in Auth]: Admission<A> }> = {
  key: (deps, { key }) => authenticateKey(deps, key ?? undefined),
  session: (deps, { key, authorization }, { errors }) => {
    const keyAlone = key !== null && bearerToken(authorization) === null;
    // Where a key has a refusal of its own, the row names it.
    if (keyAlone && errors.includes('ModeSwitchNotAllowed')) {
      throw new PonteError('ModeSwitchNotAllowed');
    }
    return authenticateSession(deps, authorization);
  },
  either: (deps, { key, authorization }) =>
    key === null ? authenticateSession(deps, authorization) : authenticateKey(deps, key),
  partner: async () => null,
  signature: async () => null,
  none: async () => null,
};

export async function admit(
  deps: Deps,
  route: Route,
  request: IncomingMessage,
): Promise<ActorOf[Auth]> {
  const key = header(request, 'x-api-key');
  const credentials = {
    key: key === undefined || key === '' ? null : key,
    authorization: header(request, 'authorization'),
  };
  const actor = await admissions[route.auth](deps, credentials, route);
  if (route.modes === 'test' && actor?.mode === 'live') throw new PonteError('NotFound');
  return actor;
}
