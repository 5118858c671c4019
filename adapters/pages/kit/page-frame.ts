// What the components of every page may use. The pages of each audience provide their paths and
// their formats; the texts are those of their language.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { assert } from '../../../core/errors.js';
import type { Format } from './format.js';
import { type FrameTexts, frameTexts } from './frame-texts.js';
import type { FrameView } from './frame-view.js';

export interface PageFrame {
  readonly view: Pick<FrameView, 'locale' | 'root' | 'path' | 'csrf' | 'nowMs'>;
  /** Version of what the forms of the page change; undefined where they change nothing. */
  readonly formVersion: number | undefined;
  readonly format: Format;
}

const FrameContext = createContext<PageFrame | null>(null);
export const FrameProvider = FrameContext.Provider;

export function useFrame(): PageFrame & { readonly texts: FrameTexts } {
  const frame = useContext(FrameContext);
  assert(frame !== null, 'components are rendered inside a page');
  return { ...frame, texts: frameTexts[frame.view.locale] };
}
