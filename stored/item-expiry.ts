const keptSeconds = 30 * 24 * 60 * 60

/** When DynamoDB may delete the item of a finished run (epoch seconds): 30 days from `now` (epoch milliseconds). */
export function itemExpiry(now: number): number {
  return Math.floor(now / 1000) + keptSeconds
}

/** True if a run that began at this time may have ended so long ago that its item has expired. */
export function mayHaveExpired(startedAt: number, now: number): boolean {
  return now - startedAt > keptSeconds * 1000
}
