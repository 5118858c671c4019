// The accent color of an organization on the pages of its buyers. Links and buttons have it, so it
// must be readable (WCAG 2.2, 1.4.3). One setting serves both schemes: the dark one lightens it.

/** The minimum for text that is not large. */
const CONTRAST_MIN = 4.5;

/** The grounds of pages and cards in ponte.css. On tinted notices links have the strong color. */
export const accentGrounds = {
  light: { ground: '#f3f6f6', surface: '#ffffff' },
  dark: { ground: '#0d1416', surface: '#141c1f' },
} as const;

type Grounds = Readonly<Record<'ground' | 'surface', string>>;

const WHITE = '#ffffff';
const BLACK = '#000000';
/** The shares of white that are tried differ by it. */
const STEP = 0.05;
const STRONG_SHARE = 0.3;
const SOFT_SHARE = 0.1;

/** `#rrggbb` in lower case; null for any other text. */
export function readAccentColor(text: string): string | null {
  const color = text.trim().toLowerCase();
  return /^#[0-9a-f]{6}$/.test(color) ? color : null;
}

/** The lesser contrast of the color with the two grounds, such as 4.5 (to one). */
export function leastContrast(
  color: string,
  { ground, surface }: Grounds = accentGrounds.light,
): number {
  return Math.min(contrastOf(color, ground), contrastOf(color, surface));
}

/** Whether text of this color can be read in the light scheme. */
export function isReadableColor(color: string): boolean {
  return leastContrast(color) >= CONTRAST_MIN;
}

/**
 * What the color becomes in each scheme. In the dark one white is mixed in, in steps of 5 %, until
 * the contrast is 4.5:1 on both dark grounds. `strong` is under the pointer, `soft` the ground of a
 * notice, `on` the text of a button; all are `#rrggbb`.
 */
export function accentPalettes(color: string) {
  const dark = lightened(color);
  return {
    light: {
      accent: color,
      strong: mix(color, BLACK, STRONG_SHARE),
      soft: mix(accentGrounds.light.ground, color, SOFT_SHARE),
      on: WHITE,
    },
    dark: {
      accent: dark,
      strong: mix(dark, WHITE, STRONG_SHARE),
      soft: mix(accentGrounds.dark.ground, dark, SOFT_SHARE),
      on: accentGrounds.dark.ground,
    },
  };
}

function lightened(color: string): string {
  for (let share = 0; share < 1; share += STEP) {
    const mixed = mix(color, WHITE, share);
    if (leastContrast(mixed, accentGrounds.dark) >= CONTRAST_MIN) return mixed;
  }
  return WHITE;
}

function mix(color: string, other: string, share: number): string {
  const others = channelsOf(other);
  const mixed = channelsOf(color).map((channel, at) => {
    return Math.round(channel * (1 - share) + (others[at] ?? 0) * share);
  });
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** WCAG 2.2, "contrast ratio": from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG 2.2, "relative luminance" in sRGB. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(color: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
