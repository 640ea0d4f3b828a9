/**
 * Loads something on first use, so that a cold start does not wait for it. All callers share one result. A rejection is
 * not kept: the next call tries again.
 */
export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}
