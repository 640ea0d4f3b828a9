import { openObjects } from '../../functions/state/objects.aws.ts'
import { createSnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import type { Configuration } from '../../lib/config.ts'
import { awsClients } from '../aws/clients.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'

/** Where the documents of an entity are stored. */
const documentFolders = ['snapshots/', 'changes/', 'iceberg/'] as const

/** Data in the bucket of an entity that is not configured: it was removed or renamed. */
export interface OrphanedData {
  readonly entity: string
  /** What is published; null if nothing is. */
  readonly snapshot: { readonly documents: number; readonly publishedAt: string } | null
}

/** The data of entities that are not configured, by name. */
export async function findOrphans(
  { bucket }: Pick<Deployment, 'bucket'>,
  { entities }: Pick<Configuration, 'entities'>,
): Promise<OrphanedData[]> {
  const client = awsClients.bucket()
  const objects = openObjects(bucket, client)
  const names = new Set<string>()
  for (const folder of documentFolders) for await (const name of objects.listFolders(folder)) names.add(name)
  const orphans = [...names].filter((name) => entities.every((entity) => entity.name !== name))
  const snapshots = createSnapshotStore(bucket, client)
  return Promise.all(
    orphans.toSorted().map(async (entity) => {
      const latest = (await snapshots.readLatest(entity))?.value
      const { documents = 0, publishedAt = '' } = latest ?? {}
      return { entity, snapshot: latest ? { documents, publishedAt } : null }
    }),
  )
}
