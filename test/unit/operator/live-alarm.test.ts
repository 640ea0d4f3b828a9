import { CloudWatchClient } from '@aws-sdk/client-cloudwatch'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { AwsError, serveAwsJson } from '../../../local/embedded/aws-json-server.ts'
import { clientSettings } from '../../../local/embedded/environment.ts'
import { awsClients } from '../../../operator/aws/clients.aws.ts'
import { alarmCheck } from '../../../operator/live/alarm-checks.ts'
import { seen } from '../../../operator/live/seen.ts'

afterEach(() => void vi.restoreAllMocks())

const service = 'GraniteServiceVersion20100801'
const place = { isAws: true, account: '123456789012' }

/** Sets off an alarm in this state, with what its history says. Returns the outcome, and the states that were set. */
async function setOff(state: string, history: () => readonly string[]) {
  const states: string[] = []
  const served = await serveAwsJson({
    [`${service}.DescribeAlarms`]: () => ({
      MetricAlarms: [
        { AlarmName: 'Shop-A', StateValue: 'ALARM', ActionsEnabled: true, AlarmActions: ['arn'] },
        { AlarmName: 'Shop-B', StateValue: state, ActionsEnabled: true, AlarmActions: ['arn'] },
      ],
    }),
    [`${service}.SetAlarmState`]: ({ AlarmName, StateValue }) =>
      void states.push(`${AlarmName} ${StateValue}`),
    [`${service}.DescribeAlarmHistory`]: () => ({
      AlarmHistoryItems: history().map((HistorySummary) => ({ HistoryItemType: 'Action', HistorySummary })),
    }),
  })
  onTestFinished(() => served.close())
  vi.spyOn(awsClients, 'alarms').mockImplementation(
    () => new CloudWatchClient({ ...clientSettings, endpoint: served.endpoint, maxAttempts: 1 }),
  )
  const deployment = { configuration: { name: 'Shop' }, now: () => 0 } as Parameters<typeof alarmCheck>[0]
  const controller = new AbortController()
  const pause = async () => controller.abort()
  const { outcome } = await alarmCheck(deployment, { place, waiting: { pause, signal: controller.signal } })
  return { outcome, states }
}

it.each<[outcome: string, state: string, history: () => readonly string[]]>([
  ['as-expected', 'INSUFFICIENT_DATA', () => ['Successfully executed action arn']],
  ['not-seen', 'OK', () => []],
  [
    'not-seen',
    'INSUFFICIENT_DATA',
    () => {
      throw new AwsError('AccessDenied', 'No.')
    },
  ],
])('an alarm that was set off has its state again if its notification is %s: %s', async (...row) => {
  const [outcome, state, history] = row
  expect(await setOff(state, history)).toEqual({ outcome, states: ['Shop-B ALARM', `Shop-B ${state}`] })
})

it('looks again every two seconds, and no more once the time is over', async () => {
  const controller = new AbortController()
  const waits: number[] = []
  const pause = async (ms: number) => {
    if (waits.push(ms) === 3) controller.abort()
  }
  let looks = 0
  const look = async () => ++looks > 3
  expect(await seen(look, { pause, signal: controller.signal })).toBe(false)
  expect(waits).toEqual([2_000, 2_000, 2_000])
})
