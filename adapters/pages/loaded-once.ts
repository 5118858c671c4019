/**
 * Loads at the first call, once for all. A load that fails, as of a file while a new version is
 * installed over it or of too many open files, is tried again by the next call.
 */
export function loadedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | null = null;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = null;
      throw error;
    });
    return loaded;
  };
}
