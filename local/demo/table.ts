import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { TableView } from '../../functions/sync-api/published/published-table.ts'
import { formatCount, plural } from '../../operator/text/format.ts'
import type { Bundle } from '../bundle.ts'
import { output, shortened } from '../output.ts'
import { eventually, send } from './request.ts'

/** Waits for the table of the published snapshot, and reads it with PyIceberg if that is installed. */
export async function showTable(bundle: Bundle, entity: string | undefined): Promise<void> {
  const configured = bundle.settings.entities.find(({ name }) => name === entity)
  if (!configured?.columns) return
  const path = `/syncs/${configured.name}` as const
  await eventually(async () => {
    const response = await fetch(bundle.apiUrl + path)
    const { table, snapshot } = (await response.json()) as EntityResponse
    return table !== null && snapshot !== null && table.runId >= snapshot.runId
  }, 'table')
  const { table } = JSON.parse(await send(bundle.apiUrl, `GET ${path}`)) as EntityResponse
  if (!table) throw new Error('The table was removed.')
  const rejected = Object.values(table.rejected).reduce((sum, count) => sum + count, 0)
  output.done(`Iceberg table: ${plural(table.rows, 'row')}, ${plural(rejected, 'rejected value')}`)
  const rows = await readRows(bundle, table)
  if (rows === undefined) {
    const query = `npx --no-install longshore --local table ${configured.name}`
    output.found('To query it (pip install "pyiceberg[pyarrow]")', query)
    return
  }
  output.found(`First rows of ${formatCount(table.rows)}, read by PyIceberg`, rows)
}

interface EntityResponse {
  readonly table: TableView | null
  readonly snapshot: { readonly runId: string } | null
}

const maxReaderMs = 60_000

/** Undefined if Python or PyIceberg is not installed. */
async function readRows({ instance }: Bundle, { metadata }: TableView): Promise<string | undefined> {
  const address = `s3://${instance.bucket}/${metadata}`
  try {
    const { stdout } = await promisify(execFile)('python3', ['-c', reader, address], {
      env: { ...process.env, ...instance.environment },
      timeout: maxReaderMs,
    })
    return stdout.trimEnd().split('\n').map(shortened).join('\n')
  } catch {
    return undefined
  }
}

const reader = `
import os, sys
from pyiceberg.table import StaticTable

table = StaticTable.from_metadata(sys.argv[1], {
    "s3.endpoint": os.environ["AWS_ENDPOINT_URL_S3"],
    "s3.region": os.environ["AWS_REGION"],
    "s3.access-key-id": os.environ["AWS_ACCESS_KEY_ID"],
    "s3.secret-access-key": os.environ["AWS_SECRET_ACCESS_KEY"],
})
for row in table.scan(limit=3).to_arrow().to_pylist():
    print({name: str(value) for name, value in row.items()})
`
