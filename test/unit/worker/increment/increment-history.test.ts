import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runsToTry } from '../../../case-count.ts'
import { histories, playHistory } from './increment-history.ts'

/** A busy machine plays a history in several seconds. */
const timeoutMs = 300_000 + Number(process.env['RUNS'] ?? 0) * 5_000

it(
  'leads every reader from any set to the state that the contract promises, whatever happens between',
  async () => {
    // RUNS and SEED play others; a failure prints both.
    const numRuns = Number(process.env['RUNS'] ?? runsToTry(40))
    const seed = Number(process.env['SEED'] ?? 1)
    await expect(
      fc.assert(
        fc.asyncProperty(histories, (steps) => playHistory(steps)),
        { numRuns, seed, endOnFailure: true },
      ),
    ).resolves.toBeUndefined()
  },
  timeoutMs,
)
