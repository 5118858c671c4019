// Texts of any code points for laws. The unit `binary` of fast-check is the same set, but its table
// of all code points takes most of a second in each process.
import fc from 'fast-check';

const SURROGATES = { first: 0xd800, last: 0xdfff } as const;
const LAST = 0x10ffff;

/** Every code point: a surrogate is not one. */
const codePoint = fc
  .integer({ min: 0, max: LAST - (SURROGATES.last - SURROGATES.first + 1) })
  .map((at) => (at < SURROGATES.first ? at : at + SURROGATES.last - SURROGATES.first + 1));

export const anyText = fc.string({ unit: codePoint.map((at) => String.fromCodePoint(at)) });
