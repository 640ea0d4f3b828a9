import {
  glueName,
  reservedEntity,
  tableDatabase,
} from '../../functions/runtime/settings-schema/glue-names.ts'
import { openCatalog } from '../../stored/glue/catalog.aws.ts'
import { type GlueColumn, glueTable } from '../../stored/glue/table-input.ts'
import { listEntity } from '../../stored/inventory/stored-entity.ts'
import { createObjectVersionStore } from '../../stored/object-versions.aws.ts'
import { tablePrefix } from '../../stored/tables/table.ts'
import { openAthena } from '../aws/athena.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { openStores } from '../aws/objects.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Waiting } from '../waiting.ts'
import { checksOf } from './checks.ts'
import { type Checked, note } from './finding.ts'
import { inspect } from './inspect.ts'
import { columnsCheck, countCheck } from './live-checks.ts'

/** What Glue and Athena make of the entity's typed table. */
export async function checkLiveTable(
  { bucket, configuration, stateMachineArn }: Deployment,
  entity: string,
  waiting: Waiting,
): Promise<Checked[]> {
  const { tables } = openStores(bucket)
  const latest = configuration.athena ? (await tables.readLatest(entity))?.value : undefined
  if (!latest)
    return [note('tables', `Glue and Athena were not checked: ${entity} has no typed table there.`)]
  const database = tableDatabase(configuration.name)
  const name = glueName(entity)
  const { columns } = glueTable(latest, { location: '', metadata: '' })
  const stored = await openCatalog(database, awsClients.glue()).read(name)
  const [, partition = ''] = stateMachineArn.split(':')
  const address = tables.addressOf(`${tablePrefix(reservedEntity)}results/`)
  const athena = openAthena({ address, partition }, waiting)
  const counted = await inspect(async () => {
    try {
      return await athena(readAll(database, name, columns))
    } finally {
      const versions = createObjectVersionStore(bucket, awsClients.bucket())
      await versions.deleteVersions(await listEntity(versions, reservedEntity))
    }
  })
  return [
    columnsCheck(entity, columns, stored?.columns),
    ...checksOf('tables', counted, (end) => [countCheck(entity, latest.rows, end)]),
  ]
}

/** Counts the rows, and the values of each column, so that Athena reads all of them. */
const readAll = (database: string, table: string, columns: readonly GlueColumn[]) =>
  `SELECT ${['count(*)', ...columns.map(({ name }) => `count("${name}")`)].join(', ')} FROM "${database}"."${table}"`
