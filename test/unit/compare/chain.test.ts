import fc from 'fast-check'
import { it } from 'vitest'
import { runsToTry } from '../../case-count.ts'
import { chainSteps, checkChain } from './chain-check.ts'

it('a chain leads every reader from any of its states to the last one', async () => {
  await fc.assert(
    fc.asyncProperty(chainSteps, (steps) => checkChain(steps)),
    { numRuns: runsToTry(60) },
  )
})
