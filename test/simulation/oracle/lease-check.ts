import type { EntityState } from '../../../stored/entity-items.ts'
import { isSnapshotLease } from '../../../stored/lease.ts'
import { endedStatuses } from '../../../stored/run/run.ts'
import type { Invocation } from '../functions/invocation.ts'
import type { Observed } from './observed.ts'
import { locksOf, ownersOf } from './rest-check.ts'

/** A worker checks its lease every 20 seconds, and one request takes less than two minutes. */
const leaseBlindMs = 200_000

/** A request that reaches the platform. */
export interface ArrivedRequest {
  /** Late if the worker has given it up. */
  readonly when: 'in time' | 'late'
  readonly isScroll: boolean
}

/** Checks that a worker writes and scrolls only while its run has the lease and a slot. */
export class LeaseCheck {
  readonly #observed: Observed
  readonly #held = new Map<Invocation, { runId: string; at: number; isIncrement: boolean }>()

  constructor(observed: Observed) {
    this.#observed = observed
  }

  leaseWritten({ lease }: EntityState): void {
    const { acting, sim } = this.#observed
    if (!lease || !acting || !lease.worker.startsWith(`${acting.id}#`)) return
    const isIncrement = lease.kind === 'increment'
    this.#held.set(acting, { runId: lease.runId, at: sim.scheduler.now(), isIncrement })
  }

  /** A worker responds. It must not have the lease or a slot of a run that has ended. */
  responded(invocation: Invocation, { status, runId }: { status: string; runId: string | null }): void {
    const { stores } = this.#observed.sim.scenario
    const mayBeLate = stores.ghosts + stores.staleReads > 0 || this.#observed.timeIsOdd(invocation)
    const isEnded = (endedStatuses as readonly string[]).includes(status)
    if (runId === null || mayBeLate || !isEnded || !this.#observed.runHasEnded(runId)) return
    // The write of another worker of the run may take effect now. The worker releases the slot when it notices that the
    // run has ended; if it has crashed, the slot expires.
    const othersWrite = [...this.#held].some(
      ([other, held]) => other !== invocation && (other.alive || other.writesLate) && held.runId === runId,
    )
    // The scroll of an increment keeps its slot until its token has expired.
    const isLeft = (lock: string) =>
      lock.startsWith('the lease')
        ? !this.#isLeftByAcceptance(invocation, runId)
        : this.#observed.run(runId)?.kind !== 'increment'
    const [lock] = othersWrite ? [] : locksOf(this.#observed.sim, runId).filter(isLeft)
    if (lock) this.#observed.violation('leaves-nothing', `${invocation.id} ends ${runId} and keeps ${lock}`)
  }

  /**
   * True if what accepted the snapshot of this run has crashed with the lease. Who accepts its change set needs no lease, and
   * an acceptance that contradicts that one ends at once.
   */
  #isLeftByAcceptance({ id }: Invocation, runId: string): boolean {
    const { names, sim } = this.#observed
    const leases = names.map((name) => sim.dynamodb.item<EntityState>(`entity#${name}`, 'entity')?.lease)
    const lease = leases.find((found) => found?.runId === runId)
    return isSnapshotLease(lease) && lease.accepts === true && !lease.worker.startsWith(`${id}#`)
  }

  /** A request of this invocation reaches the platform. */
  requested(invocation: Invocation, { when, isScroll }: ArrivedRequest): void {
    const { scheduler, dynamodb } = this.#observed.sim
    const held = this.#held.get(invocation)
    if (!held || !invocation.alive || this.#observed.timeIsOdd(invocation)) return
    const limit = held.isIncrement ? 'scrolls' : 'syncs'
    const hasSlot = ownersOf(dynamodb, limit).some(({ runId }) => runId === held.runId)
    const since = scheduler.now() - held.at
    if (since > leaseBlindMs) {
      this.#observed.violation(
        'one-run-writes',
        `${invocation.id} asks the platform ${since / 1000} s after it held the lease`,
      )
    }
    // An increment releases its slot when its scroll has ended, and the run continues.
    const isOver = this.#observed.runHasEnded(held.runId) || (held.isIncrement && when === 'late')
    // Lambda may deliver an increment twice. One worker looks at its lease and sends its search; before the search
    // arrives, the other worker may take the lease, scroll and release the slot. Slots limit open scrolls, and a search
    // opens none. Once the scroll of one may be open, the other does not get the lease.
    const isTakenOver = [...this.#held.values()].some(({ runId, at }) => runId === held.runId && at > held.at)
    const isLastSearch = held.isIncrement && !isScroll && isTakenOver
    if (!hasSlot && !isOver && !isLastSearch) {
      this.#observed.violation(
        'slots-held',
        `${invocation.id} scrolls for ${held.runId} without one of the slots for ${limit}`,
      )
    }
  }

  /** A worker that was frozen may commit once more. A running one must have noticed that it lost its lease. */
  pageCommitted(runId: string): void {
    const { dynamodb, scheduler } = this.#observed.sim
    const acting = this.#observed.acting
    const held = acting && this.#held.get(acting)
    if (
      !acting?.alive ||
      !held ||
      this.#observed.timeIsOdd(acting) ||
      scheduler.now() - held.at <= leaseBlindMs
    )
      return
    for (const name of this.#observed.names) {
      const holder = dynamodb.item<EntityState>(`entity#${name}`, 'entity')?.lease?.runId
      if (holder && holder !== runId && this.#observed.runs(name).some((run) => run.runId === runId)) {
        this.#observed.violation(
          'one-run-writes',
          `${acting.id} commits a page of ${runId} while ${holder} has the lease`,
        )
      }
    }
  }
}
