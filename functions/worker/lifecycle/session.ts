import type { EntitySettings, Settings } from '../../runtime/settings.ts'
import type { RecordedScroll, RememberedPageSize } from '../../state/lease/entity-items.ts'
import { type Lease, LeaseLost, leaseMs } from '../../state/lease/lease.ts'
import type { Position } from '../../state/pages/page.ts'
import type { Attempt } from '../../state/pages/page-items.ts'
import { type ActiveRun, type EndedRun, hasEnded } from '../../state/run/run.ts'
import { withFault, withRequest, withSearches } from '../../state/run/run-changes.ts'
import type { StepContext } from '../context.ts'
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

export type RunSession = ReturnType<typeof createSession>

/** A worker's exclusive work on a run: its lease, its slot and the right to write its item. */
export function createSession(
  { state, now, settings: { maxConcurrentSyncs, maxConcurrentScrolls } }: SessionContext,
  { entity, rememberedPageSize, ...claimed }: ClaimedRun,
) {
  let { run, lease } = claimed
  let renewedAt = now()
  let checkedAt = now()
  let hasSlot = false
  let searchesLeft = 0
  const scrollSlots = new Set<number>()
  const scrolls = new Map(claimed.scrolls.map((scroll) => [scroll.range, scroll]))
  const inTurn = createQueue()

  /** The clock may have been set back, which must not postpone anything. */
  const isDue = (last: number, intervalMs: number) => Math.abs(now() - last) >= intervalMs

  const extend = async (change: Partial<Lease>, forMs: number) => {
    const until = now() + forMs
    lease = { ...lease, ...change, until }
    await state.renewLease(entity.name, lease, [...scrolls.values()])
    const { runId } = run
    if (hasSlot && !(await state.renewSlot(runId, maxConcurrentSyncs, { now: now(), until })))
      throw new LeaseLost('Another run took the slot of this run.')
    const slots = { runId, ranges: [...scrollSlots] }
    if (
      scrollSlots.size > 0 &&
      !(await state.renewScrollSlots(slots, maxConcurrentScrolls, { now: now(), until }))
    )
      throw new LeaseLost('Another run took a slot of this run.')
    renewedAt = now()
  }

  const check = async () => {
    const readAt = now()
    const stored = await state.readRun(entity.name, run.runId)
    if (!stored || hasEnded(stored)) throw new LeaseLost('The run has ended.')
    if (stored.worker !== run.worker) throw new LeaseLost('Another worker is working on the run.')
    checkedAt = readAt
  }

  const change = <R extends ActiveRun>(change: (run: ActiveRun) => R): Promise<R> =>
    inTurn(async () => {
      const written = await state.writeRun(change(run))
      run = written
      return written
    })
  const save = <R extends ActiveRun>(next: R): Promise<R> => change(() => next)

  return {
    entity,
    rememberedPageSize,
    /** The run as this worker knows it. */
    get run() {
      return run
    },
    /** Writes the run and returns it as written. Throws `LeaseLost`. */
    save,
    /** Writes what `change` makes of the run. Concurrent changes of several ranges follow each other. */
    change,
    /** Writes the run's end and releases its slot and lease. Throws `LeaseLost`. */
    async end(ended: EndedRun): Promise<void> {
      await state.writeRun(ended)
      await state.release(entity.name, run.runId)
    },
    /** Counts a request, written with the next change. */
    countRequest: (receivedBytes: number) =>
      inTurn(async () => {
        run = withRequest(run, receivedBytes)
      }),
    /** Counts a search, in addition to its request. False if the run has sent `max` already. */
    countSearch: (max: number) =>
      inTurn(async () => {
        if (searchesLeft === 0) {
          if (run.searches + searchBlock > max) return false
          run = await state.writeRun(withSearches(run, searchBlock))
          searchesLeft = searchBlock
        }
        searchesLeft--
        return true
      }),
    /** Counts a request that returned no page, and writes the count. */
    async countFault(fault: Fault): Promise<void> {
      await change((current) => withFault(current, faultName(fault), now()))
    },
    /** Remembers the progress of a scroll, recorded when the lease is next extended. */
    recordProgress({ range, attempt }: Attempt, position: Position): void {
      const { kind, page, documentsSoFar, total, respondedAt } = position
      scrolls.set(range, { range, attempt, kind, page, documentsSoFar, total, respondedAt })
    },
    /** Makes sure, every few seconds, that the run is still this worker's, and extends the lease. Throws `LeaseLost`. */
    async renew(): Promise<void> {
      if (!isDue(renewedAt, renewalMs) && !isDue(checkedAt, checkMs)) return
      await inTurn(async () => {
        if (isDue(renewedAt, renewalMs)) await extend({}, leaseMs)
        if (isDue(checkedAt, checkMs)) await check()
      })
    },
    /** Takes one of the slots for concurrent syncs. False if all are taken. */
    async takeSlot() {
      hasSlot = await state.takeSlot(run.runId, maxConcurrentSyncs, { now: now(), until: now() + leaseMs })
      return hasSlot
    },
    /**
     * Takes one of the slots for concurrent scrolls. False if none is free for this run. In turn with the extension of
     * the lease, which must not take a slot again that was released.
     */
    takeScrollSlot: (range: number) =>
      inTurn(async () => {
        const times = { now: now(), until: now() + leaseMs }
        const taken = await state.takeScrollSlot({ runId: run.runId, range }, maxConcurrentScrolls, times)
        if (taken) scrollSlots.add(range)
        return taken
      }),
    releaseScrollSlot: (range: number) =>
      inTurn(async () => {
        scrollSlots.delete(range)
        await state.releaseScrollSlot({ runId: run.runId, range })
      }),
    /** Writes the run and lets its next worker continue it after `waitMs`. Throws `LeaseLost`. */
    async handOff(next: ActiveRun, waitMs: number): Promise<void> {
      await save(withSearches(next, -searchesLeft))
      searchesLeft = 0
      await extend({ handedOff: true }, waitMs + leaseMs)
    },
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
