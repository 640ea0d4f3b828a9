import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runsToTry } from '../../case-count.ts'
import { chainSteps, checkChain } from '../compare/chain-check.ts'
import { histories, playHistory } from '../worker/increment/increment-history.ts'
import { IncrementTestbed } from '../worker/increment/increment-testbed.ts'
import { SetChecks } from './set-checks.ts'

it('checks every set that a comparison writes', async () => {
  await fc.assert(
    fc.asyncProperty(chainSteps, async (steps) => {
      const checks = new SetChecks()
      await checkChain(steps, {
        context: (context, { s3 }) => ({ ...context, changes: checks.of(context.changes, s3.objects) }),
      })
      for (const { check, manifest } of checks.found) expect(check).toEqual({ kind: 'checked', manifest })
    }),
    { numRuns: runsToTry(60) },
  )
})

it('checks every set of increments, and of comparisons after them', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const checks = new SetChecks()
      const testbed = new IncrementTestbed()
      const query = testbed.entity.query
      testbed.changes = checks.of(testbed.changes, testbed.s3.objects, { query })
      await playHistory(steps, testbed)
      for (const { check, manifest } of checks.found) expect(check).toEqual({ kind: 'checked', manifest })
    }),
    { numRuns: runsToTry(40) },
  )
})
