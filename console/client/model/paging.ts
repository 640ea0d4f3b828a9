/** A page of a list. Counts from 0; a page beyond the end is the last one. */
export function pageOf<T>(items: readonly T[], page: number, size: number) {
  const pages = Math.ceil(items.length / size)
  const shown = Math.min(page, Math.max(0, pages - 1))
  return { shown, pages, items: items.slice(shown * size, (shown + 1) * size) }
}

/** What a pager shows; undefined if there is nothing to page. */
export function pagerOf(page: number, pages: number) {
  if (pages <= 1) return undefined
  return { text: `Page ${page + 1} of ${pages}`, isFirst: page === 0, isLast: page >= pages - 1 }
}
