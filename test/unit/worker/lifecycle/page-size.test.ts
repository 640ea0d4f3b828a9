import { describe, expect, it } from 'vitest'
import { type ActiveRun, type EndedRun, newRun } from '../../../../functions/state/run/run.ts'
import { failed, published, publishing, withRange } from '../../../../functions/state/run/run-changes.ts'
import { mapRanges, plannedRanges } from '../../../../functions/state/run/split.ts'
import { nextPageSize } from '../../../../functions/worker/lifecycle/page-size.ts'
import { entityNamed } from '../../../entity-named.ts'

const now = Date.UTC(2026, 2, 1, 6)
const entity = entityNamed('CL', { pageSize: 1000 })
const run = newRun({ runId: 'r', entity, acceptShrink: false, execution: undefined, now })
const range = { documents: 9, pages: 2, total: 9 }
const progress = { ...range, rangeProgress: [range] }
const withPageSize = (pageSize: number): ActiveRun => withRange(run, 0, (range) => ({ ...range, pageSize }))
const publishedWith = (pageSize: number): EndedRun => {
  const result = {
    proof: 'exact',
    documents: 9,
    uniqueIds: 9,
    pages: 2,
    reportedTotal: 9,
    partitions: undefined,
  } as const
  const times = { openedAt: '', finishedAt: '' }
  const spent = { requests: 3, receivedBytes: 1, milliseconds: 1 }
  const proven = publishing(withPageSize(pageSize), { ...result, ...times, pageSize, spent }, now)
  return published(proven, { manifest: 'key', progress, now })
}
const failedWith = (pageSize: number, pages = 2): EndedRun =>
  failed(withPageSize(pageSize), {
    reason: 'Why.',
    progress: { ...progress, rangeProgress: [{ ...range, pages }] },
    now,
  })
const remembered = (next: number, configured = 1000) => ({ next, configured })

describe('the page size of the next run', () => {
  it('is twice the one that worked after a publication, up to the configured one', () => {
    expect(nextPageSize(publishedWith(125), undefined)).toEqual(remembered(250))
    expect(nextPageSize(publishedWith(250), remembered(250))).toEqual(remembered(500))
    expect(nextPageSize(publishedWith(600), remembered(600))).toEqual(remembered(1000))
  })

  it('is the one that worked if nothing was published', () => {
    expect(nextPageSize(failedWith(250), undefined)).toEqual(remembered(250))
  })

  it('is not written if it does not change', () => {
    expect(nextPageSize(publishedWith(1000), undefined)).toBeUndefined()
    expect(nextPageSize(publishedWith(1000), remembered(1000))).toBeUndefined()
    expect(nextPageSize(failedWith(250), remembered(250))).toBeUndefined()
  })

  it('is the smallest with which a range of the run received pages', () => {
    const filters = ['a', 'b', 'c'].map((where) => ({ where, documents: 3 }))
    const plan = {
      by: 'a',
      count: 2,
      boundaries: [],
      searchedAt: '',
      total: 9,
      coverage: 'exact',
      onBoundaries: 0,
    } as const
    const split = plannedRanges({ ...plan, filters }, { pageSize: 1000, now })
    const sizes = [500, 250, 125]
    const scrolled = mapRanges(split, (one, index) => ({ ...one, pageSize: sizes[index] ?? 0 }))
    const rangeProgress = [range, range, { ...range, pages: 0 }]
    const end = failed(
      { ...run, split: scrolled },
      { reason: 'Why.', progress: { ...range, rangeProgress }, now },
    )
    expect(nextPageSize(end, undefined)).toEqual(remembered(250))
  })

  it('does not learn from a run without a page', () => {
    expect(nextPageSize(failedWith(62, 0), undefined)).toBeUndefined()
  })

  it('forgets what it learned for another configured size', () => {
    expect(nextPageSize(publishedWith(1000), remembered(50, 500))).toBeUndefined()
    expect(nextPageSize(failedWith(500), remembered(500, 500))).toEqual(remembered(500))
  })
})
