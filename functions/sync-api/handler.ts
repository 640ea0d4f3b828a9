import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { randomPause } from '../../stored/dynamodb/state-table.ts'
import { createWaker } from '../../stored/slots/waker.ts'
import { createStateStore } from '../../stored/sync-state.ts'
import { forHttpEvents } from '../http/event.ts'
import { createLookStore } from '../problems/look-items.ts'
import { environment, readSettings, required } from '../runtime/environment.ts'
import { lazy } from '../runtime/lazy.ts'
import { log } from '../runtime/log.ts'
import { createResponders } from './responders.ts'
import { createSyncApi } from './sync-api.ts'

const settings = readSettings()
const bucket = required(environment.bucket)
const table = connectTable(required(environment.table))
const stateMachine = required(environment.stateMachine)

// Most requests read the state table only. The clients of S3 and Step Functions slow down a cold start, so the first
// request that needs one loads it.
const executions = lazy(async () =>
  (await import('../syncs/executions.aws.ts')).createExecutionStore(stateMachine),
)
const snapshots = lazy(async () =>
  (await import('../../stored/snapshots/snapshots.aws.ts')).createSnapshotStore(bucket),
)
const changes = lazy(async () =>
  (await import('../../stored/changes/change-sets.aws.ts')).createChangeSetStore(bucket),
)
const tables = lazy(async () => (await import('../../stored/tables/tables.aws.ts')).createTableStore(bucket))
const links = lazy(async () => (await import('./published/links.aws.ts')).createLinkSigner(bucket))

const syncApi = createSyncApi(
  createResponders({
    settings,
    state: createStateStore(table, randomPause, createWaker(settings, log)),
    looks: createLookStore(table),
    snapshots: {
      readLatest: async (entity) => (await snapshots()).readLatest(entity),
      readManifest: async (entity, runId) => (await snapshots()).readManifest(entity, runId),
      readRefused: async (entity, runId) => (await snapshots()).readRefused(entity, runId),
      async *listKeys(prefix) {
        yield* (await snapshots()).listKeys(prefix)
      },
    },
    changes: {
      readLatest: async (entity) => (await changes()).readLatest(entity),
      readManifest: async (entity, runId) => (await changes()).readManifest(entity, runId),
      readRefused: async (entity, runId) => (await changes()).readRefused(entity, runId),
    },
    tables: { readLatest: async (entity) => (await tables()).readLatest(entity) },
    executions: {
      arnOf: async (name) => (await executions()).arnOf(name),
      start: async (name, input) => (await executions()).start(name, input),
      stop: async (arn, cause) => (await executions()).stop(arn, cause),
    },
    signLinks: async (keys) => (await links())(keys),
    log,
    now: Date.now,
  }),
)

export const handler = forHttpEvents(syncApi)
