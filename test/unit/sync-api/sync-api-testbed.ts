import { gunzipSync } from 'node:zlib'
import type { S3Client } from '@aws-sdk/client-s3'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { createLookStore } from '../../../functions/problems/look-items.ts'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import { createResponders } from '../../../functions/sync-api/responders.ts'
import { createSyncApi } from '../../../functions/sync-api/sync-api.ts'
import { createSyncs } from '../../../functions/syncs/syncs.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import type { Lease } from '../../../stored/lease.ts'
import type { CommittedPage } from '../../../stored/pages/page.ts'
import { type ActiveFullRun, type ActiveRun, newRun } from '../../../stored/run/run.ts'
import { plannedRanges } from '../../../stored/run/split.ts'
import { type Manifest, manifestKey } from '../../../stored/snapshots/manifest.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { type TableLatest, tableLatestKey } from '../../../stored/tables/table.ts'
import { createTableStore } from '../../../stored/tables/tables.aws.ts'
import { entityNamed } from '../../entity-named.ts'
import { MemoryS3 } from '../../simulation/stores/memory-s3.ts'
import { planOfRanges } from '../stored/run/plan-of-ranges.ts'
import { StateTestbed } from '../stored/state-testbed.ts'

/** A run of 80 documents in two ranges that have not begun. */
export const ranges = plannedRanges(
  {
    ...planOfRanges,
    by: 'createdIn',
    total: 80,
    filters: ['undated', 'dated'].map((where) => ({ where, documents: 40 })),
  },
  { pageSize: 10, now: 0 },
)

/** A response that comes later than those of the stores in memory: who does not wait for it, goes on before. */
const responded = () => new Promise((resolve) => setImmediate(resolve))

/** The sync API with its stores in memory. Starts and stops of executions are recorded. */
export class SyncApiTestbed extends StateTestbed {
  readonly s3 = new MemoryS3()
  readonly started: { readonly name: string; readonly input: unknown }[] = []
  /** Names of executions that have ended. */
  readonly ended = new Set<string>()
  readonly stopped: { readonly arn: string; readonly cause: string }[] = []
  readonly logs: { level: string; message: string; fields: Readonly<Record<string, unknown>> }[] = []
  entities: readonly EntitySettings[] = [entityNamed('CL'), entityNamed('AD', { enabled: false })]
  now = Date.UTC(2026, 2, 1, 6)
  /** An error with which the next starts and stops of executions fail. */
  stateMachineError: Error | undefined

  async call(route: string, parameters: Record<string, string> = {}, change: object = {}) {
    const event = {
      routeKey: route,
      pathParameters: parameters,
      rawQueryString: '',
      headers: {},
      requestContext: { requestId: 'request-1', domainName: 'api.example.com', stage: '$default' },
      isBase64Encoded: false,
      ...change,
    }
    const response = createSyncApi(createResponders(this.#context()))
    const result = await response(event as unknown as APIGatewayProxyEventV2)
    const { statusCode: status, body = '', headers, isBase64Encoded } = result
    const text = isBase64Encoded ? gunzipSync(Buffer.from(body, 'base64')).toString() : body
    return { status, headers, body: JSON.parse(text) }
  }

  /** What the command line uses without HTTP. */
  syncs() {
    return createSyncs(this.#context())
  }

  start(entity = 'CL', body?: string) {
    return this.call('POST /syncs/{entity}', { entity }, { body })
  }

  /** A run of CL that a caller started. */
  async startedRun(): Promise<{ runId: string; run: ActiveFullRun }> {
    const { runId } = (await this.start()).body
    return { runId, run: (await this.state.readRun('CL', runId)) as ActiveFullRun }
  }

  /** The first page of a scroll of 50 documents. */
  pageOf(documents: number): CommittedPage {
    return {
      kind: 'page',
      page: 1,
      key: 'key',
      token: 'next',
      pageSize: 10,
      total: 50,
      openedAt: this.now,
      respondedAt: this.now + 90_000,
      documentsSoFar: documents,
      repeatedPages: 0,
      documents,
      documentsWithoutId: 0,
      bytes: 100,
      sha256: 'hash',
    }
  }

  readSync(entity = 'CL') {
    return this.call('GET /syncs/{entity}', { entity })
  }

  readRun(runId: string, entity = 'CL') {
    return this.call('GET /syncs/{entity}/runs/{runId}', { entity, runId })
  }

  cancel(runId: string, entity = 'CL') {
    return this.call('DELETE /syncs/{entity}/runs/{runId}', { entity, runId })
  }

  readSnapshot(query = '') {
    return this.call('GET /syncs/{entity}/snapshot', { entity: 'CL' }, { rawQueryString: query })
  }

  /** A run that began `minutes` after the start of the test. */
  runAt(minutes: number, execution?: string): ActiveRun {
    const now = this.now + minutes * 60_000
    const runId = `${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}-0123456789ab`
    return newRun({ runId, entity: entityNamed('CL'), acceptShrink: false, execution, now })
  }

  /** Stores the lease of a run for an hour. */
  async lease(runId: string): Promise<Lease> {
    const lease = { runId, worker: 'w', until: this.now + 3_600_000, handedOff: false, direct: false }
    await this.state.claimLease('CL', await this.state.readEntity('CL'), { lease, abandonedRuns: [] })
    return lease
  }

  putManifest(manifest: Partial<Manifest> & Pick<Manifest, 'runId'>): void {
    const body = Buffer.from(JSON.stringify({ version: 1, ...manifest }))
    this.s3.objects.set(manifestKey('CL', manifest.runId), { body, etag: '"1"' })
  }

  putTable(table: Pick<TableLatest, 'runId' | 'rows' | 'rejected' | 'metadata' | 'committedAt'>): void {
    const body = Buffer.from(
      JSON.stringify({ ...table, columns: {}, announced: true, glue: null, inGlue: null, dropped: [] }),
    )
    this.s3.objects.set(tableLatestKey('CL'), { body, etag: '"1"' })
  }

  #context() {
    const client = this.s3 as unknown as S3Client
    return {
      settings: { entities: this.entities },
      state: this.state,
      looks: createLookStore(this.dynamodb),
      snapshots: createSnapshotStore('bucket', client),
      changes: createChangeSetStore('bucket', client),
      tables: createTableStore('bucket', client),
      signLinks: async (keys: readonly string[]) => keys.map((key) => `https://bucket.example.com/${key}`),
      executions: {
        arnOf: async (name: string) => `arn:execution:${name}`,
        start: async (name: string, input: unknown) => {
          await responded()
          if (this.stateMachineError) throw this.stateMachineError
          this.started.push({ name, input })
          return !this.ended.has(name)
        },
        stop: async (arn: string, cause: string) => {
          await responded()
          if (this.stateMachineError) throw this.stateMachineError
          this.stopped.push({ arn, cause })
        },
      },
      log: (level: string, message: string, fields: Readonly<Record<string, unknown>> = {}) =>
        void this.logs.push({ level, message, fields }),
      now: () => this.now,
    }
  }
}
