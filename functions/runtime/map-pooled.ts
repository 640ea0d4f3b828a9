import { settleAll } from './settle-all.ts'

/** Like `settleAll` over a map, with at most `limit` calls at a time. A failure stops the calls that have not begun. */
export async function mapPooled<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const lane = async () => {
    while (next < items.length) {
      const index = next++
      try {
        results[index] = await work(items[index] as T)
      } catch (error) {
        next = items.length
        throw error
      }
    }
  }
  await settleAll(Array.from({ length: Math.min(limit, items.length) }, lane))
  return results
}
