import assert from 'node:assert/strict'
import { DeleteTableCommand, GetTableCommand, GlueClient, UpdateTableCommand } from '@aws-sdk/client-glue'
import { schemaReportKey } from '../../../../stored/snapshots/manifest.ts'
import { type TableLatest, tableLatestKey } from '../../../../stored/tables/table.ts'
import { eventually } from '../../check.ts'
import type { CheckContext } from '../../context.ts'
import { region, rootCredentials } from '../../emulator.ts'
import type { PublishedEvent } from '../../events.ts'
import { executionEnd, startExecution } from '../../executions.ts'
import { functionOf } from '../../grants.ts'
import { listKeys, readLatest, readObject, removeObject, writeObject } from '../../snapshot-proof.ts'

const typedTable = { DatabaseName: 'longshore_snapshots_tables', Name: 'typed' }

/** A table that is made, one that was changed in Glue, and one whose entity no longer has columns. */
export async function makeTables(context: CheckContext): Promise<void> {
  const { account, cleanUp, emulator } = context
  const glue = new GlueClient({ endpoint: emulator.url, region, credentials: rootCredentials })
  cleanUp.add(() => glue.destroy())
  const tables = await functionOf(context, 'Tables')
  const make = async (entity: string) => {
    const { error } = await account.invoke(tables, { entity })
    assert.equal(error, undefined)
  }
  const latest = async () =>
    JSON.parse((await readObject(context, tableLatestKey('Typed'))).toString()) as TableLatest
  const isPublished = ({ 'detail-type': type }: PublishedEvent) => type === 'Table Published'
  const published = async () => (await context.events()).filter(isPublished).length

  const run = await readLatest(context, 'Typed')
  if (!run) await executionEnd(context, await startExecution(context, { entity: 'Typed' }))
  const { runId } = run ?? (await latest())
  const before = await published()
  await removeObject(context, tableLatestKey('Typed'))
  await removeObject(context, schemaReportKey('Typed', runId))
  await glue.send(new DeleteTableCommand(typedTable)).catch(() => undefined)
  await make('Typed')
  assert.deepEqual((await latest()).glue, { state: 'current' })
  assert.ok((await listKeys(context, 'snapshots/Typed/')).includes(schemaReportKey('Typed', runId)))
  await eventually('the event of the table', async () => (await published()) > before || undefined, 2)

  const { Table } = await glue.send(new GetTableCommand(typedTable))
  const Parameters = { ...Table?.Parameters, metadata_location: 's3://elsewhere/metadata.json' }
  const TableInput = { Name: typedTable.Name, StorageDescriptor: Table?.StorageDescriptor, Parameters }
  await glue.send(new UpdateTableCommand({ DatabaseName: typedTable.DatabaseName, TableInput }))
  await make('Typed')
  assert.deepEqual((await latest()).glue, { state: 'current' })

  await writeObject(context, 'iceberg/Granted/data/left-over.parquet', Buffer.from('left over'))
  await make('Granted')
  assert.deepEqual(await listKeys(context, 'iceberg/Granted/'), [])
}
