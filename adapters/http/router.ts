// Which row of the table a request line means, and what a path takes when the method is wrong. The
// matching of paths is find-my-way's; a path that is percent-encoded wrongly matches nothing.
import FindMyWay from 'find-my-way';
import { PonteError } from '../../core/errors.js';
import type { Route } from './route-row.js';

/** Code units of one path parameter: an externalId of 200 characters fits, whatever they are. */
const PARAM_LENGTH_MAX = 1_024;

export interface Match {
  readonly route: Route;
  /** The operationId of the path form. */
  readonly operation: string;
  /** Decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
}

export interface Router {
  /** NotFound for an unknown path; MethodNotAllowed for a known one. */
  match(method: string, url: string): Match;
  /** The methods that a path takes, HEAD wherever GET is; null for an unknown path. */
  allowed(url: string): readonly string[] | null;
}

export function createRouter(routes: readonly Route[]): Router {
  const finder = FindMyWay({ maxParamLength: PARAM_LENGTH_MAX });
  for (const [path, methods] of groupByPath(routes)) {
    // All methods of a path lie under one, so that a wrong method is told from an unknown path.
    finder.on('GET', path.replaceAll(/\{(\w+)\}/g, ':$1'), () => undefined, methods);
  }
  const find = (url: string) => {
    const found = finder.find('GET', url);
    // A path that ends in a slash, or has two in a row, names nothing there.
    if (found === null || Object.values(found.params).includes('')) return null;
    const methods: Methods = found.store;
    return { methods, params: found.params, query: found.searchParams };
  };
  return {
    match(method, url) {
      const found = find(url);
      if (found === null) throw new PonteError('NotFound');
      const meant = found.methods.get(method === 'HEAD' ? 'GET' : method);
      if (meant === undefined) throw new PonteError('MethodNotAllowed');
      return { ...meant, params: found.params, query: found.query };
    },
    allowed(url) {
      const found = find(url);
      if (found === null) return null;
      const methods = [...found.methods.keys()];
      return methods.includes('GET') ? [...methods, 'HEAD'].toSorted() : methods.toSorted();
    },
  };
}

type Methods = ReadonlyMap<string, Pick<Match, 'route' | 'operation'>>;

function groupByPath(routes: readonly Route[]): ReadonlyMap<string, Methods> {
  const paths = new Map<string, Map<string, Pick<Match, 'route' | 'operation'>>>();
  for (const route of routes) {
    for (const [operation, path] of Object.entries(route.operations)) {
      const methods = paths.get(path) ?? new Map<string, Pick<Match, 'route' | 'operation'>>();
      paths.set(path, methods.set(route.method, { route, operation }));
    }
  }
  return paths;
}
