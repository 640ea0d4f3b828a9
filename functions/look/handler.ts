import { setTimeout as sleep } from 'node:timers/promises'
import { createChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { randomPause } from '../../stored/dynamodb/state-table.ts'
import { createEventPublisher } from '../../stored/events.aws.ts'
import { createWaker } from '../../stored/slots/waker.ts'
import { createSnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../stored/sync-state.ts'
import { createTableStore } from '../../stored/tables/tables.aws.ts'
import type { Receiver } from '../alerts/alerts.ts'
import type { Mail } from '../alerts/mail.ts'
import { createOutboxStore } from '../alerts/outbox-store.ts'
import { post } from '../alerts/post.ts'
import { createLookStore, type LastLook } from '../problems/look-items.ts'
import { pointersOf } from '../problems/pointers.ts'
import { longshoreCommandLine } from '../runtime/command-line.ts'
import { environment, readSettings, required } from '../runtime/environment.ts'
import { lazy } from '../runtime/lazy.ts'
import { log } from '../runtime/log.ts'
import { settleAll } from '../runtime/settle-all.ts'
import { check } from './check.ts'

const settings = readSettings()
const table = connectTable(required(environment.table))
const bucket = required(environment.bucket)
// Most looks send nothing.
const secrets = lazy(async () => (await import('../alerts/secret.aws.ts')).createSecretReader())
const topic = lazy(async () => (await import('../alerts/topic.aws.ts')).createTopicPublisher())
const receivers: readonly Receiver[] = [
  { type: 'topic', url: required(environment.alarmsTopic), notes: false },
  ...settings.alerts,
]
const state = createStateStore(table, randomPause, createWaker(settings, log))
const stores = {
  state,
  changes: createChangeSetStore(bucket),
  tables: createTableStore(bucket),
  snapshots: createSnapshotStore(bucket),
}
const context = {
  settings,
  ...stores,
  checkPointers: pointersOf(stores),
  looks: createLookStore(table),
  publishEvent: createEventPublisher({ deployment: settings.name, bucket }),
  alerts: {
    deployment: settings.name,
    receivers,
    outboxes: createOutboxStore(table),
    readSecret: async (secretId: string) => (await secrets())(secretId),
    post,
    publish: async (topicArn: string, mail: Mail) => (await topic())(topicArn, mail),
    commandLine: process.env[environment.commandLine] ?? longshoreCommandLine,
    log,
    now: Date.now,
  },
  log,
  now: Date.now,
  sleep: (ms: number) => sleep<void>(ms),
}

/** Invoked every 5 minutes by a schedule: looks for problems, and wakes runs that wait although a slot is free. */
export async function handler(): Promise<LastLook> {
  const [look] = await settleAll([check(context), state.offerSlots()])
  return look
}
