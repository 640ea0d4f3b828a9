const firstMs = 250
const maxMs = 1_000

/** Short at first, so that a small sync is shown at once. Doubles up to a second. */
export function pollIntervalMs(polls: number): number {
  return Math.min(firstMs * 2 ** polls, maxMs)
}
