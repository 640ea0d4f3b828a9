import { changesLatestKey, runOfPart, setManifestKey } from '../../stored/changes/change-keys.ts'
import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import { type Latest, latestKey, manifestKey } from '../../stored/snapshots/manifest.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import type { StateStore } from '../../stored/sync-state.ts'
import type { TableLatest } from '../../stored/tables/table.ts'
import type { TableStore } from '../../stored/tables/tables.aws.ts'
import { UnreadableObject } from '../../stored/unreadable-object.ts'
import type { EntitySettings } from '../runtime/settings.ts'

/** What a look reads to know whether readers find what was published. */
export interface PointersContext {
  readonly state: Pick<StateStore, 'readRuns'>
  readonly snapshots: Pick<SnapshotStore, 'readLatest' | 'readManifest'>
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest' | 'listKeys'>
  readonly tables: Pick<TableStore, 'readJson' | 'listData'>
}

/** What the state table has, and what was read of it in the bucket after that. */
export interface Followed {
  readonly settings: Pick<EntitySettings, 'name' | 'changes'>
  readonly latest: Latest
  readonly chain: ChangesLatest | undefined
  /** The run of a set whose manifest has just been read. */
  readonly readSet: string | undefined
  readonly table: TableLatest | undefined
}

/** Throws `UnreadableObject` for the first object that readers follow and that somebody has moved, changed or deleted. */
export type CheckPointers = (followed: Followed) => Promise<void>

export const pointersOf =
  (context: PointersContext): CheckPointers =>
  async (followed) => {
    await checkSnapshot(context, followed)
    await checkChain(context, followed)
    if (followed.table) await checkTable(context, followed.settings.name, followed.table)
  }

async function checkSnapshot(
  { state, snapshots }: PointersContext,
  { settings: { name: entity }, latest }: Followed,
): Promise<void> {
  const key = latestKey(entity)
  const found = (await snapshots.readLatest(entity))?.value
  if (!found) throw new UnreadableObject(key, 'does not exist')
  const { runId } = found
  // A worker may have moved it since.
  const [run] = runId > latest.runId ? await state.readRuns([{ entity, runId }]) : []
  if (run?.status === 'publishing' || run?.status === 'published') return
  if (runId !== latest.runId || found.sha256 !== latest.sha256 || found.documents !== latest.documents)
    throw new UnreadableObject(
      key,
      `names run ${runId} with ${found.documents} documents; run ${latest.runId} with ${latest.documents} is published`,
    )
  if (!(await snapshots.readManifest(entity, runId)))
    throw new UnreadableObject(manifestKey(entity, runId), 'does not exist')
}

async function checkChain(
  { changes }: PointersContext,
  { settings: { name: entity, changes: isCompared }, latest, chain, readSet }: Followed,
): Promise<void> {
  if (isCompared === false || chain?.reset) return
  if (chain) {
    const last = chain.sets.at(-1)
    if (!last || last.runId === readSet || (await changes.readManifest(entity, last.runId))) return
    throw new UnreadableObject(setManifestKey(entity, last.runId), 'does not exist')
  }
  // Its sets remain where only the list was deleted. The first comparison stores its manifest before the list.
  for await (const key of changes.listKeys(entity)) {
    if (!key.endsWith('/manifest.json') || runOfPart(key) >= latest.runId) continue
    if (await changes.readLatest(entity)) return
    throw new UnreadableObject(changesLatestKey(entity), 'does not exist')
  }
}

/** What matters here of the metadata of a table (Iceberg specification, "Table Metadata Fields"). */
interface Metadata {
  readonly 'current-snapshot-id'?: number
  readonly snapshots: readonly {
    readonly 'snapshot-id': number
    readonly summary: Readonly<Record<string, string>>
  }[]
}

async function checkTable(
  { tables }: PointersContext,
  entity: string,
  { metadata: key, runId }: TableLatest,
): Promise<void> {
  const metadata = await tables.readJson<Metadata>(key)
  if (!metadata) throw new UnreadableObject(key, 'does not exist')
  // Erasure has removed its rows.
  if (metadata['current-snapshot-id'] === undefined) return
  const current = metadata.snapshots.find((one) => one['snapshot-id'] === metadata['current-snapshot-id'])
  const { summary = {} } = current ?? {}
  if (summary['longshore.run-id'] !== runId)
    throw new UnreadableObject(key, `has the table of ${summary['longshore.run-id']}; ${runId} was committed`)
  const data = await Array.fromAsync(tables.listData(entity, runId))
  const bytes = data.reduce((sum, object) => sum + object.bytes, 0)
  const [files, size] = [Number(summary['total-data-files']), Number(summary['total-files-size'])]
  // What was made in vain leaves more files.
  if (data.length > files ? bytes > size : data.length === files && bytes === size) return
  throw new UnreadableObject(
    key,
    `has ${files} data files of ${size} bytes; ${data.length} of ${bytes} bytes are stored`,
  )
}
