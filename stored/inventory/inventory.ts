import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { chainSnapshotRun } from '../changes/chain-facts.ts'
import { changesPrefix } from '../changes/change-keys.ts'
import { mayHaveExpired } from '../item-expiry.ts'
import type { ObjectVersion } from '../object-versions.aws.ts'
import type { Run } from '../run/run.ts'
import { timeOfRunId } from '../run/run-id.ts'
import { snapshotsPrefix } from '../snapshots/manifest.ts'
import { always, type Reason } from './reason.ts'
import { setReasons } from './set-reasons.ts'
import { type RunOutcome, runOutcomeOf, snapshotReasons } from './snapshot-reasons.ts'
import { placeOf, type StoredEntity } from './stored-entity.ts'
import type { StoredItem } from './stored-items.ts'
import { type TableFacts, tableReasons } from './table-facts.ts'

/** What an object is part of. */
export type Owner =
  | 'pointer'
  | 'snapshot'
  | 'refused snapshot'
  /** Of a run that has no snapshot: it is in progress, or did not publish. */
  | 'pages'
  | 'change set'
  | 'increment'
  | 'refused change set'
  | 'table'

/** A stored object: whose it is, and why it stays. Without reasons, the next clean-up of its folder deletes it. */
export interface InventoryEntry {
  readonly version: ObjectVersion
  readonly owner: Owner
  /** Empty for a pointer. */
  readonly runId: string
  readonly reasons: readonly Reason[]
}

/** Everything that is stored of an entity. */
export interface Inventory {
  readonly entries: readonly InventoryEntry[]
  readonly items: readonly StoredItem[]
}

/** What decides, in addition to what is stored. */
export interface InventoryFacts {
  readonly settings: Pick<EntitySettings, 'keepSnapshots' | 'changes'>
  readonly runs: ReadonlyMap<string, Run>
  /** Undefined if its metadata is gone: it is not known then what it consists of. */
  readonly table: TableFacts | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** Every object of an entity, and why it stays. */
export function inventoryOf(stored: StoredEntity, facts: InventoryFacts): InventoryEntry[] {
  const reasonsOf = currentReasons(stored, facts)
  return stored.versions.map((version) => {
    const { owner, runId } = ownerOf(stored, version.key)
    const kinds = owner === 'pointer' ? [always('pointer')] : reasonsOf(version.key)
    return { version, owner, runId, reasons: version.isLatest ? kinds : [always('old-version')] }
  })
}

function currentReasons(
  { entity, versions, latest, snapshots, chain, sets }: StoredEntity,
  { settings: { keepSnapshots, changes }, runs, table, now }: InventoryFacts,
): (key: string) => readonly Reason[] {
  const outcomeOf = (run: string): RunOutcome => {
    const item = runs.get(run)
    // It began after the items were read.
    return item || mayHaveExpired(timeOfRunId(run), now) ? runOutcomeOf(item, now) : 'unknown'
  }
  const published = latest?.runId
  const ofSnapshots = snapshotReasons({
    entity,
    keys: versions.flatMap(({ key, isLatest }) =>
      isLatest && key.startsWith(snapshotsPrefix(entity)) ? [key] : [],
    ),
    published,
    // Without change sets nothing is compared, as if the chain had ended at the published snapshot.
    tip: changes === false ? published : chain && chainSnapshotRun(chain.value),
    keepSnapshots,
    runOutcomeOf: outcomeOf,
    manifestOf: (run) => snapshots.get(run)?.manifest,
    now,
  })
  const keepDays = changes === false ? 0 : changes.keepDays
  const ofSets =
    chain && setReasons(entity, { chain: chain.value, tipSet: sets.get(chain.value.tip), keepDays, now })
  const ofTable = table && tableReasons(table, now)
  return (key) => {
    if (key.startsWith(snapshotsPrefix(entity))) return ofSnapshots.get(key) ?? []
    // Sets are cleaned up when the first one is published, and the table when its metadata can be read.
    if (key.startsWith(changesPrefix(entity))) return ofSets?.(key) ?? [always('in-progress')]
    return ofTable ? (ofTable.get(key) ?? []) : [always('table')]
  }
}

function ownerOf(
  { entity, snapshots, sets, refusedSets }: StoredEntity,
  key: string,
): Pick<InventoryEntry, 'owner' | 'runId'> {
  const { folder, runId } = placeOf(entity, key)
  if (folder === 'tables' || runId === '' || runId.endsWith('.json')) return { owner: 'pointer', runId: '' }
  if (folder === 'iceberg') return { owner: 'table', runId }
  if (folder === 'snapshots') {
    const kind = snapshots.get(runId)?.kind
    return { owner: kind === 'refused' ? 'refused snapshot' : (kind ?? 'pages'), runId }
  }
  const isRefused = refusedSets.has(runId) && !sets.has(runId)
  const ofSet = sets.get(runId)?.kind === 'increment' ? 'increment' : 'change set'
  return { owner: isRefused ? 'refused change set' : ofSet, runId }
}
