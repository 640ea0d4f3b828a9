import { describe, expect, it } from 'vitest'
import { readArguments } from '../../../local/arguments.ts'
import { UsageError } from '../../../operator/errors.ts'

const variables = { LONGSHORE_APP_KEY: 'key', LONGSHORE_APP_TOKEN: 'token' }

describe('the options of npm start', () => {
  it('have a fixed port for the pages, or the next free one', () => {
    expect(readArguments([], {}).port).toEqual({ kind: 'from', port: 4510 })
  })

  it('name an exact port', () => {
    expect(readArguments(['--port', '8080'], {}).port).toEqual({ kind: 'exactly', port: 8080 })
  })

  it('take the credentials of a real platform from the environment', () => {
    expect(readArguments(['--upstream', 'https://shop.example.com/'], variables).platform).toEqual({
      kind: 'real',
      baseUrl: 'https://shop.example.com',
      credentials: { appKey: 'key', appToken: 'token' },
    })
  })

  it('take the addresses of receivers of alerts from the environment', () => {
    const [slack, webhook] = ['https://hooks.slack.com/services/x', 'http://127.0.0.1:8080/alerts']
    const given = {
      LONGSHORE_ALERT_SLACK: slack,
      LONGSHORE_ALERT_TEAMS: '',
      LONGSHORE_ALERT_WEBHOOK: webhook,
    }
    expect(readArguments([], given).receivers).toEqual([
      { type: 'slack', address: slack },
      { type: 'webhook', address: webhook },
    ])
    const wrong = () => readArguments([], { LONGSHORE_ALERT_TEAMS: 's3cr3t' })
    expect(wrong).toThrow('LONGSHORE_ALERT_TEAMS: The address is not a URL.')
    expect(wrong).not.toThrow('s3cr3t')
  })

  it.each([
    [['--onec'], "Unknown option '--onec'"],
    [['--config'], "Option '--config <value>' argument missing"],
    [['now'], "Unexpected argument 'now'"],
    [['--upstream', 'http://shop.example.com'], '--upstream: '],
    [
      ['--upstream', 'https://shop.example.com'],
      'set the environment variables LONGSHORE_APP_KEY and LONGSHORE_APP_TOKEN',
    ],
    [['--partitions', '11'], "--partitions: '11' is not a whole number from 2 to 10"],
    [
      ['--faults', 'fire'],
      "--faults: 'fire' is not one of throttling, expired-token, lost-page, finished-scroll, worker-killed, shrink, outage",
    ],
    [
      ['--faults', 'throttling', '--upstream', 'https://shop.example.com'],
      '--faults cannot be combined with --upstream',
    ],
    [
      ['--like', 'report.json', '--upstream', 'https://shop.example.com'],
      '--like cannot be combined with --upstream',
    ],
    [['--port', 'http'], "--port: 'http' is not a number from 0 to 65535"],
    [['--port', '65536'], "--port: '65536' is not a number from 0 to 65535"],
  ])('refuse %j with the reason', (args, message) => {
    const read = () => readArguments(args, {})
    expect(read).toThrow(UsageError)
    expect(read).toThrow(message)
  })
})
