import { environment, readSettings, required } from '../environment.ts'
import { forHttpEvents } from '../http/http-event.ts'
import { log } from '../log.ts'
import { onFirstUse } from '../on-first-use.ts'
import { createStateStore } from '../sync/state-store.ts'
import { createSyncApi } from './sync-api.ts'
import { createSyncs } from './syncs.ts'

const bucket = required(environment.bucket)
const stateMachine = required(environment.stateMachine)

// Most calls look at the state table only. The clients of S3 and Step Functions are a third of a cold start
// (docs/performance.md), so the first call that needs one loads it.
const executions = onFirstUse(async () =>
  (await import('./execution-store.ts')).createExecutionStore(stateMachine),
)
const snapshots = onFirstUse(async () =>
  (await import('../sync/snapshot-store.ts')).createSnapshotStore(bucket),
)
const links = onFirstUse(async () => (await import('./link-store.ts')).signLinks(bucket))

const syncApi = createSyncApi(
  createSyncs({
    settings: readSettings(),
    state: createStateStore(required(environment.table)),
    snapshots: {
      readManifest: async (entity, runId) => (await snapshots()).readManifest(entity, runId),
    },
    executions: {
      arnOf: async (name) => (await executions()).arnOf(name),
      start: async (name, input) => (await executions()).start(name, input),
      stop: async (arn, cause) => (await executions()).stop(arn, cause),
    },
    signLink: async (key) => (await links())(key),
    log,
    now: Date.now,
  }),
)

export const handler = forHttpEvents(syncApi)
