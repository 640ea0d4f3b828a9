import { isSnapshotLease, LeaseLost, leaseMs } from '../../../stored/lease.ts'
import type { ActiveIncrement } from '../../../stored/run/increment-run.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import { type Fault, opensNothing } from '../scroll/fault.ts'
import { type ClaimedRun, Session, type SessionContext } from '../session.ts'

export interface LeasedIncrement extends ClaimedRun<ActiveIncrement> {
  readonly entity: EntitySettings & { readonly increments: NonNullable<EntitySettings['increments']> }
  /** Epoch milliseconds. No request is sent from then on. */
  readonly deadline: number
  readonly isStored: boolean
}

/** Work on an increment, which no other worker continues: what it does is in memory until it has ended. */
export class IncrementSession extends Session<ActiveIncrement> {
  declare readonly entity: LeasedIncrement['entity']
  readonly deadline: number
  readonly #isStored: boolean
  /** At the platform. It is `open` if it may be: after a response to a first request, or if none arrived. */
  #scroll: 'none' | 'opening' | 'open' | 'closed' = 'none'

  constructor(context: SessionContext, run: LeasedIncrement) {
    super(context, run, 'memory')
    this.deadline = run.deadline
    this.#isStored = run.isStored
  }

  get runId(): string {
    return this.run.runId
  }

  get #isScrolling(): boolean {
    return this.#scroll === 'opening' || this.#scroll === 'open'
  }

  /** Makes sure that nobody has taken the lease. Throws `LeaseLost`. */
  protected async check(): Promise<void> {
    const { lease } = await this.state.readEntity(this.entity.name)
    if (lease?.runId !== this.runId || lease.worker !== this.lease.worker)
      throw new LeaseLost('Another run or worker took the lease.')
  }

  /** Like `check`; from then on the increment cannot be cancelled. Throws `LeaseLost` if it was. */
  async beginPublishing(): Promise<void> {
    await this.check()
    if (this.#isStored && !(await this.state.publishIncrement(this.run)))
      throw new LeaseLost('The increment was cancelled.')
  }

  /** Who has taken the lease. Another worker of the same increment ends it, or has ended it. */
  async lostTo(): Promise<'other-worker' | 'full-sync' | 'unknown'> {
    const { lease, increments } = await this.state.readEntity(this.entity.name)
    const isOther = lease?.runId === this.runId && lease.worker !== this.lease.worker
    if (isOther || increments?.last?.runId === this.runId) return 'other-worker'
    return isSnapshotLease(lease) ? 'full-sync' : 'unknown'
  }

  /** Before the first scroll is opened, and between two, there is nothing to extend. */
  override renew(): Promise<void> {
    return this.#isScrolling ? super.renew() : this.check()
  }

  /** Called before each first request: the scroll may be open from then on. */
  async opens(): Promise<void> {
    if (!this.#isScrolling) this.#scroll = 'opening'
    await this.extendLease({}, leaseMs)
  }

  /** The platform has responded to a first request. */
  opened(): void {
    this.#scroll = 'open'
  }

  /** The platform has ended the scroll. Another attempt keeps its slot. */
  ended(): void {
    this.#scroll = 'none'
  }

  /** No scroll is open at the platform, and none is opened. */
  async closes(): Promise<void> {
    this.#scroll = 'none'
    await Promise.all([
      this.state.closeIncrementScroll(this.entity.name, this.runId),
      this.state.releaseScrollSlot({ runId: this.runId, range: 0 }),
    ])
    this.#scroll = 'closed'
  }

  /** Frees the entity. A scroll that did not reach its end keeps its slot until its token has expired. */
  async release(): Promise<void> {
    if (this.#scroll !== 'open' && this.#scroll !== 'closed') await this.closes()
    await this.state.releaseLease(this.entity.name, this.runId)
  }

  override countFault(fault: Fault): Promise<void> {
    if (this.#scroll === 'opening' && !opensNothing(fault)) this.#scroll = 'open'
    return super.countFault(fault)
  }

  protected async write(run: ActiveIncrement): Promise<ActiveIncrement> {
    return run
  }

  protected scrolls(until: number) {
    return { incrementScroll: { runId: this.runId, until } }
  }
}
