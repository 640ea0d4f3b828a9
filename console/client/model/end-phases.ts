import type { GuardsRow, ProofRow } from '../../contract/run.ts'
import { formatCount, plural } from './format.ts'
import type { Check, PhaseSources, Span } from './phase.ts'
import { endOf, isProven, lastPhase } from './run-end.ts'
import type { Tone } from './tones.ts'

/** Proof, guards and publication. The guards decide at once, so that they have no duration. */
export function endSpans({ response, speed }: PhaseSources): Span[] {
  const { run, milestones } = response
  const { provenAt, proof, guards } = milestones
  const lastPage = speed?.lastPageAt ?? null
  const proofDetail = proof ? proofText(proof) : ''
  if (provenAt === null) {
    if (isProven(run)) return lastPage === null ? [] : [undividedSpan(response, lastPage, proofDetail)]
    const hasScrolled = lastPage !== null && speed?.hasScrolled
    return hasScrolled ? [lastPhase(run, { name: 'Proof', from: lastPage, detail: '' })] : []
  }
  const proven: Span = {
    name: 'Proof',
    state: 'done',
    from: lastPage ?? provenAt,
    to: lastPage && provenAt,
    detail: proofDetail,
  }
  if (!guards) return [proven, lastPhase(run, { name: 'Guards and publication', from: provenAt, detail: '' })]
  const decided: Span = {
    name: 'Guards',
    state: guards.refusedBy === null ? 'done' : 'refused',
    from: provenAt,
    to: null,
    detail: '',
    checks: checksOf(guards),
  }
  return [proven, decided, ...publicationSpans(response, guards, provenAt)]
}

function publicationSpans(
  { run }: PhaseSources['response'],
  { refusedBy, acceptedBy }: GuardsRow,
  provenAt: string,
): Span[] {
  if (refusedBy !== null && acceptedBy === null) return []
  const phase =
    refusedBy === null
      ? { name: 'Publication', from: provenAt, detail: '' }
      : {
          name: 'Decision and publication',
          from: run.refusedAt ?? provenAt,
          detail: `accepted by ${acceptedBy}`,
        }
  return [run.status === 'published' ? { ...phase, state: 'done', to: run.endedAt } : lastPhase(run, phase)]
}

/** Of a run that did not record when it was proven: an earlier version worked on it, or its publication was resumed. */
function undividedSpan({ run }: PhaseSources['response'], from: string, proofDetail: string): Span {
  const name = 'Proof, guards and publication'
  if (run.status === 'publishing') return lastPhase(run, { name, from, detail: proofDetail })
  const state = run.status === 'refused' ? 'refused' : 'done'
  return { name, state, from, to: endOf(run), detail: proofDetail }
}

function proofText({ proof, uniqueIds, total }: ProofRow): string {
  const ids = plural(uniqueIds, 'unique id')
  return `${proof}: ${ids}, ${total === null ? 'no reported total' : `reported total ${formatCount(total)}`}`
}

function checksOf(guards: GuardsRow): Check[] {
  const { uniqueIds, allowEmpty, refusedBy } = guards
  const documents = uniqueIds === 0 && allowEmpty ? 'none, which allowEmpty allows' : formatCount(uniqueIds)
  const empty = { name: 'Documents', key: 'allowEmpty', detail: documents }
  const shrink = { name: 'Shrink', key: 'maxShrinkPercent', detail: shrinkText(guards) }
  const known = [empty, shrink]
  const other = refusedBy === null || known.some(({ key }) => key === refusedBy) ? [] : [refusedBy]
  const all = [...known, ...other.map((key) => ({ name: key, key, detail: '' }))]
  const stoppedAt = all.findIndex(({ key }) => key === refusedBy)
  return all.map(({ name, detail }, index) => {
    const isReached = stoppedAt < 0 || index <= stoppedAt
    const state = index === stoppedAt ? 'refused' : isReached ? 'passed' : 'not reached'
    return { name, state, detail }
  })
}

/** `700 before, 200 after (71.4% fewer), limit 30%` */
function shrinkText({ uniqueIds, publishedIds, maxShrinkPercent, acceptShrink }: GuardsRow): string {
  if (publishedIds === null) return 'nothing was published before'
  const counts = `${formatCount(publishedIds)} before, ${formatCount(uniqueIds)} after`
  const lost = publishedIds - uniqueIds
  const fewer = lost > 0 ? ` (${((lost * 100) / publishedIds).toFixed(1)}% fewer)` : ''
  const limit = acceptShrink ? 'no limit: started with “accept shrink”' : `limit ${maxShrinkPercent}%`
  return `${counts}${fewer}, ${limit}`
}

export const checkTones: Readonly<Record<Check['state'], Tone>> = {
  passed: 'good',
  refused: 'problem',
  'not reached': 'neutral',
}
