import type { GuardDecision, GuardLimits, SnapshotRun } from '../../stored/run/run.ts'
import { shrinkLimitText, storedLimit } from '../../stored/run/shrink-limit.ts'
import { formatCount } from '../runtime/format.ts'
import type { Check } from './phase.ts'

/** What the guards compared, and what each of them decided. */
export function checksOf(run: SnapshotRun, decision: GuardDecision): Check[] {
  const limits = run.kind === 'full' ? run.plan : run.limits
  const { uniqueIds, refusedBy } = decision
  const documents =
    uniqueIds === 0 && limits.allowEmpty ? 'none, which allowEmpty allows' : formatCount(uniqueIds)
  const known = [
    { name: 'Documents', key: 'allowEmpty', detail: documents },
    ...(refusedBy === 'idField' ? [{ name: 'Ids', key: refusedBy, detail: 'none' }] : []),
    { name: 'Shrink', key: 'maxShrinkPercent', detail: shrinkText(run, decision, limits) },
  ]
  const isOther = refusedBy !== undefined && known.every(({ key }) => key !== refusedBy)
  const all = isOther ? [...known, { name: refusedBy, key: refusedBy, detail: '' }] : known
  const stoppedAt = all.findIndex(({ key }) => key === refusedBy)
  return all.map(({ name, detail }, index) => {
    const isReached = stoppedAt < 0 || index <= stoppedAt
    const state = index === stoppedAt ? 'refused' : isReached ? 'passed' : 'not reached'
    return { name, state, detail }
  })
}

/** `700 before, 200 after (71.4% fewer), limit 30%` */
function shrinkText(
  { acceptShrink }: SnapshotRun,
  { uniqueIds, publishedIds }: GuardDecision,
  limits: GuardLimits,
): string {
  if (publishedIds === undefined) return 'nothing was published before'
  const counts = `${formatCount(publishedIds)} before, ${formatCount(uniqueIds)} after`
  const lost = publishedIds - uniqueIds
  const fewer = lost > 0 ? ` (${((lost * 100) / publishedIds).toFixed(1)}% fewer)` : ''
  const limit = acceptShrink
    ? 'no limit: started with “accept shrink”'
    : `limit ${shrinkLimitText(storedLimit(limits))}`
  return `${counts}${fewer}, ${limit}`
}
