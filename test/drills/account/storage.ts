import assert from 'node:assert/strict'
import { eventually } from '../../e2e/check.ts'
import { functionOf } from '../../e2e/grants.ts'
import { drill } from '../drill.ts'
import { partOf, queriesOf, situation } from '../pages.ts'
import { type AccountDrill, lineWith, succeeds } from './world.ts'

const dock = '/api/logistics/pvt/configuration/docks/d%201%C3%A9'

/** The secret. */
export const storageDrills: AccountDrill[] = [
  drill('runbook', ['Credentials rejected', 'the secret was deleted'], async (world) => {
    const { context } = world
    const name = await functionOf(context, 'Proxy')
    await succeeds(world.sh(`aws secretsmanager delete-secret --secret-id ${context.deployment.secretArn}`))
    // A function keeps the secret for ten minutes.
    await context.account.renewFunction(name)
    const { status, json } = await world.call({ path: dock })
    assert.deepEqual([status, json.type], [503, 'urn:longshore:problem:credentials-unreadable'])
    return async (operator) => {
      const section = situation('runbook', 'Credentials rejected')
      const [query = 'Crashes'] = queriesOf(partOf(section, 'Investigate'))
      const [line] = await operator.query(query)
      assert.match(JSON.stringify(line), /credentials-unreadable/)
      await succeeds(operator.sh(world.commands(partOf(section, 'Fix')).at(-1) ?? ''))
      await eventually('a dock is read', async () =>
        (await operator.call({ path: dock })).status === 200 ? true : undefined,
      )
      assert.equal(
        lineWith(
          await succeeds(operator.sh('npx --no-install longshore doctor || true')),
          'redentials are not',
        ),
        '',
      )
    }
  }),
]
