import { describe, expect, it } from 'vitest'
import { linesOfRun } from '../../../../operator/sync/line.ts'
import { logPeriod } from '../../../../operator/sync/run-logs.ts'
import { logLine } from '../../../log-line.ts'

describe('a log line', () => {
  it('belongs to one run, and the lines of a run are in the order of their times', () => {
    const texts = [
      logLine({ timestamp: '2026-11-21T02:54:05.000Z', message: 'second' }),
      logLine({ message: 'first' }),
      logLine({ runId: 'other' }),
    ].map((one) => JSON.stringify(one))
    const events = ['START', 'null', '{"runId":"r","message":"m"}', '{"runId":"r","timestamp":"t"}', ...texts]
    const lines = linesOfRun(
      'r',
      events.map((text, id) => ({ id: String(id), text })),
    )
    expect(lines.map(({ message }) => message)).toEqual(['first', 'second'])
  })

  it('has an empty level if the event has none', () => {
    const text = JSON.stringify({ timestamp: 't', message: 'm', runId: 'r' })
    expect(linesOfRun('r', [{ id: '1', text }])).toEqual([
      { timestamp: 't', level: '', message: 'm', runId: 'r' },
    ])
  })
})

it.each([
  ['2026-11-21T12:05:00.000Z', '2026-11-21T12:25:00.000Z'],
  [null, '2026-11-21T13:00:00.000Z'],
])('searches from before the start to after the end %j, or else until now', (endedAt, to) => {
  const run = { runId: 'r', startedAt: '2026-11-21T12:00:00.000Z', endedAt }
  expect(logPeriod(run, Date.parse('2026-11-21T13:00:00Z'))).toEqual({
    runId: 'r',
    from: Date.parse('2026-11-21T11:59:00Z'),
    to: Date.parse(to),
  })
})
