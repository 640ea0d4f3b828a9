import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import type { TableClient } from '../../stored/dynamodb/state-table.ts'
import { type Inventory, inventoryOf } from '../../stored/inventory/inventory.ts'
import { type EntityStores, readStored } from '../../stored/inventory/stored-entity.ts'
import { readItems } from '../../stored/inventory/stored-items.ts'
import { readTableFacts } from '../../stored/inventory/table-facts.ts'
import type { ListedObject } from '../../stored/objects.aws.ts'
import type { SnapshotRun } from '../../stored/run/run.ts'
import type { TableStore } from '../../stored/tables/tables.aws.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { openStores } from '../aws/objects.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { openState } from '../sync/syncs.ts'

export interface InventoryStores extends Pick<EntityStores, 'snapshots' | 'changes'> {
  readonly tables: TableStore
  readonly table: TableClient
  readonly list: (prefix: string) => AsyncIterable<ListedObject>
  readonly readRuns: (runs: readonly { entity: string; runId: string }[]) => Promise<SnapshotRun[]>
  readonly now: () => number
}

export function openInventory({ bucket, table, now }: Deployment): InventoryStores {
  const stores = openStores(bucket)
  const state = openState(table)
  return {
    ...stores,
    table: connectTable(table, awsClients.table()),
    list: stores.snapshots.listObjects,
    readRuns: (runs) => state.readRuns(runs),
    now,
  }
}

/** Everything that is stored of an entity. Older versions are not read, since viewers may not list them. */
export async function readInventory(
  { list, readRuns, table, now, ...stores }: InventoryStores,
  settings: EntitySettings,
): Promise<Inventory> {
  const { name: entity } = settings
  async function* listVersions(prefix: string) {
    for await (const { key, writtenAt } of list(prefix))
      yield [{ key, writtenAt, versionId: 'null', isLatest: true }]
  }
  const stored = await readStored({ ...stores, versions: { listVersions } }, entity)
  const keys = stored.versions.map(({ key }) => key)
  const runIds = [...new Set(keys.map((key) => key.split('/')[2] ?? ''))]
  const runs = await readRuns(runIds.map((runId) => ({ entity, runId })))
  const entries = inventoryOf(stored, {
    settings,
    runs: new Map(runs.map((run) => [run.runId, run])),
    table: await readTableFacts({ tables: stores.tables, now }, entity),
    now: now(),
  })
  return { entries, items: await readItems(table, entity, keys) }
}
