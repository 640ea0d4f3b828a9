import type { RememberedPageSize } from '../../../stored/entity-items.ts'
import { isSnapshotLease, type Lease, LeaseLost, leaseMs } from '../../../stored/lease.ts'
import type { ActiveIncrement } from '../../../stored/run/increment-run.ts'
import { withFault, withRequest } from '../../../stored/run/run-changes.ts'
import type { StateStore } from '../../../stored/sync-state.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { StepContext } from '../context.ts'
import type { RequestOwner } from '../scroll/counted-request.ts'
import { type Fault, faultName, opensNothing } from '../scroll/fault.ts'

/** Longer than a request, and than the life of a token after it. */
const scrollMs = 22 * 60_000
/** The lease lasts five minutes, and the token 20 minutes from its last request. */
const renewalMs = 60_000

export interface IncrementedEntity extends EntitySettings {
  readonly increments: NonNullable<EntitySettings['increments']>
}

export interface LeasedIncrement {
  readonly entity: IncrementedEntity
  readonly lease: Lease
  /** Epoch milliseconds. No request is sent from then on. */
  readonly deadline: number
  readonly run: ActiveIncrement
  readonly isStored: boolean
  readonly rememberedPageSize: RememberedPageSize | undefined
}

/** One invocation's exclusive work on an increment: its lease, its slot, and what it has sent. */
export class IncrementSession implements RequestOwner {
  readonly entity: IncrementedEntity
  readonly runId: string
  readonly deadline: number
  readonly rememberedPageSize: RememberedPageSize | undefined
  readonly #state: StateStore
  readonly #now: () => number
  readonly #maxScrolls: number
  readonly #isStored: boolean
  #run: ActiveIncrement
  #lease: Lease
  #renewedAt = 0
  #isScrolling = false
  /** Whether the platform may have opened a scroll that has not ended. */
  #mayBeOpen = false
  /** Whether it has neither an open scroll nor a slot, by its own last write. */
  #isClosed = false

  constructor(
    { state, now, settings }: Pick<StepContext, 'state' | 'now' | 'settings'>,
    { entity, lease, deadline, run, isStored, rememberedPageSize }: LeasedIncrement,
  ) {
    this.#state = state
    this.#now = now
    this.#maxScrolls = settings.maxConcurrentScrolls
    this.#lease = lease
    this.#run = run
    this.#isStored = isStored
    this.entity = entity
    this.runId = lease.runId
    this.deadline = deadline
    this.rememberedPageSize = rememberedPageSize
  }

  /** With what was counted. */
  get run(): ActiveIncrement {
    return this.#run
  }

  /** Takes a slot for concurrent scrolls, for as long as a token can live. False if none is free. */
  takeSlot(): Promise<boolean> {
    this.#isClosed = false
    const slot = { runId: this.runId, range: 0, yields: true } as const
    return this.#state.takeScrollSlot(slot, this.#maxScrolls, this.#slotTimes())
  }

  /** Makes sure that nobody has taken the lease. Throws `LeaseLost`. */
  async check(): Promise<void> {
    const { lease } = await this.#state.readEntity(this.entity.name)
    if (lease?.runId !== this.#lease.runId || lease.worker !== this.#lease.worker)
      throw new LeaseLost('Another run or worker took the lease.')
  }

  /** Like `check`; from then on the increment cannot be cancelled. Throws `LeaseLost` if it was. */
  async beginPublishing(): Promise<void> {
    await this.check()
    if (this.#isStored && !(await this.#state.publishIncrement(this.#run)))
      throw new LeaseLost('The increment was cancelled.')
  }

  /** Who has taken the lease. Another worker of the same increment ends it, or has ended it. */
  async lostTo(): Promise<'other-worker' | 'full-sync' | 'unknown'> {
    const { lease, increments } = await this.#state.readEntity(this.entity.name)
    const isOther = lease?.runId === this.runId && lease.worker !== this.#lease.worker
    if (isOther || increments?.last?.runId === this.runId) return 'other-worker'
    return isSnapshotLease(lease) ? 'full-sync' : 'unknown'
  }

  /** Like `check`, and records from time to time that the scroll is still open. */
  async renew(): Promise<void> {
    if (!this.#isScrolling || this.#now() < this.#renewedAt + renewalMs) return this.check()
    await this.#extend()
    const slot = { runId: this.runId, ranges: [0] }
    await this.#state.renewScrollSlots(slot, this.#maxScrolls, this.#slotTimes())
  }

  /** Called before each first request: the scroll may be open from then on. */
  async opens(): Promise<void> {
    this.#isScrolling = true
    this.#isClosed = false
    await this.#extend()
  }

  /** The platform has responded to a first request. */
  opened(): void {
    this.#mayBeOpen = true
  }

  /** The platform has ended the scroll. Another attempt keeps its slot. */
  ended(): void {
    this.#isScrolling = false
    this.#mayBeOpen = false
  }

  /** No scroll is open at the platform, and none is opened. */
  async closes(): Promise<void> {
    this.ended()
    await Promise.all([
      this.#state.closeIncrementScroll(this.entity.name, this.runId),
      this.#state.releaseScrollSlot({ runId: this.runId, range: 0 }),
    ])
    this.#isClosed = true
  }

  /** Frees the entity. A scroll that did not reach its end keeps its slot until its token has expired. */
  async release(): Promise<void> {
    if (!this.#mayBeOpen && !this.#isClosed) await this.closes()
    await this.#state.releaseLease(this.entity.name, this.runId)
  }

  async countRequest(receivedBytes: number): Promise<void> {
    this.#run = withRequest(this.#run, receivedBytes)
  }

  async countFault(fault: Fault): Promise<void> {
    if (this.#isScrolling && !opensNothing(fault)) this.#mayBeOpen = true
    this.#run = withFault(this.#run, faultName(fault), this.#now())
  }

  async #extend(): Promise<void> {
    const now = this.#now()
    this.#lease = { ...this.#lease, until: now + leaseMs }
    const incrementScroll = { runId: this.runId, until: now + scrollMs }
    await this.#state.renewLease(this.entity.name, this.#lease, { incrementScroll })
    this.#renewedAt = now
  }

  #slotTimes() {
    return { now: this.#now(), until: this.#now() + scrollMs }
  }
}
