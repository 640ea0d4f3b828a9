import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { Construct } from 'constructs'
import type { Configuration } from '../config.ts'
import { secretReference } from '../constructs/secret-reference.ts'
import { ServiceFunction } from '../constructs/service-function.ts'
import type { StorageStack } from '../storage-stack.ts'

export interface FreshnessCheckProps {
  readonly configuration: Configuration
  readonly storage: StorageStack
}

/** The small objects that show problems. */
const lookedAt = [
  'snapshots/*/latest.json',
  'snapshots/*/schema-changes.json',
  'changes/*/latest.json',
  'changes/*/manifest.json',
  'changes/*/refused.json',
  'changes/*/unpublished.json',
  'iceberg/*/latest.json',
  'iceberg/*/failed.json',
] as const

/** A function that looks for problems, the age of every scheduled entity's snapshot among them, and the rule that invokes it. */
export function createFreshnessCheck(
  scope: Construct,
  { configuration, storage }: FreshnessCheckProps,
): ServiceFunction {
  const check = new ServiceFunction(scope, 'Freshness', {
    folder: 'freshness',
    description: 'Looks for problems, such as snapshots that are too old',
    configuration,
    memory: {
      mebibytes: 512,
      reason: 'It reads a few hundred small items and objects. More memory only shortens a cold start.',
    },
    timeLimit: {
      seconds: 60,
      reason:
        'It reads some items and objects per entity, of 24 entities at a time, and waits 22 s at most for receivers of alerts.',
    },
  })
  check.usesTable(storage.table, ['GetItem', 'BatchGetItem', 'PutItem'])
  check.publishesEvents()
  check.readsSecrets(configuration.alerts.map(({ url }) => secretReference(check, url)))
  for (const objects of lookedAt) check.usesBucket(storage.bucket, objects, ['GetObject'])
  new Rule(scope, 'FreshnessSchedule', {
    description: 'Checks the age of the snapshots',
    // A problem is published at most seven minutes after it begins.
    schedule: Schedule.rate(Duration.minutes(5)),
    // The next check follows soon, and an alarm reports missing checks.
    targets: [new LambdaFunction(check.lambda, { retryAttempts: 0 })],
  })
  return check
}
