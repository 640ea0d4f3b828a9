import { isDeepStrictEqual } from 'node:util'
import type { EntityState } from '../../../stored/entity-items.ts'
import type { Key } from '../../../stored/item-version.ts'
import { acceptanceOf, hasEnded, highestAttempt, type Run, splitOfRun } from '../../../stored/run/run.ts'
import type { ItemChange } from '../stores/memory-dynamodb.ts'
import type { LeaseCheck } from './lease-check.ts'
import { limitProblem } from './limit-check.ts'
import type { Observed } from './observed.ts'
import { carriedOver } from './retry-check.ts'
import type { SnapshotCheck } from './snapshots/snapshot-check.ts'

/** CONTRACT: items of finished runs expire after 30 days. */
const keptMs = 30 * 24 * 3_600_000
/** A frozen worker may write late, for as long as an invocation can last. */
export const maxDelayMs = 15 * 60_000

/** Whether a refused run is being published because a person accepted it. */
const isAcceptance = (before: Run, { status, ...after }: Run): boolean =>
  before.status === 'refused' && status === 'publishing' && 'accepted' in after

const planOf = (run: Run) => (run.kind === 'full' ? run.plan : undefined)

/** True if a run without ranges begins another attempt. */
function isNextAttempt(before: Run, after: Run): boolean {
  return (
    splitOfRun(before)?.kind === splitOfRun(after)?.kind && highestAttempt(after) > highestAttempt(before)
  )
}

/** Checks what is written to the state table: runs, their pages, leases and slots. */
export class ItemCheck {
  readonly #observed: Observed
  readonly #leases: LeaseCheck
  readonly #snapshots: SnapshotCheck
  #pages = 0
  /** Where each run has committed pages. */
  readonly #pageKeys = new Map<string, Set<string>>()
  /** Called with the number of pages that all runs have committed. */
  onPage: (pages: number) => void = () => {}

  constructor(observed: Observed, parts: { readonly leases: LeaseCheck; readonly snapshots: SnapshotCheck }) {
    this.#observed = observed
    this.#leases = parts.leases
    this.#snapshots = parts.snapshots
  }

  written({ pk, sk }: Key, { before, after }: ItemChange): void {
    const acting = this.#observed.acting
    this.#checkExpiry(pk, after)
    if (pk.startsWith('run#')) {
      if (before) this.#observed.violation('write-once', `${pk} ${sk} was committed twice`)
      this.#pages++
      this.onPage(this.#pages)
      const [, runId = ''] = pk.split('#')
      this.#pageKeys.set(runId, (this.#pageKeys.get(runId) ?? new Set()).add(pk))
      this.#leases.pageCommitted(runId)
      return
    }
    const isLimit = sk === 'syncs' || sk === 'scrolls'
    if (pk === 'slots' && isLimit && acting && !this.#observed.timeIsOdd(acting)) {
      const problem = limitProblem({ sk, before, after }, acting)
      if (problem) this.#observed.violation('slots-limited', problem)
    }
    if (!pk.startsWith('entity#') || !after) return
    if (sk === 'entity') {
      this.#leases.leaseWritten(after as EntityState)
      return
    }
    const run = after as object as Run
    this.#observed.lastWritten.set(run.runId, run)
    this.#snapshots.runWritten(run)
    const old = before as object as Run | undefined
    if (old && hasEnded(old) && old.status !== run.status && !isAcceptance(old, run)) {
      this.#observed.violation(
        'end-is-true',
        `the run ${run.runId} had ended as ${old.status} and became ${run.status}`,
      )
    }
    if (old?.kind === 'full' && this.#hasPages(run.runId) && !isDeepStrictEqual(old.plan, planOf(run)))
      this.#observed.violation(
        'plan-kept',
        `${run.runId} changes from ${JSON.stringify(old.plan)} to ${JSON.stringify(planOf(run))}`,
      )
    const carried = carriedOver(old || undefined, run)
    if (carried) this.#observed.violation('nothing-carried-over', `${run.runId}: ${carried}`)
    if (hasEnded(run) && !(old && hasEnded(old))) this.#runEnded(run)
    if (run.status === 'publishing' && old?.status !== 'publishing') this.#snapshots.proven(run)
    if (old && isNextAttempt(old, run)) this.#snapshots.attempts.givenUp(old)
  }

  #checkExpiry(pk: string, item: ItemChange['after']): void {
    if (item?.['expiresAt'] === undefined) return
    const leftMs = Number(item['expiresAt']) * 1000 - this.#observed.sim.scheduler.now()
    if (leftMs < keptMs - this.#observed.maxSkewMs - maxDelayMs) {
      this.#observed.violation(
        'items-last',
        `an item of ${pk} expires in ${Math.round(leftMs / 3_600_000)} hours`,
      )
    }
  }

  #runEnded(run: Run): void {
    const isIncrement = run.kind === 'increment'
    this.#observed.sim.count(`${isIncrement ? 'increment' : 'run'} ${run.status}`)
    if (run.status === 'published' && run.proof) this.#observed.sim.count(`proof ${run.proof}`)
    const published = this.#observed.hasPublished(run.entity, run.runId)
    if (!isIncrement && published !== (run.status === 'published')) {
      this.#observed.violation(
        'end-is-true',
        `the run ${run.runId} ends as ${run.status} and has ${published ? '' : 'not '}published`,
      )
    }
    if (run.status === 'failed' && !run.abandoned && this.#observed.sim.scenario.onlyThrottles)
      this.#observed.violation('throttling-survived', `the run ${run.runId} fails: ${run.reason}`)
    if (run.status === 'failed' && run.kind === 'full' && !acceptanceOf(run)) this.#checkDamage(run.reason)
    if (run.status !== 'published' && !('reason' in run && run.reason?.trim()))
      this.#observed.violation('end-is-true', `the run ${run.runId} ends as ${run.status} without a reason`)
  }

  /** Only refused snapshots are damaged, until a person accepts them, and runs whose items have expired. */
  #checkDamage(reason: string): void {
    if (this.#observed.sim.dynamodb.expired > 0) return
    if ([...this.#observed.damages].some((damage) => reason.startsWith(damage)))
      this.#observed.violation('damage-true', `a run fails although nothing is damaged: ${reason}`)
  }

  /** False also if its pages have expired: such a run begins again, with the current configuration. */
  #hasPages(runId: string): boolean {
    return [...(this.#pageKeys.get(runId) ?? [])].some(
      (pk) => this.#observed.sim.dynamodb.items(pk).length > 0,
    )
  }
}
