// Finds the row of a page in a table, by method and path. A segment in braces matches any text
// without a slash.
import type { PageRoute } from './page-route.js';

export interface PageMatch {
  /** Null for an unknown path, or a method that it does not have. */
  readonly route: PageRoute | null;
  /** The path has a row of another method. */
  readonly known: boolean;
  readonly params: Readonly<Record<string, string>>;
}

export type PageMatcher = (method: string, path: string) => PageMatch;

export function pageMatcher(routes: readonly PageRoute[]): PageMatcher {
  // Rows without braces come first.
  const rows = routes
    .map((route) => ({ route, segments: route.path.split('/') }))
    .sort((left, right) => bracesIn(left) - bracesIn(right));
  return (method, path) => matchIn(rows, method, path);
}

function matchIn(all: readonly Row[], method: string, path: string): PageMatch {
  const parts = path.split('/');
  const rows = all.filter(({ segments }) => segments.length === parts.length);
  const found = rows.flatMap(({ route, segments }) => {
    const params = paramsOf(segments, parts);
    return params === null ? [] : [{ route, params }];
  });
  const verb = method === 'HEAD' ? 'GET' : method;
  const match = found.find(({ route }) => route.method === verb);
  if (match === undefined) return { route: null, known: found.length > 0, params: {} };
  return { ...match, known: true };
}

type Row = { readonly route: PageRoute; readonly segments: readonly string[] };

function bracesIn({ segments }: Row): number {
  return segments.filter((segment) => segment.startsWith('{')).length;
}

function paramsOf(
  segments: readonly string[],
  parts: readonly string[],
): Readonly<Record<string, string>> | null {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? '';
    if (!segment.startsWith('{')) {
      if (segment !== part) return null;
    } else if (/^[\w.~-]{1,200}$/.test(part)) params[segment.slice(1, -1)] = part;
    else return null;
  }
  return params;
}
