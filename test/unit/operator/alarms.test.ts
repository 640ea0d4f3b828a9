import { CloudWatchClient } from '@aws-sdk/client-cloudwatch'
import { expect, it, onTestFinished } from 'vitest'
import { serveAwsJson } from '../../../local/embedded/aws-json-server.ts'
import { clientSettings } from '../../../local/embedded/environment.ts'
import { readFiringAlarms } from '../../../operator/aws/alarms.aws.ts'

const since = Date.parse('2026-03-01T06:00:00Z')
const alarms = [
  { AlarmName: 'Shop-Internal errors', StateValue: 'ALARM' },
  { AlarmName: 'Shop-Slow calls', StateValue: 'OK' },
  { AlarmName: 'Shop-Sync failed', StateValue: 'ALARM' },
  { AlarmName: 'ShopTest-Sync failed', StateValue: 'ALARM' },
].map((alarm) => ({ ...alarm, AlarmDescription: 'Why.', StateTransitionedTimestamp: since / 1000 }))

/** DescribeAlarms, which returns one alarm per page. */
const serveAlarms = () =>
  serveAwsJson({
    'GraniteServiceVersion20100801.DescribeAlarms': ({ AlarmNamePrefix, StateValue, NextToken = '0' }) => {
      const found = alarms.filter(
        (alarm) => alarm.AlarmName.startsWith(AlarmNamePrefix) && alarm.StateValue === StateValue,
      )
      const next = Number(NextToken) + 1
      return {
        MetricAlarms: found.slice(next - 1, next),
        ...(next < found.length && { NextToken: String(next) }),
      }
    },
  })

it('lists all alarms of a deployment that fire, and none of another whose name begins like it', async () => {
  const served = await serveAlarms()
  onTestFinished(() => served.close())
  const client = new CloudWatchClient({ ...clientSettings, endpoint: served.endpoint })
  expect(await readFiringAlarms('Shop', client)).toEqual(
    ['Shop-Internal errors', 'Shop-Sync failed'].map((name) => ({
      name,
      description: 'Why.',
      since: '2026-03-01T06:00:00.000Z',
    })),
  )
})
