const head = { by: 'x', count: 2, boundaries: [], searchedAt: '', total: 95, coverage: 'exact' } as const
/** Of a field x, in ranges in which nothing was found yet. */
export const planOfRanges = {
  ...head,
  onBoundaries: 0,
  reading: { whole: [0, 0], ranges: [], onBoundaries: [] },
} as const
