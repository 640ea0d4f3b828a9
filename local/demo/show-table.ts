import { plural } from '../../functions/runtime/format.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { Bundle } from '../bundle.ts'
import { output } from '../output.ts'
import { eventually, sendRequest } from './api-request.ts'

/** Waits for the table of the published snapshot. */
export async function showTable(
  bundle: Bundle,
  configured: EntitySettings,
  commandLine: string | undefined,
): Promise<void> {
  if (!configured.columns) return
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
  if (commandLine !== undefined) output.found('To query it', `${commandLine} table ${configured.name}`)
}

interface TableOfEntity {
  readonly table: {
    readonly runId: string
    readonly rows: number
    readonly rejected: Readonly<Record<string, number>>
  } | null
  readonly snapshot: { readonly runId: string } | null
}
