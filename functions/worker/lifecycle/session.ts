import type { RememberedPageSize } from '../../../stored/entity-items.ts'
import { type Lease, LeaseLost, leaseMs } from '../../../stored/lease.ts'
import type { Position, RecordedScroll } from '../../../stored/pages/page.ts'
import type { AttemptId } from '../../../stored/pages/page-partition.ts'
import { type ActiveFullRun, type ActiveRun, type EndedRun, hasEnded } from '../../../stored/run/run.ts'
import { withFault, withRequest, withSearches } from '../../../stored/run/run-changes.ts'
import type { StateStore } from '../../../stored/sync-state.ts'
import type { EntitySettings, Settings } from '../../runtime/settings.ts'
import type { StepContext } from '../context.ts'
import type { RequestOwner } from '../scroll/counted-request.ts'
import { type Fault, faultName } from '../scroll/fault.ts'

export interface SessionContext extends Pick<StepContext, 'state' | 'now'> {
  readonly settings: Pick<Settings, 'maxConcurrentSyncs' | 'maxConcurrentScrolls'>
}

export interface ClaimedRun {
  readonly entity: EntitySettings
  readonly rememberedPageSize: RememberedPageSize | undefined
  readonly run: ActiveRun
  readonly lease: Lease
  /** What the previous worker recorded of this run. */
  readonly scrolls: readonly RecordedScroll[]
}

const renewalMs = 20_000
/** Searches are counted before they are sent, this many at once. A worker that crashes loses what is left. */
const searchBlock = 25
/** A cancelled run sends no request later than 5 seconds after its cancellation. */
const checkMs = 3_000

/** A worker's exclusive work on a run: its lease, its slots and the right to write its item. */
export class RunSession implements RequestOwner {
  readonly entity: EntitySettings
  readonly rememberedPageSize: RememberedPageSize | undefined
  readonly #state: StateStore
  readonly #now: () => number
  readonly #limits: SessionContext['settings']
  #run: ActiveRun
  #lease: Lease
  #renewedAt: number
  #checkedAt: number
  #hasSlot = false
  #searchesLeft = 0
  readonly #scrollSlots = new Set<number>()
  readonly #scrolls: Map<number | undefined, RecordedScroll>
  readonly #inTurn = createQueue()

  constructor({ state, now, settings }: SessionContext, claimed: ClaimedRun) {
    this.#state = state
    this.#now = now
    this.#limits = settings
    this.entity = claimed.entity
    this.rememberedPageSize = claimed.rememberedPageSize
    this.#run = claimed.run
    this.#lease = claimed.lease
    this.#renewedAt = now()
    this.#checkedAt = now()
    this.#scrolls = new Map(claimed.scrolls.map((scroll) => [scroll.range, scroll]))
  }

  /** The run as this worker knows it. */
  get run(): ActiveRun {
    return this.#run
  }

  /** Writes what `change` makes of the run. Concurrent changes of several ranges follow each other. Throws `LeaseLost`. */
  change(change: (run: ActiveRun) => ActiveRun): Promise<void> {
    return this.#inTurn(() => this.#write(change(this.#run)))
  }

  /** Writes the run's end and releases its slot and lease. Throws `LeaseLost`. */
  async end(ended: EndedRun): Promise<void> {
    await this.#state.writeRun(ended)
    await this.#state.release(this.entity.name, this.#run.runId)
  }

