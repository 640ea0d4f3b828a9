import { Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { type Configuration, settingsOf } from '../config.ts'
import { ServiceFunction } from '../constructs/service-function.ts'
import type { StorageStack } from '../storage-stack.ts'

export interface FreshnessCheckProps {
  readonly configuration: Configuration
  readonly storage: StorageStack
  readonly key: IKey | undefined
}

/** Measures the age of each scheduled entity's copy. Returns the function that does. */
export function createFreshnessCheck(
  scope: Construct,
  { configuration, storage, key }: FreshnessCheckProps,
): ServiceFunction {
  const check = new ServiceFunction(scope, 'Freshness', {
    folder: 'freshness',
    description: 'Measures the age of the copies',
    settings: settingsOf(configuration),
    key,
    memory: { mebibytes: 512, reason: 'It reads some hundred small items; more only quickens a cold start.' },
    timeLimit: { seconds: 60, reason: 'It reads one item an entity, ten at a time.' },
  })
  check.usesTable(storage.table, ['GetItem', 'PutItem'])
  new Rule(scope, 'FreshnessClock', {
    description: 'Measures the age of the copies',
    schedule: Schedule.rate(Duration.minutes(15)),
    // The next one comes soon, and an alarm tells if none comes.
    targets: [new LambdaFunction(check.lambda, { retryAttempts: 0 })],
  })
  return check
}
