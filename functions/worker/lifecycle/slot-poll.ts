const minPollMs = 15_000
const maxPollMs = 180_000

/**
 * How long a run that nothing wakes waits before it looks for a slot again: a quarter of the time it has waited. Each
 * request costs state transitions and possibly a cold start.
 */
export const slotPollMs = (waitedMs: number): number =>
  Math.round(Math.min(maxPollMs, Math.max(minPollMs, waitedMs / 4)))
