import { isBehind, readTable } from '../../functions/problems/table-state.ts'
import { openStores } from '../../operator/aws/stores.ts'
import { findDeployment, longshoreCommand, requireEntity } from '../../operator/deployment/deployment.ts'
import { CommandError } from '../../operator/errors.ts'
import { tableQueries } from '../../operator/tables/queries.ts'
import { defineCommand } from '../shell/command.ts'
import { tableStatusText } from '../tables/table-text.ts'

export const tableCommand = defineCommand({
  name: 'table',
  summary: "Show an entity's typed table, with queries to run",
  argument: '<ENTITY>',
  description: [
    'Shows the run of the table, its rows, how many values of each column are null because they did not fit ' +
      '(rejected), and queries to run in DuckDB and Athena. The entity needs `columns`: see docs/tables.md.',
    'Exits with 1 if the table does not match the published snapshot. The next publication builds the whole table again.',
    '--json prints `entity`, `state` (`kind` is `current`, `pending`, `behind`, `unlisted` or `none`), `table` (null without one), ' +
      '`published` and `queries`.',
  ],
  examples: {
    'table CL': 'Show the table of CL',
    'table CL --json': 'Read the state of the table in a script',
  },
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
