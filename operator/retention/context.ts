import { randomUUID } from 'node:crypto'
import { tableDatabase } from '../../functions/runtime/settings-schema/glue-names.ts'
import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import type { TableClient } from '../../stored/dynamodb/state-table.ts'
import { openCatalog } from '../../stored/glue/catalog.aws.ts'
import type { TablesContext } from '../../stored/inventory/erase-table-runs.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { createStateStore, type StateStore } from '../../stored/sync-state.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { openStores } from '../aws/objects.aws.ts'
import { openVersions, type StoredVersions } from '../aws/stored-versions.aws.ts'
import { Interrupted } from '../errors.ts'
import type { Operation } from '../operation.ts'

/** What an erasure reads, writes and calls. */
export interface EraseContext extends TablesContext {
  readonly versions: StoredVersions
  readonly snapshots: Pick<SnapshotStore, 'readLatest' | 'readManifest' | 'readRefused'>
  readonly changes: ChangeSetStore
  readonly state: Pick<StateStore, 'readEntity' | 'readRuns'>
  readonly table: TableClient
  readonly onProgress: (done: number, total: number) => void
}

export function openErasure(
  { deployment, reporter, signal }: Operation,
  onProgress: EraseContext['onProgress'],
): EraseContext {
  const { bucket, configuration, kind, now } = deployment
  const table = connectTable(deployment.table, awsClients.table())
  // npm start has no Glue.
  const hasGlue = configuration.athena && kind === 'stacks'
  return {
    versions: openVersions(bucket),
    ...openStores(bucket),
    catalog: hasGlue ? openCatalog(tableDatabase(configuration.name), awsClients.glue()) : undefined,
    state: createStateStore(table),
    table,
    // What fails here is repaired by the next publication.
    log(level, message, fields) {
      if (level === 'ERROR') reporter.note(`${message}: ${JSON.stringify(fields)}`)
    },
    now,
    uniqueName: () => randomUUID().slice(0, 13),
    checkTime() {
      if (signal.aborted)
        throw new Interrupted('Interrupted. Run the command again: it finds and erases what remains.')
    },
    onProgress,
  }
}
