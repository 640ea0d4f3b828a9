import type { ChainSnapshot } from '../../../stored/changes/changes-latest.ts'
import type { EndedWindow } from '../../../stored/changes/proposal.ts'
import { withFilter } from '../../../stored/partitions/ranges.ts'
import { newRange, type RangeProof } from '../../../stored/run/range.ts'
import type { AttemptContext } from '../context.ts'
import { firstPageSize } from '../lifecycle/page-size.ts'
import { type RangeSession, scrollRange } from '../scroll-range.ts'
import { tooManyChanges } from './admission.ts'
import { failWith, skipWith } from './end.ts'
import { MemoryPages } from './memory-pages.ts'
import type { IncrementSession } from './session.ts'
import { decideWindowProof, type FoundIds } from './window-proof.ts'

export interface ProvenWindow {
  readonly found: RangeProof
  readonly pages: MemoryPages
  readonly scrolls: readonly EndedWindow[]
}

/** Waits of the platform that are slept through. After a longer one the next increment covers the window. */
const maxWaitMs = 60_000
const napMs = 10_000

/** Scrolls the documents of a window until they are proven complete. Throws `Stopped` if they cannot be. */
export async function scrollWindow(
  context: AttemptContext,
  session: IncrementSession,
  toScroll: WindowToScroll,
): Promise<ProvenWindow> {
  const { now } = context
  const window = windowSession(session, toScroll, now)
  const { pages, scrolls } = window
  for (;;) {
    const stopped = await scrollRange({ ...context, ...pages.stores }, window)
    const tooMany = window.tooMany()
    if (tooMany !== undefined) throw skipWith('too-many-changes', tooMany)
    switch (stopped.kind) {
      case 'proven': {
        await session.closes()
        return { found: stopped.found, pages, scrolls }
      }
      case 'wait': {
        const { waitMs, reason } = stopped
        if (waitMs > maxWaitMs || now() + waitMs >= session.deadline) throw failWith(reason)
        await sleepThrough(context, session, waitMs)
        break
      }
      case 'interrupted':
        throw failWith('The changes do not fit into one worker. Start a full sync.')
      case 'skipped':
        throw skipWith('no-credentials', stopped.reason)
      case 'unproven':
      case 'failed':
        throw failWith(stopped.reason, stopped.cause)
    }
  }
}

/** A full sync may take the lease during the wait. Throws `LeaseLost`. */
async function sleepThrough(
  { sleep }: Pick<AttemptContext, 'sleep'>,
  session: IncrementSession,
  waitMs: number,
): Promise<void> {
  for (let left = waitMs; left > 0; left -= napMs) {
    await sleep(Math.min(napMs, left))
    await session.renew()
  }
}

export interface WindowToScroll {
  readonly where: string
  readonly snapshot: ChainSnapshot
}

export interface WindowSession extends RangeSession {
  readonly pages: MemoryPages
  /** Those that have ended. */
  readonly scrolls: readonly EndedWindow[]
  /** Why a full sync is better than this window; undefined as far as is known. */
  tooMany(): string | undefined
}

/** More does not fit into the function's memory. */
const maxBytes = 200 * 1024 * 1024

/** The window of an increment. Its state and its pages are in memory, so that a crash leaves nothing behind. */
function windowSession(
  session: IncrementSession,
  { where, snapshot }: WindowToScroll,
  now: () => number,
): WindowSession {
  const { entity, runId, deadline } = session
  const pages = new MemoryPages()
  const earlierClean: FoundIds[] = []
  const scrolls: EndedWindow[] = []
  const pageSize = firstPageSize(entity, session.rememberedPageSize)
  let range = newRange({ filter: undefined, pageSize, now: now() })
  let tooMany: string | undefined
  const isFull = () => pages.bytes > maxBytes
  return {
    scope: 'window',
    owner: session,
    query: withFilter(entity.query, where),
    totals: entity.totals,
    idField: entity.idField,
    pages,
    scrolls,
    tooMany: () =>
      isFull() ? 'Too many changes: they do not fit into one worker. Start a full sync.' : tooMany,
    get range() {
      return range
    },
    get attempt() {
      return { entity: entity.name, runId, attempt: range.attempt }
    },
    async change(change) {
      const changed = change(range)
      if (changed.state === 'proven') return
      if (changed.attempt !== range.attempt) pages.clear()
      range = changed
    },
    timeIsUp: () => now() >= deadline || isFull(),
    recordProgress({ kind }) {
      if (kind === 'end') session.ended()
    },
    async beforeOpening() {
      range = { ...range, state: 'open' }
      await session.opens()
    },
    onOpened: () => session.opened(),
    async checkOpening(total) {
      session.opened()
      tooMany = typeof total === 'number' ? tooManyChanges(total, snapshot) : undefined
      return tooMany === undefined ? { kind: 'agreement', total } : { kind: 'disagreement', reason: tooMany }
    },
    async prove({ total, evidence, openedAt }) {
      const { sum, ...counted } = pages.count(entity.idField)
      const { uniqueIds } = counted
      // Without totals it is known only now how many there are.
      if (entity.totals === 'ignore') tooMany = tooManyChanges(uniqueIds, snapshot)
      if (tooMany !== undefined) return { kind: 'failed', reason: tooMany }
      const { suspect } = range
      scrolls.push({ ...pages.recorded(), uniqueIds, idSum: sum.toString(16), suspect })
      const decision = decideWindowProof({ ...counted, sum, total, evidence, suspect, earlierClean }, entity)
      if (!suspect) earlierClean.push({ uniqueIds, sum })
      if (decision.kind === 'unproven') return { ...decision, uniqueIds }
      if (decision.kind === 'failed') return decision
      const found = {
        ...counted,
        proof: decision.proof,
        openedAt,
        total: typeof total === 'number' ? total : null,
      }
      return { kind: 'proven', found }
    },
  }
}
