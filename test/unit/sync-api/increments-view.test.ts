import { describe, expect, it } from 'vitest'
import { incrementsView } from '../../../stored/views.ts'

const increments = { schedule: 'rate(5 minutes)', lookbackMinutes: 60 }
const now = Date.parse('2026-01-02T10:20:00Z')
const window = { from: '2026-01-02T09:00:00Z', to: '2026-01-02T10:15:00Z' }
const last = { runId: 'run', status: 'published', reason: null, endedAt: '2026-01-02T10:16:00Z' } as const

describe('the increments of an entity', () => {
  it('are null without a configuration', () =>
    expect(incrementsView({ increments: undefined }, { last, records: {} }, now)).toBeNull())

  it('have no window and no records before the first one', () => {
    expect(incrementsView({ increments }, undefined, now)).toEqual({
      ...increments,
      window: null,
      ageSeconds: null,
      recordsLastDay: 0,
      last: null,
    })
  })

  it('have the age of the last window, which is never negative', () => {
    const status = { window, last, records: {} }
    expect(incrementsView({ increments }, status, now)).toMatchObject({ window, ageSeconds: 300, last })
    expect(incrementsView({ increments }, status, now - 600_000)).toMatchObject({ ageSeconds: 0 })
  })

  it('count the records of the last day by whole hours', () => {
    const records = { '2026-01-01T09': 1, '2026-01-01T10': 10, '2026-01-02T09': 100, '2026-01-02T10': 1000 }
    expect(incrementsView({ increments }, { last, records }, now)).toMatchObject({ recordsLastDay: 1110 })
  })
})
