import { expect, it } from 'vitest'
import { alertSecrets, localAlerts, readReceivers } from '../../../local/receivers.ts'

const slack = { type: 'slack', url: 'a', notes: true } as const
const teams = { type: 'teams', url: 'b', notes: false } as const

it.each([
  ['is told notes if the configured one of its type is', [slack, teams], true],
  [
    'is not told notes because one of another type is',
    [
      { ...slack, notes: false },
      { ...teams, notes: true },
    ],
    false,
  ],
  ['is not told notes if none of its type is configured', [{ ...teams, notes: true }], false],
])('a receiver that npm start is given %s', (_, alerts, notes) => {
  const receivers = readReceivers({ LONGSHORE_ALERT_SLACK: 'https://hooks.example/T0' })
  const [alert, ...others] = localAlerts(receivers, { alerts })
  expect([alert, others]).toEqual([{ type: 'slack', url: expect.any(String), notes }, []])
  expect(alertSecrets(receivers)).toEqual({ [alert?.url ?? '']: 'https://hooks.example/T0' })
})
