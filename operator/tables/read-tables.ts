import { type TableState, tableStateOf } from '../../functions/problems/table-state.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import type { TableLatest } from '../../functions/state/tables/table.ts'
import { createTableStore, type TableStore } from '../../functions/state/tables/tables.aws.ts'
import type { EntityView } from '../../functions/sync-api/views.ts'
import { awsClients } from '../aws/clients.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'

const maxConcurrentReads = 24

type Snapshot = EntityView['snapshot']

export interface ReadTable {
  readonly latest: TableLatest | undefined
  readonly state: TableState
}

export const openTables = ({ bucket }: Pick<Deployment, 'bucket'>) =>
  createTableStore(bucket, awsClients.bucket())

/** The table of an entity with columns. Why it failed is read only if it matters. */
export async function readTable(
  store: Pick<TableStore, 'readLatest' | 'readFailure'>,
  entity: string,
  { snapshot, now }: { readonly snapshot: Snapshot; readonly now: number },
): Promise<ReadTable> {
  const latest = (await store.readLatest(entity))?.value
  const isOlder = snapshot && (!latest || latest.runId < snapshot.runId)
  const failure = isOlder ? await store.readFailure(entity) : undefined
  return { latest, state: tableStateOf({ snapshot, table: latest, failure, now }) }
}

/** Whether the tables of these entities match their published snapshots, by the entity's name. */
export async function readTables(
  deployment: Pick<Deployment, 'bucket' | 'configuration' | 'now'>,
  views: readonly Pick<EntityView, 'entity' | 'snapshot'>[],
): Promise<(entity: string) => TableState> {
  const store = openTables(deployment)
  const { entities } = deployment.configuration
  const withColumns = new Set(entities.flatMap(({ name, columns }) => (columns ? [name] : [])))
  const now = deployment.now()
  const states = await mapPooled(
    views.filter(({ entity }) => withColumns.has(entity)),
    maxConcurrentReads,
    async ({ entity, snapshot }) => {
      const { state } = await readTable(store, entity, { snapshot, now })
      return [entity, state] as const
    },
  )
  const byEntity = new Map(states)
  return (entity) => byEntity.get(entity) ?? { kind: 'off' }
}
