// What the components of every page may use. The pages of each audience provide it: their paths,
// their texts and their formats.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { assert } from '../../../core/errors.js';
import type { Format } from './format.js';
import type { FrameView } from './frame-view.js';

export interface PageFrame {
  readonly view: Pick<FrameView, 'locale' | 'root' | 'path' | 'csrf' | 'nowMs'>;
  /** Version of what the forms of the page change; undefined where they change nothing. */
  readonly formVersion: number | undefined;
  readonly texts: FrameTexts;
  readonly format: Format;
}

export interface FrameTexts {
  readonly frame: Readonly<
    Record<
      'copy' | 'checkAgain' | 'live' | 'print' | 'printHow' | 'uploadFailed' | 'back' | 'language',
      string
    >
  >;
  readonly errors: { readonly heading: (count: number) => string };
}

const FrameContext = createContext<PageFrame | null>(null);
export const FrameProvider = FrameContext.Provider;

export function useFrame(): PageFrame {
  const frame = useContext(FrameContext);
  assert(frame !== null, 'components are rendered inside a page');
  return frame;
}
