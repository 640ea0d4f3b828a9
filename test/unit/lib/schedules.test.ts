import { App, Stack } from 'aws-cdk-lib'
import { Annotations, Match } from 'aws-cdk-lib/assertions'
import { afterEach, expect, test, vi } from 'vitest'
import { resolveConfig } from '../../../lib/config.ts'
import { Schedules } from '../../../lib/sync/schedules.ts'
import { entity, withKeys } from './configurations.ts'

const arn = 'arn:aws:iam::111122223333:role/any'
const arns = { stateMachineArn: arn, workerArn: arn, roleArn: arn, deadLetterQueueArn: arn }

afterEach(() => void vi.useRealTimers())

test('names once for each entity what its schedules leave out when clocks move forward', () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-27T12:00:00Z'), toFake: ['Date'] })
  const timezone = 'Europe/Berlin'
  const { entities } = resolveConfig(
    withKeys({
      entities: [
        { ...entity, name: 'CL', schedule: 'cron(30 2 * * ? *)', timezone },
        { ...entity, name: 'AD', timezone, increments: { schedule: 'cron(0 2,14 * * ? *)' } },
        { ...entity, name: 'OR', schedule: 'cron(30 4 * * ? *)', timezone },
        { ...entity, name: 'OFF', schedule: 'cron(30 2 * * ? *)', timezone, enabled: false },
      ],
    }),
  )
  const stack = new Stack(new App(), 'Sync')
  new Schedules(stack, 'Schedules', { ...arns, entities })
  const found = Annotations.fromStack(stack).findInfo('*', Match.anyValue())
  expect(found.map((info) => info.entry.data)).toEqual([
    'CL: EventBridge Scheduler leaves out the run of 2027-03-28 02:30, because clocks in Europe/Berlin skip that time. If this is one too many, choose another hour, or the timezone UTC.',
    expect.stringMatching(/^AD: .* leaves out the increment of 2027-03-28 02:00, /),
  ])
})
