/**
 * Days of `eraseWithinDays` that pass after content may be erased: one until the next daily task, one more for links
 * that were just issued, and one for a task that failed (ADR 16).
 */
const marginDays = 3

export const eraseWithinRange = { min: 8, max: 365 } as const

/** For how many days content that is no longer published may be kept. */
export const keptDays = (eraseWithinDays: number): number => eraseWithinDays - marginDays
