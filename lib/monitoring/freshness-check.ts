import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { Construct } from 'constructs'
import type { Configuration } from '../config.ts'
import { ServiceFunction } from '../constructs/service-function.ts'
import type { StorageStack } from '../storage-stack.ts'

export interface FreshnessCheckProps {
  readonly configuration: Configuration
  readonly storage: StorageStack
}

/** A function that checks the age of every scheduled entity's snapshot, and the rule that invokes it. */
export function createFreshnessCheck(
  scope: Construct,
  { configuration, storage }: FreshnessCheckProps,
): ServiceFunction {
  const check = new ServiceFunction(scope, 'Freshness', {
    folder: 'freshness',
    description: 'Checks the age of the snapshots',
    configuration,
    memory: {
      mebibytes: 512,
      reason: 'It reads a few hundred small items. More memory only shortens a cold start.',
    },
    timeLimit: { seconds: 60, reason: 'It reads one item per entity, ten at a time.' },
  })
  check.usesTable(storage.table, ['GetItem', 'PutItem'])
  new Rule(scope, 'FreshnessSchedule', {
    description: 'Checks the age of the snapshots',
    schedule: Schedule.rate(Duration.minutes(15)),
    // The next check follows soon, and an alarm reports missing checks.
    targets: [new LambdaFunction(check.lambda, { retryAttempts: 0 })],
  })
  return check
}
