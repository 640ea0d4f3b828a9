import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { currentSnapshot, type TableMetadata } from '../../functions/tables/iceberg/metadata.ts'
import { openStores } from '../aws/stores.ts'
import type { Deployment } from '../deployment/deployment.ts'

/** Athena's price in us-east-1, and the least that it charges for a query (Athena pricing). */
const dollarsPerByte = 5 / 1e12
const leastBytes = 10e6
/** Calls of APIs, log lines, a metric and a mail cost less. */
const otherDollars = 0.01

/** What the queries about an entity read; absent without Athena. */
export interface QueriedBytes {
  readonly typed: number
  readonly snapshot: number
}

/** In US dollars, without the sync that the checks start. */
export function liveCost(bytes: QueriedBytes | undefined): number {
  if (!bytes) return otherDollars
  const { typed, snapshot } = bytes
  // The typed table now and as it was, the snapshot, the change sets, and a table without rows.
  const queries = [typed, typed, snapshot, snapshot, 0]
  const read = queries.reduce((sum, each) => sum + Math.max(each, leastBytes), 0)
  return Math.ceil((read * dollarsPerByte + otherDollars) * 100) / 100
}

export async function readQueriedBytes(
  deployment: Deployment,
  { name }: Pick<EntitySettings, 'name'>,
): Promise<QueriedBytes | undefined> {
  if (!deployment.configuration.athena) return undefined
  const { snapshots, tables } = openStores(deployment.bucket)
  const published = (await snapshots.readLatest(name))?.value
  const manifest = published && (await snapshots.readManifest(name, published.runId))
  const table = (await tables.readLatest(name))?.value
  const metadata = table && (await tables.readJson<TableMetadata>(table.metadata))
  const current = metadata && currentSnapshot(metadata)
  return {
    typed: Number(current?.summary['total-files-size'] ?? 0),
    snapshot: (manifest?.pages ?? []).reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
