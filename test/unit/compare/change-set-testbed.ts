import { createHash, hash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { CompareContext, CompareRequest } from '../../../functions/compare/context.ts'
import { type ErasureResult, eraseAll } from '../../../functions/compare/erase/erase-all.ts'
import type { CompareTask } from '../../../functions/compare/request.ts'
import type { ComparisonResult } from '../../../functions/compare/result.ts'
import { runCompareTask } from '../../../functions/compare/run-task.ts'
import type { ChangeSettings, EntitySettings } from '../../../functions/runtime/settings.ts'
import { changesLatestKey, setManifestKey } from '../../../stored/changes/change-keys.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import type { ChangePart, SetManifest } from '../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import type { SetPublisher } from '../../../stored/changes/publication.ts'
import { createErasurePasses } from '../../../stored/erasure-passes.ts'
import type { ChangesEvent } from '../../../stored/events.ts'
import { createObjectVersionStore } from '../../../stored/object-versions.aws.ts'
import type { Proof } from '../../../stored/run/proof.ts'
import type { Absences } from '../../../stored/run/split.ts'
import type { Latest, Manifest } from '../../../stored/snapshots/manifest.ts'
import { latestKey, manifestKey, runPrefix } from '../../../stored/snapshots/manifest.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../../stored/sync-state.ts'
import { entityNamed } from '../../entity-named.ts'
import { inProcessPublisher } from '../../in-process-publisher.ts'
import { markAcceptedSet, markRun } from '../../mark-run.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'
import { MemoryS3 } from '../../simulation/stores/memory-s3.ts'

const name = 'CL'
const dayMs = 24 * 60 * 60 * 1000

export interface CompareOptions {
  readonly runId?: string
  readonly acceptDeletes?: true
  readonly acceptance?: CompareRequest['acceptance']
}

export type ContextChange = (context: CompareContext) => CompareContext

/** Replaces some functions of the store of change sets. */
export const withChanges =
  (change: (changes: CompareContext['changes']) => Partial<CompareContext['changes']>): ContextChange =>
  (context) => ({ ...context, changes: { ...context.changes, ...change(context.changes) } })

/** Replaces some tasks of the publisher. */
export const withPublisher =
  (change: (publisher: SetPublisher) => Partial<SetPublisher>): ContextChange =>
  (context) => ({ ...context, publisher: { ...context.publisher, ...change(context.publisher) } })

/** Documents whose ids count from 0. */
export const numberedDocuments = (count: number) => Array.from({ length: count }, (_, id) => `{"id":"${id}"}`)

export interface PublishedSnapshot {
  /** The documents in the order of the scroll, without line breaks. */
  readonly documents: readonly string[]
  readonly proof?: Proof
  /** What absences from a snapshot by ranges of `createdIn` mean. */
  readonly absences?: Absences
  readonly query?: Manifest['query']
  readonly idField?: string
  readonly pageSize?: number
  readonly uniqueIds?: number
  /** The time since the last publication; a day if absent. */
  readonly afterMs?: number
}

/** Publishes snapshots as the worker does and compares them, in a bucket in memory. Each publication is a day later. */
export class ChangeSetTestbed {
  readonly s3 = new MemoryS3(3)
  readonly events: ChangesEvent[] = []
  readonly logs: { readonly level: string; readonly message: string; readonly fields: object }[] = []
  changes: ChangeSettings | false = { ignore: [], maxDeletePercent: 100, keepDays: 30 }
  now = Date.parse('2026-01-01T00:00:00Z')
  eraseWithinDays: number | undefined
  readonly dynamodb = new MemoryDynamoDb()
  readonly passes = createErasurePasses(this.dynamodb, 'erasedAt')

  publish({
    documents,
    proof = 'exact',
    absences,
    query = {},
    idField = 'id',
    pageSize = 3,
    uniqueIds = 0,
    afterMs = dayMs,
  }: PublishedSnapshot): string {
    this.now += afterMs
    const runId = `${new Date(this.now).toISOString().replaceAll(/[-:.]/g, '')}-0123456789ab`
    const pages: Manifest['pages'][number][] = []
    for (let at = 0; at < documents.length; at += pageSize) {
      const lines = documents.slice(at, at + pageSize)
      const key = `${runPrefix(name, runId)}a1-p${pages.length}.ndjson.gz`
      const body = gzipSync(lines.map((line) => `${line}\n`).join(''))
      this.#put(key, body)
      const sha256 = createHash('sha256').update(body).digest('hex')
      pages.push({ key, documents: lines.length, bytes: body.length, sha256 })
    }
    const manifest = {
      version: 1,
      entity: name,
      runId,
      query,
      idField,
      documents: documents.length,
      uniqueIds,
      proof,
      partitionedBy: absences && { by: 'createdIn', absences },
      pages,
    }
    const text = JSON.stringify(manifest)
    this.#put(manifestKey(name, runId), text)
    const publishedAt = new Date(this.now).toISOString()
    const named = { manifest: manifestKey(name, runId), sha256: hash('sha256', text) }
    this.#put(latestKey(name), JSON.stringify({ runId, ...named, publishedAt, documents: documents.length }))
    return runId
  }

  /** Compares the published snapshot with the tip. */
  compare(options: CompareOptions = {}, change?: ContextChange): Promise<ComparisonResult> {
    const { acceptDeletes = false, ...more } = options
    const { acceptance } = options
    if (acceptance?.reviewed === 'set') markAcceptedSet(this.dynamodb, acceptance)
    if (acceptance?.reviewed === 'snapshot')
      markRun(this.dynamodb, acceptance.runId, { accepted: { by: acceptance.by, withChanges: true } })
    const latest: Latest | undefined = this.#json(latestKey(name))
    if (acceptDeletes) markRun(this.dynamodb, more.runId ?? latest?.runId ?? '', { acceptDeletes })
    const request = { entity: name, runId: undefined, acceptDeletes, ...more }
    return this.invoke({ task: 'compare', request }, change)
  }

  /** Invokes the function. `change` replaces parts of what it uses. */
  invoke(task: CompareTask, change: ContextChange = (context) => context): Promise<ComparisonResult> {
    return runCompareTask(change(this.#context()), [this.#entity()], task)
  }

  #entity(): EntitySettings {
    return entityNamed(name, { changes: this.changes })
  }

  /** The daily task. */
  erase(eraseWithinDays = this.eraseWithinDays ?? 0): Promise<ErasureResult> {
    const versions = createObjectVersionStore('bucket', this.#client)
    return eraseAll({
      ...this.#context(),
      versions,
      state: createStateStore(this.dynamodb),
      passes: this.passes,
      configured: [],
      eraseWithinDays,
    })
  }

  get #client(): S3Client {
    return this.s3 as unknown as S3Client
  }

  #context(): CompareContext {
    return {
      snapshots: createSnapshotStore('bucket', this.#client),
      changes: createChangeSetStore('bucket', this.#client),
      publisher: inProcessPublisher({
        table: this.dynamodb,
        bucket: 'bucket',
        s3: this.#client,
        now: () => this.now,
        entities: () => [this.#entity()],
        log: (level, message, fields = {}) => void this.logs.push({ level, message, fields }),
      }),
      publishEvent: async (event) => void this.events.push(event),
      eraseWithinDays: this.eraseWithinDays,
      log: (level, message, fields = {}) => void this.logs.push({ level, message, fields }),
      now: () => this.now,
      checkTime: () => undefined,
    }
  }

  logged(message: string) {
    return this.logs.filter((line) => line.message === message)
  }

  /** Publishes one snapshot for each number of documents, with its change set. Returns the runs. */
  async publishSets(...counts: readonly number[]): Promise<string[]> {
    const runs: string[] = []
    for (const count of counts)
      runs.push((await this.next({ documents: numberedDocuments(count) })).manifest.runId)
    return runs
  }

  /** Publishes a snapshot and its change set. Throws if the set is not published. */
  async next(snapshot: PublishedSnapshot): Promise<PublishedSet> {
    this.publish(snapshot)
    const result = await this.compare()
    if (result.status !== 'published') throw new Error(`The comparison is ${JSON.stringify(result)}.`)
    return this.set(result.runId)
  }

  chain(): ChangesLatest | undefined {
    return this.#json(changesLatestKey(name))
  }

  set(runId: string): PublishedSet {
    const manifest: SetManifest | undefined = this.#json(setManifestKey(name, runId))
    if (!manifest) throw new Error(`The run ${runId} has no change set.`)
    return {
      manifest,
      records: this.#lines(manifest.parts),
      withheld: this.#lines(manifest.withheldParts),
    }
  }

  keys(prefix: string): string[] {
    return [...this.s3.objects.keys()].filter((key) => key.startsWith(prefix)).toSorted()
  }

  text(key: string): string | undefined {
    return this.s3.objects.get(key)?.body.toString()
  }

  /** The function crashes when it writes this object next. */
  failWrite(key: string): void {
    this.s3.onWrite = (written) => {
      if (written !== key) return
      this.s3.onWrite = undefined
      throw new Error('The function crashed.')
    }
  }

  overwrite(key: string, body: Buffer): void {
    this.#put(key, body)
  }

  #put(key: string, body: Buffer | string): void {
    this.s3.execute(new PutObjectCommand({ Bucket: 'bucket', Key: key, Body: Buffer.from(body) }))
  }

  #json<T>(key: string): T | undefined {
    const object = this.s3.objects.get(key)
    return object && (JSON.parse(object.body.toString()) as T)
  }

  #lines(parts: readonly ChangePart[]): string[] {
    return parts.flatMap(({ key, records, bytes, sha256 }) => {
      const body = this.s3.objects.get(key)?.body ?? Buffer.alloc(0)
      const lines = gunzipSync(body).toString().split('\n').slice(0, -1)
      const isDescribed =
        lines.length === records &&
        body.length === bytes &&
        createHash('sha256').update(body).digest('hex') === sha256
      if (!isDescribed) throw new Error(`The part ${key} is not as its manifest describes it.`)
      return lines
    })
  }
}

export interface PublishedSet {
  readonly manifest: SetManifest
  readonly records: readonly string[]
  readonly withheld: readonly string[]
}
