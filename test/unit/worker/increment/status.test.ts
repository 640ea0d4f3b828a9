import { describe, expect, it } from 'vitest'
import { failWith, type IncrementEnd, skipWith } from '../../../../functions/worker/increment/end.ts'
import { nextStatus } from '../../../../functions/worker/increment/status.ts'
import type { IncrementStatus } from '../../../../stored/entity-items.ts'

const start = Date.UTC(2031, 0, 2, 6, 30)
const hour = 3_600_000

const published = (records: number, to = '2031-01-02T06:00:00Z') =>
  ({ status: 'published', increment: { from: '2031-01-02T05:00:00Z', to, records } }) as IncrementEnd

/** The status after these increments, of which each ends so many hours after the first. */
const statusAfter = (ends: Readonly<Record<string, IncrementEnd>>, before?: IncrementStatus) =>
  Object.entries(ends).reduce<IncrementStatus | undefined>(
    (status, [hours, end]) =>
      nextStatus(status, end, { runId: `r${hours}`, now: start + Number(hours) * hour }),
    before,
  )

const failure = failWith('The platform is down.').end
const skip = skipWith('comparing', 'A published snapshot is being compared.').end

describe('what is known of the increments of an entity', () => {
  it('is since when and how often they have failed: skipped ones count as neither', () => {
    expect(statusAfter({ 0: failure, 1: failure, 2: skip, 3: failure })).toMatchObject({
      failedSince: '2031-01-02T06:30:00.000Z',
      failures: 3,
      last: { runId: 'r3', status: 'failed', reason: 'The platform is down.' },
    })
    expect(statusAfter({ 0: failure, 1: skip })).toMatchObject({
      failedSince: '2031-01-02T06:30:00.000Z',
      failures: 1,
    })
    const recovered = statusAfter({ 0: failure, 1: published(1) })
    expect(recovered).not.toMatchObject({ failedSince: expect.anything(), failures: expect.anything() })
    expect(statusAfter({ 0: failure, 1: published(0), 2: failure })).toMatchObject({
      failedSince: '2031-01-02T08:30:00.000Z',
      failures: 1,
    })
  })

  it('is the last failure, if an older release recorded no more', () => {
    const last = { runId: 'r', endedAt: '2031-01-01T00:00:00.000Z', ...failure } as IncrementStatus['last']
    const status = statusAfter({ 0: failure }, { last } as IncrementStatus)
    expect(status).toHaveProperty('failedSince', '2031-01-01T00:00:00.000Z')
    // Nobody has counted the failures before.
    expect(status).not.toHaveProperty('failures')
  })

  it('is the last window, which only a published one moves', () => {
    const to = '2031-01-02T07:00:00Z'
    const moved = statusAfter({ 0: published(0), 1: published(1, to), 2: failure, 3: skip })
    expect(moved).toMatchObject({ window: { from: '2031-01-02T05:00:00Z', to } })
    expect(statusAfter({ 0: failure })).not.toHaveProperty('window')
  })

  it('is what they delivered in each hour of the last day', () => {
    // Members whose names are integers come first.
    const delivered = { 0: published(1), 1: published(4), 23: published(8), 23.4: published(2) }
    expect(statusAfter(delivered)?.records).toEqual({
      '2031-01-02T06': 1,
      '2031-01-02T07': 4,
      '2031-01-03T05': 10,
    })
    expect(statusAfter({ ...delivered, 25.1: failure })?.records).toEqual({
      '2031-01-02T07': 4,
      '2031-01-03T05': 10,
    })
  })
})
