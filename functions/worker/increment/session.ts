import type { EntitySettings } from '../../runtime/settings.ts'
import { type Lease, LeaseLost, leaseMs } from '../../state/lease.ts'
import type { ReportedTotal } from '../../state/pages/page.ts'
import type { ActiveIncrement } from '../../state/run/increment-run.ts'
import type { StateStore } from '../../state/sync-state.ts'
import type { StepContext } from '../context.ts'
import { type Fault, faultName, isRefused } from '../scroll/fault.ts'
import type { OpeningResult, ScrollSession } from '../scroll/io.ts'

/** Longer than a request, and than the life of a token after it. */
const scrollMs = 22 * 60_000
/** The lease lasts five minutes, and the token 20 minutes from its last request. */
const renewalMs = 60_000

export interface IncrementRun {
  readonly entity: EntitySettings
  readonly lease: Lease
  /** Epoch milliseconds. No request is sent from then on. */
  readonly deadline: number
  /** The increment as it is stored; undefined if it has no item. */
  readonly stored: ActiveIncrement | undefined
}

/** One invocation's exclusive work on an increment: its lease, its slot, and what it has sent. */
export class IncrementSession {
  readonly entity: EntitySettings
  readonly runId: string
  readonly deadline: number
  readonly #state: StateStore
  readonly #now: () => number
  readonly #maxScrolls: number
  readonly #stored: ActiveIncrement | undefined
  #lease: Lease
  #renewedAt = 0
  #isScrolling = false
  /** Whether the platform may have opened a scroll that has not ended. */
  #mayBeOpen = false
  /** Signatures of the malformed documents that its scrolls received. */
  readonly malformed = new Set<string>()
  requests = 0
  receivedBytes = 0
  readonly faults: Record<string, number> = {}

  constructor(
    { state, now, settings }: Pick<StepContext, 'state' | 'now' | 'settings'>,
    { entity, lease, deadline, stored }: IncrementRun,
  ) {
    this.#state = state
    this.#now = now
    this.#maxScrolls = settings.maxConcurrentScrolls
    this.#lease = lease
    this.#stored = stored
    this.entity = entity
    this.runId = lease.runId
    this.deadline = deadline
  }

  /** Takes a slot for concurrent scrolls, for as long as a token can live. False if none is free. */
  takeSlot(): Promise<boolean> {
    return this.#state.takeIncrementSlot(this.runId, this.#maxScrolls, this.#slotTimes())
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
    if (this.#stored && !(await this.#state.publishIncrement(this.#stored)))
      throw new LeaseLost('The increment was cancelled.')
  }

  /** Who has taken the lease. Another worker of the same increment ends it, or has ended it. */
  async lostTo(): Promise<'other-worker' | 'full-sync' | 'unknown'> {
    const { lease, increments } = await this.#state.readEntity(this.entity.name)
    const isOther = lease?.runId === this.runId && lease.worker !== this.#lease.worker
    if (isOther || increments?.last?.runId === this.runId) return 'other-worker'
    return lease && lease.kind !== 'increment' ? 'full-sync' : 'unknown'
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
    await this.#extend()
  }

  /** The platform has responded to a first request. */
  opened(): void {
    this.#mayBeOpen = true
  }

  /** The platform has ended the scroll, or has opened none. */
  async closes(): Promise<void> {
    this.#isScrolling = false
    this.#mayBeOpen = false
    await Promise.all([this.#state.closeIncrementScroll(this.entity.name, this.runId), this.freeSlot()])
  }

  /** The next scroll of the increment takes a slot again. */
  freeSlot(): Promise<void> {
    return this.#state.releaseScrollSlot({ runId: this.runId, range: 0 })
  }

  /** Frees the entity. A scroll that did not reach its end keeps its slot until its token has expired. */
  async release(): Promise<void> {
    if (!this.#mayBeOpen) await this.closes()
    await this.#state.releaseLease(this.entity.name, this.runId)
  }

  count(receivedBytes: number): void {
    this.requests++
    this.receivedBytes += receivedBytes
  }

  countFault(fault: Fault): void {
    if (this.#isScrolling && !isRefused(fault)) this.#mayBeOpen = true
    const name = faultName(fault)
    this.faults[name] = (this.faults[name] ?? 0) + 1
  }

  async #extend(): Promise<void> {
    const now = this.#now()
    this.#lease = { ...this.#lease, until: now + leaseMs }
    await this.#state.renewIncrement(this.entity.name, this.#lease, {
      runId: this.runId,
      until: now + scrollMs,
    })
    this.#renewedAt = now
  }

  #slotTimes() {
    return { now: this.#now(), until: this.#now() + scrollMs }
  }
}

/** One scroll of an increment's window. */
export interface WindowScroll {
  /** Counts from 1. */
  readonly attempt: number
  /** Why the scroll is not worth continuing, by the total of its first page. */
  readonly reasonToStop: (total: number) => string | undefined
  /** Whether the worker has no memory for more pages. */
  readonly isFull: () => boolean
}

/** A scroll of the window for the scroll engine. `isSuspect` is set once the outcome of a request is unknown. */
export function scrollSession(
  session: IncrementSession,
  { attempt, reasonToStop, isFull }: WindowScroll,
  now: () => number,
): ScrollSession & { readonly isSuspect: () => boolean } {
  let isSuspect = false
  const { entity, runId, deadline } = session
  return {
    isSuspect: () => isSuspect,
    attempt: { entity: entity.name, runId, attempt },
    idField: entity.idField,
    timeIsUp: () => now() >= deadline || isFull(),
    renew: () => session.renew(),
    countRequest: async (receivedBytes) => session.count(receivedBytes),
    countFault: async (fault) => session.countFault(fault),
    async isMalformedAgain(signature) {
      if (session.malformed.has(signature)) return true
      session.malformed.add(signature)
      return false
    },
    async markSuspect() {
      isSuspect = true
    },
    recordProgress: () => undefined,
    beforeOpening: () => session.opens(),
    async checkOpening(total: ReportedTotal): Promise<OpeningResult> {
      session.opened()
      const reason = typeof total === 'number' ? reasonToStop(total) : undefined
      return reason === undefined ? { kind: 'agreement', total } : { kind: 'disagreement', reason }
    },
  }
}
