import { gzipSync } from 'node:zlib'
import type { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { S3Client } from '@aws-sdk/client-s3'
import type { CompareContext } from '../../functions/compare/context.ts'
import { readCompareTask } from '../../functions/compare/request.ts'
import { runCompareTask } from '../../functions/compare/run-task.ts'
import { createResponseStore } from '../../functions/proxy/idempotency/stored-response.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { UpstreamRequest } from '../../functions/upstream/client.ts'
import type { UpstreamResponse } from '../../functions/upstream/exchange.ts'
import type { StepContext } from '../../functions/worker/context.ts'
import { awaitSlot } from '../../functions/worker/lifecycle/slot-wait.ts'
import { readWorkerRequest } from '../../functions/worker/request.ts'
import { step } from '../../functions/worker/step.ts'
import { compareResource, tablesResource } from '../../lib/sync/state-machine.ts'
import { createPlatformModel, localCredentials } from '../../local/stand-in/model.ts'
import { readReceived as readPlatformRequest } from '../../local/stand-in/received-request.ts'
import { readDefinition } from '../../local/states/definition.ts'
import { startExecution } from '../../local/states/execution.ts'
import type { ContextObject } from '../../local/states/paths.ts'
import { createChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { TableClient } from '../../stored/dynamodb/state-table.ts'
import { createEventPublisher } from '../../stored/events.aws.ts'
import { createSnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../stored/sync-state.ts'
import { inProcessPublisher } from '../in-process-publisher.ts'
import type { EmbeddedStores } from '../integration/embedded-stores.ts'
import { syncWorld } from '../integration/sync-world.ts'
import { MemoryDynamoDb } from '../simulation/stores/memory-dynamodb.ts'
import { MemoryS3 } from '../simulation/stores/memory-s3.ts'

/** What replaces the platform's response to a request: another one, or the worker crashes. */
export type Fault = UpstreamResponse | 'crash' | undefined

interface Faults {
  /** By the number of the scroll request from 1, in this execution. */
  readonly onScroll?: (request: number) => Fault
  /** Whether the worker crashes instead of writing this object. */
  readonly crashesAtWrite?: (key: string) => boolean
  /** Receives the event of a comparison, which then crashes. */
  readonly onComparison?: (event: unknown) => void
}

interface Invocation extends Pick<Faults, 'crashesAtWrite'> {
  readonly strike: (target: string) => Fault
  readonly crash: () => void
}

const credentials = {
  'x-svc-api-appkey': localCredentials.appKey,
  'x-svc-api-apptoken': localCredentials.appToken,
}
const upstream = {
  baseUrl: 'https://platform',
  headerPrefix: 'X-SVC',
  searchPath: '/api/dataentities/{data_entity}/search',
  timeoutSeconds: 25,
}

const withLowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Never settles, as for a process that is gone. */
const gone = new Promise<never>(() => undefined)

/** From the time at which a slot is free until the check hands it over. */
const lookMs = 7 * 60_000

/**
 * The functions as they are today, with table, bucket, platform and clock in memory. What they store depends on nothing
 * else, so that the same code always records the same state.
 */
export class UpgradeDeployment {
  readonly dynamodb = new MemoryDynamoDb()
  readonly s3 = new MemoryS3()
  /** A page whose worker crashed before it was committed can be requested again. */
  readonly platform = createPlatformModel({ now: () => this.now, scroll: { tokens: 'positional' } })
  /** The scroll requests that the platform received: its tokens follow from them. */
  readonly scrolled: string[] = []
  readonly events: { readonly type: string; readonly detail: object }[] = []
  entities: readonly EntitySettings[]
  readonly definition: object
  now: number
  /** An execution waits for a slot, until the freshness check wakes it. */
  #isInQueue = false
  #names = 0

  constructor(options: { entities: readonly EntitySettings[]; definition: object; now: number }) {
    this.entities = options.entities
    this.definition = options.definition
    this.now = options.now
  }

  readonly #publishEvent = createEventPublisher({ deployment: 'Longshore', bucket: 'snapshots' }, {
    send: async ({ input: { Entries = [] } }: PutEventsCommand) => {
      for (const { DetailType: type = '', Detail = '' } of Entries)
        this.events.push({ type, detail: JSON.parse(Detail) })
      return {}
    },
  } as unknown as EventBridgeClient)

  get stores() {
    const s3 = this.s3 as unknown as S3Client
    return {
      state: createStateStore(this.dynamodb),
      snapshots: createSnapshotStore('snapshots', s3),
      changes: createChangeSetStore('snapshots', s3),
      responses: createResponseStore(this.dynamodb),
    }
  }

  setDocuments(entity: string, documents: readonly string[]): void {
    this.platform.documents.set(
      entity,
      documents.map((document) => Buffer.from(document)),
    )
  }

  /** Damages the pages of an entity's snapshots. */
  damagePages(entity: string): void {
    for (const [key, { etag }] of this.s3.objects)
      if (key.startsWith(`snapshots/${entity}/`) && key.endsWith('.gz'))
        this.s3.objects.set(key, { body: Buffer.from('damaged'), etag })
  }

  /** Responds to a request of a worker, or repeats a response of an earlier platform. */
  respond(target: string, headers: Readonly<Record<string, string>> = {}): UpstreamResponse {
    const request = readPlatformRequest({
      method: 'GET',
      url: target,
      headers: { ...withLowerCase(headers), ...credentials },
      body: Buffer.alloc(0),
    })
    if (request.kind === 'scroll') {
      this.scrolled.push(target)
      this.platform.place(request)
    }
    const responded = this.platform.respond(request, undefined)
    const date = new Date(this.now).toUTCString()
    return { ...responded, headers: { ...withLowerCase(responded.headers), date } }
  }

  /** Runs an execution. Its outcome, or undefined if it waits at a Wait state or its worker has crashed. */
  execute(execution: ContextObject['Execution'], faults: Faults & { readonly stopsAtWait?: true } = {}) {
    const stopped = Promise.withResolvers<undefined>()
    let requests = 0
    const strike = (target: string) => (/\/scroll\?/.test(target) ? faults.onScroll?.(++requests) : undefined)
    const crash = () => stopped.resolve(undefined)
    const { outcome } = startExecution(
      readDefinition(this.definition),
      { Execution: execution },
      {
        invoke: (resource, payload) => {
          if (resource === tablesResource) return Promise.resolve({ status: 'off' })
          if (resource !== compareResource) return this.#work(payload, { strike, crash, ...faults })
          if (!faults.onComparison) return this.compare(payload)
          faults.onComparison(payload)
          crash()
          return gone
        },
        sleep: async (ms) => {
          if (faults.stopsAtWait) crash()
          await (faults.stopsAtWait ? gone : this.#sleep(this.#isInQueue ? lookMs : ms))
          this.#isInQueue = false
        },
        random: () => 0.5,
      },
    )
    return Promise.race([outcome, stopped.promise])
  }

  async #work(payload: unknown, { strike, crash, crashesAtWrite }: Invocation): Promise<unknown> {
    const read = readWorkerRequest(JSON.parse(JSON.stringify(payload)))
    if (read.kind === 'invalid') throw new Error(read.reason)
    let isAlive = true
    const crashNow = () => {
      isAlive = false
      crash()
      return gone
    }
    const alive = async <T>(act: () => T | Promise<T>): Promise<T> => (isAlive ? act() : gone)
    const stores = {
      table: 'state',
      bucket: 'snapshots',
      // The worker uses the table in memory instead.
      dynamodb: {},
      s3: {
        send: (command: { readonly input: { readonly Key?: string; readonly Body?: unknown } }) =>
          alive(() => {
            const { Key = '', Body } = command.input
            return Body !== undefined && crashesAtWrite?.(Key) ? crashNow() : this.s3.send(command)
          }),
      },
    }
    const { world } = syncWorld(
      { stores: stores as unknown as EmbeddedStores, platform: { url: 'http://127.0.0.1:9' } as never },
      this.entities,
      { upstream },
    )
    const table: TableClient = {
      read: (request) => alive(() => this.dynamodb.read(request)),
      write: (request) => alive(() => this.dynamodb.write(request)),
    }
    const context: StepContext = {
      ...world,
      state: createStateStore(table),
      publisher: inProcessPublisher({ ...this.#publisher, table, s3: stores.s3 as unknown as S3Client }),
      upstream: {
        send: ({ target, headers, beforeSend }: UpstreamRequest) =>
          alive(async () => {
            await beforeSend?.()
            this.now += 100
            const fault = strike(target)
            return fault === 'crash' ? crashNow() : (fault ?? this.respond(target, headers))
          }),
        redact: (text) => text,
      },
      publishEvent: (event) => alive(() => this.#publishEvent(event)),
      now: () => this.now,
      sleep: (ms) => alive(() => this.#sleep(ms)),
      random: () => 0.5,
      compress: async (bytes) => gzipSync(bytes),
      uniqueName: () => `u${++this.#names}`,
    }
    const handOffAt = this.now + 600_000
    const worker = `worker-${++this.#names}`
    if (read.kind === 'await-slot') {
      this.#isInQueue = true
      return awaitSlot(context, read.wait)
    }
    return step(context, read.request, { worker, handOffAt, killedAt: handOffAt + 60_000 })
  }

  /** Invokes the comparison with an event of the state machine. */
  compare(event: unknown) {
    const { snapshots, changes } = this.stores
    const context: CompareContext = {
      snapshots,
      changes,
      publisher: inProcessPublisher({
        ...this.#publisher,
        table: this.dynamodb,
        s3: this.s3 as unknown as S3Client,
      }),
      publishEvent: this.#publishEvent,
      log: () => undefined,
      now: () => this.now,
      checkTime: () => undefined,
    }
    return runCompareTask(context, this.entities, readCompareTask(event))
  }

  readonly #publisher = { entities: () => this.entities, now: () => this.now }

  async #sleep(ms: number): Promise<void> {
    this.now += ms
  }
}
