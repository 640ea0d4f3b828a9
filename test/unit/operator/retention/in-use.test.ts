import { describe, expect, it } from 'vitest'
import { type Use, useOf } from '../../../../operator/retention/in-use.ts'

const now = 1000
const unused: Use = { isConfigured: false, isDeployed: false, lease: undefined, execution: undefined, now }
const target = { kind: 'stacks', config: 'shop.config.ts', name: undefined } as const

const failure = (change: Partial<Use>) => useOf('PR', { ...unused, ...change }, target)

describe('the data of an entity', () => {
  it.each<[name: string, change: Partial<Use>]>([
    ['that nothing uses', {}],
    ['whose last worker is gone', { lease: { runId: 'r', until: now } }],
  ])('%s may be deleted', (_, change) => expect(failure(change)).toBeUndefined())

  it.each<[name: string, change: Partial<Use>, message: string, fix: string]>([
    [
      'that is configured',
      { isConfigured: true, isDeployed: true },
      'PR is configured, so its data is in use.',
      'remove it from the configuration and deploy, then purge it',
    ],
    [
      'that is deployed',
      { isDeployed: true, lease: { runId: 'r', until: now + 1 } },
      'PR is not configured, but still deployed.',
      'npm run deploy -- -c config=shop.config.ts',
    ],
    [
      'that is being synced',
      { lease: { runId: 'r', until: now + 1 } },
      'The run r of PR is in progress.',
      'run the command again when it has ended (at most 5 minutes from now if its worker is gone)',
    ],
    [
      'whose run is over, but whose table is being built',
      { execution: 'arn:execution' },
      'The execution arn:execution of PR is running, and may still write a change set or a table.',
      'run the command again when it has ended',
    ],
  ])('%s is not deleted', (...[, change, reason, fix]) => expect(failure(change)).toEqual({ reason, fix }))
})
