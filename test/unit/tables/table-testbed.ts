import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { S3Client } from '@aws-sdk/client-s3'
import { idOfLine } from '../../../functions/publisher/check/identity.ts'
import { sumText } from '../../../functions/publisher/check/set/canonical.ts'
import type { Column } from '../../../functions/runtime/settings-schema/columns.ts'
import type { TableContext, TableSettings } from '../../../functions/tables/context.ts'
import { eraseTables } from '../../../functions/tables/erase-tables.ts'
import type { TableTask } from '../../../functions/tables/request.ts'
import type { PlannedTable, TableResult } from '../../../functions/tables/result.ts'
import { runTableTask } from '../../../functions/tables/run-task.ts'
import type { ErasedByTask } from '../../../functions/task/erase-entities.ts'
import { createErasurePasses } from '../../../stored/erasure-passes.ts'
import type { TableEvent } from '../../../stored/events.ts'
import { runIn, type TableMetadata } from '../../../stored/iceberg/metadata.ts'
import { createObjectVersionStore } from '../../../stored/object-versions.aws.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import { evidenceKey, latestKey, manifestKey, runPrefix } from '../../../stored/snapshots/manifest.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { type TableLatest, tableLatestKey } from '../../../stored/tables/table.ts'
import { createTableStore } from '../../../stored/tables/tables.aws.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'
import { MemoryS3 } from '../../simulation/stores/memory-s3.ts'
import { MemoryCatalog } from './memory-catalog.ts'

export const entity = 'CL'
export const hourMs = 3_600_000
const dayMs = 24 * hourMs

export const documents = (count: number): string[] =>
  Array.from({ length: count }, (_, id) => `{"id":"${id}","city":"c${id % 3}"}`)

export const string = (name: string): Column => ({ name, from: [name], type: { kind: 'string' } })

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

/** As the publisher counts it. */
function idSumOf(lines: readonly string[]): string {
  const ids = new Set(lines.map((line) => idOfLine(line, 'id') ?? line))
  return sumText([...ids].reduce((before, id) => before + BigInt(`0x${sha256(id).slice(0, 32)}`), 0n))
}

export type ContextChange = (context: TableContext) => TableContext

/** Publishes snapshots as the worker does and makes their tables, in a bucket in memory. Each publication is a day later. */
export class TableTestbed {
  readonly s3 = new MemoryS3(100)
  readonly catalog = new MemoryCatalog()
  readonly events: TableEvent[] = []
  readonly logs: { readonly level: string; readonly message: string; readonly fields: object }[] = []
  now = Date.parse('2026-01-01T00:00:00Z')
  settings: TableSettings = {
    name: entity,
    columns: [string('id'), string('city')],
    schemaReport: true,
    keepSnapshots: 7,
  }
  pagesOfChunk = 1000
  #names = 0

  constructor() {
    this.s3.now = () => this.now
  }

  /** Returns the run. */
  publish(
    documents: readonly string[],
    options: {
      readonly pageSize?: number
      readonly uniqueIds?: number
      readonly afterMs?: number
      /** The documents whose ids the evidence has; null for none, as of an earlier release. */
      readonly counted?: readonly string[] | null
    } = {},
  ): string {
    const { pageSize = 3, uniqueIds = documents.length, afterMs = dayMs, counted = documents } = options
    this.now += afterMs
    const runId = `${new Date(this.now).toISOString().replaceAll(/[-:.]/g, '')}-0123456789ab`
    const pages: Manifest['pages'][number][] = []
    for (let at = 0; at < documents.length; at += pageSize) {
      const lines = documents.slice(at, at + pageSize)
      const key = `${runPrefix(entity, runId)}a1-p${pages.length}.ndjson.gz`
      const body = gzipSync(lines.map((line) => `${line}\n`).join(''))
      this.#put(key, body)
      pages.push({ key, documents: lines.length, bytes: body.length, sha256: sha256(body) })
    }
    const documentCount = documents.length
    const evidence = JSON.stringify({ idSum: idSumOf(counted ?? []) })
    this.#put(evidenceKey(entity, runId), Buffer.from(evidence))
    const manifest = {
      version: 1,
      entity,
      runId,
      idField: 'id',
      documents: documentCount,
      uniqueIds,
      proof: 'exact',
      ...(counted && {
        evidence: { key: evidenceKey(entity, runId), bytes: evidence.length, sha256: sha256(evidence) },
      }),
      pages,
    }
    this.#put(manifestKey(entity, runId), Buffer.from(JSON.stringify(manifest)))
    const publishedAt = new Date(this.now).toISOString()
    const latest = { runId, manifest: manifestKey(entity, runId), publishedAt, documents: documentCount }
    this.#put(latestKey(entity), Buffer.from(JSON.stringify(latest)))
    return runId
  }