  /** Counts a request, written with the next change. */
  countRequest(receivedBytes: number): Promise<void> {
    return this.#inTurn(async () => {
      this.#run = withRequest(this.#run, receivedBytes)
    })
  }

  /** Counts a search, in addition to its request. False if the run has sent `max` already. */
  countSearch(max: number): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#searchesLeft === 0) {
        const run = this.#run
        if (run.kind !== 'full' || run.searches + searchBlock > max) return false
        await this.#write(withSearches(run, searchBlock))
        this.#searchesLeft = searchBlock
      }
      this.#searchesLeft--
      return true
    })
  }

  /** Counts a request that returned no page, and writes the count. */
  async countFault(fault: Fault): Promise<void> {
    await this.change((run) => withFault(run, faultName(fault), this.#now()))
  }

  /** Remembers the progress of a scroll, recorded when the lease is next extended. */
  recordProgress({ range, attempt }: AttemptId, position: Position): void {
    const { kind, page, documentsSoFar, total, respondedAt } = position
    this.#scrolls.set(range, { range, attempt, kind, page, documentsSoFar, total, respondedAt })
  }

  /** Makes sure, every few seconds, that the run is still this worker's, and extends the lease. Throws `LeaseLost`. */
  async renew(): Promise<void> {
    if (!this.#isDue(this.#renewedAt, renewalMs) && !this.#isDue(this.#checkedAt, checkMs)) return
    await this.#inTurn(async () => {
      if (this.#isDue(this.#renewedAt, renewalMs)) await this.#extend({}, leaseMs)
      if (this.#isDue(this.#checkedAt, checkMs)) await this.#check()
    })
  }

  /** Takes one of the slots for concurrent syncs. False if all are taken. */
  async takeSlot(): Promise<boolean> {
    const { maxConcurrentSyncs } = this.#limits
    this.#hasSlot = await this.#state.takeSlot(this.#run.runId, maxConcurrentSyncs, this.#times(leaseMs))
    return this.#hasSlot
  }

  /**
   * Takes one of the slots for concurrent scrolls. False if none is free for this run. In turn with the extension of
   * the lease, which must not take a slot again that was released.
   */
  takeScrollSlot(range: number): Promise<boolean> {
    return this.#inTurn(async () => {
      const slot = { runId: this.#run.runId, range }
      const { maxConcurrentScrolls } = this.#limits
      const isTaken = await this.#state.takeScrollSlot(slot, maxConcurrentScrolls, this.#times(leaseMs))
      if (isTaken) this.#scrollSlots.add(range)
      return isTaken
    })
  }

  releaseScrollSlot(range: number): Promise<void> {
    return this.#inTurn(async () => {
      this.#scrollSlots.delete(range)
      await this.#state.releaseScrollSlot({ runId: this.#run.runId, range })
    })
  }

  /** Writes the run and lets its next worker continue it after `waitMs`. Throws `LeaseLost`. */
  async handOff(next: ActiveRun, waitMs: number): Promise<void> {
    await this.change(() => (next.kind === 'full' ? withSearches(next, -this.#searchesLeft) : next))
    this.#searchesLeft = 0
    await this.#extend({ handedOff: true }, waitMs + leaseMs)
  }

  async #write(run: ActiveRun): Promise<void> {
    this.#run = await this.#state.writeRun(run)
  }

  async #extend(change: { readonly handedOff?: true }, forMs: number): Promise<void> {
    const { maxConcurrentSyncs, maxConcurrentScrolls } = this.#limits
    const { runId } = this.#run
    const { until } = this.#times(forMs)
    this.#lease = { ...this.#lease, ...change, until }
    const progress = { runId, scrolls: [...this.#scrolls.values()] }
    await this.#state.renewLease(this.entity.name, this.#lease, { progress })
    const times = () => ({ now: this.#now(), until })
    if (this.#hasSlot && !(await this.#state.renewSlot(runId, maxConcurrentSyncs, times())))
      throw new LeaseLost('Another run took the slot of this run.')
    const slots = { runId, ranges: [...this.#scrollSlots] }
    if (
      slots.ranges.length > 0 &&
      !(await this.#state.renewScrollSlots(slots, maxConcurrentScrolls, times()))
    )
      throw new LeaseLost('Another run took a slot of this run.')
    this.#renewedAt = this.#now()
  }

  async #check(): Promise<void> {
    const readAt = this.#now()
    const stored = await this.#state.readRun(this.entity.name, this.#run.runId)
    if (!stored || hasEnded(stored)) throw new LeaseLost('The run has ended.')
    if (stored.worker !== this.#run.worker) throw new LeaseLost('Another worker is working on the run.')
    this.#checkedAt = readAt
  }

  /** The clock may have been set back, which must not postpone anything. */
  #isDue(last: number, intervalMs: number): boolean {
    return Math.abs(this.#now() - last) >= intervalMs
  }

  #times(forMs: number) {
    return { now: this.#now(), until: this.#now() + forMs }
  }
}

export interface ScrollingSession extends RunSession {
  readonly run: ActiveFullRun
  change(change: (run: ActiveFullRun) => ActiveRun): Promise<void>
}

/** What a run does never changes. */
export const isScrolling = (session: RunSession): session is ScrollingSession => session.run.kind === 'full'

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
