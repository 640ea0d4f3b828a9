const minPollMs = 15_000
const maxPollMs = 180_000

/**
 * How long a run that nothing wakes waits before it looks for a slot again: a quarter of the time it has waited. Each
 * request costs state transitions and possibly a cold start.
 */
export function slotPollMs(waitedMs: number): number {
  return Math.round(Math.min(maxPollMs, Math.max(minPollMs, waitedMs / 4)))
}
