// A record with an entry for each of a closed list of names, whose type says that none is missing.

export function recordOf<N extends string, V>(
  names: readonly N[],
  of: (name: N) => V,
): Readonly<Record<N, V>> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<N, V>;
}
