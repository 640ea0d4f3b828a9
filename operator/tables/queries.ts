import { glueName, tableDatabase } from '../../functions/runtime/settings-schema/glue-names.ts'
import type { TableLatest } from '../../stored/tables/table.ts'
import type { Deployment, Target } from '../deployment/deployment.ts'

/** A query of an entity's table that can be copied. */
export interface TableQuery {
  readonly engine: 'DuckDB' | 'Athena' | 'PyIceberg'
  readonly text: string
}

type QueriedDeployment = Pick<Deployment, 'configuration' | 'bucket' | 'stateMachineArn'>

/** Queries of the table as it is now: the metadata of a later publication has another address. */
export function tableQueries(
  { configuration, bucket, stateMachineArn }: QueriedDeployment,
  { entity, latest }: { entity: string; latest: Pick<TableLatest, 'metadata'> },
  target: Target,
): TableQuery[] {
  const metadata = `s3://${bucket}/${latest.metadata}`
  if (target.kind === 'local') return [{ engine: 'PyIceberg', text: localQuery(metadata, target.path) }]
  const [, , , region = ''] = stateMachineArn.split(':')
  const duckDb = { engine: 'DuckDB', text: duckDbQuery(metadata, region) } as const
  if (!configuration.athena) return [duckDb]
  const table = `"${tableDatabase(configuration.name)}"."${glueName(entity)}"`
  return [duckDb, { engine: 'Athena', text: `SELECT * FROM ${table} LIMIT 10;` }]
}

const duckDbQuery = (metadata: string, region: string) =>
  `INSTALL iceberg; LOAD iceberg;
CREATE SECRET (TYPE s3, PROVIDER credential_chain, REGION '${region}');
SELECT * FROM iceberg_scan('${metadata}') LIMIT 10;`

/** The file has the address of the embedded S3, and the access keys that it requires. */
const localQuery = (metadata: string, instanceFile: string) =>
  `import json
from pyiceberg.table import StaticTable

env = json.load(open(${JSON.stringify(instanceFile)}))["environment"]
table = StaticTable.from_metadata("${metadata}", {
    "s3.endpoint": env["AWS_ENDPOINT_URL_S3"],
    "s3.region": env["AWS_REGION"],
    "s3.access-key-id": env["AWS_ACCESS_KEY_ID"],
    "s3.secret-access-key": env["AWS_SECRET_ACCESS_KEY"],
})
print(table.scan(limit=10).to_arrow())`
