// Unknown names that look like a known one: a typing error or another spelling.

/** Shorter names have too many neighbours: `url` and `uri`. */
const ONE_EDIT_LENGTH_MIN = 4;
const TWO_EDITS_LENGTH_MIN = 8;
const EDITS_MAX = 2;

/** The known name that `name` most likely means; null if there is none. */
export function nearMiss(name: string, known: readonly string[]): string | null {
  const folded = foldedName(name);
  const others = foldedNames(known).filter(([one]) => one !== name);
  const respelled = others.find(([, other]) => other === folded);
  const meant = respelled ?? others.find(([, other]) => isNear(folded, other));
  return meant?.[0] ?? null;
}

/** Each list is folded once. */
const foldedLists = new WeakMap<readonly string[], readonly (readonly [string, string])[]>();

function foldedNames(names: readonly string[]): readonly (readonly [string, string])[] {
  const made = foldedLists.get(names) ?? names.map((name) => [name, foldedName(name)] as const);
  foldedLists.set(names, made);
  return made;
}

/** Case and separators are spelling: `external_id`, `externalID` and `externalId` are one name. */
function foldedName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function isNear(name: string, known: string): boolean {
  if (Math.abs(name.length - known.length) > EDITS_MAX) return false;
  if (known.length < ONE_EDIT_LENGTH_MIN || hasOtherDigits(name, known)) return false;
  if (sorted(name) === sorted(known)) return true;
  const edits = editDistance(name, known);
  if (edits <= 1) return true;
  // With another first letter it is another word: `internalId` is not `externalId`.
  return edits === EDITS_MAX && known.length >= TWO_EDITS_LENGTH_MIN && name[0] === known[0];
}

/** A number is no typing error: `addressLine3` is not `addressLine2`. */
function hasOtherDigits(name: string, known: string): boolean {
  const [ofName, ofKnown] = [name.replace(/\D/g, ''), known.replace(/\D/g, '')];
  return ofName !== '' && ofKnown !== '' && ofName !== ofKnown;
}

function sorted(text: string): string {
  return [...text].toSorted().join('');
}

/** Characters inserted, deleted, replaced or swapped with a neighbour: optimal string alignment. */
function editDistance(left: string, right: string): number {
  const rows: number[][] = [];
  const cost = (row: number, column: number): number => {
    if (row < 0 || column < 0) return Number.POSITIVE_INFINITY;
    return row === 0 || column === 0 ? row + column : (rows[row]?.[column] ?? 0);
  };
  for (let row = 1; row <= left.length; row += 1) {
    rows[row] = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const [a, b] = [left[row - 1], right[column - 1]];
      const isSwapped = a === right[column - 2] && left[row - 2] === b;
      const edits = Math.min(
        cost(row - 1, column) + 1,
        cost(row, column - 1) + 1,
        cost(row - 1, column - 1) + (a === b ? 0 : 1),
        isSwapped ? cost(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      rows[row]?.push(edits);
    }
  }
  return cost(left.length, right.length);
}
