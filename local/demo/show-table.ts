import { formatCount, plural } from '../../functions/runtime/format.ts'
import type { TableView } from '../../functions/sync-api/published/published-table.ts'
import type { Bundle } from '../bundle.ts'
import { output, shortenedLine } from '../output.ts'
import { eventually, sendRequest } from './api-request.ts'
import { readWithPyIceberg } from './pyiceberg.ts'

/** Waits for the table of the published snapshot, and reads it with PyIceberg if that is installed. */
export async function showTable(
  bundle: Bundle,
  entity: string | undefined,
  commandLine: string,
): Promise<void> {
  const configured = bundle.settings.entities.find(({ name }) => name === entity)
  if (!configured?.columns) return
  const path = `/syncs/${configured.name}` as const
  await eventually(async () => {
    const response = await fetch(bundle.apiUrl + path)
    const { table, snapshot } = (await response.json()) as TableOfEntity
    return table !== null && snapshot !== null && table.runId >= snapshot.runId
  }, 'table')
  const { table } = JSON.parse(await sendRequest(bundle.apiUrl, `GET ${path}`)) as TableOfEntity
  if (!table) throw new Error('The table was removed.')
  const rejected = Object.values(table.rejected).reduce((sum, count) => sum + count, 0)
  output.done(`Iceberg table: ${plural(table.rows, 'row')}, ${plural(rejected, 'rejected value')}`)
  const { bucket, environment } = bundle.instance
  const metadata = `s3://${bucket}/${table.metadata}`
  const read = await readWithPyIceberg('python3', metadata, { ...process.env, ...environment })
  if (read.kind === 'rows') {
    const rows = read.rows.map(shortenedLine).join('\n')
    output.found(`First rows of ${formatCount(table.rows)}, read by PyIceberg`, rows)
    return
  }
  if (read.kind === 'failed')
    output.failed(`PyIceberg could not read the table: ${shortenedLine(read.reason)}`)
  const query = `${commandLine} table ${configured.name}`
  output.found('To query it (pip install "pyiceberg[pyarrow]")', query)
}

interface TableOfEntity {
  readonly table: TableView | null
  readonly snapshot: { readonly runId: string } | null
}
