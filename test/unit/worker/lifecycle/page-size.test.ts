import { describe, expect, it } from 'vitest'
import { rememberPageSize } from '../../../../functions/worker/lifecycle/page-size.ts'
import type { RememberedPageSize } from '../../../../stored/entity-items.ts'
import { type ActiveRun, type EndedRun, newRun } from '../../../../stored/run/run.ts'
import { failed, published, publishing, withRange } from '../../../../stored/run/run-changes.ts'
import { mapRanges, plannedRanges } from '../../../../stored/run/split.ts'
import { entityNamed } from '../../../entity-named.ts'
import { planOfRanges } from '../../stored/run/plan-of-ranges.ts'

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

/** What is recorded; undefined if nothing is. */
async function nextPageSize(ended: EndedRun, known: RememberedPageSize | undefined) {
  let recorded: RememberedPageSize | undefined
  const setPageSize = async (_entity: string, size: RememberedPageSize) => {
    recorded = size
  }
  await rememberPageSize({ setPageSize } as never, { entity, rememberedPageSize: known } as never, ended)
  return recorded
}

describe('the page size of the next run', () => {
  it('is twice the one that worked after a publication, up to the configured one', async () => {
    expect(await nextPageSize(publishedWith(125), undefined)).toEqual(remembered(250))
    expect(await nextPageSize(publishedWith(250), remembered(250))).toEqual(remembered(500))
    expect(await nextPageSize(publishedWith(600), remembered(600))).toEqual(remembered(1000))
  })

  it('is the one that worked if nothing was published', async () =>
    expect(await nextPageSize(failedWith(250), undefined)).toEqual(remembered(250)))

  it('is not written if it does not change', async () => {
    expect(await nextPageSize(publishedWith(1000), undefined)).toBeUndefined()
    expect(await nextPageSize(publishedWith(1000), remembered(1000))).toBeUndefined()
    expect(await nextPageSize(failedWith(250), remembered(250))).toBeUndefined()
  })

  it('is the smallest with which a range of the run received pages', async () => {
    const filters = ['a', 'b', 'c'].map((where) => ({ where, documents: 3 }))
    const split = plannedRanges({ ...planOfRanges, filters }, { pageSize: 1000, now })
    const sizes = [500, 250, 125]
    const scrolled = mapRanges(split, (one, index) => ({ ...one, pageSize: sizes[index] ?? 0 }))
    const rangeProgress = [range, range, { ...range, pages: 0 }]
    const end = failed(
      { ...run, split: scrolled },
      { reason: 'Why.', progress: { ...range, rangeProgress }, now },
    )
    expect(await nextPageSize(end, undefined)).toEqual(remembered(250))
  })

  it('does not learn from a run without a page', async () =>
    expect(await nextPageSize(failedWith(62, 0), undefined)).toBeUndefined())

  it('forgets what it learned for another configured size', async () => {
    expect(await nextPageSize(publishedWith(1000), remembered(50, 500))).toBeUndefined()
    expect(await nextPageSize(failedWith(500), remembered(500, 500))).toEqual(remembered(500))
  })
})
