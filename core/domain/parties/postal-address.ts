// Addresses of countries without postal codes or states. Their part is left blank, and a partner
// that requires every part gets a value that says so.
import type { Owner } from './dossier.js';

type Address = Pick<Owner, 'country' | 'city' | 'stateProvinceRegion' | 'postalCode'>;

const listed = (codes: string): ReadonlySet<string> => new Set(codes.trim().split(/\s+/));

/**
 * Countries whose addresses lack the part, and what a partner gets in its place.
 *
 * Without postal codes: the formats of libaddressinput (after UPU S42) that have no `%Z`, and, of
 * those that it lacks, KP and SY (UPU). Zeros are what carriers take there.
 * Without states: ISO 3166-2 lists no subdivision, or the country is one city (MC, SG). There the
 * city is the region. Territories of the USA are states to its post (USPS).
 */
const absentParts = {
  postalCode: {
    countries: listed(`
AE AG AO AQ AW BF BI BJ BO BQ BS BV BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GA GD GH GM GQ GY HK JM
KI KM KN KP LC LY ML MO MR MS MW NA NR NU PA PS QA RW SB SC SL SR SS ST SX SY TD TF TG TK TL TO TT
TV UG VU WS YE ZW`),
    sent: () => '00000',
  },
  stateProvinceRegion: {
    countries: listed(`
AI AW AX BL BM BV CC CK CW CX EH FK FO GF GG GI GP GS HK HM IM IO JE KY MC MF MO MQ MS NF NU PM PN
RE SG SJ SX TC TK VA VG YT`),
    sent: ({ city }: Address) => city,
  },
} as const satisfies Partial<
  Record<
    keyof Owner,
    {
      readonly countries: ReadonlySet<string>;
      readonly sent: (address: Address) => string | null | undefined;
    }
  >
>;

/** Whether addresses of the country have no such part. */
export function lacksPart(field: string, country: string | null | undefined): boolean {
  const part = Object.entries(absentParts).find(([name]) => name === field)?.[1];
  return part?.countries.has((country ?? '').toUpperCase()) ?? false;
}

/** With a value for each part that its country lacks. */
export function wholeAddress<A extends Address>(address: A): A {
  const filled = Object.entries(absentParts).flatMap(([field, { sent }]) => {
    const value = address[field as keyof typeof absentParts] ?? '';
    if (value.trim() !== '' || !lacksPart(field, address.country)) return [];
    return [[field, sent(address)] as const];
  });
  return filled.length === 0 ? address : { ...address, ...Object.fromEntries(filled) };
}
