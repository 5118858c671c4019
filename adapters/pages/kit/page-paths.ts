// The path below which all pages are, if the pay URL has one: `/pay` of `https://example.com/pay`.

export function prefixOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}

/** The path without the prefix; a proxy may have removed it already. */
export function below(prefix: string, path: string): string {
  return prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}
