import assert from 'node:assert/strict'
import { look } from '../../e2e/look.ts'
import { drill } from '../drill.ts'
import { partOf, queriesOf, situation } from '../pages.ts'
import { type AccountDrill, type AccountWorld, backdate, lineWith, succeeds } from './world.ts'

const stale = situation('runbook', 'stale')
const unknown = situation('runbook', 'Freshness unknown')
const notStarted = situation('runbook', 'Sync not started')
const manual = situation('runbook', 'Manual changes')

/** Name of the schedule of By_Time. */
async function scheduleOf({ sh }: AccountWorld): Promise<string> {
  const list = await succeeds(sh("aws scheduler list-schedules --query 'Schedules[].Name' --output text"))
  return list.split(/\s+/).find((each) => each.includes('ByTime')) ?? ''
}

/** Schedules and rules that were changed by hand. */
export const scheduleDrills: AccountDrill[] = [
  drill('runbook', 'stale', async (world) => {
    await look(world.context)
    await succeeds(world.sh(`aws scheduler delete-schedule --name ${await scheduleOf(world)}`))
    // Without a snapshot, its age counts from then.
    await backdate(world, 'By_Time')
    await look(world.context)
    return async (operator) => {
      const [query = 'Crashes', runs = 'Crashes'] = queriesOf(partOf(stale, 'Investigate'))
      const [found] = await operator.query(query)
      const entity = String(found?.['entity'])
      assert.equal(entity, 'By_Time')
      // Schedules of other entities start runs in the meantime.
      const own = (await operator.query(runs)).filter((run) => run['entity'] === entity)
      assert.deepEqual(own, [], 'no run was started')
      // The page leads to "Manual changes".
      const list = world.commands(manual.text).at(-1) ?? ''
      assert.equal(
        lineWith(await succeeds(operator.sh(list)), entity.replace('_', '')),
        '',
        'the schedule is missing',
      )
      const [repair = ''] = world.commands(situation('runbook', 'schedule-missing').text, {
        ENTITY: entity,
      })
      assert.match(repair, /repair-schedule By_Time/)
      await succeeds(operator.sh(repair))
      assert.match(lineWith(await succeeds(operator.sh(list)), entity.replace('_', '')), /ENABLED/)
      await succeeds(operator.sh(`npx --no-install longshore sync ${entity} --watch`))
      const [verify = ''] = world.commands(partOf(stale, 'Verify')).slice(-1)
      assert.match(lineWith(await succeeds(operator.sh(verify)), entity), /published/)
    }
  }),
  drill('runbook', 'schedule-missing', async (world) => {
    await succeeds(world.sh(`aws scheduler delete-schedule --name ${await scheduleOf(world)}`))
    return async (operator) => {
      const found = await operator.sh('npx --no-install longshore doctor')
      assert.equal(found.code, 1, found.text)
      assert.match(found.text, /schedule of By_Time was deployed, but no longer exists in the account/)
      const repairs = world.commands(situation('runbook', 'schedule-missing').text, { ENTITY: 'By_Time' })
      await succeeds(operator.sh(repairs.at(-1) ?? ''))
      const { text } = await operator.sh('npx --no-install longshore doctor')
      assert.doesNotMatch(text, /schedule of By_Time was deployed/)
    }
  }),
  drill('symptoms', 'No more runs start', async (world) => {
    await succeeds(world.sh('npx --no-install longshore pause By_Time'))
    return async (operator) => {
      const { text } = situation('symptoms', 'No more runs start')
      const [status = '', resume = ''] = world.commands(text, { CL: 'By_Time' })
      assert.match(lineWith(await succeeds(operator.sh(status)), 'By_Time'), /paused/)
      await succeeds(operator.sh(resume))
      assert.doesNotMatch(lineWith(await succeeds(operator.sh(status)), 'By_Time'), /paused/)
    }
  }),
  drill('runbook', 'Freshness unknown', async (world) => {
    const names = await succeeds(world.sh("aws events list-rules --query 'Rules[].Name' --output text"))
    const rule = names.split(/\s+/).find((name) => name.includes('Freshness')) ?? ''
    await succeeds(world.sh(`aws events disable-rule --name ${rule}`))
    return async (operator) => {
      const [query = 'Crashes'] = queriesOf(partOf(unknown, 'Investigate'))
      assert.deepEqual(await operator.query(query), [])
      const [list = ''] = world.commands(partOf(unknown, 'Investigate'))
      assert.match(lineWith(await succeeds(operator.sh(list)), rule), /DISABLED/)
      // "Manual changes": revert the change by hand.
      await succeeds(operator.sh(`aws events enable-rule --name ${rule}`))
      assert.match(lineWith(await succeeds(operator.sh(list)), rule), /ENABLED/)
      await look(world.context)
      const lines = await world.context.account.logLines('FreshnessLogs', Date.now() - 30_000)
      assert.ok(lines.some((line) => line.includes('"freshness"')))
    }
  }),
  drill('runbook', 'Sync not started', async (world) => {
    const [first = ''] = world.commands(partOf(notStarted, 'Investigate'))
    const [url = ''] = first.split('\n')
    // The emulator has no dead-letter queues of schedules: this is what the scheduler sends.
    const attributes =
      '{"ERROR_CODE":{"DataType":"String","StringValue":"AccessDeniedException"},"ERROR_MESSAGE":{"DataType":"String","StringValue":"not allowed"}}'
    await succeeds(
      world.sh(
        `${url}\naws sqs send-message --queue-url "$url" --message-body '{"entity":"By_Hand"}' --message-attributes '${attributes}'`,
      ),
    )
    return async (operator) => {
      const read = first
      const message = await succeeds(operator.sh(read))
      assert.match(message, /AccessDeniedException/)
      const [, entity = ''] = /\\"entity\\":\\"(\w+)\\"/.exec(message) ?? []
      await succeeds(operator.sh(`npx --no-install longshore sync ${entity} --watch`))
      const [purge = ''] = world.commands(partOf(notStarted, 'Fix'))
      await succeeds(operator.sh(`${url}\n${purge}`))
      assert.doesNotMatch(await succeeds(operator.sh(read)), /AccessDenied/)
    }
  }),
  drill('runbook', 'Manual changes', async (world) => {
    const name = await scheduleOf(world)
    const deployed = await succeeds(world.sh(`aws scheduler get-schedule --name ${name}`))
    const { Arn, RoleArn, Input } = JSON.parse(deployed).Target
    const target = JSON.stringify({ Arn, RoleArn, Input })
    await succeeds(
      world.sh(
        `aws scheduler update-schedule --name ${name} --schedule-expression 'rate(1 hour)' --flexible-time-window Mode=OFF --target '${target}'`,
      ),
    )
    return async (operator) => {
      const [drift = ''] = world.commands(manual.text)
      const [repair = ''] = world.commands(situation('runbook', 'schedule-changed').text, {
        ENTITY: 'By_Time',
      })
      // The emulator detects no drift of schedules: the doctor names what differs.
      await operator.sh(drift)
      const { text } = await operator.sh('npx --no-install longshore doctor')
      assert.match(text, /rate\(1 hour\)/)
      await succeeds(operator.sh(repair))
      assert.match(
        await succeeds(operator.sh(`aws scheduler get-schedule --name ${name}`)),
        /rate\(30 days\)/,
      )
    }
  }),
]
