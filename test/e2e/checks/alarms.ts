import assert from 'node:assert/strict'
import { type Check, eventually } from '../check.ts'
import type { CheckContext } from '../context.ts'
import { functionOf, grantsOf } from '../grants.ts'

interface Alarm {
  readonly AlarmName: string
  readonly StateValue: string
  readonly AlarmActions?: readonly string[]
  readonly Dimensions: readonly { readonly Name: string; readonly Value: string }[]
}

export const alarmChecks: Check[] = [
  {
    name: 'a crashing function raises its alarm, which notifies the operators',
    async run(context) {
      const { account } = context
      const name = await functionOf(context, 'Freshness')
      const before = await alarmOf(context, name)
      assert.notEqual(before.StateValue, 'ALARM')
      const grants = await grantsOf(account, await account.roleOf(name))
      const reading = grants.find(({ action }) => action === 'dynamodb:GetItem')
      await reading?.without(async () => {
        const { error } = await account.invoke(name, {})
        assert.ok(error, 'the function did not crash')
      })
      const alarm = await eventually('the alarm is raised', async () => {
        await evaluateAlarms(context)
        const now = await alarmOf(context, name)
        return now.StateValue === 'ALARM' ? now : undefined
      })
      assert.match(alarm.AlarmActions?.[0] ?? '', /^arn:aws:sns:/)
    },
  },
]

async function alarmOf({ account }: CheckContext, name: string): Promise<Alarm> {
  const response = await account.cloudWatch('DescribeAlarmsForMetric', {
    Namespace: 'AWS/Lambda',
    MetricName: 'Errors',
    Dimensions: [{ Name: 'FunctionName', Value: name }],
  })
  const alarms = (response.MetricAlarms as Alarm[]).filter(({ Dimensions }) =>
    Dimensions.some(({ Value }) => Value === name),
  )
  assert.equal(alarms.length, 1, 'alarms on the errors of the function')
  return alarms[0] as Alarm
}

/** The emulator evaluates alarms whenever a metric value is put. */
async function evaluateAlarms({ account }: CheckContext): Promise<void> {
  const value = { MetricName: 'Any', Value: 1 }
  await account.cloudWatch('PutMetricData', { Namespace: 'Any', MetricData: [value] })
}
