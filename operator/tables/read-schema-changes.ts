import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import type { StoredChanges } from '../../functions/state/tables/schema-changes.ts'
import type { EntityView } from '../../functions/sync-api/views.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { openTables } from './read-tables.ts'

const maxConcurrentReads = 24

/** How the fields of the published snapshots differ from those before, of the entities in which they do. */
export async function readSchemaChanges(
  deployment: Pick<Deployment, 'bucket' | 'configuration'>,
  views: readonly Pick<EntityView, 'entity' | 'snapshot'>[],
): Promise<StoredChanges[]> {
  const store = openTables(deployment)
  const { entities } = deployment.configuration
  const reported = new Set(entities.flatMap(({ name, schemaReport }) => (schemaReport ? [name] : [])))
  const changes = await mapPooled(
    views.filter(({ entity }) => reported.has(entity)),
    maxConcurrentReads,
    async ({ entity, snapshot }) =>
      snapshot ? await store.readSchemaChanges(entity, snapshot.runId) : undefined,
  )
  return changes.flatMap((stored) => stored ?? [])
}
