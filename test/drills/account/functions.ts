import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { eventually } from '../../e2e/check.ts'
import { executionEnd, killWorkers, outputOf, startExecution } from '../../e2e/executions.ts'
import { functionOf, grantsOf } from '../../e2e/grants.ts'
import { forgetAlerts, look } from '../../e2e/look.ts'
import { alertSecretOf } from '../../e2e/receivers.ts'
import { drill } from '../drill.ts'
import { partOf, queriesOf, situation } from '../pages.ts'
import { type AccountDrill, type AccountWorld, succeeds } from './world.ts'

const section = (title: string) => situation('runbook', title)
const investigate = (title: string) => queriesOf(partOf(section(title), 'Investigate'))

/** A permission that was removed from the role of a function, until it is restored. */
async function revoke({ context }: AccountWorld, id: string, wanted: string): Promise<() => Promise<void>> {
  const grants = await grantsOf(context.account, await context.account.roleOf(await functionOf(context, id)))
  const revoked = Promise.withResolvers<void>()
  const restored = Promise.withResolvers<void>()
  const grant = grants.find(({ action }) => action === wanted)
  assert.ok(grant, `${id} has no grant of ${wanted}`)
  const work = grant.without(async () => {
    revoked.resolve()
    await restored.promise
  })
  await Promise.race([revoked.promise, work])
  return () => {
    restored.resolve()
    return work
  }
}

/** A run of By_Time whose worker waits for the platform. */
async function hangingRun({ context }: AccountWorld): Promise<string> {
  const { platform } = context
  platform.faults.add({
    match: onScroll({ entity: 'By_Time', page: 2 }),
    fault: { kind: 'hang', effect: 'before' },
  })
  const executionArn = await startExecution(context, { entity: 'By_Time' })
  await eventually(
    'the second page is requested',
    () => platform.requests.some(({ name, fault }) => name === 'By_Time' && fault === 'hang') || undefined,
  )
  return executionArn
}

/** Functions that crash, time out, are throttled, or may not do what they need. */
export const functionDrills: AccountDrill[] = [
  drill('runbook', ['Function errors', 'a permission is missing'], async (world) => {
    const restore = await revoke(world, 'SyncApi', 'dynamodb:GetItem')
    const request = { path: '/syncs/By_Time' }
    assert.equal((await world.call(request)).status, 500)
    return async (operator) => {
      const [, failed = 'Crashes', one = 'Crashes'] = investigate('Function errors')
      const [line] = await eventually('the request is logged', async () => {
        const rows = await operator.query(failed)
        return rows.length > 0 ? rows : undefined
      })
      assert.match(JSON.stringify(line), /AccessDenied|not authorized/)
      assert.notDeepEqual(await operator.query(one, String(line?.['correlationId'])), [])
      // "Manual changes": the role is as it was deployed again.
      await restore()
      assert.equal((await operator.call(request)).status, 200)
    }
  }),
  drill('runbook', 'Function errors', async (world) => {
    const { context } = world
    const name = await functionOf(context, 'Freshness')
    const read = await succeeds(
      world.sh(`aws lambda get-function-configuration --function-name ${name} --query Environment`),
    )
    await succeeds(
      world.sh(
        `aws lambda update-function-configuration --function-name ${name} --environment 'Variables={}'`,
      ),
    )
    const { error } = await context.account.invoke(name, {})
    assert.ok(error, 'the function did not crash')
    return async (operator) => {
      const [crashes = 'Crashes'] = investigate('Function errors')
      assert.deepEqual(await operator.query(crashes), [])
      const [drift = ''] = world.commands(situation('runbook', 'Manual changes').text)
      const { text } = await operator.sh(drift)
      assert.match(text, /Freshness/)
      await succeeds(
        operator.sh(
          `aws lambda update-function-configuration --function-name ${name} --environment '${read.trim()}'`,
        ),
      )
      assert.equal((await context.account.invoke(name, {})).error, undefined)
    }
  }),
  drill('runbook', ['Function errors', 'throttled'], async (world) => {
    const { context } = world
    const name = await functionOf(context, 'Proxy')
    await succeeds(
      world.sh(
        `aws lambda put-function-concurrency --function-name ${name} --reserved-concurrent-executions 0`,
      ),
    )
    const request = { path: '/api/logistics/pvt/configuration/docks/d%201%C3%A9' }
    const { status } = await world.call(request)
    assert.ok(status >= 429, String(status))
    return async (operator) => {
      const [limits = ''] = world.commands(partOf(section('Function errors'), 'Investigate'))
      assert.match(await succeeds(operator.sh(limits)), /ConcurrentExecutions/)
      // maxConcurrentCalls is too low for the load: it is raised by hand here, as a deployment does.
      await succeeds(
        operator.sh(
          `aws lambda put-function-concurrency --function-name ${name} --reserved-concurrent-executions 50`,
        ),
      )
      assert.equal((await operator.call(request)).status, 200)
      await succeeds(world.sh(`aws lambda delete-function-concurrency --function-name ${name}`))
    }
  }),
  drill('runbook', ['Function errors', 'timed out'], async (world) => {
    const { context } = world
    const executionArn = await hangingRun(world)
    await sleep(100)
    // As Lambda does at the time limit.
    await killWorkers(context)
    return async (operator) => {
      const { status, runId = '' } = outputOf(await executionEnd(context, executionArn))
      assert.equal(status, 'published')
      const lines = await operator.query('One run', runId)
      assert.ok(lines.some(({ message }) => message === 'run ended'))
    }
  }),
  drill('runbook', 'Alert not delivered', async ({ context, commands }) => {
    const { webhook } = context.receivers
    webhook.respond = (response) => void response.writeHead(404).end('no_service')
    await forgetAlerts(context)
    await look(context)
    return async (operator) => {
      const [query = 'Crashes'] = investigate('Alert not delivered')
      const ofWebhook = async () => (await operator.query(query)).find(({ type }) => type === 'webhook')
      assert.match(JSON.stringify(await ofWebhook()), /alert not delivered.*responds with 404/)
      // Only the new address works.
      webhook.respond = (response) => void response.writeHead(202).end()
      const values = { URL: alertSecretOf('webhook'), ADDRESS: webhook.address }
      const [store = ''] = commands(partOf(section('Alert not delivered'), 'Fix'), values)
      await succeeds(operator.sh(store))
      await look(context)
      const delivered = await ofWebhook()
      assert.match(JSON.stringify(delivered), /alert delivered/)
    }
  }),
  drill('runbook', ['run-failed', 'the execution was stopped'], async (world) => {
    const { context } = world
    const executionArn = await hangingRun(world)
    // As the state machine does after a day.
    await succeeds(world.sh(`aws stepfunctions stop-execution --execution-arn ${executionArn}`))
    await killWorkers(context)
    return async (operator) => {
      const [, warnings = 'Crashes'] = investigate('run-failed')
      await operator.query(warnings)
      // Five minutes later. The emulator may retry the killed worker of a stopped execution once more.
      await eventually('the next run is not skipped', async () => {
        await context.account.freeEntity(context.deployment.table, 'By_Time')
        const { code, text } = await operator.sh('npx --no-install longshore sync By_Time --watch')
        if (/ended as skipped|is in progress/.test(text)) return undefined
        assert.equal(code, 0, text)
        return text
      })
      // The stopped run may be recorded as failed only after the next one has published.
      const ended = await operator.query('Ended runs')
      const [next] = ended
        .filter(({ entity }) => entity === 'By_Time')
        .toSorted((one, other) => (String(one['runId']) < String(other['runId']) ? 1 : -1))
      assert.equal(next?.['status'], 'published')
    }
  }),
]
