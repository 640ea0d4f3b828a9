import { isDeepStrictEqual } from 'node:util'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { ChainSnapshot, ChangesLatest } from '../../state/changes/changes.ts'

/** Why no increment can extend the chain at the moment; undefined if one can. */
export function reasonAgainst(
  chain: Pick<ChangesLatest, 'reset' | 'comparing'>,
  snapshot: ChainSnapshot | undefined,
  { entity, now }: { readonly entity: EntitySettings; readonly now: number },
): string | undefined {
  const { query, idField, changes } = entity
  if (changes === false) return 'Change sets are turned off.'
  if (chain.reset) return `The change sets start again with the next full sync. ${chain.reset}`
  if (isComparing(chain, now)) return 'A published snapshot is being compared.'
  if (!snapshot) return "The chain's snapshot is gone. Start a full sync."
  const changed = [
    ...(isDeepStrictEqual(snapshot.query, query) ? [] : ['query']),
    ...(snapshot.idField === idField ? [] : ['idField']),
    ...(isDeepStrictEqual(snapshot.ignore.toSorted(), changes.ignore.toSorted()) ? [] : ['changes.ignore']),
  ]
  if (changed.length === 0) return undefined
  return `The configuration has a different ${changed.join(' and ')} from the chain's snapshot. Start a full sync.`
}

/** Whether a comparison is in progress, which would have to start again if the tip moved. */
export const isComparing = ({ comparing }: Pick<ChangesLatest, 'comparing'>, now: number): boolean =>
  comparing !== undefined && Date.parse(comparing.until) > now

/** Up to this many changes are always few enough. */
const alwaysFew = 1_000
const maxPercent = 20

/** Why a full sync is better for this many documents; undefined if they are few enough. */
export function tooManyChanges(
  total: number,
  { uniqueIds }: Pick<ChainSnapshot, 'uniqueIds'>,
): string | undefined {
  if (total <= alwaysFew || total * 100 <= maxPercent * uniqueIds) return undefined
  return `Too many changes: ${total} documents are more than ${maxPercent}% of the snapshot's ${uniqueIds}. Start a full sync.`
}
