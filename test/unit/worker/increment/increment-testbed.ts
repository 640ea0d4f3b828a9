import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { CompareRequest } from '../../../../functions/compare/context.ts'
import { runCompareTask } from '../../../../functions/compare/run-task.ts'
import type { StepResponse } from '../../../../functions/worker/response.ts'
import { changesLatestKey, setManifestKey } from '../../../../stored/changes/change-keys.ts'
import type { SetManifest } from '../../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../../stored/changes/changes-latest.ts'
import { newRunId } from '../../../../stored/run/run.ts'
import { latestKey, manifestKey } from '../../../../stored/snapshots/manifest.ts'
import { entityNamed } from '../../../entity-named.ts'
import { markRun } from '../../../mark-run.ts'
import { stepRequest, WorkerTestbed } from '../worker-testbed.ts'

const minuteMs = 60_000

/** A request of the state machine. */
export const incrementRequest = (runId: string) => stepRequest(runId, { kind: 'increment' })

/** A document with its dates, in epoch milliseconds. */
export function documentAt(
  id: number | undefined,
  value: unknown,
  dates: { created: number; updated?: number },
) {
  const iso = (time: number) => new Date(time).toISOString()
  return JSON.stringify({
    ...(id !== undefined && { id }),
    value,
    createdIn: iso(dates.created),
    updatedIn: dates.updated === undefined ? null : iso(dates.updated),
  })
}

/** Full syncs with their comparisons, and increments between them, in memory. */
export class IncrementTestbed extends WorkerTestbed {
  constructor() {
    super()
    this.entity = entityNamed('CL', {
      pageSize: 2,
      changes: { ignore: ['seen'], maxDeletePercent: 100, keepDays: 30 },
      increments: { schedule: 'rate(5 minutes)', lookbackMinutes: 60 },
    })
  }

  /** When the documents of `begin` were created. */
  old = 0
  eraseWithinDays: number | undefined

  /** A deployment with the same content, at the same time. */
  copy(): IncrementTestbed {
    const copy = new IncrementTestbed()
    copy.s3.copyFrom(this.s3)
    if (this.s3.now) copy.s3.now = () => copy.now
    copy.dynamodb.copyFrom(this.dynamodb)
    copy.events.push(...this.events)
    const { entity, documents, now, old, eraseWithinDays } = this
    return Object.assign(copy, { entity, documents: [...documents], now, old, eraseWithinDays })
  }

  /** A full set of four documents that are ten days old. */
  async begin(): Promise<void> {
    this.old = this.now - 10 * 86_400_000
    this.documents = [1, 2, 3, 4].map((id) => documentAt(id, 'first', { created: this.old }))
    await this.sync()
  }

  /** Changes one of these documents. */
  update(id: number, value: unknown, updated = this.now): void {
    this.documents[id - 1] = documentAt(id, value, { created: this.old, updated })
  }

  create(id: number, created = this.now): void {
    this.documents.push(documentAt(id, 'new', { created }))
  }

  /** From now on, a person has to accept deletes. */
  refuseDeletes(): void {
    const changes = { ignore: ['seen'], maxDeletePercent: 0, keepDays: 30 }
    this.entity = { ...this.entity, maxShrinkPercent: 100, changes }
  }

  onFirstPage: () => void = () => undefined

  /** A full sync takes the entity's lease at once. */
  async takeLease(): Promise<string> {
    const runId = newRunId(this.now)
    const lease = { runId, worker: 'other', until: this.now + minuteMs, handedOff: false, direct: false }
    await this.state.claimLease('CL', await this.state.readEntity('CL'), { lease, abandonedRuns: [] })
    return runId
  }

  keysOf(prefix: string): string[] {
    return [...this.s3.objects.keys()].filter((key) => key.startsWith(prefix))
  }

  /** A full sync and its comparison. */
  async sync(): Promise<string> {
    this.now += minuteMs
    const response = await this.stepToEnd()
    if (response.status !== 'published') throw new Error(`The sync is ${JSON.stringify(response)}.`)
    await this.compare(response.runId)
    return response.runId
  }

