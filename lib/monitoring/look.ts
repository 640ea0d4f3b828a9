import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { Topic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import { secretReference } from '../constructs/secret-reference.ts'
import { ServiceFunction } from '../constructs/service-function.ts'
import type { Monitored } from './alarms.ts'

/** The small objects that show problems. */
const lookedAt = [
  'snapshots/*/latest.json',
  'snapshots/*/manifest.json',
  'snapshots/*/schema-changes.json',
  'changes/*/latest.json',
  'changes/*/manifest.json',
  'changes/*/refused.json',
  'changes/*/unpublished.json',
  'iceberg/*/latest.json',
  'iceberg/*/failed.json',
  'iceberg/*.metadata.json',
] as const

/** The function that finds problems, alerts people and continues runs that wait, and the rule that invokes it. */
export function createLook(
  scope: Construct,
  { configuration, storage, sync, topic }: Omit<Monitored, 'api' | 'freshness'> & { readonly topic: Topic },
): ServiceFunction {
  const check = new ServiceFunction(scope, 'Freshness', {
    folder: 'look',
    description: 'Looks for problems, and reports those that opened or were resolved',
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
  check.usesTable(storage.table, ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'DeleteItem'])
  check.wakesExecutions(sync.machine)
  check.publishesTo(topic)
  check.publishesEvents()
  check.readsSecrets(configuration.alerts.map(({ url }) => secretReference(check, url)))
  // The next check follows soon, and an alarm reports missing checks.
  check.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(5) })
  for (const objects of lookedAt) check.usesBucket(storage.bucket, objects, ['GetObject'])
  new Rule(scope, 'FreshnessSchedule', {
    description: 'Looks for problems',
    // A problem is published at most seven minutes after it begins.
    schedule: Schedule.rate(Duration.minutes(5)),
    targets: [new LambdaFunction(check.lambda, { retryAttempts: 0 })],
  })
  return check
}
