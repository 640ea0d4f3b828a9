/** Keeps the last results by key. One that is being computed is shared, and one that failed is computed again. */
export function createPromiseCache<T>(maxEntries: number) {
  const cache = new Map<string, Promise<T>>()
  return (key: string, compute: () => Promise<T>): Promise<T> => {
    const known = cache.get(key)
    if (known) return known
    const result = compute()
    cache.set(key, result)
    result.catch(() => cache.delete(key))
    const [oldest] = cache.keys()
    if (cache.size > maxEntries && oldest !== undefined) cache.delete(oldest)
    return result
  }
}
