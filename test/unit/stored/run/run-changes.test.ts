import { describe, expect, it } from 'vitest'
import { proven } from '../../../../stored/run/range.ts'
import { rangesOf } from '../../../../stored/run/ranges-of-split.ts'
import { type ActiveFullRun, newRun, type RefusedRun, type RunResult } from '../../../../stored/run/run.ts'
import {
  abandoned,
  accepted,
  cancelled,
  failed,
  published,
  publishing,
  refused,
  running,
  skipped,
  waiting,
  withFault,
  withOpening,
  withRange,
  withRequest,
  withSplit,
} from '../../../../stored/run/run-changes.ts'
import { timeOfRunId } from '../../../../stored/run/run-id.ts'
import { plannedRanges } from '../../../../stored/run/split.ts'
import { entityNamed } from '../../../entity-named.ts'
import { planOfRanges } from './plan-of-ranges.ts'

const now = Date.UTC(2026, 2, 1, 6)
const later = now + 60_000
const laterText = new Date(later).toISOString()
const runId = '20260301T060000000Z-0123456789ab'
const entity = entityNamed('CL', { pageSize: 100, query: { _where: 'a=b' }, idField: 'key' })
const run: ActiveFullRun = newRun({ runId, entity, acceptShrink: false, execution: 'arn:x', now })
const result: RunResult = {
  proof: 'exact',
  documents: 5,
  uniqueIds: 5,
  pages: 1,
  reportedTotal: 5,
  partitions: undefined,
  pageSize: 100,
  openedAt: laterText,
  finishedAt: laterText,
  spent: { requests: 2, receivedBytes: 100, milliseconds: 60_000 },
}

describe('a run', () => {
  it('begins with the configuration of its entity', () => {
    expect(run).toMatchObject({
      status: 'running',
      split: { kind: 'whole', range: { state: 'planned', attempt: 1, suspect: false, pageSize: 100 } },
      plan: { query: { _where: 'a=b' }, idField: 'key', configuredPageSize: 100, pageSize: 100 },
    })
  })

  it('continues a wait for the same reason, and begins another after a minute without one', () => {
    const minute = 60_000
    const wait = { for: 'slot', reason: 'No slot is free.', waitMs: 10 * minute } as const
    const first = waiting(run, { ...wait, now })
    const again = waiting(running(first, now + 10 * minute), { ...wait, now: now + 11 * minute })
    const iso = (minutes: number) => new Date(now + minutes * minute).toISOString()
    const { reason } = wait
    const one = { for: 'slot', reason, from: iso(0), to: iso(21) }
    expect(again.waits).toEqual([one])
    const later = waiting(running(again, now + 21 * minute), { ...wait, now: now + 22 * minute + 1 })
    const second = new Date(now + 22 * minute + 1).toISOString()
    expect(later.waits?.map(({ from }) => from)).toEqual([iso(0), second])
    const other = waiting(again, { ...wait, reason: 'Throttled.', now: now + 21 * minute })
    expect(other.waits?.map((one) => one.reason)).toEqual([reason, 'Throttled.'])
  })

  it('loses the reason of a wait when it continues', () => {
    const waits = waiting(run, { for: 'platform', reason: 'Throttled.', waitMs: 0, now: later })
    expect(waits).toMatchObject({ status: 'waiting', reason: 'Throttled.', updatedAt: laterText })
    expect(running(waits, later)).not.toHaveProperty('reason')
    expect(publishing(waits, result, later)).not.toHaveProperty('reason')
  })

  it('keeps what the guards and a person decided until its end', () => {
    const guarded = { decidedAt: laterText, uniqueIds: 5, refusedBy: 'allowEmpty' }
    const progress = { documents: 7, pages: 2, total: 5, rangeProgress: [] }
    const end = refused({ ...run, guarded }, { reason: 'Why.', progress, now })
    const decided = { by: 'alice', result, worker: 'w', execution: 'arn:y', now: later }
    const publication = accepted(end as RefusedRun, decided)
    const refusedAt = new Date(now).toISOString()
    const decision = { by: 'alice', refusal: 'Why.', refusedAt, acceptedAt: laterText }
    expect(publication).toMatchObject({ guarded, accepted: decision, worker: 'w', execution: 'arn:y' })
    expect(publication).not.toHaveProperty('reason')
    const whole = published(publication, { manifest: 'key', progress, now: later })
    expect(whole).toMatchObject({ guarded, accepted: decision, split: run.split, plan: run.plan })
  })

  it('is published with the numbers of its proof', () => {
    const progress = { documents: 7, pages: 2, total: 5, rangeProgress: [] }
    const end = published(publishing(run, result, now), { manifest: 'key', progress, now: later })
    const found = { documents: 5, uniqueIds: 5, proof: 'exact', manifest: 'key', pages: 2 }
    expect(end).toMatchObject({ status: 'published', ...found, endedAt: laterText, abandoned: false })
    expect(end).not.toHaveProperty('result')
  })

  it.each([
    ['failed', failed],
    ['refused', refused],
    ['cancelled', cancelled],
    ['skipped', skipped],
  ] as const)('ends as %s with a reason and its progress', (status, change) => {
    const progress = { documents: 7, pages: 2, total: undefined, rangeProgress: [] }
    const end = change(run, { reason: 'Why.', progress, now: later })
    expect(end).toMatchObject({ status, reason: 'Why.', documents: 7, pages: 2, endedAt: laterText })
    expect(abandoned(end)).toMatchObject({ status, abandoned: true })
  })

  it('counts requests and faults', () => {
    const counted = withFault(withFault(withRequest(run, 10), '503', later), '503', later)
    expect(counted).toMatchObject({ requests: 1, receivedBytes: 10, faults: { 503: 2 } })
  })
})

