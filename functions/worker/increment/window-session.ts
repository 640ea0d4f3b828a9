import type { ChainSnapshot } from '../../../stored/changes/changes-latest.ts'
import type { EndedWindow } from '../../../stored/changes/proposal.ts'
import { withFilter } from '../../../stored/partitions/ranges.ts'
import { newRange } from '../../../stored/run/range.ts'
import { firstPageSize } from '../lifecycle/page-size.ts'
import type { RangeSession } from '../scroll-range.ts'
import { tooManyChanges } from './admission.ts'
import { MemoryPages } from './memory-pages.ts'
import type { IncrementSession } from './session.ts'
import { decideWindowProof, type FoundIds } from './window-proof.ts'

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
export function windowSession(
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
