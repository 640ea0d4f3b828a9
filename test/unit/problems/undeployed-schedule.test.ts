import { expect, it } from 'vitest'
import type { DeployedSchedule } from '../../../functions/problems/facts.ts'
import { undeployedSchedule } from '../../../functions/problems/schedule-problems.ts'
import { factsOf } from './facts-of.ts'

const schedule: DeployedSchedule = {
  starts: 'full',
  isDeployed: true,
  existing: { enabled: true, changedAt: '' },
  differences: [],
  undeployed: { deployed: 'a', configured: 'b', deploy: 'd' },
}

it.each<[what: string, change: Partial<DeployedSchedule>, isProblem: boolean]>([
  ['was deployed', {}, true],
  ['was never deployed', { isDeployed: false, existing: undefined }, true],
  ['was changed in the account', { differences: ['its role is a'] }, false],
  ['was deleted in the account', { existing: undefined }, false],
])('a schedule that differs from the configuration and %s', (_, change, isProblem) => {
  const facts = factsOf({ schedules: { kind: 'deployed', schedules: [{ ...schedule, ...change }] } })
  expect(undeployedSchedule(facts) !== undefined).toBe(isProblem)
})
