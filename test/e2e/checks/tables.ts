import assert from 'node:assert/strict'
import { DeleteTableCommand, GetTableCommand, GlueClient } from '@aws-sdk/client-glue'
import type { TableMetadata } from '../../../stored/iceberg/metadata.ts'
import { type TableLatest, tableLatestKey } from '../../../stored/tables/table.ts'
import { type Check, eventually } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { region, rootCredentials } from '../emulator.ts'
import { executionEnd, outputOf, startExecution } from '../executions.ts'
import { readObject } from '../snapshot-proof.ts'

const entity = 'Typed'
const table = { DatabaseName: 'longshore_snapshots_tables', Name: 'typed' }

export const tableChecks: Check[] = [
  {
    name: 'an entity with columns has an Iceberg table, which Glue follows, even after it was deleted there',
    async run(context) {
      const glue = new GlueClient({ endpoint: context.emulator.url, region, credentials: rootCredentials })
      context.cleanUp.add(() => glue.destroy())
      const location = async () => {
        const { Table } = await glue.send(new GetTableCommand(table))
        return Table?.Parameters?.['metadata_location']
      }

      const first = await publishedTable(context)
      assert.deepEqual(first.glue, { state: 'current' })
      assert.equal(first.rows, 1_250)
      assert.deepEqual(Object.keys(first.columns), ['id', 'email'])
      assert.equal(await location(), `s3://${context.deployment.bucket}/${first.metadata}`)
      const metadata = JSON.parse((await readObject(context, first.metadata)).toString()) as TableMetadata
      assert.equal(metadata.snapshots.at(-1)?.summary['total-records'], '1250')

      await glue.send(new DeleteTableCommand(table))
      const second = await publishedTable(context)
      assert.notEqual(second.runId, first.runId)
      assert.equal(await location(), `s3://${context.deployment.bucket}/${second.metadata}`)

      await eventually('the event of the second table', async () => {
        const events = await context.events()
        return events.find(
          (event) => event['detail-type'] === 'Table Published' && event.detail['runId'] === second.runId,
        )
      })
    },
  },
]

/** Syncs the entity. Returns the latest.json of its table. */
async function publishedTable(context: CheckContext): Promise<TableLatest> {
  const end = await executionEnd(context, await startExecution(context, { entity }))
  assert.equal(end.status, 'SUCCEEDED', end.cause)
  const latest = JSON.parse((await readObject(context, tableLatestKey(entity))).toString()) as TableLatest
  assert.equal(latest.runId, outputOf(end).runId)
  return latest
}
