import type { EntityState, RememberedPageSize } from '../../stored/entity-items.ts'
import { type Lease, LeaseLost, leaseMs } from '../../stored/lease.ts'
import type { ActiveIncrement } from '../../stored/run/increment-run.ts'
import type { ActiveRun } from '../../stored/run/run.ts'
import { withFault, withRequest } from '../../stored/run/run-changes.ts'
import type { StateStore } from '../../stored/sync-state.ts'
import type { EntitySettings, Settings } from '../runtime/settings.ts'
import type { StepContext } from './context.ts'
import type { RequestOwner } from './scroll/counted-request.ts'
import { type Fault, faultName } from './scroll/fault.ts'

export interface SessionContext extends Pick<StepContext, 'state' | 'now'> {
  readonly settings: Pick<Settings, 'maxConcurrentSyncs' | 'maxConcurrentScrolls'>
}

export interface ClaimedRun<R> {
  readonly entity: EntitySettings
  readonly rememberedPageSize: RememberedPageSize | undefined
  readonly run: R
  readonly lease: Lease
}

/** Longer than a request, and than the life of a token after it. */
const scrollMs = 22 * 60_000

/** When a worker extends its lease, when it checks that it has its run, and how it takes slots for scrolls. */
const policies = {
  /** The next worker continues the run. A cancelled run sends no request later than 5 seconds after its cancellation. */
  durable: { renewalMs: 20_000, checkMs: 3_000, leaseDecides: false, slotMs: leaseMs, yields: false },
  /** The owner of the lease has the run, and a full sync may take it. A scroll has its slot until its token expires. */
  memory: { renewalMs: 60_000, checkMs: 0, leaseDecides: true, slotMs: scrollMs, yields: true },
}

/** A worker's exclusive work on a run: its lease, the slots of its scrolls and what it counts. */
export abstract class Session<R extends ActiveRun | ActiveIncrement> implements RequestOwner {
  readonly entity: EntitySettings
  readonly rememberedPageSize: RememberedPageSize | undefined
  protected readonly state: StateStore
  protected readonly now: () => number
  readonly #limits: SessionContext['settings']
  protected readonly inTurn = createQueue()
  readonly #policy: (typeof policies)[keyof typeof policies]
  readonly #scrollSlots = new Set<number>()
  #run: R
  protected lease: Lease
  #hasSlot = false
  #renewedAt: number
  #checkedAt: number

  constructor(
    { state, now, settings }: SessionContext,
    claimed: ClaimedRun<R>,
    policy: keyof typeof policies,
  ) {
    this.state = state
    this.now = now
    this.#limits = settings
    this.#policy = policies[policy]
    this.entity = claimed.entity
    this.rememberedPageSize = claimed.rememberedPageSize
    this.#run = claimed.run
    this.lease = claimed.lease
    this.#renewedAt = now()
    this.#checkedAt = now()
  }

  /** The run as this worker knows it. */
  get run(): R {
    return this.#run
  }

  /** Makes sure that the run is still this worker's. Throws `LeaseLost`. */
  protected abstract check(): Promise<void>
  /** Stores the run as it has changed, or only keeps it. Throws `LeaseLost`. */
  protected abstract write(run: R): Promise<R>
  /** What is recorded with the lease about its scrolls, which keep their slots until then. */
  protected abstract scrolls(until: number): Pick<EntityState, 'progress' | 'incrementScroll'>

