import { expect, it } from 'vitest'
import { mailOfEvents } from '../../../local/mail-of-events.ts'

const event = (detailType: string, detail: object) => ({ source: 'Longshore', detailType, detail })
const problem = (level: string, kind: string) => ({
  id: kind,
  level,
  kind,
  entity: 'CL',
  since: null,
  evidence: 'Why.',
  action: 'Wait.',
})

it('shows what the topic would receive of a look, without notes and other events', () => {
  const events = [
    event('Snapshot Published', { entity: 'CL' }),
    event('Problem Opened', problem('note', 'paused')),
    event('Problem Resolved', problem('problem', 'stale')),
    event('Problem Opened', problem('problem', 'run-failed')),
  ]
  expect(mailOfEvents(events.slice(0, 2), 'Shop')).toBeUndefined()
  const mail = mailOfEvents(events, 'Shop')
  expect(mail?.subject).toBe('Shop: 1 problem, 1 resolved')
  expect(mail?.text).toMatch(
    /PROBLEM CL: run-failed\nWhy\.\nWhat to do: Wait\.\n\nRESOLVED CL: stale, until .+\nWhy\./,
  )
})
