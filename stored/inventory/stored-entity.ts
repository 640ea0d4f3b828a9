import { dayMs } from '../../functions/runtime/durations.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { changesLatestKey, changesPrefix, runIdTime } from '../changes/change-keys.ts'
import type { ChangeSetStore } from '../changes/change-sets.aws.ts'
import type { RefusedChanges, SetManifest } from '../changes/changes.ts'
import type { ChangesLatest } from '../changes/changes-latest.ts'
import type { ObjectVersion, ObjectVersionStore } from '../object-versions.aws.ts'
import type { Stored } from '../objects.aws.ts'
import type { Latest, Manifest } from '../snapshots/manifest.ts'
import {
  entityFolders,
  entityOfFolder,
  entityPrefixes,
  latestKey,
  snapshotsPrefix,
} from '../snapshots/manifest.ts'
import type { SnapshotStore } from '../snapshots/snapshots.aws.ts'
import type { StateStore } from '../sync-state.ts'
import { runOfTableKey } from '../tables/table.ts'
import type { TableStore } from '../tables/tables.aws.ts'

/** The pages of a run, and whether they are a snapshot that readers could use. */
export interface StoredSnapshot {
  readonly kind: 'snapshot' | 'refused'
  readonly manifest: Manifest
}

/** Everything that the bucket has of an entity. */
export interface StoredEntity {
  readonly entity: string
  readonly versions: readonly ObjectVersion[]
  readonly latest: Latest | undefined
  /** By run. A run that did not end with a snapshot has none. */
  readonly snapshots: ReadonlyMap<string, StoredSnapshot>
  readonly chain: Stored<ChangesLatest> | undefined
  /** By run, also those that are no longer in the chain. */
  readonly sets: ReadonlyMap<string, SetManifest>
  readonly refusedSets: ReadonlyMap<string, RefusedChanges>
  /** The key of the current metadata of the table, which has no values. */
  readonly tableMetadata: string | undefined
}

/** The entities that have objects, in the order of their names. */
export async function storedEntities(
  listFolders: (prefix: string) => Promise<readonly string[]>,
): Promise<string[]> {
  const names = await Promise.all(entityFolders.map(listFolders))
  return [...new Set(names.flat().map(entityOfFolder))].toSorted()
}

/** The snapshots that readers may use, newest first: a manifest after the published one is not published yet. */
export async function readSnapshots(
  { listRuns, readLatest, readManifest }: Pick<SnapshotStore, 'listRuns' | 'readLatest' | 'readManifest'>,
  entity: string,
): Promise<Manifest[]> {
  const published = (await readLatest(entity))?.value.runId ?? ''
  const runs = (await Array.fromAsync(listRuns(entity))).filter((run) => run <= published)
  const found = await mapPooled(runs.toSorted().toReversed(), readsAtOnce, (run) => readManifest(entity, run))
  return found.filter((manifest) => manifest !== undefined)
}

export interface EntityStores {
  readonly versions: Pick<ObjectVersionStore, 'listVersions'>
  readonly snapshots: Pick<SnapshotStore, 'readLatest' | 'readManifest' | 'readRefused'>
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest' | 'readRefused'>
  readonly tables: Pick<TableStore, 'readLatest'>
}

/** Reads again what was published meanwhile. */
export async function readStored(stores: EntityStores, entity: string): Promise<StoredEntity> {
  for (;;) {
    const stored = await readOnce(stores, entity)
    const latest = await stores.snapshots.readLatest(entity)
    const chain = await stores.changes.readLatest(entity)
    if (latest?.value.runId === stored.latest?.runId && chain?.etag === stored.chain?.etag) return stored
  }
}

async function readOnce(
  { versions, snapshots, changes, tables }: EntityStores,
  entity: string,
): Promise<StoredEntity> {
  const latest = (await snapshots.readLatest(entity))?.value
  const chain = await changes.readLatest(entity)
  const tableMetadata = (await tables.readLatest(entity))?.value.metadata
  const all = await listEntity(versions, entity)
  const ofRuns = async <T>(prefix: string, read: (run: string) => Promise<T | undefined>) => {
    const found = await mapPooled([...runsIn(all, prefix)], readsAtOnce, async (run) => {
      const value = await read(run)
      return value ? [[run, value] as const] : []
    })
    return new Map(found.flat())
  }
  return {
    entity,
    versions: all,
    latest,
    chain,
    tableMetadata,
    snapshots: await ofRuns<StoredSnapshot>(snapshotsPrefix(entity), async (run) => {
      const manifest = await snapshots.readManifest(entity, run)
      if (manifest) return { kind: 'snapshot', manifest }
      const refused = await snapshots.readRefused(entity, run)
      return refused && { kind: 'refused', manifest: refused }
    }),
    sets: await ofRuns(
      changesPrefix(entity),
      async (run) => (await changes.readManifest(entity, run))?.value,
    ),
    refusedSets: await ofRuns(changesPrefix(entity), (run) => changes.readRefused(entity, run)),
  }
}

/** Reads of one entity at once. Those of all entities that are erased at once stay below the client's 50 sockets. */
export const readsAtOnce = 12