describe('the ranges of a run', () => {
  const filters = ['null', 'low', 'high'].map((where) => ({ where, documents: 1 }))
  const plan = { ...planOfRanges, by: 'a', boundaries: ['b'], total: 3, filters }
  const planned = withSplit(run, plannedRanges(plan, { pageSize: 50, now }), now)
  const statesOf = ({ split }: ActiveFullRun) => rangesOf(split).map(({ state }) => state)
  const isReopened = ({ split }: ActiveFullRun) => split.kind === 'ranges' && split.reopened

  it('are opened one by one', () => {
    const opened = withOpening(withOpening(planned, 0), 1)
    expect(statesOf(opened)).toEqual(['open', 'open', 'planned'])
    expect(isReopened(opened)).toBe(false)
    expect(withOpening(opened, 1)).toBe(opened)
  })

  it('are marked if one opens again after a later one', () => {
    const opened = withOpening(withOpening(planned, 0), 2)
    expect(isReopened(withOpening(opened, 2))).toBe(false)
    const reopened = withOpening(opened, 0)
    expect(isReopened(reopened)).toBe(true)
    expect(withOpening(reopened, 0)).toBe(reopened)
    expect(statesOf(reopened)).toEqual(['open', 'planned', 'open'])
  })

  it('are one without partitions, which can open again', () => {
    const opened = withOpening(run, 0)
    expect(statesOf(opened)).toEqual(['open'])
    expect(withOpening(opened, 0)).toBe(opened)
  })

  it('change one at a time, and not after their proof', () => {
    const counts = { documents: 1, uniqueIds: 1, pages: 1, received: 1, total: 1, openedAt: 0 }
    const proof = { proof: 'exact', ...counts } as const
    const one = withRange(planned, 1, (range) => proven(range, proof))
    expect(statesOf(one)).toEqual(['planned', 'proven', 'planned'])
    expect(() => withRange(one, 1, (range) => range)).toThrow('Range 1 is not open.')
    expect(() => withRange(one, 3, (range) => range)).toThrow('Range 3 is not open.')
  })
})

it('the time of a run is in its id', () => {
  expect(timeOfRunId('20261121T051800123Z-0123456789ab')).toBe(Date.UTC(2026, 10, 21, 5, 18, 0, 123))
  expect(timeOfRunId('run-20261121T051800123Z-0123456789ab')).toBeNaN()
})
