import { createOutboxStore } from '../alerts/outbox-store.ts'
import { post } from '../alerts/post.ts'
import { createLookStore, type LastLook } from '../problems/look-items.ts'
import { longshoreCommandLine } from '../runtime/command-line.ts'
import { lazy } from '../runtime/lazy.ts'
import { log } from '../runtime/log.ts'
import { environment, readSettings, required } from '../runtime/settings.ts'
import { createChangeSetStore } from '../state/changes/change-sets.aws.ts'
import { connectTable } from '../state/dynamodb/connect.aws.ts'
import { createEventPublisher } from '../state/events.aws.ts'
import { createSnapshotStore } from '../state/snapshots/snapshots.aws.ts'
import { createStateStore } from '../state/sync-state.ts'
import { createTableStore } from '../state/tables/tables.aws.ts'
import { check } from './check.ts'

const settings = readSettings()
const table = connectTable(required(environment.table))
const bucket = required(environment.bucket)
// Most looks send nothing.
const secrets = lazy(async () => (await import('../alerts/secret.aws.ts')).createSecretReader())
const context = {
  settings,
  state: createStateStore(table),
  looks: createLookStore(table),
  changes: createChangeSetStore(bucket),
  tables: createTableStore(bucket),
  snapshots: createSnapshotStore(bucket),
  publishEvent: createEventPublisher({ deployment: settings.name, bucket }),
  alerts: {
    deployment: settings.name,
    alerts: settings.alerts,
    outboxes: createOutboxStore(table),
    readSecret: async (secretId: string) => (await secrets())(secretId),
    post,
    commandLine: process.env[environment.commandLine] ?? longshoreCommandLine,
    log,
    now: Date.now,
  },
  log,
  now: Date.now,
}

/** Invoked every 5 minutes by a schedule. */
export function handler(): Promise<LastLook> {
  return check(context)
}
