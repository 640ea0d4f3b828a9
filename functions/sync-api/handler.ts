import { forHttpEvents } from '../http/event.ts'
import { lazy } from '../runtime/lazy.ts'
import { log } from '../runtime/log.ts'
import { environment, readSettings, required } from '../runtime/settings.ts'
import { createStateStore } from '../state/sync-state.aws.ts'
import { createSyncApi } from './sync-api.ts'
import { createSyncs } from './syncs.ts'

const bucket = required(environment.bucket)
const stateMachine = required(environment.stateMachine)

// Most calls look at the state table only. The clients of S3 and Step Functions are a third of a cold start
// (docs/performance.md), so the first call that needs one loads it.
const executions = lazy(async () => (await import('./executions.aws.ts')).createExecutionStore(stateMachine))
const snapshots = lazy(async () => (await import('../state/snapshots.aws.ts')).createSnapshotStore(bucket))
const links = lazy(async () => (await import('./links.aws.ts')).signLinks(bucket))

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
