import type { ChainSnapshot } from '../../state/changes/changes.ts'
import type { IncrementProof } from '../../state/run/proof.ts'
import type { AttemptContext } from '../context.ts'
import type { PageCount } from '../proof/page-count.ts'
import { tooManyChanges } from './admission.ts'
import { failed, type Stop, skipped, stop } from './end.ts'
import type { MemoryPages } from './memory-pages.ts'
import { decideIncrementProof, type FoundIds } from './proof.ts'
import { scrollWindow } from './scroll-window.ts'
import type { IncrementSession } from './session.ts'

export interface ProvenScroll {
  readonly kind: 'proven'
  readonly proof: IncrementProof
  readonly count: PageCount
  readonly total: number
  readonly pages: MemoryPages
}

const maxScrolls = 3
export const noSlot = (reason: string) => skipped('no-slot', reason)

/** Scrolls a window until it is proven complete, three times at most. */
export async function provenScroll(
  context: AttemptContext,
  session: IncrementSession,
  { where, snapshot }: { readonly where: string; readonly snapshot: ChainSnapshot },
): Promise<ProvenScroll | Stop> {
  const earlierClean: FoundIds[] = []
  const { entity } = session
  let reason = ''
  for (let attempt = 1; attempt <= maxScrolls; attempt++) {
    // The slot of a scroll that has ended was released.
    if (attempt > 1 && !(await session.takeSlot()))
      return stop(noSlot('No slot is free to repeat the scroll.'))
    const scrolled = await scrollWindow(context, session, {
      attempt,
      where,
      reasonToStop: (total) => tooManyChanges(total, snapshot),
    })
    if (scrolled.kind === 'stop') return scrolled
    const { position, count, isSuspect: suspect, pages } = scrolled
    const { total, evidence } = position
    const { uniqueIds, largestPage } = count
    // Without totals it is known only now how many there are.
    const tooMany = entity.totals === 'ignore' ? tooManyChanges(uniqueIds, snapshot) : undefined
    if (tooMany !== undefined) return stop(skipped('too-many-changes', tooMany))
    const found = { uniqueIds, sum: pages.idSum() }
    const finished = { ...found, total, suspect, evidence, largestPage, earlierClean }
    const decision = decideIncrementProof(finished, entity)
    if (decision.kind === 'proven')
      return {
        kind: 'proven',
        proof: decision.proof,
        count,
        total: typeof total === 'number' ? total : uniqueIds,
        pages,
      }
    if (decision.kind === 'failed') return stop(failed(decision.reason))
    reason = decision.reason
    context.log('WARN', 'attempt given up', {
      entity: entity.name,
      runId: session.runId,
      attempt,
      reason,
    })
    if (!suspect) earlierClean.push(found)
  }
  return stop(failed(`The window could not be proven complete in ${maxScrolls} scrolls. ${reason}`))
}
