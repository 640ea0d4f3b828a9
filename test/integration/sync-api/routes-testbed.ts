import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createLookStore } from '../../../functions/problems/look-items.ts'
import { createChangeSetStore } from '../../../functions/state/changes/change-sets.aws.ts'
import { connectTable } from '../../../functions/state/dynamodb/connect.aws.ts'
import type { Manifest } from '../../../functions/state/snapshots/manifest.ts'
import { createTableStore } from '../../../functions/state/tables/tables.aws.ts'
import { createLinkSigner } from '../../../functions/sync-api/published/links.aws.ts'
import { createResponders } from '../../../functions/sync-api/responders.ts'
import { createSyncApi } from '../../../functions/sync-api/sync-api.ts'
import { makeDocuments } from '../../../local/stand-in/documents.ts'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { type Platform, startPlatform } from '../../../local/stand-in/platform.ts'
import { fullSync, shrinkingSync } from '../../worker-requests.ts'
import { type EmbeddedStores, startEmbeddedStores, withFreshTable } from '../embedded-stores.ts'
import { entitySettings, syncWorld } from '../sync-world.ts'

export let stores: EmbeddedStores
export let platform: Platform
let embedded: EmbeddedStores

/** Each test of a file has a state table and a platform of its own. Call it once in a file. */
export function prepareSyncApi(): void {
  beforeAll(async () => {
    embedded = await startEmbeddedStores()
  })
  afterAll(() => embedded.close())
  beforeEach(async () => {
    stores = await withFreshTable(embedded)
    platform = await startPlatform({ documents: { CL: makeDocuments(95), AD: makeDocuments(5) } })
  })
  afterEach(async () => {
    await Promise.all([platform.close(), stores.close()])
  })
}

/** The routes with the real stores. Starts and stops of executions are recorded. */
export function api({ startFails = false, manifests }: ApiChange = {}) {
  const inside = syncWorld({ stores, platform }, [
    entitySettings('CL'),
    entitySettings('AD', { enabled: false }),
  ])
  const started: { name: string; input: unknown }[] = []
  const stopped: string[] = []
  const response = createSyncApi(
    createResponders({
      ...inside.world,
      looks: createLookStore(connectTable(stores.table, stores.dynamodb)),
      ...(manifests && {
        snapshots: {
          ...inside.world.snapshots,
          readManifest: async (_: string, runId: string) => manifests[runId] as Manifest | undefined,
        },
      }),
      changes: createChangeSetStore(stores.bucket, stores.s3),
      tables: createTableStore(stores.bucket, stores.s3),
      signLinks: createLinkSigner(stores.bucket, stores.s3),
      executions: {
        arnOf: async (name) => `arn:execution:${name}`,
        start: async (name, input) => {
          if (startFails) throw new Error('Step Functions is unavailable')
          started.push({ name, input })
          return true
        },
        stop: async (arn) => void stopped.push(arn),
      },
    }),
  )
  const call = async (route: string, parameters: Record<string, string> = {}, more: object = {}) => {
    const event = {
      routeKey: route,
      pathParameters: parameters,
      rawQueryString: '',
      headers: {},
      requestContext: { requestId: 'r', domainName: 'api.example.com', stage: '$default' },
      isBase64Encoded: false,
      ...more,
    } as unknown as APIGatewayProxyEventV2
    const { statusCode, body = '', headers, isBase64Encoded } = await response(event)
    const text = isBase64Encoded ? gunzipSync(Buffer.from(body, 'base64')).toString() : body
    return { status: statusCode, headers, body: JSON.parse(text) }
  }
  const start = (entity: string, body?: string) => call('POST /syncs/{entity}', { entity }, { body })
  /** Runs the worker for a started run, as its execution does. */
  const drive = (index = 0, steps = 100) => {
    const input = started[index]?.input as { entity: string; runId: string; acceptShrink?: boolean }
    return inside.sync(input.entity, {
      request: inside.request(input.entity, {
        runId: input.runId,
        job: input.acceptShrink ? shrinkingSync : fullSync,
      }),
      steps,
    })
  }
  return { ...inside, call, start, started, stopped, drive }
}

/** Starts a run of CL that waits for its fifth page. Returns its id. */
export async function startThrottled({ start, started, callWorker, request }: ReturnType<typeof api>) {
  platform.faults.add({
    match: onScroll({ page: 5 }),
    fault: { kind: 'status', status: 429, headers: { 'retry-after': '600' } },
  })
  await start('CL')
  const runId = started[0]?.name ?? ''
  await callWorker(request('CL', { runId }))
  return runId
}

interface ApiChange {
  readonly startFails?: boolean
  /** In place of those in the bucket. */
  readonly manifests?: Readonly<Record<string, Partial<Manifest>>>
}

export const oneRun = 'GET /syncs/{entity}/runs/{runId}'
