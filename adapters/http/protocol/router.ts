// Finds the row of a request line, and the methods of a path. find-my-way matches the paths; a path
// with invalid percent-encoding matches none.
import FindMyWay from 'find-my-way';
import { PonteError } from '../../../core/errors.js';
import type { Route } from './route-row.js';

/** Code units of a path parameter: any externalId of 200 characters fits. */
const PARAM_LENGTH_MAX = 1_024;

export interface RouteMatch {
  readonly route: Route;
  /** The operationId of the path form. */
  readonly operation: string;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
}

export interface Router {
  /** The methods of all rows, each once. */
  readonly methods: readonly string[];
  /** NotFound for an unknown path; MethodNotAllowed for a known one. */
  match(method: string, url: string): RouteMatch;
  /** The methods of a path, with HEAD for GET; null for an unknown path. */
  allowed(url: string): readonly string[] | null;
}

export function createRouter(routes: readonly Route[]): Router {
  const finder = FindMyWay({ maxParamLength: PARAM_LENGTH_MAX });
  for (const [path, methods] of groupByPath(routes)) {
    // One entry per path, so that a wrong method differs from an unknown path.
    finder.on('GET', path.replaceAll(/\{(\w+)\}/g, ':$1'), () => undefined, methods);
  }
  const find = (url: string) => {
    // `*` names no path (RFC 9112, 3.2.4), and neither does `*?a=b`.
    const found = url.startsWith('*') ? null : finder.find('GET', url);
    // An empty parameter (`//`, or a slash at the end) matches no path.
    if (found === null) return null;
    for (const name in found.params) if (found.params[name] === '') return null;
    const methods: Methods = found.store;
    return { methods, params: found.params, query: found.searchParams };
  };
  /** Some monitors add a slash to the address of a probe. A slash after `/v1/…` lacks an id. */
  const findProbe = (url: string) =>
    /^\/(?:healthz|readyz)\/(?:\?|$)/.test(url) ? find(url.replace('z/', 'z')) : null;
  return {
    methods: [...new Set(routes.map(({ method }) => method))],
    match(method, url) {
      const found = find(url) ?? findProbe(url);
      if (found === null) throw new PonteError('NotFound', reasonOf(url));
      const row = found.methods.get(method === 'HEAD' ? 'GET' : method);
      if (row === undefined) throw new PonteError('MethodNotAllowed');
      return { ...row, params: found.params, query: found.query };
    },
    allowed(url) {
      const found = find(url);
      if (found === null) return null;
      const methods = [...found.methods.keys()];
      return methods.includes('GET') ? [...methods, 'HEAD'].toSorted() : methods.toSorted();
    },
  };
}

/** Programs that join addresses leave a slash too many, or an id out. */
function reasonOf(url: string): string | undefined {
  const [path = ''] = url.split('?');
  return /\/\/|.\/$/.test(path)
    ? 'The path has a slash too many, or an id is missing between or after its slashes.'
    : undefined;
}

type Methods = ReadonlyMap<string, Pick<RouteMatch, 'route' | 'operation'>>;

function groupByPath(routes: readonly Route[]): ReadonlyMap<string, Methods> {
  const paths = new Map<string, Map<string, Pick<RouteMatch, 'route' | 'operation'>>>();
  for (const route of routes) {
    for (const [operation, path] of Object.entries(route.operations)) {
      const methods = paths.get(path) ?? new Map<string, Pick<RouteMatch, 'route' | 'operation'>>();
      paths.set(path, methods.set(route.method, { route, operation }));
    }
  }
  return paths;
}
