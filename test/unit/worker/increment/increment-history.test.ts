import fc from 'fast-check'
import { it } from 'vitest'
import { histories, playHistory } from './increment-history.ts'

it('leads every reader from any set to the state that the contract promises, whatever happens between', async () => {
  await fc.assert(fc.asyncProperty(histories, playHistory), { numRuns: Number(process.env['RUNS'] ?? 60) })
}, 120_000)
