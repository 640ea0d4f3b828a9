import { describe, expect, it } from 'vitest'
import type { RunView } from '../../../functions/sync-api/views.ts'
import { estimateTimes, paceOfRuns } from '../../../operator/partitions/estimate.ts'

const run = {
  runId: 'run-1',
  status: 'published',
  attempt: 1,
  pages: 10,
  documents: 1000,
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:05.000Z',
  partitions: null,
  partitionsReason: null,
} as RunView

describe('paceOfRuns', () => {
  it('reads the time of a page and its documents from the last run that published in one scroll', () => {
    expect(paceOfRuns([{ ...run, runId: 'run-2', status: 'failed' }, run])).toEqual({
      basis: { kind: 'run', runId: 'run-1' },
      msPerPage: 500,
      documentsPerPage: 100,
    })
  })

  it.each<[string, Partial<RunView>]>([
    ['failed', { status: 'failed' }],
    ['is still running', { endedAt: null }],
    ['needed a second attempt', { attempt: 2 }],
    ['scrolled in ranges', { partitions: [] }],
    ['fell back to one scroll', { partitionsReason: 'The filter is ignored.' }],
    ['found no documents', { documents: 0, pages: 1 }],
  ])('does not use a run that %s', (_, change) => {
    expect(paceOfRuns([{ ...run, ...change }])).toBeUndefined()
  })
})

describe('estimateTimes', () => {
  const pace = { basis: { kind: 'searches' }, msPerPage: 100, documentsPerPage: 10 } as const
  const timesOf = (total: number, ranges: readonly number[]) =>
    estimateTimes({ total, ranges }, pace).map(({ milliseconds }) => milliseconds)

  it('divides the pages among the scrolls', () => {
    expect(timesOf(800, [100, 100, 100, 100, 100, 100, 100, 100])).toEqual([8000, 4000, 2000, 1000])
  })

  it('cannot be faster than the largest range', () => {
    expect(timesOf(400, [100, 300])).toEqual([4000, 3000, 3000, 3000])
  })

  it('counts one page for a range without documents', () => {
    expect(timesOf(20, [10, 10, 0])).toEqual([200, 200, 100, 100])
  })
})
