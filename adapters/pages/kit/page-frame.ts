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

/** What a page gives its parts: who provides it, and what a part reads it with. */
export function provided<T>() {
  const Context = createContext<T | null>(null);
  const use = (): T => {
    const given = useContext(Context);
    assert(given !== null, 'parts are rendered inside a page');
    return given;
  };
  return [Context.Provider, use] as const;
}

const [FrameProvider, useGivenFrame] = provided<PageFrame>();

export { FrameProvider };

export function useFrame(): PageFrame & { readonly texts: FrameTexts } {
  const frame = useGivenFrame();
  return { ...frame, texts: frameTexts[frame.view.locale] };
}