  /** Publishes a snapshot and makes its table. */
  async publishTable(documents: readonly string[], afterMs = dayMs): Promise<string> {
    const runId = this.publish(documents, { afterMs })
    const { status } = await this.make()
    if (status !== 'published') throw new Error(`The table is ${status}.`)
    return runId
  }

  /** Everything in one invocation. */
  make(change?: ContextChange): Promise<TableResult> {
    return this.invoke({ task: 'make-table', entity }, change) as Promise<TableResult>
  }

  async plan(): Promise<PlannedTable> {
    const planned = await this.invoke({ task: 'plan-table', entity })
    if (planned.status !== 'planned') throw new Error(`The plan is ${planned.status}.`)
    return planned
  }

  async write(plan: PlannedTable, chunk: number, change?: ContextChange) {
    const outcome = await this.invoke({ task: 'write-chunk', entity, plan, chunk }, change)
    if (outcome.status !== 'written' && outcome.status !== 'failed') throw new Error('This is no chunk.')
    return outcome as { status: 'written'; name: string } | { status: 'failed'; reason: string }
  }

  /** Plans a table and writes its chunks. */
  async writeChunks() {
    const plan = await this.plan()
    return { plan, chunks: await Promise.all(plan.chunks.map((chunk) => this.write(plan, chunk))) }
  }

  commit(plan: PlannedTable, written: Awaited<ReturnType<TableTestbed['write']>>[], change?: ContextChange) {
    return this.invoke({ task: 'commit-table', entity, plan, written }, change) as Promise<TableResult>
  }

  invoke(task: TableTask, change: ContextChange = (context) => context) {
    return runTableTask(change(this.context()), [this.settings], task)
  }

  erase(eraseWithinDays: number): Promise<ErasedByTask> {
    const versions = createObjectVersionStore('bucket', this.#client)
    const passes = createErasurePasses(new MemoryDynamoDb(), 'tablesErasedAt')
    return eraseTables({ ...this.context(), versions, passes, configured: [], eraseWithinDays })
  }

  latest(): TableLatest | undefined {
    const stored = this.s3.objects.get(tableLatestKey(entity))
    return stored && (JSON.parse(stored.body.toString()) as TableLatest)
  }

  /** The metadata of the table. */
  metadata(): TableMetadata {
    return JSON.parse(this.s3.objects.get(this.latest()?.metadata ?? '')?.body.toString() ?? '')
  }

  /** The runs whose snapshots the table has. */
  runs(): string[] {
    return this.metadata().snapshots.map(runIn)
  }

  /** The keys below a folder of the table. */
  keys(folder = ''): string[] {
    return [...this.s3.objects.keys()]
      .filter((key) => key.startsWith(`iceberg/${entity}/${folder}`))
      .toSorted()
  }

  get #client(): S3Client {
    return this.s3 as unknown as S3Client
  }

  context(): TableContext {
    return {
      snapshots: createSnapshotStore('bucket', this.#client),
      tables: createTableStore('bucket', this.#client),
      catalog: this.catalog,
      publishEvent: async (event) => void this.events.push(event),
      log: (level, message, fields = {}) => void this.logs.push({ level, message, fields }),
      now: () => this.now,
      uniqueName: () => `u${++this.#names}`,
      pagesOfChunk: this.pagesOfChunk,
      checkTime: () => undefined,
    }
  }

  overwrite(key: string, text: string): void {
    this.#put(key, Buffer.from(text))
  }

  #put(key: string, body: Buffer): void {
    this.s3.objects.set(key, { body, etag: `"${createHash('md5').update(body).digest('hex')}"` })
  }
}
