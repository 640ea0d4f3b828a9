import { environment, readSettings, required } from '../environment.ts'
import { log } from '../log.ts'
import { createSnapshotStore } from '../sync/snapshot-store.ts'
import { createStateStore } from '../sync/state-store.ts'
import { createExecutionStore } from './execution-store.ts'
import { signLinks } from './link-store.ts'
import { createSyncApi } from './sync-api.ts'
import { createSyncs } from './syncs.ts'

const bucket = required(environment.bucket)

export const handler = createSyncApi(
  createSyncs({
    settings: readSettings(),
    state: createStateStore(required(environment.table)),
    snapshots: createSnapshotStore(bucket),
    executions: createExecutionStore(required(environment.stateMachine)),
    signLink: signLinks(bucket),
    log,
    now: Date.now,
  }),
)