/** What erasure reads and deletes. */
export interface ErasureStores {
  readonly versions: Pick<ObjectVersionStore, 'listVersions' | 'deleteVersions'>
  readonly snapshots: Pick<SnapshotStore, 'readLatest' | 'listRuns' | 'readManifest' | 'hasManifest'>
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest' | 'readRefused'>
  readonly state: Pick<StateStore, 'readRuns'>
  readonly now: () => number
  /** Throws if too little time is left to continue. */
  readonly checkTime: () => void
}

/** The versions below a prefix that must go. One listing reads 1,000 versions at a time. */
export async function findVersions(
  { versions, checkTime }: Pick<ErasureStores, 'versions' | 'checkTime'>,
  prefix: string,
  mustGo: (version: ObjectVersion) => boolean,
): Promise<ObjectVersion[]> {
  const found: ObjectVersion[] = []
  for await (const page of versions.listVersions(prefix)) {
    checkTime()
    for (const version of page) if (mustGo(version)) found.push(version)
  }
  return found
}

/** Every version of the objects of an entity, those first that readers begin with. */
export async function listEntity(
  { listVersions }: Pick<ObjectVersionStore, 'listVersions'>,
  entity: string,
): Promise<ObjectVersion[]> {
  const found: ObjectVersion[] = []
  for (const prefix of entityPrefixes(entity))
    for await (const page of listVersions(prefix)) found.push(...page)
  const begins: ReadonlySet<string> = new Set([latestKey(entity), changesLatestKey(entity)])
  const { first = [], rest = [] } = Object.groupBy(found, ({ key }) => (begins.has(key) ? 'first' : 'rest'))
  return [...first, ...rest]
}

function runsIn(versions: readonly ObjectVersion[], prefix: string): ReadonlySet<string> {
  const keys = versions.filter(({ key }) => key.startsWith(prefix)).map(({ key }) => key.slice(prefix.length))
  return new Set(keys.flatMap((key) => (key.includes('/') ? [key.slice(0, key.indexOf('/'))] : [])))
}

/** The fields that identify documents, today and when the snapshots and sets were made. */
export function idFieldsOf({ snapshots, sets }: StoredEntity, configured: string): readonly string[] {
  const manifests = [...[...snapshots.values()].map(({ manifest }) => manifest), ...sets.values()]
  return [...new Set([configured, ...manifests.map(({ idField }) => idField)])]
}

/** A version has this name as long as nothing overwrites it, also without versioning. */
export const nameOfVersion = ({ key, versionId, writtenAt }: ObjectVersion) =>
  `${key} ${versionId} ${writtenAt}`

/** The run of an object, and the folder in which it is. */
export function placeOf(entity: string, key: string): { readonly folder: string; readonly runId: string } {
  const [folder = '', , run = ''] = key.split('/')
  return { folder, runId: folder === 'iceberg' ? (runOfTableKey(entity, key) ?? '') : run }
}

/** Runs with smaller ids started so long ago that their content must go, unless it is still published. */
export const erasureCutoff = (keptDays: number, now: number): string => runIdTime(now - keptDays * dayMs)

/** Which content of an entity `eraseWithinDays` does not keep. */
export interface ContentLimits {
  /** Of the published snapshot; undefined before the first one. */
  readonly publishedAt: string | undefined
  /** The runs whose snapshots stay, however old they are. The published one is the first. */
  readonly kept: readonly string[]
  readonly cutoff: string
  /** Whether the content of a run must go. */
  readonly isOld: (runId: string) => boolean
}

type Snapshots = Pick<SnapshotStore, 'readLatest' | 'listRuns' | 'readManifest'>

/**
 * The published snapshot stays, and the one that it replaced not too long ago. Of older ones it is not known how long they
 * were published, so the time of their own run counts.
 */
export async function readContentLimits(
  snapshots: Snapshots,
  entity: string,
  cutoff: string,
): Promise<ContentLimits> {
  const { runId, publishedAt } = (await snapshots.readLatest(entity))?.value ?? {}
  const hasPrevious = runId !== undefined && runId >= cutoff
  const previous = hasPrevious ? await previousSnapshot(snapshots, entity, runId) : []
  const kept = runId === undefined ? [] : [runId, ...previous]
  return { publishedAt, kept, cutoff, isOld: (run) => run < cutoff && !kept.includes(run) }
}

async function previousSnapshot(snapshots: Snapshots, entity: string, published: string): Promise<string[]> {
  const runs = await Array.fromAsync(snapshots.listRuns(entity))
  for (const run of runs.filter((one) => one < published).toReversed())
    if (await snapshots.readManifest(entity, run)) return [run]
  return []
}

/** Whether a version of an object with old content must be deleted. `kept` are the keys that stay. */
export const isErasable = (
  { key, isLatest }: ObjectVersion,
  kept: Pick<ReadonlySet<string>, 'has'>,
): boolean => !(isLatest && kept.has(key))

/** Links that were just issued work for a day longer, and a comparison that is still writing is not disturbed. */
export function isUnneededPart(version: ObjectVersion, kept: ReadonlySet<string>, now: number): boolean {
  return isErasable(version, kept) && version.writtenAt < now - dayMs
}
