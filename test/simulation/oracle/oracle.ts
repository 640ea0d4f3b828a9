import { refusedChangesKey } from '../../../stored/changes/change-keys.ts'
import type { SyncEvent } from '../../../stored/events.ts'
import { acceptanceOf, type Guard, type Run } from '../../../stored/run/run.ts'
import type { Execution } from '../functions/execution.ts'
import type { Invocation } from '../functions/invocation.ts'
import type { Surroundings } from '../surroundings.ts'
import { FinalCheck } from './final-check.ts'
import type { Invariant, Violation } from './invariants.ts'
import { InventoryCheck } from './inventory-check.ts'
import { ItemCheck } from './item-check.ts'
import { type ArrivedRequest, LeaseCheck } from './lease-check.ts'
import { ObjectCheck } from './object-check.ts'
import { type ChainObserver, type Knowing, Observed, type Publication } from './observed.ts'
import { SnapshotCheck } from './snapshots/snapshot-check.ts'

/** Whether a person accepted the run after a guard had refused it. */
const isAccepted = (run: Run) => acceptanceOf(run) !== undefined

/** Observes the stores from outside, and knows facts about the platform that no client can know. */
export class Oracle {
  readonly events: SyncEvent[] = []
  readonly #observed: Observed
  readonly #leases: LeaseCheck
  readonly #items: ItemCheck
  readonly #final: FinalCheck
  readonly #inventory: InventoryCheck

  constructor(sim: Surroundings, knowing: Knowing) {
    const observed = new Observed(sim, knowing)
    const snapshots = new SnapshotCheck(observed)
    this.#inventory = new InventoryCheck(observed)
    const objects = new ObjectCheck(observed, { snapshots, inventory: this.#inventory })
    this.#observed = observed
    this.#leases = new LeaseCheck(observed)
    this.#items = new ItemCheck(observed, { leases: this.#leases, snapshots })
    this.#final = new FinalCheck(observed, snapshots)
    sim.s3.onWrite = (key, change) => objects.written(key, change)
    sim.dynamodb.onWrite = (key, change) => this.#items.written(key, change)
  }

  get violations(): readonly Violation[] {
    return this.#observed.violations
  }

  get changes(): ChainObserver {
    return this.#observed.changes
  }

  violation(invariant: Invariant, detail: string): void {
    this.#observed.violation(invariant, detail)
  }

  /** Called with the number of pages that all runs have committed. */
  set onPage(called: (pages: number) => void) {
    this.#items.onPage = called
  }

  /** Records the invocation whose call takes effect next. */
  acting(invocation: Invocation): void {
    this.#observed.acting = invocation
  }

  /** The invocation whose call takes effect now. */
  get actor(): Invocation | undefined {
    return this.#observed.acting
  }

  runs(entity: string): Run[] {
    return this.#observed.runs(entity)
  }

  /** What a person may accept. */
  refused(entity: string): { readonly runId: string; readonly guard: Guard }[] {
    const runs = this.#observed.runs(entity).filter(({ status }) => status === 'refused')
    const latest = this.#observed.published(entity).at(-1)?.latest.runId ?? ''
    const isSetRefused = this.#observed.sim.s3.objects.has(refusedChangesKey(entity, latest))
    return [
      ...runs.map(({ runId }) => ({ runId, guard: 'snapshot' as const })),
      ...(isSetRefused ? [{ runId: latest, guard: 'changes' as const }] : []),
    ]
  }

  statusOf(runId: string): Run['status'] | undefined {
    return this.#observed.run(runId)?.status
  }

  /** Kept snapshots before the published one. */
  republishable(entity: string): readonly string[] {
    const earlier = this.#observed.published(entity).slice(0, -1)
    const { objects } = this.#observed.sim.s3
    return earlier.flatMap(({ latest }) => (objects.has(latest.manifest) ? latest.runId : []))
  }

  published(entity: string): readonly Publication[] {
    return this.#observed.published(entity)
  }

  announced(event: SyncEvent): void {
    this.events.push(event)
    const { entity, runId } = event.detail
    if (event.type === 'Snapshot Published') {
      if (!this.#observed.hasPublished(entity, runId))
        this.#observed.violation('end-is-true', `the event of ${runId} came without a snapshot`)
      return
    }
    const run = this.#observed.run(runId)
    const reported = event.type === 'Snapshot Refused' ? 'refused' : 'failed'
    // A worker that was frozen may report a refusal late, when a person has accepted the run.
    if (run?.status !== reported && !(reported === 'refused' && run && isAccepted(run)))
      this.#observed.violation(
        'end-is-true',
        `an event reports ${reported} of the run ${runId}, which is ${run?.status}`,
      )
  }

  /** A worker responds. It must not have the lease or a slot of a run that has ended. */
  responded(invocation: Invocation, response: { status: string; runId: string | null }): void {
    this.#leases.responded(invocation, response)
  }

  /** A request of this invocation reaches the platform. */
  requested(invocation: Invocation, request: ArrivedRequest): void {
    this.#leases.requested(invocation, request)
  }

  /** The publisher finds something damaged. */
  damaged(reason: string): void {
    this.#observed.damages.add(reason)
  }

  /** Checks the run that published after all faults have stopped. */
  checkRanges(entity: string): void {
    this.#final.checkRanges(entity)
  }

  /** Checks the final state, when no run is in progress. */
  checkAtRest(executions: readonly Execution[]): void {
    this.#final.checkAtRest(executions)
    this.#inventory.checkAtRest()
  }
}
