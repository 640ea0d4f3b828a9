import type { ReadTable, TableState } from '../../functions/problems/table-state.ts'
import { isBehind, readTable, tableText } from '../../functions/problems/table-state.ts'
import { formatAge, formatCount, formatSince, plural } from '../../functions/runtime/format.ts'
import { openStores } from '../../operator/aws/objects.aws.ts'
import { findDeployment, longshoreCommand, requireEntity } from '../../operator/deployment/deployment.ts'
import { CommandError } from '../../operator/errors.ts'
import { type TableQuery, tableQueries } from '../../operator/tables/queries.ts'
import { rejectedOf, type TableLatest } from '../../stored/tables/table.ts'
import { defineCommand } from '../shell/command.ts'
import { formatTable } from '../shell/text-table.ts'
import { wrap } from '../shell/wrap.ts'

export const tableCommand = defineCommand({
  name: 'table',
  summary: "Show an entity's typed table, with queries to run",
  argument: '<ENTITY>',
  description: [
    'Shows the run of the table, its rows, how many values of each column are null because they did not fit, and ' +
      'queries for DuckDB and Athena. Exits with 1 if the table does not match the published snapshot. The `kind` of ' +
      '`state` in --json is `current`, `pending`, `behind`, `unlisted` or `none`. The entity needs `columns`: see ' +
      'docs/tables.md.',
  ],
  examples: { 'table CL': 'Show the table of CL' },
  async run({ entity, target, terminal }) {
    const deployment = await findDeployment(target)
    if (requireEntity(deployment.configuration, entity).columns === undefined) {
      throw new CommandError(`${entity} has no columns in the configuration, so it has no table.`, {
        fix: `add columns to ${entity} in the configuration and deploy (docs/tables.md). To propose them: ${longshoreCommand(target, `columns ${entity}`)}`,
      })
    }
    const { snapshots, tables } = openStores(deployment.bucket)
    const published = await snapshots.readLatest(entity)
    const snapshot = published?.value ?? null
    const now = deployment.now()
    const read = await readTable(tables, entity, { snapshot, now })
    const { latest, state } = read
    const queries = latest ? tableQueries(deployment, { entity, latest }, target) : []
    return {
      ok: !isBehind(state),
      text: tableStatusText(entity, { ...read, queries, now, columns: terminal.columns }),
      form: 'unwrapped',
      data: { entity, state, table: latest ?? null, published: snapshot, queries },
    }
  },
})

interface ShownTable extends ReadTable {
  readonly queries: readonly TableQuery[]
  readonly now: number
  /** Of the terminal; undefined for no limit. */
  readonly columns: number | undefined
}

function tableStatusText(entity: string, { latest, state, queries, now, columns }: ShownTable): string {
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
