import assert from 'node:assert/strict'
import { tableDatabase } from '../../../functions/runtime/settings-schema/glue-names.ts'
import { eventually } from '../../e2e/check.ts'
import type { CheckContext } from '../../e2e/context.ts'
import { executionEnd, startExecution } from '../../e2e/executions.ts'
import { functionOf } from '../../e2e/grants.ts'
import { look } from '../../e2e/look.ts'
import { listKeys, readLatest, readObject, removeObject, removeVersions } from '../../e2e/snapshot-proof.ts'
import type { EntityName } from '../../e2e/upstream.ts'
import { drill } from '../drill.ts'
import { partOf, queriesOf, situation } from '../pages.ts'
import { type AccountDrill, type AccountWorld, backdate, lineWith, succeeds } from './world.ts'

const table = situation('runbook', 'table-failed')
const tables = situation('runbook', 'Tables')
const increments = situation('runbook', 'increments-stale')
const manual = situation('runbook', 'Manual changes')

async function sync(context: CheckContext, entity: EntityName): Promise<void> {
  const end = await executionEnd(context, await startExecution(context, { entity }))
  assert.equal(end.status, 'SUCCEEDED', end.cause)
}

/**
 * Makes the increments of an entity look overdue: their schedule is old, and their last window ended long ago. By then,
 * no scroll is open that an increment of an earlier check has left.
 */
async function ageIncrements(world: AccountWorld, entity: EntityName): Promise<void> {
  const old = { S: '2020-01-01T00:00:00.000Z' }
  const update = `aws dynamodb update-item --table-name ${world.context.deployment.table}`
  await backdate(world, `${entity}#increments`)
  const values = JSON.stringify({ ':window': { M: { from: old, to: old } } })
  await succeeds(
    world.sh(
      `${update} --key '{"pk":{"S":"entity#${entity}"},"sk":{"S":"entity"}}' --update-expression 'SET increments.#window = :window REMOVE incrementScroll' ` +
        `--expression-attribute-names '{"#window":"window"}' --expression-attribute-values '${values}'`,
    ),
  )
}

/** Tables and increments that end badly. */
export const dataDrills: AccountDrill[] = [
  drill('runbook', ['table-failed', 'a page is restored'], async (world) => {
    const { context } = world
    await sync(context, 'Typed')
    const latest = await readLatest(context, 'Typed')
    const { pages } = JSON.parse(String(await readObject(context, latest?.manifest ?? '')))
    const key: string = pages[0].key
    await removeObject(context, key)
    // As if the table of the published snapshot had not been made yet.
    await removeVersions(context, 'iceberg/Typed/latest.json')
    await context.account.invoke(await functionOf(context, 'Tables'), { entity: 'Typed' })
    return async (operator) => {
      const [ended = 'Crashes'] = queriesOf(partOf(table, 'Investigate'))
      const [failed] = await eventually('the failure is logged', async () => {
        const rows = await operator.query(ended)
        return rows[0]?.['status'] === 'failed' ? rows : undefined
      })
      assert.ok(String(failed?.['reason']).includes(key), 'the reason names the object')
      const commands = world.commands(`${table.text}\n${tables.text}`, { ENTITY: 'Typed' })
      // The page is intact again. The table is still missing.
      const { text } = await operator.sh(commands[0] ?? '')
      assert.ok(text.includes(`Restored an intact version of ${key}.`), text)
      assert.match(
        await succeeds(operator.sh(`cd "$TMPDIR"\n${commands.at(-1)}\ncat response.json`)),
        /published/,
      )
      assert.equal((await operator.query(ended))[0]?.['status'], 'published')
      assert.ok((await listKeys(context, 'iceberg/Typed/')).includes('iceberg/Typed/latest.json'))
    }
  }),
  drill('runbook', 'Tables', async (world) => {
    const { context } = world
    await sync(context, 'Typed')
    const since = Date.now()
    const database = tableDatabase(context.deployment.name)
    await succeeds(world.sh(`aws glue delete-table --database-name ${database} --name typed`))
    await succeeds(world.sh(`aws glue delete-database --name ${database}`))
    for (let publications = 0; publications < 2; publications++) await sync(context, 'Typed')
    await eventually('both failures are logged', async () => {
      const lines = await context.account.logLines('TablesLogs', since)
      return lines.filter((line) => line.includes('Glue table not updated')).length > 1 || undefined
    })
    return async (operator) => {
      const status = 'npx --no-install longshore status'
      const { text } = await operator.sh(status)
      assert.match(text, /Typed[\s\S]*EntityNotFoundException/)
      await succeeds(operator.sh(world.commands(tables.text)[0] ?? ''))
      const invoke = world.commands(tables.text, { ENTITY: 'Typed' }).at(-1) ?? ''
      await succeeds(operator.sh(`cd "$TMPDIR"\n${invoke}`))
      assert.doesNotMatch((await operator.sh(status)).text, /EntityNotFoundException/)
      await succeeds(world.sh(`aws glue get-table --database-name ${database} --name typed`))
    }
  }),
  drill('runbook', ['increments-stale', 'their schedule was deleted'], async (world) => {
    const { context } = world
    await sync(context, 'Frequent')
    await eventually(
      'an increment has ended well',
      async () => {
        const { json } = await context.callApi({ path: '/syncs/Frequent' })
        return json.increments.window ?? undefined
      },
      120,
    )
    const names = await succeeds(
      world.sh("aws scheduler list-schedules --query 'Schedules[].Name' --output text"),
    )
    const name = names.split(/\s+/).find((each) => /Increment.*Frequent/.test(each)) ?? ''
    await succeeds(world.sh(`aws scheduler delete-schedule --name ${name}`))
    await look(context)
    await eventually('the window is stale', async () => {
      await ageIncrements(world, 'Frequent')
      return (await look(context)).includes('increments-stale Frequent') || undefined
    })
    return async (operator) => {
      const list = (world.commands(manual.text).at(-1) ?? '').split('\n')[0] ?? ''
      assert.equal(lineWith(await succeeds(operator.sh(list)), name), '', 'the schedule is missing')
      // The page leads to "Manual changes".
      const missing = situation('runbook', 'schedule-missing').text
      const [repair = ''] = world.commands(missing, { ENTITY: 'Frequent' })
      await succeeds(operator.sh(repair))
      assert.match(lineWith(await succeeds(operator.sh(list)), name), /ENABLED/)
      const [, again = ''] = world.commands(increments.text, { ENTITY: 'Frequent' })
      assert.match(again, /sync Frequent --increment/)
      // A scheduled run may be in progress.
      await eventually(
        'an increment ends well',
        async () => (await operator.sh(again)).code === 0 || undefined,
      )
      assert.ok(!(await look(context)).includes('increments-stale Frequent'))
      const [ended = 'Crashes'] = queriesOf(partOf(increments, 'Verify'))
      assert.equal((await operator.query(ended))[0]?.['status'], 'published')
    }
  }),
]
