import type { EntityState } from '../../../stored/entity-items.ts'
import { acceptanceOf, hasEnded, highestAttempt } from '../../../stored/run/run.ts'
import { type Manifest, tableKey, tableOf } from '../../../stored/snapshots/manifest.ts'
import type { Execution } from '../functions/execution.ts'
import { canBeCompared } from '../platform/documents.ts'
import { objectsOf } from './object-check.ts'
import type { Observed } from './observed.ts'
import { leftovers } from './rest-check.ts'
import type { SnapshotCheck } from './snapshots/snapshot-check.ts'

/** An attempt gives up on an outage within the budgets of functions/worker/scroll/outcomes.ts, or of two configurations. */
const givesUpWithinMs = 55 * 60_000
/** The longest duration with crashes, three attempts, a wait for a slot and throttling before nearly every page. */
const endsWithinMs = 8 * 3_600_000

/** Checks what is left when no run is in progress. */
export class FinalCheck {
  readonly #observed: Observed
  readonly #snapshots: SnapshotCheck
  readonly #maxJumpMs: number
  /** The scenario lets no run succeed, and only the platform prevents it. */
  readonly #platformIsDown: boolean

  constructor(observed: Observed, snapshots: SnapshotCheck) {
    this.#observed = observed
    this.#snapshots = snapshots
    const { platform, workers, entities } = observed.sim.scenario
    this.#maxJumpMs = observed.clocksJump ? workers.maxJumpMs : 0
    const faultless = workers.crash + workers.freeze + workers.clockJump === 0 && !workers.target
    this.#platformIsDown = platform.outageMs === 600_000 && faultless && entities.length === 1
  }

  /** Checks the run that published after all faults have stopped. */
  checkRanges(entity: string): void {
    const run = this.#observed.lastWritten.get(this.#observed.published(entity).at(-1)?.latest.runId ?? '')
    const platform = this.#observed.platform
    if (
      !platform ||
      this.#observed.sim.scenario.platform.filters !== 'honest' ||
      run?.kind !== 'full' ||
      run.split.kind !== 'fallback'
    )
      return
    const { reason } = run.split
    const isUnproven = /^The ranges have|could not be proven/.test(reason)
    if (isUnproven && platform.collection(entity).every(canBeCompared))
      this.#observed.violation('ranges-cover', `${run.runId} scrolls without its ranges: ${reason}`)
  }

  /** Checks the final state, when no run is in progress. */
  checkAtRest(executions: readonly Execution[]): void {
    const { dynamodb } = this.#observed.sim
    for (const execution of executions) this.#checkExecution(execution)
    for (const name of this.#observed.names) {
      for (const run of this.#observed.runs(name)) {
        if (!hasEnded(run))
          this.#observed.violation('ends-in-time', `the run ${run.runId} is still ${run.status}`)
      }
      const latest = this.#observed.published(name).at(-1)?.latest
      const kept = dynamodb.item<EntityState>(`entity#${name}`, 'entity')?.latest?.runId
      if (latest && kept !== latest.runId) {
        this.#observed.violation(
          'end-is-true',
          `the state table names ${kept} as published, latest.json ${latest.runId}`,
        )
      }
      const listed = this.#observed.sim.s3.objects.get(tableKey(name))?.body.toString()
      const last = this.#observed.published(name).at(-1)?.manifest
      if (listed !== (last && tableOf('snapshots', last)))
        this.#observed.violation(
          'table-follows',
          `the table of ${name} lists ${listed}, published is ${last?.runId}`,
        )
      for (const { manifest } of this.#observed.published(name).slice(-2))
        if (!this.#observed.changes.isDeleted(manifest.runId)) this.#snapshots.readDocuments(manifest)
      this.#checkChanges(name)
      const newest = this.#observed.runs(name).toSorted((one, other) => (one.runId < other.runId ? 1 : -1))[0]
      const left =
        newest?.status === 'published'
          ? leftovers(this.#observed.sim, { entity: name, tip: this.#observed.published(name).at(-1)?.tip })
          : []
      if (left.length > 0)
        this.#observed.violation('leaves-nothing', `${name} has ${left.slice(0, 3).join(', ')}`)
    }
    for (const key of this.#observed.sim.s3.objects.keys()) {
      if (!key.startsWith('snapshots/') || !key.endsWith('/manifest.json')) continue
      const manifest = JSON.parse(this.#observed.sim.s3.objects.get(key)?.body.toString() ?? '') as Manifest
      const missing = objectsOf(manifest).find((one) => !this.#observed.sim.s3.objects.has(one))
      if (missing !== undefined && !this.#observed.changes.isDeleted(manifest.runId))
        this.#observed.violation('pages-whole', `${key} lists ${missing}, which is gone`)
    }
  }

  /** The last run published, and its deletes were accepted: the chain has to lead there. */
  #checkChanges(entity: string): void {
    const { scenario } = this.#observed.sim
    const settings = scenario.entities.find(({ name }) => name === entity)
    if (!scenario.compares || settings?.changes === false) return
    this.#observed.changes.checkReaders(entity)
    const latest = this.#observed.published(entity).at(-1)?.latest.runId
    const newest = this.#observed.runs(entity).toSorted((one, other) => (one.runId < other.runId ? 1 : -1))[0]
    const tip = this.#observed.changes.tip(entity)
    if (newest?.status === 'published' && tip !== latest)
      this.#observed.violation('recovers', `the tip of ${entity} is ${tip} after a comparison with ${latest}`)
  }

  #checkExecution(execution: Execution): void {
    const { id, accepts, status, last, crashed, stoppedByHand, startedAt, endedAt = 0 } = execution
    const tookMs = endedAt - startedAt
    const run = this.#observed.lastWritten.get(String(last?.['runId']))
    const downMs = givesUpWithinMs * (run ? highestAttempt(run) : 1)
    if (tookMs > (this.#platformIsDown ? downMs : endsWithinMs + this.#maxJumpMs))
      this.#observed.violation(
        'ends-in-time',
        `the execution ${id} took ${Math.round(tookMs / 60_000)} minutes`,
      )
    const fitting = {
      SUCCEEDED: ['published', 'skipped'],
      FAILED: ['failed', 'refused', 'cancelled'],
      ABORTED: ['cancelled'],
      RUNNING: [],
    }
    const reported: readonly string[] = fitting[status]
    // A worker that never responded reported nothing, and the next worker may have ended the run of a crashed one.
    if (crashed || stoppedByHand || (status === 'ABORTED' && !last)) return
    // One that cannot accept anything fails and leaves the run as it is.
    if (accepts && status === 'FAILED') return
    // The run was accepted after its own execution had ended.
    if (status === 'FAILED' && run?.status === 'published' && acceptanceOf(run)) return
    // An increment that found nothing new has no item.
    if (!run && status === 'SUCCEEDED' && last?.['kind'] === 'increment') return
    // A run of an entity that is not configured is never created.
    if (!run && status === 'FAILED' && last?.['runId'] === null) return
    if (!run || !reported.includes(run.status)) {
      this.#observed.violation(
        'end-is-true',
        `the execution ${id} is ${status}, its run ${run?.runId} is ${run?.status}`,
      )
    }
  }
}
