import { expect } from 'vitest'

/** What the response, or the item, of a run has that ended so for a reason with this text. */
export const endedBecause = (status: string, reason: RegExp | string) => ({
  status,
  reason: (typeof reason === 'string'
    ? expect.stringContaining(reason)
    : expect.stringMatching(reason)) as string,
})
