import { isDeepStrictEqual } from 'node:util'
import type { ChainSnapshot, ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import type { SkipCode } from '../../../stored/entity-items.ts'
import { formatCount } from '../../runtime/format.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import { skipWith } from './end.ts'

/** The snapshot of the chain, which an increment can extend at the moment. Throws `Stopped` if it cannot. */
export function admit(
  chain: Pick<ChangesLatest, 'reset' | 'comparing'>,
  snapshot: ChainSnapshot | undefined,
  { entity, now }: { readonly entity: EntitySettings; readonly now: number },
): ChainSnapshot {
  const { query, idField, changes } = entity
  if (changes === false) throw skipWith('changes-off', 'Change sets are turned off.')
  if (chain.reset)
    throw skipWith('chain-resets', `The change sets start again with the next full sync. ${chain.reset}`)
  if (isComparing(chain, now)) throw comparing()
  if (!snapshot) throw skipWith('snapshot-gone', "The chain's snapshot is gone. Start a full sync.")
  if (snapshot.republishedFrom !== undefined) {
    const what = `The snapshot of run ${snapshot.republishedFrom} was published again`
    throw skipWith('republished', `${what}. Increments continue once a full sync has published.`)
  }
  const isSameIgnore = isDeepStrictEqual(snapshot.ignore.toSorted(), changes.ignore.toSorted())
  const changed: { readonly code: SkipCode; readonly key: string }[] = []
  if (!isDeepStrictEqual(snapshot.query, query)) changed.push({ code: 'query-changed', key: 'query' })
  if (snapshot.idField !== idField) changed.push({ code: 'id-field-changed', key: 'idField' })
  if (!isSameIgnore) changed.push({ code: 'ignore-changed', key: 'changes.ignore' })
  const [first] = changed
  if (!first) return snapshot
  const keys = changed.map(({ key }) => key).join(' and ')
  const reason = `The configuration has a different ${keys} from the chain's snapshot. Start a full sync.`
  throw skipWith(first.code, reason)
}

export const comparing = () => skipWith('comparing', 'A published snapshot is being compared.')

/** Whether a comparison is in progress, which would have to start again if the tip moved. */
const isComparing = ({ comparing }: Pick<ChangesLatest, 'comparing'>, now: number): boolean =>
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
  return `Too many changes: ${formatCount(total)} documents are more than ${maxPercent}% of the snapshot's ${formatCount(uniqueIds)}. Start a full sync.`
}
