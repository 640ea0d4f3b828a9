import { isSnapshotLease, LeaseLost, leaseMs } from '../../../stored/lease.ts'
import type { Position, RecordedScroll } from '../../../stored/pages/page.ts'
import type { AttemptId } from '../../../stored/pages/page-partition.ts'
import { type ActiveFullRun, type ActiveRun, type EndedRun, hasEnded } from '../../../stored/run/run.ts'
import { withSearches } from '../../../stored/run/run-changes.ts'
import { type ClaimedRun, Session, type SessionContext } from '../session.ts'

/** Searches are counted before they are sent, this many at once. A worker that crashes loses what is left. */
const searchBlock = 25

/** Work on a run that another worker continues: its item says what was done, and it may wait. */
export class RunSession extends Session<ActiveRun> {
  readonly #scrolls: Map<number | undefined, RecordedScroll>
  #searchesLeft = 0

  /** `scrolls`: what the previous worker recorded of this run. */
  constructor(context: SessionContext, run: ClaimedRun<ActiveRun>, scrolls: readonly RecordedScroll[] = []) {
    super(context, run, 'durable')
    this.#scrolls = new Map(scrolls.map((scroll) => [scroll.range, scroll]))
  }

  /** Writes the run's end and releases its slots and lease. Throws `LeaseLost`. */
  async end(ended: EndedRun): Promise<void> {
    await this.state.writeRun(ended)
    // Another worker of the run may have crashed with the lease.
    const accepts = isSnapshotLease(this.lease) && this.lease.accepts === true
    await this.state.release(this.entity.name, ended.runId, accepts ? this.lease : 'run')
  }

  /** Counts a search, in addition to its request. False if the run has sent `max` already. */
  countSearch(max: number): Promise<boolean> {
    return this.inTurn(async () => {
      if (this.#searchesLeft === 0) {
        const { run } = this
        if (run.kind !== 'full' || run.searches + searchBlock > max) return false
        await this.keep(withSearches(run, searchBlock))
        this.#searchesLeft = searchBlock
      }
      this.#searchesLeft--
      return true
    })
  }

  /** Remembers the progress of a scroll, recorded when the lease is next extended. */
  recordProgress({ range, attempt }: AttemptId, position: Position): void {
    const { kind, page, documentsSoFar, total, respondedAt } = position
    this.#scrolls.set(range, { range, attempt, kind, page, documentsSoFar, total, respondedAt })
  }

  /** Writes the run and lets its next worker continue it after `waitMs`. Throws `LeaseLost`. */
  async handOff(next: ActiveRun, waitMs: number): Promise<void> {
    await this.change(() => (next.kind === 'full' ? withSearches(next, -this.#searchesLeft) : next))
    this.#searchesLeft = 0
    await this.extend({ handedOff: true }, waitMs + leaseMs)
  }

  protected write(run: ActiveRun): Promise<ActiveRun> {
    return this.state.writeRun(run)
  }

  protected scrolls() {
    return { progress: { runId: this.run.runId, scrolls: [...this.#scrolls.values()] } }
  }

  protected async check(): Promise<void> {
    const stored = await this.state.readRun(this.entity.name, this.run.runId)
    if (!stored || hasEnded(stored)) throw new LeaseLost('The run has ended.')
    if (stored.worker !== this.run.worker) throw new LeaseLost('Another worker is working on the run.')
  }
}

export interface ScrollingSession extends RunSession {
  readonly run: ActiveFullRun
  change(change: (run: ActiveFullRun) => ActiveRun): Promise<void>
}

/** What a run does never changes. */
export const isScrolling = (session: RunSession): session is ScrollingSession => session.run.kind === 'full'
