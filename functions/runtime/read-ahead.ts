/**
 * The results of `read` for each item, in order. Later items are read at the same time while `mayRead` allows one more in
 * addition to those that are being read; it must allow the first one.
 */
export function* readAhead<Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
  mayRead: (ahead: readonly Item[]) => boolean,
): Generator<Promise<Result>> {
  const results: Promise<Result>[] = []
  let next = 0
  for (const first of items.keys()) {
    while (next < items.length && mayRead(items.slice(first, next))) {
      const result = read(items[next++] as Item)
      // The caller awaits it in its turn, or never if it stops early.
      result.catch(() => {})
      results.push(result)
    }
    yield results.shift() as Promise<Result>
  }
}
