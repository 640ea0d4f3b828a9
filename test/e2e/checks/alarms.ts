import assert from 'node:assert/strict'
import { type Check, eventually } from '../check.ts'
import { functionOf, grantsOf } from '../grants.ts'
import type { World } from '../world.ts'

interface Alarm {
  readonly AlarmName: string
  readonly StateValue: string
  readonly AlarmActions?: readonly string[]
  readonly Dimensions: readonly { readonly Name: string; readonly Value: string }[]
}

export const alarmChecks: Check[] = [
  {
    name: 'a function that crashes raises its alarm, which tells somebody',
    async run(world) {
      const { account } = world
      const name = await functionOf(world, 'Freshness')
      const before = await alarmOf(world, name)
      assert.notEqual(before.StateValue, 'ALARM')
      const grants = await grantsOf(account, await account.roleOf(name))
      const reading = grants.find(({ action }) => action === 'dynamodb:GetItem')
      await reading?.without(async () => {
        const { error } = await account.invoke(name, {})
        assert.ok(error, 'the function did not crash')
      })
      const alarm = await eventually('the alarm is raised', async () => {
        await evaluateAlarms(world)
        const now = await alarmOf(world, name)
        return now.StateValue === 'ALARM' ? now : undefined
      })
      assert.match(alarm.AlarmActions?.[0] ?? '', /^arn:aws:sns:/)
    },
  },
]

async function alarmOf({ account }: World, name: string): Promise<Alarm> {
  const answer = await account.cloudWatch('DescribeAlarmsForMetric', {
    Namespace: 'AWS/Lambda',
    MetricName: 'Errors',
    Dimensions: [{ Name: 'FunctionName', Value: name }],
  })
  const alarms = (answer.MetricAlarms as Alarm[]).filter(({ Dimensions }) =>
    Dimensions.some(({ Value }) => Value === name),
  )
  assert.equal(alarms.length, 1, 'alarms on the errors of the function')
  return alarms[0] as Alarm
}

/** The emulator evaluates its alarms when somebody puts a value of any metric. */
async function evaluateAlarms({ account }: World): Promise<void> {
  const value = { MetricName: 'Any', Value: 1 }
  await account.cloudWatch('PutMetricData', { Namespace: 'Any', MetricData: [value] })
}
