import type { ReadTable } from '../../functions/problems/table-state.ts'
import { type TableState, tableText } from '../../functions/problems/table-state.ts'
import { formatAge, formatCount, formatSince, plural } from '../../functions/runtime/format.ts'
import type { TableQuery } from '../../operator/tables/queries.ts'
import { rejectedOf, type TableLatest } from '../../stored/tables/table.ts'
import { formatTable } from '../shell/text-table.ts'
import { wrap } from '../shell/wrap.ts'

/** The table with its columns, and below them the queries. */
export function tableStatusText(
  entity: string,
  {
    latest,
    state,
    queries,
    now,
    columns,
  }: ReadTable & {
    readonly queries: readonly TableQuery[]
    readonly now: number
    /** Of the terminal; undefined for no limit. */
    readonly columns: number | undefined
  },
): string {
  if (!latest) return wrap(`${entity}: ${stateText(state, now)}`, columns)
  const { runId, rows, committedAt, metadata } = latest
  const head = `${entity}: ${plural(rows, 'row')} of run ${runId}, published ${formatAge(committedAt, now)}.`
  return [
    wrap(`${head}\n${stateText(state, now)}`, columns),
    columnsText(latest, columns),
    `Metadata: ${metadata}`,
    ...queries.map(({ engine, text }) => `${engine}:\n${text.replaceAll(/^(?=.)/gm, '  ')}`),
  ].join('\n\n')
}

function stateText(state: TableState, now: number): string {
  switch (state.kind) {
    case 'behind':
      return `${tableText(state)} ${formatSince(state.since, now)}`
    case 'unlisted':
      return `The table matches the published snapshot. ${tableText(state)}`
    case 'pending':
      return 'The table of the published snapshot is being built.'
    case 'current':
      return 'The table matches the published snapshot.'
    case 'none':
    case 'off':
      return 'No snapshot is published, so there is no table yet.'
  }
}

function columnsText(latest: TableLatest, columns: number | undefined): string {
  const rows = Object.entries(latest.columns).map(([name, { type, from, hash }]) => [
    name,
    hash ? `${type} (${hash})` : type,
    from.map((member) => member.replaceAll('.', '\\.')).join('.'),
    formatCount(rejectedOf(latest, name)),
  ])
  return formatTable([['COLUMN', 'TYPE', 'FROM', 'REJECTED'], ...rows], { columns, optional: ['FROM'] })
}
