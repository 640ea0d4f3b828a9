import { createHash, randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import type { EntitySettings, Settings } from '../../functions/runtime/settings.ts'
import { createUpstream } from '../../functions/upstream/client.ts'
import { cacheCredentials } from '../../functions/upstream/credential-cache.ts'
import type { StepContext } from '../../functions/worker/context.ts'
import type { DrivenRequest, Job, WorkerRequest } from '../../functions/worker/request.ts'
import type { StepResponse } from '../../functions/worker/response.ts'
import { step } from '../../functions/worker/step.ts'
import { syncStateMachine, workerResource } from '../../lib/sync/state-machine.ts'
import { localCredentials, type Platform } from '../../local/stand-in/platform.ts'
import { readDefinition } from '../../local/states/definition.ts'
import { startExecution } from '../../local/states/execution.ts'
import { createChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import { createGzipper } from '../../stored/documents/gzip.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import type { ChangesEvent, SyncEvent } from '../../stored/events.ts'
import { runIdOfExecution } from '../../stored/run/run.ts'
import { type Latest, latestKey, type Manifest, tableKey, tableOf } from '../../stored/snapshots/manifest.ts'
import { createSnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../stored/sync-state.ts'
import { entityNamed } from '../entity-named.ts'
import { inProcessPublisher } from '../in-process-publisher.ts'
import { fullSync } from '../worker-requests.ts'
import type { EmbeddedStores } from './embedded-stores.ts'

const definition = readDefinition(syncStateMachine)

/** A configured entity with small pages. */
export const entitySettings = (name: string, change: Partial<EntitySettings> = {}): EntitySettings =>
  entityNamed(name, { pageSize: 10, ...change })

/** The real worker with embedded stores and the stand-in platform. Its clock can be moved forward. */
export function syncWorld(
  { stores, platform }: { stores: EmbeddedStores; platform: Platform },
  entities: readonly EntitySettings[],
  more: Partial<Settings> = {},
) {
  const settings: Settings = {
    name: 'Test',
    upstream: {
      baseUrl: platform.url,
      headerPrefix: 'X-SVC',
      searchPath: '/api/dataentities/{data_entity}/search',
      timeoutSeconds: 25,
    },
    entities,
    auth: { type: 'iam' },
    credentials: {},
    endpoints: [],
    alerts: [],
    maxConcurrentSyncs: 5,
    maxConcurrentScrolls: 8,
    stepSeconds: 600,
    validation: 'strict',
    ...more,
  }
  let movedMs = 0
  const events: (SyncEvent | ChangesEvent)[] = []
  const logged: string[] = []
  const now = () => Date.now() + movedMs
  const passTime = (ms: number) => {
    movedMs += ms
  }
  // A wait takes no real time.
  const sleep = async (ms: number) => {
    passTime(ms)
    await setImmediate()
  }
  const world: StepContext = {
    settings,
    state: createStateStore(connectTable(stores.table, stores.dynamodb)),
    snapshots: createSnapshotStore(stores.bucket, stores.s3),
    publisher: inProcessPublisher({
      table: connectTable(stores.table, stores.dynamodb),
      bucket: stores.bucket,
      s3: stores.s3,
      now,
      entities: () => settings.entities,
    }),
    changes: createChangeSetStore(stores.bucket, stores.s3),
    upstream: createUpstream({
      settings: settings.upstream,
      credentials: cacheCredentials({
        secretIds: { logistics: 'all', subscriptions: 'all', documents: 'all' },
        read: async () => ({ value: JSON.stringify(localCredentials), version: '1' }),
        now,
        sleep,
      }),
    }),
    publishEvent: async (event) => void events.push(event),
    log: (level, message, fields) => void logged.push(JSON.stringify({ level, message, ...fields })),
    now,
    sleep,
    random: Math.random,
    compress: createGzipper(),
    uniqueName: randomUUID,
  }
  const request = (
    entity: string,
    { job = fullSync, runId }: { job?: Job; runId?: string } = {},
  ): DrivenRequest => {
    const execution = `execution:${randomUUID()}`
    const ownRunId = runIdOfExecution({ id: execution, startedAt: now() })
    return { entity, job, driver: { kind: 'step', runId: runId ?? ownRunId, execution } }
  }
  const callWorker = (asked: WorkerRequest, { seconds = 600, using = world } = {}): Promise<StepResponse> =>
    step(using, asked, {
      worker: randomUUID(),
      handOffAt: now() + seconds * 1000,
      killedAt: now() + Math.max(seconds, 16) * 1000,
    })

  return {
    world,
    settings,
    events,
    now,
    request,
    callWorker,
    passTime,

    /** Invokes the worker as the state machine does, until the run has ended. */
    sync: async (
      entity: string,
      options: { request?: WorkerRequest; seconds?: number; steps?: number } = {},
    ) => {
      const asked = options.request ?? request(entity)
      let result: StepResponse | undefined
      let steps = 0
      const { outcome } = startExecution(
        definition,
        { Execution: { Id: 'execution', Name: 'test', StartTime: new Date(now()).toISOString(), Input: {} } },
        {
          async invoke(resource, payload) {
            if (resource !== workerResource) return { status: 'off' }
            // Nothing wakes it: the wait ends by its time limit.
            if ((payload as { task: string }).task === 'await-slot') return undefined
            if (steps++ >= (options.steps ?? 100)) throw new Error('too many steps')
            result = await callWorker(asked, { seconds: options.seconds ?? 600 })
            return result
          },
          sleep: async (ms) => passTime(ms),
          random: Math.random,
        },
      )
      const ended = await outcome
      if (result && !['running', 'waiting'].includes(result.status)) return result
      throw new Error(
        `The run of ${entity} did not end (${JSON.stringify(ended)}). ${logged.slice(-5).join('\n')}`,
      )
    },

    snapshot: (entity: string) => readSnapshot(stores.s3, stores.bucket, entity),
  }
}

/** Reads the published snapshot, and checks its pages against the manifest. */
async function readSnapshot(s3: S3Client, bucket: string, entity: string) {
  const latest = JSON.parse((await read(s3, bucket, latestKey(entity))).toString()) as Latest
  const manifest = JSON.parse((await read(s3, bucket, latest.manifest)).toString()) as Manifest
  const lines: string[] = []
  for (const page of manifest.pages) {
    const object = await read(s3, bucket, page.key)
    expect(object.length).toBe(page.bytes)
    expect(createHash('sha256').update(object).digest('hex')).toBe(page.sha256)
    const pageLines = gunzipSync(object).toString().split('\n')
    expect(pageLines.pop()).toBe('')
    expect(pageLines.length).toBe(page.documents)
    lines.push(...pageLines)
  }
  expect((await read(s3, bucket, tableKey(entity))).toString()).toBe(tableOf(bucket, manifest))
  expect(manifest.documents).toBe(lines.length)
  expect(latest).toMatchObject({ runId: manifest.runId, documents: manifest.documents })
  return { latest, manifest, lines }
}

async function read(s3: S3Client, bucket: string, key: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}