  async compare(runId: string, acceptance?: CompareRequest['acceptance']) {
    const context = {
      snapshots: this.snapshots,
      changes: this.changes,
      publisher: this.publisher,
      publishEvent: this.publishEvent,
      eraseWithinDays: this.eraseWithinDays,
      log: (level: string, message: string, fields = {}) => void this.logs.push({ level, message, fields }),
      now: () => this.now,
      checkTime: () => undefined,
    }
    const at = new Date(this.now).toISOString()
    const refused = { refusal: 'It was refused.', refusedAt: at, acceptedAt: at }
    if (acceptance?.reviewed === 'snapshot')
      markRun(this.dynamodb, runId, { accepted: { ...refused, by: acceptance.by, withChanges: true } })
    if (acceptance?.reviewed === 'set')
      await this.step(stepRequest(runId, { kind: 'accept', guard: 'changes', by: acceptance.by }))
    const request = { entity: 'CL', runId, acceptDeletes: false, ...(acceptance && { acceptance }) }
    return runCompareTask(context, [this.entity], { task: 'compare', request })
  }

  increment(afterMs = 5 * minuteMs): Promise<StepResponse> {
    this.now += afterMs
    return this.step({ entity: 'CL', job: { kind: 'increment' }, driver: { kind: 'direct' } })
  }

  chain(): ChangesLatest {
    return this.json(changesLatestKey('CL'))
  }

  set(runId = this.chain().tip): SetManifest {
    return this.json(setManifestKey('CL', runId))
  }

  /** The records of a set. */
  records(runId?: string): string[] {
    return this.lines(this.set(runId).parts)
  }

  /** What increments delivered although readers had it: these apply records in order, so that they do not notice. */
  repeats(): string[] {
    const had = new Set<string>()
    const increments = this.chain().sets.filter(({ kind }) => kind === 'increment')
    return increments
      .flatMap(({ runId }) => this.records(runId))
      .filter((record) => had.size === had.add(record).size)
  }

  /** The documents of a reader that begins at the tip, by id. */
  readerState(): Map<string, string> {
    const set = this.set()
    const snapshot = this.json<{ pages: { key: string }[] }>(set.snapshot)
    const documents = [...this.lines(snapshot.pages), ...this.lines(set.withheldParts)]
    const state = new Map(documents.map((line) => [idOf(line), line]))
    if (set.kind === 'increment')
      for (const line of this.lines(set.incrementParts)) {
        const document = /"after":(.*)\}$/.exec(line)?.[1] ?? ''
        state.set(idOf(document), document)
      }
    return state
  }

  json<T>(key: string): T {
    const body = this.s3.objects.get(key)?.body
    if (!body) throw new Error(`There is no object ${key}.`)
    return JSON.parse(body.toString()) as T
  }

  /** Changes the JSON of an object. */
  overwrite(key: string, change: (json: object) => object): void {
    const body = Buffer.from(JSON.stringify(change(this.json(key))))
    this.s3.execute(new PutObjectCommand({ Bucket: 'snapshots', Key: key, Body: body }))
  }

  /** Changes the manifest of the published snapshot, as if it had been published like that. */
  changeSnapshot(runId: string, change: (manifest: object) => object): void {
    const key = manifestKey('CL', runId)
    this.overwrite(key, change)
    const sha256 = hash('sha256', this.s3.objects.get(key)?.body ?? '')
    this.overwrite(latestKey('CL'), (latest) => ({ ...latest, sha256 }))
  }

  lines(parts: readonly { readonly key: string }[]): string[] {
    return parts.flatMap(({ key }) => {
      const body = this.s3.objects.get(key)?.body
      if (!body) throw new Error(`There is no object ${key}.`)
      return gunzipSync(body).toString().split('\n').slice(0, -1)
    })
  }
}

const idOf = (document: string) => String((JSON.parse(document) as { id?: unknown }).id)
