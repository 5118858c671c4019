// Who makes a request: which credential each kind of row takes, and the refusal without it. Scopes
// and rate limits are the pipeline's next steps.
import type { IncomingMessage } from 'node:http';
import { PonteError } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import {
  authenticateKey,
  type ComesFrom,
  type KeyActor,
  keptKeyActor,
} from '../../../core/usecases/access/keys.js';
import { authenticateSession, bearerToken } from '../../../core/usecases/access/sessions.js';
import { type ClientAddress, withinNetworks } from './client-address.js';
import { header } from './request-input.js';
import type { ActorOf, Auth, Route } from './route-row.js';

interface Credentials {
  /** The X-API-Key header; null when there is none. */
  readonly key: string | null;
  readonly authorization: string | undefined;
  readonly comesFrom: ComesFrom;
}

type Authenticator<A extends Auth> = (
  deps: Deps,
  credentials: Credentials,
  route: Route,
) => ActorOf[A] | Promise<ActorOf[A]>;

/** The refusal of a request without a credential that the route takes. */
const wanted = {
  key: 'This route takes an API key. Send it as X-API-Key.',
  session: 'This route takes a session. Send Authorization: Bearer <token>.',
  either:
    'This route takes an API key or a session. Send X-API-Key or Authorization: Bearer <token>.',
} as const;

const authenticators: Readonly<{ [A in Auth]: Authenticator<A> }> = {
  key: (deps, { key, comesFrom }) => {
    if (key === null) throw new PonteError('InvalidApiKey', wanted.key);
    return keyActor(deps, key, comesFrom);
  },
  session: (deps, { key, authorization }, { errors }) => {
    if (bearerToken(authorization) !== null) return authenticateSession(deps, authorization);
    // The row names the refusal of a key, if it has a special one.
    if (key !== null && errors.includes('ModeSwitchNotAllowed')) {
      throw new PonteError('ModeSwitchNotAllowed');
    }
    throw new PonteError('Unauthorized', wanted.session);
  },
  either: (deps, { key, authorization, comesFrom }) => {
    if (key !== null) return keyActor(deps, key, comesFrom);
    if (bearerToken(authorization) !== null) return authenticateSession(deps, authorization);
    throw new PonteError('Unauthorized', wanted.either);
  },
  keyElseSession: (deps, { key, authorization, comesFrom }) => {
    if (key !== null) return keyActor(deps, key, comesFrom);
    if (bearerToken(authorization) !== null) return authenticateSession(deps, authorization);
    throw new PonteError('InvalidApiKey', wanted.either);
  },
  partner: () => null,
  signature: () => null,
  none: () => null,
};

function keyActor(deps: Deps, key: string, comesFrom: ComesFrom): KeyActor | Promise<KeyActor> {
  return keptKeyActor(deps, key, comesFrom) ?? authenticateKey(deps, key, comesFrom);
}

/** At once if the rows of a key are kept: a promise costs as much as the rest. */
export function authenticate(
  deps: Deps,
  route: Route,
  request: IncomingMessage,
  clientAddress: ClientAddress,
): ActorOf[Auth] | Promise<ActorOf[Auth]> {
  const key = header(request, 'x-api-key');
  const credentials = {
    key: key === undefined || key === '' ? null : key,
    authorization: header(request, 'authorization'),
    comesFrom: (networks: readonly string[]) => {
      const address = clientAddress(request);
      return address !== null && withinNetworks(networks)(address);
    },
  };
  const actor = authenticators[route.access.auth](deps, credentials, route);
  return actor instanceof Promise
    ? actor.then((found) => inMode(route, found))
    : inMode(route, actor);
}

function inMode({ access }: Route, actor: ActorOf[Auth]): ActorOf[Auth] {
  if (access.modes === 'test' && actor?.mode === 'live') throw new PonteError('NotFound');
  return actor;
}
