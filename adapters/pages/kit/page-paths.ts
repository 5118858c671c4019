// The path below which all pages are, if the pay URL has one: `/pay` of `https://example.com/pay`.

/** What the address of the pages says about them. */
export function placeOf({ pathname, protocol, origin }: URL) {
  return { prefix: pathname.replace(/(?<!\/)\/+$/, ''), secure: protocol === 'https:', origin };
}

/** The path without the prefix; a proxy may have removed it already. */
export function below(prefix: string, path: string): string {
  return prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}
