import { gzipSync } from 'node:zlib'
import type { S3Client } from '@aws-sdk/client-s3'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import type { UpstreamRequest } from '../../../functions/upstream/client.ts'
import type { UpstreamResponse } from '../../../functions/upstream/exchange.ts'
import type { StepContext } from '../../../functions/worker/context.ts'
import type { DirectRequest, DrivenRequest, Job, WorkerRequest } from '../../../functions/worker/request.ts'
import type { StepResponse } from '../../../functions/worker/response.ts'
import { step } from '../../../functions/worker/step.ts'
import { createPlatformModel } from '../../../local/stand-in/model.ts'
import { readReceived } from '../../../local/stand-in/received-request.ts'
import { createChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import type { ChangesEvent, SyncEvent } from '../../../stored/events.ts'
import { noProgress } from '../../../stored/pages/page.ts'
import type { PublisherClient } from '../../../stored/publisher.ts'
import { newRunId } from '../../../stored/run/run.ts'
import { createSnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../../stored/sync-state.ts'
import { entityNamed } from '../../entity-named.ts'
import { inProcessPublisher } from '../../in-process-publisher.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'
import { MemoryS3 } from '../../simulation/stores/memory-s3.ts'
import { fullSync } from '../../worker-requests.ts'

const second = 1_000
const day = 86_400 * second

/** A request of the state machine. */
export const stepRequest = (runId: string, job: Job = fullSync): DrivenRequest => ({
  entity: 'CL',
  job,
  driver: { kind: 'step', runId, execution: 'arn:execution' },
})

export const directRequest: DirectRequest = { entity: 'CL', job: fullSync, driver: { kind: 'direct' } }

export const statusResponse = (code: number, headers = {}) => ({
  status: code,
  headers,
  body: Buffer.from('no'),
})

/** What the client of the platform redacts. */
export const secret = 'key-of-ours'

/** The platform asks for five minutes without requests. */
export const throttled = statusResponse(429, { 'retry-after': '300' })

/** The next call to a store fails. */
export function failOnce<Store extends object>(store: Store, method: keyof Store) {
  const original = store[method]
  store[method] = (async () => {
    store[method] = original
    throw new Error('down')
  }) as Store[typeof method]
}

/** Runs the worker on the entity CL, with stores, platform and clock in memory. */
export class WorkerTestbed {
  readonly dynamodb = new MemoryDynamoDb()
  readonly s3 = new MemoryS3()
  readonly state = createStateStore(this.dynamodb)
  snapshots = createSnapshotStore('snapshots', this.s3 as unknown as S3Client)
  readonly publisher: { -readonly [Task in keyof PublisherClient]: PublisherClient[Task] } =
    inProcessPublisher({
      table: this.dynamodb,
      s3: this.s3 as unknown as S3Client,
      now: () => this.now,
      entities: () => this.entities(),
    })
  readonly changes = createChangeSetStore('snapshots', this.s3 as unknown as S3Client)
  readonly logs: { level: string; message: string; fields: Readonly<Record<string, unknown>> }[] = []
  readonly events: (SyncEvent | ChangesEvent)[] = []
  readonly targets: string[] = []
  readonly platform = createPlatformModel({
    credentials: [{ appKey: 'key', appToken: 'token' }],
    now: () => this.now,
  })
  entity: EntitySettings = entityNamed('CL', { pageSize: 2 })
  entities = (): readonly EntitySettings[] => [this.entity]
  documents: string[] = ['{"id":1}', '{"id":2}', '{"id":3}']
  /** Milliseconds that each request takes. */
  requestMs = 100
  /** Milliseconds until a worker hands off. */
  stepMs = 780 * second
  maxConcurrentSyncs = 1
  maxConcurrentScrolls = 1
  now = Date.UTC(2031, 0, 2)
  /** Responds to a request, by its number from 1, instead of the platform. May throw. */
  respond: (
    request: number,
    target: URL,
    headers: UpstreamRequest['headers'],
  ) => UpstreamResponse | undefined = () => undefined
  ignoresFilter = false
  /** The Date header of the platform's responses; none if undefined. */
  dateOf: (now: number) => string | undefined = (now) => new Date(now).toUTCString()
  publishEvent = async (event: SyncEvent | ChangesEvent): Promise<void> => void this.events.push(event)
  #workers = 0

  /** A request of the state machine for a new run. */
  next(): DrivenRequest {
    return stepRequest(newRunId(this.now))
  }

  runOf(runId: string | null) {
    return this.state.readRun('CL', runId ?? '')
  }

  /** A caller cancels a run in progress. */
  async cancel(runId: string): Promise<unknown> {
    const run = await this.runOf(runId)
    if (!run) throw new Error('The run has no item.')
    const end = { ...noProgress, endedAt: run.updatedAt, abandoned: false }
    return this.state.endRun({ ...run, ...end, status: 'cancelled', reason: 'Cancelled.' }, ['running'])
  }

  /** Publishes once a day. Returns the runs. */
  async publishDaily(count: number): Promise<string[]> {
    const runs: string[] = []
    for (let index = 0; index < count; index++) {
      this.now += day
      runs.push((await this.step()).runId ?? '')
    }
    return runs
  }

  /** The request of a worker that crashed when it called a store. */
  async crashedIn<Store extends object>(store: Store, method: keyof Store): Promise<DrivenRequest> {
    const request = this.next()
    failOnce(store, method)
    const error = await this.step(request).catch((caught: unknown) => caught)
    if (!(error instanceof Error) || error.message !== 'down') throw new Error('The worker did not crash.')
    return request
  }

  /** The next write of an object of this name fails. */
  failWrite(name: string): void {
    this.s3.onWrite = (key) => {
      if (!key.endsWith(`/${name}`)) return
      this.s3.onWrite = undefined
      throw new Error('down')
    }
  }

  /** The request of a worker whose publisher crashed when it wrote an object of this name. */
  async crashedAtWrite(name: string): Promise<DrivenRequest> {
    const request = this.next()
    this.failWrite(name)
    const error = await this.step(request).catch((caught: unknown) => caught)
    if (!(error instanceof Error) || error.message !== 'down') throw new Error('The publisher did not crash.')
    return request
  }

  /** One invocation of the worker. */
  async step(request: WorkerRequest = directRequest): Promise<StepResponse> {
    const worker = `worker-${++this.#workers}`
    const handOffAt = this.now + this.stepMs
    return step(this.#context(), request, { worker, handOffAt, killedAt: handOffAt + 60 * second })
  }

  /** Invokes the worker until the run does not continue, as the state machine does. */
  async stepToEnd(request: WorkerRequest = directRequest): Promise<StepResponse> {
    for (;;) {
      const response = await this.step(request)
      if (response.status !== 'running' && response.status !== 'waiting') return response
      if (response.status === 'waiting') this.now += response.waitSeconds * second
    }
  }

  logged(message: string) {
    return this.logs.filter((line) => line.message === message)
  }

  #context(): StepContext {
    let names = 0
    return {
      settings: {
        name: 'Test',
        upstream: {
          baseUrl: 'https://platform',
          headerPrefix: 'X-SVC',
          searchPath: '/api/dataentities/{data_entity}/search',
          timeoutSeconds: 25,
        },
        entities: this.entities(),
        auth: { type: 'iam' },
        credentials: {},
        endpoints: [],
        maxConcurrentSyncs: this.maxConcurrentSyncs,
        maxConcurrentScrolls: this.maxConcurrentScrolls,
        stepSeconds: 780,
        validation: 'strict',
        alerts: [],
      },
      state: this.state,
      snapshots: this.snapshots,
      publisher: this.publisher,
      changes: this.changes,
      upstream: {
        send: (request) => this.#send(request),
        redact: (text) => text.replaceAll(secret, '[redacted]'),
      },
      publishEvent: (event) => this.publishEvent(event),
      log: (level, message, fields = {}) => void this.logs.push({ level, message, fields }),
      now: () => this.now,
      sleep: async (ms) => {
        this.now += ms
      },
      random: () => 0.5,
      compress: async (bytes) => gzipSync(bytes),
      uniqueName: () => `${this.#workers}-${++names}`,
    }
  }

  async #send({ target, headers, beforeSend }: UpstreamRequest): Promise<UpstreamResponse> {
    await beforeSend?.()
    this.targets.push(target)
    this.now += this.requestMs
    const url = new URL(target, 'https://platform')
    const result = this.respond(this.targets.length, url, headers)
    if (result) return result
    this.platform.documents.set(
      'CL',
      this.documents.map((document) => Buffer.from(document)),
    )
    const received = { ...lowerCased(headers), 'x-svc-api-appkey': 'key', 'x-svc-api-apptoken': 'token' }
    const request = readReceived({ method: 'GET', url: target, headers: received, body: Buffer.alloc(0) })
    this.platform.place(request)
    const responded = this.platform.respond(
      request,
      this.ignoresFilter ? { kind: 'ignore-filter' } : undefined,
    )
    const date = this.dateOf(this.now)
    return { ...responded, headers: { ...lowerCased(responded.headers), ...(date && { date }) } }
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