  /** Keeps what `change` makes of the run. Concurrent changes of several ranges follow each other. Throws `LeaseLost`. */
  change(change: (run: R) => R): Promise<void> {
    return this.inTurn(() => this.keep(change(this.#run)))
  }

  /** Counts a request, written with the next change. */
  countRequest(receivedBytes: number): Promise<void> {
    return this.inTurn(async () => {
      this.#run = withRequest(this.#run, receivedBytes)
    })
  }

  /** Counts a request that returned no page, and writes the count. */
  async countFault(fault: Fault): Promise<void> {
    await this.change((run) => withFault(run, faultName(fault), this.now()))
  }

  /** Makes sure, before each request, that the run is still this worker's, and extends the lease. Throws `LeaseLost`. */
  async renew(): Promise<void> {
    const { renewalMs, checkMs, leaseDecides } = this.#policy
    const mustExtend = () => this.#isDue(this.#renewedAt, renewalMs)
    const mustCheck = () => this.#isDue(this.#checkedAt, checkMs)
    if (!mustExtend() && !mustCheck()) return
    await this.inTurn(async () => {
      const isExtended = mustExtend()
      if (isExtended) await this.extend({}, leaseMs)
      if ((isExtended && leaseDecides) || !mustCheck()) return
      const readAt = this.now()
      await this.check()
      this.#checkedAt = readAt
    })
  }

  /** Takes one of the slots for concurrent syncs. False if all are taken. */
  async takeSlot(): Promise<boolean> {
    const { maxConcurrentSyncs } = this.#limits
    this.#hasSlot = await this.state.takeSlot(this.#run.runId, maxConcurrentSyncs, this.#times(leaseMs))
    return this.#hasSlot
  }

  /**
   * Takes one of the slots for concurrent scrolls. False if none is free for this run. In turn with the extension of
   * the lease, which must not take a slot again that was released. `open`: the ranges whose scrolls may be open.
   */
  takeScrollSlot(range: number, open: readonly number[] = []): Promise<boolean> {
    return this.inTurn(async () => {
      const { slotMs, yields } = this.#policy
      const scrolling = [...this.#scrollSlots, ...open]
      const slot = { runId: this.#run.runId, range, scrolling, ...(yields && { yields }) }
      const { maxConcurrentScrolls } = this.#limits
      const isTaken = await this.state.takeScrollSlot(slot, maxConcurrentScrolls, this.#times(slotMs))
      if (isTaken) this.#scrollSlots.add(range)
      return isTaken
    })
  }

  releaseScrollSlot(range: number): Promise<void> {
    return this.inTurn(async () => {
      this.#scrollSlots.delete(range)
      await this.state.releaseScrollSlot({ runId: this.#run.runId, range })
    })
  }

  protected async keep(run: R): Promise<void> {
    this.#run = await this.write(run)
  }

  /** Extends the lease and the slots, and records what is scrolled. Throws `LeaseLost`. */
  protected async extend(change: { readonly handedOff?: true }, forMs: number): Promise<void> {
    const until = await this.extendLease(change, forMs)
    const { runId } = this.#run
    const { maxConcurrentSyncs, maxConcurrentScrolls } = this.#limits
    const times = () => ({ now: this.now(), until })
    if (this.#hasSlot && !(await this.state.renewSlot(runId, maxConcurrentSyncs, times())))
      throw new LeaseLost('Another run took the slot of this run.')
    const slots = { runId, ranges: [...this.#scrollSlots] }
    if (slots.ranges.length > 0 && !(await this.state.renewScrollSlots(slots, maxConcurrentScrolls, times())))
      throw new LeaseLost('Another run took a slot of this run.')
  }

  /** Returns until when the slots of its scrolls are kept. */
  protected async extendLease(change: { readonly handedOff?: true }, forMs: number): Promise<number> {
    const until = this.now() + forMs
    const slotsUntil = until - leaseMs + this.#policy.slotMs
    this.lease = { ...this.lease, ...change, until }
    await this.state.renewLease(this.entity.name, this.lease, this.scrolls(slotsUntil))
    this.#renewedAt = this.now()
    return slotsUntil
  }

  /** The clock may have been set back, which must not postpone anything. */
  #isDue(last: number, intervalMs: number): boolean {
    return Math.abs(this.now() - last) >= intervalMs
  }

  #times(forMs: number) {
    return { now: this.now(), until: this.now() + forMs }
  }
}

/**
 * Runs one task after the other, in the order of the calls. When one fails, all later ones fail with its error: its
 * write may have taken effect, and the next one would overwrite it.
 */
function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result
    last.catch(() => {})
    return result
  }
}
