import { Stack } from 'aws-cdk-lib'
import { expect, test } from 'vitest'
import { resolveConfig } from '../../../lib/config.ts'
import { Schedules } from '../../../lib/sync/schedules.ts'
import { entity, withKeys } from './configurations.ts'

const arn = 'arn:aws:iam::111122223333:role/any'
const arns = { stateMachineArn: arn, workerArn: arn, roleArn: arn, deadLetterQueueArn: arn }
const schedule = 'cron(0 0 1 1 ? 2020)'

test('names each schedule that does not run again, unless the entity is disabled', () => {
  const { entities } = resolveConfig(
    withKeys({
      entities: [
        { ...entity, name: 'OFF', schedule, enabled: false },
        { ...entity, name: 'CL', schedule },
        { ...entity, name: 'AD', increments: { schedule } },
      ],
    }),
  )
  expect(() => new Schedules(new Stack(), 'Schedules', { ...arns, entities })).toThrow(
    [
      'The configuration has 2 errors:',
      "  entities[1].schedule: 'cron(0 0 1 1 ? 2020)' does not run again; name a later year, or set enabled: false",
      "  entities[2].increments.schedule: 'cron(0 0 1 1 ? 2020)' does not run again; name a later year, or remove increments",
    ].join('\n'),
  )
})
