import { partsOver } from '../chain/state-parts.ts'
import { chainSnapshotRun, deliveredKeysOf, shortenedChain } from '../changes/chain-facts.ts'
import { refusedChangesKey } from '../changes/change-keys.ts'
import type { ChangesLatest } from '../changes/changes-latest.ts'
import type { ObjectVersion } from '../object-versions.aws.ts'
import { belongsTo, isCheck, snapshotsPrefix } from '../snapshots/manifest.ts'
import { neededSetKeys, objectsOfSet } from './set-reasons.ts'
import { isErasable, nameOfVersion, placeOf, type StoredEntity } from './stored-entity.ts'

/** What happens to the chain of change sets. */
export type ChainPlan =
  | { readonly kind: 'unchanged' }
  /** Readers that have not applied the sets which go load the snapshot again. */
  | { readonly kind: 'shortened' | 'reset'; readonly chain: ChangesLatest }

/** What must go so that nothing contains the documents that were found. */
export interface RemovalPlan {
  readonly chain: ChainPlan
  /** The runs whose snapshots contain them, and go as a whole. */
  readonly snapshotRuns: readonly string[]
  /** The runs whose table files contain them, or may do so because their snapshots are gone. */
  readonly tableRuns: ReadonlySet<string>
  readonly mustGo: (version: ObjectVersion) => boolean
}

const reason = 'Documents of its state were erased by an operator.'

/** `found`: the versions that contain the documents, or may do so. None of them is a page of the published snapshot. */
export function planRemoval(stored: StoredEntity, found: readonly ObjectVersion[]): RemovalPlan {
  const { entity, latest, snapshots, sets, refusedSets } = stored
  const foundVersions = new Set(found.map(nameOfVersion))
  const foundKeys = new Set(found.map(({ key }) => key))
  const hasFound = (objects: readonly { readonly key: string }[] = []) =>
    objects.some(({ key }) => foundKeys.has(key))

  const isPublished = (run: string) => run === latest?.runId
  const snapshotRuns = [...snapshots]
    .filter(([run, { manifest }]) => !isPublished(run) && hasFound(manifest.pages))
    .map(([run]) => run)
  const setsWithFound = [...sets.values()].filter(
    ({ parts, withheldParts }) => hasFound(parts) || hasFound(withheldParts),
  )
  const chain = planChain(stored, {
    snapshotRuns,
    setRuns: setsWithFound.map(({ runId }) => runId),
    foundKeys,
  })
  const chainAfter = chain.kind === 'unchanged' ? stored.chain?.value : chain.chain
  const kept: ReadonlySet<string> = chainAfter ? neededSetKeys(chainAfter, sets.values()) : new Set()
  const goneRefusals = [...refusedSets.values()].filter(({ reviewedParts }) => hasFound(reviewedParts))
  const unneeded = new Set([
    ...setsWithFound.flatMap(objectsOfSet),
    ...goneRefusals.flatMap(({ runId, reviewedParts = [] }) => [
      refusedChangesKey(entity, runId),
      ...reviewedParts.map(({ key }) => key),
    ]),
  ])
  const isSearched = (run: string) => snapshots.get(run)?.kind === 'snapshot' && !snapshotRuns.includes(run)
  const runsWithFound = new Set(
    found.flatMap(({ key }) => (key.startsWith(snapshotsPrefix(entity)) ? placeOf(entity, key).runId : [])),
  )
  /** What the publisher stored about pages that go: hashes of their ids. */
  const isCheckOfFound = (run: string, key: string) => {
    if (!runsWithFound.has(run) || !isCheck(key)) return false
    const snapshot = snapshots.get(run)
    return !snapshot || !belongsTo(snapshot.manifest)(key)
  }
  const tableRuns = tableRunsOf(stored).filter((run) => !isPublished(run) && !isSearched(run))
  return {
    chain,
    snapshotRuns,
    tableRuns: new Set(tableRuns),
    mustGo(version) {
      const { folder, runId } = placeOf(entity, version.key)
      if (folder === 'iceberg') return tableRuns.includes(runId) && version.key !== stored.tableMetadata
      if (foundVersions.has(nameOfVersion(version))) return true
      if (folder === 'snapshots') return snapshotRuns.includes(runId) || isCheckOfFound(runId, version.key)
      return unneeded.has(version.key) && isErasable(version, kept)
    },
  }
}

/** The runs of which a table has files with values. */
function tableRunsOf({ entity, versions, tableMetadata }: StoredEntity): string[] {
  const files = versions.filter(({ key }) => key !== tableMetadata).map(({ key }) => placeOf(entity, key))
  return [...new Set(files.flatMap(({ folder, runId }) => (folder === 'iceberg' && runId ? [runId] : [])))]
}

interface Gone {
  readonly snapshotRuns: readonly string[]
  readonly setRuns: readonly string[]
  readonly foundKeys: ReadonlySet<string>
}

/** The chain begins after the last set that goes. If its state goes too, it starts again with the next snapshot. */
function planChain(
  { chain: stored, sets }: StoredEntity,
  { snapshotRuns, setRuns, foundKeys }: Gone,
): ChainPlan {
  if (!stored) return { kind: 'unchanged' }
  const chain = stored.value
  const tip = sets.get(chain.tip)
  const state = [...(tip ? partsOver(tip).map(({ key }) => key) : []), ...deliveredKeysOf(chain)]
  const isReset =
    !chain.erased &&
    (snapshotRuns.includes(chainSnapshotRun(chain)) || state.some((key) => foundKeys.has(key)))
  const last = chain.sets.findLastIndex(({ runId }) => setRuns.includes(runId))
  if (!isReset && last < 0) return { kind: 'unchanged' }
  const shortened = shortenedChain(chain, last + 1, isReset ? reason : null)
  if (!isReset) return { kind: 'shortened', chain: shortened }
  // The next set forgets what increments have delivered.
  const { delivered: _delivered, deliveredBefore: _before, ...withoutDelivered } = shortened
  return { kind: 'reset', chain: withoutDelivered }
}
