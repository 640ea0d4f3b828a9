import { storedEntities } from '../../stored/inventory/stored-entity.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { absentIfUnreadable } from '../../stored/unreadable-object.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import type { OrphanedData } from './data-problems.ts'

interface Sources {
  readonly settings: { readonly entities: readonly Pick<EntitySettings, 'name'>[] }
  readonly snapshots: Pick<SnapshotStore, 'readLatest' | 'listFolders'>
}

/** The data in the bucket of entities that are not configured, by name: they were removed or renamed. */
export async function findOrphans({ settings, snapshots }: Sources): Promise<OrphanedData[]> {
  const names = await storedEntities(snapshots.listFolders)
  const orphans = names.filter((name) => settings.entities.every((entity) => entity.name !== name))
  return Promise.all(orphans.map((entity) => orphanedDataOf(snapshots, entity)))
}

export async function orphanedDataOf(
  snapshots: Pick<SnapshotStore, 'readLatest'>,
  entity: string,
): Promise<OrphanedData> {
  const latest = await snapshots.readLatest(entity).catch(absentIfUnreadable)
  const { documents = 0, publishedAt } = latest?.value ?? {}
  return { entity, snapshot: publishedAt === undefined ? null : { documents, publishedAt } }
}
